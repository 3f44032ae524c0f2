"""Whatever holds words of a memory is listed with the way it hangs on it: what can be erased for good, and is all there is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import apsw

from mindlog.ids import run_id
from mindlog.store import querylist
from mindlog.store.askingrows import NewImage, NewPlace, NewQuery, QueryEnd
from mindlog.store.connect import DATABASE
from mindlog.store.derived import CONTENT, SHARED
from mindlog.store.documentrows import NewPoint, NewSeries, SeriesWrite
from mindlog.store.graphrows import MemoryQuestions, MemoryTerms
from mindlog.store.runrows import InferenceRow, StageCommit
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.conformance.knowing import Fact, Knowing, stage
from tests.store.made import MODEL

# Tables with text in which none is of a memory: names of datasets and models, keys, words of the program, ids.
PLAIN = {"meta", "models", "datasets", "keys", "migrations", "log", "stale_groups", "contradictions"}
SECRET = "Zyxwvut"
TELLS: Fact = (SECRET, "knows", "Anna")
SAYS: Fact = ("Anna", "says", f'"{SECRET}"')


def tables(connection: apsw.Connection) -> dict[str, list[str]]:
    """Return the columns that can hold text or bytes, by table; the index of spellings is one table."""
    found: dict[str, list[str]] = {}
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        columns = connection.execute(f"SELECT name, type FROM pragma_table_info('{name}')").fetchall()
        wordy = [column for column, kind in columns if kind not in ("INTEGER", "REAL")]
        if wordy and not name.startswith(("sqlite_", "alias_grams_")):
            found[name] = wordy
    return found


def test_every_table_that_can_hold_words_is_listed(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    found = tables(connection)
    connection.close()
    assert found.keys() - PLAIN == CONTENT.keys() | SHARED.keys()
    # Model calls of derivations are a memory's, the others are not.
    assert CONTENT.keys() & SHARED.keys() == {"inferences"}


async def secret_in_the_graph(bench: Bench, knowing: Knowing) -> int:
    """Keep a memory with the secret in everything that a derivation makes of it; returns its slot."""
    store = bench.store
    slot = (await bench.persist(f"{SECRET} is the old text", request=(SECRET, "p"))).id.slot
    await store.edit(bench.edit(bench.get(slot), f"Anna says {SECRET}, {SECRET} knows Anna"))
    (run,) = [run for run in await store.claim_runs("w", 9, 10**9) if run.version == 2]
    write = knowing.write(slot, [], [TELLS, SAYS])
    dated = tuple(replace(each, time_phrase=SECRET) for each in write.evidence)
    write = replace(write, evidence=dated, proposals=(knowing.proposal(SECRET, "Anna", reason=SECRET),))
    commits: list[StageCommit] = [
        stage(run.id, "extractor", write),
        stage(run.id, "memory_text", MemoryTerms(terms=(SECRET,))),
        stage(run.id, "hype", MemoryQuestions(source="llm", texts=(SECRET,), vectors=bench.vectors(SECRET))),
    ]
    for commit in commits:
        await store.commit_stage(replace(commit, error=f"LlmBadOutput: {SECRET}", output={"raw": SECRET}))
    await store.add_inference(call_of(run_id(run.id)))
    await store.merge_entities(knowing.number, knowing.entities[SECRET], knowing.entities["Anna"], SECRET)
    return slot


def call_of(run: str) -> InferenceRow:
    """Return a model call of a run, with the secret in prompt and answer."""
    return InferenceRow(
        id=f"inf_{run}",
        run_id=run,
        stage=None,
        dataset="default",
        provider="p",
        model="m",
        mode="text",
        parameters={},
        prompt=(("user", SECRET),),
        prompt_hash="a",
        output=SECRET,
        output_hash=None,
        input_tokens=1,
        output_tokens=1,
        cost=None,
        started_at=1,
        finished_at=2,
        latency_us=1,
        attempt=1,
        error=None,
    )


async def secret_in_numbers_and_places(bench: Bench, knowing: Knowing, slot: int, other: int) -> None:
    """Give the memory, and the entity that it alone names, series and places; another memory shares one of the series."""
    store, number = bench.store, knowing.number
    revision = {"slot": slot, "version": bench.get(slot).id.version}
    point = NewPoint(at=1, value=1.0, written=SECRET, source=SECRET)
    whose = knowing.entities[SECRET]
    named = NewSeries(entity=None, name="Weight", key="weight", unit="kg", dimension="mass", points=(point,))
    shared = replace(named, points=(replace(point, written=None, source=None),))
    own = replace(named, name=SECRET, key=SECRET.lower(), unit=SECRET)
    of_entity = replace(own, entity=whose)
    await store.put_series(SeriesWrite(dataset=number, slot=other, version=1, series=(shared,)))
    await store.put_series(SeriesWrite(dataset=number, series=(named, own), **revision))
    await store.put_series(SeriesWrite(dataset=number, series=(of_entity,)))
    place = NewPlace(
        dataset=number, name=SECRET, lat=1.0, lon=1.0, cell=1, source="text", confident=True, reason=SECRET
    )
    await store.put_places([replace(place, **revision), replace(place, entity=whose)])


async def secret_in_a_picture(bench: Bench) -> int:
    """Keep a picture with the secret in all that is known of it; returns its memory's slot."""
    memory = bench.new(SECRET)
    image = NewImage(
        dataset=0,
        slot=memory.slot,
        fingerprint=b"f",
        media_type="image/png",
        bytes=1,
        width=1,
        height=1,
        name=SECRET,
        taken_at=None,
        lat=None,
        lon=None,
        caption=SECRET,
        model_caption=SECRET,
        ocr_text=SECRET,
        notes=(SECRET,),
        thumbnail=SECRET.encode(),
        thumbnail_type="image/webp",
    )
    await bench.store.put_image(memory, image)
    return memory.slot


async def secret_in_answers(bench: Bench, slot: int) -> None:
    """Record a query that cites the memory, one that failed with its words, and one that knows nothing of it."""
    cited = {"n": 1, "memory_id": str(bench.get(slot).id), "quote": SECRET}
    for citations, answer, error in (
        ((cited,), SECRET, None),
        ((), None, f"LlmBadOutput: {SECRET}"),
        ((), "Tea", None),
    ):
        new = NewQuery(dataset=bench.number(), question="What?", session=None, params={}, created_at=1)
        run = await bench.store.start_query(new)
        how = "failed" if error else "succeeded"
        end = QueryEnd(run=run, status=how, error=error, finished_at=2, stages=(), answer=answer, citations=citations)
        await bench.store.end_query(end)
        if answer == SECRET:
            await bench.store.add_inference(call_of(run_id(run, "query")))


def secret_in_a_document(connection: apsw.Connection, slot: int) -> None:
    """Say that the memory is a text of a document, as remember does; another document is there beside."""
    for number, words in ((1, SECRET), (2, "plain")):
        moments = {"created_at": 1, "updated_at": 1}
        insert(connection, "documents", number=number, dataset=1, id=words, title=words, **moments)
        asked = {"params": words, "error": words, "created_at": 1}
        insert(connection, "remember_runs", id=number, dataset=1, document=number, **asked)
        source = {"kind": "text", "name": words, "url": words, "characters": 1, "content": words.encode()}
        insert(connection, "remember_sources", run=number, **source)
        insert(connection, "remember_run_stage_outputs", run=number, stage="chunk_text", output=words)
    said = dict.fromkeys(("headings", "source", "error", "reading", "summary"), SECRET)
    where = {"run": 1, "origin": "chunk", "position": 0, "slot": slot, "version": 1, "state": "kept"}
    insert(connection, "remember_texts", **where, **said)


def insert(connection: apsw.Connection, table: str, **columns: str | bytes | int) -> None:
    """Add a row."""
    marks = ", ".join("?" for _ in columns)
    connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values()))


def doomed(connection: apsw.Connection, slot: int, mapping: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return table and key of the rows that the conditions name."""
    return [
        (table, json.dumps(row))
        for table, of in mapping.items()
        for row in connection.execute(
            f"SELECT {key(connection, table)} FROM {table} WHERE {of}", {"slot": slot}
        ).fetchall()
    ]


def erase(connection: apsw.Connection, rows: Iterable[tuple[str, str]]) -> None:
    """Delete the rows, whatever refers to them."""
    connection.execute("PRAGMA foreign_keys = OFF")
    for table, row in rows:
        values = tuple(json.loads(row))
        marks = ", ".join("?" for _ in values)
        connection.execute(f"DELETE FROM {table} WHERE ({key(connection, table)}) = ({marks})", values)


async def test_what_is_listed_is_all_there_is_of_a_memory(tmp_path: Path) -> None:
    """Memories with a secret in everything that is made of them: taken away by the lists, the secret is in no row."""
    store = SqliteStore.open(tmp_path, model=MODEL)
    bench = Bench(store)
    knowing = Knowing(bench)
    kept = await knowing.learn("Anna likes tea", facts=[("Anna", "likes", '"tea"')])
    slot = await secret_in_the_graph(bench, knowing)
    await secret_in_numbers_and_places(bench, knowing, slot, kept.id.slot)
    picture = await secret_in_a_picture(bench)
    await secret_in_answers(bench, slot)
    await store.add_inference(call_of(run_id(1, "remember")))
    await store.aclose()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    querylist.register(connection)
    secret_in_a_document(connection, slot)
    # What has no text of its own: pieces of keys, links, vectors.
    silent = {"alias_grams", "edges", "embeddings"}
    assert {table for table, _ in holding(connection, SECRET)} == (CONTENT.keys() | SHARED.keys()) - silent
    # First everything is asked, then it is deleted: the conditions look at each other's tables.
    own = doomed(connection, slot, CONTENT) + doomed(connection, picture, CONTENT)
    shared = doomed(connection, slot, SHARED)
    erase(connection, own)
    assert {table for table, _ in holding(connection, SECRET)} == SHARED.keys()
    erase(connection, shared)
    assert holding(connection, SECRET) == []
    for table, column, left in (
        ("statements", "text", ['Anna likes "tea"']),
        ("entities", "name", ["Anna"]),
        ("series", "name", ["Weight"]),
        ("memories", "slot", [kept.id.slot]),
        ("points", "slot", [kept.id.slot]),
        ("query_runs", "answer", ["Tea"]),
        ("documents", "title", ["plain"]),
        ("remember_sources", "name", ["plain"]),
    ):
        assert [value for (value,) in connection.execute(f"SELECT {column} FROM {table}").fetchall()] == left
    connection.close()


def key(connection: apsw.Connection, table: str) -> str:
    """Return the primary key's columns, as SQL."""
    rows = connection.execute(f"SELECT name FROM pragma_table_info('{table}') WHERE pk ORDER BY pk").fetchall()
    return ", ".join(f'"{name}"' for (name,) in rows) or "rowid"


def holding(connection: apsw.Connection, word: str) -> list[tuple[str, str]]:
    """Return the tables and columns in which the word stands, in any case."""
    return [
        (table, column)
        for table, columns in tables(connection).items()
        for column in columns
        if connection.execute(
            f'SELECT 1 FROM "{table}" WHERE instr(lower(CAST("{column}" AS TEXT)), ?) LIMIT 1', (word.lower(),)
        ).fetchall()
    ]
