"""What workers and watchers ask all the time goes by an index, however many runs and log entries there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from mindlog.store import claims, inferences, logreads, peek, runquery
from mindlog.store.connect import DATABASE
from mindlog.store.queries import q
from mindlog.store.runrows import InferenceQuery, LogQuery, RunQuery
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL, HandClock

NUMBERED, UNNUMBERED = re.compile(r"\?\d+"), re.compile(r"\?")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    runquery.register(connection)
    yield connection
    connection.close()


def plan(connection: apsw.Connection, sql: str, values: Any = None) -> list[str]:
    given = (None,) * len(set(NUMBERED.findall(sql)) or UNNUMBERED.findall(sql)) if values is None else values
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", given)]


@pytest.mark.parametrize(
    ("sql", "way"),
    [
        (q.due_runs, "SEARCH encode_runs USING COVERING INDEX encode_runs_due (due_at<?)"),
        (peek.NEXT_DUE, "SEARCH encode_runs USING COVERING INDEX encode_runs_due (due_at<?)"),
        (claims.RELEASE_ALL, "SEARCH encode_runs USING INDEX encode_runs_due (due_at>?)"),
        (claims.RELEASE, "SEARCH encode_runs USING INDEX encode_runs_due (due_at>?)"),
        (q.count_failed_runs, "SCAN r USING INDEX encode_runs_failed"),
        (runquery.COUNT_STARTED, "SCAN r USING INDEX encode_runs_due"),
        (q.spent_since, "SEARCH inferences USING INDEX inferences_by_time (started_at>?)"),
        (q.oldest_lsn, "SEARCH log"),
        (q.prune_log, "SEARCH log USING INTEGER PRIMARY KEY (rowid<?)"),
    ],
)
def test_a_statement_goes_by_its_index(connection: apsw.Connection, sql: str, way: str) -> None:
    assert plan(connection, sql)[0] == way


def test_claiming_sorts_nothing_and_reads_no_row_it_does_not_take(connection: apsw.Connection) -> None:
    assert plan(connection, q.due_runs) == ["SEARCH encode_runs USING COVERING INDEX encode_runs_due (due_at<?)"]
    assert "SEARCH encode_runs USING INTEGER PRIMARY KEY (rowid=?)" in plan(connection, claims.CLAIM)


def test_lists_walk_an_index_and_sort_nothing(connection: apsw.Connection) -> None:
    primary = "USING INTEGER PRIMARY KEY (rowid=?)"
    for query, way in (
        (RunQuery(), "SCAN r"),
        (RunQuery(before_id=9), "SEARCH r USING INTEGER PRIMARY KEY (rowid<?)"),
        (RunQuery(status="started"), f"SEARCH r {primary}"),
        (RunQuery(state="running"), f"SEARCH r {primary}"),
        (RunQuery(slot=1), f"SEARCH r {primary}"),
        (RunQuery(status="failed"), "SCAN r USING INDEX encode_runs_failed"),
        (RunQuery(state="quarantined", before_id=9), "SEARCH r USING INDEX encode_runs_failed (id<?)"),
        (RunQuery(dataset=1, status="succeeded"), "SEARCH r USING INDEX encode_runs_succeeded (dataset=?)"),
    ):
        steps = plan(connection, *runquery.compile_query(query, 1))
        assert way in steps, query
        assert not any("TEMP B-TREE" in step for step in steps), query


def test_model_calls_and_the_log_are_paged_by_their_keys(connection: apsw.Connection) -> None:
    of_run = plan(connection, *inferences.compile_query(InferenceQuery(run_id="r", before_id="i")))
    assert of_run[0].startswith("SEARCH i USING INDEX inferences_by_run (run_id=?")
    everything = LogQuery(from_lsn=1, limit=9, datasets=(1,), types=("a",), session="s", kind="k", to_lsn=5)
    steps = plan(connection, *logreads.compile_query(everything))
    assert "SEARCH l USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)" in steps
    assert not any("TEMP B-TREE" in step for step in of_run + steps)


def test_what_the_calls_of_runs_came_to_is_read_from_an_index_alone(connection: apsw.Connection) -> None:
    steps = plan(connection, q.call_sums)
    assert "SEARCH i USING COVERING INDEX inferences_sums_by_run (run_id=?)" in steps
    assert not any("SCAN i" in step for step in steps)


async def test_a_claim_does_as_little_among_ten_thousand_as_among_a_hundred(tmp_path: Path) -> None:
    """Counted in steps of SQLite's machine, not in time."""
    taken: list[int] = []
    for count in (100, 10_000):
        store = SqliteStore.open(tmp_path / str(count), model=MODEL, clock=HandClock())
        await Bench(store).fill((f"text {n}" for n in range(count)), dedup=False)
        await store.aclose()
        connection = apsw.Connection(str(tmp_path / str(count) / DATABASE))
        taken.append(steps(connection, q.due_runs, (1, 64)))
        due = json.dumps([run for (run,) in connection.execute(q.due_runs, (1, 64))])
        taken.append(steps(connection, claims.CLAIM, ("w", 1, due)))
        connection.close()
    assert taken[:2] == taken[2:]


def steps(connection: apsw.Connection, sql: str, values: tuple[Any, ...]) -> int:
    """How many instructions the statement takes."""
    counted = [0]

    def count() -> bool:
        counted[0] += 1
        return False

    connection.set_progress_handler(count, 1)
    connection.execute(sql, values).fetchall()
    connection.set_progress_handler(None)
    return counted[0]
