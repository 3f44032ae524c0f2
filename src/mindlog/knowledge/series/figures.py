"""The formulas behind observations, each with its source. Arrays of float64 in order of time; knows no words.

- Slope: Theil (1950) and Sen (1968), the median of the slopes of all pairs; little moved by a few bad readings.
- Trend: Mann (1945) and Kendall (1975), by the normal approximation with ties and continuity correction.
- Break: Pettitt (1979), a rank test for one shift at an unknown place, with his approximation of p.
- Season: autocorrelation of what the line leaves, against the 95 % bound of Bartlett (1946) for no correlation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["SIGNIFICANT", "Break", "Line", "Numbers", "autocorrelation", "bartlett_bound", "break_of", "line_of"]

Numbers = NDArray[np.float64]

SIGNIFICANT: Final = 0.05
"""A trend or a break with a greater p may be chance, and is not spoken of."""

_MOST_POINTS: Final = 600
"""Pairs are quadratic in the points: of longer series every so-manyth point is compared."""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line through readings, and how likely so clear a tendency is by chance."""

    slope: float
    intercept: float
    p: float

    def at(self, x: Numbers) -> Numbers:
        """Return its heights."""
        return self.intercept + self.slope * x


@dataclass(frozen=True, slots=True)
class Break:
    """A shift of the level: `at` is the first reading after it."""

    at: int
    before: float
    after: float
    p: float


def line_of(x: Numbers, y: Numbers) -> Line:
    """Return the Theil-Sen line of at least two readings and the two-sided p of Mann and Kendall's test."""
    if len(x) > _MOST_POINTS:
        chosen = np.linspace(0, len(x) - 1, _MOST_POINTS).astype(np.intp)
        x, y = x[chosen], y[chosen]
    first, second = np.triu_indices(len(x), 1)
    across, up = x[second] - x[first], y[second] - y[first]
    slope = float(np.median(up[across > 0] / across[across > 0])) if (across > 0).any() else 0.0
    return Line(slope, float(np.median(y - slope * x)), _kendall_p(y, float(np.sign(up).sum())))


def break_of(y: Numbers) -> Break | None:
    """Return the likeliest shift of level in at least four readings, with Pettitt's p; None if all are equal."""
    size = len(y)
    if size < 4 or (y == y[0]).all():
        return None
    spread = 2 * np.cumsum(_ranks(y))[:-1] - np.arange(1, size) * (size + 1)
    at = int(np.abs(spread).argmax()) + 1
    p = min(1.0, 2 * math.exp(-6 * float(spread[at - 1]) ** 2 / (size**3 + size**2)))
    return Break(at, float(y[:at].mean()), float(y[at:].mean()), p)


def autocorrelation(y: Numbers, lag: int) -> float:
    """Return the correlation of readings with those `lag` places later, 0 if they do not vary."""
    centred = y - y.mean()
    whole = float(centred @ centred)
    return float(centred[:-lag] @ centred[lag:]) / whole if whole > 0 else 0.0


def bartlett_bound(size: int) -> float:
    """Return what the autocorrelation of unrelated readings exceeds in one of forty cases."""
    return 1.96 / math.sqrt(size)


def _kendall_p(y: Numbers, score: float) -> float:
    size = len(y)
    _, ties = np.unique(y, return_counts=True)
    variance = (size * (size - 1) * (2 * size + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    if variance <= 0:
        return 1.0
    z = max(abs(score) - 1, 0.0) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


def _ranks(y: Numbers) -> Numbers:
    """Return ranks from 1, equal readings with their mean."""
    _, inverse, counts = np.unique(y, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse].astype(np.float64)
