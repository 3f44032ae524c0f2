"""BM25 over the postings of one dataset. Owns the formula; knows no text, no locks and no files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindlog.index.base import Candidates
from mindlog.index.documents import find_rows
from mindlog.index.postings import Postings

__all__ = ["Bm25", "Corpus", "Match"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """BM25's saturation with an absolute length: weight = idf * gain * tf / (tf + floor + length / slope).

    Robertson et al., Okapi at TREC-3 (1994), divides the length by the collection's mean, which ranks a turn by what else
    is stored and holds long turns back too much; a fixed slope found more evidence in short and in long conversations.
    The idf is Lucene's, ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative.
    """

    floor: float = 0.3  # saturation of the shortest text
    slope: float = 20.0  # terms that raise it by one
    gain: float = 2.2  # scale of the scores
    longest: int = 200  # terms after which a text is not held back any further

    def norms(self, lengths: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return what the term frequency is weighed against in texts of these lengths."""
        return (np.minimum(lengths, self.longest) / self.slope + self.floor).astype(np.float32)

    def idf(self, holders: int, live: int) -> float:
        """Return the weight of a term that `holders` of `live` documents hold."""
        return math.log1p((live - holders + 0.5) / (holders + 0.5))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """One dataset's documents at an instant: `order` sorts them by row (None: they are); `dead` are in no statistic.

    `recent_*` are occurrences that no block holds yet, in document order.
    """

    rows: NDArray[np.int64]
    order: NDArray[np.int64] | None
    norms: NDArray[np.float32]
    dead: NDArray[np.int64]
    blocks: Sequence[Postings]
    recent_terms: NDArray[np.int32]
    recent_docs: NDArray[np.int32]

    def find(self, terms: NDArray[np.int32]) -> list[tuple[NDArray[np.int32], NDArray[np.uint16]]]:
        """Return the documents and counts of each term."""
        parts = [block.find(terms) for block in self.blocks]
        if self.recent_terms.size:
            parts.append([self._recent(term) for term in terms.tolist()])
        return [_joined([part[i] for part in parts]) for i in range(terms.size)]

    def _recent(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]] | None:
        docs = self.recent_docs[self.recent_terms == term]
        if docs.size == 0:
            return None
        first = np.flatnonzero(np.diff(docs, prepend=np.int32(-1)))
        return docs[first], np.minimum(np.diff(first, append=docs.size), 65_535).astype(np.uint16)


class Match:
    """A cue's scores for every document of a dataset, from which the best or those of given rows are read.

    `terms` are those of the cue that have a number, with it.
    """

    def __init__(self, corpus: Corpus, terms: Mapping[str, int], bm25: Bm25) -> None:
        self._rows, self._order = corpus.rows, corpus.order
        self._scores = np.zeros(corpus.rows.size, np.float32)
        self._unheard = bm25.idf(0, corpus.rows.size - corpus.dead.size)
        self._idf = self._score(corpus, terms, bm25)

    @property
    def weight(self) -> float:
        """The idf of all terms that some document holds, added up: scores stay below `gain` times this."""
        return math.fsum(self._idf.values())

    def idf(self, term: str) -> float:
        """Return the weight of a term of the cue; one that no document holds weighs most."""
        return self._idf.get(term, self._unheard)

    def _score(self, corpus: Corpus, terms: Mapping[str, int], bm25: Bm25) -> dict[str, float]:
        idf: dict[str, float] = {}
        live = corpus.rows.size - corpus.dead.size
        is_dead = _mask(corpus.dead, corpus.rows.size) if corpus.dead.size else None
        numbers = np.fromiter(terms.values(), np.int32, len(terms))
        for term, (docs, counts) in zip(terms, corpus.find(numbers), strict=True):
            holders = docs.size - (int(np.count_nonzero(is_dead[docs])) if is_dead is not None else 0)
            if holders:
                idf[term] = bm25.idf(holders, live)
                weight = np.float32(idf[term] * bm25.gain)
                self._scores[docs] += weight * counts / (counts + corpus.norms[docs])
        self._scores[corpus.dead] = 0.0
        return idf

    def best(self, k: int, allowed: NDArray[np.bool_] | None = None) -> Candidates:
        """Return the k best rows that are allowed, all of them if fewer match; ties by rising row.

        `allowed` is a mask over rows; rows beyond its end are not allowed.
        """
        docs = np.flatnonzero(self._scores)
        if allowed is not None:
            docs = docs[_among(allowed, self._rows[docs])]
        scores = self._scores[docs]
        if 0 < k < docs.size:
            keep = np.flatnonzero(scores >= np.partition(scores, docs.size - k)[docs.size - k])
            docs, scores = docs[keep], scores[keep]
        rows = self._rows[docs]
        first = np.lexsort((rows, -scores))[: max(k, 0)]
        return Candidates(rows=rows[first], scores=scores[first])

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of the rows, 0 where no term occurs or the row is not here."""
        docs = find_rows(self._rows, self._order, rows)
        found = docs >= 0
        scores = np.zeros(rows.size, np.float32)
        scores[found] = self._scores[docs[found]]
        return scores


def _among(allowed: NDArray[np.bool_], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    if allowed.size == 0:
        return np.zeros(rows.size, np.bool_)
    return allowed.take(rows, mode="clip") & (rows < allowed.size)


def _joined(
    parts: list[tuple[NDArray[np.int32], NDArray[np.uint16]] | None],
) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    found = [part for part in parts if part is not None]
    if len(found) == 1:
        return found[0]
    if not found:
        return np.empty(0, np.int32), np.empty(0, np.uint16)
    return np.concatenate([docs for docs, _ in found]), np.concatenate([counts for _, counts in found])


def _mask(chosen: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, np.bool_)
    mask[chosen] = True
    return mask
