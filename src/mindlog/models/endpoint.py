"""The seam below the language model: one request to one endpoint, and its errors. Knows no ladder, record or budget.

Owns how statuses and the vendors' clients' errors map to mindlog's, the same for every protocol.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

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

if TYPE_CHECKING:
    import httpx2

__all__ = ["ChatEndpoint", "ChatReply", "ChatRequest", "VendorEndpoint", "http_error"]

_CONNECT_SECONDS = 10.0
# The clients want a key and look for one in the environment otherwise; local servers ignore it.
_NO_KEY = "none"
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

    @property
    def shows_schema(self) -> bool:
        """Whether the model is told the schema it decodes under; if not, the prompt must hold it as well."""
        ...

    async def send(self, request: ChatRequest, say: Callable[[str], None] | None = None) -> ChatReply:
        """Send once, without retries, within the time limit. say: takes the pieces of the text as they come.

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


class VendorEndpoint:
    """What the protocols share: a vendor's own client, asked once without its retries, and its errors as mindlog's."""

    def __init__(self, vendor: str, base_url: str, *, api_key: str | None, timeout: float) -> None:
        """Import the client of the vendor ("OpenAI"), which blocks for up to two seconds the first time.

        timeout: seconds for a whole call.

        Raises:
            MissingExtra: the client is not installed.
            ConfigError: the address is none.
            LlmMisconfigured: the key is none that a header can hold.
        """
        _check_address(base_url, api_key)
        self._library = _client_library(vendor.lower())
        self._http: Any = _client_library("httpx2")
        self._error: type[Exception] = getattr(self._library, f"{vendor}Error")
        self._client = getattr(self._library, f"Async{vendor}")(
            base_url=base_url,
            api_key=api_key or _NO_KEY,
            max_retries=0,
            timeout=self._http.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS)),
        )
        self._key = api_key
        self._timeout = timeout

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _post(self, path: str, body: dict[str, Any]) -> bytes:
        """The body of a 200, whatever it holds: endpoints that differ in a field are read by us, not refused."""
        async with _deadline(self._timeout):
            response = await self._answered(path, body)
        return response.content

    async def _stream(self, path: str, body: dict[str, Any], take: Callable[[str], None]) -> bytes | None:
        """Hand over the data of every event of a streamed answer; the body of one that was given whole instead."""
        async with _deadline(self._timeout):
            response = await self._answered(path, body, stream=True, stream_cls=object)
            try:
                if "event-stream" not in response.headers.get("content-type", ""):
                    return await response.aread()
                async for data in _event_data(response.aiter_lines()):
                    take(data)
            except self._http.HTTPError as exc:
                raise LlmFailed(f"the LLM endpoint broke its answer off: {exc}", sent=True) from exc
            finally:
                await response.aclose()
        return None

    async def _answered(self, path: str, body: dict[str, Any], **how: Any) -> httpx2.Response:
        library = self._library
        try:
            return await self._client.post(path, body=body, cast_to=self._http.Response, **how)
        except library.APIStatusError as exc:
            raise http_error(exc.status_code, self._without_key(exc.response.text), exc.response.headers) from exc
        except library.APITimeoutError as exc:
            raise _too_slow(self._timeout) from exc
        except self._error as exc:
            raise LlmFailed(f"the LLM endpoint cannot be reached: {exc.__cause__ or exc}") from exc

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "(key)") if self._key else text


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


async def _event_data(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield the data of each server-sent event of a response's lines."""
    data: list[str] = []
    async for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line.strip() and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


@asynccontextmanager
async def _deadline(seconds: float) -> AsyncGenerator[None]:
    """Bounds a whole request: a server that sends a byte now and then is as good as one that hangs."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as exc:
        raise _too_slow(seconds) from exc


def _too_slow(seconds: float) -> LlmFailed:
    return LlmFailed(f"the LLM endpoint did not answer within {seconds:g} s", sent=True)


def _client_library(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as exc:
        raise MissingExtra(f"the LLM protocol {name!r} needs its client: pip install 'mindlog[{name}]'") from exc


def _check_address(url: str, api_key: str | None) -> None:
    if not re.match(r"https?://[^\s/]", url):
        raise ConfigError(f"the LLM's address must begin with http:// or https://, not {url[:80]!r}", field="llm_url")
    if api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", api_key):
        raise LlmMisconfigured("the LLM's API key has characters that no key has", field="llm_api_key")
