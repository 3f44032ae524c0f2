"""Every attempt is one record under the stage that made it, and no record ever fails a call."""

from __future__ import annotations

import asyncio
import logging

import pytest

from mindlog.errors import LlmBadOutput, LlmFailed, StoreFull
from mindlog.models.chat import Prices
from mindlog.models.inference import InferenceLog, TextPolicy, current_run, run_scope, text_hash
from mindlog.models.llm import Message
from mindlog.pipeline import ADVISORY, Stage, Timeline, run
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.llm_answers import say, server_error
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import ASK, TEA, Facts, opened

BOUND = 20


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


async def test_a_record_says_who_asked_what_was_said_and_what_it_took(server):
    store = HeldInferences()
    server.script(say(TEA, tokens=(1000, 200)))
    async with opened(server, store=store, prices=Prices(input=2.0, output=10.0)) as llm:
        with run_scope("enc_1", "letters"):
            result = await llm.structured(ASK, Facts, reasoning="low")
    (record,) = store.records
    assert record.id == result.inference_id
    assert record.id.startswith("inf_")
    assert (record.run_id, record.dataset, record.stage) == ("enc_1", "letters", None)
    assert (record.provider, record.model, record.mode, record.attempt) == ("openai", "fake-model", "json_schema", 1)
    assert record.parameters == {"max_tokens": 256, "temperature": 0.0, "reasoning_effort": "low"}
    assert record.prompt[1:] == ASK[1:]
    assert record.prompt[0].content.startswith(ASK[0].content)
    assert record.output == '{"facts": ["likes tea"]}'
    assert record.output_hash == text_hash(record.output)
    assert (record.input_tokens, record.output_tokens) == (1000, 200)
    assert record.cost == result.usage.cost == pytest.approx(0.004)
    assert record.finished_at >= record.started_at > 0
    assert record.latency_us > 0
    assert record.error is None
    assert current_run() is None


async def test_calls_of_tasks_groups_and_threads_are_filed_under_their_stage(server):
    store = HeldInferences()
    loop = asyncio.get_running_loop()
    server.rule = lambda request: request.messages[-1][1]

    async with opened(server, store=store) as llm:

        async def ask(name: str) -> None:
            await llm.text([Message("user", name)])

        def ask_from_thread(name: str) -> None:
            asyncio.run_coroutine_threadsafe(ask(name), loop).result(BOUND)

        async def extract(job: object) -> None:
            await asyncio.create_task(ask("task"))
            async with asyncio.TaskGroup() as group:
                group.create_task(ask("group"))
                group.create_task(asyncio.to_thread(ask_from_thread, "thread"))

        async def hype(job: object) -> None:
            with run_scope("enc_9"):
                await asyncio.gather(ask("gathered"), ask("and again"))

        timeline = Timeline()
        async with asyncio.timeout(BOUND):
            await run((Stage("extract", extract), Stage("hype", hype)), None, timeline)
    made = {each.id: (each.stage, each.output) for each in store.records}
    assert {made[each] for each in timeline["extract"].inference_ids} == {
        ("extract", "task"),
        ("extract", "group"),
        ("extract", "thread"),
    }
    assert {made[each] for each in timeline["hype"].inference_ids} == {("hype", "gathered"), ("hype", "and again")}
    assert {each.run_id for each in store.records if each.stage == "hype"} == {"enc_9"}


async def test_failed_and_repaired_attempts_are_on_record_too(server):
    store = HeldInferences()
    server.script("no", "no again", server_error())

    async with opened(server, store=store) as llm:

        async def extract(job: object) -> None:
            with pytest.raises(LlmBadOutput):
                await llm.structured(ASK, Facts)
            await llm.structured(ASK, Facts)

        timeline = Timeline()
        await run((Stage("extract", extract, policy=ADVISORY),), None, timeline)
    assert timeline["extract"].inference_ids == tuple(store.ids)
    assert [(each.attempt, each.output) for each in store.records] == [(1, "no"), (2, "no again"), (1, None)]
    assert all(each.error for each in store.records)
    assert store.records[2].input_tokens is None


async def test_with_the_hash_policy_no_text_is_kept_anywhere(server):
    store = HeldInferences()
    server.script("a secret answer", "a secret answer", TEA)
    async with opened(server, store=store, texts=TextPolicy.HASH) as llm:
        with pytest.raises(LlmBadOutput) as failure:
            await llm.structured(ASK, Facts)
        await llm.structured(ASK, Facts)
    assert "secret" not in repr(failure.value.extra) + failure.value.detail
    assert "tea" not in repr(store.records)
    assert "secret" not in repr(store.records)
    assert failure.value.extra["output_hash"] == store.records[1].output_hash == text_hash("a secret answer")


@pytest.mark.parametrize("error", [StoreFull(), RuntimeError("bug"), OSError(28, "no space")])
async def test_a_store_that_fails_fails_no_call_is_counted_and_logged_once(server, caplog, error):
    store = HeldInferences()
    store.error = error
    timeline = Timeline()
    async with opened(server, store=store) as llm:

        async def extract(job: object) -> None:
            for _ in range(3):
                assert (await llm.structured(ASK, Facts)).value.facts

        with caplog.at_level(logging.ERROR):
            await run((Stage("extract", extract),), None, timeline)
        assert llm.inferences.failures == 3
    assert [each.levelname for each in caplog.records if each.name == "mindlog.models.inference"] == ["ERROR"]
    assert timeline["extract"].inference_ids == ()


async def test_a_store_that_hangs_holds_no_call_up_for_long(server, monkeypatch):
    class Hanging:
        async def add(self, record: object) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr("mindlog.models.inference._STORE_SECONDS", 0.05)
    log = InferenceLog(Hanging())
    async with opened(server) as llm:
        llm.inferences = log
        async with asyncio.timeout(BOUND):
            assert (await llm.text(ASK)).text == "ok"
    assert log.failures == 1


async def test_a_caller_cancelled_while_the_record_is_written_loses_no_record(server):
    entered, let = asyncio.Event(), asyncio.Event()

    class Slow(HeldInferences):
        async def add(self, record):
            entered.set()
            await let.wait()
            await super().add(record)

    store = Slow()
    async with opened(server, store=store) as llm:
        call = asyncio.create_task(llm.text(ASK))
        async with asyncio.timeout(BOUND):
            await entered.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        let.set()
        await llm.inferences.aclose()
    assert len(store.records) == 1


async def test_a_call_that_fails_to_connect_is_on_record(server):
    store = HeldInferences()
    async with opened(server, store=store) as llm:
        server.stop()
        with pytest.raises(LlmFailed):
            await llm.text(ASK)
    assert "cannot be reached" in store.records[0].error
