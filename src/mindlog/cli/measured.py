"""`mindlog series`: runs of points that memories hold. Owns its options and output."""

from __future__ import annotations

from mindlog.cli.output import print_json, print_table
from mindlog.cli.paging import walk
from mindlog.cli.sections import day
from mindlog.cli.target import DEFAULT, Target
from mindlog.errors import InvalidInput
from mindlog.views import Point, Series

__all__ = ["series"]

_SERIES = ("series_id", "of", "name", "unit", "points", "first", "last")
_POINT = ("at", "until", "value", "written", "was", "from")


def series(
    series_id: str | None = None,
    /,
    *,
    points: bool = False,
    dataset: str = "default",
    entity: str | None = None,
    text: str | None = None,
    start: str | None = None,
    end: str | None = None,
    limit: int = 50,
    target: Target = DEFAULT,
) -> None:
    """List the series that memories hold, or the points of one, oldest first.

    Args:
        series_id: The series whose points to list; all series are listed if it is missing.
        points: List the points; so it is with an id anyhow.
        dataset: The collection (`default` if missing).
        entity: Only series of this entity: an id or a name.
        text: Only series with these words in their names.
        start: Only points at or after this time, RFC 3339.
        end: Only points before this time, RFC 3339.
        limit: Most series or points (50 if missing).
        target: Where to work, and the form of the output.
    """
    if series_id is not None:
        _points(series_id, start, end, limit, target)
        return
    if points:
        raise InvalidInput("series_id: is missing; name the series whose points to list", field="series_id")
    with target.connect() as db:
        found = walk(
            lambda size, cursor: db.series(dataset, entity=entity, text=text, limit=size, cursor=cursor), limit
        )
        if target.json:
            print_json(*found)
            return
        print_table(_SERIES, map(_series_row, found))


def _points(series_id: str, start: str | None, end: str | None, limit: int, target: Target) -> None:
    with target.connect() as db:
        found = walk(
            lambda size, cursor: db.series_points(series_id, start=start, end=end, limit=size, cursor=cursor), limit
        )
        if target.json:
            print_json(*found)
            return
        print_table(_POINT, map(_point_row, found))


def _series_row(each: Series) -> tuple[object, ...]:
    of = None if each.entity is None else each.entity.name
    return each.series_id, of, each.name, each.unit, each.points, day(each.first_at), day(each.last_at)


def _point_row(each: Point) -> tuple[object, ...]:
    until = None if each.until is None else day(each.until)
    was = ", ".join(f"{value:g}" for value in each.was)
    return (
        day(each.at),
        until,
        f"{each.value:.15g}",
        each.written,
        was,
        each.memory_id or each.source_url or each.source,
    )
