"""The same question has the same answer: each time, after a restart, and whatever other datasets hold."""

from __future__ import annotations

import random
from pathlib import Path

from mindlog.engine import Engine
from mindlog.records import EncodeRequest, RecallResult
from tests.engine.made import Spanned, acked, hit_of, ids, keep, opened, recall

WORDS = [
    "lamp",
    "lens",
    "prism",
    "tide",
    "boat",
    "keeper",
    "letter",
    "watch",
    "fog",
    "signal",
    "tower",
    "jetty",
    "mason",
    "battery",
    "storm",
    "harbour",
    "museum",
    "light",
]
CUES = [
    "which lamp and lens",
    "the keeper's letter",
    "storm in the harbour on May 8",
    "I want the watch",
    "fog signal?",
    "水",
]


def talk(seed: int, turns: int, dataset: str) -> list[EncodeRequest]:
    dice = random.Random(seed)
    return [
        EncodeRequest(
            text=" ".join(dice.choices(WORDS, k=dice.randint(2, 14))) + dice.choice(["", ".", "?"]),
            dataset=dataset,
            session=f"s{n // 12}" if n % 17 else None,
            agent=dice.choice(["Ines", "Ruth", "user", None]),
            occurred_at=1_683_000_000_000_000 + n * 3_600_000_000,
            allow_duplicates=True,
            metadata={"n": n},
        )
        for n in range(turns)
    ]


async def fill(engine: Engine, requests: list[EncodeRequest]) -> None:
    for at in range(0, len(requests), 1000):
        for outcome in await engine.encode_batch(requests[at : at + 1000]):
            acked(outcome)


def shape(result: RecallResult) -> list[tuple[int, float, dict[str, tuple[int, float]]]]:
    """The hits by their number in the talk, with every score to the last bit."""
    return [
        (hit.memory.metadata["n"], hit.score, {name: (lane.rank, lane.score) for name, lane in hit.lanes.items()})
        for hit in result.hits
    ]


async def answers(engine: Engine, dataset: str) -> list[list[tuple[int, float, dict[str, tuple[int, float]]]]]:
    return [shape(await recall(engine, cue, dataset=dataset, limit=40)) for cue in CUES]


async def test_a_question_asked_again_has_the_same_answer(tmp_path: Path) -> None:
    async with opened(tmp_path, Spanned()) as engine:
        await fill(engine, talk(1, 300, "a"))
        first = await answers(engine, "a")
        assert await answers(engine, "a") == first
        assert all(len(answer) == 40 for answer in first)
    async with opened(tmp_path, Spanned()) as engine:
        assert [[n for n, _, _ in answer] for answer in await answers(engine, "a")] == [
            [n for n, _, _ in a] for a in first
        ]


async def test_another_dataset_changes_no_answer_and_no_score(tmp_path: Path) -> None:
    async with opened(tmp_path / "alone", Spanned()) as engine:
        await fill(engine, talk(1, 300, "a"))
        alone = await answers(engine, "a")
    async with opened(tmp_path / "busy", Spanned()) as engine:
        # The neighbour has the same sessions, speakers and words, and comes before, between and after.
        await fill(engine, talk(2, 400, "b"))
        await fill(engine, talk(1, 300, "a")[:150])
        await fill(engine, talk(3, 400, "b"))
        await fill(engine, talk(1, 300, "a")[150:])
        assert await answers(engine, "a") == alone
        await fill(engine, talk(4, 400, "b"))
        assert await answers(engine, "a") == alone


async def test_what_was_written_and_forgotten_changes_no_answer(tmp_path: Path) -> None:
    async with opened(tmp_path, Spanned()) as engine:
        await fill(engine, talk(1, 200, "a"))
        before = await answers(engine, "a")
        extra = [acked(outcome).memory_id for outcome in await engine.encode_batch(talk(9, 100, "a"))]
        assert await answers(engine, "a") != before
        await engine.forget(extra)
        assert await answers(engine, "a") == before


async def test_a_memory_stored_without_token_states_is_found_all_the_same(tmp_path: Path) -> None:
    async with opened(tmp_path, Spanned()) as engine:
        own = await keep(engine, "the lens of the lamp")
        vector = Spanned().vector("the lens of the lamp")
        given = await keep(engine, "lens and lamp", vector=vector, embedding_model=engine.embedder.fingerprint)
        result = await recall(engine, "the lens of the lamp", trace=True)
        assert set(ids(result)) == {own, given}
        assert hit_of(result, own).score > hit_of(result, given).score
        assert result.trace is not None
        tokens = {c["memory_id"]: c["measures"]["tokens"] for c in result.trace["fusion"]["candidates"]}
        assert tokens[own] > 0
        assert tokens[given] == 0


async def test_a_speaker_named_in_the_cue_lifts_what_that_speaker_said(engine: Engine) -> None:
    turns = [("Ines", "I would like a bigger boat"), ("Ruth", "I would like a bigger boat too")]
    for n, (agent, text) in enumerate(turns):
        await keep(engine, text, agent=agent, occurred_at=n)
    for agent, _ in turns:
        assert (await recall(engine, f"What boat would {agent} like?")).hits[0].memory.agent == agent


async def test_a_cue_in_the_first_person_asks_for_what_the_human_said(engine: Engine) -> None:
    await keep(engine, "a boat with a red sail is nice", agent="assistant", occurred_at=1)
    human = await keep(engine, "a boat with a blue sail is nice", agent="user", occurred_at=2)
    assert ids(await recall(engine, "which sail did I call nice?"))[0] == human


async def test_a_day_named_in_the_cue_lifts_what_happened_then(engine: Engine) -> None:
    for day in range(1, 29):
        await keep(engine, f"report number {day}", occurred_at=f"2025-05-{day:02}T12:00:00Z")
    assert (await recall(engine, "what was in the report on May 17?")).hits[0].memory.text == "report number 17"
