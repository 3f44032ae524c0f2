"""The writes of the store's contract for queries, series, places and pictures. The operations are in the modules named."""

from __future__ import annotations

from collections.abc import Sequence

from mindlog.records import NewMemory, Persisted
from mindlog.store import images, placewrites, queryruns, serieswrites
from mindlog.store.askingrows import NewImage, NewPlace, NewQuery, QueryEnd
from mindlog.store.documentrows import SeriesWrite
from mindlog.store.writes import Writes

__all__ = ["AskingWrites"]


class AskingWrites(Writes):
    """The writing half for what is asked; the methods are those of `AskingStore`."""

    async def start_query(self, new: NewQuery) -> int:
        """Record a query; returns its number."""
        return await self._write(queryruns.start_query, new)

    async def end_query(self, end: QueryEnd) -> None:
        """Record how a query ended; nothing for one that has."""
        await self._write(queryruns.end_query, end)

    async def close_queries(self, error: str) -> int:
        """End every open query as failed; returns how many."""
        return await self._write(queryruns.close_queries, error)

    async def put_series(self, write: SeriesWrite) -> dict[str, int]:
        """Apply a series write; returns how many series and points are new. Raises `RevisionGone`."""
        return await self._write(serieswrites.put_series, write)

    async def put_places(self, places: Sequence[NewPlace]) -> int:
        """Keep places; returns how many are new or changed."""
        return await self._write(placewrites.put_places, places)

    async def put_image(
        self, memory: NewMemory, image: NewImage, place: NewPlace | None = None
    ) -> tuple[Persisted, int]:
        """Commit a picture's memory, row and place together; returns what became of the memory and the picture's number."""
        return await self._write(images.put_image, memory, image, place)
