"""The record of every model call: who asked, what was sent and said, what it took. Owns no table and no provider.

An attempt is one record, also a failed one. The run is known from a context variable, the stage from the pipeline's.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

from blake3 import blake3

from mindlog.models.llm import Message
from mindlog.pipeline.context import record_inference

__all__ = [
    "InferenceLog",
    "InferenceRecord",
    "InferenceStore",
    "RunScope",
    "TextPolicy",
    "current_run",
    "run_scope",
    "text_hash",
    "without_images",
]

log = logging.getLogger(__name__)

# A store that hangs holds up the stage no longer than this; the record is then counted as lost.
_STORE_SECONDS = 10.0


class TextPolicy(StrEnum):
    """What is kept of prompts and answers."""

    KEEP = "keep"  #: the texts and their hashes
    HASH = "hash"  #: the hashes alone


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScope:
    """The run that model calls are made for."""

    run_id: str
    dataset: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceRecord:
    """One attempt. Times are microseconds since the epoch; latency is measured by a clock that never jumps.

    mode: how the answer was asked for. parameters: what was sent besides prompt and schema. prompt, output: None
    where the policy keeps hashes alone, and output where there was none. *_hash: hex BLAKE3 of the UTF-8 text, the
    prompt's of its messages as JSON. tokens: None where the endpoint did not tell. attempt: from 1 within one call.
    error: why the attempt gave nothing usable, or None. A prompt holds no image, see `without_images`.
    """

    id: str
    stage: str | None
    run_id: str | None
    dataset: str | None
    provider: str
    model: str
    mode: str
    parameters: Mapping[str, Any]
    prompt: tuple[Message, ...] | None
    prompt_hash: str
    output: str | None
    output_hash: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    started_at: int
    finished_at: int
    latency_us: int
    attempt: int
    error: str | None


class InferenceStore(Protocol):
    """Where records go."""

    async def add(self, record: InferenceRecord) -> None:
        """Keep one record. May raise whatever it likes: the call it is about does not fail for it."""
        ...


class InferenceLog:
    """Hands records to the store and files them under the running stage. One for each engine, bound to its loop."""

    def __init__(self, store: InferenceStore | None = None, *, texts: TextPolicy = TextPolicy.KEEP) -> None:
        """store: None keeps no records, and then nothing is filed either."""
        self._store = store
        self._texts = texts
        self._adding: set[asyncio.Task[None]] = set()
        self.failures = 0
        """Records that the store did not take."""

    @property
    def keeps_texts(self) -> bool:
        """Whether prompts and answers may be kept as text."""
        return self._texts is TextPolicy.KEEP

    async def record(self, record: InferenceRecord) -> bool:
        """Keep a record and file it; `False`, counted and logged the first time, if the store did not take it.

        May be awaited in any task or `TaskGroup` of the stage. If the caller is cancelled meanwhile, the store still
        gets the record, and the stage its id if it is still open.
        """
        if self._store is None:
            return False
        task = asyncio.create_task(self._add(self._store, self._shown(record)))
        self._adding.add(task)
        task.add_done_callback(self._ended)
        await asyncio.wait({task}, timeout=_STORE_SECONDS)
        if not task.done():
            task.cancel()
            return False
        return not task.cancelled() and task.exception() is None

    async def aclose(self) -> None:
        """Wait for the records that cancelled callers left behind."""
        if self._adding:
            await asyncio.wait(set(self._adding), timeout=_STORE_SECONDS)

    def _shown(self, record: InferenceRecord) -> InferenceRecord:
        return record if self.keeps_texts else replace(record, prompt=None, output=None)

    async def _add(self, store: InferenceStore, record: InferenceRecord) -> None:
        await store.add(record)
        # After the store has it: the run log must not name a record that does not exist.
        record_inference(record.id)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._adding.discard(task)
        error = TimeoutError("the store took too long") if task.cancelled() else task.exception()
        if error is None:
            return
        self.failures += 1
        if self.failures == 1:
            log.error("an inference could not be recorded: %s", error, extra={"action": "inference_lost"})


_run: ContextVar[RunScope | None] = ContextVar("mindlog_run", default=None)


@contextmanager
def run_scope(run_id: str, dataset: str | None = None) -> Generator[RunScope]:
    """Model calls made inside, in any task or thread started there, belong to this run."""
    scope = RunScope(run_id=run_id, dataset=dataset)
    token = _run.set(scope)
    try:
        yield scope
    finally:
        _run.reset(token)


def current_run() -> RunScope | None:
    """The run this code works for, or None."""
    return _run.get()


def without_images(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages as they are kept on record: each image is a line with its type, its size and its hex BLAKE3."""
    return tuple(_without_images(each) if each.images else each for each in messages)


def _without_images(message: Message) -> Message:
    told = [f"[{each.media_type}, {len(each.data)} bytes, {blake3(each.data).hexdigest()}]" for each in message.images]
    return Message(message.role, "\n".join([*told, message.content]))


def text_hash(text: str | Sequence[Message]) -> str:
    """Hex BLAKE3 of a text, or of messages `without_images` as JSON `[[role, content], ..]`."""
    if not isinstance(text, str):
        text = without_images(text)
        text = json.dumps([[each.role, each.content] for each in text], ensure_ascii=False)
    return blake3(text.encode("utf-8", "surrogatepass")).hexdigest()
