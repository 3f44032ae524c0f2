"""A language model over one chat endpoint: picks the mode, reads the answer, repairs once, records, keeps the budget.

Knows no wire format and no store. Retries nothing that failed: waiting is the worker's business.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, overload

from pydantic import BaseModel

from mindlog.clock import Clock, SystemClock
from mindlog.errors import InvalidInput, LlmBadOutput, LlmRefused, MindlogError
from mindlog.ids import new_id
from mindlog.models.budget import Budget, Reservation
from mindlog.models.endpoint import ChatEndpoint, ChatReply, ChatRequest
from mindlog.models.inference import InferenceLog, InferenceRecord, current_run, text_hash, without_images
from mindlog.models.llm import JsonSchema, Message, Reasoning, StructuredResult, TextResult, Usage
from mindlog.models.modes import Ladder, Mode
from mindlog.models.prompts import asking, repairing, token_bound
from mindlog.models.schema import AnswerSchema, answer_schema
from mindlog.models.streaming import Aloud
from mindlog.models.structured import Flaw, Parsed, parse_answer, without_thoughts
from mindlog.pipeline.context import current_stage

__all__ = ["ChatLLM", "Prices"]

_KEPT_OUTPUT = 8000
# Longer answers are read on a thread, so that none holds the loop up.
_READ_HERE = 16_384
_MILLION = 1_000_000

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of a million input and a million output tokens, in any currency; None where not known."""

    input: float | None = None
    output: float | None = None

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """What the tokens cost, or None without both prices."""
        if self.input is None or self.output is None:
            return None
        return (input_tokens * self.input + output_tokens * self.output) / _MILLION


@dataclass(slots=True)
class _Call:
    """The attempts of one `structured` or `text`."""

    messages: tuple[Message, ...]
    model: str
    reasoning: Reasoning | None
    say: Callable[[str], None] | None = None
    attempts: int = 0
    usages: list[Usage] = field(default_factory=list[Usage])

    @property
    def usage(self) -> Usage:
        costs = [each.cost for each in self.usages if each.cost is not None]
        return Usage(
            input_tokens=sum(each.input_tokens for each in self.usages),
            output_tokens=sum(each.output_tokens for each in self.usages),
            cost=sum(costs) if costs else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """One attempt that got a reply, read."""

    request: ChatRequest
    said: str
    parsed: Parsed
    cut_off: bool
    inference_id: str


class ChatLLM:
    """The `LLM` over a `ChatEndpoint`. Remembers which mode works with which model, for as long as it lives."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        *,
        model: str,
        inferences: InferenceLog | None = None,
        budget: Budget | None = None,
        prices: Prices | None = None,
        max_tokens: int = 4096,
        clock: Clock | None = None,
    ) -> None:
        """model: used where a call names none. max_tokens: most tokens of one answer."""
        self.endpoint = endpoint
        self.inferences = inferences or InferenceLog()
        self.budget = budget or Budget()
        self._model = model
        self._prices = prices or Prices()
        self._max_tokens = max_tokens
        self._clock = clock or SystemClock()
        self._ladder = Ladder(endpoint.modes, endpoint.optional)

    @property
    def provider(self) -> str:
        """The endpoint's protocol."""
        return self.endpoint.provider

    @property
    def model(self) -> str:
        """The model used where a call names none."""
        return self._model

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
        """See `LLM.structured`."""
        shape = answer_schema(schema)
        call = self._call(messages, model, reasoning)
        answer = await self._ask(call, shape)
        if answer.parsed.flaw is not None:
            answer = await self._ask(call, shape, failed=answer)
        if answer.parsed.flaw is not None:
            raise self._bad_output(answer.parsed.reason, answer)
        return StructuredResult(value=answer.parsed.value, inference_id=answer.inference_id, usage=call.usage)

    async def text(
        self,
        messages: Sequence[Message],
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
        say: Callable[[str], None] | None = None,
    ) -> TextResult:
        """See `LLM.text`."""
        call = self._call(messages, model, reasoning)
        call.say = say
        answer = await self._ask(call, None)
        if answer.parsed.flaw is not None:
            raise self._bad_output(answer.parsed.reason, answer)
        return TextResult(
            text=answer.parsed.value,
            inference_id=answer.inference_id,
            usage=call.usage,
            truncated=answer.cut_off,
        )

    async def try_mode(self, messages: Sequence[Message], schema: type[BaseModel], mode: Mode) -> Parsed:
        """Ask once in this mode, whatever was learnt, and say what came back. Raises what `structured` raises."""
        shape = answer_schema(schema)
        call = self._call(messages, None, None)
        while True:
            request = replace(self._request(call, shape, None), mode=mode, messages=self._asking(call, shape, mode))
            try:
                return (await self._attempt(call, request)).parsed
            except MindlogError as exc:
                if not (self._ladder.learn(request, exc) and self._ladder.dropped(call.model) != request.dropped):
                    raise

    async def aclose(self) -> None:
        """Close the connections, after the records under way."""
        await self.inferences.aclose()
        await self.endpoint.aclose()

    def _call(self, messages: Sequence[Message], model: str | None, reasoning: Reasoning | None) -> _Call:
        if all(each.role == "system" for each in messages):
            raise InvalidInput("messages: at least one is not the system's", field="messages")
        return _Call(tuple(messages), model or self._model, reasoning)

    async def _ask(self, call: _Call, schema: AnswerSchema | None, *, failed: _Answer | None = None) -> _Answer:
        """One answer, in the first way that the endpoint does not refuse; every refusal is learnt, so this ends."""
        # A cut-off or empty answer says nothing about the mode.
        if failed is not None and failed.parsed.flaw is Flaw.NO_OBJECT and failed.said.strip():
            self._ladder.not_enforced(failed.request)
        while True:
            request = self._request(call, schema, failed)
            try:
                return await self._attempt(call, request)
            except MindlogError as exc:
                if not self._ladder.learn(request, exc):
                    raise

    def _request(self, call: _Call, schema: AnswerSchema | None, failed: _Answer | None) -> ChatRequest:
        mode, messages = Mode.TEXT, call.messages
        if schema is not None:
            mode = self._ladder.mode(call.model, schema.name, strict=schema.strict is not None)
            repair = failed and repairing(call.messages, schema, failed.said, failed.parsed)
            messages = repair or self._asking(call, schema, mode)
        return ChatRequest(
            model=call.model,
            messages=messages,
            mode=mode,
            max_tokens=self._max_tokens,
            schema=schema,
            reasoning=call.reasoning,
            dropped=self._ladder.dropped(call.model),
        )

    def _asking(self, call: _Call, schema: AnswerSchema, mode: Mode) -> tuple[Message, ...]:
        return asking(call.messages, schema, mode, shows_schema=self.endpoint.shows_schema)

    async def _attempt(self, call: _Call, request: ChatRequest) -> _Answer:
        """Send once within the budget; whatever happens is settled and recorded before it goes on."""
        held = self._reserve(request)
        call.attempts += 1
        note = _Note(request=request, attempt=call.attempts, started_at=self._clock.now(), began=time.perf_counter_ns())
        # Whatever ends the attempt gives the reservation back; an error nobody foresaw is charged nothing.
        taken = Usage()
        try:
            reply = await self.endpoint.send(request, None if call.say is None else Aloud(call.say))
            taken = self._usage(request, reply)
        except MindlogError as exc:
            taken = self._unanswered(request) if exc.extra.get("sent") else taken
            await self.inferences.record(self._record(note, error=exc.detail))
            raise
        except asyncio.CancelledError:
            taken = self._unanswered(request)
            await self.inferences.record(self._record(note, error="cancelled"))
            raise
        finally:
            self.budget.settle(held, taken)
        call.usages.append(taken)
        return await self._read(note, reply, taken)

    def _reserve(self, request: ChatRequest) -> Reservation:
        inputs = token_bound(request.messages, request.schema)
        run = current_run()
        cost = self._prices.cost(inputs, request.max_tokens)
        return self.budget.reserve(run.run_id if run else None, tokens=inputs + request.max_tokens, cost=cost)

    def _unanswered(self, request: ChatRequest) -> Usage:
        """What is charged for a request that may have been worked on: its prompt."""
        inputs = token_bound(request.messages, request.schema)
        return Usage(input_tokens=inputs, cost=self._prices.cost(inputs, 0))

    def _usage(self, request: ChatRequest, reply: ChatReply) -> Usage:
        """What the endpoint told, or else the bound; at its own price, or else at ours."""
        told = reply.usage or Usage(
            input_tokens=token_bound(request.messages, request.schema),
            output_tokens=token_bound([Message("assistant", reply.text)], None),
        )
        cost = self._prices.cost(told.input_tokens, told.output_tokens) if told.cost is None else told.cost
        return replace(told, cost=cost)

    async def _read(self, note: _Note, reply: ChatReply, usage: Usage) -> _Answer:
        parsed = await _parsed(reply, note.request.schema)
        refusal = reply.refusal and f"the model declined: {reply.refusal[:300]}"
        record = self._record(note, error=refusal or parsed.reason or None, reply=reply, cost=usage.cost)
        await self.inferences.record(record)
        if refusal:
            raise LlmRefused(refusal, inference_id=record.id)
        return _Answer(
            request=note.request, said=reply.text, parsed=parsed, cut_off=reply.cut_off, inference_id=record.id
        )

    def _record(
        self, note: _Note, *, error: str | None, reply: ChatReply | None = None, cost: float | None = None
    ) -> InferenceRecord:
        request, run = note.request, current_run()
        usage = reply.usage if reply else None
        prompt = without_images(request.messages)
        said = (reply.text or reply.refusal or "") if reply else None
        return InferenceRecord(
            id=new_id("inf"),
            stage=current_stage(),
            run_id=run.run_id if run else None,
            dataset=run.dataset if run else None,
            provider=self.provider,
            model=request.model,
            mode=request.mode,
            parameters=self.endpoint.parameters(request),
            prompt=prompt,
            prompt_hash=text_hash(prompt),
            output=said,
            output_hash=None if said is None else text_hash(said),
            input_tokens=usage.input_tokens if usage else None,
            output_tokens=usage.output_tokens if usage else None,
            cost=cost,
            started_at=note.started_at,
            finished_at=self._clock.now(),
            latency_us=(time.perf_counter_ns() - note.began) // 1000,
            attempt=note.attempt,
            error=error,
        )

    def _bad_output(self, reason: str, answer: _Answer) -> LlmBadOutput:
        facts: dict[str, Any] = {"inference_id": answer.inference_id, "output_hash": text_hash(answer.said)}
        if self.inferences.keeps_texts:
            facts |= {"raw_output": answer.said[:_KEPT_OUTPUT], "raw_output_chars": len(answer.said)}
        return LlmBadOutput(f"the model's answer cannot be used: {reason}", **facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    """An attempt under way. began: nanoseconds of the performance counter."""

    request: ChatRequest
    attempt: int
    started_at: int
    began: int


async def _parsed(reply: ChatReply, schema: AnswerSchema | None) -> Parsed:
    if reply.refusal:
        return Parsed()
    if schema is None:
        text = without_thoughts(reply.text)
        return Parsed(value=text) if text else Parsed(flaw=Flaw.NO_OBJECT, reason="it is empty")
    if len(reply.text) <= _READ_HERE:
        parsed = parse_answer(reply.text, schema)
    else:
        parsed = await asyncio.to_thread(parse_answer, reply.text, schema)
    if parsed.flaw is not None and reply.cut_off:
        return replace(parsed, flaw=Flaw.TRUNCATED, reason=f"{parsed.reason}: it was cut off at the length limit")
    return parsed
