"""Checks of reading: listings, filters, walks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mindlog.filters import Filters, matches, parse_filters
from mindlog.records import Memory, MemoryKind
from mindlog.store.base import Listing
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened

__all__ = ["CHECKS"]

_LISTED = 5000
_PAGE = 250


async def a_listing_pages_through_everything_while_more_is_written(open_store: Opener) -> None:
    """5 000 memories page by page, newest first: each once, in order, whatever is inserted meanwhile."""
    async with opened(open_store) as bench:
        expected: list[int] = []
        for start in range(0, _LISTED, 1000):
            expected += [p.id.slot for p in await bench.fill(f"text {n}" for n in range(start, start + 1000))]
        stop = asyncio.Event()

        async def insert() -> None:
            number = 0
            while not stop.is_set():
                await bench.persist(f"meanwhile {number}")
                number += 1

        inserting = asyncio.ensure_future(insert())
        seen = await _pages(bench, before=max(expected) + 1)
        stop.set()
        await inserting
        assert seen == expected[::-1]
        assert len(await _pages(bench, before=None)) > _LISTED


async def _pages(bench: Bench, before: int | None) -> list[int]:
    seen: list[int] = []
    while True:
        listing = Listing(dataset=bench.number(), filters=Filters(), limit=_PAGE, before_slot=before)
        page = await asyncio.to_thread(bench.store.list_memories, listing)
        seen += [memory.id.slot for memory in page]
        if len(page) < _PAGE:
            return seen
        before = seen[-1]


_METADATA: tuple[Mapping[str, Any], ...] = (
    {},
    {"n": 1},
    {"n": 1.0},
    {"n": True},
    {"n": "1"},
    {"n": None},
    {"n": 2, "colour": "red"},
    {"n": 2**63, "colour": "Red"},
    {"n": 2**63 + 1},
    {"n": -(2**63)},
    {"n": -(2**63) - 1},
    {"n": 0.1 + 0.2, "colour": "é"},
    {"n": [1], "colour": ["red"]},
    {"n": {"$eq": 1}},
    {"a.b": 1, 'q"uote': "x", "": 0, "日本": "語", "$": 5},
    {"colour": "a\u0000b"},
)
_CONDITIONS: tuple[Mapping[str, Any], ...] = (
    {"n": 1},
    {"n": 1.0},
    {"n": True},
    {"n": None},
    {"n": "1"},
    {"n": {"$ne": 1}},
    {"n": {"$in": [1, "1", None, False]}},
    {"n": {"$nin": [1, True]}},
    {"n": {"$gt": 1}},
    {"n": {"$gte": 0.30000000000000004, "$lt": 2}},
    {"n": {"$gte": 2**63 - 1}},
    {"n": {"$gt": 2.0**63}},
    {"n": 2.0**63},
    {"n": {"$in": [2.0**63, 3]}},
    {"n": {"$lte": -(2**63)}},
    {"n": {"$gt": "0"}},
    {"n": {"$exists": True}},
    {"n": {"$exists": False}},
    {"colour": {"$in": ["red", "é"]}},
    {"colour": {"$gt": "Z"}},
    {"colour": "a\u0000b"},
    {"missing": {"$ne": 1}},
    {"$not": {"missing": 1}},
    {"$or": [{"n": 2}, {"colour": "é"}]},
    {"$and": [{"n": {"$exists": True}}, {"$not": {"colour": "red"}}]},
    {"a.b": 1},
    {'q"uote': "x"},
    {"": 0},
    {"日本": {"$ne": "x"}},
    {"$not": {"$or": [{"n": {"$gt": 0}}, {"colour": {"$exists": True}}]}},
)


async def metadata_filters_hold_exactly(open_store: Opener) -> None:
    """A listing finds what `filters.matches` says, for every kind of value, missing keys and odd keys."""
    async with opened(open_store) as bench:
        for number, metadata in enumerate(_METADATA):
            await bench.persist(f"text {number}", metadata=metadata)
        for raw in _CONDITIONS:
            filters = parse_filters({"metadata": raw})
            assert filters.metadata is not None
            expected = [f"text {n}" for n, metadata in enumerate(_METADATA) if matches(filters.metadata, metadata)]
            assert sorted(_texts(bench, filters)) == sorted(expected), raw


def _texts(bench: Bench, filters: Filters, dataset: str = "default") -> list[str]:
    return _words(bench.store.list_memories(Listing(dataset=bench.number(dataset), filters=filters, limit=1000)))


def _words(memories: Iterable[Memory]) -> list[str]:
    return [memory.text for memory in memories]


async def every_other_filter_holds_exactly(open_store: Opener) -> None:
    """Session, agent, kind, document and time narrow alone and together; the time window is half open."""
    async with opened(open_store) as bench:
        await bench.persist("a", session="s1", agent="x", occurred_at=10)
        await bench.persist("b", session="s1", agent="y", occurred_at=20, kind=MemoryKind.SEMANTIC)
        await bench.persist("c", session="s2", document_id="d", occurred_at=30)
        await bench.persist("d", occurred_at=40)
        expected: list[tuple[Filters, list[str]]] = [
            (Filters(), ["d", "c", "b", "a"]),
            (Filters(session=("s1",)), ["b", "a"]),
            (Filters(session=("s1", "s2"), agent=("y",)), ["b"]),
            (Filters(agent=("nobody",)), []),
            (Filters(kind=("semantic",)), ["b"]),
            (Filters(document_id=("d",)), ["c"]),
            (Filters(after=20), ["d", "c", "b"]),
            (Filters(before=20), ["a"]),
            (Filters(after=20, before=40), ["c", "b"]),
            (Filters(session=("it's", "s2")), ["c"]),
        ]
        for filters, texts in expected:
            assert _texts(bench, filters) == texts, filters


async def a_listing_stays_within_its_dataset(open_store: Opener) -> None:
    """The same text in two datasets: each listing has its own, with filters too."""
    async with opened(open_store) as bench:
        for name in ("a", "b"):
            await bench.persist("same", dataset=name, metadata={"user": name})
        for name, other in (("a", "b"), ("b", "a")):
            listing = Listing(dataset=bench.number(name), filters=Filters(), limit=10)
            assert [memory.dataset for memory in bench.store.list_memories(listing)] == [name]
            assert _texts(bench, parse_filters({"metadata": {"user": other}}), name) == []


async def memories_come_in_the_order_asked_for(open_store: Opener) -> None:
    """Unknown slots are passed over, forgotten memories are there and say so."""
    async with opened(open_store) as bench:
        slots = [persisted.id.slot for persisted in await bench.fill(["a", "b", "c"])]
        await bench.store.forget(bench.number(), [slots[1]])
        wanted = [slots[2], 10**9, slots[0], slots[1]]
        assert _words(bench.store.memories(wanted)) == ["c", "a", "b"]
        assert bench.store.memories([]) == []


async def walks_go_by_rising_slot_and_miss_nothing(open_store: Opener) -> None:
    """Catalog, vectors and texts give every current revision once, forgotten ones too; subsets and starts hold."""
    async with opened(open_store) as bench:
        written = await bench.fill((f"text {n}" for n in range(600)), agent="ann")
        slots = [persisted.id.slot for persisted in written]
        await bench.store.edit(bench.edit(bench.get(slots[3]), "edited"))
        await bench.store.forget(bench.number(), [slots[5]])
        assert [row.slot for row in bench.store.catalog()] == slots
        assert [row.slot for row in bench.store.catalog(after_slot=slots[10])] == slots[11:]
        assert [each.slot for each in bench.store.index_vectors()] == slots
        texts = list(bench.store.index_texts())
        assert [(each.slot, each.version) for each in texts] == [(s, 2 if s == slots[3] else 1) for s in slots]
        assert (texts[3].text, texts[3].agent, texts[5].text) == ("edited", "ann", "text 5")
        some = [slots[9], slots[2], 10**9]
        assert [each.slot for each in bench.store.index_texts(some)] == [slots[2], slots[9]]
        found = list(bench.store.index_vectors(some))
        assert [each.slot for each in found] == [slots[2], slots[9]]
        np.testing.assert_array_equal(found[0].vectors, bench.vectors("text 2"))
        assert list(bench.store.index_vectors([])) == []


CHECKS: tuple[Check, ...] = (
    a_listing_pages_through_everything_while_more_is_written,
    metadata_filters_hold_exactly,
    every_other_filter_holds_exactly,
    a_listing_stays_within_its_dataset,
    memories_come_in_the_order_asked_for,
    walks_go_by_rising_slot_and_miss_nothing,
)
