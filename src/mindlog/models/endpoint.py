"""The seam below the language model: one request to one endpoint, and its errors. Knows no ladder, record or budget.

Owns how HTTP statuses map to mindlog's errors, the same for every protocol.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

from mindlog.errors import (
    ConfigError,
    LlmFailed,
    LlmMisconfigured,
    LlmRefused,
    MindlogError,
    MissingExtra,
)
from mindlog.models.llm import Message, Reasoning, Usage
from mindlog.models.modes import Mode
from mindlog.models.retry import retry_after
from mindlog.models.schema import AnswerSchema

__all__ = ["ChatEndpoint", "ChatReply", "ChatRequest", "check_address", "client_library", "deadline", "http_error"]

CONNECT_SECONDS = 10.0
_SHOWN_CHARS = 500
_TRANSIENT = frozenset({408, 409, 425, 429})
# Answered with 400 or 429 by some, and no retry will help.
_NO_QUOTA = re.compile(r"insufficient_quota|credit balance|billing", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model_not_found|model.{0,80}(not found|not exist|does not exist)|(unknown|invalid) model",
    re.IGNORECASE | re.DOTALL,
)
_CONTENT_POLICY = re.compile(r"content_filter|content_policy_violation|content management policy", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One call. schema: None for a text. dropped: optional parameters the model was found to refuse."""

    model: str
    messages: tuple[Message, ...]
    mode: Mode
    max_tokens: int
    schema: AnswerSchema | None = None
    reasoning: Reasoning | None = None
    dropped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What the model said. text: its answer, or the arguments of the tool it called, as JSON.

    usage: None if the endpoint does not tell. cut_off: it ended at the length limit. refusal: why it declined.
    """

    text: str
    usage: Usage | None = None
    cut_off: bool = False
    refusal: str | None = None


class ChatEndpoint(Protocol):
    """An endpoint that answers chats."""

    @property
    def provider(self) -> str:
        """The protocol's name."""
        ...

    @property
    def modes(self) -> tuple[Mode, ...]:
        """What the protocol knows, strongest first."""
        ...

    @property
    def optional(self) -> tuple[str, ...]:
        """Parameters that it may go without where a model refuses them."""
        ...

    async def send(self, request: ChatRequest) -> ChatReply:
        """Send once, without retries, within the time limit.

        Raises:
            LlmFailed: unreachable, too slow, an error status, or an answer that is not the protocol's.
            LlmMisconfigured: 401, 403, an unknown model, no quota.
            LlmRefused: turned down by a content policy.
        """
        ...

    def parameters(self, request: ChatRequest) -> dict[str, Any]:
        """What is sent besides the messages and the schema, for the record."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


def http_error(status: int, message: str, headers: Mapping[str, str]) -> MindlogError:
    """The error for an answer with this status; `extra` holds `http_status` and, if asked, `retry_after` seconds."""
    detail = f"the LLM endpoint answered {status}: {message[:_SHOWN_CHARS]}"
    if status == 400 and _CONTENT_POLICY.search(message):
        return LlmRefused(detail, http_status=status)
    if status in (401, 402, 403, 404) or _is_misconfigured(status, message):
        return LlmMisconfigured(detail, http_status=status)
    retryable = status in _TRANSIENT or status >= 500
    return LlmFailed(detail, retryable=retryable, http_status=status, retry_after=_pause(headers))


def _is_misconfigured(status: int, message: str) -> bool:
    if status in (400, 429) and _NO_QUOTA.search(message):
        return True
    return status == 400 and _NO_MODEL.search(message) is not None


def _pause(headers: Mapping[str, str]) -> float | None:
    milliseconds = headers.get("retry-after-ms", "")
    return float(milliseconds) / 1000 if milliseconds.isdecimal() else retry_after(headers.get("retry-after"))


@asynccontextmanager
async def deadline(seconds: float) -> AsyncGenerator[None]:
    """Bounds a whole request: a server that sends a byte now and then is as good as one that hangs."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as exc:
        raise LlmFailed(f"the LLM endpoint did not answer within {seconds:g} s", sent=True) from exc


def client_library(name: str) -> ModuleType:
    """Import a vendor's client; blocks for up to two seconds the first time.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as exc:
        raise MissingExtra(f"the LLM protocol {name!r} needs its client: pip install 'mindlog[{name}]'") from exc


def check_address(url: str, api_key: str | None) -> None:
    """Refuse an address that is none (`ConfigError`) and a key that no header can hold (`LlmMisconfigured`)."""
    if not re.match(r"https?://[^\s/]", url):
        raise ConfigError(f"the LLM's address must begin with http:// or https://, not {url[:80]!r}", field="llm_url")
    if api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", api_key):
        raise LlmMisconfigured("the LLM's API key has characters that no key has", field="llm_api_key")
