"""The stage observe_series: what the document's series show, in sentences that are kept and reconciled as any other text.

Of each series there is one such memory: the same words are not kept twice, other ones are its next revision.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from mindlog.ids import number_id, parse_number_id
from mindlog.knowledge.series.observe import observe
from mindlog.records import MemoryKind
from mindlog.remember.enrich.texts import Added, raise_all, series_of_run

if TYPE_CHECKING:
    from mindlog.remember.job import RememberJob
    from mindlog.store.askingrows import SeriesRow
    from mindlog.store.documentrows import TextRow

__all__ = ["observe_series"]

_STAGE = "observe_series"
_FEWEST = 2  # points: of one alone its own text has said everything
_MOST_POINTS = 20_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Value:
    at: datetime
    until: datetime | None
    value: float


async def observe_series(job: RememberJob) -> None:
    """Write what every series shows that the run gave points of, and reconcile it."""
    added = Added(job, "series", _STAGE, "derived", None)
    await added.load()
    await added.go_on()
    former = await asyncio.to_thread(job.tools.store.former_texts, job.run.id, "series")
    rows = await asyncio.to_thread(_touched, job, [text.source for text in former if text.source is not None])
    rows = {source: row for source, row in rows.items() if source not in added}
    earlier = await asyncio.to_thread(job.tools.store.texts_from, job.dataset.number, "series", list(rows))
    for source, row in rows.items():
        words = "" if row is None else await asyncio.to_thread(_words, job, row)
        if row is None or not words:
            await _take_back(job, earlier.get(source))
            continue
        metadata = {"source": "series", "series_id": source}
        how = await added.add(
            words,
            source,
            earlier=earlier.get(source),
            revises=True,
            kind=MemoryKind.CONSOLIDATED,
            metadata=metadata,
        )
        job.output(_STAGE).setdefault("kept", []).append({"series_id": source, "name": row.name, "text": how})
    raise_all("observations", added.errors)


async def _take_back(job: RememberJob, text: TextRow | None) -> None:
    """Forget what was said of a series that shows nothing any more."""
    job.count(_STAGE, "nothing_to_say")
    if text is not None:
        await job.tools.store.forget(job.dataset.number, [text.memory_id.slot])
        job.count(_STAGE, "forgotten")


def _touched(job: RememberJob, former: Iterable[str]) -> dict[str, SeriesRow | None]:
    """Return the series of the chunks, those that points were fetched for, and what an older version had, there or not."""
    store = job.tools.store
    rows = {row.id: row for row in series_of_run(job)}
    fetched = store.remember_outputs(job.run.id).get("fetch_series", {}).get("series", [])
    asked = {*(each["number"] for each in fetched), *(parse_number_id("ser", source, "source") for source in former)}
    others = sorted(asked - rows.keys())
    if others:
        rows |= {row.id: row for row in store.series(job.dataset.number, ids=others, limit=len(others))}
    return {number_id("ser", number): rows.get(number) for number in sorted({*rows, *others})}


def _words(job: RememberJob, row: SeriesRow) -> str:
    points = job.tools.store.points(row.id, limit=_MOST_POINTS)
    if len(points) < _FEWEST:
        return ""
    values = [
        _Value(_instant(point.at), None if point.until is None else _instant(point.until), point.value)
        for point in points
    ]
    said = observe(row.name, row.entity_name, row.unit, values, job.tools.zone_of(job.dataset))
    return " ".join(observation.text for observation in said)


def _instant(at: int) -> datetime:
    return _EPOCH + timedelta(microseconds=at)
