"""Vector search is exact: against brute force, with filters, with many windows a memory, wherever the windows lie."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mindlog.index.base import Candidates
from mindlog.index.kernels import Probe, best, closest, dots8, hamming, quantise, signs
from mindlog.index.vector import VectorIndex
from tests.index.made import DIMENSIONS, clustered, unit

Floats = NDArray[np.float32]


class Filled:
    """An index with memories whose row is their slot, and the same vectors for brute force."""

    def __init__(self, directory: Path, dimensions: int = DIMENSIONS) -> None:
        self.index = VectorIndex.open(directory, dimensions=dimensions, model="m")
        self.dead: set[int] = set()
        self.memories: list[Floats] = []
        self.index.attach(self.rows_of)

    def rows_of(self, slots: NDArray[np.int64], versions: NDArray[np.uint32]) -> NDArray[np.int64]:
        return np.array([-1 if slot in self.dead else slot for slot in slots.tolist()], np.int64)

    def add(self, memories: list[Floats], batch: int = 100) -> None:
        for start in range(0, len(memories), batch):
            some = memories[start : start + batch]
            rows = np.arange(len(self.memories), len(self.memories) + len(some))
            self.index.add(rows, rows, np.ones(len(some), np.uint32), some)
            self.memories.extend(some)

    def brute(self, query: Floats, allowed: NDArray[np.bool_], k: int) -> tuple[list[int], NDArray[np.float64]]:
        scores = np.array([(m.astype(np.float64) @ query.astype(np.float64)).max() for m in self.memories])
        rows = np.flatnonzero(allowed)
        order = rows[np.lexsort((rows, -scores[rows].astype(np.float32)))][:k]
        return order.tolist(), scores

    def check(self, query: Floats, allowed: NDArray[np.bool_], k: int) -> Candidates:
        found = self.index.search(query, allowed, k)
        wanted, scores = self.brute(query, allowed, k)
        assert len(set(found.rows.tolist())) == len(found.rows) == len(wanted)
        assert allowed[found.rows].all()
        np.testing.assert_allclose(found.scores, scores[found.rows], atol=2e-6)
        np.testing.assert_allclose(found.scores, scores[wanted], atol=2e-6)
        return found


@pytest.fixture
def filled(tmp_path: Path) -> Filled:
    return Filled(tmp_path)


def singles(rng: np.random.Generator, count: int, dimensions: int = DIMENSIONS) -> list[Floats]:
    return [v[None] for v in clustered(rng, count, dimensions)]


def masks(rng: np.random.Generator, count: int) -> list[NDArray[np.bool_]]:
    first = np.zeros(count, np.bool_)
    first[: count // 3] = True
    return [np.ones(count, np.bool_), first, *(rng.random(count) < share for share in (0.5, 0.1, 0.01))]


def test_an_empty_index_finds_nothing(filled: Filled) -> None:
    query = unit(np.ones(DIMENSIONS))
    assert filled.index.search(query, np.empty(0, np.bool_), 5).rows.tolist() == []
    assert filled.index.search(query, np.ones(4, np.bool_), 5).rows.tolist() == []
    assert filled.index.scores(query, np.array([0, 3])).tolist() == [0, 0]
    assert filled.index.window_of(query, 0) == 0


@pytest.mark.parametrize("k", [1, 10, 400])
def test_a_small_index_equals_brute_force_under_every_mask(filled: Filled, k: int) -> None:
    rng = np.random.default_rng(1)
    filled.add(singles(rng, 1500))
    for allowed in masks(rng, 1500):
        filled.check(clustered(rng, 1)[0], allowed, k)


@pytest.mark.parametrize("folded", [False, True])
def test_recall_at_ten_is_above_995_in_1000_with_and_without_filters(tmp_path: Path, folded: bool) -> None:
    rng = np.random.default_rng(2)
    count, dimensions = 20_000, 128
    filled = Filled(tmp_path, dimensions)
    vectors = clustered(rng, count + 25, dimensions)
    filled.add([v[None] for v in vectors[:count]], batch=500)
    if folded:
        assert filled.index.fold(1)
    hits = wanted = 0
    for query in vectors[count:]:
        for allowed in masks(rng, count):
            rows = np.flatnonzero(allowed)
            scores = vectors[rows] @ query
            exact = rows[np.argsort(-scores, kind="stable")[:10]]
            found = filled.index.search(query, allowed, 10).rows
            assert len(found) == 10
            hits += len(np.intersect1d(exact, found))
            wanted += 10
    assert hits >= 0.995 * wanted


def test_a_memory_counts_by_its_best_window_and_once(filled: Filled) -> None:
    rng = np.random.default_rng(3)
    vectors = clustered(rng, 3000)
    lengths = rng.integers(1, 9, 600)
    filled.add(np.split(vectors[: lengths.sum()], np.cumsum(lengths)[:-1]))
    for allowed in masks(rng, 600):
        query = vectors[int(rng.integers(2000))]
        found = filled.check(query, allowed, 10)
        scores = filled.index.scores(query, found.rows)
        np.testing.assert_array_equal(scores, found.scores)
    counts = filled.index.window_counts(np.arange(601))
    assert counts.tolist() == [*lengths.tolist(), 0]
    for row in range(0, 600, 37):
        best_window = int(np.argmax(filled.memories[row].astype(np.float64) @ query.astype(np.float64)))
        assert filled.index.window_of(query, row) == best_window


def test_memories_of_very_many_windows_do_not_crowd_out_the_others(filled: Filled) -> None:
    rng = np.random.default_rng(4)
    query = unit(rng.standard_normal(DIMENSIONS))
    near = unit(query + 0.05 * rng.standard_normal((3000, DIMENSIONS)))
    filled.add([near[:1500], *singles(rng, 2500), near[1500:]])
    found = filled.check(query, np.ones(2502, np.bool_), 10)
    assert {0, 2501} <= set(found.rows.tolist())


def test_equal_vectors_are_ranked_by_rising_row_wherever_they_lie(filled: Filled) -> None:
    rng = np.random.default_rng(5)
    same = unit(rng.standard_normal((1, DIMENSIONS)))
    filled.add([same] * 30 + singles(rng, 50))
    filled.index.fold(1)
    filled.add(singles(rng, 50) + [same] * 30)
    allowed = np.ones(160, np.bool_)
    assert filled.index.search(same[0], allowed, 40).rows.tolist() == [*range(30), *range(130, 140)]
    allowed[:10] = False
    assert filled.index.search(same[0], allowed, 5).rows.tolist() == [10, 11, 12, 13, 14]


def test_thousands_of_equal_vectors_still_give_k_hits(filled: Filled) -> None:
    same = unit(np.ones((1, DIMENSIONS)))
    filled.add([same] * 12_000, batch=3000)
    assert filled.index.search(same[0], np.ones(12_000, np.bool_), 10).rows.tolist() == list(range(10))


@pytest.mark.parametrize("count", [100, 5000])
def test_a_row_beyond_the_mask_is_never_found(filled: Filled, count: int) -> None:
    rng = np.random.default_rng(6)
    filled.add(singles(rng, count))
    query = filled.memories[count - 5][0]
    found = filled.index.search(query, np.ones(count - 10, np.bool_), count)
    assert sorted(found.rows.tolist()) == list(range(count - 10))
    assert filled.index.search(query, np.ones(count - 10, np.bool_), 3).rows.max() < count - 10


def test_every_allowed_memory_is_found_when_k_exceeds_them(filled: Filled) -> None:
    rng = np.random.default_rng(7)
    filled.add(singles(rng, 5000))
    allowed = rng.random(5000) < 0.02
    found = filled.index.search(filled.memories[0][0], allowed, 5000)
    assert sorted(found.rows.tolist()) == np.flatnonzero(allowed).tolist()


def test_what_is_loaded_beside_the_writer_is_found_like_what_was_added(filled: Filled) -> None:
    rng = np.random.default_rng(8)
    vectors = clustered(rng, 400)
    filled.add([v[None] for v in vectors[:100]])
    filled.memories.extend(v[None] for v in vectors[100:])
    rows = rng.permutation(np.arange(100, 400))
    filled.index.load(rows, rows, np.ones(300, np.uint32), [filled.memories[row] for row in rows])
    filled.check(vectors[3], np.ones(400, np.bool_), 20)
    assert filled.index.covered(np.array([0, 99, 100, 399, 400])).tolist() == [True] * 4 + [False]
    np.testing.assert_allclose(filled.index.scores(vectors[7], np.array([7])), [1], atol=1e-6)


def test_a_tail_that_is_full_is_set_aside_and_still_searched(
    filled: Filled, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("mindlog.index.vector.TAIL_BYTES", 64 * 4 * DIMENSIONS)
    rng = np.random.default_rng(9)
    small = Filled(tmp_path / "small")
    small.add(singles(rng, 500), batch=50)
    small.add([clustered(rng, 200)])  # one memory larger than a tail
    small.add(singles(rng, 10))
    for allowed in masks(rng, 511):
        small.check(clustered(rng, 1)[0], allowed, 10)
    assert small.index.unfolded == 710


@pytest.mark.parametrize("dimensions", [8, 63, 64, 65, 384])
def test_any_vector_size_is_searched_exactly(tmp_path: Path, dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    filled = Filled(tmp_path, dimensions)
    filled.add(singles(rng, 300, dimensions))
    filled.index.fold(1)
    filled.add(singles(rng, 300, dimensions))
    filled.check(clustered(rng, 1, dimensions)[0], np.ones(600, np.bool_), 10)


def test_readers_meet_only_whole_memories_while_the_writer_adds_and_folds(filled: Filled) -> None:
    rng = np.random.default_rng(10)
    pairs = [np.stack((v, -v)) for v in clustered(rng, 2000)]
    query = pairs[0][0]
    stop = Event()
    seen: list[Any] = []

    def read() -> None:
        while not stop.is_set():
            found = filled.index.search(query, np.ones(4000, np.bool_), 50)
            seen.append((found.rows[0], (found.scores >= 0).all()))

    filled.add(pairs[:100])
    reader = Thread(target=read)
    reader.start()
    for start in range(100, 2000, 100):
        filled.add(pairs[start : start + 100], batch=10)
        filled.index.fold(start)
    stop.set()
    reader.join()
    assert seen
    # Each memory has a window and its opposite: its best is never negative, unless half of it was seen.
    assert all(first == 0 and whole for first, whole in seen)


# -- the graph for large unfiltered searches ---------------------------------------------------------------------------


@pytest.fixture
def graphed(filled: Filled) -> Filled:
    filled.add(singles(np.random.default_rng(11), 3000))
    filled.index.tend_graph(np.arange(3000), 2000, Event())
    assert filled.index.has_graph
    return filled


def test_the_graph_and_later_additions_are_searched_together(graphed: Filled) -> None:
    rng = np.random.default_rng(12)
    graphed.add(singles(rng, 200))
    allowed = np.ones(3200, np.bool_)
    hits = 0
    for number in range(0, 3200, 64):
        query = unit(graphed.memories[number][0] + 0.05 * rng.standard_normal(DIMENSIONS))
        found = graphed.index.search(query, allowed, 10)
        wanted, scores = graphed.brute(query, allowed, 10)
        np.testing.assert_allclose(found.scores, scores[found.rows], atol=2e-6)
        hits += len(set(wanted) & set(found.rows.tolist()))
    assert hits >= 0.95 * 50 * 10


def test_a_filtered_search_does_not_go_by_the_graph(graphed: Filled) -> None:
    rng = np.random.default_rng(13)
    for allowed in masks(rng, 3000)[1:]:
        graphed.check(clustered(rng, 1)[0], allowed, 10)


def test_more_hits_than_the_graph_gives_are_found_without_it(graphed: Filled) -> None:
    graphed.check(graphed.memories[5][0], np.ones(3000, np.bool_), 3000)


def test_a_worn_graph_is_built_anew_and_a_small_index_has_none(graphed: Filled) -> None:
    rng = np.random.default_rng(14)
    first = graphed.index._graph
    graphed.add(singles(rng, 100))
    graphed.index.tend_graph(np.arange(3100), 2000, Event())
    assert graphed.index._graph is first
    graphed.add(singles(rng, 900))
    graphed.index.tend_graph(np.arange(4000), 2000, Event())
    assert graphed.index._graph not in (first, None)
    graphed.index.tend_graph(np.arange(1500), 2000, Event())
    assert not graphed.index.has_graph


def test_a_graph_that_disagrees_with_the_cascade_is_not_used(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindlog.index.hnsw.Graph.near", lambda self, query, k: np.arange(200))
    filled.add(singles(np.random.default_rng(15), 3000))
    filled.index.tend_graph(np.arange(3000), 2000, Event())
    assert not filled.index.has_graph


def test_building_the_graph_ends_when_told_to_stop(filled: Filled) -> None:
    filled.add(singles(np.random.default_rng(16), 3000))
    stop = Event()
    stop.set()
    filled.index.tend_graph(np.arange(3000), 2000, stop)
    assert not filled.index.has_graph


# -- kernels -----------------------------------------------------------------------------------------------------------


def test_the_kernels_are_the_arithmetic_they_stand_for() -> None:
    rng = np.random.default_rng(17)
    vectors, query = clustered(rng, 500, 100), clustered(rng, 1, 100)[0]
    probe = Probe.of(query)
    out = np.empty(500, np.uint16)
    hamming(signs(vectors), probe, out)
    assert out.tolist() == ((vectors > 0) != (query > 0)).sum(axis=1).tolist()
    codes, scales = quantise(vectors)
    assert np.abs(codes * scales[:, None] - vectors).max() <= scales.max() / 2 + 1e-6
    approximate = dots8(codes, scales, probe) * quantise(query[None])[1][0]
    np.testing.assert_allclose(approximate, vectors @ query, atol=0.02)


def test_a_zero_vector_is_quantised_to_zeros() -> None:
    codes, scales = quantise(np.zeros((2, 16), np.float32))
    assert not codes.any()
    assert np.isfinite(scales).all()


@pytest.mark.parametrize("count", [1, 7, 50, 99, 100, 200])
def test_picking_gives_at_least_the_best_and_not_many_more(count: int) -> None:
    rng = np.random.default_rng(count)
    values = rng.integers(0, 30, 100)
    smallest = closest(values.astype(np.uint16), count)
    assert np.isin(np.flatnonzero(values < np.sort(values)[min(count, 100) - 1]), smallest).all()
    largest = best(values.astype(np.float32), count)
    assert np.isin(np.flatnonzero(values > np.sort(values)[::-1][min(count, 100) - 1]), largest).all()
    for found in (smallest, largest):
        assert min(count, 100) <= len(found) <= 4 * count
        assert (np.diff(found) > 0).all()


@pytest.mark.parametrize("windows", [1, 3])
def test_a_rough_search_is_near_the_exact_one_and_holds_to_the_mask(filled: Filled, windows: int) -> None:
    rng = np.random.default_rng(windows)
    made = clustered(rng, 900 * windows)
    filled.add([made[windows * n : windows * (n + 1)] for n in range(900)])
    for query in clustered(rng, 5):
        for mask in masks(rng, 900):
            exact, rough = filled.check(query, mask, 20), filled.index.search_roughly(query, mask, 20)
            assert mask[rough.rows].all()
            assert len(rough.rows) == len(exact.rows)
            assert len(set(rough.rows.tolist()) & set(exact.rows.tolist())) >= 0.8 * len(exact.rows)
            np.testing.assert_allclose(rough.scores, filled.brute(query, mask, 20)[1][rough.rows], atol=0.03)


def test_a_rough_search_of_nothing_finds_nothing(filled: Filled) -> None:
    query = unit(np.ones(DIMENSIONS))
    assert filled.index.search_roughly(query, np.empty(0, np.bool_), 5).rows.size == 0
    filled.add(singles(np.random.default_rng(1), 10))
    assert filled.index.search_roughly(query, np.zeros(10, np.bool_), 5).rows.size == 0
