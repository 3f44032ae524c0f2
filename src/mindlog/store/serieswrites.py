"""The operation that applies what a memory or a provider says of series. Knows no thread and no queue.

Applied again it changes nothing. A point's time is its whole interval: January is not the year that begins with it. What a
revision gives takes the place of what it gave before; what a provider says is added where it said otherwise last.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mindlog.errors import InvalidInput, RevisionGone
from mindlog.ids import MemoryId
from mindlog.store.connect import Row, fetch
from mindlog.store.documentrows import NewPoint, NewSeries, SeriesWrite
from mindlog.store.queries import q
from mindlog.store.transaction import Transaction

__all__ = ["apply_series", "check_series", "put_series"]


def put_series(tx: Transaction, write: SeriesWrite) -> dict[str, int]:
    """Apply the write by itself; see `AskingStore.put_series`."""
    check_series(write)
    if write.slot is not None:
        found = fetch(tx.connection, q.live_memories, (f"[{write.slot}]", write.dataset))
        if [row[1] for row in found] != [write.version]:
            gone = MemoryId(0, write.slot, write.version or 0)
            raise RevisionGone(f"memory_id: {gone} was edited or forgotten", field="memory_id")
    return apply_series(tx, write)


def check_series(write: SeriesWrite) -> None:
    """Raise `InvalidInput` for a write that contradicts itself; call it before anything is changed."""
    if (write.slot is None) != (write.version is None):
        raise InvalidInput("slot: a slot needs its version", field="slot")
    for point in (point for series in write.series for point in series.points):
        if not math.isfinite(point.value):
            raise InvalidInput(f"value: {point.value} is no number", field="value")
        if point.until is not None and point.until <= point.at:
            raise InvalidInput("until: is not after the point's beginning", field="until")
        if write.slot is None and point.source is None:
            raise InvalidInput("source: a point that no memory gave needs its source", field="source")


def apply_series(tx: Transaction, write: SeriesWrite) -> dict[str, int]:
    """Apply the write; returns how many series and points are new, and how many points `dangling`, of no entity that is there.

    The memory's row is in the database and live. Raises `InvalidInput` as `check_series` does, before anything is changed.
    """
    check_series(write)
    counts: Counter[str] = Counter({"series": 0, "points": 0})
    given = _numbered(tx, write, counts)
    revision = (write.slot, write.version)
    if write.slot is None:
        rows = [row for series, points in given.items() for row in _said_anew(tx, series, points, counts)]
    else:
        rows = _take_the_place(tx, revision, given, counts)
    tx.connection.executemany(q.insert_point, [(*row, *revision, tx.at) for row in rows])
    return dict(counts)


# -- series -------------------------------------------------------------------------------------------------------------
def _numbered(tx: Transaction, write: SeriesWrite, counts: Counter[str]) -> dict[int, list[NewPoint]]:
    """Return the points by the number of their series; those that are not there are made."""
    ids = {series.entity for series in write.series if series.entity is not None}
    there = {each for each, _ in fetch(tx.connection, q.roots_of, (json.dumps(sorted(ids)), write.dataset))}
    given: dict[int, list[NewPoint]] = {}
    for series in write.series:
        if series.entity is not None and series.entity not in there:
            counts["dangling"] += len(series.points)
        elif series.points:
            given.setdefault(_number(tx, write.dataset, series, counts), []).extend(series.points)
    return given


def _number(tx: Transaction, dataset: int, series: NewSeries, counts: Counter[str]) -> int:
    # Two series of one identity come of a merge. A unit that is in none of them makes another: nobody here converts.
    if series.entity is None:
        found = fetch(tx.connection, q.series_of_nobody, (dataset, series.key))
    else:
        found = fetch(tx.connection, q.series_of_entity, (series.entity, dataset, series.key))
    for number, unit in found:
        if unit == series.unit:
            return number
    named = (series.name, series.key, series.unit, series.dimension)
    tx.connection.execute(q.insert_series, (dataset, series.entity, *named, tx.at, tx.lsn))
    counts["series"] += 1
    return tx.connection.last_insert_rowid()


# -- points -------------------------------------------------------------------------------------------------------------
def _said_anew(tx: Transaction, series: int, points: Sequence[NewPoint], counts: Counter[str]) -> list[Row]:
    """Return the rows of what the providers say of the series and did not say last."""
    times = [point.at for point in points]
    known = {row[:3]: row[3] for row in fetch(tx.connection, q.points_of_providers, (series, min(times), max(times)))}
    rows: list[Row] = []
    for point in points:
        what = (point.at, point.until, point.source)
        if known.get(what) != float(point.value):
            known[what] = float(point.value)
            rows.append((series, *_facts(point)))
    counts["points"] += len(rows)
    return rows


def _take_the_place(
    tx: Transaction, revision: Row, given: Mapping[int, Sequence[NewPoint]], counts: Counter[str]
) -> list[Row]:
    """Take away what the revision gave and gives no longer; returns the rows to add. A time that stays as it was is not touched."""
    old = _by_time((row[1:], row[0]) for row in fetch(tx.connection, q.points_of_revision, revision))
    new = _by_time(((series, *_facts(point)), 0) for series, points in given.items() for point in points)
    changed = [time for time in {**old, **new} if list(old.get(time, ())) != list(new.get(time, ()))]
    gone = [number for time in changed for number in old.get(time, {}).values()]
    tx.connection.executemany(q.delete_point, [(number,) for number in gone])
    counts["points"] += sum(len(new.get(time, {}).keys() - old.get(time, {}).keys()) for time in changed)
    _delete_empty(tx, {time[0] for time in changed if time in old} - given.keys())
    return [row for time in changed for row in new.get(time, ())]


def _by_time(rows: Iterable[tuple[Row, int]]) -> dict[Row, dict[Row, int]]:
    """Return rows of (series, facts) with their numbers by series and time, in order, each once."""
    found: dict[Row, dict[Row, int]] = {}
    for row, number in rows:
        found.setdefault(row[:3], {}).setdefault(row, number)
    return found


def _delete_empty(tx: Transaction, series: Iterable[int]) -> None:
    tx.connection.execute(q.delete_empty_series, (json.dumps(sorted(series)),))


def _facts(point: NewPoint) -> Row:
    said = (point.at, point.until, float(point.value), point.written, point.start, point.end)
    return (*said, point.source, point.source_url)
