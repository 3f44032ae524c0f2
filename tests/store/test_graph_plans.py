"""The graph's reads and marks go by an index: a page costs what it shows, however much there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import apsw
import pytest

from mindlog.store import entityreads, memoryreads, statementreads
from mindlog.store.connect import DATABASE
from mindlog.store.graphrows import EntityQuery, StatementQuery
from mindlog.store.queries import load, q
from mindlog.store.sqlite import SqliteStore
from mindlog.store.statementquery import moment_of, statement_ids
from mindlog.testing.conformance import Bench
from mindlog.testing.conformance.knowing import Fact, Knowing
from tests.store.made import MODEL

GRAPH = load(files("mindlog.store").joinpath("sql", "graph.sql").read_text(encoding="utf-8"))
# Read whole on purpose: at the opening, at a change of the model, or a few rows of what waits.
WHOLE = {"last_entity", "last_statement", "drop_other_questions", "drop_name_vectors", "stale_groups"}
# Not tables: parameters, the results of subqueries and recursion, the index of spellings.
NO_TABLE = (
    "SCAN j VIRTUAL",
    "SCAN json_each VIRTUAL",
    "SCAN CONSTANT",
    "SCAN (subquery",
    "SCAN tied",
    "SCAN alias_grams",
)
DERIVED = {"edges_among": "SCAN g", "evidence_in_time": "SCAN e", "told_apart": "SCAN s"}
LIKES: Fact = ("Anna", "likes", '"tea"')


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    yield connection
    connection.close()


def plan(connection: apsw.Connection, name: str) -> list[str]:
    sql = GRAPH[name].replace("/*filters*/", "1")
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", (None,) * sql.count("?"))]


@pytest.mark.parametrize("name", sorted(GRAPH.keys() - WHOLE))
def test_no_statement_walks_a_table_or_makes_an_index_for_itself(connection: apsw.Connection, name: str) -> None:
    for step in plan(connection, name):
        assert "AUTOMATIC" not in step
        assert not step.startswith("SCAN") or step.startswith((*NO_TABLE, DERIVED.get(name, "SCAN j"))), step


@pytest.mark.parametrize("where", ["subject", "object", "predicate", "dataset"])
def test_pages_of_statements_are_read_in_the_order_of_an_index(connection: apsw.Connection, where: str) -> None:
    (step,) = plan(connection, f"statements_of_{where}")
    assert f"statements_by_{where}" in step
    assert "rowid<?" in step


def test_memories_that_name_an_entity_are_read_in_the_order_of_an_index(connection: apsw.Connection) -> None:
    sql = q.slots_naming.replace("/*filters*/", "m.session IN ('s') AND m.forgotten_at IS NULL")
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", (None,) * 4)]
    assert steps == [
        "SEARCH n USING COVERING INDEX mentions_by_entity (entity=? AND slot<?)",
        "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
    ]


def test_new_name_vectors_are_read_without_the_old_ones(connection: apsw.Connection) -> None:
    assert plan(connection, "entity_vectors") == ["SEARCH entities USING INTEGER PRIMARY KEY (rowid>?)"]


def steps(connection: apsw.Connection, action: object) -> int:
    """How many instructions of SQLite's machine the action takes."""
    counted = [0]

    def count() -> bool:
        counted[0] += 1
        return False

    assert callable(action)
    action()
    connection.set_progress_handler(count, 1)
    action()
    connection.set_progress_handler(None)
    return counted[0]


async def crowded(directory: Path, count: int) -> apsw.Connection:
    """Return a connection to a store in which one entity has many statements, mentions and pieces of evidence."""
    store = SqliteStore.open(directory, model=MODEL)
    bench = Bench(store)
    await bench.fill((f"Anna likes tea {n}" for n in range(count)), dedup=False)
    knowing = Knowing(bench)
    for slot in range(1, count + 1):
        thing: Fact = ("Anna", "likes", f'"{slot}"')
        write = knowing.write(slot, ["Anna"], [LIKES, thing])
        await store.write_graph(write)
    await store.aclose()
    return apsw.Connection(str(directory / DATABASE))


async def test_a_page_costs_as_much_among_many_as_among_few(tmp_path: Path) -> None:
    taken: list[list[int]] = []
    for count in (150, 1500):
        connection = await crowded(tmp_path / str(count), count)
        query = StatementQuery(dataset=1, now=1 << 60, subjects=(1,), limit=20)

        def page(query: StatementQuery = query, connection: apsw.Connection = connection) -> object:
            ids = [each for each in statement_ids(connection, query) if each != 1]
            return statementreads.statement_rows(connection, ids, moment_of(query))

        taken.append(
            [
                steps(connection, page),
                steps(connection, lambda on=connection: statementreads.evidence(on, 1, 20)),
                steps(connection, lambda on=connection: memoryreads.mention_slots(on, 1, [1], 20)),
                steps(connection, lambda on=connection: entityreads.by_key(on, 1, ["anna"])),
                steps(connection, lambda on=connection: entityreads.alike(on, 1, "ana", 5)),
                steps(
                    connection,
                    lambda on=connection: entityreads.list_page(on, EntityQuery(dataset=1, limit=20, count_limit=5)),
                ),
            ]
        )
        connection.close()
    for few, many in zip(*taken, strict=True):
        assert many <= few * 1.1


async def test_marking_a_memory_that_says_nothing_is_one_lookup(tmp_path: Path) -> None:
    connection = await crowded(tmp_path, 150)
    silent = steps(connection, lambda: connection.execute(q.mark_stale, (9, json.dumps([999]))))
    telling = steps(connection, lambda: connection.execute(q.mark_stale, (9, json.dumps([5]))))
    connection.close()
    assert silent < 80
    assert telling < 300
