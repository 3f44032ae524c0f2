"""Scores find_series on the labelled texts: precision and recall of points. Run as a module, it prints them.

A point counts by its series' name, entity and unit, its time and its value; spelling is compared as `name_key` does.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.series.find import find_series
from mindlog.knowledge.series.found import FoundPoint
from tests.knowledge.series.labelled import AT, LABELLED, Labelled

Point = tuple[str, str, str | None, str, float]


@dataclass(slots=True)
class Score:
    found: int = 0
    right: int = 0
    wanted: int = 0

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0


def period(label: str) -> tuple[datetime, datetime | None]:
    """Return the interval that a label such as 2019, 2019-Q1, 2019-03, 2019-03-05 or 2019-03-05T08:00 stands for."""
    if "T" in label:
        return datetime.fromisoformat(label).replace(tzinfo=UTC), None
    if match := re.fullmatch(r"(\d{4})-Q([1-4])", label):
        return _months(int(match[1]), 3 * int(match[2]) - 2, 3)
    if match := re.fullmatch(r"(\d{4})-H([12])", label):
        return _months(int(match[1]), 6 * int(match[2]) - 5, 6)
    parts = [int(part) for part in label.split("-")]
    if len(parts) == 3:
        day = datetime(*parts, tzinfo=UTC)
        return day, day + timedelta(days=1)
    return _months(parts[0], 1, 12) if len(parts) == 1 else _months(parts[0], parts[1], 1)


def _months(year: int, month: int, count: int) -> tuple[datetime, datetime]:
    last = month - 1 + count
    return datetime(year, month, 1, tzinfo=UTC), datetime(year + last // 12, last % 12 + 1, 1, tzinfo=UTC)


def points_of(labelled: Labelled) -> set[Point]:
    return {
        (name_key(name), name_key(entity or ""), unit, str(period(at)), float(f"{value:.12g}"))
        for name, entity, unit, points in labelled.series
        for at, value in points
    }


def found_in(labelled: Labelled) -> set[Point]:
    found = find_series(labelled.text, AT, labelled.title, labelled.heading)
    return {
        (name_key(s.name), name_key(s.entity or ""), s.unit, str((p.at, p.until)), float(f"{p.value:.12g}"))
        for s in found.series
        for p in s.points
    }


def score(half: str | None = None) -> Score:
    total = Score()
    for labelled in LABELLED:
        if half in (None, labelled.half):
            found, wanted = found_in(labelled), points_of(labelled)
            total.found += len(found)
            total.right += len(found & wanted)
            total.wanted += len(wanted)
    return total


def evidence(labelled: Labelled) -> list[tuple[FoundPoint, str]]:
    found = find_series(labelled.text, AT, labelled.title, labelled.heading)
    return [(point, labelled.text[point.start : point.end]) for series in found.series for point in series.points]


def main(show: bool) -> None:
    for half in ("a", "b", "c", "d", None):
        total = score(half)
        texts = sum(half in (None, labelled.half) for labelled in LABELLED)
        print(
            f"half {half or 'all':3} ({texts:3} texts, {total.wanted:3} points)  precision/recall: {total.precision:.3f}/{total.recall:.3f}"
        )
    for labelled in LABELLED if show else ():
        found, wanted = found_in(labelled), points_of(labelled)
        if found != wanted:
            print(f"  {labelled.half} {labelled.text[:110]!r}")
            print("    extra  ", sorted(found - wanted, key=str))
            print("    missing", sorted(wanted - found, key=str))


if __name__ == "__main__":
    main(show="--show" in sys.argv)
