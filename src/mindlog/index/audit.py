"""Do the indexes hold what the store holds? Compares revision by revision; repairs nothing.

For the doctor and for tests of crashes: exact while nothing is being written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from mindlog.index.catalog import Catalog
from mindlog.index.lexical import LexicalIndex
from mindlog.index.vector import VectorIndex
from mindlog.records import MemoryState
from mindlog.store.base import CatalogRow

__all__ = ["differences"]

_Revision = tuple[int, int]


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


def _pairs(slots: NDArray[np.int64], versions: NDArray[np.uint32]) -> list[_Revision]:
    return list(zip(slots.tolist(), versions.tolist(), strict=True))


def _unequal(name: str, stored: Iterable[_Revision], held: Iterable[_Revision]) -> Iterator[str]:
    wanted, found = set(stored), set(held)
    for slot, version in sorted(wanted - found):
        yield f"{name}: slot {slot} version {version} is missing"
    for slot, version in sorted(found - wanted):
        yield f"{name}: slot {slot} version {version} is not in the store"
