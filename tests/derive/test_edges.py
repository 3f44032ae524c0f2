"""The links that derivation makes: to the nearest in meaning, and from the one before in the session."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from mindlog.encode.edit import next_revision
from mindlog.encode.validate import Limits
from mindlog.ids import MemoryId
from mindlog.records import EditRequest
from mindlog.testing.fakes import HashEmbedder
from tests.derive.made import World, world
from tests.engine.made import Chosen

MINUTE = 60_000_000
T = 1_700_000_000_000_000


def at_angle(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0, 0, 0, 0, 0, 0]


def chosen(**angles: float) -> Chosen:
    """Vectors in a plane, by a word of the text: cosines are those of the angles between."""
    return Chosen({name: at_angle(angle) for name, angle in angles.items()})


def similar(here: World, *memories: MemoryId) -> set[tuple[int, int, float]]:
    return {(e.source, e.target, round(e.weight, 3)) for e in here.edges(*memories) if e.kind == "similar_to"}


def followed(here: World, *memories: MemoryId) -> set[tuple[int, int, float]]:
    return {(e.source, e.target, round(e.weight, 3)) for e in here.edges(*memories) if e.kind == "followed_by"}


async def edit(here: World, memory: MemoryId, text: str) -> MemoryId:
    current = here.store.memory(memory.slot)
    assert current is not None
    limits = Limits(text_bytes=10_000, metadata_bytes=1000)
    request = EditRequest(memory_id=str(memory), text=text)
    return (
        await here.store.edit(
            await next_revision(request, current, embedder=here.tools.embedder, limits=limits, timezone=None)
        )
    ).id


async def test_memories_that_are_near_are_linked_from_the_newer_one_with_the_cosine_as_weight(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(oak=0, elm=20, tin=90)) as here:
        oak, elm, tin = [await here.keep(f"the {name}") for name in ("oak", "elm", "tin")]
        await here.derive()
        assert similar(here, oak, elm, tin) == {(elm.slot, oak.slot, round(math.cos(math.radians(20)), 3))}
        assert here.output(elm, "auto_edge") == {"looked_at": 1, "edges": 1, "nearest": 0.94}
        assert here.output(tin, "auto_edge") == {"looked_at": 2, "edges": 0, "nearest": 0.342}


@pytest.mark.parametrize("at_once", [1, 5])
async def test_a_pair_is_linked_once_however_many_are_derived_beside_each_other(tmp_path: Path, at_once: int) -> None:
    async with world(tmp_path, chosen(oak=0)) as here:
        same = [await here.keep(f"oak {n}") for n in range(5)]
        await here.derive(at_once)
        pairs = [(source, target) for source, target, _ in similar(here, *same)]
        assert len(pairs) == 10
        assert all(source > target for source, target in pairs)


async def test_only_the_nearest_few_are_linked(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(ash=0, bay=4, cob=8, fir=12), auto_edge_k=2) as here:
        bay, cob, fir = [await here.keep(f"the {name}") for name in ("bay", "cob", "fir")]
        ash = await here.keep("the ash")
        await here.derive()
        assert {target for source, target, _ in similar(here, ash) if source == ash.slot} == {bay.slot, cob.slot}
        assert (fir.slot, cob.slot) in {(source, target) for source, target, _ in similar(here, fir)}


async def test_the_links_of_one_memory_are_bounded(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(oak=0), auto_edge_k=9, auto_edge_max=3) as here:
        same = [await here.keep(f"oak {n}") for n in range(8)]
        await here.derive()
        assert len([1 for source, _, _ in similar(here, same[-1]) if source == same[-1].slot]) == 3


async def test_another_dataset_and_what_is_forgotten_are_not_linked(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(oak=0)) as here:
        await here.keep("oak elsewhere", dataset="other")
        gone = await here.keep("oak before")
        await here.store.forget(here.number(), [gone.slot])
        here_now = await here.keep("oak now")
        await here.derive()
        assert not here.edges(here_now)
        assert here.output(here_now, "auto_edge")["looked_at"] == 0


async def test_a_stage_that_runs_again_leaves_the_same_links(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(oak=0, elm=10)) as here:
        first = await here.keep("oak", session="s", occurred_at=T)
        second = await here.keep("elm", session="s", occurred_at=T + MINUTE)
        third = await here.keep("oak again", session="s", occurred_at=T + 2 * MINUTE)
        await here.derive()
        before = [(e.source, e.kind, e.target, e.weight) for e in here.edges(first, second, third)]
        assert len(before) == 5
        for memory in (first, second, third):
            await here.again(memory, ["auto_edge", "temporal_edge"])
        assert [(e.source, e.kind, e.target, e.weight) for e in here.edges(first, second, third)] == before


async def test_the_best_window_of_a_long_text_counts(tmp_path: Path) -> None:
    async with world(tmp_path, HashEmbedder(window_words=8)) as here:
        short = await here.keep("grey herring gulls circle above Skerry Point lighthouse")
        long = await here.keep(
            "minutes of the meeting were read and approved "
            "grey herring gulls circle above Skerry Point lighthouse "
            "any other business there was none at all"
        )
        await here.derive()
        assert similar(here, long) == {(long.slot, short.slot, 1.0)}


async def test_an_edited_memory_is_linked_anew_and_no_pair_twice(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(oak=0, elm=10, tin=90)) as here:
        first, second = await here.keep("oak one"), await here.keep("oak two")
        await here.derive()
        assert similar(here, first) == {(second.slot, first.slot, 1.0)}
        first = await edit(here, first, "elm")
        await here.derive()
        # The pair is the later revision's, with the cosine of today.
        assert similar(here, first) == {(first.slot, second.slot, round(math.cos(math.radians(10)), 3))}
        first = await edit(here, first, "tin")
        await here.derive()
        assert not similar(here, first)


async def test_the_one_before_in_the_session_is_followed_by_this_one_the_weaker_the_longer_ago(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(oak=0, elm=50)) as here:
        first = await here.keep("oak", session="s", occurred_at=T)
        second = await here.keep("elm", session="s", occurred_at=T + 6 * MINUTE)
        third = await here.keep("oak again", session="s", occurred_at=T + 6 * MINUTE)
        await here.derive()
        assert followed(here, first, second, third) == {
            (first.slot, second.slot, 0.8),
            (second.slot, third.slot, 1.0),
        }
        assert here.output(second, "temporal_edge") == {"edges": 1, "gap_seconds": 360, "cosine": 0.643}


@pytest.mark.parametrize(
    ("minutes", "angle", "session", "reason"),
    [
        (31, 0, "s", "the one before is too long ago"),
        (1, 80, "s", "the one before is about something else"),
        (1, 0, "t", "nothing before it in a session"),
        (1, 0, None, "nothing before it in a session"),
    ],
)
async def test_what_is_long_ago_about_something_else_or_elsewhere_is_not_followed(
    tmp_path: Path, minutes: int, angle: float, session: str | None, reason: str
) -> None:
    async with world(tmp_path, chosen(oak=0, elm=angle)) as here:
        first = await here.keep("oak", session="s", occurred_at=T)
        second = await here.keep("elm", session=session, occurred_at=T + minutes * MINUTE)
        await here.derive()
        assert not followed(here, first, second)
        assert here.output(second, "temporal_edge")["reason"] == reason


async def test_a_memory_told_late_is_placed_by_when_it_happened(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(oak=0)) as here:
        later = await here.keep("oak later", session="s", occurred_at=T + 10 * MINUTE)
        earlier = await here.keep("oak earlier", session="s", occurred_at=T)
        await here.derive()
        assert {(s, t) for s, t, _ in followed(here, later, earlier)} == {(earlier.slot, later.slot)}


async def test_the_first_of_two_that_follow_keeps_its_link_when_the_second_is_derived_again(tmp_path: Path) -> None:
    async with world(tmp_path, chosen(oak=0)) as here:
        three = [await here.keep(f"oak {n}", session="s", occurred_at=T + n * MINUTE) for n in range(3)]
        await here.derive()
        chain = {(three[0].slot, three[1].slot), (three[1].slot, three[2].slot)}
        assert {(s, t) for s, t, _ in followed(here, *three)} == chain
        await here.again(three[1], ["temporal_edge"])
        assert {(s, t) for s, t, _ in followed(here, *three)} == chain
