"""A language model over real clients and a real server: answers, repair, refusals, faults, modes, cancellation."""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import BaseModel, Field

from mindlog.errors import (
    ConfigError,
    InvalidInput,
    LlmBadOutput,
    LlmFailed,
    LlmMisconfigured,
    LlmRefused,
    MissingExtra,
)
from mindlog.models.llm import LLM, Message
from mindlog.models.modes import Mode
from mindlog.models.openai_llm import OpenAIEndpoint
from mindlog.models.providers import ModeOutcome, doctor, load_llm, probe_modes
from mindlog.settings import Settings
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.llm_answers import (
    Answer,
    drip,
    fenced,
    hang,
    prose,
    rate_limited,
    refuse,
    reset,
    say,
    server_error,
    status,
    think,
    truncated,
    unauthorized,
    wrong_schema,
)
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import ASK, KEY, TEA, Facts, endpoint, opened

BOUND = 20
both = pytest.mark.parametrize("protocol", ["openai", "anthropic"])


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


class Tags(BaseModel):
    tags: list[str] = Field(min_length=1, max_length=3)


def modes(server: FakeLLM) -> list[str]:
    return [request.mode for request in server.requests]


@both
async def test_a_structured_answer_is_an_instance_of_the_schema_with_its_inference_and_usage(server, protocol):
    store = HeldInferences()
    server.script(say(TEA, tokens=(11, 5)))
    async with opened(server, protocol, store=store) as llm:
        wanted: LLM = llm
        result = await wanted.structured(ASK, Facts)
    assert result.value == Facts(facts=["likes tea"])
    assert (result.usage.input_tokens, result.usage.output_tokens) == (11, 5)
    assert store.ids == [result.inference_id]
    (request,) = server.requests
    assert (request.mode, request.key) == ("json_schema", KEY)
    # Anthropic shows the model the schema it decodes under; who is behind the OpenAI protocol is not known.
    system, user = request.messages
    assert user == ("user", "I like tea")
    assert system[1].startswith("You read texts.")
    assert ('"facts"' in system[1]) is (protocol == "openai")


@both
async def test_a_text_comes_without_the_models_thoughts(server, protocol):
    server.script("<think>where {is} it</think> Paris", Answer(text="Paris is", cut_off=True))
    async with opened(server, protocol) as llm:
        result = await llm.text(ASK)
        cut = await llm.text(ASK)
    assert (result.text, result.truncated) == ("Paris", False)
    assert (cut.text, cut.truncated) == ("Paris is", True)
    assert modes(server) == ["plain", "plain"]


@both
@pytest.mark.parametrize("dress", [prose, think, fenced], ids=["prose", "think", "fence"])
async def test_json_in_prose_after_thoughts_or_in_a_fence_is_read_at_once(server, protocol, dress):
    server.script(dress(TEA))
    async with opened(server, protocol) as llm:
        result = await llm.structured(ASK, Facts)
    assert result.value == Facts(facts=["likes tea"])
    assert len(server.requests) == 1


@both
@pytest.mark.parametrize("bad", [truncated(TEA), wrong_schema({"facts": "none"}), say("no idea"), say("")])
async def test_an_answer_that_cannot_be_used_is_repaired_once(server, protocol, bad):
    store = HeldInferences()
    server.script(bad, TEA)
    async with opened(server, protocol, store=store) as llm:
        result = await llm.structured(ASK, Facts)
    assert result.value == Facts(facts=["likes tea"])
    repair = server.requests[1]
    assert "cannot be used" in repair.prompt
    assert '"facts"' in repair.prompt
    assert [each.attempt for each in store.records] == [1, 2]
    assert store.records[0].error
    assert store.records[1].error is None
    assert result.inference_id == store.ids[1]


@both
async def test_a_second_unusable_answer_fails_with_the_raw_output_kept(server, protocol):
    server.script({"wrong": 1}, "Sorry, {no} facts!")
    async with opened(server, protocol) as llm:
        with pytest.raises(LlmBadOutput) as failure:
            await llm.structured(ASK, Facts)
    assert failure.value.extra["raw_output"] == "Sorry, {no} facts!"
    assert not failure.value.retryable
    assert len(server.requests) == 2


async def test_the_raw_output_of_an_error_is_bounded(server):
    server.script("x" * 50_000, "y" * 50_000)
    async with opened(server) as llm:
        with pytest.raises(LlmBadOutput) as failure:
            await llm.structured(ASK, Facts)
    assert failure.value.extra["raw_output_chars"] == 50_000
    assert len(failure.value.extra["raw_output"]) == 8000
    assert len(server.requests[1].prompt) < 10_000


@both
async def test_an_empty_text_is_a_failure(server, protocol):
    server.script("<think>well</think>  ")
    async with opened(server, protocol) as llm:
        with pytest.raises(LlmBadOutput):
            await llm.text(ASK)


@both
async def test_a_refusal_is_told_as_one_and_not_repaired(server, protocol):
    store = HeldInferences()
    server.script(refuse("That is private."), refuse())
    async with opened(server, protocol, store=store) as llm:
        with pytest.raises(LlmRefused, match="private"):
            await llm.structured(ASK, Facts)
        with pytest.raises(LlmRefused):
            await llm.text(ASK)
    assert len(server.requests) == 2
    assert "private" in store.records[0].error


@both
@pytest.mark.parametrize(
    ("answer", "kind", "retryable"),
    [
        (unauthorized(), LlmMisconfigured, False),
        (status(403, "no access"), LlmMisconfigured, False),
        (status(404, "The model `x` does not exist"), LlmMisconfigured, False),
        (status(400, "model_not_found: unknown"), LlmMisconfigured, False),
        (status(429, "insufficient_quota: check your plan"), LlmMisconfigured, False),
        (status(400, "maximum context length is 8192 tokens"), LlmFailed, False),
        (status(413, "too large"), LlmFailed, False),
        (status(400, "content_filter triggered"), LlmRefused, False),
        (rate_limited(), LlmFailed, True),
        (server_error(), LlmFailed, True),
        (server_error(503), LlmFailed, True),
        (server_error(529), LlmFailed, True),
        (reset(), LlmFailed, True),
    ],
)
async def test_a_fault_is_told_as_what_it_is_after_one_request(server, protocol, answer, kind, retryable):
    store = HeldInferences()
    server.script(answer)
    async with opened(server, protocol, store=store) as llm:
        with pytest.raises(kind) as failure:
            await llm.structured(ASK, Facts)
    assert type(failure.value) is kind
    assert failure.value.retryable is retryable
    assert len(server.requests) == len(store.records) == 1
    assert store.records[0].error == failure.value.detail


@both
async def test_retry_after_is_handed_on_in_seconds(server, protocol):
    server.script(rate_limited(7.5), status(429, "slow", **{"retry-after-ms": "250"}))
    async with opened(server, protocol) as llm:
        for seconds in (7.5, 0.25):
            with pytest.raises(LlmFailed) as failure:
                await llm.text(ASK)
            assert failure.value.extra["retry_after"] == seconds


@both
async def test_an_endpoint_that_is_not_there_fails_and_may_be_retried(server, protocol):
    server.stop()
    server.start()
    target = endpoint(server, protocol)
    server.stop()
    with pytest.raises(LlmFailed) as failure:
        await target.send(request_of())
    assert failure.value.retryable
    await target.aclose()


@both
@pytest.mark.parametrize("slow", [hang(), drip(TEA)], ids=["hang", "drip"])
async def test_an_endpoint_that_hangs_or_drips_fails_at_the_deadline_and_holds_no_thread(server, protocol, slow):
    server.script(*[slow] * 8)
    with ThreadPoolExecutor(2) as threads:
        asyncio.get_running_loop().set_default_executor(threads)
        async with opened(server, protocol, timeout=1.0) as llm, asyncio.timeout(BOUND):
            calls = [asyncio.create_task(llm.structured(ASK, Facts)) for _ in range(8)]
            assert await asyncio.to_thread(server.wait_for, 8)
            # Both threads there are must be free to meet, so no waiting call holds one.
            meet = threading.Barrier(2)
            await asyncio.gather(asyncio.to_thread(meet.wait, BOUND), asyncio.to_thread(meet.wait, BOUND))
            failures = await asyncio.gather(*calls, return_exceptions=True)
    assert {(type(each), each.retryable) for each in failures} == {(LlmFailed, True)}
    assert all("within 1 s" in each.detail for each in failures)
    assert server.wait_gone(8)


@both
async def test_a_cancelled_call_ends_at_once_lets_the_endpoint_go_and_is_on_record(server, protocol):
    store = HeldInferences()
    server.script(hang())
    async with opened(server, protocol, store=store) as llm:
        call = asyncio.create_task(llm.text(ASK))
        assert await asyncio.to_thread(server.wait_for, 1)
        call.cancel()
        async with asyncio.timeout(BOUND):
            with pytest.raises(asyncio.CancelledError):
                await call
        assert await asyncio.to_thread(server.wait_gone)
    assert [each.error for each in store.records] == ["cancelled"]


@both
async def test_an_error_never_shows_the_key(server, protocol):
    server.script(status(401, f"Incorrect API key provided: {KEY}"))
    async with opened(server, protocol) as llm:
        with pytest.raises(LlmMisconfigured) as failure:
            await llm.text(ASK)
    assert KEY not in failure.value.detail


async def test_modes_step_down_as_the_endpoint_refuses_them_and_the_one_that_works_is_remembered(server):
    server.unsupported = {"json_schema", "json_object"}
    store = HeldInferences()
    async with opened(server, store=store) as llm:
        assert (await llm.structured(ASK, Facts)).value == Facts(facts=["text"])
        await llm.structured(ASK, Facts)
        assert modes(server) == ["json_schema", "json_object", "tool", "tool"]
        await llm.structured(ASK, Facts, model="other-model")
    assert modes(server)[4:] == ["json_schema", "json_object", "tool"]
    assert [each.attempt for each in store.records] == [1, 2, 3, 1, 1, 2, 3]


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_an_endpoint_without_any_mode_is_asked_in_the_prompt(server, protocol):
    server.unsupported = {"json_schema", "json_object", "tool"}
    async with opened(server, protocol) as llm:
        assert (await llm.structured(ASK, Facts)).value == Facts(facts=["text"])
    assert modes(server)[-1] == "plain"
    assert "JSON Schema" in server.requests[-1].messages[0][1]


async def test_many_first_calls_at_once_all_find_the_mode(server):
    server.unsupported = {"json_schema", "json_object"}
    async with opened(server) as llm:
        results = await asyncio.gather(*(llm.structured(ASK, Facts) for _ in range(20)))
        assert {tuple(each.value.facts) for each in results} == {("text",)}
        seen = len(server.requests)
        await llm.structured(ASK, Facts)
    assert modes(server)[seen:] == ["tool"]


async def test_a_mode_that_is_taken_and_ignored_is_given_up(server):
    server.rule = lambda request: "just prose" if request.mode == "json_schema" else TEA
    async with opened(server) as llm:
        assert (await llm.structured(ASK, Facts)).value == Facts(facts=["likes tea"])
        await llm.structured(ASK, Facts)
    assert modes(server) == ["json_schema", "json_object", "json_object"]


async def test_a_schema_that_strict_decoding_does_not_take_costs_only_this_schema_the_mode(server):
    server.script(status(400, "Invalid schema for response_format 'Facts'"), TEA)
    async with opened(server) as llm:
        await llm.structured(ASK, Facts)
        await llm.structured(ASK, Facts)
        await llm.structured(ASK, {"title": "Other", **Facts.model_json_schema(), "title": "Other"})  # noqa: F601
    assert modes(server) == ["json_schema", "json_object", "json_object", "json_schema"]


async def test_a_schemas_bounds_are_decoded_under_and_left_out_before_the_mode_is_given_up(server):
    bounds = []

    def rule(request):
        tags = request.body["response_format"]["json_schema"]["schema"]["properties"]["tags"]
        bounds.append((tags.get("maxItems"), tags.get("minItems")))
        return {"tags": ["tea"]} if "maxItems" not in tags else no_bounds

    no_bounds = status(400, "Invalid schema for response_format 'Tags': 'maxItems' is not permitted.")
    server.rule = rule
    async with opened(server) as llm:
        assert (await llm.structured(ASK, Tags)).value == Tags(tags=["tea"])
        await llm.structured(ASK, Tags)
    assert modes(server) == ["json_schema"] * 3
    assert bounds == [(3, 1), (None, None), (None, None)]


async def test_an_endpoint_without_the_mode_is_not_asked_for_it_without_bounds_for_ever(server):
    server.unsupported = {"json_schema"}
    server.rule = lambda request: {"tags": ["tea"]}
    async with opened(server) as llm:
        await llm.structured(ASK, Tags)
        await llm.structured(ASK, Tags)
    assert modes(server) == ["json_schema", "json_schema", "json_object", "json_object"]


async def test_an_answer_cut_off_is_not_shown_to_the_model_again(server):
    server.script(Answer(text='{"facts": ["tea", "tea", "tea", "tea"', cut_off=True), TEA)
    async with opened(server) as llm:
        assert (await llm.structured(ASK, Facts)).value == Facts(facts=["likes tea"])
    repair = server.requests[1]
    assert [role for role, _ in repair.messages] == ["system", "user"]
    assert repair.messages[1][1].startswith("I like tea\n\n")
    assert "more briefly" in repair.prompt
    assert '"tea", "tea"' not in repair.prompt


@pytest.mark.parametrize(
    ("told", "unsupported", "added"),
    [
        ("You read texts.", set(), True),
        ('Answer as {"facts": ["..."]}.', set(), False),
        ('Answer as {"facts": ["..."]}.', {"json_schema"}, True),
    ],
    ids=["prompt says nothing of the form", "prompt describes it", "prompt describes it and nothing enforces it"],
)
async def test_the_schema_is_added_to_a_prompt_that_does_not_describe_it(server, told, unsupported, added):
    server.unsupported = unsupported
    async with opened(server) as llm:
        await llm.structured([Message("system", told), Message("user", "I like tea")], Facts)
    assert ("JSON Schema" in server.requests[-1].prompt) is added
    assert server.requests[-1].prompt.startswith(told)


def test_the_vendors_own_address_is_known_to_show_the_model_its_schema():
    assert OpenAIEndpoint().shows_schema
    assert not OpenAIEndpoint("http://127.0.0.1:8080/v1").shows_schema


async def test_parameters_a_model_refuses_are_left_out_from_then_on(server):
    server.unsupported = {"max_tokens", "temperature", "reasoning_effort"}
    store = HeldInferences()
    async with opened(server, store=store) as llm:
        await llm.structured(ASK, Facts, reasoning="low")
        await llm.text(ASK, reasoning="low")
    last = server.requests[-1].body
    assert set(last) == {"model", "messages", "max_completion_tokens"}
    assert len(server.requests) == 5
    assert store.records[-1].parameters == {"max_completion_tokens": 256}


@both
async def test_model_and_reasoning_are_the_calls_own(server, protocol):
    async with opened(server, protocol) as llm:
        await llm.text(ASK, model="big", reasoning="high")
        await llm.text(ASK, reasoning="none")
    bodies = [request.body for request in server.requests]
    assert [body["model"] for body in bodies] == ["big", "fake-model"]
    if protocol == "openai":
        assert [body["reasoning_effort"] for body in bodies] == ["high", "none"]
    else:
        assert bodies[0]["output_config"] == {"effort": "high"}
        assert bodies[1]["thinking"] == {"type": "disabled"}


async def test_a_json_schema_gives_a_dict(server):
    async with opened(server) as llm:
        result = await llm.structured([Message("user", "x")], Facts.model_json_schema())
    assert result.value == {"facts": ["text"]}


async def test_a_prompt_of_system_messages_alone_is_refused_before_anything_is_sent(server):
    async with opened(server) as llm:
        for messages in ([], [Message("system", "x")]):
            with pytest.raises(InvalidInput):
                await llm.text(messages)
    assert not server.requests


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 3}}]}', b'{"error": {"code": 503}}'],
)
async def test_a_200_that_is_not_the_protocols_is_a_failure(body):
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    target = OpenAIEndpoint(f"http://127.0.0.1:{port}/v1", timeout=BOUND)
    async with listener:
        with pytest.raises(LlmFailed):
            await target.send(request_of())
    await target.aclose()


async def test_a_server_that_sends_arguments_as_an_object_and_no_usage_is_understood():
    body = b'{"choices": [{"message": {"tool_calls": [{"function": {"arguments": {"facts": ["a"]}}}]}}]}'

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    target = OpenAIEndpoint(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1", timeout=BOUND)
    async with listener:
        reply = await target.send(request_of())
    await target.aclose()
    assert (reply.text, reply.usage) == ('{"facts": ["a"]}', None)


@both
async def test_the_probe_says_which_modes_work_and_why_the_others_do_not(server, protocol):
    server.unsupported = {"json_schema"}
    async with opened(server, protocol) as llm:
        report = await probe_modes(llm)
    outcomes = {each.mode: each.outcome for each in report.modes}
    assert outcomes[Mode.JSON_SCHEMA] is ModeOutcome.REFUSED
    assert {outcome for mode, outcome in outcomes.items() if mode is not Mode.JSON_SCHEMA} == {ModeOutcome.WORKS}
    assert report.best is (Mode.TOOL if protocol == "anthropic" else Mode.JSON_OBJECT)
    assert "400" in report.modes[0].detail


async def test_the_probe_tells_a_broken_endpoint_from_a_missing_mode(server):
    server.rule = lambda request: server_error() if request.mode == "tool" else "prose"
    async with opened(server) as llm:
        report = await probe_modes(llm)
    assert report.best is None
    assert [each.outcome for each in report.modes] == [
        ModeOutcome.UNUSABLE,
        ModeOutcome.UNUSABLE,
        ModeOutcome.FAILED,
        ModeOutcome.UNUSABLE,
    ]


async def test_the_doctor_opens_the_model_of_the_settings_probes_it_and_lets_it_go(server):
    server.unsupported = {"json_schema"}
    report = await doctor(settings(llm_url=server.url, llm_api_key=KEY))
    assert (report.provider, report.model, report.best) == ("openai", "m", Mode.JSON_OBJECT)
    assert [each.mode for each in report.modes] == list(OpenAIEndpoint.modes)
    assert {request.key for request in server.requests} == {KEY}


async def test_the_doctor_reports_an_endpoint_that_is_not_there():
    report = await doctor(settings())
    assert {each.outcome for each in report.modes} == {ModeOutcome.FAILED}
    assert all("cannot be reached" in each.detail for each in report.modes)


async def test_the_doctor_says_what_to_set_where_no_model_is_configured():
    with pytest.raises(ConfigError, match="no model configured") as failure:
        await doctor(settings(llm="none"))
    assert failure.value.field == "llm"


def settings(**given) -> Settings:
    return Settings(**{"llm": "openai", "llm_model": "m", "llm_url": "http://127.0.0.1:9/v1", **given})


def test_without_a_protocol_there_is_no_model_and_that_is_no_error():
    assert load_llm(settings(llm="none")) is None


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_the_settings_open_their_model(server, protocol):
    url = server.url if protocol == "openai" else server.anthropic_url
    store = HeldInferences()
    llm = load_llm(settings(llm=protocol, llm_url=url, llm_api_key=KEY, llm_texts="hash"), inferences=store)
    assert llm is not None
    await llm.structured(ASK, Facts)
    await llm.aclose()
    assert server.requests[0].key == KEY
    assert (store.records[0].provider, store.records[0].prompt) == (protocol, None)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"llm_model": None}, ConfigError),
        ({"llm_url": "localhost:11434"}, ConfigError),
        ({"llm_api_key": "with space"}, LlmMisconfigured),
        ({"llm_api_key": "line\nbreak"}, LlmMisconfigured),
        ({"llm_budget_day_cost": 1.0}, ConfigError),
    ],
)
def test_settings_that_cannot_work_are_refused_before_anything_is_sent(given, kind):
    with pytest.raises(kind):
        load_llm(settings(**given))


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_missing_client_is_named_with_the_command_that_installs_it(protocol, monkeypatch):
    monkeypatch.setitem(sys.modules, protocol, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'mindlog\[{protocol}\]'"):
        load_llm(settings(llm=protocol))


def request_of():
    from mindlog.models.endpoint import ChatRequest

    return ChatRequest(model="m", messages=ASK, mode=Mode.TEXT, max_tokens=16)
