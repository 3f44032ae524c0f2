"""The two protocols of the fake language model server: requests read, answers written. Owns no socket and no script."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mindlog.testing.llm_answers import Answer

__all__ = ["FakeImage", "FakeRequest", "answer_body", "error_body", "stream_events"]

Protocol = Literal["openai", "anthropic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeImage:
    """An image as it came in, decoded."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeRequest:
    """One request as it came in. headers: names in lower case. body: the decoded JSON."""

    protocol: Protocol
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body.get("model", ""))

    @property
    def key(self) -> str | None:
        """The API key, as either protocol sends it."""
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ") or None

    @property
    def messages(self) -> list[tuple[str, str]]:
        """(role, text) of every message; an Anthropic system prompt comes first."""
        system = [("system", str(self.body["system"]))] if self.body.get("system") else []
        return system + [(each["role"], _text(each["content"])) for each in self.body.get("messages", ())]

    @property
    def images(self) -> list[FakeImage]:
        """Every image of the messages, in order. `ValueError` for one that is not base64."""
        contents = [each["content"] for each in self.body.get("messages", ())]
        parts = [part for content in contents if isinstance(content, list) for part in content]
        return [image for part in parts if (image := _image(part)) is not None]

    @property
    def prompt(self) -> str:
        """All contents, joined by line breaks."""
        return "\n".join(content for _, content in self.messages)

    @property
    def mode(self) -> Literal["json_schema", "json_object", "tool", "plain"]:
        """How the answer is asked for; a schema in the prompt alone is "plain"."""
        if self.body.get("tools"):
            return "tool"
        kind = _form(self.body).get("type")
        return kind if kind in ("json_schema", "json_object") else "plain"

    @property
    def features(self) -> frozenset[str]:
        """Names of the parameters in the body, the mode, and "image": what an endpoint may turn out not to support."""
        shown = {"image"} if self.images else set[str]()
        return frozenset({*self.body, *self.body.get("output_config", {}), self.mode, *shown})

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON Schema asked for: of the format, of the tool, or the last in the prompt."""
        if self.mode == "tool":
            tool = self.body["tools"][0]
            return tool["input_schema"] if self.protocol == "anthropic" else tool["function"]["parameters"]
        form = _form(self.body)
        found: dict[str, Any] | None = form.get("schema") or form.get("json_schema", {}).get("schema")
        return found or _schema_in(self.prompt)


def _text(content: Any) -> str:
    if not isinstance(content, list):
        return str(content)
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def _image(part: Mapping[str, Any]) -> FakeImage | None:
    if part.get("type") == "image":
        return FakeImage(media_type=part["source"]["media_type"], data=_decoded(part["source"]["data"]))
    if part.get("type") == "image_url":
        kind, _, data = part["image_url"]["url"].removeprefix("data:").partition(";base64,")
        return FakeImage(media_type=kind, data=_decoded(data))
    return None


def _decoded(data: str) -> bytes:
    return b64decode(data, validate=True)


def _form(body: Mapping[str, Any]) -> Mapping[str, Any]:
    return body.get("response_format") or body.get("output_config", {}).get("format") or {}


def _schema_in(prompt: str) -> dict[str, Any] | None:
    at = prompt.rfind("JSON Schema, and nothing else:\n{")
    return None if at < 0 else json.JSONDecoder().raw_decode(prompt, prompt.index("{", at))[0]


def error_body(protocol: Protocol, code: int, message: str) -> dict[str, Any]:
    """An error as the protocol writes it."""
    kind = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}.get(code, "api_error")
    kind = "invalid_request_error" if code == 400 else kind
    if protocol == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}}
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def answer_body(request: FakeRequest, answer: Answer) -> dict[str, Any]:
    """An answer as the request's protocol writes it."""
    return _message(request, answer) if request.protocol == "anthropic" else _completion(request, answer)


def stream_events(request: FakeRequest, answer: Answer) -> Iterator[str]:
    """The same as server-sent events: texts and refusals a word at a time; tool calls are not streamed."""
    words = [word + " " for word in (answer.refusal or answer.text).split(" ")]
    words[-1] = words[-1][:-1]
    return (
        _message_events(request, answer, words) if request.protocol == "anthropic" else _chunks(request, answer, words)
    )


def _completion(request: FakeRequest, answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    finish = "length" if answer.cut_off else "stop"
    if answer.refusal is not None:
        message["content"] = None
    elif request.mode == "tool" and answer.whole:
        function = {"name": request.body["tools"][0]["function"]["name"], "arguments": answer.text}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    taken = _tokens(request, answer)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": request.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": taken[0], "completion_tokens": taken[1], "total_tokens": sum(taken)},
    }


def _message(request: FakeRequest, answer: Answer) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    reason = "max_tokens" if answer.cut_off else "end_turn"
    if answer.refusal is not None:
        content, reason = [{"type": "text", "text": answer.refusal}], "refusal"
    elif request.mode == "tool" and answer.whole:
        name = request.body["tools"][0]["name"]
        content = [{"type": "tool_use", "id": "toolu_1", "name": name, "input": json.loads(answer.text)}]
        reason = "tool_use"
    taken = _tokens(request, answer)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": taken[0], "output_tokens": taken[1]},
    }


def _tokens(request: FakeRequest, answer: Answer) -> tuple[int, int]:
    return answer.tokens or (len(request.prompt.split()), len(answer.text.split()))


def _chunks(request: FakeRequest, answer: Answer, words: list[str]) -> Iterator[str]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": request.model}
    field = "content" if answer.refusal is None else "refusal"
    for word in words:
        choice = {"index": 0, "delta": {"role": "assistant", field: word}, "finish_reason": None}
        yield f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"
    last = {"index": 0, "delta": {}, "finish_reason": "length" if answer.cut_off else "stop"}
    yield f"data: {json.dumps({**head, 'choices': [last]})}\n\n"
    if request.body.get("stream_options", {}).get("include_usage"):
        yield f"data: {json.dumps({**head, 'choices': [], 'usage': _completion(request, answer)['usage']})}\n\n"
    yield "data: [DONE]\n\n"


def _message_events(request: FakeRequest, answer: Answer, words: list[str]) -> Iterator[str]:
    whole = _message(request, answer)
    start = {**whole, "content": [], "stop_reason": None}
    yield _event("message_start", message=start)
    yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for word in words:
        yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": word})
    yield _event("content_block_stop", index=0)
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage=whole["usage"])
    yield _event("message_stop")


def _event(kind: str, **facts: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **facts})}\n\n"
