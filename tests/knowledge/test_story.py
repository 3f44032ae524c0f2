"""Eight short memories over three months, read by the offline tiers: a move, a job change, a preference that flips, a friend."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source
from tests.knowledge.graph import Graph, at, opened

STORY = [
    ("2024-04-02", "I live in Bonn and I work at Initech."),
    ("2024-04-10", "My friend Jonas lives in Hamburg."),
    ("2024-04-15", "I love coffee."),
    ("2024-05-03", "I joined Globex on 1 May."),
    ("2024-05-20", "I hate coffee now."),
    ("2024-06-05", "I moved from Bonn to Berlin on 1 June."),
    ("2024-06-12", "Jonas visited Berlin on 8 June."),
    ("2024-06-28", "I prefer tea to coffee."),
]
HISTORY = {
    "user lives in Bonn": [("2024-04-02", "2024-06-01", "user lives in Berlin")],
    "user lives in Berlin": [("2024-06-01", None, None)],
    "user moved from Bonn": [("2024-06-01", None, None)],
    "user moved to Berlin": [("2024-06-01", None, None)],
    "user works at Initech": [("2024-04-02", "2024-05-01", "user works at Globex")],
    "user works at Globex": [("2024-05-01", None, None)],
    "user joined Globex": [("2024-05-01", None, None)],
    "Jonas is friend of user": [("2024-04-10", None, None)],
    "Jonas lives in Hamburg": [("2024-04-10", None, None)],
    "Jonas visited Berlin": [("2024-06-08", None, None)],
    "user likes coffee": [("2024-04-15", "2024-05-20", "user dislikes coffee")],
    "user dislikes coffee": [("2024-05-20", None, None)],
    "user prefers tea": [("2024-06-28", None, None)],
    "user prefers less coffee": [("2024-06-28", None, None)],
}
ALWAYS = {"Jonas is friend of user", "Jonas lives in Hamburg"}

# What the tiers read does not depend on what is known: once is enough.
READ = {text: OfflineReader(classifier=False).read(Source(text=text, occurred_at=at(day))) for day, text in STORY}


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncGenerator[Graph]:
    async with opened(tmp_path / "data") as graph:
        yield graph


async def tell(graph: Graph, story: list[tuple[str, str]]) -> None:
    for day, text in story:
        await graph.tell(text, day, extraction=READ[text])


@pytest.mark.parametrize("seed", [None, *range(11)])
async def test_the_story_is_the_same_in_whatever_order_it_is_told(graph: Graph, seed: int | None) -> None:
    story = list(STORY)
    if seed is not None:
        random.Random(seed).shuffle(story)
    await tell(graph, story)
    assert graph.history() == HISTORY
    assert graph.contradictions() == set()
    assert graph.proposals() == []
    assert graph.names_of() == ["Berlin", "Bonn", "Globex", "Hamburg", "Initech", "Jonas", "user"]


async def test_as_of_an_instant_the_story_stands_where_it_stood(graph: Graph) -> None:
    await tell(graph, STORY)
    assert graph.believed(as_of=at("2024-04-20")) == {
        *ALWAYS,
        "user lives in Bonn",
        "user works at Initech",
        "user likes coffee",
    }
    assert graph.believed(as_of=at("2024-05-10")) == {
        *ALWAYS,
        "user lives in Bonn",
        "user works at Globex",
        "user joined Globex",
        "user likes coffee",
    }
    assert graph.believed() == set(HISTORY) - {"user lives in Bonn", "user works at Initech", "user likes coffee"}


async def test_what_was_believed_before_the_move_was_known_is_the_old_home(graph: Graph) -> None:
    await tell(graph, STORY[:5])
    before = graph.clock.now()
    await tell(graph, STORY[5:])
    june = {"as_of": at("2024-06-20"), "predicate": "lives_in"}
    assert graph.believed(**june) == {"user lives in Berlin", "Jonas lives in Hamburg"}
    assert graph.believed(**june, known_at=before) == {"user lives in Bonn", "Jonas lives in Hamburg"}


async def test_bonn_until_june_and_berlin_after(graph: Graph) -> None:
    for text, day in (
        ("I have lived in Berlin since June 2024.", "2024-08-01"),
        ("I lived in Bonn until June 2024.", "2024-08-02"),
    ):
        await graph.tell(text, day)
    may = graph.believed(as_of=at("2024-05-15"))
    assert len(may) == 1
    assert may.pop().endswith("Bonn")
    assert "user lives in Berlin" in graph.believed()


async def test_every_statement_names_the_words_it_rests_on(graph: Graph) -> None:
    await tell(graph, STORY)
    for row in graph.rows(current=False):
        assert row.evidence
        for evidence in row.evidence:
            text = graph.bench.get(evidence.slot, evidence.version).text
            assert 0 <= evidence.start < evidence.end <= len(text)


async def test_forgetting_the_whole_story_leaves_nothing_to_see_and_restoring_it_brings_it_back(graph: Graph) -> None:
    memories = [await graph.tell(text, day, extraction=READ[text]) for day, text in STORY]
    for memory in memories:
        await graph.forget(memory)
    assert graph.rows(current=False) == []
    assert graph.names_of() == []
    for memory in reversed(memories):
        await graph.restore(memory)
    assert graph.history() == HISTORY


async def test_a_repainted_car_is_blue_and_was_red(graph: Graph) -> None:
    await graph.tell("My car is red.", "2024-04-01")
    await graph.tell("I repainted my car blue.", "2024-05-01")
    assert {text for text in graph.believed() if "colour" in text} == {"user's car's colour is blue"}
    assert {text for text in graph.believed(as_of=at("2024-04-15")) if "colour" in text} == {
        "user's car's colour is red"
    }
