"""Inferences are filed under the stage that made them, from wherever in the stage, and never anywhere else."""

from __future__ import annotations

import asyncio
import threading

import pytest

from mindlog.pipeline import ADVISORY, Each, Stage, Steps, Timeline, current_stage, record_inference, run

BOUND = 10


def filed(timeline: Timeline) -> dict[str, tuple[str, ...]]:
    return {record.name: record.inference_ids for record in timeline.stages}


async def test_inferences_of_a_stage_are_filed_under_it_in_order() -> None:
    async def one(job: object) -> None:
        assert record_inference("inf_1")
        assert record_inference("inf_2")

    async def two(job: object) -> None:
        assert record_inference("inf_3")

    timeline = Timeline()
    await run((Stage("one", one, also=("half",)), Stage("two", two)), None, timeline)
    assert filed(timeline) == {"one": ("inf_1", "inf_2"), "half": (), "two": ("inf_3",)}


async def test_nested_tasks_task_groups_and_threads_file_under_their_stage() -> None:
    async def deep(name: str) -> None:
        await asyncio.create_task(deeper(name))

    async def deeper(name: str) -> None:
        await asyncio.sleep(0)
        assert current_stage() == "models"
        assert record_inference(name)

    async def models(job: object) -> None:
        await deep("task")
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(deep("group"))
            tasks.create_task(asyncio.to_thread(record_inference, "thread"))
        await asyncio.gather(deep("gathered"), asyncio.to_thread(record_inference, "gathered thread"))

    timeline = Timeline()
    await run((Stage("models", models),), None, timeline)
    assert set(timeline["models"].inference_ids) == {"task", "group", "thread", "gathered", "gathered thread"}


async def test_many_threads_of_a_stage_lose_no_inference() -> None:
    together = threading.Barrier(4)

    def infer(thread: int) -> None:
        together.wait(BOUND)
        for call in range(500):
            assert record_inference(f"inf_{thread}_{call}")

    async def models(job: object) -> None:
        async with asyncio.TaskGroup() as tasks:
            for thread in range(4):
                tasks.create_task(asyncio.to_thread(infer, thread))

    timeline = Timeline()
    await run((Stage("models", models),), None, timeline)
    ids = timeline["models"].inference_ids
    assert len(ids) == 2000
    assert set(ids) == {f"inf_{thread}_{call}" for thread in range(4) for call in range(500)}


async def test_runs_side_by_side_do_not_mix_their_inferences() -> None:
    turn = asyncio.Barrier(2)

    async def models(job: str) -> None:
        for call in range(3):
            await turn.wait()
            assert record_inference(f"{job}_{call}")

    first, second = Timeline(), Timeline()
    steps: Steps[str] = (Stage("models", models),)
    async with asyncio.timeout(BOUND):
        await asyncio.gather(run(steps, "a", first), run(steps, "b", second))
    assert first["models"].inference_ids == ("a_0", "a_1", "a_2")
    assert second["models"].inference_ids == ("b_0", "b_1", "b_2")


async def test_a_failed_stage_keeps_its_inferences() -> None:
    async def models(job: object) -> None:
        record_inference("inf_1")
        raise OSError("down")

    timeline = Timeline()
    await run((Stage("models", models, policy=ADVISORY),), None, timeline)
    assert timeline["models"].inference_ids == ("inf_1",)


async def test_inferences_of_all_items_are_filed_under_the_stage_of_the_group() -> None:
    async def read(item: int) -> None:
        record_inference(f"inf_{item}")

    steps: Steps[object] = (Each(lambda job: [[1, 2], [3]], (Each(lambda items: items, (Stage("read", read),)),)),)
    timeline = Timeline()
    await run(steps, None, timeline)
    assert timeline["read"].inference_ids == ("inf_1", "inf_2", "inf_3")


async def test_outside_of_any_stage_nothing_is_filed() -> None:
    asked: list[bool] = []

    def enabled(job: object) -> bool:
        asked.append(record_inference("inf_1"))
        return True

    async def nothing(job: object) -> None:
        assert current_stage() == "a"

    assert record_inference("inf_0") is False
    timeline = Timeline()
    await run((Stage("a", nothing, enabled=enabled),), None, timeline)
    assert asked == [False]
    assert current_stage() is None
    assert record_inference("inf_2") is False
    assert timeline["a"].inference_ids == ()


async def test_the_stage_is_left_after_an_error_too() -> None:
    async def fails(job: object) -> None:
        raise OSError("down")

    with pytest.raises(OSError, match="down"):
        await run((Stage("a", fails),), None, Timeline())
    assert current_stage() is None


async def test_a_task_that_outlives_its_stage_files_nothing_anywhere() -> None:
    let = asyncio.Event()
    left: list[asyncio.Task[bool]] = []

    async def late() -> bool:
        await let.wait()
        return record_inference("late")

    async def leaves(job: object) -> None:
        left.append(asyncio.create_task(late()))

    async def next_one(job: object) -> None:
        let.set()
        assert await left[0] is False

    timeline = Timeline()
    await run((Stage("leaves", leaves), Stage("next", next_one)), None, timeline)
    assert filed(timeline) == {"leaves": (), "next": ()}


async def test_a_thread_that_outlives_its_cancelled_stage_is_told_that_it_was_not_filed() -> None:
    entered, let, ended = threading.Event(), threading.Event(), threading.Event()
    answers: list[bool] = []

    def infer() -> None:
        answers.append(record_inference("early"))
        entered.set()
        let.wait(BOUND)
        answers.append(record_inference("late"))
        ended.set()

    async def models(job: object) -> None:
        await asyncio.to_thread(infer)

    timeline = Timeline()
    task = asyncio.create_task(run((Stage("models", models),), None, timeline))
    assert await asyncio.to_thread(entered.wait, BOUND)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    let.set()
    assert await asyncio.to_thread(ended.wait, BOUND)
    assert answers == [True, False]
    assert timeline["models"].inference_ids == ("early",)


async def test_an_unobserved_run_in_a_stage_is_part_of_that_stage() -> None:
    async def resolve(job: object) -> None:
        assert current_stage() == "search"
        assert record_inference("inner")

    inner: Steps[object] = (Stage("resolve", resolve), Each(lambda job: [1, 2], (Stage("store", resolve),)))

    async def search(job: object) -> None:
        record_inference("before")
        await run(inner, job)
        record_inference("after")

    timeline = Timeline()
    await run((Stage("search", search),), None, timeline)
    assert filed(timeline) == {"search": ("before", "inner", "inner", "inner", "after")}


async def test_an_observed_run_in_a_stage_has_its_own_record() -> None:
    inner_timeline, timeline = Timeline(), Timeline()

    async def resolve(job: object) -> None:
        assert record_inference("inner")

    async def search(job: object) -> None:
        await run((Stage("resolve", resolve),), job, inner_timeline)
        assert record_inference("outer")

    await run((Stage("search", search),), None, timeline)
    assert filed(inner_timeline) == {"resolve": ("inner",)}
    assert filed(timeline) == {"search": ("outer",)}
