"""An embedder in front of another: recent texts from a cache, texts under way computed once, answers checked.

Owns what is shared between callers. Knows no model; belongs to one event loop.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mindlog.errors import Closed, InvalidInput
from mindlog.models.cache import CacheStats, EmbeddingCache
from mindlog.models.embedder import Embedder, EmbedKind, TextEmbedding, check_embeddings
from mindlog.models.fingerprint import digest_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["CachedEmbedder"]

_KINDS: tuple[EmbedKind, ...] = ("document", "query")


class _Flight:
    """One call of the inner embedder and who waits for it."""

    def __init__(self, keys: Iterable[bytes]) -> None:
        self.keys = tuple(keys)
        self.forgotten: set[bytes] = set()
        self.waiters = 0
        self.task: asyncio.Task[dict[bytes, TextEmbedding]]


class CachedEmbedder:
    """Wraps any embedder. A caller that is cancelled leaves a computation running only if another waits for it."""

    def __init__(self, inner: Embedder, *, capacity_bytes: int = 32 << 20) -> None:
        self._inner = inner
        self._cache = EmbeddingCache(capacity_bytes)
        self._flights: dict[bytes, _Flight] = {}
        self._hits = self._misses = self._shared = 0
        self._closed = False

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._inner.dimensions

    @property
    def fingerprint(self) -> str:
        """The inner embedder's fingerprint."""
        return self._inner.fingerprint

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        """One embedding per text, in order. Equal texts give the same object.

        Raises:
            InvalidInput: a text is empty or holds a lone surrogate.
            EmbedderFailed: the inner embedder failed, or its answer is not unit vectors, one set a text.
            Closed: the embedder was closed.
        """
        if self._closed:
            raise Closed("the embedder is closed")
        keys = [_key(kind, text) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        found = self._cached(wanted)
        while missing := {key: text for key, text in wanted.items() if key not in found}:
            found |= await self._compute(missing, kind)
        return [found[key] for key in keys]

    def forget(self, texts: Iterable[str]) -> None:
        """Drop these texts, also those still being computed."""
        for key in [_key(kind, text) for text in texts for kind in _KINDS]:
            self._cache.discard(key)
            if key in self._flights:
                self._flights[key].forgotten.add(key)

    def clear(self) -> None:
        """Drop every text."""
        for key, flight in self._flights.items():
            flight.forgotten.add(key)
        self._cache.clear()

    def stats(self) -> CacheStats:
        """Counters since the start, and the size now."""
        entries, size = self._cache.size()
        return CacheStats(hits=self._hits, misses=self._misses, shared=self._shared, entries=entries, bytes=size)

    async def aclose(self) -> None:
        """Refuse new calls, finish those under way, close the inner embedder."""
        self._closed = True
        running = {flight.task for flight in self._flights.values()}
        await asyncio.gather(*running, return_exceptions=True)
        await self._inner.aclose()

    def _cached(self, wanted: Iterable[bytes]) -> dict[bytes, TextEmbedding]:
        found = {key: hit for key in wanted if (hit := self._cache.get(key)) is not None}
        self._hits += len(found)
        return found

    async def _compute(self, missing: dict[bytes, str], kind: EmbedKind) -> dict[bytes, TextEmbedding]:
        """Join what is under way and start the rest.

        What a joined computation failed at is left out of the answer: its fault may be another caller's text, so the
        next round computes it anew.
        """
        joined = {self._flights[key] for key in missing if key in self._flights}
        rest = {key: text for key, text in missing.items() if key not in self._flights}
        self._shared += len(missing) - len(rest)
        own = self._start(rest, kind) if rest else None
        flights = joined | {own} if own else joined
        await _wait(flights)
        found: dict[bytes, TextEmbedding] = own.task.result() if own else {}
        for flight in joined:
            if not flight.task.cancelled() and flight.task.exception() is None:
                found = found | flight.task.result()
        return {key: embedding for key, embedding in found.items() if key in missing}

    def _start(self, texts: dict[bytes, str], kind: EmbedKind) -> _Flight:
        self._misses += len(texts)
        flight = _Flight(texts)
        self._flights |= dict.fromkeys(texts, flight)
        flight.task = asyncio.create_task(self._fly(flight, list(texts.values()), kind))
        flight.task.add_done_callback(lambda _: self._land(flight))
        return flight

    async def _fly(self, flight: _Flight, texts: list[str], kind: EmbedKind) -> dict[bytes, TextEmbedding]:
        embeddings = await self._inner.embed(texts, kind)
        check_embeddings(embeddings, count=len(texts), dimensions=self.dimensions)
        return dict(zip(flight.keys, embeddings, strict=True))

    def _land(self, flight: _Flight) -> None:
        for key in flight.keys:
            del self._flights[key]
        if flight.task.cancelled() or flight.task.exception() is not None:
            return
        for key, embedding in flight.task.result().items():
            if key not in flight.forgotten:
                self._cache.put(key, embedding)


async def _wait(flights: set[_Flight]) -> None:
    """Wait for all; if this caller is cancelled, end the flights nobody else waits for."""
    for flight in flights:
        flight.waiters += 1
    try:
        await asyncio.wait([flight.task for flight in flights])
    finally:
        for flight in flights:
            flight.waiters -= 1
            if not flight.waiters:
                flight.task.cancel()


def _key(kind: EmbedKind, text: str) -> bytes:
    if not text:
        raise InvalidInput("the text to embed is empty", field="text")
    try:
        return digest_text(kind, text)
    except UnicodeEncodeError as exc:
        raise InvalidInput(f"the text holds a lone surrogate at character {exc.start}", field="text") from exc
