"""Answers that are made piece by piece, over both protocols: what is said, what is recorded, what goes wrong on the way."""

from __future__ import annotations

import asyncio

import pytest

from mindlog.clock import SystemClock
from mindlog.errors import LlmBadOutput, LlmFailed, LlmRefused
from mindlog.models.breaker import GuardedLLM
from mindlog.models.streaming import Aloud
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.llm_answers import broken_off, hang, rate_limited, refuse, say, stalled
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import ASK, opened

PROTOCOLS = pytest.mark.parametrize("protocol", ["openai", "anthropic"])


@pytest.fixture
def server():
    with FakeLLM() as server:
        yield server


@PROTOCOLS
async def test_the_pieces_are_those_of_the_text_and_one_inference_is_recorded(server: FakeLLM, protocol: str) -> None:
    held = HeldInferences()
    server.script(say("Anna lives in Porto [1].", tokens=(30, 6)))
    pieces: list[str] = []
    async with opened(server, protocol, store=held) as llm:
        result = await llm.text(ASK, say=pieces.append)
    assert result.text == "".join(pieces) == "Anna lives in Porto [1]."
    assert len(pieces) > 2
    (record,) = held.records
    assert (record.output, record.error) == (result.text, None)
    assert (
        (record.input_tokens, record.output_tokens)
        == (30, 6)
        == (result.usage.input_tokens, result.usage.output_tokens)
    )


@PROTOCOLS
async def test_the_first_piece_is_there_before_the_answer_has_ended(server: FakeLLM, protocol: str) -> None:
    server.script(stalled("one two three"))
    first = asyncio.Event()
    pieces: list[str] = []

    def hear(piece: str) -> None:
        pieces.append(piece)
        first.set()

    async with opened(server, protocol) as llm:
        asked = asyncio.create_task(llm.text(ASK, say=hear))
        await asyncio.wait_for(first.wait(), 10)
        assert pieces == ["one "]
        assert not asked.done()
        server.release()
        assert (await asked).text == "one two three"


@PROTOCOLS
async def test_who_leaves_in_the_middle_closes_the_connection_and_is_recorded_as_cancelled(
    server: FakeLLM, protocol: str
) -> None:
    held = HeldInferences()
    server.script(stalled("one two three"))
    first = asyncio.Event()
    async with opened(server, protocol, store=held) as llm:
        asked = asyncio.create_task(llm.text(ASK, say=lambda _: first.set()))
        await asyncio.wait_for(first.wait(), 10)
        asked.cancel()
        await asyncio.wait([asked])
        assert await asyncio.to_thread(server.wait_gone)
    assert [record.error for record in held.records] == ["cancelled"]


@PROTOCOLS
async def test_a_stream_that_breaks_off_is_a_failure_and_no_short_answer(server: FakeLLM, protocol: str) -> None:
    held = HeldInferences()
    server.script(broken_off("one two three"))
    async with opened(server, protocol, store=held) as llm:
        with pytest.raises(LlmFailed):
            await llm.text(ASK, say=lambda _: None)
    (record,) = held.records
    assert record.error is not None


@PROTOCOLS
async def test_a_refusal_an_error_status_and_a_hanging_endpoint_are_what_they_are_without_a_stream(
    server: FakeLLM, protocol: str
) -> None:
    server.script(refuse(), rate_limited(2), hang())
    async with opened(server, protocol, timeout=0.5) as llm:
        with pytest.raises(LlmRefused):
            await llm.text(ASK, say=lambda _: None)
        with pytest.raises(LlmFailed) as limited:
            await llm.text(ASK, say=lambda _: None)
        assert limited.value.extra["retry_after"] == 2
        with pytest.raises(LlmFailed):
            await llm.text(ASK, say=lambda _: None)


@PROTOCOLS
async def test_thoughts_are_not_said(server: FakeLLM, protocol: str) -> None:
    server.script("<think>Hmm, who is Anna?</think>\nAnna is a baker.", "<think>nothing")
    pieces: list[str] = []
    async with opened(server, protocol) as llm:
        assert (await llm.text(ASK, say=pieces.append)).text == "Anna is a baker."
        assert "".join(pieces) == "Anna is a baker."
        with pytest.raises(LlmBadOutput):
            await llm.text(ASK, say=pieces.append)
        assert "".join(pieces) == "Anna is a baker."


async def test_an_endpoint_that_refuses_the_options_of_a_stream_is_asked_without(server: FakeLLM) -> None:
    server.unsupported.add("stream_options")
    pieces: list[str] = []
    async with opened(server) as llm:
        assert (await llm.text(ASK, say=pieces.append)).text == "ok"
    assert pieces == ["ok"]
    assert ["stream_options" in request.body for request in server.requests] == [True, False]


async def test_the_guard_hands_the_pieces_on(server: FakeLLM) -> None:
    pieces: list[str] = []
    async with opened(server) as llm:
        assert (await GuardedLLM(llm, SystemClock()).text(ASK, say=pieces.append)).text == "ok"
    assert pieces == ["ok"]


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (["<th", "ink>x</thi", "nk> a", " b"], "a b"),
        (["", "  ", "<", "b> bold"], "<b> bold"),
        (["<Thinking>a</thinking><think>b</think>c"], "c"),
        (["no thought <think>here</think>"], "no thought <think>here</think>"),
    ],
)
def test_only_what_comes_after_the_thoughts_is_said(said: list[str], heard: str) -> None:
    pieces: list[str] = []
    aloud = Aloud(pieces.append)
    for piece in said:
        aloud(piece)
    assert "".join(pieces) == heard
