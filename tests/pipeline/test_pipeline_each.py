"""Groups of stages that run for every item: one start and one end on the record, whatever the items did."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import count

import pytest

from mindlog.pipeline import ADVISORY, Each, Policy, Stage, Steps, Stop, Timeline, names, run

BOUND = 10


@dataclass(kw_only=True)
class Document:
    chunks: list[str]
    ran: list[str] = field(default_factory=list[str])
    hangs: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(kw_only=True)
class Chunk:
    text: str
    document: Document


def chunks(document: Document) -> list[Chunk]:
    return [Chunk(text=text, document=document) for text in document.chunks]


async def read(chunk: Chunk) -> None:
    """Does what the chunk says."""
    chunk.document.ran.append(f"read {chunk.text}")
    if chunk.text == "refused":
        raise ValueError("refused")
    if chunk.text == "enough":
        raise Stop
    if chunk.text == "hang":
        chunk.document.hangs.set()
        await asyncio.Event().wait()


async def keep(chunk: Chunk) -> None:
    chunk.document.ran.append(f"keep {chunk.text}")
    if chunk.text == "full":
        raise OSError("full")


async def close(document: Document) -> None:
    document.ran.append("close")


def short(chunk: Chunk) -> bool:
    return len(chunk.text) == 1


def reading(policy: Policy = ADVISORY) -> Steps[Document]:
    return (
        Each(chunks, (Stage("read", read, policy=policy), Stage("keep", keep, also=("index",)))),
        Stage("close", close),
    )


def watcher(steps: Steps[Document]) -> Timeline:
    """A timeline whose clock moves by a second with every look, so that a time tells which event it was."""
    ticks = count()
    return Timeline(names(steps), wall=lambda: 0, monotonic=lambda: next(ticks) * 1_000_000_000)


def statuses(timeline: Timeline) -> dict[str, str]:
    return {record.name: record.status.value for record in timeline.stages}


async def watch(texts: list[str], steps: Steps[Document] | None = None) -> tuple[Document, Timeline]:
    steps = reading() if steps is None else steps
    document, timeline = Document(chunks=texts), watcher(steps)
    await run(steps, document, timeline)
    return document, timeline


async def test_each_item_goes_to_the_end_before_the_next() -> None:
    document, timeline = await watch(["a", "b"])
    assert document.ran == ["read a", "keep a", "read b", "keep b", "close"]
    assert set(statuses(timeline).values()) == {"succeeded"}


async def test_a_stage_keeps_its_first_start_and_its_last_end() -> None:
    _, timeline = await watch(["a", "b", "c"])
    seconds = {record.name: (record.started_at or 0, record.finished_at or 0) for record in timeline.stages}
    second = 1_000_000
    assert seconds == {
        "read": (1 * second, 3 * second),
        "keep": (2 * second, 4 * second),
        "index": (2 * second, 4 * second),
        "close": (5 * second, 6 * second),
    }


async def test_items_are_asked_for_when_the_run_gets_there() -> None:
    async def split(document: Document) -> None:
        document.chunks = ["a", "b"]

    document, _ = await watch([], (Stage("split", split), *reading()))
    assert document.ran == ["read a", "keep a", "read b", "keep b", "close"]


async def test_no_items_skip_the_stages_of_the_group() -> None:
    _, timeline = await watch([])
    assert statuses(timeline) == {"read": "skipped", "keep": "skipped", "index": "skipped", "close": "succeeded"}


async def test_an_advisory_failure_of_some_items_fails_the_stage_and_names_them() -> None:
    document, timeline = await watch(["a", "refused", "c", "refused"])
    assert statuses(timeline) == {"read": "failed", "keep": "succeeded", "index": "succeeded", "close": "succeeded"}
    assert timeline["read"].error == "failed for 2 of 4 items (2, 4): ValueError: refused; ValueError: refused"
    assert "keep refused" in document.ran


async def test_an_item_that_fails_first_is_not_forgotten_by_those_that_succeed_later() -> None:
    _, timeline = await watch(["refused", "b"])
    assert timeline["read"].error == "failed for 1 of 2 items (1): ValueError: refused"


async def test_very_many_failed_items_are_counted_but_only_the_first_are_named() -> None:
    _, timeline = await watch(["refused"] * 500)
    error = timeline["read"].error or ""
    assert error.startswith("failed for 500 of 500 items (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,")
    assert "20, …): ValueError: refused" in error
    assert error.count("ValueError") == 20


async def test_a_stage_skipped_for_some_items_has_the_fate_of_the_others() -> None:
    steps: Steps[Document] = (Each(chunks, (Stage("read", read, policy=ADVISORY, enabled=short),)),)
    assert statuses((await watch(["long", "b", "long"], steps))[1]) == {"read": "succeeded"}
    assert statuses((await watch(["long", "longer"], steps))[1]) == {"read": "skipped"}


async def test_a_fatal_error_ends_the_run_and_closes_what_the_group_had_begun() -> None:
    steps, document = reading(Policy.FATAL), Document(chunks=["a", "refused", "c"])
    timeline = watcher(steps)
    with pytest.raises(ValueError, match="refused"):
        await run(steps, document, timeline)
    assert document.ran == ["read a", "keep a", "read refused"]
    assert statuses(timeline) == {"read": "failed", "keep": "failed", "index": "failed", "close": "not_started"}
    assert timeline["read"].error == "failed for 1 of 3 items (2): ValueError: refused"
    assert timeline["keep"].error == "interrupted at item 2 of 3: ValueError: refused"


async def test_a_stage_that_had_all_its_items_when_a_later_one_failed_has_succeeded() -> None:
    steps, document = reading(), Document(chunks=["a", "full"])
    timeline = watcher(steps)
    with pytest.raises(OSError, match="full"):
        await run(steps, document, timeline)
    assert statuses(timeline) == {"read": "succeeded", "keep": "failed", "index": "failed", "close": "not_started"}


async def test_a_stage_of_the_group_that_never_started_stays_so_after_a_fatal_error() -> None:
    steps, document = reading(Policy.FATAL), Document(chunks=["refused", "b"])
    timeline = watcher(steps)
    with pytest.raises(ValueError, match="refused"):
        await run(steps, document, timeline)
    assert statuses(timeline)["keep"] == "not_started"


async def test_stop_in_a_group_ends_the_whole_run() -> None:
    document, timeline = await watch(["enough", "b"])
    assert document.ran == ["read enough"]
    assert statuses(timeline) == {"read": "succeeded", "keep": "skipped", "index": "skipped", "close": "skipped"}


async def test_stop_leaves_a_stage_of_the_group_as_its_items_went_so_far() -> None:
    document, timeline = await watch(["a", "refused", "enough", "d"])
    assert document.ran == ["read a", "keep a", "read refused", "keep refused", "read enough"]
    assert statuses(timeline) == {"read": "failed", "keep": "succeeded", "index": "succeeded", "close": "skipped"}
    assert timeline["read"].error == "failed for 1 of 4 items (2): ValueError: refused"


async def cancel(document: Document) -> Timeline:
    """Runs until a chunk hangs, then cancels the run."""
    steps = reading()
    timeline = watcher(steps)
    task = asyncio.create_task(run(steps, document, timeline))
    await asyncio.wait_for(document.hangs.wait(), BOUND)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return timeline


@pytest.mark.parametrize("after", [["c"], []], ids=["before the last item", "at the last item"])
async def test_a_cancellation_closes_everything_the_group_had_begun_as_cancelled(after: list[str]) -> None:
    timeline = await cancel(Document(chunks=["a", "hang", *after]))
    assert statuses(timeline) == {"read": "failed", "keep": "failed", "index": "failed", "close": "not_started"}
    assert {timeline[name].error for name in ("read", "keep", "index")} == {"cancelled"}


async def test_a_cancelled_stage_says_so_though_some_of_its_items_had_failed() -> None:
    timeline = await cancel(Document(chunks=["refused"] * 30 + ["hang"]))
    assert timeline["read"].error == "cancelled"


async def test_an_error_in_items_ends_the_run_before_the_group_starts() -> None:
    def lost(document: Document) -> list[Chunk]:
        raise LookupError("no chunks")

    steps: Steps[Document] = (Each(lost, (Stage("read", read),)), Stage("close", close))
    timeline = watcher(steps)
    with pytest.raises(LookupError):
        await run(steps, Document(chunks=["a"]), timeline)
    assert statuses(timeline) == {"read": "not_started", "close": "not_started"}


async def test_groups_nest_and_errors_name_the_items_of_both() -> None:
    steps: Steps[list[list[str]]] = (
        Each(
            lambda sections: [Document(chunks=section) for section in sections],
            (
                Each(chunks, (Stage("read", read, policy=ADVISORY),)),
                Stage("close", close),
            ),
        ),
    )
    timeline = Timeline(names(steps))
    await run(steps, [["a", "refused"], [], ["c"]], timeline)
    assert statuses(timeline) == {"read": "failed", "close": "succeeded"}
    assert timeline["read"].error == "failed for 1 of 3 items (1): failed for 1 of 2 items (2): ValueError: refused"
