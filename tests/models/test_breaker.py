"""A guarded model: an endpoint that fails is left alone for a while, tried by one call, and asked by few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from mindlog.errors import (
    InvalidInput,
    LlmBadOutput,
    LlmBudgetExceeded,
    LlmFailed,
    LlmMisconfigured,
    LlmPaused,
    LlmRefused,
)
from mindlog.models.breaker import GuardedLLM, Passage
from mindlog.models.budget import Budget, Limit
from mindlog.models.llm import LLM
from mindlog.testing.llm_answers import (
    Answer,
    hang,
    rate_limited,
    refuse,
    reset,
    say,
    server_error,
    status,
    unauthorized,
)
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import ASK, TEA, Facts, ManualClock, opened

BOUND = 20
SECOND = 1_000_000


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


@pytest.fixture
def clock():
    return ManualClock()


@asynccontextmanager
async def guarded(
    server: FakeLLM, clock: ManualClock, *, budget: Budget | None = None, timeout: float = 20.0, **given
) -> AsyncIterator[GuardedLLM]:
    async with opened(server, budget=budget, timeout=timeout) as llm:
        yield GuardedLLM(llm, clock, **given)


async def fail(llm: LLM, times: int, kind: type[Exception] = LlmFailed) -> None:
    for _ in range(times):
        with pytest.raises(kind):
            await llm.text(ASK)


async def test_a_guarded_model_is_a_model(server, clock):
    server.script(say(TEA), "hello")
    async with guarded(server, clock) as guard:
        llm: LLM = guard
        assert (llm.provider, llm.model) == ("openai", "fake-model")
        assert (await llm.structured(ASK, Facts)).value == Facts(facts=["likes tea"])
        assert (await llm.text(ASK, model="big", reasoning="low")).text == "hello"
        await llm.aclose()
    assert server.requests[1].body["model"] == "big"
    assert server.requests[1].body["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (server_error(), LlmFailed),
        (server_error(503), LlmFailed),
        (status(429, "slow down"), LlmFailed),
        (reset(), LlmFailed),
        (unauthorized(), LlmMisconfigured),
    ],
)
async def test_after_failures_in_a_row_nothing_is_sent_and_the_error_says_why_and_how_long(server, clock, answer, kind):
    server.rule = lambda request: answer
    async with guarded(server, clock, failures=3, pause_seconds=30) as llm:
        await fail(llm, 3, kind)
        clock.at += 10 * SECOND
        with pytest.raises(LlmPaused) as pause:
            await llm.structured(ASK, Facts)
        state = llm.state
    assert len(server.requests) == 3
    assert pause.value.retryable
    assert pause.value.extra["retry_after"] == 20
    assert pause.value.extra["reason"] == state.reason
    assert state.reason
    assert state.reason in pause.value.detail
    assert (state.passage, state.failures, state.until) == (Passage.PAUSED, 3, clock.at + 20 * SECOND)


async def test_an_endpoint_that_does_not_answer_in_time_counts(server, clock):
    server.rule = lambda request: hang()
    async with guarded(server, clock, failures=1, timeout=0.05) as llm:
        await fail(llm, 1)
        await fail(llm, 1, LlmPaused)
    assert len(server.requests) == 1


async def test_only_failures_in_a_row_bring_the_pause(server, clock):
    server.script(server_error(), server_error(), "fine", server_error(), server_error(), "fine")
    async with guarded(server, clock, failures=3) as llm:
        for _ in range(2):
            await fail(llm, 2)
            assert (await llm.text(ASK)).text == "fine"
        assert (llm.state.passage, llm.state.failures, llm.state.reason, llm.state.until) == (
            Passage.OPEN,
            0,
            None,
            None,
        )


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (say(""), LlmBadOutput),
        (refuse(), LlmRefused),
        (status(400, "maximum context length is 8192 tokens"), LlmFailed),
    ],
)
async def test_an_answer_that_is_merely_bad_does_not_count(server, clock, answer, kind):
    async with guarded(server, clock, failures=2) as llm:
        server.script(*[answer] * 5)
        await fail(llm, 5, kind)
        assert llm.state.passage is Passage.OPEN
        # The endpoint did answer, so what was before it is no longer in a row with what comes after.
        server.script(server_error(), answer, server_error())
        await fail(llm, 1)
        await fail(llm, 1, kind)
        await fail(llm, 1)
        assert llm.state.passage is Passage.OPEN


async def test_what_is_refused_before_it_is_sent_neither_counts_nor_clears(server, clock):
    budget = Budget(day=Limit(tokens=700), clock=clock)
    server.script(server_error(), Answer(text="ok", tokens=(400, 1)))
    async with guarded(server, clock, failures=2, budget=budget) as llm:
        await fail(llm, 1)
        with pytest.raises(InvalidInput):
            await llm.text([])
        assert llm.state.failures == 1
        await llm.text(ASK)
        await fail(llm, 3, LlmBudgetExceeded)
        assert (llm.state.passage, llm.state.failures) == (Passage.OPEN, 0)


async def test_after_the_pause_one_call_tries_and_the_others_are_still_refused(server, clock):
    server.script(server_error(), hang(TEA))
    async with guarded(server, clock, failures=1, pause_seconds=30) as llm, asyncio.timeout(BOUND):
        await fail(llm, 1)
        clock.at += 30 * SECOND
        trial = asyncio.create_task(llm.structured(ASK, Facts))
        assert await asyncio.to_thread(server.wait_for, 2)
        await fail(llm, 2, LlmPaused)
        assert llm.state.passage is Passage.PAUSED
        server.release()
        assert (await trial).value == Facts(facts=["likes tea"])
        assert llm.state.passage is Passage.OPEN
        await llm.text(ASK)
    assert len(server.requests) == 3


async def test_calls_refused_during_the_trial_are_told_to_wait_a_moment(server, clock):
    server.script(server_error(), hang())
    async with guarded(server, clock, failures=1, pause_seconds=30) as llm, asyncio.timeout(BOUND):
        await fail(llm, 1)
        clock.at += 40 * SECOND
        trial = asyncio.create_task(llm.text(ASK))
        assert await asyncio.to_thread(server.wait_for, 2)
        with pytest.raises(LlmPaused) as refused:
            await llm.text(ASK)
        assert refused.value.extra["retry_after"] == 1
        server.release()
        await trial


async def test_a_trial_that_fails_brings_the_next_pause(server, clock):
    server.rule = lambda request: server_error()
    async with guarded(server, clock, failures=3, pause_seconds=30) as llm:
        await fail(llm, 3)
        clock.at += 31 * SECOND
        await fail(llm, 1)
        await fail(llm, 1, LlmPaused)
        assert (llm.state.failures, llm.state.until) == (4, clock.at + 30 * SECOND)
        clock.at += 30 * SECOND
        server.rule = lambda request: "ok"
        assert (await llm.text(ASK)).text == "ok"
    assert len(server.requests) == 5


async def test_a_trial_that_gives_a_useless_answer_shows_that_the_endpoint_is_up(server, clock):
    server.script(server_error(), say(""))
    async with guarded(server, clock, failures=1) as llm:
        await fail(llm, 1)
        clock.at += 60 * SECOND
        await fail(llm, 1, LlmBadOutput)
        assert llm.state.passage is Passage.OPEN


async def test_a_trial_that_is_cancelled_leaves_the_next_call_to_try(server, clock):
    server.script(server_error(), hang(), "ok")
    async with guarded(server, clock, failures=1) as llm, asyncio.timeout(BOUND):
        await fail(llm, 1)
        clock.at += 60 * SECOND
        trial = asyncio.create_task(llm.text(ASK))
        assert await asyncio.to_thread(server.wait_for, 2)
        trial.cancel()
        await asyncio.wait([trial])
        assert trial.cancelled()
        assert llm.state.passage is Passage.PAUSED
        assert (await llm.text(ASK)).text == "ok"
        assert llm.state.passage is Passage.OPEN


async def test_a_retry_after_longer_than_the_pause_is_honoured_and_a_shorter_one_does_not_shorten_it(server, clock):
    server.script(rate_limited(120), server_error(), rate_limited(5))
    async with guarded(server, clock, failures=2, pause_seconds=30) as llm:
        await fail(llm, 2)
        assert llm.state.until == clock.at + 120 * SECOND
        clock.at += 120 * SECOND
        await fail(llm, 1)
        assert llm.state.until == clock.at + 30 * SECOND


async def test_a_call_that_was_under_way_when_the_pause_began_does_not_prolong_it(server, clock):
    server.script(hang(server_error()), server_error(), server_error())
    async with guarded(server, clock, failures=2, pause_seconds=30) as llm, asyncio.timeout(BOUND):
        slow = asyncio.create_task(llm.text(ASK))
        assert await asyncio.to_thread(server.wait_for, 1)
        await fail(llm, 2)
        until = clock.at + 30 * SECOND
        clock.at += 10 * SECOND
        server.release()
        await asyncio.wait([slow])
        assert isinstance(slow.exception(), LlmFailed)
        assert (llm.state.until, llm.state.failures) == (until, 3)


async def test_no_more_calls_than_allowed_are_under_way_and_one_that_waits_can_be_cancelled(server, clock):
    server.rule = lambda request: hang("ok")
    async with guarded(server, clock, concurrency=2) as llm, asyncio.timeout(BOUND):
        calls = [asyncio.create_task(llm.text(ASK)) for _ in range(5)]
        assert await asyncio.to_thread(server.wait_for, 2)
        waiting = calls.pop()
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        assert len(server.requests) == 2
        server.release()
        assert [each.text for each in await asyncio.gather(*calls)] == ["ok"] * 4
    assert len(server.requests) == 4


async def test_a_call_that_waited_for_its_turn_while_the_pause_began_is_not_sent(server, clock):
    server.rule = lambda request: hang(server_error())
    async with guarded(server, clock, failures=1, concurrency=1) as llm, asyncio.timeout(BOUND):
        calls = [asyncio.create_task(llm.text(ASK)) for _ in range(4)]
        assert await asyncio.to_thread(server.wait_for, 1)
        server.release()
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(each) for each in outcomes] == [LlmFailed, LlmPaused, LlmPaused, LlmPaused]
    assert len(server.requests) == 1
