"""What remember asks all the time goes by an index, however many documents, runs and texts there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from mindlog.ids import run_id
from mindlog.store import inferences, rememberclaims, rememberquery, runquery
from mindlog.store.connect import DATABASE, fetch, open_writer
from mindlog.store.documentrows import NewText, TextKey
from mindlog.store.load import load_known
from mindlog.store.persist import persist
from mindlog.store.queries import q
from mindlog.store.runrows import InferenceQuery, InferenceRow, RunQuery
from mindlog.store.sqlite import SqliteStore
from mindlog.store.textwrites import keep_text
from mindlog.store.transaction import Transaction
from mindlog.testing.conformance import Bench
from mindlog.testing.conformance.papers import Papers, document
from tests.store.made import MODEL, HandClock

PRIMARY = "USING INTEGER PRIMARY KEY (rowid=?)"
OPEN = "remember_runs USING COVERING INDEX remember_runs_open"
TEXT = "remember_texts USING PRIMARY KEY (run=? AND origin=? AND position=?)"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    runquery.register(connection)
    yield connection
    connection.close()


def plan(connection: apsw.Connection, sql: str, values: Any = None) -> list[str]:
    numbered = set(re.findall(r"\?\d+", sql))
    given = (None,) * len(numbered or re.findall(r"\?", sql)) if values is None else values
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", given)]


def scans(steps: list[str]) -> list[str]:
    """The steps that read a table from end to end or sort."""
    return [step for step in steps if re.match(r"SCAN (\w+)$", step) or "TEMP B-TREE" in step]


def test_a_claim_looks_at_one_run_of_each_dataset(connection: apsw.Connection) -> None:
    for sql in (q.due_remember, q.next_remember):
        steps = plan(connection, sql)
        assert f"SEARCH {OPEN} (dataset=?)" in steps
        assert f"SEARCH {OPEN} (dataset>?)" in steps
        assert set(scans(steps)) <= {"SCAN w", "USE TEMP B-TREE FOR ORDER BY"}
    assert f"SEARCH remember_runs {PRIMARY}" in plan(connection, rememberclaims.CLAIM)


@pytest.mark.parametrize(
    ("sql", "way"),
    [
        (q.find_remember, "SEARCH r USING INDEX remember_runs_by_request (dataset=? AND request_id=?)"),
        (q.find_document, "SEARCH documents USING COVERING INDEX sqlite_autoindex_documents_1 (dataset=? AND id=?)"),
        (q.text_there, f"SEARCH {TEXT}"),
        (q.text_made, f"SEARCH {TEXT}"),
        (q.put_reading, f"SEARCH {TEXT}"),
        (q.text_stored, f"SEARCH {TEXT}"),
        (q.release_memory, f"SEARCH encode_runs {PRIMARY}"),
        (q.reread_texts, "SEARCH remember_texts USING PRIMARY KEY (run=?)"),
        (q.outdated_slots, "SEARCH r USING COVERING INDEX remember_runs_by_document (document=? AND rowid<?)"),
    ],
)
def test_a_statement_goes_by_its_index(connection: apsw.Connection, sql: str, way: str) -> None:
    assert plan(connection, sql)[0] == way


def test_letting_go_of_texts_looks_at_those_that_are_not_stored(connection: apsw.Connection) -> None:
    steps = plan(connection, q.release_texts)
    assert "SEARCH encode_runs USING COVERING INDEX encode_runs_due (due_at=? AND id=?)" in steps
    by_state = "USING INDEX remember_texts_by_state (run=? AND origin=? AND state=?)"
    assert len([step for step in steps if step == f"SEARCH t {by_state}"]) == 2


def test_lists_walk_an_index_and_sort_nothing(connection: apsw.Connection) -> None:
    for query, way in (
        (RunQuery(), "SCAN r"),
        (RunQuery(before_id=9), "SEARCH r USING INTEGER PRIMARY KEY (rowid<?)"),
        (RunQuery(dataset=1), "SEARCH r USING INDEX remember_runs_by_dataset (dataset=?)"),
        (RunQuery(dataset=1, before_id=9), "SEARCH r USING INDEX remember_runs_by_dataset (dataset=? AND id<?)"),
        (RunQuery(document_id="d"), f"SEARCH r {PRIMARY}"),
        (
            RunQuery(document_id="d", dataset=1, status="failed", before_id=9),
            "SEARCH r USING INDEX remember_runs_by_dataset (dataset=? AND id=? AND rowid<?)",
        ),
        (RunQuery(status="started"), f"SEARCH r {PRIMARY}"),
        (RunQuery(state="running"), f"SEARCH r {PRIMARY}"),
        (RunQuery(status="failed"), "SCAN r USING INDEX remember_runs_failed"),
        (RunQuery(state="quarantined", before_id=9), "SEARCH r USING INDEX remember_runs_failed (id<?)"),
        (RunQuery(dataset=1, status="succeeded"), "SEARCH r USING INDEX remember_runs_succeeded (dataset=?)"),
    ):
        steps = plan(connection, *rememberquery.compile_query(query, 1))
        assert way in steps, query
        assert not any("TEMP B-TREE" in step for step in steps), query
        counted = "SEARCH remember_texts USING COVERING INDEX remember_texts_by_state (run=? AND origin=? AND state=?)"
        assert len([step for step in steps if step == counted]) == 2, query


def test_texts_and_documents_are_found_by_their_keys(connection: apsw.Connection) -> None:
    for found, way in (
        (rememberquery.compile_texts(1, None, -1, None, readings=False), "SEARCH t USING PRIMARY KEY (run=?)"),
        (
            rememberquery.compile_texts(1, "chunk", 5, 1, readings=True),
            "SEARCH t USING PRIMARY KEY (run=? AND origin=? AND position>?)",
        ),
        (rememberquery.documents_after(1, 9, None), "SEARCH c USING INDEX documents_by_dataset (dataset=?)"),
        (rememberquery.documents_after(1, 9, 5), "SEARCH c USING INDEX documents_by_dataset (dataset=? AND number<?)"),
        (rememberquery.documents_of(1, "d"), "SEARCH c USING INDEX sqlite_autoindex_documents_1 (dataset=? AND id=?)"),
    ):
        steps = plan(connection, *found)
        assert way in steps
        assert scans(steps) == []
    assert "SEARCH t USING INDEX remember_texts_by_slot (slot=?)" in plan(connection, *rememberquery.text_of(1))


async def test_a_claim_does_as_little_among_two_thousand_runs_as_among_twenty(tmp_path: Path) -> None:
    """Counted in steps of SQLite's machine, not in time."""
    taken: list[int] = []
    for count in (20, 2_000):
        store = SqliteStore.open(tmp_path / str(count), model=MODEL, clock=HandClock())
        for n in range(count):
            await store.start_remember(document(f"doc_{n}", f"d{n % 2}"))
        await store.aclose()
        connection = apsw.Connection(str(tmp_path / str(count) / DATABASE))
        taken.append(steps_of(connection, lambda on=connection: fetch(on, q.due_remember, (1, "[]"))))
        connection.close()
    assert taken[0] == taken[1]


async def test_whether_a_text_of_a_document_is_forgotten_is_looked_up_once_for_a_page_of_its_calls(
    tmp_path: Path,
) -> None:
    store = SqliteStore.open(tmp_path, model=MODEL)
    papers = Papers(Bench(store))
    run = await papers.begun()
    for n in range(300):
        await papers.keep(run, n, f"chunk {n}")
    for n in range(41):
        await store.add_inference(call(n, run_id(run, "remember")))
    await store.aclose()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    one, many = (steps_of(connection, partial(calls_of, connection, limit)) for limit in (1, 41))
    connection.close()
    assert one > 300
    assert many - one < 40 * 100


def call(number: int, run: str) -> InferenceRow:
    return InferenceRow(
        id=f"inf_{number}", run_id=run, stage="extract_graph", dataset="default", provider="p", model="m", mode="json",
        parameters={}, prompt=None, prompt_hash="h", output="o", output_hash="h", input_tokens=1, output_tokens=1,
        cost=None, started_at=1, finished_at=2, latency_us=1, attempt=1, error=None,
    )  # fmt: skip


def calls_of(connection: apsw.Connection, limit: int) -> list[InferenceRow]:
    return inferences.read_inferences(connection, *inferences.compile_query(InferenceQuery(limit=limit)))


async def test_keeping_a_text_takes_two_look_ups_more_than_a_memory(tmp_path: Path) -> None:
    """Of statements, for 64 in one commit: whether the run is held, and whether the text is there. Their rows go in together."""
    store = SqliteStore.open(tmp_path, model=MODEL)
    papers = Papers(Bench(store))
    run = await papers.begun()
    first = [papers.bench.new(f"memory {n}", dedup=False) for n in range(64)]
    second = [papers.bench.new(f"text {n}", dedup=False) for n in range(64)]
    await store.aclose()
    connection = open_writer(tmp_path / DATABASE)
    alone = statements(connection, [partial(persist, memory=memory) for memory in first])
    texts = [NewText(key=TextKey(run=run, origin="chunk", position=n)) for n in range(64)]
    kept = [partial(keep_text, owner="w", memory=memory, text=text) for memory, text in zip(second, texts, strict=True)]
    assert statements(connection, kept) == alone + 2 * 64 + 1
    assert connection.execute("SELECT count(*) FROM remember_texts").fetchall() == [(64,)]
    connection.close()


def statements(connection: apsw.Connection, writes: Sequence[Callable[[Transaction], object]]) -> int:
    """How many statements the writes take in one transaction."""
    ran: list[str] = []

    def note(cursor: object, sql: str, values: object) -> bool:
        ran.append(sql)
        return True

    connection.exec_trace = note
    with connection:
        tx = Transaction(connection, load_known(connection), 1)
        ran.clear()
        for write in writes:
            write(tx)
        tx.flush()
        connection.exec_trace = None
    return len(ran)


def steps_of(connection: apsw.Connection, action: Callable[[], object]) -> int:
    """How many instructions the action takes."""
    counted = [0]

    def count() -> bool:
        counted[0] += 1
        return False

    connection.set_progress_handler(count, 1)
    action()
    connection.set_progress_handler(None)
    return counted[0]
