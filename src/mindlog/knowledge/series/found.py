"""What is found: series with their points, each with the characters it rests on, and a count of what was left out.

Owns the shapes that others store; knows no text, no store and no resolved entity.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

__all__ = ["Found", "FoundPoint", "FoundSeries", "LeftOut"]


class LeftOut(StrEnum):
    """Why a number, or a time, became no point."""

    AMBIGUOUS_NUMBER = "ambiguous_number"  #: 1.234 where nothing says what the point is
    AMBIGUOUS_TIME = "ambiguous_time"  #: 3/4/2024 where nothing says which is the month
    BOUND = "bound"  #: more than, at most
    CHANGE = "change"  #: rose by 5%
    FISCAL_YEAR = "fiscal_year"  #: FY2020 begins where its firm says
    FORECAST = "forecast"  #: is expected to, may
    NEGATED = "negated"  #: was not
    NO_NAME = "no_name"  #: nothing says what was measured
    NO_NUMBER = "no_number"  #: a cell of words in a column of numbers
    NO_TIME = "no_time"  #: a number whose sentence has times, none of them its own
    QUESTION = "question"
    SCALE = "scale"  #: $3.1 to $3.4 million: the first can be three dollars
    SINGLE = "single"  #: one number that a name no series has would make a series
    UNIT = "unit"  #: without a unit among others that have one


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPoint:
    """One value at one time.

    at, until: the half-open interval the words name, UTC; `until` is None for a moment. value: in the series' unit.
    written: the amount as it stands in the text. start, end: the characters that name amount and time.
    """

    at: datetime
    until: datetime | None
    value: float
    written: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSeries:
    """A named run of points in order of time.

    entity: whose it is as the text names it, `SPEAKER` for "my" and "our", None if the text does not say. unit: its
    normalised symbol, None for plain numbers. dimension: what the unit measures, "number" without one.
    """

    name: str
    entity: str | None
    unit: str | None
    dimension: str
    points: tuple[FoundPoint, ...]

    def moved(self, by: int) -> FoundSeries:
        """Return the series with its evidence so many characters further on: from a chunk's offsets to its document's."""
        points = (replace(point, start=point.start + by, end=point.end + by) for point in self.points)
        return replace(self, points=tuple(points))


@dataclass(slots=True)
class Found:
    """The series of a text in order of appearance, and how many numbers were left out, by reason."""

    series: list[FoundSeries] = field(default_factory=list[FoundSeries])
    left_out: dict[str, int] = field(default_factory=dict[str, int])

    def leave(self, reason: LeftOut, count: int = 1) -> None:
        """Count what becomes no point."""
        if count:
            self.left_out[reason.value] = self.left_out.get(reason.value, 0) + count

    def add(self, other: Found) -> None:
        """Add what another has left out."""
        for reason, count in other.left_out.items():
            self.left_out[reason] = self.left_out.get(reason, 0) + count
