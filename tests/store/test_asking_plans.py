"""Queries, series, places and pictures are found by an index: a page costs what it shows, however much there is."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import apsw
import pytest

from mindlog.store import placereads, querylist, queryruns, runquery, seriesreads
from mindlog.store.askingrows import NewQuery, QueryEnd
from mindlog.store.connect import DATABASE
from mindlog.store.documentrows import NewPoint, NewSeries, SeriesWrite
from mindlog.store.queries import load, q
from mindlog.store.runrows import RunQuery
from mindlog.store.seriesreads import SeriesQuery
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL
from tests.store.test_run_plans import plan, steps

ASKING = load(files("mindlog.store").joinpath("sql", "asking.sql").read_text(encoding="utf-8"))
# With markers: their statements are below. Counting, and saying which files are somebody's, read an index whole.
FILLED = {"list_series", "list_places", "list_queries", "asked", "end_query"}
WHOLE = {"count_queries", "image_files"}
# Not tables: parameters.
NO_TABLE = ("SCAN j VIRTUAL", "SCAN json_each VIRTUAL", "SCAN CONSTANT")
PRIMARY = "USING INTEGER PRIMARY KEY (rowid=?)"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    runquery.register(connection)
    querylist.register(connection)
    yield connection
    connection.close()


def walks(steps: list[str]) -> list[str]:
    """Return the steps that read a table from one end to the other, or make an index for themselves."""
    return [
        each for each in steps if "AUTOMATIC" in each or (each.startswith("SCAN") and not each.startswith(NO_TABLE))
    ]


@pytest.mark.parametrize("name", sorted(ASKING.keys() - FILLED - WHOLE))
def test_no_statement_walks_a_table(connection: apsw.Connection, name: str) -> None:
    found = walks(plan(connection, ASKING[name]))
    of_few = {"close_queries", "oldest_open_query"}
    assert not found or (name in of_few and "query_runs_open" in found[0]), found


def test_a_query_is_ended_where_it_stands_and_turns_are_those_of_the_session(connection: apsw.Connection) -> None:
    assert plan(connection, queryruns.END) == [f"SEARCH query_runs {PRIMARY}"]
    turns = plan(connection, querylist.ASKED)
    assert turns[0] == "SEARCH r USING INDEX query_runs_by_session (dataset=? AND session=? AND id<?)"
    assert not walks(turns)
    assert "USE TEMP B-TREE FOR ORDER BY" not in turns


@pytest.mark.parametrize(
    ("query", "way"),
    [
        (RunQuery(), "SCAN r"),
        (RunQuery(before_id=9), "SEARCH r USING INTEGER PRIMARY KEY (rowid<?)"),
        (RunQuery(dataset=1, before_id=9), "SEARCH r USING INDEX query_runs_by_dataset (dataset=? AND id<?)"),
        (RunQuery(dataset=1, session="s"), "SEARCH r USING INDEX query_runs_by_session (dataset=? AND session=?)"),
        (RunQuery(state="running"), "SCAN r USING INDEX query_runs_open"),
        (RunQuery(state="failed", before_id=9), "SEARCH r USING INDEX query_runs_failed (id<?)"),
        (RunQuery(dataset=1, text="x"), "SEARCH r USING INDEX query_runs_by_dataset (dataset=?)"),
    ],
)
def test_lists_of_queries_walk_an_index_and_sort_nothing(
    connection: apsw.Connection, query: RunQuery, way: str
) -> None:
    steps = plan(connection, *querylist.compile_query(query))
    assert way in steps
    assert not any("TEMP B-TREE" in step for step in steps)


@pytest.mark.parametrize(
    ("query", "members", "way"),
    [
        (SeriesQuery(dataset=1), [], "SEARCH s USING INDEX series_by_dataset (dataset=?)"),
        (
            SeriesQuery(dataset=1, before_id=9, text="x"),
            [],
            "SEARCH s USING INDEX series_by_dataset (dataset=? AND rowid<?)",
        ),
        (SeriesQuery(dataset=1, ids=[1]), [], f"SEARCH s {PRIMARY}"),
        (SeriesQuery(dataset=1, entities=[1]), [1], "SEARCH o USING COVERING INDEX series_by_entity (entity=?)"),
        (SeriesQuery(dataset=1, slots=[1]), [], "SEARCH o USING INDEX points_by_slot (slot=?)"),
        (SeriesQuery(dataset=1, keys=["k"]), [], "SEARCH o USING COVERING INDEX series_by_key (dataset=? AND key=?)"),
    ],
)
def test_lists_of_series_go_by_what_is_asked(
    connection: apsw.Connection, query: SeriesQuery, members: list[int], way: str
) -> None:
    steps = plan(connection, *seriesreads.compile_series(query, members))
    assert way in steps
    is_narrow = bool(query.ids or query.entities or query.keys or query.slots)
    assert any("series_by_dataset" in step for step in steps) is not is_narrow
    assert not walks(steps)


def test_places_are_found_by_whose_they_are_and_by_cells(connection: apsw.Connection) -> None:
    among, everywhere = plan(connection, placereads.AMONG), plan(connection, placereads.EVERYWHERE)
    assert f"SEARCH p {PRIMARY}" in among
    for index in ("places_by_entity (entity=?)", "places_by_slot (slot=?)", "places_by_cell (dataset=? AND cell=?)"):
        assert any(index in step for step in among)
    assert everywhere[0] == "SEARCH p USING INDEX places_by_cell (dataset=?)"
    assert not walks(among) + walks(everywhere)


async def test_a_page_of_points_and_of_turns_costs_as_much_among_many_as_among_few(tmp_path: Path) -> None:
    """Counted in steps of SQLite's machine, not in time."""
    taken: list[list[int]] = []
    for count in (100, 5000):
        store = SqliteStore.open(tmp_path / str(count), model=MODEL)
        await Bench(store).persist("text")
        points = tuple(NewPoint(at=at, value=1.0, source="p") for at in range(count))
        series = NewSeries(entity=None, name="n", key="k", unit=None, dimension=None, points=points)
        await store.put_series(SeriesWrite(dataset=1, series=(series,)))
        for at in range(count // 10):
            run = await store.start_query(NewQuery(dataset=1, question="?", session="s", params={}, created_at=at))
            await store.end_query(
                QueryEnd(run=run, status="succeeded", error=None, finished_at=1, stages=(), answer="a")
            )
        await store.aclose()
        connection = apsw.Connection(str(tmp_path / str(count) / DATABASE))
        runquery.register(connection)
        querylist.register(connection)
        walked = f"SELECT * FROM ({q.walk_points}) LIMIT 20"
        pages: list[tuple[str, Any]] = [
            (walked, (1, 50, 1 << 60, 1)),
            (querylist.ASKED, (1, "s", 1 << 60, None, None, 5)),
            querylist.compile_query(RunQuery(dataset=1, limit=5)),
        ]
        taken.append([steps(connection, sql, tuple(values)) for sql, values in pages])
        connection.close()
    assert taken[0] == taken[1]
