"""Inverted lists as flat arrays: which documents hold a term, how often. Immutable; knows no text and no scores.

Terms and documents are small numbers given out by the caller. Everything is vectorised: no loop runs per posting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Postings", "merged"]

_STRETCH = 1 << 18
_MAX_COUNT = np.iinfo(np.uint16).max


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Postings sorted by term; `starts[i]:starts[i + 1]` are those of `terms[i]`. Counts saturate at 65 535."""

    terms: NDArray[np.int32]
    starts: NDArray[np.int64]
    docs: NDArray[np.int32]
    counts: NDArray[np.uint16]

    @classmethod
    def of_occurrences(cls, terms: NDArray[np.int32], docs: NDArray[np.int32]) -> Postings:
        """Count occurrences given as parallel (term, document) arrays in any order."""
        keys = np.sort(terms.astype(np.int64) << 32 | docs)
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.minimum(np.diff(first, append=keys.size), _MAX_COUNT).astype(np.uint16)
        of_term, of_doc = (keys[first] >> 32).astype(np.int32), (keys[first] & 0xFFFF_FFFF).astype(np.int32)
        starts = np.flatnonzero(np.diff(of_term, prepend=np.int32(-1)))
        return cls(of_term[starts], np.append(starts, of_term.size), of_doc, counts)

    @classmethod
    def empty(cls) -> Postings:
        """Return no postings."""
        return cls(np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.uint16))

    @property
    def size(self) -> int:
        """How many postings there are."""
        return self.docs.size

    def find(self, wanted: NDArray[np.int32]) -> list[tuple[NDArray[np.int32], NDArray[np.uint16]] | None]:
        """Return the documents and counts of each wanted term, None where it does not occur."""
        places = np.searchsorted(self.terms, wanted)
        found = self.terms[np.minimum(places, self.terms.size - 1)] == wanted if self.terms.size else places < 0
        return [self._at(place) if hit else None for place, hit in zip(places.tolist(), found.tolist(), strict=True)]

    def _at(self, place: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        start, stop = self.starts[place], self.starts[place + 1]
        return self.docs[start:stop], self.counts[start:stop]

    def renumbered(self, numbers: NDArray[np.int32]) -> Postings:
        """Return the postings with document i called `numbers[i]`; those numbered below zero are left out."""
        if np.array_equal(numbers, np.arange(numbers.size)):
            return self
        docs = numbers[self.docs]
        keep = docs >= 0
        sizes = np.diff(np.concatenate(([0], np.cumsum(keep)))[self.starts])
        held = sizes > 0
        starts = np.concatenate(([0], np.cumsum(sizes[held])))
        return Postings(self.terms[held], starts, docs[keep], self.counts[keep])


def merged(parts: Sequence[Postings]) -> Postings:
    """Merge postings of disjoint documents; within a term the documents keep the order of the parts. Linear in their size."""
    if len(parts) < 2:
        return parts[0] if parts else Postings.empty()
    terms = np.unique(np.concatenate([part.terms for part in parts]))
    places = [np.searchsorted(terms, part.terms) for part in parts]
    starts = np.zeros(terms.size + 1, np.int64)
    for part, place in zip(parts, places, strict=True):
        starts[place + 1] += np.diff(part.starts)
    np.cumsum(starts, out=starts)
    docs, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.uint16)
    free = starts[:-1].copy()
    for part, place in zip(parts, places, strict=True):
        shift = free[place] - part.starts[:-1]
        for some in _stretches(part.starts):
            first, last = int(part.starts[some.start]), int(part.starts[some.stop])
            sizes = np.diff(part.starts[some.start : some.stop + 1])
            target = np.repeat(shift[some], sizes) + np.arange(first, last)
            docs[target], counts[target] = part.docs[first:last], part.counts[first:last]
        free[place] += np.diff(part.starts)
    return Postings(terms, starts, docs, counts)


def _stretches(starts: NDArray[np.int64]) -> Iterator[slice]:
    # Other threads wait while one array operation runs: many short ones, not one of a whole index.
    first = 0
    while first < starts.size - 1:
        last = int(np.searchsorted(starts, starts[first] + _STRETCH, side="right")) - 1
        last = max(last, first + 1)
        yield slice(first, last)
        first = last
