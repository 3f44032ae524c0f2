"""What becomes of a memory's text: read with what surrounds it, reconciled with what is known, once however often."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from mindlog.clock import from_iso
from mindlog.ids import MemoryId, run_id
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extract.spacy_model import missing
from mindlog.knowledge.extraction import Extraction
from mindlog.models.cached_embedder import CachedEmbedder
from mindlog.models.load import load_default
from mindlog.pipeline import UNOBSERVED
from mindlog.recall.job import RecallTools
from mindlog.recall.recall import recall
from mindlog.records import RecallRequest
from mindlog.testing.conformance.bench import Bench
from mindlog.testing.conformance.papers import Papers
from tests.derive.made import DAY, World, world
from tests.engine.made import needs_model

T = 1_700_000_000_000_000
MINUTE = 60_000_000


def evidence_of(here: World, memory: MemoryId) -> list[tuple[str, str]]:
    """What the memory says of statements: the sentence and the words it rests on."""
    found = here.store.memory(memory.slot)
    assert found is not None
    return [
        (row.text, found.text[each.start : each.end])
        for row in here.statements(slot=memory.slot)
        for each in row.evidence
        if each.slot == memory.slot
    ]


async def test_a_text_becomes_statements_with_the_words_they_rest_on(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("I live in Lisbon and my sister Anna works at Acme Corp.", agent="Ines")
        await here.derive()
        assert here.run(memory).state == "succeeded"
        said = dict(evidence_of(here, memory))
        assert said["Ines lives in Lisbon"] == "I live in Lisbon"
        assert {"Ines", "Anna", "Lisbon"} <= set(here.names())
        output = here.output(memory, "extractor")
        assert output["tiers"] == {
            "pattern": "ran",
            "classifier": "skipped: switched off",
            "llm": "skipped: no model configured",
        }
        assert output["claims"] >= 3
        assert output["reconcile"]


@pytest.mark.skipif(missing() is not None, reason="the extra nlp is not installed")
async def test_the_classifier_reads_too_where_it_is_installed(tmp_path: Path) -> None:
    async with world(tmp_path, classifier=True) as here:
        memory = await here.keep("The committee in Lisbon hired Beatriz Gomes, a carpenter from Faro.", agent="Ines")
        await here.derive()
        tiers = here.output(memory, "extractor")["tiers"]
        assert tiers == {"pattern": "ran", "classifier": "ran", "llm": "skipped: no model configured"}
        assert {"Beatriz Gomes", "Faro"} <= set(here.names())
        assert {each.tier for row in here.statements() for each in row.evidence} >= {"classifier"}


async def test_a_text_that_says_nothing_is_settled_without_waiting_for_the_dataset(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("well, and so it goes")
        async with here.tools.locks.hold(here.number()):
            await here.derive()
        assert here.run(memory).state == "succeeded"
        assert here.output(memory, "extractor")["mentions"] == 0


async def test_deriving_again_changes_nothing(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        first = await here.keep("I live in Lisbon.", agent="Ines", occurred_at=T)
        second = await here.keep("I live in Porto. My sister Anna lives in Berlin.", agent="Ines", occurred_at=T + DAY)
        await here.derive()
        before = [(row.id, row.text, row.validities, row.evidence) for row in here.statements()]
        entities = [(row.id, row.name, row.mentions, row.statements) for row in here.entities()]
        assert before
        for memory in (second, first, second):
            await here.again(memory, ["extractor", "hype"])
        assert [(row.id, row.text, row.validities, row.evidence) for row in here.statements()] == before
        assert [(row.id, row.name, row.mentions, row.statements) for row in here.entities()] == entities


class Blind:
    """A reader that finds nothing any more."""

    skipped: ClassVar[dict[object, str]] = {}

    def read(self, source: Source) -> Extraction:
        return Extraction()


async def test_what_is_no_longer_found_is_taken_back(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("I live in Lisbon.", agent="Ines")
        await here.derive()
        assert here.sentences() == ["Ines lives in Lisbon"]

        here.tools.reader._reader = Blind()  # type: ignore[assignment]
        await here.again(memory, ["extractor"])
        assert here.sentences() == []
        assert here.names() == []


# -- one name, one entity ----------------------------------------------------------------------------------------------
async def test_four_memories_of_one_acronym_are_of_one_entity(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        for n in range(4):
            await here.keep(f"DGIA met team {n}")
        await here.derive(at_once=4)
        assert here.names().count("DGIA") == 1
        assert next(row.mentions for row in here.entities() if row.name == "DGIA") == 4


@pytest.mark.parametrize("at_once", [1, 20])
async def test_twenty_memories_derived_beside_each_other_name_one_zed_and_one_yan(tmp_path: Path, at_once: int) -> None:
    async with world(tmp_path) as here:
        for n in range(20):
            await here.keep(f"Zed met Yan {n}")
        await here.derive(at_once)
        assert [name for name in here.names() if name.startswith(("Zed", "Yan"))] == ["Yan", "Zed"]
        assert {row.mentions for row in here.entities()} == {20}
        assert not len(here.tools.locks)


async def test_a_name_the_dataset_knows_is_one_wherever_it_stands(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.keep("My friend Beatriz Gomes lives in Faro.", agent="Ines")
        await here.derive()
        memory = await here.keep("beatriz gomes was there", agent="Tomasz")
        await here.derive()
        assert here.output(memory, "extractor")["known_names"] == 2
        assert len(here.store.mentions([memory.slot])[memory.slot]) == 1


async def test_a_word_that_somebody_has_for_a_name_stays_a_word_where_it_is_written_small(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.keep("My brother Will lives in Faro.", agent="Ines")
        await here.derive()
        memory = await here.keep("they will see about it", agent="Tomasz")
        await here.derive()
        assert here.output(memory, "extractor")["known_names"] == 0


# -- what was said before ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("at_once", [1, 2])
@pytest.mark.parametrize("session", ["s", None])
async def test_she_is_whom_the_memory_before_named_whichever_is_derived_first(
    tmp_path: Path, at_once: int, session: str | None
) -> None:
    async with world(tmp_path) as here:
        await here.keep("My sister Anna visited me today.", agent="Ines", session=session, occurred_at=T)
        await here.keep("She lives in Berlin.", agent="Ines", session=session, occurred_at=T + MINUTE)
        await here.derive(at_once)
        assert "Anna lives in Berlin" in here.sentences()


async def test_she_is_nobody_of_another_session_or_writer(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.keep("My sister Anna visited me today.", agent="Ines", session="s", occurred_at=T)
        await here.keep("She lives in Berlin.", agent="Ines", session="t", occurred_at=T + MINUTE)
        await here.keep("My sister Clara visited me today.", agent="Ines", occurred_at=T)
        await here.keep("She lives in Vienna.", agent="Tomasz", occurred_at=T + MINUTE)
        await here.derive()
        assert not [text for text in here.sentences() if "lives in" in text]


# -- what is only repeated ---------------------------------------------------------------------------------------------
FACTS = [
    "I moved to Porto with my brother Rui in March 2024.",
    "My sister Anna works at the Coastal Heritage Fund.",
    "I live in a small house near the harbour of Porto.",
]


async def recalled(here: World, cue: str, n: int) -> str:
    """One of the first that recall finds."""
    dataset = here.store.dataset("default")
    assert dataset is not None
    tools = RecallTools(store=here.store, indexes=here.indexes, embedder=here.tools.embedder)
    found = await recall(RecallRequest(cue=cue, limit=3), dataset, tools, UNOBSERVED)
    return found.hits[n % len(found.hits)].memory.text


@needs_model
@pytest.mark.parametrize("agent", ["Ines", "assistant"])
@pytest.mark.parametrize("frame", ["Context: {}", "Note {n} of what was recalled. {}", "{}"])
async def test_recalled_text_written_again_twenty_times_makes_no_new_statement(
    tmp_path: Path, agent: str, frame: str
) -> None:
    embedder = load_default()
    async with world(tmp_path, embedder) as here:
        for fact in FACTS:
            await here.keep(fact, agent="Ines", session="s")
        await here.derive()
        known = [(row.id, row.text, row.validities) for row in here.statements()]
        names = here.names()
        assert len(known) >= 4
        for n in range(20):
            found = await recalled(here, "Where does Ines live?", n)
            await here.keep(frame.format(found, n=n), agent=agent, session=f"loop {n}")
            await here.derive()
        assert [(row.id, row.text, row.validities) for row in here.statements()] == known
        assert here.names() == names
    await close(embedder)


async def close(embedder: CachedEmbedder) -> None:
    await embedder.aclose()


async def test_what_is_quoted_is_referred_to_and_what_is_new_beside_it_is_read(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        first = await here.keep(FACTS[0], agent="Ines", session="s")
        second = await here.keep(f"You said: {FACTS[0]} My friend Beatriz lives in Faro.", agent="bot", session="t")
        await here.derive()
        (edge,) = [edge for edge in here.edges(second) if edge.kind == "references"]
        assert (edge.source, edge.target, edge.made_by) == (second.slot, first.slot, "extractor")
        assert {text for text, _ in evidence_of(here, second)} >= {"Beatriz lives in Faro"}
        assert not [text for text in here.sentences() if text.startswith("bot moved")]
        assert here.output(second, "extractor")["quoted"] == {
            "spans": [[10, 10 + len(FACTS[0])]],
            "memories": [str(first)],
        }


async def test_somebody_who_says_the_same_is_evidence_and_no_quotation(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.keep("My sister Anna lives in Berlin.", agent="Ines", session="s")
        again = await here.keep("My sister Anna lives in Berlin.", agent="Ines", session="t")
        await here.derive()
        (row,) = [row for row in here.statements() if row.text == "Anna lives in Berlin"]
        assert row.evidence_count == 2
        assert not [edge for edge in here.edges(again) if edge.kind == "references"]


@pytest.mark.parametrize("source", ["recall", "mindlog"])
async def test_a_text_that_says_it_was_recalled_is_not_read(tmp_path: Path, source: str) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("I live in Lisbon.", agent="Ines", metadata={"source": source})
        other = await here.keep("I live in Porto.", agent="Ines", metadata={"source": ["recall"]})
        await here.derive()
        assert here.output(memory, "extractor") == {"skipped": "recalled text"}
        assert here.output(memory, "hype") == {"questions": 0, "source": "template", "reason": "recalled text"}
        assert evidence_of(here, memory) == []
        assert evidence_of(here, other)


# -- dates -------------------------------------------------------------------------------------------------------------
async def test_a_text_that_a_remember_has_stored_is_not_read_again(tmp_path: Path) -> None:
    """One that it has kept and not stored is read as any memory; an edit of a stored one is a text of its own."""
    async with world(tmp_path) as here:
        papers = Papers(Bench(here.store))
        run = await papers.begun()
        stored, left = [
            (await papers.keep(run, position, text)).memory_id
            for position, text in enumerate(("Ines lives in Lisbon.", "Anna lives in Porto."))
        ]
        assert await here.derive() == []
        await papers.store(run, 0)
        await papers.end(run)
        assert [each.slot for each in await here.derive()] == [stored.slot, left.slot]
        assert here.run(stored).state == here.run(left).state == "succeeded"
        assert here.output(stored, "extractor") == {"skipped": f"read by {run_id(run, 'remember')}"}
        assert here.sentences() == ["Anna lives in Porto"]
        memory = papers.bench.get(stored.slot)
        await here.store.edit(papers.bench.edit(memory, "Ines lives in Faro."))
        await here.derive()
        assert here.sentences() == ["Anna lives in Porto", "Ines lives in Faro"]


@pytest.mark.parametrize(
    ("timezone", "start"),
    [(None, "2024-02-29T00:00:00Z"), ("America/New_York", "2024-02-29T05:00:00Z")],
)
async def test_yesterday_is_the_day_before_the_memory_in_its_datasets_zone(
    tmp_path: Path, timezone: str | None, start: str
) -> None:
    async with world(tmp_path) as here:
        await here.store.put_dataset("default", timezone)
        at = "2024-03-01T10:00:00Z"
        sensor = await here.keep("yesterday the sensor failed", occurred_at=at)
        visit = await here.keep("Yesterday I visited Lisbon.", agent="Ines", occurred_at=at)
        await here.derive()
        day = from_iso(start, field="start")
        (date,) = dates_of(here, sensor)
        assert date == {"phrase": "yesterday", "start": start, "end": "2024-03-01" + start[10:]}
        (row,) = here.statements(slot=visit.slot)
        (evidence,) = row.evidence
        assert (evidence.valid_from, (evidence.time_phrase or "").lower()) == (day, "yesterday")


def dates_of(here: World, memory: MemoryId) -> Sequence[object]:
    dates = here.output(memory, "extractor")["dates"]
    assert isinstance(dates, list)
    return dates
