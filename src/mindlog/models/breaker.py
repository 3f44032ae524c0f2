"""Spares an endpoint that fails: after some failures in a row nothing is sent for a while, then one call tries it again.

Owns how many calls are made at a time and when none is; knows no provider, prompt or budget.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar, overload

from pydantic import BaseModel

from mindlog.clock import Clock
from mindlog.errors import LlmBadOutput, LlmFailed, LlmMisconfigured, LlmPaused, LlmRefused, MindlogError
from mindlog.models.llm import LLM, JsonSchema, Message, Reasoning, StructuredResult, TextResult

__all__ = ["GuardState", "GuardedLLM", "Passage"]

_SECOND = 1_000_000
# While the one call that tries it is under way, nobody knows how long: the others ask again after this.
_TRIAL_SECONDS = 1.0

Model = TypeVar("Model", bound=BaseModel)
Result = TypeVar("Result")


class Passage(StrEnum):
    """Whether calls are let through."""

    OPEN = "open"  #: every call is sent
    PAUSED = "paused"  #: none is sent before `until`, then one; it decides


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardState:
    """How the endpoint does, for a health report.

    failures: in a row. reason: the last of them, None without any. until: microseconds since the epoch, None if open.
    """

    passage: Passage
    failures: int
    reason: str | None
    until: int | None


class GuardedLLM:
    """An `LLM` that fails at once with `LlmPaused` while the endpoint of the one inside is down. On one event loop.

    Failures that count are those of the endpoint: no answer, overload, a server's error, a key or an account that it does
    not take. An answer that cannot be used, a refusal and a request that is at fault show that it is up.
    """

    def __init__(
        self, llm: LLM, clock: Clock, *, failures: int = 3, pause_seconds: float = 30.0, concurrency: int = 4
    ) -> None:
        """failures: in a row that bring the pause. concurrency: most calls at a time; more of them wait."""
        self._llm = llm
        self._clock = clock
        self._limit = failures
        self._pause = round(pause_seconds * _SECOND)
        self._slots = asyncio.Semaphore(concurrency)
        self._failures = 0
        self._reason: str | None = None
        self._asked_until = 0
        self._until: int | None = None
        self._trying = False

    @property
    def provider(self) -> str:
        """See `LLM.provider`."""
        return self._llm.provider

    @property
    def model(self) -> str:
        """See `LLM.model`."""
        return self._llm.model

    @property
    def state(self) -> GuardState:
        """How the endpoint does. It stays paused after the pause until a call has tried it."""
        passage = Passage.OPEN if self._until is None else Passage.PAUSED
        return GuardState(passage=passage, failures=self._failures, reason=self._reason, until=self._until)

    @overload
    async def structured(
        self,
        messages: Sequence[Message],
        schema: type[Model],
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
    ) -> StructuredResult[Model]: ...

    @overload
    async def structured(
        self,
        messages: Sequence[Message],
        schema: JsonSchema,
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
    ) -> StructuredResult[dict[str, Any]]: ...

    async def structured(
        self,
        messages: Sequence[Message],
        schema: type[BaseModel] | JsonSchema,
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
    ) -> StructuredResult[Any]:
        """See `LLM.structured`; `LlmPaused` while the endpoint is spared."""
        return await self._guarded(lambda: self._llm.structured(messages, schema, model=model, reasoning=reasoning))

    async def text(
        self,
        messages: Sequence[Message],
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
        say: Callable[[str], None] | None = None,
    ) -> TextResult:
        """See `LLM.text`; `LlmPaused` while the endpoint is spared."""
        return await self._guarded(lambda: self._llm.text(messages, model=model, reasoning=reasoning, say=say))

    async def aclose(self) -> None:
        """Close the one inside."""
        await self._llm.aclose()

    async def _guarded(self, ask: Callable[[], Awaitable[Result]]) -> Result:
        # Looked at before the wait for a slot and after it: the pause may have come meanwhile.
        self._check()
        async with self._slots:
            self._check()
            is_trial = self._trying = self._until is not None
            try:
                result = await ask()
            except MindlogError as exc:
                self._note(exc, is_trial=is_trial)
                raise
            finally:
                if is_trial:
                    self._trying = False
            self._let_through()
            return result

    def _check(self) -> None:
        if self._until is None:
            return
        seconds = (self._until - self._clock.now()) / _SECOND
        if seconds > 0 or self._trying:
            seconds = max(seconds, _TRIAL_SECONDS)
            raise LlmPaused(
                f"the language model is not asked for {seconds:.0f} s: {self._reason}",
                retry_after=seconds,
                reason=self._reason,
            )

    def _note(self, error: MindlogError, *, is_trial: bool) -> None:
        if isinstance(error, LlmMisconfigured) or (isinstance(error, LlmFailed) and error.retryable):
            self._count(error, is_trial=is_trial)
        elif isinstance(error, LlmFailed | LlmBadOutput | LlmRefused):
            self._let_through()
        # Anything else, such as a spent budget, was raised before anything was sent and says nothing of the endpoint.

    def _count(self, error: MindlogError, *, is_trial: bool) -> None:
        now = self._clock.now()
        self._failures += 1
        self._reason = error.detail
        asked: float = error.extra.get("retry_after") or 0.0
        self._asked_until = max(self._asked_until, now + round(asked * _SECOND))
        # A call that was under way when the pause began does not prolong it, unless the endpoint asks for that.
        if is_trial or (self._until is None and self._failures >= self._limit):
            self._until = now + self._pause
        if self._until is not None:
            self._until = max(self._until, self._asked_until)

    def _let_through(self) -> None:
        self._failures, self._reason, self._until, self._asked_until = 0, None, None, 0
