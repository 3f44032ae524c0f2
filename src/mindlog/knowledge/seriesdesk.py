"""Series and their points as callers ask for them: what may be asked, pages by cursors, how they are shown. Reads a store."""

from __future__ import annotations

from mindlog.cursor import check_limit, listing_tag, read_cursor, read_time_cursor, write_cursor, write_time_cursor
from mindlog.errors import InvalidInput, SeriesNotFound
from mindlog.ids import number_id, parse_number_id
from mindlog.knowledge.asking import Asking, instant
from mindlog.knowledge.shown import entity_id
from mindlog.records import Dataset
from mindlog.store.asking import AskingStore
from mindlog.store.askingrows import PointRow, SeriesRow
from mindlog.views import EntityRef, Page, Point, Series

__all__ = ["one_series", "points_page", "series_page"]

_MOST_TEXT = 1000  # characters of a filter


def series_page(
    store: AskingStore,
    asking: Asking,
    name: str,
    *,
    entity: str | None,
    text: str | None,
    limit: int,
    cursor: str | None,
    most: int,
) -> Page[Series]:
    """Return a page of the series of a dataset, newest first: of an entity (id or name), with a text in their names.

    `DatasetNotFound`, `EntityNotFound`, `InvalidInput`, `InvalidCursor`.
    """
    dataset = asking.dataset(name)
    check_limit(limit, most)
    if text is not None and (not isinstance(text, str) or not 1 <= len(text) <= _MOST_TEXT):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"text: must be a text of 1 to {_MOST_TEXT} characters", field="text")
    roots = () if entity is None else asking.roots(dataset, entity, "entity")
    tag = listing_tag("series", dataset.number, entity, text)
    before = None if cursor is None else read_cursor(cursor, tag)
    # One more tells whether there is a next page.
    rows = store.series(dataset.number, entities=roots, text=text, limit=limit + 1, before_id=before)
    following = write_cursor(tag, rows[limit - 1].id) if len(rows) > limit else None
    return Page(data=tuple(_series(row, dataset) for row in rows[:limit]), next_cursor=following)


def one_series(store: AskingStore, asking: Asking, series_id: str) -> Series:
    """Return one series. `SeriesNotFound`."""
    dataset, row = _found(store, asking, series_id)
    return _series(row, dataset)


def points_page(
    store: AskingStore,
    asking: Asking,
    series_id: str,
    *,
    start: str | int | None,
    end: str | int | None,
    limit: int,
    cursor: str | None,
    most: int,
) -> Page[Point]:
    """Return a page of the points of a series in [start, end), by rising time, times without a zone in the dataset's.

    `SeriesNotFound`, `InvalidInput`, `InvalidCursor`.
    """
    check_limit(limit, most)
    dataset, row = _found(store, asking, series_id)
    first, last = instant(start, "start", dataset), instant(end, "end", dataset)
    if first is not None and last is not None and last < first:
        raise InvalidInput("end: must not be before start", field="end")
    tag = listing_tag("points", row.id, first, last)
    after = None if cursor is None else read_time_cursor(cursor, tag)
    rows = store.points(row.id, start=first, end=last, limit=limit + 1, after=after)
    following = None
    if len(rows) > limit:
        following = write_time_cursor(tag, rows[limit - 1].at, rows[limit - 1].id)
    return Page(data=tuple(_point(each) for each in rows[:limit]), next_cursor=following)


def _found(store: AskingStore, asking: Asking, series_id: str) -> tuple[Dataset, SeriesRow]:
    number = parse_number_id("ser", series_id, "series_id")
    for dataset in asking.datasets():
        for row in store.series(dataset.number, ids=[number], limit=1):
            return dataset, row
    raise SeriesNotFound(f"series_id: there is no series {series_id}", field="series_id")


def _series(row: SeriesRow, dataset: Dataset) -> Series:
    owner = None
    if row.entity is not None:
        owner = EntityRef(entity_id=entity_id(row.entity), name=row.entity_name or "")
    return Series(
        series_id=number_id("ser", row.id),
        dataset=dataset.name,
        entity=owner,
        name=row.name,
        unit=row.unit,
        points=row.points,
        first_at=row.first_at,
        last_at=row.last_at,
        created_at=row.created_at,
    )


def _point(row: PointRow) -> Point:
    return Point(
        at=row.at,
        until=row.until,
        value=row.value,
        written=row.written,
        memory_id=None if row.memory_id is None else str(row.memory_id),
        source=row.source,
        source_url=row.source_url,
        recorded_at=row.recorded_at,
        was=row.was,
    )
