"""Whatever holds words of a memory is listed with the way it hangs on it: what can be erased for good, and is all there is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import apsw

from mindlog.store.connect import DATABASE
from mindlog.store.derived import CONTENT
from mindlog.store.graphrows import MemoryQuestions, MemoryTerms
from mindlog.store.runrows import StageCommit
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
    assert found.keys() - PLAIN == CONTENT.keys()


async def test_what_is_listed_is_all_there_is_of_a_memory(tmp_path: Path) -> None:
    """A memory with a secret in everything that is made of it: taken away by the list, the secret is in no row."""
    store = SqliteStore.open(tmp_path, model=MODEL)
    bench = Bench(store)
    knowing = Knowing(bench)
    kept = await knowing.learn("Anna likes tea", facts=[("Anna", "likes", '"tea"')])
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
    await store.merge_entities(knowing.number, knowing.entities[SECRET], knowing.entities["Anna"], SECRET)
    await store.aclose()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    assert len(holding(connection, SECRET)) >= 11
    # First everything is asked, then it is deleted: the conditions look at each other's tables.
    doomed = {
        table: [
            json.dumps(row)
            for row in connection.execute(f"SELECT {key(connection, table)} FROM {table} WHERE {of}", {"slot": slot})
        ]
        for table, of in CONTENT.items()
    }
    connection.execute("PRAGMA foreign_keys = OFF")
    for table, rows in doomed.items():
        columns = key(connection, table)
        for row in rows:
            marks = ", ".join("?" for _ in json.loads(row))
            connection.execute(f"DELETE FROM {table} WHERE ({columns}) = ({marks})", tuple(json.loads(row)))
    assert holding(connection, SECRET) == []
    assert connection.execute("SELECT text FROM statements").fetchall() == [('Anna likes "tea"',)]
    assert connection.execute("SELECT name FROM entities").fetchall() == [("Anna",)]
    assert connection.execute("SELECT slot FROM memories").fetchall() == [(kept.id.slot,)]
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
