"""Which series the document refers to, and for what time and place: those of its chunks, and the weather where it speaks of it. Reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from mindlog.providers.series.provider import SeriesPlace, SeriesRequest
from mindlog.remember.enrich.texts import chunks_at_once, series_of_run
from mindlog.remember.reading import loaded

if TYPE_CHECKING:
    from mindlog.remember.job import RememberJob, TextJob
    from mindlog.store.askingrows import PlaceRow, SeriesRow
    from mindlog.store.documentrows import TextRow

__all__ = ["Wanted", "instant", "wanted_series"]

_MOST = 50  # series that one run asks for, of the chunks and of the weather
_MOST_POINTS = 2000  # of each
_LOOK_BACK = timedelta(days=30)  # weather where the text names no time
_LONGEST = timedelta(days=731)  # of weather
_NEAR = 200  # characters between the word and the place
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WEATHER: Final = re.compile(
    r"\b(?:(?P<heat>temperatures?|heat ?waves?|cold (?:spell|snap)s?)|(?P<rain>rain(?:fall|y|s|ed)?|precipitation)|weather)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A series to ask for. entity: whose it is. row: what is known of it, None if nothing."""

    request: SeriesRequest
    entity: int | None
    row: SeriesRow | None = None


def wanted_series(job: RememberJob) -> tuple[list[Wanted], int]:
    """Return what to ask for, and how much more there would be."""
    found = [_of_row(job, row) for row in series_of_run(job)]
    named = {(each.entity, each.request.name.casefold()) for each in found}
    weather: dict[tuple[int | None, str], Wanted] = {}
    for each in _weather(job):
        if (each.entity, each.request.name) not in named:
            weather.setdefault((each.entity, each.request.name), each)
    chosen = [*found[:_MOST], *list(weather.values())[:_MOST]]
    return chosen, len(found) + len(weather) - len(chosen)


def instant(at: int) -> datetime:
    """Return microseconds as an aware time."""
    return _EPOCH + timedelta(microseconds=at)


# -- series of the chunks -----------------------------------------------------------------------------------------------
def _of_row(job: RememberJob, row: SeriesRow) -> Wanted:
    places = [] if row.entity is None else job.tools.store.places(job.dataset.number, entities=[row.entity])
    start, end = instant(row.first_at), instant(max(row.last_at, job.occurred_at))
    request = SeriesRequest(
        name=row.name,
        entity=row.entity_name,
        place=next((_place(each) for each in places if each.confident), None),
        unit=row.unit,
        start=start,
        end=end,
        limit=_MOST_POINTS,
    )
    return Wanted(request=request, entity=row.entity, row=row)


def _place(row: PlaceRow) -> SeriesPlace:
    return SeriesPlace(lat=row.lat, lon=row.lon, name=row.name)


# -- weather ------------------------------------------------------------------------------------------------------------
def _weather(job: RememberJob) -> Iterator[Wanted]:
    """Yield temperature and rain of the places that stand near such words, for the times that the chunk names."""
    for texts in chunks_at_once(job):
        speaking = [text for text in texts if _WEATHER.search(text.text)]
        if speaking:
            yield from _of_chunks(job, speaking)


def _of_chunks(job: RememberJob, texts: Sequence[TextJob]) -> Iterator[Wanted]:
    store, dataset = job.tools.store, job.dataset.number
    mentions = store.mentions([text.memory_id.slot for text in texts])
    entities = sorted({row.entity for rows in mentions.values() for row in rows})
    places = {row.entity: row for row in store.places(dataset, entities=entities) if row.confident} if entities else {}
    for text in texts:
        near = {
            (row.entity, name): None
            for row in mentions.get(text.memory_id.slot, [])
            if row.entity in places
            for name in _spoken_of_near(text.text, row.start, row.end)
        }
        start, end = _time(job, text) if near else (_EPOCH, _EPOCH)
        for entity, name in near:
            place = places[entity]
            request = SeriesRequest(
                name=name,
                entity=place.name,
                place=_place(place),
                start=start,
                end=end,
                limit=_MOST_POINTS,
            )
            yield _known(job, Wanted(request=request, entity=entity))


def _known(job: RememberJob, wanted: Wanted) -> Wanted:
    """Return it with the series of that name that the place has already."""
    rows = [] if wanted.entity is None else job.tools.store.series(job.dataset.number, entities=[wanted.entity])
    row = next((row for row in rows if row.name.casefold() == wanted.request.name), None)
    return wanted if row is None else Wanted(request=wanted.request, entity=wanted.entity, row=row)


def _spoken_of_near(text: str, start: int, end: int) -> Iterable[str]:
    names: dict[str, None] = {}
    for match in _WEATHER.finditer(text, max(0, start - _NEAR), end + _NEAR):
        if not match["rain"]:
            names["temperature"] = None
        if not match["heat"]:
            names["precipitation"] = None
    return names


def _time(job: RememberJob, text: TextJob) -> tuple[datetime, datetime]:
    """Return the time the chunk speaks of, at most two years, or the weeks before it was written."""
    written = instant(job.occurred_at)
    rows: list[TextRow] = job.tools.store.texts(job.run.id, text.key.origin, text.key.position - 1, 1, readings=True)
    dates = [date for row in rows if row.reading for date in loaded(row.reading).extraction.dates]
    # A day's end is the next one's beginning, which would be asked for too.
    past = [(instant(date.start), instant(date.end - 1)) for date in dates if date.start < job.occurred_at]
    if not past:
        return written - _LOOK_BACK, written
    end = min(max(last for _, last in past), written)
    return max(min(first for first, _ in past), end - _LONGEST), end
