"""What the four objects that users hold have in common: walking a listing, and closing at the end of a `with` block.

Owns paging. Knows no engine and no HTTP.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Self

from mindlog.records import DEFAULT_DATASET, Memory
from mindlog.verbs.forms import FilterForm

__all__ = ["AsyncSurface", "Surface"]


class Surface(ABC):
    """What is closed after use, and lists memories."""

    list: Callable[..., Any]

    def iterate(
        self,
        dataset: str = DEFAULT_DATASET,
        *,
        filters: FilterForm | None = None,
        entity: str | None = None,
        page_size: int = 200,
    ) -> Iterator[Memory]:
        """Walk every current memory of a dataset, or those that name an entity, newest first, a page at a time."""
        cursor = None
        while True:
            page = self.list(dataset, filters=filters, entity=entity, limit=page_size, cursor=cursor)
            yield from page.data
            if (cursor := page.next_cursor) is None:
                return

    @abstractmethod
    def close(self) -> None:
        """Let go of everything. Safe to call twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncSurface(ABC):
    """The same for asyncio."""

    list: Callable[..., Any]

    async def iterate(
        self,
        dataset: str = DEFAULT_DATASET,
        *,
        filters: FilterForm | None = None,
        entity: str | None = None,
        page_size: int = 200,
    ) -> AsyncIterator[Memory]:
        """Walk every current memory of a dataset, or those that name an entity, newest first, a page at a time."""
        cursor = None
        while True:
            page = await self.list(dataset, filters=filters, entity=entity, limit=page_size, cursor=cursor)
            for memory in page.data:
                yield memory
            if (cursor := page.next_cursor) is None:
                return

    @abstractmethod
    async def aclose(self) -> None:
        """Let go of everything. Safe to call twice."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
