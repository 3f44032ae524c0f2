"""The desk for runs: what admins can list, look into, start again and cancel, and nobody else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mindlog.access import LOCAL, Caller
from mindlog.errors import (
    DatasetNotFound,
    Forbidden,
    InferenceNotFound,
    InvalidCursor,
    InvalidInput,
    LlmMisconfigured,
    RunNotFound,
)
from mindlog.ids import run_id
from mindlog.records import Scope
from mindlog.runs.books import DerivationBook
from mindlog.runs.desk import RunDesk
from mindlog.runs.worker import Worker
from mindlog.store.runrows import ClaimedRun, InferenceRow, RunRow
from mindlog.views import Page, Run, RunRequest
from tests.runs.made import BOUND, STAGES, Gate, House, Stages, Work, failing, house
from tests.store.made import HandClock

MINUTE = 60_000_000
MINE = Caller(scopes=frozenset(Scope), datasets=frozenset({"mine"}))


def desk_of(home: House, worker: Worker[ClaimedRun] | None = None) -> RunDesk[RunRow]:
    return RunDesk(DerivationBook(home.store), home.store, home.settlement, worker, home.clock, max_limit=1000)


async def listed(desk: RunDesk[RunRow], caller: Caller = LOCAL, **request: Any) -> list[str]:
    return [run.run_id for run in (await desk.list_runs(RunRequest(**request), caller=caller)).data]


def ids(*runs: int) -> list[str]:
    return [run_id(run) for run in runs]


def inference(number: int, *, dataset: str | None = "default", run: int | None = None, **more: Any) -> InferenceRow:
    facts: dict[str, Any] = {
        "id": f"inf_{number}",
        "run_id": None if run is None else run_id(run),
        "stage": "hype",
        "dataset": dataset,
        "provider": "p",
        "model": "m",
        "mode": "text",
        "parameters": {},
        "prompt": (("user", f"question {number}"),),
        "prompt_hash": "00",
        "output": "yes",
        "output_hash": "01",
        "input_tokens": 1,
        "output_tokens": 1,
        "cost": None,
        "started_at": number,
        "finished_at": number,
        "latency_us": 1,
        "attempt": 1,
        "error": None,
    }
    return InferenceRow(**{**facts, **more})


async def test_a_run_is_shown_with_what_its_stages_do_and_made(tmp_path: Path) -> None:
    async def noting(work: Work) -> None:
        work.output = {"found": 3}

    async with house(tmp_path) as home:
        (lsn,) = await home.keep("tea")
        async with home.working(Stages(home.store, extractor=noting)):
            await home.ended(lsn)
        desk = desk_of(home)
        run = await desk.run(run_id(lsn), caller=LOCAL)
        assert (run.run_id, run.operation, run.dataset, run.status, run.state) == (
            run_id(lsn),
            "encode",
            "default",
            "succeeded",
            "succeeded",
        )
        assert run.memory_id == str(home.store.memories([home.row(lsn).slot])[0].id)
        assert (run.attempts, run.next_attempt_at, run.has_failed_stage) == (1, None, False)
        assert [stage.name for stage in run.stages] == list(STAGES)
        assert all(stage.does.endswith(".") for stage in run.stages)
        assert {stage.name: stage.output for stage in run.stages} == dict.fromkeys(STAGES) | {"extractor": {"found": 3}}
        (listed_run,) = (await desk.list_runs(RunRequest(), caller=LOCAL)).data
        assert all(stage.output is None for stage in listed_run.stages)


async def test_runs_are_listed_newest_first_in_pages_that_hold_each_once(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        runs = await home.keep(*(f"text {n}" for n in range(23)))
        desk = desk_of(home)
        seen: list[str] = []
        cursor = None
        while True:
            page: Page[Run] = await desk.list_runs(RunRequest(limit=5, cursor=cursor), caller=LOCAL)
            seen += [run.run_id for run in page.data]
            await home.keep(f"arrives meanwhile {len(seen)}")
            if (cursor := page.next_cursor) is None:
                break
        assert seen == ids(*reversed(runs))


async def test_every_filter_narrows_as_it_says(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock, derive_backoff_seconds=600) as home:
        (good,) = await home.keep("a good cup of tea")
        async with home.working(Stages(home.store, clock)):
            await home.ended(good)
        clock.at += MINUTE
        (bad,) = await home.keep("a bad one", dataset="other")
        async with home.working(Stages(home.store, clock, hype=failing(lambda: LlmMisconfigured("key expired")))):
            await home.ended(bad)
        clock.at += MINUTE
        (later,) = await home.keep("not yet")
        desk = desk_of(home)
        memory = str(home.store.memories([home.row(bad).slot])[0].id)
        expected: list[tuple[dict[str, Any], list[int]]] = [
            ({}, [later, bad, good]),
            ({"dataset": "other"}, [bad]),
            ({"status": "failed"}, [bad]),
            ({"status": "started"}, [later]),
            ({"state": "succeeded"}, [good]),
            ({"state": "waiting"}, [later]),
            ({"stage": "hype", "stage_status": "failed"}, [bad]),
            ({"stage_status": "not_started"}, [later]),
            ({"text": "GOOD cup"}, [good]),
            ({"text": "key expired"}, [bad]),
            ({"memory_id": memory}, [bad]),
            ({"created_from": clock.at - MINUTE}, [later, bad]),
            ({"created_from": clock.at - MINUTE, "created_to": clock.at}, [bad]),
            ({"status": "failed", "dataset": "default"}, []),
        ]
        for request, runs in expected:
            assert await listed(desk, **request) == ids(*runs), request


async def test_what_is_not_known_is_refused_by_name(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await home.keep("tea")
        desk = desk_of(home)
        refused: list[tuple[dict[str, Any], str]] = [
            ({"status": "sleeping"}, "status"),
            ({"state": "sad"}, "state"),
            ({"stage": "guessing", "stage_status": "failed"}, "stage"),
            ({"stage": "hype", "stage_status": "late"}, "stage_status"),
            ({"memory_id": "mem_?"}, "memory_id"),
            ({"created_from": "yesterday"}, "created_from"),
            ({"created_to": "2025-01-01T00:00:00"}, "created_to"),
            ({"limit": 0}, "limit"),
            ({"limit": 1001}, "limit"),
        ]
        for request, field in refused:
            with pytest.raises(InvalidInput) as caught:
                await listed(desk, **request)
            assert caught.value.field == field, request
        with pytest.raises(DatasetNotFound):
            await listed(desk, dataset="nowhere")
        with pytest.raises(InvalidCursor):
            await listed(desk, cursor="?")
        first = await desk.list_runs(RunRequest(limit=1), caller=LOCAL)
        await home.keep("coffee")
        first = await desk.list_runs(RunRequest(limit=1), caller=LOCAL)
        with pytest.raises(InvalidCursor):
            await listed(desk, state="waiting", cursor=first.next_cursor)
        for call in (desk.retry, desk.cancel):
            with pytest.raises(InvalidInput):
                await call(["enc_?"], caller=LOCAL)
            with pytest.raises(RunNotFound):
                await call(ids(999), caller=LOCAL)
        with pytest.raises(InvalidInput) as caught:
            await desk.retry(ids(2), stages=["guessing"], caller=LOCAL)
        assert caught.value.field == "stages"


async def test_only_admins_get_anything_and_only_of_their_datasets(tmp_path: Path) -> None:
    writer = Caller(scopes=frozenset({Scope.READ, Scope.WRITE}))
    async with house(tmp_path) as home:
        theirs, mine, theirs_too, mine_too = [
            (await home.keep(f"text {n}", dataset=dataset))[0]
            for n, dataset in enumerate(["default", "mine", "default", "mine"])
        ]
        desk = desk_of(home)
        for call in (
            desk.list_runs(RunRequest(), caller=writer),
            desk.counts(caller=writer),
            desk.run(run_id(mine), caller=writer),
            desk.inferences(caller=writer),
            desk.inference("inf_1", caller=writer),
            desk.retry(ids(mine), caller=writer),
            desk.retry_where(RunRequest(), caller=writer),
            desk.cancel(ids(mine), caller=writer),
            desk.cancel_where(RunRequest(), caller=writer),
        ):
            with pytest.raises(Forbidden):
                await call
        assert await listed(desk, MINE) == ids(mine_too, mine)
        page = await desk.list_runs(RunRequest(limit=1), caller=MINE)
        assert [run.run_id for run in page.data] == ids(mine_too)
        assert await listed(desk, MINE, limit=1, cursor=page.next_cursor) == ids(mine)
        assert (await desk.counts(caller=MINE))["by_state"]["waiting"] == 2
        with pytest.raises(Forbidden):
            await listed(desk, MINE, dataset="default")
        with pytest.raises(RunNotFound):
            await desk.run(run_id(theirs), caller=MINE)
        with pytest.raises(RunNotFound):
            await desk.cancel(ids(mine, theirs), caller=MINE)
        assert home.row(mine).status == "started"  # all or none
        assert await desk.cancel_where(RunRequest(), caller=MINE) == 2
        assert [home.row(run).state for run in (theirs, mine, theirs_too, mine_too)] == [
            "waiting",
            "cancelled",
            "waiting",
            "cancelled",
        ]


async def test_counts_say_how_many_are_in_which_state_and_how_old_the_oldest_is(tmp_path: Path) -> None:
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        (done,) = await home.keep("tea")
        async with home.working(Stages(home.store, clock)):
            await home.ended(done)
        await home.keep("coffee", dataset="other")
        clock.at += 5 * MINUTE
        await home.keep("milk")
        counts = await desk_of(home).counts(caller=LOCAL)
        assert (counts["by_state"]["succeeded"], counts["by_state"]["waiting"]) == (1, 2)
        assert counts["by_dataset"]["other"]["waiting"] == 1
        assert counts["oldest_seconds"] == 300


async def test_a_cancelled_run_is_broken_off_and_who_waits_for_it_is_told(tmp_path: Path) -> None:
    gate = Gate()
    async with house(tmp_path, derive_concurrency=1) as home:
        running, waiting = await home.keep("one", "two")
        async with home.working(Stages(home.store, extractor=gate)) as worker:
            desk = desk_of(home, worker)
            await gate.came()
            told = asyncio.create_task(home.settlement.wait([running, waiting], BOUND))
            assert await desk.cancel(ids(running, waiting), caller=LOCAL) == 2
            assert await told == {running, waiting}
            assert await desk.cancel(ids(running, waiting), caller=LOCAL) == 0
            await home.until(lambda: not worker.running)
            assert gate.cancelled == 1
            assert {home.row(run).state for run in (running, waiting)} == {"cancelled"}
            gate.open()
            assert await desk.retry(ids(running), caller=LOCAL) == 1
            await home.ended(running)
        assert home.row(running).state == "succeeded"


async def test_runs_are_started_again_by_filter_over_all_pages(tmp_path: Path) -> None:
    broken = True

    async def hype(work: Work) -> None:
        if broken:
            raise LlmMisconfigured("key expired")

    async with house(tmp_path) as home:
        runs = await home.keep(*(f"text {n}" for n in range(620)))
        stages = Stages(home.store, hype=hype)
        async with home.working(stages) as worker:
            desk = desk_of(home, worker)
            assert await worker.settled(60)
            assert home.counts() == {"failed": 620}
            broken = False
            assert await desk.retry_where(RunRequest(text="text 11"), caller=LOCAL) == 11
            assert await worker.settled(60)
            assert home.counts() == {"failed": 609, "succeeded": 11}
            assert await desk.retry_where(RunRequest(), caller=LOCAL) == 609
            assert await worker.settled(60)
            assert home.counts() == {"succeeded": 620}
            # What succeeded is not started again unless its stages are named.
            assert await desk.retry(ids(*runs[:3]), caller=LOCAL) == 0
            assert await desk.retry(ids(*runs[:3]), stages=["hype"], caller=LOCAL) == 3
            assert await worker.settled(60)


async def test_model_calls_are_looked_up_by_run_stage_and_outcome_in_pages(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        one, other = await home.keep("one", "other", dataset="mine")
        for n in range(6):
            await home.store.add_inference(inference(n, dataset="mine", run=one if n < 4 else other))
        await home.store.add_inference(inference(6, dataset="mine", stage="extractor", error="LlmFailed: no"))
        await home.store.add_inference(inference(7, dataset="default"))
        await home.store.add_inference(inference(8, dataset=None))
        desk = desk_of(home)

        async def found(caller: Caller = LOCAL, **more: Any) -> list[str]:
            return [call.inference_id for call in (await desk.inferences(caller=caller, **more)).data]

        assert await found() == [f"inf_{n}" for n in range(8, -1, -1)]
        assert await found(run_id=run_id(one)) == ["inf_3", "inf_2", "inf_1", "inf_0"]
        assert await found(stage="extractor") == ["inf_6"]
        assert await found(failed=True) == ["inf_6"]
        assert await found(MINE) == [f"inf_{n}" for n in range(6, -1, -1)]
        page = await desk.inferences(limit=4, caller=MINE)
        assert [call.inference_id for call in page.data] == ["inf_6", "inf_5", "inf_4", "inf_3"]
        assert await found(MINE, limit=4, cursor=page.next_cursor) == ["inf_2", "inf_1", "inf_0"]
        call = await desk.inference("inf_0", caller=MINE)
        assert (call.run_id, call.prompt) == (run_id(one), ({"role": "user", "content": "question 0"},))
        for caller, wanted in ((MINE, "inf_7"), (MINE, "inf_8"), (LOCAL, "inf_x")):
            with pytest.raises(InferenceNotFound):
                await desk.inference(wanted, caller=caller)
        with pytest.raises(RunNotFound):
            await desk.inferences(run_id=run_id(999), caller=LOCAL)
        with pytest.raises(InvalidInput):
            await desk.inferences(stage="guessing", caller=LOCAL)
        with pytest.raises(InvalidCursor):
            await desk.inferences(cursor="inf_x", caller=LOCAL)
