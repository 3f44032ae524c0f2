"""Name vectors are searched whole, caught up with the store as names come, and bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mindlog.knowledge.namevectors import NameVectors


class Names:
    """A store of name vectors; counts what was read of it."""

    def __init__(self) -> None:
        self.vectors: dict[int, list[tuple[int, np.ndarray]]] = {}
        self.read = 0

    def add(self, dataset: int, entity: int, vector: np.ndarray) -> None:
        self.vectors.setdefault(dataset, []).append((entity, vector))

    def entity_vectors(self, dataset: int, after_id: int = 0, limit: int = 99999) -> Any:
        found = [(entity, vector) for entity, vector in self.vectors.get(dataset, []) if entity > after_id][:limit]
        self.read += len(found)
        rows = np.array([vector for _, vector in found], dtype=np.float32).reshape(len(found), 8)
        return np.array([entity for entity, _ in found], dtype=np.int64), rows


def unit(rng: np.random.Generator) -> np.ndarray:
    vector = rng.normal(size=8).astype(np.float32)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 17, 200])
def test_the_nearest_are_the_nearest_of_all_whatever_came_when(size: int) -> None:
    rng, store, names = np.random.default_rng(size), Names(), NameVectors()
    for entity in range(1, size + 1):
        store.add(1, entity, unit(rng))
        if entity % 3 == 0:
            names.near(store, 1, np.array([unit(rng)]), 0.9, 3)  # type: ignore[arg-type]
    wanted = np.array([unit(rng), unit(rng)])
    found = names.near(store, 1, wanted, 0.2, 5)  # type: ignore[arg-type]
    assert store.read == size
    assert found is not None
    for vector, near in zip(wanted, found, strict=True):
        every = [(float(row @ vector), entity) for entity, row in store.vectors.get(1, [])]
        best = sorted((-cosine, entity) for cosine, entity in every if cosine >= 0.2)[:5]
        assert [entity for entity, _ in near] == [entity for _, entity in best]
        assert [cosine for _, cosine in near] == pytest.approx([-cosine for cosine, _ in best], abs=1e-6)


def test_a_dataset_that_is_too_large_is_not_searched_and_not_read_again() -> None:
    rng, store, names = np.random.default_rng(0), Names(), NameVectors(most=3)
    for entity in range(1, 6):
        store.add(1, entity, unit(rng))
    for _ in range(2):
        assert names.near(store, 1, np.array([unit(rng)]), 0.0, 3) is None  # type: ignore[arg-type]
    assert store.read == 4


def test_of_many_datasets_those_asked_for_last_are_kept() -> None:
    rng, store, names = np.random.default_rng(0), Names(), NameVectors(most=4)
    for dataset in (1, 2, 3):
        for entity in (1, 2):
            store.add(dataset, entity, unit(rng))
    for dataset in (1, 2, 3, 3, 1):
        assert names.near(store, dataset, np.array([unit(rng)]), -1.0, 3) is not None  # type: ignore[arg-type]
    assert store.read == 8
