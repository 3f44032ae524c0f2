"""Series of a document: points found in its texts become points of the dataset's series, and the stage store_series.

One series is one name of one entity in units that convert to each other. Points are kept in the unit of the series that is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from mindlog.errors import RevisionGone
from mindlog.knowledge.extraction import SPEAKER, name_key
from mindlog.knowledge.series.units import base_of, convert
from mindlog.remember.reading import loaded
from mindlog.store.documentrows import NewPoint, NewSeries, SeriesWrite

if TYPE_CHECKING:
    from mindlog.knowledge.resolve import Resolved
    from mindlog.knowledge.series.found import FoundPoint, FoundSeries
    from mindlog.remember.job import RememberJob, TextJob
    from mindlog.remember.reading import TextReading

__all__ = ["series_key", "series_of", "store_series"]

_MICROSECOND = 1_000_000
_READ_AT_ONCE = 200


def series_key(name: str, unit: str | None) -> str:
    """Return what two findings of one series of an entity have in common."""
    return f"{name_key(name)}|{base_of(unit) or ''}"


@dataclass(frozen=True, slots=True)
class _Owned:
    """A found series with whose it is, as far as that is known. document: the one it is of, if nobody's.

    Nobody's "temperature" of one document is not that of another: their points would pass for revisions of each other.
    """

    entity: int | None
    name: str
    found: FoundSeries
    document: str | None = None

    @property
    def key(self) -> str:
        key = series_key(self.name, self.found.unit)
        return key if self.document is None else f"{key}|{self.document}"


def series_of(
    job: RememberJob, text: TextJob, reading: TextReading, found: Mapping[str, Resolved]
) -> SeriesWrite | None:
    """Return what a text says of series, by what its names were resolved to; None if nothing. Reads."""
    entities = {key: each.entity for key, each in found.items()}
    return _write(job, text, [_owned(job, series, entities) for series in reading.series])


async def store_series(job: RememberJob) -> None:
    """Commit the series of all chunks: what one chunk begins another may go on with."""
    made: dict[str, int] = {}
    for start in range(0, len(job.chunks), _READ_AT_ONCE):
        for write in await asyncio.to_thread(_writes, job, job.chunks[start : start + _READ_AT_ONCE]):
            try:
                added = await job.tools.store.put_series(write)
            except RevisionGone:
                continue  # its memory was edited or forgotten meanwhile
            for what, number in added.items():
                made[what] = made.get(what, 0) + number
    job.output("store_series").update(made)


def _writes(job: RememberJob, texts: Sequence[TextJob]) -> list[SeriesWrite]:
    store = job.tools.store
    rows = store.texts(job.run.id, "chunk", texts[0].key.position - 1, len(texts), readings=True)
    readings = {row.key: loaded(row.reading) for row in rows if row.reading and row.state == "stored"}
    names = {series.entity for reading in readings.values() for series in reading.series} - {None}
    keys = {name: job.agent or "user" if name == SPEAKER else name for name in names if name is not None}
    found = store.entities_by_key(job.dataset.number, sorted({name_key(name) for name in keys.values()}))
    entities = {name_key(said): rows[0].id for said, name in keys.items() if (rows := found[name_key(name)])}
    writes = [
        _write(job, text, [_owned(job, series, entities) for series in readings[text.key].series])
        for text in texts
        if text.key in readings
    ]
    return [write for write in writes if write is not None]


def _owned(job: RememberJob, found: FoundSeries, entities: Mapping[str, int]) -> _Owned:
    """Return the series under whose it is; who is no entity of the graph stays in the name."""
    if found.entity is None:
        return _Owned(None, found.name, found, job.run.document_id)
    entity = entities.get(found.entity if found.entity == SPEAKER else name_key(found.entity))
    if entity is not None or found.entity == SPEAKER:
        return _Owned(entity, found.name, found)
    return _Owned(None, f"{found.entity} {found.name}", found)


def _write(job: RememberJob, text: TextJob, owned: Sequence[_Owned]) -> SeriesWrite | None:
    if not owned:
        return None
    units = _units(job, owned)
    series = [_new(each, units.get((each.entity, each.key), each.found.unit)) for each in owned]
    revision = text.memory_id
    return SeriesWrite(
        dataset=job.dataset.number,
        series=tuple(each for each in series if each.points),
        slot=revision.slot,
        version=revision.version,
    )


def _units(job: RememberJob, owned: Iterable[_Owned]) -> dict[tuple[int | None, str], str | None]:
    """Return the unit of each series that is there, or that an earlier finding of the same text gives it."""
    owned = list(owned)
    rows = job.tools.store.series(job.dataset.number, keys=[each.key for each in owned], limit=10_000)
    units = {(row.entity, row.key): row.unit for row in rows}
    for each in owned:
        units.setdefault((each.entity, each.key), each.found.unit)
    return units


def _new(owned: _Owned, unit: str | None) -> NewSeries:
    found = owned.found
    points = [point for each in found.points if (point := _point(each, found.unit, unit)) is not None]
    return NewSeries(
        entity=owned.entity,
        name=owned.name,
        key=owned.key,
        unit=unit,
        dimension=found.dimension,
        points=tuple(points),
    )


def _point(found: FoundPoint, unit: str | None, wanted: str | None) -> NewPoint | None:
    value = found.value if unit == wanted else convert(found.value, unit, wanted)
    if value is None:
        return None
    return NewPoint(
        at=_instant(found.at),
        until=None if found.until is None else _instant(found.until),
        value=value,
        written=found.written,
        start=found.start,
        end=found.end,
    )


def _instant(at: datetime) -> int:
    # Whole seconds and microseconds apart: a float of seconds would round them.
    return int(at.replace(microsecond=0).timestamp()) * _MICROSECOND + at.microsecond
