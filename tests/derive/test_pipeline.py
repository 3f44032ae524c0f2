"""One attempt at one memory: what is run, what is recorded, what becomes of it when the memory or the lease goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from mindlog.derive import pipeline
from mindlog.derive.job import DeriveJob
from mindlog.derive.pipeline import DERIVE, derive
from mindlog.errors import Busy, StoreFull
from mindlog.pipeline import Stage, Timeline, names
from mindlog.runs.pace import Pace
from mindlog.runs.settlement import Settlement
from mindlog.runs.worker import Worker
from mindlog.store.stages import DERIVE_STAGES
from mindlog.testing.faults import Block, armed, raising
from tests.derive.made import OWNER, World, world
from tests.derive.test_edges import edit

LEASE = 60_000_000
STAGES = tuple(stage.name for stage in DERIVE_STAGES)
TEXT = "I live in Lisbon and my sister Anna works at Acme Corp."


async def claimed(here: World):
    (run,) = await here.store.claim_runs(OWNER, 1, LEASE)
    return run


def test_the_pipeline_is_its_stage_table() -> None:
    assert names(DERIVE) == STAGES


async def test_every_stage_is_settled_with_what_it_made(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep(TEXT, agent="Ines", session="s")
        timeline = Timeline(STAGES)
        attempt = await derive(await claimed(here), OWNER, here.tools, timeline)
        assert not attempt.failures
        assert [record.status for record in timeline.stages] == ["succeeded"] * 5
        assert [stage.status for stage in here.run(memory).stages] == ["succeeded"] * 5
        assert set(here.store.run_outputs(here.run(memory).id)) == set(STAGES)
        assert all(stage.finished_at is not None for stage in here.run(memory).stages)


async def test_one_short_memory_is_derived_without_more_traffic(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        tools, store = here.tools, here.store

        async def nothing_stale() -> int:
            return 0

        worker = Worker(
            store,
            lambda run, owner: derive(run, owner, tools),
            nothing_stale,
            Pace.of_derive(tools.settings),
            tools.clock,
            settlement=Settlement(store),
        )
        worker.start()
        try:
            memory = await here.keep("I live in Lisbon.", agent="Ines")
            assert await worker.settled(timeout=30)
            assert here.run(memory).state == "succeeded"
            assert here.sentences() == ["Ines lives in Lisbon"]
        finally:
            await worker.stop()


async def test_what_an_earlier_attempt_has_settled_is_not_run_again(tmp_path: Path) -> None:
    async with world(tmp_path, derive_backoff_seconds=0.001) as here:
        memory = await here.keep(TEXT, agent="Ines")
        with armed("before_stage:memory_text", raising(lambda: OSError("the disk is away"))):
            await here.see_through(await claimed(here))
        assert here.stage(memory, "memory_text") == "failed"
        assert here.run(memory).state == "retrying"
        ran: list[str] = []
        while here.run(memory).state == "retrying":
            for run in await here.store.claim_runs(OWNER, 1, LEASE):
                timeline = Timeline(STAGES)
                await derive(run, OWNER, here.tools, timeline)
                ran = [record.name for record in timeline.stages if record.status == "succeeded"]
                break
            if ran:
                break
        assert ran == ["memory_text"]
        assert [stage.status for stage in here.run(memory).stages] == ["succeeded"] * 5


@pytest.mark.parametrize("stage", STAGES)
async def test_a_stage_that_fails_leaves_the_others_and_lets_go_of_the_dataset(tmp_path: Path, stage: str) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep(TEXT, agent="Ines", session="s")
        with armed(f"in_stage:{stage}", raising(lambda: OSError("the disk is away"))):
            attempt = await here.see_through(await claimed(here))
        assert {name for name in STAGES if here.stage(memory, name) == "failed"} == {stage}
        assert set(attempt.failures) == {stage}
        assert not len(here.tools.locks)


async def test_what_needs_an_index_that_is_behind_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep(TEXT, agent="Ines", session="s")
        with monkeypatch.context() as patched:
            patched.setattr(here.indexes.catalog, "rows_of", lambda slots, versions: np.full(len(slots), -1, np.int64))
            attempt = await here.see_through(await claimed(here))
        assert set(attempt.failures) == {"temporal_edge", "extractor"}
        assert all(isinstance(error, Busy) for error in attempt.failures.values())
        assert here.run(memory).state == "retrying"


async def test_a_memory_forgotten_before_it_is_derived_is_gone(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep(TEXT, agent="Ines")
        run = await claimed(here)
        await here.store.forget(here.number(), [memory.slot])
        assert (await derive(run, OWNER, here.tools)).gone


async def test_an_old_revision_is_gone_and_the_new_one_is_derived(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("I live in Lisbon.", agent="Ines")
        run = await claimed(here)
        newer = await edit(here, memory, "I live in Porto.")
        assert (await derive(run, OWNER, here.tools)).gone
        await here.derive()
        assert here.run(newer).state == "succeeded"
        assert here.sentences() == ["Ines lives in Porto"]


async def meanwhile(here: World, window: str, act: Callable[[], Awaitable[object]]):
    """Derive the one memory that is due; `act` once its derivation is in the window."""
    acting: list[asyncio.Future[object]] = []

    async def acted() -> None:
        await act()

    def now() -> None:
        # In the window nothing else of the loop runs, so the act is put before the stage's commit by hand.
        acting.append(asyncio.ensure_future(acted()))

    with armed(window, now):
        attempt = await derive(await claimed(here), OWNER, here.tools)
    await asyncio.gather(*acting)
    return attempt


async def test_a_memory_forgotten_while_it_is_derived_leaves_nothing(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep(TEXT, agent="Ines")
        attempt = await meanwhile(here, "in_stage:memory_text", lambda: here.store.forget(here.number(), [memory.slot]))
        assert attempt.gone
        assert here.sentences() == []
        assert here.names() == []
        assert here.questions(memory) == []
        assert not len(here.tools.locks)


async def test_a_run_that_was_cancelled_is_lost_and_makes_nothing_more(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep(TEXT, agent="Ines")
        run = here.run(memory).id
        attempt = await meanwhile(here, "in_stage:memory_text", lambda: here.store.cancel_runs([run]))
        assert attempt.lost
        assert not attempt.failures
        assert here.sentences() == []
        assert here.run(memory).state == "cancelled"


async def test_a_stage_that_cannot_be_recorded_has_not_happened_and_lets_go_of_the_dataset(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep(TEXT, agent="Ines")
        run = await claimed(here)
        commit, failed = here.store.commit_stage, 0

        async def full(stage_commit):
            nonlocal failed
            if stage_commit.stage == "extractor":
                failed += 1
                raise StoreFull
            return await commit(stage_commit)

        here.store.commit_stage = full  # type: ignore[method-assign]
        attempt = await derive(run, OWNER, here.tools)
        assert failed == 1
        assert isinstance(attempt.failures["extractor"], StoreFull)
        assert attempt.unrecorded == 1
        assert here.sentences() == []
        assert not len(here.tools.locks)
        assert here.stage(memory, "hype") == "succeeded"


async def test_a_task_that_is_cancelled_while_it_holds_the_dataset_lets_go_of_it(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.keep(TEXT, agent="Ines")
        run, block = await claimed(here), Block()
        with ExitStack() as windows:
            # The writer is held up from the end of the extractor on, so its commit waits with the lock in hand.
            hold_up = armed("in_transaction", block)
            windows.enter_context(armed("in_stage:extractor", lambda: windows.enter_context(hold_up)))
            task = asyncio.create_task(derive(run, OWNER, here.tools))
            assert await asyncio.to_thread(block.entered.wait, 20)
            assert len(here.tools.locks) == 1
            task.cancel()
            block.release()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert not len(here.tools.locks)


async def test_tests_can_run_a_shorter_pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(tmp_path) as here:
        seen: list[int] = []

        async def look(job: DeriveJob) -> None:
            seen.append(job.slot)

        monkeypatch.setattr(pipeline, "DERIVE", (Stage("memory_text", look),))
        memory = await here.keep(TEXT)
        await derive(await claimed(here), OWNER, here.tools)
        assert seen == [memory.slot]
        assert here.stage(memory, "memory_text") == "succeeded"
