"""The Anthropic messages protocol. Owns the wire format; needs the `anthropic` client (`mindlog[anthropic]`).

The client is imported when an endpoint is made. Knows no ladder.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from mindlog.errors import LlmFailed
from mindlog.models.endpoint import ChatReply, ChatRequest, VendorEndpoint, http_error
from mindlog.models.llm import ImagePart, Message, Reasoning, Usage
from mindlog.models.modes import Mode
from mindlog.models.streaming import Telling

__all__ = ["ANTHROPIC_URL", "AnthropicEndpoint"]

ANTHROPIC_URL = "https://api.anthropic.com"
_CUT_OFF = frozenset({"max_tokens", "model_context_window_exceeded"})


class AnthropicEndpoint(VendorEndpoint):
    """One endpoint that speaks the protocol. Making one blocks for the client's import."""

    provider = "anthropic"
    modes = (Mode.JSON_SCHEMA, Mode.TOOL, Mode.PROMPT)
    optional = ("effort", "thinking")
    shows_schema = True

    def __init__(self, base_url: str = ANTHROPIC_URL, *, api_key: str | None = None, timeout: float = 60.0) -> None:
        """base_url: without a `/v1`. For the rest and what it raises see `VendorEndpoint`."""
        super().__init__("Anthropic", base_url, api_key=api_key, timeout=timeout)

    async def send(self, request: ChatRequest, say: Callable[[str], None] | None = None) -> ChatReply:
        """See `ChatEndpoint.send`."""
        system = "\n\n".join(each.content for each in request.messages if each.role == "system")
        turns = [{"role": each.role, "content": _content(each)} for each in request.messages if each.role != "system"]
        body = {"model": request.model, "messages": turns, **_effort(request), **_structure(request)}
        body |= {"max_tokens": request.max_tokens} | ({"system": system} if system else {})
        if (config := _output_config(request)) is not None:
            body["output_config"] = config
        if say is None:
            return _read(await self._post("/v1/messages", body))
        telling = Telling(say)
        whole = await self._stream("/v1/messages", {**body, "stream": True}, lambda data: _hear(telling, data))
        return _told(telling, whole)

    def parameters(self, request: ChatRequest) -> dict[str, Any]:
        """See `ChatEndpoint.parameters`."""
        effort = _wanted_effort(request)
        return {"max_tokens": request.max_tokens, **_effort(request), **({"effort": effort} if effort else {})}


def _content(message: Message) -> str | list[dict[str, Any]]:
    if not message.images:
        return message.content
    shown = [{"type": "image", "source": _source(each)} for each in message.images]
    return [*shown, {"type": "text", "text": message.content}]


def _source(image: ImagePart) -> dict[str, str]:
    return {"type": "base64", "media_type": image.media_type, "data": b64encode(image.data).decode()}


def _structure(request: ChatRequest) -> dict[str, Any]:
    if request.schema is None or request.mode is not Mode.TOOL:
        return {}
    name = request.schema.name
    tool = {"name": name, "description": "Give the answer.", "input_schema": request.schema.document}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": name}}


def _output_config(request: ChatRequest) -> dict[str, Any] | None:
    config: dict[str, Any] = {}
    if request.schema is not None and request.mode is Mode.JSON_SCHEMA:
        config["format"] = {"type": "json_schema", "schema": request.schema.strict or request.schema.document}
    if effort := _wanted_effort(request):
        config["effort"] = effort
    return config or None


def _wanted_effort(request: ChatRequest) -> Reasoning | None:
    """There is no effort "minimal", and "none" is the thinking switched off."""
    if request.reasoning in (None, "none") or "effort" in request.dropped:
        return None
    return "low" if request.reasoning == "minimal" else request.reasoning


def _effort(request: ChatRequest) -> dict[str, Any]:
    off = request.reasoning == "none" and "thinking" not in request.dropped
    return {"thinking": {"type": "disabled"}} if off else {}


class _Block(BaseModel):
    type: str
    text: str = ""
    input: dict[str, Any] | None = None


class _Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Reply(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None


def _read(body: bytes) -> ChatReply:
    try:
        reply = _Reply.model_validate_json(body)
    except ValidationError as exc:
        what = exc.errors(include_input=False)[0]["msg"]
        raise LlmFailed(f"the LLM endpoint's answer is not a message: {what}", sent=True) from exc
    text = _said(reply.content)
    return ChatReply(
        text=text,
        usage=_usage(reply.usage),
        cut_off=reply.stop_reason in _CUT_OFF,
        refusal=(text or "no reason given") if reply.stop_reason == "refusal" else None,
    )


class _Delta(BaseModel):
    text: str | None = None
    stop_reason: str | None = None


class _Fault(BaseModel):
    type: str = ""
    message: str = ""


class _Started(BaseModel):
    usage: _Usage | None = None


class _Event(BaseModel):
    type: str
    message: _Started | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None
    error: _Fault | None = None


_FAULT_STATUS = {"overloaded_error": 529, "rate_limit_error": 429, "authentication_error": 401, "permission_error": 403}


def _hear(telling: Telling, data: str) -> None:
    """Take one event of a stream in."""
    try:
        event = _Event.model_validate_json(data)
    except ValidationError as exc:
        what = exc.errors(include_input=False)[0]["msg"]
        raise LlmFailed(f"the LLM endpoint's answer is not a message: {what}", sent=True) from exc
    if event.error is not None:
        raise http_error(_FAULT_STATUS.get(event.error.type, 502), event.error.message, {})
    told = event.usage or (event.message and event.message.usage)
    if told is not None:
        telling.usage = _added(telling.usage, _usage(told))
    if event.type == "content_block_delta" and event.delta is not None:
        telling.piece(event.delta.text or "")
    if event.delta is not None and event.delta.stop_reason is not None:
        telling.cut_off = event.delta.stop_reason in _CUT_OFF
        telling.ended = True
        if event.delta.stop_reason == "refusal":
            telling.refusal = "".join(telling.text) or "no reason given"


def _added(before: Usage | None, now: Usage | None) -> Usage | None:
    """Return the usage of a stream: its first event tells of the input, its last of the output, some of both."""
    if before is None or now is None:
        return now or before
    return Usage(
        input_tokens=max(before.input_tokens, now.input_tokens),
        output_tokens=max(before.output_tokens, now.output_tokens),
    )


def _told(telling: Telling, whole: bytes | None) -> ChatReply:
    """Return the reply of a stream, or of an endpoint that does not stream and gave all at once."""
    if whole is not None:
        reply = _read(whole)
        telling.piece(reply.text)
        return reply
    if not telling.ended:
        raise LlmFailed("the LLM endpoint broke its answer off", sent=True)
    return telling.reply()


def _said(blocks: list[_Block]) -> str:
    called = [block.input for block in blocks if block.type == "tool_use" and block.input is not None]
    if called:
        return json.dumps(called[0], ensure_ascii=False)
    return "".join(block.text for block in blocks if block.type == "text")


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    cached = (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return Usage(input_tokens=max(usage.input_tokens + cached, 0), output_tokens=max(usage.output_tokens, 0))
