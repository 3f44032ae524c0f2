"""Groups whose evidence has changed are computed anew: what was ended by a forgotten text goes on, and ends again with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mindlog.ids import MemoryId
from mindlog.knowledge.extraction import SPEAKER, EntityKind
from mindlog.knowledge.regroup import regroup
from tests.knowledge.graph import Graph, at, opened, said

S = SPEAKER
PLACE, FIRM, PERSON = EntityKind.PLACE, EntityKind.ORGANIZATION, EntityKind.PERSON


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncGenerator[Graph]:
    async with opened(tmp_path / "data") as graph:
        yield graph


async def lives(graph: Graph, town: str, day: str) -> MemoryId:
    return await graph.say(f"I live in {town}.", (S, "lives_in", town), day=day, kinds={town: PLACE})


async def test_forgetting_a_move_makes_the_old_home_current_again_and_restoring_it_ends_it(graph: Graph) -> None:
    await lives(graph, "Bonn", "2024-03-01")
    moved = await lives(graph, "Berlin", "2024-06-01")
    before = graph.history()
    await graph.forget(moved)
    assert graph.history() == {"user lives in Bonn": [("2024-03-01", None, None)]}
    assert graph.names_of() == ["Bonn", "user"]
    await graph.restore(moved)
    assert graph.history() == before
    assert graph.store.stale_groups(10) == []


async def test_a_statement_with_other_evidence_outlives_a_forget(graph: Graph) -> None:
    first = await lives(graph, "Bonn", "2024-03-01")
    await lives(graph, "Bonn", "2024-04-01")
    await graph.forget(first)
    assert graph.history() == {"user lives in Bonn": [("2024-04-01", None, None)]}


async def test_what_was_forgotten_is_told_as_retracted_and_as_added_when_it_is_back(graph: Graph) -> None:
    memory = await lives(graph, "Bonn", "2024-03-01")
    start = graph.store.last_lsn
    await graph.forget(memory)
    assert graph.events(start) == ["statement_retracted"]
    await graph.restore(memory)
    assert graph.events(start) == ["statement_retracted", "statement_added"]


async def test_an_edit_takes_its_old_words_back(graph: Graph) -> None:
    await lives(graph, "Bonn", "2024-03-01")
    moved = await lives(graph, "Berlin", "2024-06-01")
    edit = graph.bench.edit(graph.bench.get(moved.slot), "I visited Berlin.")
    edited = (await graph.store.edit(edit)).id
    await graph.read(edited, said("I visited Berlin.", (S, "visited", "Berlin"), kinds={"Berlin": PLACE}))
    await graph.regroup()
    assert graph.history() == {
        "user lives in Bonn": [("2024-03-01", None, None)],
        "user visited Berlin": [("2024-06-01", None, None)],
    }


async def test_what_was_believed_before_is_still_known(graph: Graph) -> None:
    await lives(graph, "Bonn", "2024-03-01")
    first = graph.clock.now()
    moved = await lives(graph, "Berlin", "2024-06-01")
    second = graph.clock.now()
    edit = graph.bench.edit(graph.bench.get(moved.slot), "Nothing.")
    await graph.store.edit(edit)
    await graph.regroup()
    assert graph.believed(as_of=at("2024-07-01")) == {"user lives in Bonn"}
    assert graph.believed(as_of=at("2024-07-01"), known_at=second) == {"user lives in Berlin"}
    assert graph.believed(as_of=at("2024-07-01"), known_at=first) == {"user lives in Bonn"}


async def test_a_merge_makes_one_story_of_two_and_taking_it_back_makes_two_of_it(graph: Graph) -> None:
    works = [("Alice Chen", "Initech", "2024-03-01"), ("A. Cheng", "Globex", "2024-06-01")]
    for who, firm, day in works:
        await graph.say(f"{who} works at {firm}.", (who, "works_at", firm), day=day, kinds={who: PERSON, firm: FIRM})
    before = graph.history()
    people = {name: row.id for name, row in graph.entities().items()}
    await graph.store.merge_entities(graph.number(), people["A. Cheng"], people["Alice Chen"], "test")
    assert await graph.regroup() > 0
    assert graph.history()["Alice Chen works at Initech"] == [("2024-03-01", "2024-06-01", "A. Cheng works at Globex")]
    await graph.store.unmerge_entity(graph.number(), people["A. Cheng"])
    await graph.regroup()
    assert graph.history() == before


async def test_towns_that_are_made_one_are_no_two_homes_any_more(graph: Graph) -> None:
    for town, day in (("NYC", "2024-03-01"), ("New York", "2024-06-01")):
        await lives(graph, town, day)
    towns = {name: row.id for name, row in graph.entities().items()}
    await graph.store.merge_entities(graph.number(), towns["NYC"], towns["New York"], "test")
    await graph.regroup()
    assert graph.history() == {
        "user lives in NYC": [("2024-03-01", None, None)],
        "user lives in New York": [("2024-03-01", None, None)],
    }


async def test_two_that_are_made_one_say_nothing_of_each_other(graph: Graph) -> None:
    await graph.say("Zed manages Yan.", ("Zed", "manages", "Yan"))
    ids = {name: row.id for name, row in graph.entities().items()}
    await graph.store.merge_entities(graph.number(), ids["Yan"], ids["Zed"], "test")
    await graph.regroup()
    assert graph.rows(current=False) == []
    await graph.store.unmerge_entity(graph.number(), ids["Yan"])
    await graph.regroup()
    assert graph.believed() == {"Zed manages Yan"}


async def test_only_so_many_groups_are_done_at_a_time(graph: Graph) -> None:
    memory = await graph.say(
        "Zed likes tea, hates mud, owns a van.",
        ("Zed", "likes", "=tea"),
        ("Zed", "owns", "=van"),
        ("Zed", "reads", "=mud"),
    )
    await graph.store.forget(graph.number(), [memory.slot])
    done = [await regroup(graph.store, graph.locks, 2), await regroup(graph.store, graph.locks, 2)]
    assert done == [2, 1]
    assert await graph.regroup() == 0
