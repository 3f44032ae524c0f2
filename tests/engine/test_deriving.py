"""Derivation behind the ack: waited for, resumed, given up truthfully, and never in the way of a write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from mindlog.access import LOCAL, Caller
from mindlog.derive import pipeline as deriving
from mindlog.engine import Engine
from mindlog.errors import Closed, EmbedderFailed, Forbidden, LlmRefused, MemoryNotFound, StoreFull
from mindlog.models.embedder import EmbedKind, TextEmbedding
from mindlog.pipeline import names
from mindlog.records import EditRequest, EncodeRequest, EncodeResult, Health, Scope
from mindlog.runs.events import Lagged
from mindlog.store.stages import DERIVE_STAGES
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.faults import armed, raising
from mindlog.views import Run, RunRequest, SubscribeRequest
from tests.engine.made import BOUND, ManualClock, acked, everything, found, keep, opened

STAGES = tuple(stage.name for stage in DERIVE_STAGES)
ENDED = ("succeeded", "skipped")


async def derived(engine: Engine, text: str, **more: object) -> EncodeResult:
    return await engine.encode(EncodeRequest(text=text, wait="derived", **more))  # type: ignore[arg-type]


def statuses(result: EncodeResult) -> dict[str, str]:
    assert result.trace is not None
    return {stage["name"]: stage["status"] for stage in result.trace["stages"]}


async def runs(engine: Engine, **request: Any) -> list[Run]:
    return list((await engine.runs.list_runs(RunRequest(limit=1000, **request), caller=LOCAL)).data)


async def run_of(engine: Engine, memory_id: str) -> Run:
    (run,) = await runs(engine, memory_id=memory_id)
    return await engine.runs.run(run.run_id, caller=LOCAL)


class NoQuestions(HashEmbedder):
    """A hash embedder that fails for questions as long as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = True

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        if self.broken and any(text.endswith("?") for text in texts):
            raise EmbedderFailed("no questions today")
        return await super().embed(texts, kind)


def test_the_pipeline_is_its_stage_table() -> None:
    assert names(deriving.DERIVE) == STAGES


# -- waiting ------------------------------------------------------------------------------------------------------------
async def test_a_write_that_waits_is_told_what_every_stage_did(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        first = await derived(engine, "Anna lives in Berlin.", session="s")
        again = await derived(engine, "Anna lives in Berlin now.", session="s")
        assert again.trace is not None
        assert (again.trace["settled"], again.trace["window_seconds"]) == (True, engine.settings.drain_seconds)
        assert list(statuses(again)) == list(STAGES)
        assert set(statuses(again).values()) <= set(ENDED)
        assert again.pending_stages == ()
        for stage in again.trace["stages"]:
            if stage["status"] == "succeeded":
                assert stage["started_at"] <= stage["finished_at"]
            assert stage["error"] is None
        run = await run_of(engine, again.memory_id)
        assert run.run_id == again.trace["run_id"]
        inspection = await engine.inspect(again.memory_id)
        made = [edge for edge in inspection.edges if edge.made_by == "auto_edge"]
        assert again.auto_edges_added == len(made) == 1
        assert first.auto_edges_added == 0
        assert {entity.entity.name for entity in inspection.entities} >= {"Anna", "Berlin"}


async def test_a_write_that_does_not_wait_has_everything_pending(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        result = await engine.encode(EncodeRequest(text="tea"))
        assert (result.pending_stages, result.trace, result.auto_edges_added) == (STAGES, None, 0)


async def test_a_batch_waits_for_those_that_ask_for_it(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        asks = [EncodeRequest(text=f"note {n}", wait="derived") for n in range(20)]
        mixed = [*asks, EncodeRequest(text="quick"), EncodeRequest(text=" ")]
        *waited, quick, refused = await engine.encode_batch(mixed)
        assert {statuses(acked(each))["memory_text"] for each in waited} == {"succeeded"}
        assert {acked(each).pending_stages for each in waited} == {()}
        assert acked(quick).trace is None
        assert not isinstance(refused, EncodeResult)


async def test_a_repeated_write_tells_what_the_memorys_own_run_has_open(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        first = await derived(engine, "the same text", request_id="r")
        repeated = await engine.encode(EncodeRequest(text="the same text"))
        replayed = await engine.encode(EncodeRequest(text="the same text", request_id="r"))
        waited = await derived(engine, "the same text")
        assert (repeated.was_deduplicated, replayed.was_replayed, waited.was_deduplicated) == (True, True, True)
        assert repeated.pending_stages == replayed.pending_stages == waited.pending_stages == ()
        assert waited.trace == first.trace
    async with opened(tmp_path / "idle") as engine:
        await keep(engine, "the same text")
        repeated = await engine.encode(EncodeRequest(text="the same text"))
        assert repeated.pending_stages == STAGES


async def test_where_nobody_derives_a_write_does_not_wait_in_vain(tmp_path: Path) -> None:
    async with opened(tmp_path, drain_seconds=3600) as engine, asyncio.timeout(BOUND):
        result = await derived(engine, "tea")
        assert result.trace is not None
        assert not result.trace["settled"]
        assert set(statuses(result).values()) == {"timeout"}
        assert result.pending_stages == STAGES
        assert not await engine.settled(BOUND)


async def test_a_run_that_fails_is_no_reason_to_hide_the_ack(tmp_path: Path) -> None:
    # Without the classifier, whose model may take longer to load than is waited here.
    settings = {"classifier": False, "drain_seconds": 0.5, "derive_backoff_seconds": 600}
    async with opened(tmp_path, NoQuestions(), derive=True, **settings) as engine:
        result = await derived(engine, "Anna lives in Berlin.")
        assert result.trace is not None
        assert (result.trace["settled"], result.pending_stages) == (False, ("hype",))
        assert statuses(result) == dict.fromkeys(STAGES, "succeeded") | {"hype": "failed"}
        assert result.trace["stages"][-1]["error"] == "EmbedderFailed: no questions today"
        assert await found(engine, "Anna lives in Berlin.") == [result.memory_id]


# -- resuming and giving up ---------------------------------------------------------------------------------------------
async def test_what_was_written_before_is_derived_after_a_restart_once(tmp_path: Path) -> None:
    texts = [f"Anna lives in Berlin, part {n}." for n in range(30)]
    async with opened(tmp_path) as engine:
        for text in texts:
            await keep(engine, text, session="s")
    async with opened(tmp_path, derive=True) as engine:
        assert await engine.settled(BOUND)
        await engine.aclose()
    async with opened(tmp_path, derive=True) as engine:
        assert await engine.settled(BOUND)
        done = await runs(engine)
        assert [(run.state, run.attempts) for run in done] == [("succeeded", 1)] * 30
        slots = [memory.id.slot for memory in await everything(engine)]
        edges = [(edge.source, edge.kind, edge.target) for edge in engine.store.edges(slots)]
        assert edges
        assert len(edges) == len(set(edges))


@pytest.mark.parametrize("after", [0, 1, 7])
async def test_closing_while_deriving_breaks_nothing(tmp_path: Path, after: int) -> None:
    async with opened(tmp_path, derive=True, derive_concurrency=4) as engine:
        heard = engine.subscribe(SubscribeRequest(types=("stage_completed",)))
        ids = [await keep(engine, f"Anna met Ben in room {n}.", session="s") for n in range(25)]
        completed = 0
        while completed < after:
            delivery = await asyncio.wait_for(anext(heard), BOUND)
            assert not isinstance(delivery, Lagged)
            completed += len(delivery)
        await asyncio.wait_for(engine.aclose(), BOUND)
    async with opened(tmp_path) as engine:
        assert {run.status for run in await runs(engine)} <= {"started", "succeeded"}
        assert not await runs(engine, state="running")
        assert all(run.attempts == 0 for run in await runs(engine, status="started"))
    async with opened(tmp_path, derive=True) as engine:
        assert await engine.settled(BOUND)
        assert {run.state for run in await runs(engine)} == {"succeeded"}
        assert {run.memory_id for run in await runs(engine)} == set(ids)
        assert not engine.indexes.audit(engine.store)


async def test_a_write_that_waits_when_the_engine_closes_is_told_that_it_is_kept(tmp_path: Path) -> None:
    embedder = NoQuestions()
    async with opened(tmp_path, embedder, derive=True, derive_backoff_seconds=600) as engine:
        heard = engine.subscribe(SubscribeRequest(types=("stage_completed",)))
        writing = asyncio.create_task(derived(engine, "Anna lives in Berlin."))
        completed = 0
        while completed < len(STAGES):
            delivery = await asyncio.wait_for(anext(heard), BOUND)
            assert not isinstance(delivery, Lagged)
            completed += len(delivery)
        closing = asyncio.create_task(engine.aclose())
        result = await asyncio.wait_for(writing, BOUND)
        assert result.trace is not None
        assert not result.trace["settled"]
        await asyncio.wait_for(closing, BOUND)
    async with opened(tmp_path) as engine:
        assert (await engine.get(result.memory_id)).text == "Anna lives in Berlin."


async def test_a_stage_that_fails_five_times_is_quarantined_shown_and_can_be_started_again(tmp_path: Path) -> None:
    embedder = NoQuestions()
    async with opened(tmp_path, embedder, derive=True, derive_backoff_seconds=0.001) as engine:
        result = await derived(engine, "Anna lives in Berlin.")
        assert result.trace is not None
        assert result.trace["settled"]
        run = await run_of(engine, result.memory_id)
        assert (run.status, run.state, run.attempts, run.has_failed_stage) == ("failed", "quarantined", 5, True)
        assert run.error == "hype failed: EmbedderFailed: no questions today"
        health = await engine.health()
        assert (health.ready, health.status) == (True, "degraded")
        assert health.reasons == ("derivation: 1 quarantined",)
        assert (health.derive["quarantined"], health.derive["pending"]) == (1, 0)
        embedder.broken = False
        assert await engine.runs.retry_where(RunRequest(state="quarantined"), caller=LOCAL) == 1
        assert await engine.settled(BOUND)
        run = await run_of(engine, result.memory_id)
        assert (run.state, run.has_failed_stage, run.error) == ("succeeded", False, None)
        assert {stage.status for stage in run.stages} == {"succeeded"}
        assert (await engine.health()).status == "ok"


@pytest.mark.parametrize("stage", STAGES)
async def test_the_failure_of_any_one_stage_is_told_and_is_that_stages_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    async def fail(job: object) -> None:
        raise LlmRefused("made to fail")

    broken = tuple(replace(each, run=fail) if each.name == stage else each for each in deriving.DERIVE)  # type: ignore[type-var]
    monkeypatch.setattr(deriving, "DERIVE", broken)
    async with opened(tmp_path, derive=True) as engine:
        result = await derived(engine, "Anna lives in Berlin.")
        expected = dict.fromkeys(STAGES, "succeeded") | {stage: "failed"}
        assert statuses(result) == expected
        run = await run_of(engine, result.memory_id)
        assert (run.state, run.has_failed_stage, run.attempts) == ("failed", True, 1)
        assert run.error == f"{stage} failed: LlmRefused: made to fail"
        assert "derivation: 1 failed" in (await engine.health()).reasons
        heard = engine.subscribe(SubscribeRequest(from_lsn=1, types=("run_finished",)))
        delivery = await asyncio.wait_for(anext(heard), BOUND)
        assert not isinstance(delivery, Lagged)
        assert (delivery[0].event.data["status"], delivery[0].event.data["failed_stages"]) == ("failed", [stage])
        assert await found(engine, "Anna lives in Berlin.") == [result.memory_id]


async def test_the_run_of_an_edited_or_forgotten_memory_is_superseded_and_the_new_one_derived(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        edited, forgotten = await keep(engine, "Anna lives in Berlin."), await keep(engine, "Ben lives in Bonn.")
        new = (await engine.edit(EditRequest(memory_id=edited, text="Anna lives in Graz."))).memory_id
        await engine.forget([forgotten])
    async with opened(tmp_path, derive=True) as engine:
        assert await engine.settled(BOUND)
        states = {run.memory_id: run.state for run in await runs(engine)}
        assert states == {edited: "superseded", forgotten: "superseded", new: "succeeded"}
        await engine.restore(forgotten)
        assert await engine.settled(BOUND)
        assert {run.memory_id: run.state for run in await runs(engine)}[forgotten] == "succeeded"


# -- health -------------------------------------------------------------------------------------------------------------
async def test_a_backlog_that_grows_old_is_shown(tmp_path: Path) -> None:
    clock = ManualClock()
    async with opened(tmp_path, clock=clock) as engine:
        await keep(engine, "tea")
        health = await engine.health()
        assert (health.status, health.derive["pending"], health.derive["waiting"]) == ("ok", 1, 1)
        assert health.derive["paused"] == "this process does not derive (setting derive)"
        clock.at += 11 * 60_000_000
        health = await engine.health()
        assert (health.ready, health.status) == (True, "degraded")
        assert health.reasons == ("derivation: 1 pending, the oldest for 11 minutes",)
        assert health.derive["oldest_seconds"] == 660


async def test_a_worker_that_cannot_claim_is_shown_until_it_can_again(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        with armed("in_transaction", raising(apsw.FullError)):
            engine._background.worker.wake()  # type: ignore[union-attr]
            health = await shown(engine, lambda health: health.derive["paused"] is not None)
            assert (health.ready, health.status) == (True, "degraded")
            assert "claiming runs failed: StoreFull" in health.derive["paused"]
            assert health.reasons == (f"derivation: {health.derive['paused']}",)
        await shown(engine, lambda health: health.derive["paused"] is None)
        assert (await derived(engine, "tea")).pending_stages == ()


async def test_a_record_that_could_not_be_written_is_counted_and_shown(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True, derive_backoff_seconds=0.001) as engine:
        commit = engine.store.commit_stage
        refused: list[str] = []

        async def failing_once(stage: Any) -> Any:
            if stage.stage == "memory_text" and not refused:
                refused.append(stage.stage)
                raise StoreFull
            return await commit(stage)

        engine.store.commit_stage = failing_once  # type: ignore[method-assign]
        result = await derived(engine, "tea")
        assert (result.pending_stages, (await run_of(engine, result.memory_id)).state) == ((), "succeeded")
        health = await engine.health()
        assert health.status == "degraded"
        assert health.reasons[0].startswith("run log: 1 ends of stages or runs could not be recorded")


async def shown(engine: Engine, holds: Callable[[Health], bool]) -> Health:
    """The first health report of which it holds."""
    async with asyncio.timeout(BOUND):
        while not holds(health := await engine.health()):
            pass
    return health


async def test_without_a_model_all_is_well(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        await derived(engine, "tea")
        health = await engine.health()
        assert (health.status, health.reasons) == ("ok", ())
        assert health.llm == {
            "configured": False,
            "provider": None,
            "model": None,
            "state": "none",
            "reason": "no model configured",
        }
        assert health.derive == {
            "pending": 0,
            "waiting": 0,
            "running": 0,
            "retrying": 0,
            "quarantined": 0,
            "failed": 0,
            "oldest_seconds": None,
            "paused": None,
        }


# -- the log ------------------------------------------------------------------------------------------------------------
async def test_the_log_is_cut_down_to_its_days_and_everything_else_stays(tmp_path: Path) -> None:
    clock = ManualClock()
    async with opened(tmp_path, clock=clock, log_days=2) as engine:
        old = [await keep(engine, f"old {n}") for n in range(5)]
        clock.at += 3 * 86_400_000_000
        new = await keep(engine, "new")
        await engine._background.keep_up()
        assert engine.store.oldest_lsn == engine.store.last_lsn
        with pytest.raises(Exception, match="is gone"):
            engine.subscribe(SubscribeRequest(from_lsn=1))
    async with opened(tmp_path, clock=clock) as engine:
        assert {str(memory.id) for memory in await everything(engine)} == {*old, new}
        assert set(await found(engine, "old")) >= set(old)
        assert not engine.indexes.audit(engine.store)


# -- callers ------------------------------------------------------------------------------------------------------------
async def test_a_caller_sees_and_hears_of_its_own_datasets_alone(tmp_path: Path) -> None:
    reader = Caller(scopes=frozenset({Scope.READ}), datasets=frozenset({"mine"}))
    async with opened(tmp_path, derive=True) as engine:
        theirs = await keep(engine, "theirs")
        heard = engine.subscribe(SubscribeRequest(from_lsn=1), caller=reader)
        mine = (await derived(engine, "mine", dataset="mine")).memory_id
        assert (await engine.inspect(mine, caller=reader)).memory.text == "mine"
        with pytest.raises(MemoryNotFound):
            await engine.inspect(theirs, caller=reader)
        with pytest.raises(Forbidden):
            engine.subscribe(SubscribeRequest(dataset="default"), caller=reader)
        with pytest.raises(Forbidden):
            await engine.runs.list_runs(RunRequest(), caller=reader)
        delivery = await asyncio.wait_for(anext(heard), BOUND)
        assert not isinstance(delivery, Lagged)
        assert {each.event.dataset for each in delivery} == {"mine"}


async def test_after_close_nobody_is_heard_or_shown(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        heard = engine.subscribe(SubscribeRequest())
    with pytest.raises(StopAsyncIteration):
        await asyncio.wait_for(anext(heard), BOUND)
    with pytest.raises(Closed):
        engine.subscribe(SubscribeRequest())
    with pytest.raises(Closed):
        await engine.inspect("mem_00000000000008000000004000")
    with pytest.raises(Closed):
        await engine.settled()
