"""The OpenAI chat completions protocol, as OpenAI, Ollama, vLLM, llama.cpp and many others speak it.

Owns the wire format. Needs the `openai` client (`mindlog[openai]`), imported when one is made. Knows no ladder.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from mindlog.errors import LlmFailed
from mindlog.models.endpoint import ChatReply, ChatRequest, VendorEndpoint, http_error
from mindlog.models.llm import ImagePart, Message, Usage
from mindlog.models.modes import BOUNDS, Mode
from mindlog.models.streaming import Telling

__all__ = ["OPENAI_URL", "OpenAIEndpoint"]

OPENAI_URL = "https://api.openai.com/v1"


class OpenAIEndpoint(VendorEndpoint):
    """One endpoint that speaks the protocol. Making one blocks for the client's import."""

    provider = "openai"
    modes = (Mode.JSON_SCHEMA, Mode.JSON_OBJECT, Mode.TOOL, Mode.PROMPT)
    optional = ("max_tokens", "temperature", "reasoning_effort", "stream_options", BOUNDS)

    def __init__(
        self,
        base_url: str = OPENAI_URL,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        temperature: float | None = 0.0,
    ) -> None:
        """base_url: with the `/v1`. temperature: None for the model's own. For the rest see `VendorEndpoint`."""
        super().__init__("OpenAI", base_url, api_key=api_key, timeout=timeout)
        self._temperature = temperature
        # Other servers keep the model to the schema and say nothing of it.
        self.shows_schema = base_url.rstrip("/") == OPENAI_URL

    async def send(self, request: ChatRequest, say: Callable[[str], None] | None = None) -> ChatReply:
        """See `ChatEndpoint.send`."""
        messages = [{"role": each.role, "content": _content(each)} for each in request.messages]
        body = {"model": request.model, "messages": messages, **self.parameters(request), **_structure(request)}
        if say is None:
            return _read(await self._post("/chat/completions", body))
        body |= {"stream": True}
        if "stream_options" not in request.dropped:
            body["stream_options"] = {"include_usage": True}
        telling = Telling(say)
        whole = await self._stream("/chat/completions", body, lambda data: _hear(telling, data))
        return _told(telling, whole)

    def parameters(self, request: ChatRequest) -> dict[str, Any]:
        """See `ChatEndpoint.parameters`."""
        limit = "max_completion_tokens" if "max_tokens" in request.dropped else "max_tokens"
        wanted = {limit: request.max_tokens, "temperature": self._temperature, "reasoning_effort": request.reasoning}
        return {name: value for name, value in wanted.items() if value is not None and name not in request.dropped}


def _content(message: Message) -> str | list[dict[str, Any]]:
    """A text alone stays a text: not every server takes parts."""
    if not message.images:
        return message.content
    shown = [{"type": "image_url", "image_url": {"url": _data_url(each)}} for each in message.images]
    return [*shown, {"type": "text", "text": message.content}]


def _data_url(image: ImagePart) -> str:
    return f"data:{image.media_type};base64,{b64encode(image.data).decode()}"


def _structure(request: ChatRequest) -> dict[str, Any]:
    schema = request.schema
    if schema is None or request.mode in (Mode.PROMPT, Mode.TEXT):
        return {}
    if request.mode is Mode.JSON_OBJECT:
        return {"response_format": {"type": "json_object"}}
    if request.mode is Mode.TOOL:
        function = {"name": schema.name, "description": "Give the answer.", "parameters": schema.document}
        choice = {"type": "function", "function": {"name": schema.name}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    strict = schema.strict if BOUNDS in request.dropped else schema.bounded
    form = {"name": schema.name, "schema": strict or schema.document, "strict": strict is not None}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


class _Function(BaseModel):
    # A string by the protocol; some servers send the object itself.
    arguments: str | dict[str, Any] = ""


class _ToolCall(BaseModel):
    function: _Function


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


class _Error(BaseModel):
    message: str = ""
    code: int | str | None = None


class _Reply(BaseModel):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: _Error | None = None


def _read(body: bytes) -> ChatReply:
    try:
        reply = _Reply.model_validate_json(body)
    except ValidationError as exc:
        what = exc.errors(include_input=False)[0]["msg"]
        raise LlmFailed(f"the LLM endpoint's answer is not a chat completion: {what}", sent=True) from exc
    _check_error(reply.error)
    if not reply.choices:
        raise LlmFailed("the LLM endpoint's answer holds no choice", sent=True)
    return _reply(reply.choices[0], _usage(reply.usage))


class _Delta(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _ChunkChoice(BaseModel):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Chunk(BaseModel):
    choices: list[_ChunkChoice] | None = None
    usage: _Usage | None = None
    error: _Error | None = None


def _hear(telling: Telling, data: str) -> None:
    """Take one event of a stream in."""
    if data.strip() == "[DONE]":
        telling.ended = True
        return
    try:
        chunk = _Chunk.model_validate_json(data)
    except ValidationError as exc:
        what = exc.errors(include_input=False)[0]["msg"]
        raise LlmFailed(f"the LLM endpoint's answer is not a chat completion: {what}", sent=True) from exc
    _check_error(chunk.error)
    telling.usage = _usage(chunk.usage) or telling.usage
    for choice in chunk.choices or ():
        telling.piece(choice.delta.content or "")
        telling.refusal += choice.delta.refusal or ""
        if choice.finish_reason == "content_filter":
            telling.refusal = telling.refusal or "stopped by the content filter"
        telling.cut_off |= choice.finish_reason == "length"
        telling.ended |= choice.finish_reason is not None


def _told(telling: Telling, whole: bytes | None) -> ChatReply:
    """Return the reply of a stream, or of an endpoint that does not stream and gave all at once."""
    if whole is not None:
        reply = _read(whole)
        telling.piece(reply.text)
        return reply
    if not telling.ended:
        raise LlmFailed("the LLM endpoint broke its answer off", sent=True)
    return telling.reply()


def _check_error(error: _Error | None) -> None:
    if error is not None:
        # Routers report an upstream fault in the body of a 200.
        code = error.code
        raise http_error(code if isinstance(code, int) and code >= 400 else 502, error.message, {})


def _reply(choice: _Choice, usage: Usage | None) -> ChatReply:
    refusal = choice.message.refusal
    if choice.finish_reason == "content_filter":
        refusal = refusal or "stopped by the content filter"
    return ChatReply(
        text=_said(choice.message), usage=usage, cut_off=choice.finish_reason == "length", refusal=refusal or None
    )


def _said(message: _Message) -> str:
    if message.tool_calls:
        arguments = message.tool_calls[0].function.arguments
        return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    content = message.content
    return "".join(part.text for part in content) if isinstance(content, list) else content or ""


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None or (usage.prompt_tokens is None and usage.completion_tokens is None):
        return None
    tokens = max(usage.prompt_tokens or 0, 0), max(usage.completion_tokens or 0, 0)
    return Usage(input_tokens=tokens[0], output_tokens=tokens[1], cost=usage.cost)
