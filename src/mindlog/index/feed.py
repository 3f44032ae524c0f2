"""Feeding an index what it misses, from the store: at open, and after a fault. Knows no threads of its own.

Everything goes in small bites, so that searches and writes find their turn in between and closing need not wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from threading import Event, Lock
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindlog.index.catalog import Catalog
from mindlog.index.texts import Texts
from mindlog.index.vector import VectorIndex
from mindlog.store.base import Store

__all__ = ["feed_texts", "feed_vectors"]

_VECTORS_AT_ONCE = 4096  # one part of the vector index each
_TEXTS_AT_ONCE = 64  # a search may have to wait for so many to be analysed
_SLOTS_AT_ONCE = 4096
_WALK_SHARE = 0.5  # from this share of the store on, walking all of it is cheaper than asking by slot


class _Revision(Protocol):
    @property
    def slot(self) -> int: ...
    @property
    def version(self) -> int: ...


T = TypeVar("T")
R = TypeVar("R", bound=_Revision)


def feed_vectors(store: Store, catalog: Catalog, vectors: VectorIndex, rows: NDArray[np.int64], stop: Event) -> None:
    """Read the vectors of these catalog rows and add them. Rows the store no longer has are passed over."""
    wanted = _mask(rows)
    for slots in _slots(catalog, rows):
        for bite in _bites(store.index_vectors(slots), _VECTORS_AT_ONCE, stop):
            found = _placed(catalog, bite, wanted)
            vectors.load(
                np.array([row for row, _ in found], np.int64),
                np.array([item.slot for _, item in found], np.int64),
                np.array([item.version for _, item in found], np.uint32),
                [item.vectors for _, item in found],
            )


def feed_texts(store: Store, catalog: Catalog, texts: Texts, rows: NDArray[np.int64], stop: Event, lock: Lock) -> None:
    """Read the texts of these catalog rows and add them.

    `lock` keeps the catalog as it is while a bite is added: what it says of a revision must hold when the index hears.
    """
    wanted = _mask(rows)
    for slots in _slots(catalog, rows):
        for bite in _bites(store.index_texts(slots), _TEXTS_AT_ONCE, stop):
            with lock:
                datasets = texts.feed(catalog.view(), _placed(catalog, bite, wanted))
            for dataset in datasets:
                texts.lexical.match((), dataset=dataset)  # takes the documents in here, so that no search has to


def _bites(items: Iterable[T], size: int, stop: Event) -> Iterator[list[T]]:
    source = iter(items)
    while not stop.is_set() and (bite := list(islice(source, size))):
        yield bite


def _placed(catalog: Catalog, items: Sequence[R], wanted: NDArray[np.bool_]) -> list[tuple[int, R]]:
    slots = np.array([item.slot for item in items], np.int64)
    versions = np.array([item.version for item in items], np.uint32)
    rows = catalog.rows_of(slots, versions)
    chosen = (rows >= 0) & (rows < len(wanted)) & wanted.take(rows, mode="clip")
    return [(row, item) for row, item, use in zip(rows.tolist(), items, chosen.tolist(), strict=True) if use]


def _mask(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    mask = np.zeros(int(rows.max(initial=0)) + 1, np.bool_)
    mask[rows] = True
    return mask


def _slots(catalog: Catalog, rows: NDArray[np.int64]) -> Iterator[Sequence[int] | None]:
    view = catalog.view()
    if len(rows) > _WALK_SHARE * view.length:
        yield None
        return
    slots = np.sort(view.slot[rows])
    for start in range(0, len(slots), _SLOTS_AT_ONCE):
        yield slots[start : start + _SLOTS_AT_ONCE].tolist()
