"""One HTTP call to a provider of outside data: its time, size and redirects are bounded, and it is on record.

Owns the connections, their errors and the record. Needs httpx2 (`mindlog[client]`), imported when a getter is made.
Knows no provider's format.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import quote

from mindlog import __version__
from mindlog.clock import Clock, SystemClock
from mindlog.errors import MissingExtra, ProviderFailed
from mindlog.ids import new_id
from mindlog.models.inference import InferenceLog, InferenceRecord, current_run, text_hash
from mindlog.models.llm import Message
from mindlog.models.retry import retry_after
from mindlog.pipeline.context import current_stage
from mindlog.providers.answers import BadAnswer, WebReply

if TYPE_CHECKING:
    import httpx2

__all__ = ["CallLimits", "ProviderKind", "WebCall", "WebGetter"]

ProviderKind = Literal["web", "geocode", "series"]

_CONNECT_SECONDS = 10.0
_HOPS = 3
_SHOWN_CHARS = 200
_KEPT_CHARS = 2000
_TRANSIENT = frozenset({408, 425, 429})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Longer answers are read on a thread, so that none holds the loop up.
_READ_HERE = 16_384

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """seconds: for a call whole, waiting for its turn included. max_bytes: of an answer, unpacked. at_once: calls."""

    seconds: float = 20.0
    max_bytes: int = 4 << 20
    at_once: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class WebCall:
    """One request: a POST of `body` as JSON, or a GET without one.

    asked: what was asked for in words, the prompt of the record. endpoint: the address as configured, without what was
    asked. params: added to the URL's own.
    """

    asked: str
    endpoint: str
    url: str
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, Any] | None = None
    accept: str = "application/json"


class WebGetter:
    """Asks one provider. Belongs to one event loop from its first call on; retries nothing."""

    def __init__(
        self,
        provider: str,
        kind: ProviderKind,
        *,
        limits: CallLimits | None = None,
        headers: Mapping[str, str] | None = None,
        secrets: Sequence[str] = (),
        inferences: InferenceLog | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Open nothing yet. Blocks for the import and the certificates the first time.

        provider: its name, in errors and records. secrets: never shown in an error, a record or a source's address.

        Raises:
            MissingExtra: httpx2 is not installed.
        """
        self.provider = provider
        self.kind = kind
        self._limits = limits or CallLimits()
        self._headers = {
            "User-Agent": f"mindlog/{__version__}",
            "Accept-Encoding": "gzip, deflate",
            **(headers or {}),
        }
        self._secrets = _spellings(secrets)
        self._inferences = inferences or InferenceLog()
        self._clock = clock or SystemClock()
        self._http: Any = _httpx2(provider)
        # Not the client: it writes every address, and with it what was asked and the keys in it, to the log.
        self._transport = self._http.AsyncHTTPTransport()
        self._turns = asyncio.Semaphore(self._limits.at_once)

    async def ask(self, call: WebCall, read: Callable[[WebReply], Value]) -> Value:
        """What `read` makes of the answer; it may run on a thread, and raises `BadAnswer` for one it cannot use.

        Raises:
            ProviderFailed: unreachable, too slow, an error status, too large, redirected elsewhere, or not usable.
                `extra` holds `provider` and, where there are any, `http_status` and `retry_after`.
        """
        note = _Note(call=call, started_at=self._clock.now(), began=time.perf_counter_ns())
        try:
            note.reply = await self._reply(call)
            value = await self._read(note.reply, read)
        except ProviderFailed as exc:
            await self._record(note, exc.detail)
            raise
        except asyncio.CancelledError:
            await self._record(note, "cancelled")
            raise
        await self._record(note, None)
        return value

    def failed(self, what: str, *, retryable: bool = True, **extra: Any) -> ProviderFailed:
        """The provider's error, its secrets left out."""
        detail = self.without_secrets(f"{self.provider} {what}")
        return ProviderFailed(detail, retryable=retryable, provider=self.provider, **extra)

    def without_secrets(self, text: str) -> str:
        """The text with every secret of the provider replaced, plain or percent-encoded."""
        for secret in self._secrets:
            text = text.replace(secret, "(key)")
        return text

    async def aclose(self) -> None:
        """Close the connections, after the records under way."""
        await self._inferences.aclose()
        await self._transport.aclose()

    async def _read(self, reply: WebReply, read: Callable[[WebReply], Value]) -> Value:
        try:
            if len(reply.content) <= _READ_HERE:
                return read(reply)
            return await asyncio.to_thread(read, reply)
        except BadAnswer as exc:
            # Its text may quote a key that the provider gave back.
            raise self.failed(f"gave an answer that cannot be used: {exc}") from None

    async def _reply(self, call: WebCall) -> WebReply:
        seconds, sent = self._limits.seconds, False
        try:
            async with asyncio.timeout(seconds), self._turns:
                sent = True
                return await self._answered(call)
        except TimeoutError as exc:
            why = "did not answer" if sent else "was busy with other calls and not asked"
            raise self.failed(f"{why} within {seconds:g} s") from exc

    async def _answered(self, call: WebCall) -> WebReply:
        try:
            url = self._http.URL(call.url)
            # Merging writes the query anew, in its own spelling.
            url = url.copy_merge_params(dict(call.params)) if call.params else url
            for _ in range(_HOPS + 1):
                response = await self._send(call, url)
                try:
                    if response.status_code not in _REDIRECTS:
                        return await self._taken(response, url)
                finally:
                    await response.aclose()
                url = self._next(call, url, response)
        except (self._http.InvalidURL, self._http.UnsupportedProtocol) as exc:
            raise self.failed(f"has an address that is none: {exc}", retryable=False) from None
        except self._http.TimeoutException as exc:
            raise self.failed("did not answer in time") from exc
        except self._http.RequestError as exc:
            raise self.failed(f"gave no answer: {str(exc) or type(exc).__name__}") from exc
        raise self.failed(f"redirects more than {_HOPS} times")

    async def _send(self, call: WebCall, url: httpx2.URL) -> httpx2.Response:
        seconds = self._limits.seconds
        timeout = self._http.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
        request = self._http.Request(
            "GET" if call.body is None else "POST",
            url,
            headers={"Accept": call.accept, **self._headers},
            json=call.body,
            extensions={"timeout": timeout.as_dict()},
        )
        return await self._transport.handle_async_request(request)

    def _next(self, call: WebCall, url: httpx2.URL, response: httpx2.Response) -> httpx2.URL:
        """Where a redirect leads, if that is the same host: what was asked and the key go nowhere else."""
        target = url.join(response.headers.get("location", ""))
        if call.body is not None or target.userinfo or not _is_same_host(url, target):
            raise self.failed(f"redirects elsewhere: to {target.scheme}://{target.netloc.decode('ascii')}")
        return target

    async def _taken(self, response: httpx2.Response, url: httpx2.URL) -> WebReply:
        content = bytearray()
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > self._limits.max_bytes:
                raise self.failed(f"answered with more than {self._limits.max_bytes} bytes")
        if response.status_code != 200:
            raise self._refusal(response, bytes(content))
        return WebReply(
            content=bytes(content),
            content_type=response.headers.get("content-type", ""),
            url=self.without_secrets(str(url)),
        )

    def _refusal(self, response: httpx2.Response, content: bytes) -> ProviderFailed:
        status = response.status_code
        # Secrets are left out before the text is cut: a part of one would be left otherwise.
        said = " ".join(self.without_secrets(_text(content)).split())[:_SHOWN_CHARS]
        return self.failed(
            f"answered {status}: {said}",
            retryable=status in _TRANSIENT or not 400 <= status < 500,
            http_status=status,
            retry_after=retry_after(response.headers.get("retry-after")),
        )

    async def _record(self, note: _Note, error: str | None) -> None:
        call, run = note.call, current_run()
        prompt = (Message("user", call.asked),)
        output = None if note.reply is None else self.without_secrets(_text(note.reply.content))[:_KEPT_CHARS]
        record = InferenceRecord(
            id=new_id("inf"),
            stage=current_stage(),
            run_id=run.run_id if run else None,
            dataset=run.dataset if run else None,
            provider=self.kind,
            model=self.provider,
            mode="get" if call.body is None else "post",
            parameters={"endpoint": self.without_secrets(call.endpoint)},
            prompt=prompt,
            prompt_hash=text_hash(prompt),
            output=output,
            output_hash=None if output is None else text_hash(output),
            input_tokens=None,
            output_tokens=None,
            cost=None,
            started_at=note.started_at,
            finished_at=self._clock.now(),
            latency_us=(time.perf_counter_ns() - note.began) // 1000,
            attempt=1,
            # What stands behind the colon may quote the answer.
            error=error if error is None or self._inferences.keeps_texts else error.partition(":")[0],
        )
        await self._inferences.record(record)


@dataclass(slots=True, kw_only=True)
class _Note:
    """A call under way. began: nanoseconds of the performance counter."""

    call: WebCall
    started_at: int
    began: int
    reply: WebReply | None = None


def _is_same_host(url: httpx2.URL, target: httpx2.URL) -> bool:
    """The same scheme, host and port, or the same host by https where both ports are the usual ones."""
    if target.host != url.host:
        return False
    return (target.scheme, target.port) in {(url.scheme, url.port), ("https", None if url.port is None else -1)}


def _text(content: bytes) -> str:
    """The beginning of an answer: enough for what is kept of it, in any script."""
    return content[: _KEPT_CHARS * 8].decode("utf-8", "replace")


def _spellings(secrets: Sequence[str]) -> tuple[str, ...]:
    """Longest first, so that none is left in part because another one is in it."""
    written = {spelling for each in secrets if each for spelling in (each, quote(each, safe=""))}
    return tuple(sorted(written, key=len, reverse=True))


def _httpx2(provider: str) -> ModuleType:
    try:
        return importlib.import_module("httpx2")
    except ImportError as exc:
        raise MissingExtra(f"the provider {provider!r} needs httpx2: pip install 'mindlog[client]'") from exc
