"""The arithmetic of vector search: signs and int8 forms of vectors, distances, and picking the best of many.

Owns kernels and nothing else: no rows, no files. All of them are deterministic: a vector's score depends on it alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numkong
import numpy as np
from numpy.typing import NDArray

__all__ = ["Probe", "best", "closest", "dots", "dots8", "hamming", "int8_products", "quantise", "signs"]

Floats = NDArray[np.float32]
_BLOCK = 1 << 16
_TIES = 4
_LEVELS = np.float32(127)
_LEAST_PEAK = np.float32(1e-30)  # a vector of zeros has codes of zeros, and a scale that divides


@dataclass(frozen=True, slots=True)
class Probe:
    """A query vector in the three forms the cascade compares: float32, int8 and signs."""

    floats: Floats
    codes: NDArray[np.int8]
    scale: np.float32  # of the codes
    bits: NDArray[np.uint64]

    @classmethod
    def of(cls, query: Floats) -> Probe:
        """Derive the forms of one vector of d numbers."""
        row = np.ascontiguousarray(query, np.float32).reshape(1, -1)
        codes, scales = quantise(row)
        return cls(row, codes, scales[0], signs(row)[:, 0].copy())


def signs(vectors: Floats) -> NDArray[np.uint64]:
    """Return the sign bits, one column a vector: `(ceil(d / 64), n)`."""
    packed = np.packbits(vectors > 0, axis=1)
    words = -(-vectors.shape[1] // 64)
    padded = np.zeros((len(vectors), words * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64).T


def quantise(vectors: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return int8 codes and the scale of each vector: `codes * scale` is the vector to about 0.4 % of its largest part."""
    peak = np.maximum(np.abs(vectors).max(axis=1, initial=0), _LEAST_PEAK)
    codes = np.rint(vectors * (_LEVELS / peak)[:, None]).astype(np.int8)
    return codes, peak / _LEVELS


def hamming(bits: NDArray[np.uint64], probe: Probe, out: NDArray[np.uint16]) -> None:
    """Write the number of differing signs of each column of `bits`."""
    n = bits.shape[1]
    block = min(n, _BLOCK)
    words, counts = np.empty(block, np.uint64), np.empty(block, np.uint8)
    for start in range(0, n, _BLOCK):
        end = min(n, start + _BLOCK)
        w, c, o = words[: end - start], counts[: end - start], out[start:end]
        o[:] = 0
        for column, word in zip(bits, probe.bits, strict=True):
            np.bitwise_xor(column[start:end], word, out=w)
            np.bitwise_count(w, out=c)
            np.add(o, c, out=o)


def dots8(codes: NDArray[np.int8], scales: Floats, probe: Probe) -> Floats:
    """Return dot products from the int8 forms, up to the query's own scale."""
    if not len(codes):
        return np.empty(0, np.float32)
    found = np.asarray(numkong.cdist(probe.codes, codes, "dot", dtype="int8"))
    return found[0].astype(np.float32) * scales


def dots(vectors: Floats, probe: Probe) -> Floats:
    """Return exact dot products. Not by BLAS: there a row's last digit depends on the rows beside it."""
    if not len(vectors):
        return np.empty(0, np.float32)
    return np.asarray(numkong.cdist(probe.floats, vectors, "dot"))[0].astype(np.float32)


def int8_products(left: NDArray[np.int8], right: NDArray[np.int8]) -> NDArray[np.int32]:
    """Return all dot products of two sets of int8 rows, (left, right). One thread: BLAS would start more and wait."""
    return np.asarray(numkong.dots_packed(left, numkong.dots_pack(right)))


def closest(distances: NDArray[np.uint16], count: int) -> NDArray[np.int64]:
    """Return the positions, rising, of at least the `count` smallest distances and at most a few times as many."""
    if count >= len(distances):
        return np.arange(len(distances))
    threshold = int(np.searchsorted(np.cumsum(np.bincount(distances)), count))
    found = np.flatnonzero(distances <= threshold)
    if len(found) <= _TIES * count:
        return found
    return _trimmed(np.flatnonzero(distances < threshold), np.flatnonzero(distances == threshold), count)


def best(values: Floats, count: int) -> NDArray[np.int64]:
    """Return the positions, rising, of at least the `count` largest values and at most a few times as many."""
    n = len(values)
    if count >= n:
        return np.arange(n)
    threshold = np.partition(values, n - count)[n - count]
    found = np.flatnonzero(values >= threshold)
    if len(found) <= _TIES * count:
        return found
    return _trimmed(np.flatnonzero(values > threshold), np.flatnonzero(values == threshold), count)


def _trimmed(better: NDArray[np.int64], tied: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    # Many equal vectors (one text kept a thousand times): the first ones stand for all.
    return np.sort(np.concatenate((better, tied[: _TIES * count - len(better)])))
