"""Listings as commands show them: so many items, however many pages they come in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

from mindlog.errors import InvalidInput
from mindlog.views import Page

__all__ = ["walk"]

Item = TypeVar("Item")

_LARGEST_PAGE = 500


def walk(fetch: Callable[[int, str | None], Page[Item]], limit: int) -> Iterator[Item]:
    """Yield the first `limit` items; `fetch` gets a page's size and cursor. `InvalidInput` if the limit is below 1."""
    if limit < 1:
        raise InvalidInput("limit: must be at least 1", field="limit")
    return islice(_items(fetch, min(limit, _LARGEST_PAGE)), limit)


def _items(fetch: Callable[[int, str | None], Page[Item]], size: int) -> Iterator[Item]:
    cursor: str | None = None
    while True:
        page = fetch(size, cursor)
        yield from page.data
        if (cursor := page.next_cursor) is None:
            return
