"""A language model behind the ack: whatever it does, writes are unaffected and the record says what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mindlog.access import LOCAL
from mindlog.engine import Engine
from mindlog.errors import ConfigError
from mindlog.records import EncodeRequest, EncodeResult
from mindlog.settings import Settings
from mindlog.store.runrows import InferenceQuery
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.llm_answers import (
    Sayable,
    hang,
    misbehave,
    rate_limited,
    say,
    server_error,
    unauthorized,
)
from mindlog.testing.llm_server import FakeLLM
from mindlog.testing.llm_wire import FakeRequest
from mindlog.views import Run, RunRequest
from tests.engine.made import BOUND, ManualClock, everything, found, keep, opened
from tests.engine.test_deriving import STAGES, derived, run_of, runs, statuses

# A thing that only a model reads out of these words, and one that the patterns read too.
TEXT = "I live in Lisbon, and nobody mends sails like Anna."
READING = {
    "mentions": [{"name": "Anna", "kind": "person"}],
    "claims": [
        {"subject": "Anna", "predicate": "mends", "value": "sails", "quote": "nobody mends sails like Anna"},
    ],
}
QUESTIONS = {"questions": ["What does Anna mend?"]}
OFFLINE = ("auto_edge", "temporal_edge", "memory_text")


def value_for(request: FakeRequest) -> dict[str, Any]:
    """A sensible answer to whatever is asked."""
    properties = (request.schema or {}).get("properties", {})
    return QUESTIONS if "questions" in properties else READING if "claims" in properties else {"decisions": []}


def always(make: Any) -> Any:
    """A rule of the fake server: what `make` makes of the sensible answer."""
    return lambda request: make(value_for(request))


@asynccontextmanager
async def modelled(path: Path, rule: Any = None, **settings: object) -> AsyncGenerator[tuple[Engine, FakeLLM]]:
    with FakeLLM(rule or always(say)) as server:
        chosen = {"derive": True, "derive_backoff_seconds": 600, "llm_timeout": 20, **settings}
        async with opened(path, **_at(server), **chosen) as engine:  # type: ignore[arg-type]
            yield engine, server


def _at(server: FakeLLM) -> dict[str, Any]:
    return {"llm": "openai", "llm_url": server.url, "llm_model": "fake-model", "llm_api_key": "sk-any"}


def stage(run: Run, name: str) -> Any:
    return next(each for each in run.stages if each.name == name)


async def sentences(engine: Engine, memory_id: str) -> list[str]:
    return [statement.text for statement in (await engine.inspect(memory_id)).statements]


async def settled_run(engine: Engine, result: EncodeResult) -> Run:
    """The memory's run once its attempt is over."""
    assert await engine.settled(BOUND)
    return await run_of(engine, result.memory_id)


# -- well ---------------------------------------------------------------------------------------------------------------
async def test_what_the_model_found_is_there_and_every_call_is_on_record_under_its_stage(tmp_path: Path) -> None:
    async with modelled(tmp_path) as (engine, server):
        result = await derived(engine, TEXT, agent="Ines")
        assert statuses(result) == dict.fromkeys(STAGES, "succeeded")
        assert any("Anna mends sails" in text for text in await sentences(engine, result.memory_id))
        run = await run_of(engine, result.memory_id)
        calls = (await engine.runs.inferences(run_id=run.run_id, caller=LOCAL)).data
        assert len(calls) == len(server.requests)
        by_stage = {name: {c.inference_id for c in calls if c.stage == name} for name in ("extractor", "hype")}
        assert by_stage["extractor"]
        assert by_stage["hype"]
        for name, ids in by_stage.items():
            assert set(stage(run, name).inference_ids) == ids
        assert {(call.run_id, call.dataset, call.error) for call in calls} == {(run.run_id, "default", None)}
        one = await engine.runs.inference(calls[0].inference_id, caller=LOCAL)
        assert one == calls[0]
        assert one.prompt is not None
        health = await engine.health()
        assert (health.status, health.llm["state"]) == ("ok", "ok")
        assert (health.llm["configured"], health.llm["provider"], health.llm["model"]) == (True, "openai", "fake-model")


@pytest.mark.parametrize("manner", ["prose+json", "<think>+json", "fenced"])
async def test_an_answer_wrapped_in_words_is_read_all_the_same(tmp_path: Path, manner: str) -> None:
    async with modelled(tmp_path, always(lambda value: misbehave(manner, value))) as (engine, _):
        result = await derived(engine, TEXT, agent="Ines")
        assert statuses(result)["extractor"] == "succeeded"
        assert any("Anna mends sails" in text for text in await sentences(engine, result.memory_id))
        assert await found(engine, "who mends sails") == [result.memory_id]


async def test_prose_alone_is_a_failure_with_what_was_said_and_never_an_empty_success(tmp_path: Path) -> None:
    async with modelled(tmp_path, always(lambda _: say("I like tea too! {what} a lovely cup"))) as (engine, _):
        result = await derived(engine, "I like tea", agent="Ines")
        assert (statuses(result)["extractor"], statuses(result)["hype"]) == ("failed", "failed")
        run = await settled_run(engine, result)
        assert (run.state, run.attempts) == ("failed", 1)
        assert "LlmBadOutput" in (stage(run, "extractor").error or "")
        assert "lovely cup" in str(stage(run, "extractor").output)
        assert await found(engine, "tea") == [result.memory_id]
        assert "derivation: 1 failed" in (await engine.health()).reasons


# -- ill ----------------------------------------------------------------------------------------------------------------
ILL: dict[str, tuple[Any, str, str]] = {
    # what the model does -> the run's state after one attempt, the error of its extractor
    "500": (lambda _: server_error(), "retrying", "LlmFailed"),
    "429": (lambda _: rate_limited(2), "retrying", "LlmFailed"),
    "reset": (lambda value: misbehave("reset", value), "retrying", "LlmFailed"),
    "refuse": (lambda value: misbehave("refuse", value), "failed", "LlmRefused"),
    "truncated": (lambda value: misbehave("truncated", value), "failed", "LlmBadOutput"),
    "wrong-schema": (lambda value: misbehave("wrong-schema", value), "failed", "LlmBadOutput"),
    "401": (lambda _: unauthorized(), "failed", "LlmMisconfigured"),
}


@pytest.mark.parametrize("manner", ILL)
async def test_whatever_the_model_does_the_write_is_kept_the_rest_derived_and_the_record_true(
    tmp_path: Path, manner: str
) -> None:
    make, state, error = ILL[manner]
    async with modelled(tmp_path, always(make)) as (engine, _):
        result = await engine.encode(EncodeRequest(text=TEXT, agent="Ines"))
        assert result.pending_stages == STAGES
        run = await settled_run(engine, result)
        assert (run.state, run.has_failed_stage) == (state, True)
        assert {stage(run, name).status for name in OFFLINE} == {"succeeded"}
        assert stage(run, "extractor").status == "failed"
        assert (stage(run, "extractor").error or "").startswith(error)
        assert "extractor failed" in (run.error or "")
        # What the offline tiers read is there, with its evidence.
        assert any("Lisbon" in text for text in await sentences(engine, result.memory_id))
        assert await found(engine, "Lisbon") == [result.memory_id]
        health = await engine.health()
        assert health.ready
        assert bool(health.reasons) is (state == "failed" or health.llm["state"] != "ok")


async def test_a_dead_model_loses_no_text_and_the_work_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with modelled(tmp_path, always(lambda _: server_error())) as (engine, _):
        result = await engine.encode(EncodeRequest(text=TEXT, agent="Ines"))
        run = await settled_run(engine, result)
        assert (run.state, run.attempts) == ("retrying", 1)
        assert run.next_attempt_at is not None
    async with modelled(tmp_path) as (engine, _):
        assert await found(engine, "nobody mends sails") == [result.memory_id]
        # Its wait is not over; an administrator does not wait.
        assert (await run_of(engine, result.memory_id)).state == "retrying"
    clock = ManualClock(at=(run.next_attempt_at or 0) + 1)
    with FakeLLM(always(say)) as server:
        async with opened(tmp_path, clock=clock, derive=True, **_at(server)) as engine:
            assert await engine.settled(BOUND)
            run = await run_of(engine, result.memory_id)
            assert (run.state, run.attempts) == ("succeeded", 2)
            assert any("Anna mends sails" in text for text in await sentences(engine, result.memory_id))


async def test_two_hundred_writes_do_not_wait_for_a_model_that_hangs(tmp_path: Path) -> None:
    async with modelled(tmp_path, always(lambda _: hang()), derive_concurrency=4) as (engine, server):
        first = await keep(engine, "the first of many")
        assert await asyncio.to_thread(server.wait_for, 1, timeout=BOUND)
        for n in range(200):
            await asyncio.wait_for(keep(engine, f"note {n}"), BOUND)
        assert server.gone == 0  # all of them were acknowledged while the model was holding its tongue
        run = await run_of(engine, first)
        assert stage(run, "extractor").status == "started"
        assert len(await runs(engine, state="running")) <= 4
        assert len(await everything(engine)) == 201


async def test_a_write_that_waits_for_a_model_that_hangs_is_told_so_when_its_window_is_over(tmp_path: Path) -> None:
    async with modelled(tmp_path, always(lambda _: hang()), drain_seconds=1.0) as (engine, server):
        result = await derived(engine, TEXT, agent="Ines")
        assert result.trace is not None
        assert (result.trace["settled"], result.trace["window_seconds"]) == (False, 1.0)
        assert {statuses(result)[name] for name in OFFLINE} == {"succeeded"}
        assert (statuses(result)["extractor"], statuses(result)["hype"]) == ("timeout", "timeout")
        assert result.pending_stages == ("extractor", "hype")
        server.rule = always(say)
        server.release()
        assert await engine.settled(BOUND)
        again = await derived(engine, TEXT, agent="Ines")
        assert again.was_deduplicated
        assert again.trace is not None
        assert again.trace["settled"]


async def test_closing_while_the_model_hangs_leaves_nothing_broken(tmp_path: Path) -> None:
    async with modelled(tmp_path, always(lambda _: hang())) as (engine, server):
        ids = [await keep(engine, f"{TEXT} {n}", agent="Ines") for n in range(3)]
        assert await asyncio.to_thread(server.wait_for, 1, timeout=BOUND)
        await asyncio.wait_for(engine.aclose(), BOUND)
        assert await asyncio.to_thread(server.wait_gone, 1, timeout=BOUND)
    async with opened(tmp_path) as engine:
        assert {run.status for run in await runs(engine)} == {"started"}
        assert not await runs(engine, state="running")
    async with modelled(tmp_path) as (engine, _):
        assert await engine.settled(BOUND)
        assert {run.state for run in await runs(engine)} == {"succeeded"}
        assert {run.memory_id for run in await runs(engine)} == set(ids)


async def test_a_model_that_keeps_failing_is_spared_shown_and_costs_no_attempts(tmp_path: Path) -> None:
    async with modelled(tmp_path, always(lambda _: server_error()), llm_pause_seconds=600) as (engine, server):
        for n in range(8):
            await keep(engine, f"{TEXT} {n}", agent="Ines")
        assert await engine.settled(BOUND)
        asked = len(server.requests)
        late = await engine.encode(EncodeRequest(text="I like tea", agent="Ines"))
        run = await settled_run(engine, late)
        assert len(server.requests) == asked
        assert (run.state, run.attempts) == ("retrying", 0)
        assert (stage(run, "extractor").error or "").startswith("LlmPaused")
        health = await engine.health()
        assert (health.ready, health.status, health.llm["state"]) == (True, "degraded", "paused")
        assert any(reason.startswith("language model: paused") for reason in health.reasons)
        assert health.derive["retrying"] == 9


async def test_an_invalid_key_is_shown_at_once(tmp_path: Path) -> None:
    async with modelled(tmp_path) as (engine, server):
        server.api_key = "another"
        run = await settled_run(engine, await engine.encode(EncodeRequest(text=TEXT, agent="Ines")))
        assert run.state == "failed"
        health = await engine.health()
        assert (health.ready, health.status) == (True, "degraded")
        assert health.llm["state"] in ("failing", "paused")
        assert any(reason.startswith("language model:") for reason in health.reasons)
        assert "sk-any" not in str(health)


async def test_a_setting_that_cannot_work_is_refused_at_open_and_the_directory_is_free(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", llm="openai")
    with pytest.raises(ConfigError):
        await Engine.open(settings, embedder=HashEmbedder())
    async with opened(tmp_path) as engine:
        await keep(engine, "tea")


# -- budgets ------------------------------------------------------------------------------------------------------------
async def test_over_the_runs_budget_the_model_is_left_out_and_nothing_fails(tmp_path: Path) -> None:
    async with modelled(tmp_path, llm_budget_run=10) as (engine, server):
        result = await derived(engine, TEXT, agent="Ines")
        assert statuses(result) == dict.fromkeys(STAGES, "succeeded")
        assert not server.requests
        run = await run_of(engine, result.memory_id)
        assert run.state == "succeeded"
        assert "the run's budget" in str(stage(run, "extractor").output["tiers"]["llm"])
        assert any("Lisbon" in text for text in await sentences(engine, result.memory_id))


async def test_what_was_spent_today_is_known_after_a_restart(tmp_path: Path) -> None:
    clock = ManualClock()

    def rule(request: FakeRequest) -> Sayable:
        return say(value_for(request), tokens=(40_000, 10_000))

    async with _budgeted(tmp_path, rule, clock) as engine:
        result = await derived(engine, TEXT, agent="Ines")
        assert statuses(result)["extractor"] == "succeeded"
        spent = engine.store.spent_since(0)
        assert spent[0] >= 50_000
    async with _budgeted(tmp_path, rule, clock) as engine:
        result = await derived(engine, f"{TEXT} Again.", agent="Ines")
        run = await run_of(engine, result.memory_id)
        assert "the day's budget" in str(stage(run, "extractor").output["tiers"]["llm"])
        assert engine.store.spent_since(0) == spent
        assert len(engine.store.inferences(InferenceQuery(run_id=run.run_id))) == 0
    clock.at += 86_400_000_000
    async with _budgeted(tmp_path, rule, clock) as engine:
        result = await derived(engine, f"{TEXT} A day later.", agent="Ines")
        run = await run_of(engine, result.memory_id)
        assert stage(run, "extractor").output["tiers"]["llm"] == "ran"


@asynccontextmanager
async def _budgeted(path: Path, rule: Any, clock: ManualClock) -> AsyncGenerator[Engine]:
    with FakeLLM(rule) as server:
        async with opened(path, clock=clock, derive=True, llm_budget_day=60_000, **_at(server)) as engine:
            yield engine


async def test_what_the_model_cost_a_run_can_be_looked_up_and_paged(tmp_path: Path) -> None:
    async with modelled(tmp_path) as (engine, _):
        for n in range(4):
            await derived(engine, f"{TEXT} {n}", agent="Ines")
        seen: list[str] = []
        cursor = None
        while True:
            page = await engine.runs.inferences(limit=3, cursor=cursor, caller=LOCAL)
            seen += [call.inference_id for call in page.data]
            if (cursor := page.next_cursor) is None:
                break
        assert len(seen) == len(set(seen)) >= 8
        assert not (await engine.runs.inferences(failed=True, caller=LOCAL)).data
        listed = (await engine.runs.list_runs(RunRequest(stage="hype", stage_status="succeeded"), caller=LOCAL)).data
        assert len(listed) == 4
