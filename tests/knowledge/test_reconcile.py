"""What a text says meets what is known: added, confirmed, ended, contradicted; the same in every order and when done again."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindlog.knowledge.extraction import SPEAKER, EntityKind, Modality, ValueType
from mindlog.knowledge.groups import member, new_timeline
from mindlog.knowledge.reconcile import RECONCILE
from mindlog.knowledge.stated import sentence, value_key
from mindlog.pipeline import names, run
from mindlog.store.graphrows import GraphWrite
from tests.knowledge.graph import Graph, at, opened, said

S = SPEAKER
PLACE, FIRM = EntityKind.PLACE, EntityKind.ORGANIZATION
TOWNS = {"Bonn": PLACE, "Berlin": PLACE, "Rome": PLACE}


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncGenerator[Graph]:
    async with opened(tmp_path / "data") as graph:
        yield graph


async def lives(graph: Graph, town: str, day: str, **more: Any) -> Any:
    return await graph.say(f"I live in {town}, I said.", (S, "lives_in", town), day=day, kinds={town: PLACE}, **more)


def test_the_steps_are_the_ones_of_the_design() -> None:
    assert names(RECONCILE) == ("load_candidates", "resolve_edges", "store")


# -- what a claim becomes -----------------------------------------------------------------------------------------------
async def test_a_new_claim_is_a_statement_with_the_words_it_rests_on(graph: Graph) -> None:
    memory = await lives(graph, "Bonn", "2024-03-01")
    (row,) = graph.rows()
    assert (row.subject_name, row.predicate, row.object_name, row.text) == (
        "user",
        "lives_in",
        "Bonn",
        "user lives in Bonn",
    )
    (evidence,) = row.evidence
    assert (evidence.slot, evidence.version, evidence.start, evidence.end) == (memory.slot, 1, 0, 23)
    assert (evidence.asserted_at, evidence.tier) == (at("2024-03-01"), "pattern")
    assert graph.record == {
        "entities_new": 2,
        "entities_matched": 0,
        "entities_merged": 0,
        "statements_added": 1,
        "duplicates": 0,
        "superseded": 0,
        "contradicted": 0,
        "retracted": 0,
        "proposals": 0,
    }
    assert graph.events() == ["statement_added"]


async def test_the_same_claim_again_is_evidence_and_no_second_statement(graph: Graph) -> None:
    await lives(graph, "Bonn", "2024-03-01")
    await lives(graph, "BONN", "2024-03-02")
    (row,) = graph.rows()
    assert row.evidence_count == 2
    assert (graph.record["duplicates"], graph.record["statements_added"]) == (1, 0)
    assert graph.events() == ["statement_added"]


async def test_a_later_other_claim_ends_the_earlier_one(graph: Graph) -> None:
    await lives(graph, "Bonn", "2024-03-01")
    await lives(graph, "Berlin", "2024-06-01")
    assert graph.history() == {
        "user lives in Bonn": [("2024-03-01", "2024-06-01", "user lives in Berlin")],
        "user lives in Berlin": [("2024-06-01", None, None)],
    }
    assert graph.record["superseded"] == 1
    assert graph.events() == ["statement_added", "statement_added", "statement_superseded"]
    assert graph.believed() == {"user lives in Berlin"}
    assert graph.believed(as_of=at("2024-05-01")) == {"user lives in Bonn"}


async def test_an_older_fact_learned_later_supersedes_nothing_newer(graph: Graph) -> None:
    await lives(graph, "Berlin", "2024-06-01")
    learned = graph.clock.now()
    await lives(graph, "Bonn", "2024-03-01")
    assert graph.believed() == {"user lives in Berlin"}
    assert graph.believed(as_of=at("2024-05-01")) == {"user lives in Bonn"}
    assert graph.believed(as_of=at("2024-05-01"), known_at=learned) == set()
    assert graph.record["superseded"] == 0


async def test_an_event_implies_the_state_it_begins_and_ends_the_one_it_leaves(graph: Graph) -> None:
    await lives(graph, "Bonn", "2024-03-01")
    text = "I moved from Bonn to Berlin."
    await graph.say(text, (S, "moved_from", "Bonn"), (S, "moved_to", "Berlin"), day="2024-06-01", kinds=towns_of(text))
    assert graph.history() == {
        "user lives in Bonn": [("2024-03-01", "2024-06-01", "user lives in Berlin")],
        "user lives in Berlin": [("2024-06-01", None, None)],
        "user moved from Bonn": [("2024-06-01", None, None)],
        "user moved to Berlin": [("2024-06-01", None, None)],
    }
    implied = next(row for row in graph.rows() if row.text == "user lives in Berlin")
    assert implied.confidence == pytest.approx(0.81)
    assert implied.evidence[0].end == len(text)


def towns_of(text: str) -> dict[str, EntityKind]:
    return {town: kind for town, kind in TOWNS.items() if town in text}


async def test_what_is_fixed_and_said_differently_is_a_contradiction_and_both_are_kept(graph: Graph) -> None:
    for town, day in (("Bonn", "2024-03-01"), ("Rome", "2024-04-01")):
        await graph.say(f"I was born in {town}.", (S, "born_in", town), day=day, kinds={town: PLACE})
    assert graph.believed() == {"user was born in Bonn", "user was born in Rome"}
    assert graph.contradictions() == {frozenset(("user was born in Bonn", "user was born in Rome"))}
    assert graph.record["contradicted"] == 2


async def test_an_opinion_that_flips_and_flips_back_is_current_with_its_history(graph: Graph) -> None:
    for predicate, day in (("likes", "2024-03-01"), ("dislikes", "2024-04-01"), ("likes", "2024-05-01")):
        await graph.say("About coffee, well.", (S, predicate, "=coffee"), day=day)
    assert graph.believed() == {"user likes coffee"}
    assert graph.history()["user likes coffee"] == [
        ("2024-03-01", "2024-04-01", "user dislikes coffee"),
        ("2024-05-01", None, None),
    ]


async def test_what_is_denied_supposed_or_planned_is_counted_and_no_statement(graph: Graph) -> None:
    text = "Bonn, Berlin, Rome: what a list."
    found = said(text, *((S, "lives_in", town) for town in TOWNS), kinds=TOWNS)
    denied, possible, planned = found.claims
    found = replace(
        found,
        claims=(
            replace(denied, negated=True),
            replace(possible, modality=Modality.POSSIBLE),
            replace(planned, modality=Modality.INTENDED),
        ),
    )
    await graph.tell(text, extraction=found)
    assert graph.rows() == []
    assert (graph.record["rejected.negated"], graph.record["rejected.hypothetical"]) == (1, 2)
    assert graph.names_of() == ["Berlin", "Bonn", "Rome"]


async def test_what_turns_out_to_be_said_of_one_thing_twice_is_no_statement(graph: Graph) -> None:
    text = "Dr. Alice Chen knows Alice Chen."
    await graph.say(text, ("Dr. Alice Chen", "manages", "Alice Chen"))
    assert graph.rows() == []
    assert graph.record["rejected.self_loop"] == 1
    assert graph.names_of() == ["Alice Chen"]


async def test_the_speaker_and_their_own_name_are_one(graph: Graph) -> None:
    text = "Anna here. Anna lives in Bonn, I like tea."
    extraction = said(
        text, ("Anna", "lives_in", "Bonn"), (S, "likes", "=tea"), (S, "sister_of", "Anna"), kinds={"Bonn": PLACE}
    )
    await graph.tell(text, agent="Anna", extraction=extraction)
    assert graph.believed() == {"Anna lives in Bonn", "Anna likes tea"}
    assert graph.record["rejected.self_loop"] == 1
    assert graph.entities()["Anna"].is_speaker


async def test_a_text_that_says_nothing_changes_nothing(graph: Graph) -> None:
    await graph.tell("Hello there, how are you?", extraction=said("Hello there, how are you?"))
    assert (graph.rows(), graph.names_of()) == ([], [])


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("1,000", "1000", ValueType.NUMBER),
        ("3.50 kg", "3.5 KG", ValueType.QUANTITY),
        ("3 May", "May 3rd", ValueType.DATE),
        ("Café", "cafe", ValueType.TEXT),
    ],
)
def test_values_that_are_written_differently_are_one(one: str, other: str, kind: ValueType) -> None:
    assert value_key(one, kind) == value_key(other, kind)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("3.10", "3.1", ValueType.TEXT),
        ("1.000", "1", ValueType.NUMBER),
        ("3/5", "5/3", ValueType.DATE),
        ("чай", "май", ValueType.TEXT),
    ],
)
def test_values_that_are_different_stay_two(one: str, other: str, kind: ValueType) -> None:
    assert value_key(one, kind) != value_key(other, kind)


def test_a_statement_reads_as_a_sentence() -> None:
    assert sentence("Anna", "lives_in", "Berlin") == "Anna lives in Berlin"
    assert sentence("Anna", "sister_of", "Tom") == "Anna is sister of Tom"
    assert sentence("Anna", "favourite_colour", "red") == "Anna's favourite colour is red"
    assert sentence("Anna", "born_in", "Bonn") == "Anna was born in Bonn"
    assert sentence("Anna", "allergic_to", "nuts") == "Anna is allergic to nuts"


# -- again --------------------------------------------------------------------------------------------------------------
def shape(graph: Graph) -> dict[str, Any]:
    """Everything that is in the graph, by content."""
    rows = graph.rows(current=False)
    return {
        "history": graph.history(),
        "contradictions": graph.contradictions(),
        "evidence": {
            row.text: sorted(
                (e.asserted_at, e.start, e.end, e.confidence, e.valid_from or 0, e.valid_to or 0) for e in row.evidence
            )
            for row in rows
        },
        "names": graph.names_of(),
        "aliases": {name: sorted(row.aliases) for name, row in graph.entities().items()},
    }


async def test_reading_a_memory_again_gives_the_same_graph(graph: Graph) -> None:
    await lives(graph, "Bonn", "2024-03-01")
    text = "I moved from Bonn to Berlin."
    extraction = said(text, (S, "moved_from", "Bonn"), (S, "moved_to", "Berlin"), kinds=towns_of(text))
    memory = await graph.tell(text, "2024-06-01", extraction=extraction)
    before, lsn = shape(graph), graph.store.last_lsn
    await graph.read(memory, extraction)
    assert shape(graph) == before
    assert graph.store.last_lsn == lsn
    assert graph.record["entities_new"] == 0


async def test_what_a_second_reading_no_longer_finds_is_gone_and_what_it_ended_goes_on(graph: Graph) -> None:
    await lives(graph, "Bonn", "2024-03-01")
    text = "I live in Berlin, in Rome they said."
    memory = await graph.tell(
        text, "2024-06-01", extraction=said(text, (S, "lives_in", "Berlin"), kinds={"Berlin": PLACE})
    )
    assert graph.believed() == {"user lives in Berlin"}
    await graph.read(memory, said(text, ("Rome", "likes", "=Berlin")))
    assert graph.believed() == {"user lives in Bonn", "Rome likes Berlin"}
    assert graph.history()["user lives in Bonn"] == [("2024-03-01", None, None)]


async def test_a_crash_before_the_commit_leaves_nothing_and_the_next_attempt_does_it_all(graph: Graph) -> None:
    text = "I live in Bonn."
    memory = await graph.keep(text)
    extraction = said(text, (S, "lives_in", "Bonn"), kinds={"Bonn": PLACE})
    job = graph.job(memory, extraction)

    async def crash(write: GraphWrite) -> None:
        raise OSError("killed")

    job.deliver = crash
    with pytest.raises(OSError, match="killed"):
        await run(RECONCILE, job)
    assert graph.rows() == []
    await graph.read(memory, extraction)
    assert graph.believed() == {"user lives in Bonn"}


# -- any order ----------------------------------------------------------------------------------------------------------
DAYS = [f"2024-{month:02}-10" for month in range(1, 7)]
CLAIMS = st.tuples(
    st.sampled_from(["Anna", "Tom"]),
    st.sampled_from(
        [
            ("lives_in", "Bonn"),
            ("lives_in", "Rome"),
            ("moved_to", "Berlin"),
            ("moved_from", "Bonn"),
            ("likes", "=tea"),
            ("dislikes", "=tea"),
            ("likes", "Tea"),
            ("dislikes", "Tea"),
            ("uses", "=tea"),
            ("switched_from", "Tea"),
            ("born_in", "Rome"),
            ("born_in", "Bonn"),
            ("sister_of", "Clara"),
        ]
    ),
    st.none() | st.sampled_from(DAYS),
    st.none() | st.sampled_from(DAYS),
    st.sampled_from([0.4, 0.7, 0.9]),
)
MEMORIES = st.lists(st.tuples(st.sampled_from(DAYS), st.lists(CLAIMS, min_size=1, max_size=2)), min_size=2, max_size=5)

# who, predicate and object, from, to, confidence
Said = tuple[str, tuple[str, str], str | None, str | None, float]
Story = list[tuple[str, list[Said]]]


async def told(story: Story) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as directory:
        async with opened(Path(directory) / "data") as graph:
            for day, claims in story:
                await tell(graph, day, claims)
            check(graph)
            return shape(graph)


async def tell(graph: Graph, day: str, claims: list[Said]) -> None:
    text = f"Anna, Tom, Clara; Bonn, Rome, Berlin; tea, Tea. On {day}: {claims}"
    kinds = {**TOWNS, "Tea": EntityKind.CONCEPT}
    found = said(text, *((who, predicate, target) for who, (predicate, target), *_ in claims), kinds=kinds)
    used = {end for claim in found.claims for end in (claim.subject, claim.object)}
    found = replace(found, mentions=tuple(mention for mention in found.mentions if mention.name in used))
    dated = [
        replace(claim, valid_from=begin and at(begin), valid_to=end and at(end), confidence=confidence)
        for claim, (_, _, begin, end, confidence) in zip(found.claims, claims, strict=True)
    ]
    await graph.tell(text, day, extraction=replace(found, claims=tuple(dated)))


def check(graph: Graph) -> None:
    """What was written bit by bit is what the whole evidence says, with no loop and nothing without words."""
    rows = graph.rows(current=False)
    for subject, family in {(row.subject, row.family) for row in rows}:
        group = [member(row) for row in graph.store.group(graph.number(), subject, family)]
        fresh = new_timeline(subject, family, group)
        assert fresh.events == ()
        assert {each.statement: set(each.believed) for each in group} == {
            statement: set(intervals) for statement, intervals in fresh.intervals.items()
        }
    assert all(row.subject != row.object and row.evidence for row in rows)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MEMORIES, st.randoms(use_true_random=False))
def test_memories_in_any_order_give_the_same_graph(story: Story, chance: random.Random) -> None:
    shuffled = list(story)
    chance.shuffle(shuffled)
    assert asyncio.run(told(story)) == asyncio.run(told(shuffled))


# -- at once ------------------------------------------------------------------------------------------------------------
async def test_twenty_texts_at_once_make_one_entity_of_each_name(graph: Graph) -> None:
    async def one(number: int) -> None:
        text = f"Zed met Yan, for the {number}th time."
        await graph.tell(text, extraction=said(text, ("Zed", "met", "Yan")))

    await asyncio.gather(*(one(number) for number in range(20)))
    assert graph.names_of() == ["Yan", "Zed"]
    (row,) = graph.rows()
    assert row.evidence_count == 20
    assert len(graph.locks) == 0
