"""The graph lane: from the names in a cue over what is stated of them to the memories that carry it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.engine import Engine
from mindlog.ids import number_id
from mindlog.recall.graph import STATEMENTS
from mindlog.records import EditRequest
from tests.engine.made import Chosen, found, hit_of, ids, keep, keep_all, opened, recall
from tests.recall.made import Graph

# The crowd is nearer to every cue than what the graph knows, so that the other lanes bring up the crowd alone.
VECTORS = {"crowd": [0.1, 0, 0.99, 0], "harbour": [0.0, 1, 0, 0], "?": [1.0, 0, 0, 0]}
RED, BLUE, GREEN = (("car", "colour", colour) for colour in ("red", "blue", "green"))


def embedder() -> Chosen:
    return Chosen(VECTORS, dimensions=4)


async def test_what_is_stated_of_a_name_in_the_cue_is_found_whatever_its_words(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        await keep_all(engine, [f"crowd number {n}" for n in range(300)])
        memory_id = await keep(engine, "harbour side, third floor")
        graph = Graph(engine)
        await graph.say(memory_id, ("Grace", "lives_in", "Oslo"))
        result = await recall(engine, "Where does Grace live?", limit=100, trace=True)
        hit = hit_of(result, memory_id)
        assert set(hit.lanes) == {"graph"}
        assert hit.lanes["graph"].score == pytest.approx(1.0)
        assert result.trace is not None
        told = result.trace["lanes"]["graph"]
        assert told["entities"] == [
            {"entity_id": number_id("ent", graph.entities["Grace"]), "name": "Grace", "kind": "other"}
        ]
        (statement,) = told["statements"]
        assert statement["memory_ids"] == [memory_id]
        assert (statement["text"], statement["holds"], statement["score"]) == ("Grace lives in Oslo", True, 1.0)


async def test_what_only_names_the_entity_is_a_candidate_too(tmp_path: Path) -> None:
    async with opened(tmp_path, embedder(), derive=False) as engine:
        await keep_all(engine, [f"crowd number {n}" for n in range(300)])
        memory_id = await keep(engine, "harbour")
        await Graph(engine).say(memory_id, names=["Grace Lindqvist"])
        result = await recall(engine, "What of Grace Lindqvist?", trace=True)
        assert result.trace is not None
        (candidate,) = result.trace["lanes"]["graph"]["candidates"]
        assert candidate == {"memory_id": memory_id, "rank": 1, "score": 0.0}


async def test_a_statement_counts_by_how_much_of_the_cue_it_meets(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        graph = Graph(engine)
        home, job = await keep(engine, "third floor"), await keep(engine, "at the lab")
        await graph.say(home, ("Grace", "lives_in", "Oslo"))
        await graph.say(job, ("Grace", "works_at", "Novatek"))
        lives = (await recall(engine, "Where does Grace live?", trace=True)).trace
        works = (await recall(engine, "Which company employs Grace?", trace=True)).trace
        assert lives is not None
        assert works is not None
        of_home, of_job = ({s["text"]: s["score"] for s in t["lanes"]["graph"]["statements"]} for t in (lives, works))
        assert of_home["Grace lives in Oslo"] > 0 == of_home["Grace works at Novatek"]
        assert of_job["Grace works at Novatek"] > 0 == of_job["Grace lives in Oslo"]


async def test_a_relation_is_found_from_either_end(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        memory_id = await keep(engine, "a plain note")
        graph = Graph(engine)
        await graph.say(memory_id, ("Grace", "lives_in", "Oslo"), names=["Oslo"])
        for cue in ("Where does Grace live?", "Who lives in Oslo?", "Does Grace live in Oslo?"):
            assert hit_of(await recall(engine, cue), memory_id).lanes["graph"].score > 0, cue


async def test_the_first_person_is_the_human_side_of_the_conversation(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        memory_id = await keep(engine, "a plain note", agent="user")
        graph = Graph(engine)
        await graph.say(memory_id, ("user", "allergic_to", "nuts"))
        assert "graph" in hit_of(await recall(engine, "What am I allergic to? my allergies"), memory_id).lanes
        assert "graph" not in hit_of(await recall(engine, "Which allergies are there?"), memory_id).lanes


async def test_an_entity_called_user_that_speaks_is_not_the_first_person_unless_it_is_a_speaker(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        memory_id = await keep(engine, "a plain note")
        await Graph(engine).say(memory_id, ("customer", "likes", "tea"))
        assert "graph" not in hit_of(await recall(engine, "What do I like?"), memory_id).lanes


# -- superseded knowledge ------------------------------------------------------------------------------------------------


async def repainted(engine: Engine) -> tuple[Graph, str, str]:
    graph = Graph(engine)
    red = await keep(engine, "my car is red", occurred_at=1)
    blue = await keep(engine, "I repainted it blue", occurred_at=2)
    await graph.say(red, RED, at=1)
    await graph.say(blue, BLUE, at=2)
    return graph, red, blue


async def test_what_was_superseded_ranks_below_what_superseded_it(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        graph, red, blue = await repainted(engine)
        before = await recall(engine, "car colour?")
        assert ids(before) == [red, blue]
        await graph.follow(RED, BLUE, at=[1, 2])
        result = await recall(engine, "car colour?", trace=True)
        assert ids(result) == [blue, red]
        assert result.trace is not None
        (told,) = result.trace["lanes"]["graph"]["superseded"]
        assert told["memory_ids"] == [red]
        assert told["superseded_by"] == number_id("stm", graph.statements[BLUE])


async def test_a_chain_of_superseded_statements_ranks_newest_first(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        graph, red, blue = await repainted(engine)
        green = await keep(engine, "and then green", occurred_at=3)
        await graph.say(green, GREEN, at=3)
        await graph.follow(RED, BLUE, GREEN, at=[1, 2, 3])
        assert ids(await recall(engine, "the colour of the car?")) == [green, blue, red]


async def test_a_memory_that_also_says_what_holds_is_not_put_behind(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        graph, red, blue = await repainted(engine)
        await graph.say(red, RED, BLUE, at=1)
        await graph.follow(RED, BLUE, at=[1, 2])
        assert ids(await recall(engine, "car colour?")) == [red, blue]


async def test_nothing_is_put_behind_in_a_group_the_cue_does_not_ask_for(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        graph, red, _ = await repainted(engine)
        await graph.follow(RED, BLUE, at=[1, 2])
        result = await recall(engine, "is the car insured?", trace=True)
        assert ids(result)[0] == red
        assert result.trace is not None
        assert result.trace["lanes"]["graph"]["superseded"] == []


async def test_an_explanation_says_that_a_memory_is_behind_its_successor(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        graph, red, _ = await repainted(engine)
        await graph.follow(RED, BLUE, at=[1, 2])
        result = await recall(engine, "car colour?", limit=1, explain_ids=(red,))
        assert result.trace is not None
        (told,) = result.trace["explained"]
        assert (told["outcome"], told["rank"]) == ("below_limit", 2)
        assert "superseded" in told["why"]


# -- what holds always ----------------------------------------------------------------------------------------------------


async def test_filters_datasets_forgetting_and_edits_hold_for_the_graph(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        first, second = await keep(engine, "one", session="a"), await keep(engine, "two", session="b")
        elsewhere = await keep(engine, "three", dataset="other")
        graph, other = Graph(engine), Graph(engine, "other")
        for memory_id in (first, second):
            await graph.say(memory_id, ("Grace", "likes", "tea"))
        await other.say(elsewhere, ("Grace", "likes", "tea"))
        cue = "What does Grace like?"
        assert set(await found(engine, cue)) == {first, second}
        assert await found(engine, cue, {"session": "b"}) == [second]
        assert await found(engine, cue, dataset="other") == [elsewhere]
        await engine.forget([first])
        assert await found(engine, cue) == [second]
        edited = (await engine.edit(EditRequest(memory_id=second, text="another"))).memory_id
        (hit,) = (await recall(engine, cue)).hits
        assert str(hit.memory.id) == edited
        assert "graph" not in hit.lanes


async def test_as_of_an_instant_the_graph_is_what_was_believed_then(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        graph, red, blue = await repainted(engine)
        between = engine.store.memories([1])[0].recorded_at
        await graph.follow(RED, BLUE, at=[1, 2])
        result = await recall(engine, "car colour?", as_of=between, trace=True)
        assert red in ids(result)
        assert result.trace is not None
        assert result.trace["lanes"]["graph"]["superseded"] == []
        assert blue in ids(await recall(engine, "car colour?"))


async def test_of_an_entity_with_very_many_statements_the_newest_are_read(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        graph = Graph(engine)
        memory_id = await keep(engine, "a long list")
        await graph.say(memory_id, *((("Grace", "likes", f"thing {n}")) for n in range(300)))
        result = await recall(engine, "What does Grace like?", trace=True)
        assert result.trace is not None
        assert len(result.trace["lanes"]["graph"]["statements"]) == STATEMENTS
        assert hit_of(result, memory_id).lanes["graph"].rank == 1


async def test_a_dataset_without_a_graph_has_an_empty_lane(engine: Engine) -> None:
    await keep(engine, "Grace lives in Oslo")
    result = await recall(engine, "Where does Grace live?", trace=True)
    assert result.trace is not None
    assert result.trace["lanes"]["graph"] == {"candidates": [], "entities": [], "statements": [], "superseded": []}
