"""What the checks work with: an open store and makers of valid memories, edits and requests. Owns no assertion."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from mindlog.errors import MindlogError
from mindlog.records import Memory, MemoryEdit, MemoryKind, NewMemory, Persisted, RequestKey
from mindlog.store.base import Store

__all__ = ["Bench", "Check", "Opener", "opened", "refused", "together"]

Opener = Callable[[], Awaitable[Store]]
Check = Callable[[Opener], Awaitable[None]]

T = TypeVar("T")

DATASET = "default"
_BOUND_SECONDS = 60


class Bench:
    """Makes records for one open store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def vectors(self, text: str, windows: int = 1) -> NDArray[np.float32]:
        """Return unit rows that depend on the text alone."""
        size = windows * self.store.model.dimensions
        noise = np.frombuffer(blake3(_bytes(text)).digest(length=size), dtype=np.uint8).astype(np.float32) - 127.5
        rows = noise.reshape(windows, -1)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def new(self, text: str, *, dedup: bool = True, request: tuple[str, str] | None = None, **facts: Any) -> NewMemory:
        """Return a memory ready to be persisted. `request` is a request id and what its parameters were."""
        memory = NewMemory(
            slot=self.store.reserve(),
            dataset=DATASET,
            agent=None,
            session=None,
            text=text,
            fingerprint=blake3(_bytes(text)).digest(),
            dedup_key=None,
            kind=MemoryKind.EPISODIC,
            salience=0.5,
            occurred_at=None,
            metadata={},
            document_id=None,
            vectors=self.vectors(text),
            states=None,
            request=None if request is None else RequestKey(id=request[0], params=key_of(request[1])),
        )
        memory = replace(memory, **facts)
        scope = (memory.dataset, memory.agent, memory.session)
        return replace(memory, dedup_key=key_of(f"{scope} {text}")) if dedup else memory

    async def persist(self, text: str, **facts: Any) -> Persisted:
        """Persist a memory made from the text."""
        return await self.store.persist(self.new(text, **facts))

    async def fill(self, texts: Iterable[str], **facts: Any) -> list[Persisted]:
        """Persist many; every one must succeed."""
        outcomes = await self.store.persist_many([self.new(text, **facts) for text in texts])
        return [_persisted(outcome) for outcome in outcomes]

    def edit(self, memory: Memory, text: str | None = None, **facts: Any) -> MemoryEdit:
        """Return an edit of the memory, with another text or with the same text and its stored vectors."""
        words = memory.text if text is None else text
        edit = MemoryEdit(
            base=memory.id,
            text=words,
            fingerprint=blake3(_bytes(words)).digest(),
            dedup_key=key_of(f"{(memory.dataset, memory.agent, memory.session)} {words}"),
            kind=memory.kind,
            salience=memory.salience,
            occurred_at=memory.occurred_at,
            metadata=memory.metadata,
            vectors=None if text is None else self.vectors(words),
            states=None,
        )
        return replace(edit, **facts)

    def get(self, slot: int, version: int | None = None) -> Memory:
        """Return the revision, which must be there."""
        memory = self.store.memory(slot, version)
        assert memory is not None, f"there is no slot {slot} version {version}"
        return memory

    def number(self, name: str = DATASET) -> int:
        """Return the number of the dataset, which must be there."""
        dataset = self.store.dataset(name)
        assert dataset is not None, f"there is no dataset {name}"
        return dataset.number


def key_of(text: str) -> bytes:
    """Return 16 bytes that stand for the text: a dedup key or a digest of parameters."""
    return blake3(_bytes(text)).digest(length=16)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _persisted(outcome: Persisted | MindlogError) -> Persisted:
    if isinstance(outcome, MindlogError):
        raise outcome
    return outcome


@asynccontextmanager
async def opened(open_store: Opener) -> AsyncGenerator[Bench]:
    """Open the store for the length of the context."""
    store = await open_store()
    try:
        yield Bench(store)
    finally:
        await store.aclose()


@contextmanager
def refused(kind: type[MindlogError]) -> Generator[None]:
    """Expect the context to raise this very error."""
    try:
        yield
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was not raised")


async def together(calls: Iterable[Awaitable[T]]) -> list[T]:
    """Run the calls at once and return their results; bounded."""
    async with asyncio.timeout(_BOUND_SECONDS):
        return list(await asyncio.gather(*calls))
