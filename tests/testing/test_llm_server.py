"""The fake language model server speaks both protocols well enough for the official clients, and misbehaves as told."""

from __future__ import annotations

import base64
import json
import socket
import threading

import anthropic
import openai
import pytest

from mindlog.testing.llm_answers import MISBEHAVIOURS, Answer, hang, misbehave, say
from mindlog.testing.llm_server import FakeLLM
from mindlog.testing.llm_wire import FakeImage

USER = [{"role": "user", "content": "hello there"}]


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


@pytest.fixture
def openai_client(server):
    with openai.OpenAI(base_url=server.url, api_key="k", max_retries=0, timeout=10) as client:
        yield client


@pytest.fixture
def anthropic_client(server):
    with anthropic.Anthropic(base_url=server.anthropic_url, api_key="k", max_retries=0, timeout=10) as client:
        yield client


def test_openai_completions_have_text_usage_and_reason(server, openai_client):
    server.script(say("hi", tokens=(7, 2)), Answer(text="cut", cut_off=True))
    done = openai_client.chat.completions.create(model="m", messages=USER)
    assert (done.choices[0].message.content, done.choices[0].finish_reason) == ("hi", "stop")
    assert (done.usage.prompt_tokens, done.usage.completion_tokens) == (7, 2)
    assert openai_client.chat.completions.create(model="m", messages=USER).choices[0].finish_reason == "length"


def test_anthropic_messages_have_text_usage_and_reason(server, anthropic_client):
    server.script(say("hi", tokens=(7, 2)))
    done = anthropic_client.messages.create(model="m", max_tokens=9, messages=USER, system="be brief")
    assert (done.content[0].text, done.stop_reason, done.usage.input_tokens) == ("hi", "end_turn", 7)
    assert server.requests[0].messages[0] == ("system", "be brief")


def test_images_are_taken_in_as_either_client_sends_them(server, openai_client, anthropic_client):
    encoded = base64.b64encode(b"GIF89a red").decode()
    text = {"type": "text", "text": "What is it?"}
    url = {"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{encoded}"}}
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": encoded}}
    openai_client.chat.completions.create(model="m", messages=[{"role": "user", "content": [url, text]}])
    anthropic_client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": [block, text]}])
    for request in server.requests:
        assert request.images == [FakeImage(media_type="image/gif", data=b"GIF89a red")]
        assert request.messages == [("user", "What is it?")]
        assert "image" in request.features
    server.unsupported = {"image"}
    with pytest.raises(openai.BadRequestError, match="'image' is not supported"):
        openai_client.chat.completions.create(model="m", messages=[{"role": "user", "content": [url, text]}])
    assert openai_client.chat.completions.create(model="m", messages=USER).choices[0].message.content == "ok"


def test_streams_carry_the_same_text(server, openai_client, anthropic_client):
    server.script("one two  three", "one two  three")
    chunks = openai_client.chat.completions.create(model="m", messages=USER, stream=True)
    assert "".join(each.choices[0].delta.content or "" for each in chunks) == "one two  three"
    with anthropic_client.messages.stream(model="m", max_tokens=9, messages=USER) as stream:
        assert stream.get_final_text() == "one two  three"


def test_a_forced_tool_is_called_with_a_value_and_not_with_prose(server, openai_client, anthropic_client):
    server.script({"a": 1}, "prose", {"a": 1})
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    called = openai_client.chat.completions.create(model="m", messages=USER, tools=[tool]).choices[0].message
    assert json.loads(called.tool_calls[0].function.arguments) == {"a": 1}
    said = openai_client.chat.completions.create(model="m", messages=USER, tools=[tool]).choices[0].message
    assert (said.content, said.tool_calls) == ("prose", None)
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    done = anthropic_client.messages.create(model="m", max_tokens=9, messages=USER, tools=tools)
    assert (done.content[0].input, done.stop_reason) == ({"a": 1}, "tool_use")


def test_the_models_are_listed_and_others_unknown(server, openai_client, anthropic_client):
    server.models = ("small", "large")
    assert [each.id for each in openai_client.models.list()] == ["small", "large"]
    with pytest.raises(openai.NotFoundError):
        openai_client.chat.completions.create(model="m", messages=USER)
    with pytest.raises(anthropic.NotFoundError):
        anthropic_client.messages.create(model="m", max_tokens=9, messages=USER)


def test_only_the_key_is_accepted(server, openai_client, anthropic_client):
    server.api_key = "other"
    with pytest.raises(openai.AuthenticationError):
        openai_client.chat.completions.create(model="m", messages=USER)
    with pytest.raises(anthropic.AuthenticationError):
        anthropic_client.messages.create(model="m", max_tokens=9, messages=USER)


def test_what_is_unsupported_is_named_in_a_400(server, openai_client):
    server.unsupported = {"json_object", "temperature"}
    with pytest.raises(openai.BadRequestError, match="json_object"):
        openai_client.chat.completions.create(model="m", messages=USER, response_format={"type": "json_object"})
    with pytest.raises(openai.BadRequestError, match="temperature"):
        openai_client.chat.completions.create(model="m", messages=USER, temperature=0)
    assert openai_client.chat.completions.create(model="m", messages=USER).choices[0].message.content == "ok"


def test_a_reset_a_429_and_a_500_reach_the_client_as_such(server, openai_client):
    server.script(*(misbehave(name, "x") for name in ("reset", "429", "500")))
    with pytest.raises(openai.APIConnectionError) as failure:
        openai_client.chat.completions.create(model="m", messages=USER)
    assert "reset" in repr(failure.value.__cause__).lower()
    with pytest.raises(openai.RateLimitError) as limited:
        openai_client.chat.completions.create(model="m", messages=USER)
    assert limited.value.response.headers["retry-after"] == "1"
    with pytest.raises(openai.InternalServerError):
        openai_client.chat.completions.create(model="m", messages=USER)


def test_what_hangs_answers_when_released(server, openai_client):
    server.script(hang("at last"))
    said: list[str] = []

    def ask() -> None:
        said.append(openai_client.chat.completions.create(model="m", messages=USER).choices[0].message.content)

    asking = threading.Thread(target=ask)
    asking.start()
    assert server.wait_for(1)
    assert not said
    server.release()
    asking.join(10)
    assert said == ["at last"]


def test_stopping_lets_go_of_what_hangs_and_closes_the_port(server):
    server.script(hang())
    port = server.port
    body = json.dumps({"model": "m", "messages": USER}).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        assert server.wait_for(1)
        server.stop()
        while client.recv(4096):
            pass
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=10).close()
    server.stop()


def test_every_word_of_the_fault_lists_is_an_answer():
    legend = {"ok", "prose+json", "<think>+json", "truncated", "wrong-schema", "refuse", "429", "500", "hang"}
    assert legend <= set(MISBEHAVIOURS)
    assert all(isinstance(misbehave(name, {"a": 1}), Answer) for name in MISBEHAVIOURS)


def test_bodies_that_are_not_json_and_unknown_paths_are_told(server):
    for path, body, code in (("/v1/messages", b"{", b"400"), ("/v1/other", b"{}", b"404")):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
            head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
            client.sendall(head.encode() + body)
            assert client.makefile("rb").readline().split()[1] == code
    assert not server.requests
