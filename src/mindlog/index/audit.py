"""Do the indexes hold what the store holds? Compares revision by revision; repairs nothing.

For the doctor and for tests of crashes: exact while nothing is being written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from mindlog.index.catalog import Catalog
from mindlog.index.lexical import LexicalIndex
from mindlog.index.questions import QuestionSource
from mindlog.index.questionsets import stamp_of
from mindlog.index.vector import VectorIndex
from mindlog.records import MemoryState
from mindlog.store.base import CatalogRow

__all__ = ["differences", "question_differences"]

_Revision = tuple[int, int]
_AT_ONCE = 4096


def differences(
    rows: Iterable[CatalogRow], catalog: Catalog, vectors: VectorIndex, lexical: LexicalIndex, texts: NDArray[np.int64]
) -> Iterator[str]:
    """Say in one sentence each how the indexes differ from the store's current revisions (`rows`).

    `texts` are the catalog rows whose text was given to the lexical index.
    """
    stored = {(row.slot, row.version): row.state == MemoryState.LIVE for row in rows}
    view, current = catalog.view(), catalog.current()
    revisions = _pairs(view.slot[current], view.version[current])
    held = dict(zip(revisions, view.is_live(current).tolist(), strict=True))
    yield from _unequal("catalog", stored.keys(), held.keys())
    for slot, version in sorted(stored.keys() & held.keys()):
        if stored[slot, version] != held[slot, version]:
            yield f"catalog: slot {slot} version {version} is {'hidden' if stored[slot, version] else 'shown'}"
    known = set(_pairs(*vectors.known()))
    yield from _unequal("vectors", stored.keys(), known & held.keys())
    given = catalog.rows(view.slot[texts]) == texts
    yield from _unequal("lexical", stored.keys(), _pairs(view.slot[texts[given]], view.version[texts[given]]))
    for dataset in set(view.dataset.tolist()):
        lexical.match((), dataset=dataset)  # takes waiting writes in: they would be counted twice
    if (count := lexical.state().rows) != len(held):
        yield f"lexical: holds {count} texts, the catalog {len(held)}"


def question_differences(source: QuestionSource, catalog: Catalog, held: Mapping[_Revision, int]) -> Iterator[str]:
    """Say in one sentence each how the questions held (stamps by revision) differ from the store's."""
    stored = {
        (slot, version): stamp_of(version, np.stack([vector for _, _, _, vector in questions]))
        for (slot, version), questions in groupby(_questions(source), key=lambda each: each[1:3])
        if catalog.rows_of(np.array([slot]), np.array([version], np.uint32))[0] >= 0
    }
    yield from _unequal("questions", stored.keys(), held.keys())
    for slot, version in sorted(stored.keys() & held.keys()):
        if stored[slot, version] != held[slot, version]:
            yield f"questions: those of slot {slot} version {version} are others than the store's"


def _questions(source: QuestionSource) -> Iterator[tuple[int, int, int, NDArray[np.float32]]]:
    after = 0
    while page := source.question_vectors(after, _AT_ONCE):
        yield from page
        after = page[-1][0]


def _pairs(slots: NDArray[np.int64], versions: NDArray[np.uint32]) -> list[_Revision]:
    return list(zip(slots.tolist(), versions.tolist(), strict=True))


def _unequal(name: str, stored: Iterable[_Revision], held: Iterable[_Revision]) -> Iterator[str]:
    wanted, found = set(stored), set(held)
    for slot, version in sorted(wanted - found):
        yield f"{name}: slot {slot} version {version} is missing"
    for slot, version in sorted(found - wanted):
        yield f"{name}: slot {slot} version {version} is not in the store"
