"""What goes wrong with knowledge in memory engines, tried on a whole engine: its store, its indexes, its worker."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mindlog.access import LOCAL
from mindlog.clock import from_iso
from mindlog.engine import Engine
from mindlog.errors import EntityNotFound, MemoryNotFound
from mindlog.knowledge.extract.spacy_model import missing
from mindlog.models.load import load_default
from mindlog.records import EncodeRequest
from mindlog.testing.llm_answers import say
from mindlog.views import Entity, EntityRequest, GraphRequest, RunRequest, Statement, StatementRequest
from tests.engine.made import (
    BOUND,
    ManualClock,
    everything,
    found,
    hit_of,
    keep,
    needs_model,
    opened,
    recall,
)
from tests.engine.test_deriving_with_a_model import TEXT, modelled, sentences, settled_run, stage
from tests.knowledge.test_scripts import SENTENCES

TIERS = [False, pytest.param(True, marks=pytest.mark.skipif(missing() is not None, reason="no extra nlp"))]


async def told(engine: Engine, *said: str, **more: object) -> list[str]:
    """The ids of memories that were kept one after the other, each derived before the next."""
    ids: list[str] = []
    for text in said:
        ids.append(await keep(engine, text, **more))
        assert await engine.settled(BOUND)
    return ids


async def entities(engine: Engine, **request: Any) -> list[Entity]:
    return list((await engine.knowledge.entities(EntityRequest(limit=1000, **request))).data)


async def statements(engine: Engine, **request: Any) -> list[Statement]:
    """Everything that is or was believed, unless the request asks for an instant."""
    instants = {"include_superseded": not request.get("as_of"), "limit": 1000}
    return list((await engine.knowledge.statements(StatementRequest(**instants, **request))).data)  # type: ignore[arg-type]


def words(of: Sequence[Statement]) -> set[str]:
    return {statement.text for statement in of}


# -- what is true now and what was ----------------------------------------------------------------------------------------
@needs_model
async def test_the_colour_a_car_was_painted_comes_before_the_one_it_had_which_is_history(tmp_path: Path) -> None:
    async with opened(tmp_path, load_default(), derive=True) as engine:  # type: ignore[arg-type]
        mine = {"agent": "user", "session": "s"}
        (red,) = await told(engine, "my car is red", occurred_at="2024-04-01T10:00:00Z", **mine)
        (blue,) = await told(engine, "I repainted it blue", occurred_at="2024-05-01T10:00:00Z", **mine)
        await told(engine, "the weather was fine", occurred_at="2024-05-02T10:00:00Z", **mine)
        for cue in ("car colour?", "what colour is my car?"):
            assert (await found(engine, cue))[:2] == [blue, red], cue
        colours = {each.text[-4:].strip(): each for each in await statements(engine, predicate="colour")}
        assert (colours["blue"].status, colours["red"].status) == ("current", "superseded")
        (ended,) = colours["red"].validities
        assert ended.superseded_by == colours["blue"].statement_id
        assert [evidence.memory_id for evidence in colours["red"].evidence] == [red]


async def test_bonn_until_june_and_what_was_believed_before_berlin_was_heard_of(tmp_path: Path) -> None:
    clock = ManualClock(from_iso("2024-07-01T00:00:00Z", field="now"))
    async with opened(tmp_path, clock=clock, derive=True, classifier=False) as engine:
        await told(engine, "I have lived in Bonn since March 2020.", agent="Ines")
        clock.at = from_iso("2024-08-01T00:00:00Z", field="now")
        await told(engine, "I moved to Berlin in June 2024.", agent="Ines")
        lives = {"subject": "Ines", "predicate": "lives_in"}
        assert words(await statements(engine, as_of="2024-05-15T00:00:00Z", **lives)) == {"Ines lives in Bonn"}
        july = {"as_of": "2024-07-15T00:00:00Z", **lives}
        assert words(await statements(engine, **july)) == {"Ines lives in Berlin"}
        then = {"known_at": "2024-07-20T00:00:00Z", **july}
        assert words(await statements(engine, **then)) == {"Ines lives in Bonn"}


async def test_yesterday_is_kept_as_a_leap_day_with_the_phrase_and_found_by_it(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True, classifier=False) as engine:
        (sensor,) = await told(engine, "yesterday the sensor failed", occurred_at="2024-03-01T10:00:00Z")
        (statement,) = await statements(engine)
        (evidence,) = statement.evidence
        day = [from_iso(f"2024-{at}T00:00:00Z", field="t") for at in ("02-29", "03-01")]
        assert [evidence.valid_from, evidence.valid_to] == day
        assert evidence.time_phrase == "yesterday"
        assert "time" in hit_of(await recall(engine, "what happened on 29 February 2024?"), sensor).lanes


# -- who is who -----------------------------------------------------------------------------------------------------------
async def test_an_acronym_of_four_memories_is_one_entity(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True, classifier=False) as engine:
        for n in range(4):
            await keep(engine, f"DGIA met team {n}")
        assert await engine.settled(BOUND)
        (dgia,) = await entities(engine, name="DGIA")
        assert dgia.memories == 4


async def test_twenty_writes_at_once_name_one_zed_and_one_yan(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True, derive_concurrency=20) as engine:
        await asyncio.gather(*(keep(engine, f"Zed met Yan {n}") for n in range(20)))
        assert await engine.settled(BOUND)
        assert sorted((each.name, each.memories) for each in await entities(engine)) == [("Yan", 20), ("Zed", 20)]


ALICE = ("Alice Chen works at Initech.", "Alice C. works at Initech.", "Dr. Chen (Alice) works at Initech.")


@pytest.mark.parametrize("classifier", TIERS)
async def test_three_ways_to_call_a_colleague_are_one_entity_or_proposed_and_a_merge_is_taken_back(
    tmp_path: Path, classifier: bool
) -> None:
    async with opened(tmp_path, derive=True, classifier=classifier) as engine:
        ids = await told(engine, *ALICE)
        people = await entities(engine, kind="person")
        proposals = (await engine.knowledge.proposals()).data
        assert len(people) == 1 or proposals
        for proposal in proposals:
            await engine.knowledge.decide(proposal.proposal_id, "accepted")
        assert await engine.settled(BOUND)
        (alice,) = await entities(engine, kind="person")
        assert {"Alice Chen", "Alice C", "Dr. Chen"} <= set(alice.aliases)
        assert alice.memories == 3
        # Whoever merged them, a person who decided or a shared employer that told: it is taken back one by one.
        assert alice.merged
        for merged in alice.merged:
            await engine.knowledge.unmerge(merged)
        assert await engine.settled(BOUND)
        assert len(await entities(engine, kind="person")) == 1 + len(alice.merged)
        # A name that a memory brought goes with it.
        await engine.forget([ids[1]])
        assert not [each for each in await entities(engine) if "Alice C" in each.aliases]


async def test_names_of_many_scripts_are_entities_by_patterns_alone_and_cyrillic_ones_stay_apart(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, derive=True, classifier=False) as engine:
        ids = {text: await keep(engine, text) for text, _ in SENTENCES}
        apart = await keep(engine, "Вчера Анна Петрова и Анна Петренко встретили Ивана и Ирину.")
        assert await engine.settled(BOUND)
        for text, memory_id in ids.items():
            assert (await engine.inspect(memory_id)).entities, text
        named = {mention.entity.name: mention.entity.entity_id for mention in (await engine.inspect(apart)).entities}
        assert {"Анна Петрова", "Анна Петренко", "Ивана", "Ирину"} <= set(named)
        assert len(set(named.values())) == len(named)


# -- what it rests on -----------------------------------------------------------------------------------------------------
async def test_every_statement_leads_to_memories_and_to_the_words_in_them(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        for text in (
            "I live in Lisbon and my sister Anna works at Acme Corp.",
            "Anna moved to Porto in May 2024. She likes green tea.",
            "My car is red.",
            "Вчера Анна Петрова встретила Ивана.",
            "yesterday the sensor failed 😀 and Beatriz Gomes is a carpenter from Faro.",
        ):
            await keep(engine, text, agent="Ines", session="s")
        assert await engine.settled(BOUND)
        known = await statements(engine)
        assert len(known) >= 6
        for statement in known:
            assert len(statement.evidence) == statement.evidence_count >= 1
            for evidence in statement.evidence:
                memory = await engine.get(evidence.memory_id)
                assert 0 <= evidence.start < evidence.end
                assert evidence.quote == memory.text[evidence.start : evidence.end] != ""
                inspected = (await engine.inspect(evidence.memory_id)).statements
                assert statement.statement_id in {each.statement_id for each in inspected}


async def test_what_a_model_invents_is_counted_and_neither_in_the_graph_nor_in_any_recall(tmp_path: Path) -> None:
    invented = {
        "mentions": [{"name": "Anna", "kind": "person"}, {"name": "Bertrand", "kind": "person"}],
        "claims": [
            {"subject": "Anna", "predicate": "includes", "object": "Anna", "quote": "sails like Anna"},
            {"subject": "Anna", "predicate": "knows", "object": "99", "quote": "nobody mends sails like Anna"},
            {"subject": "Bertrand", "predicate": "mends", "value": "sails", "quote": "Bertrand mends sails"},
            {"subject": "Anna", "predicate": "mends", "value": "nets", "quote": "Anna mends her nets"},
        ],
    }

    def rule(request: Any) -> object:
        wanted = (request.schema or {}).get("properties", {})
        return say(
            {"questions": []} if "questions" in wanted else invented if "claims" in wanted else {"decisions": []}
        )

    async with modelled(tmp_path, rule, classifier=False) as (engine, _):
        ack = await engine.encode(EncodeRequest(text=TEXT, agent="Ines"))
        run = await settled_run(engine, ack)
        rejected = stage(run, "extractor").output["rejected"]
        assert sum(rejected.values()) >= len(invented["claims"]), rejected
        assert await sentences(engine, ack.memory_id) == ["Ines lives in Lisbon"]
        names = {each.name for each in await entities(engine)}
        assert names <= {"Ines", "Lisbon", "Anna"}
        whole = await engine.knowledge.graph(GraphRequest(entity="Ines", depth=4))
        known = {each.entity_id for each in whole.entities}
        for relation in whole.relations:
            assert relation.object is not None
            assert relation.subject.entity_id != relation.object.entity_id
            assert {relation.subject.entity_id, relation.object.entity_id} <= known
        for cue in ("Bertrand", "nets"):
            result = await recall(engine, cue, trace=True)
            assert result.trace is not None
            lanes = result.trace["lanes"]
            assert [lanes[lane]["candidates"] for lane in ("lexical", "graph")] == [[], []], cue


# -- forgetting -----------------------------------------------------------------------------------------------------------
async def test_what_only_a_forgotten_memory_named_is_nowhere_and_what_others_name_too_is_still_there(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, derive=True, classifier=False) as engine:
        more = {"agent": "Ines", "session": "s"}
        gone, kept, both = await told(
            engine,
            "My friend Xaverine lives in Quendorf near Porto.",
            "My sister Anna lives in Porto.",
            "Anna likes green tea.",
            **more,
        )
        (named,) = await entities(engine, name="Xaverine")
        rested = (await engine.inspect(gone)).statements
        assert len(rested) >= 2
        await engine.forget([gone])
        for settled in (False, True):  # at once, and when the background has caught up
            if settled:
                assert await engine.settled(BOUND)
            await _is_nowhere(engine, gone, named.entity_id, {each.statement_id for each in rested})
            (anna,) = await entities(engine, name="Anna")
            assert anna.memories == 2
            assert "Anna lives in Porto" in words(await statements(engine))
    async with opened(tmp_path) as engine:
        await _is_nowhere(engine, gone, named.entity_id, {each.statement_id for each in rested})
        assert {str(memory.id) for memory in await everything(engine)} == {kept, both}
        assert not engine.indexes.audit(engine.store)


async def _is_nowhere(engine: Engine, memory_id: str, entity_id: str, statement_ids: set[str]) -> None:
    assert not {"Xaverine", "Quendorf"} & {name for each in await entities(engine) for name in each.aliases}
    with pytest.raises(EntityNotFound):
        await engine.knowledge.graph(GraphRequest(entity="Xaverine"))
    with pytest.raises(EntityNotFound):
        await engine.knowledge.entity(entity_id)
    assert not statement_ids & {each.statement_id for each in await statements(engine)}
    assert not [each for each in await statements(engine, as_of="2035-01-01T00:00:00Z") if "Xaverine" in each.text]
    around = await engine.knowledge.graph(GraphRequest(entity="Porto", depth=4))
    assert not {each.name for each in around.entities} & {"Xaverine", "Quendorf"}
    for cue in ("Xaverine", "Where does Xaverine live?", "My friend Xaverine lives in Quendorf near Porto."):
        result = await recall(engine, cue, limit=100, trace=True)
        assert memory_id not in {str(hit.memory.id) for hit in result.hits}
        assert result.trace is not None
        for lane in result.trace["lanes"].values():
            assert memory_id not in {each["memory_id"] for each in lane["candidates"]}
    for other in await everything(engine):
        inspected = await engine.inspect(str(other.id))
        assert memory_id not in {end for edge in inspected.edges for end in (edge.source, edge.target)}
    with pytest.raises(MemoryNotFound):
        await engine.inspect(memory_id)
    shown = (await engine.runs.list_runs(RunRequest(), caller=LOCAL)).data
    for run in shown:
        outputs = await engine.runs.run(run.run_id, caller=LOCAL)
        assert "Xaverine" not in str([each.output for each in outputs.stages])
