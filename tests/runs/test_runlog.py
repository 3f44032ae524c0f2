"""The run log: how a stage ended is committed with what it made, and the record tells nothing that is not there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import apsw
import pytest

from mindlog.errors import LlmFailed, StoreFull
from mindlog.ids import run_id
from mindlog.models.inference import InferenceLog, InferenceRecord, current_run, run_scope, text_hash
from mindlog.models.llm import Message
from mindlog.pipeline import Fanout, current_stage, run
from mindlog.records import MemoryKind
from mindlog.runs.attempt import Attempt
from mindlog.runs.inferences import StoredInferences
from mindlog.runs.runlog import RunLog
from mindlog.store.graphrows import MemoryTerms
from mindlog.store.runrows import ClaimedRun, InferenceQuery, RunEnd
from mindlog.testing.faults import armed, raising
from tests.runs.made import BOUND, OWNER, STAGES, Do, Gate, House, Work, failing, house, nothing, steps
from tests.store.made import HandClock


async def attempted(home: House, claimed: ClaimedRun, *, long: bool = False, **does: Do) -> tuple[Work, Attempt]:
    """Make one attempt at the run."""
    work = Work(claimed)
    record = RunLog(home.store, claimed, OWNER, work, home.clock, long=long)
    await run(steps(work, **does), work, record)
    return work, record.attempt


def statuses(home: House, run: int) -> dict[str, str]:
    return {stage.name: stage.status for stage in home.row(run).stages}


async def test_what_a_stage_made_is_there_with_its_status(tmp_path: Path) -> None:
    async def terms(work: Work) -> None:
        work.results = MemoryTerms(terms=("green", "tea"))
        work.output = {"terms": 2}

    async with house(tmp_path) as home:
        (lsn,) = await home.keep("green tea")
        (claimed,) = await home.claim()
        work, attempt = await attempted(home, claimed, memory_text=terms)
        assert attempt == Attempt()
        assert work.released == len(STAGES)
        assert statuses(home, lsn) == dict.fromkeys(STAGES, "succeeded")
        assert home.store.terms(claimed.slot) == ("green", "tea")
        assert home.store.run_outputs(lsn) == {"memory_text": {"terms": 2}}


async def test_a_failed_stage_is_on_record_with_its_error_and_what_it_found_all_the_same(tmp_path: Path) -> None:
    async def half(work: Work) -> None:
        work.results, work.output = MemoryTerms(terms=("tea",)), {"tier": "failed"}
        raise LlmFailed("no answer")

    async with house(tmp_path) as home:
        (lsn,) = await home.keep("tea")
        (claimed,) = await home.claim()
        _, attempt = await attempted(home, claimed, memory_text=half)
        stage = home.stage(lsn, "memory_text")
        assert (stage.status, stage.error) == ("failed", "LlmFailed: no answer")
        assert isinstance(attempt.failures["memory_text"], LlmFailed)
        assert home.store.terms(claimed.slot) == ("tea",)
        assert home.store.run_outputs(lsn)["memory_text"] == {"tier": "failed"}
        assert statuses(home, lsn) == dict.fromkeys(STAGES, "succeeded") | {"memory_text": "failed"}


async def test_a_stage_that_is_settled_is_neither_run_nor_recorded_again(tmp_path: Path) -> None:
    async with house(tmp_path, HandClock()) as home:
        (lsn,) = await home.keep("tea")
        (first,) = await home.claim()
        await attempted(home, first, hype=failing(LlmFailed))
        before = {stage.name: stage for stage in home.row(lsn).stages}
        await home.store.end_run(RunEnd(run=lsn, owner=OWNER, ended_as=None))
        assert isinstance(home.clock, HandClock)
        home.clock.at += 5
        (second,) = await home.claim()
        seen: list[str | None] = []

        async def noted(work: Work) -> None:
            seen.append(current_stage())

        await attempted(home, second, **dict.fromkeys(STAGES, noted))
        assert seen == ["hype"]
        after = {stage.name: stage for stage in home.row(lsn).stages}
        assert after["hype"].status == "succeeded"
        assert {name: after[name] for name in STAGES[:-1]} == {name: before[name] for name in STAGES[:-1]}


async def test_a_stage_this_run_does_not_use_is_skipped(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (lsn,) = await home.keep("tea")
        (claimed,) = await home.claim()
        record = RunLog(home.store, claimed, OWNER, Work(claimed), home.clock)
        await record.skip("hype")
        stage = home.stage(lsn, "hype")
        assert (stage.status, stage.started_at, stage.finished_at) == ("skipped", None, None)


async def test_a_long_stage_is_seen_while_it_runs(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path) as home:
        (lsn,) = await home.keep("tea")
        (claimed,) = await home.claim()
        running = asyncio.create_task(attempted(home, claimed, long=True, auto_edge=nothing, extractor=gate))
        await gate.came()
        assert statuses(home, lsn)["extractor"] == "started"
        assert home.stage(lsn, "extractor").started_at is not None
        gate.open()
        await asyncio.wait_for(running, BOUND)
        assert statuses(home, lsn)["extractor"] == "succeeded"


async def test_a_lost_lease_is_noted_and_nothing_more_is_written(tmp_path: Path) -> None:
    async def lose(work: Work) -> None:
        await home.store.cancel_runs([work.run.id])
        work.results = MemoryTerms(terms=("late",))

    async with house(tmp_path) as home:
        await home.keep("tea")
        (claimed,) = await home.claim()
        work, attempt = await attempted(home, claimed, memory_text=lose)
        assert (attempt.lost, attempt.is_over, attempt.failures) == (True, True, {})
        assert work.released == len(STAGES)
        assert home.row(claimed.id).state == "cancelled"
        assert home.store.terms(claimed.slot) == ()


@pytest.mark.parametrize("gone_by", ["edit", "forget"])
async def test_a_revision_that_is_gone_is_noted(tmp_path: Path, gone_by: str) -> None:
    async def go(work: Work) -> None:
        if gone_by == "forget":
            await home.store.forget(work.run.dataset, [work.run.slot])
        else:
            memory = home.store.memory(work.run.slot)
            assert memory is not None
            await home.store.edit(home.bench.edit(memory, "coffee"))

    async with house(tmp_path) as home:
        await home.keep("tea")
        (claimed,) = await home.claim()
        _, attempt = await attempted(home, claimed, temporal_edge=go)
        assert (attempt.gone, attempt.lost, attempt.failures) == (True, False, {})


async def test_a_record_that_cannot_be_written_is_the_stages_failure_and_is_counted(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (lsn,) = await home.keep("tea")
        (claimed,) = await home.claim()
        work = Work(claimed)
        record = RunLog(home.store, claimed, OWNER, work, home.clock)
        watchers = Fanout(record)
        with armed("in_transaction", raising(apsw.FullError, times=1)):
            await run(steps(work), work, watchers)
        assert isinstance(record.attempt.failures["auto_edge"], StoreFull)
        assert (record.attempt.unrecorded, watchers.failures, work.released) == (1, 1, len(STAGES))
        assert statuses(home, lsn) == dict.fromkeys(STAGES, "succeeded") | {"auto_edge": "not_started"}


async def test_a_cancelled_stage_is_closed_and_lets_go(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path) as home:
        (lsn,) = await home.keep("tea")
        (claimed,) = await home.claim()
        work = Work(claimed)
        record = RunLog(home.store, claimed, OWNER, work, home.clock, long=True)
        running = asyncio.create_task(run(steps(work, extractor=gate), work, record))
        await gate.came()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        stage = home.stage(lsn, "extractor")
        assert (stage.status, stage.error) == ("failed", "cancelled")
        assert statuses(home, lsn)["hype"] == "not_started"
        assert (work.released, record.attempt.failures) == (4, {})


async def test_a_clock_that_is_set_back_makes_no_stage_end_before_it_began(tmp_path: Path) -> None:
    clock = HandClock()

    async def turn_back(work: Work) -> None:
        clock.at -= 3_600_000_000

    async with house(tmp_path, clock) as home:
        (lsn,) = await home.keep("tea")
        (claimed,) = await home.claim()
        await attempted(home, claimed, auto_edge=turn_back)
        stage = home.stage(lsn, "auto_edge")
        assert stage.started_at is not None
        assert stage.finished_at == stage.started_at


def call(number: int) -> InferenceRecord:
    """A model call, made in whatever stage and run this code works for."""
    here = current_run()
    return InferenceRecord(
        id=f"inf_{number}",
        stage=current_stage(),
        run_id=here.run_id if here else None,
        dataset=here.dataset if here else None,
        provider="made-up",
        model="m",
        mode="text",
        parameters={"temperature": 0},
        prompt=(Message("system", "be brief"), Message("user", f"say {number}")),
        prompt_hash=text_hash(f"say {number}"),
        output="yes",
        output_hash=text_hash("yes"),
        input_tokens=3,
        output_tokens=1,
        cost=0.5,
        started_at=number,
        finished_at=number + 1,
        latency_us=1,
        attempt=1,
        error=None,
    )


async def test_calls_from_nested_tasks_and_threads_are_filed_under_their_stage_and_run(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        calls = InferenceLog(StoredInferences(home.store))
        loop = asyncio.get_running_loop()

        def in_thread(number: int) -> None:
            assert asyncio.run_coroutine_threadsafe(calls.record(call(number)), loop).result(BOUND)

        async def nested(number: int) -> None:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(calls.record(call(number)))
                tasks.create_task(calls.record(call(number + 1)))

        async def extractor(work: Work) -> None:
            await calls.record(call(1))
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(nested(2))
                tasks.create_task(asyncio.to_thread(in_thread, 4))

        async def hype(work: Work) -> None:
            await asyncio.to_thread(in_thread, 5)

        (lsn,) = await home.keep("tea", kind=MemoryKind.SEMANTIC)
        (claimed,) = await home.claim()
        with run_scope(run_id(lsn), "default"):
            await attempted(home, claimed, extractor=extractor, hype=hype)
        assert set(home.stage(lsn, "extractor").inference_ids) == {"inf_1", "inf_2", "inf_3", "inf_4"}
        assert home.stage(lsn, "hype").inference_ids == ("inf_5",)
        rows = home.store.inferences(InferenceQuery(run_id=run_id(lsn)))
        assert {row.id: row.stage for row in rows} == {
            "inf_1": "extractor",
            "inf_2": "extractor",
            "inf_3": "extractor",
            "inf_4": "extractor",
            "inf_5": "hype",
        }
        (row,) = [row for row in rows if row.id == "inf_1"]
        assert row.prompt == (("system", "be brief"), ("user", "say 1"))
        assert (row.dataset, row.parameters, row.cost) == ("default", {"temperature": 0}, 0.5)
        assert calls.failures == 0
