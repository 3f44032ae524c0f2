"""The stage fetch_series: points from providers for the series that the document refers to.

A provider adds to what is known of a series and never takes its place: where a memory gives a value for a time, the provider's is left
out. Its points are kept in the unit of the series and as the steps of time that the series has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mindlog.errors import ConfigError, ProviderFailed
from mindlog.ids import number_id
from mindlog.remember.enrich.fetched import additions
from mindlog.remember.enrich.texts import raise_all
from mindlog.remember.enrich.wanted import Wanted, wanted_series
from mindlog.store.documentrows import SeriesWrite

if TYPE_CHECKING:
    from mindlog.providers.series.provider import FetchedSeries, SeriesProvider
    from mindlog.remember.job import RememberJob
    from mindlog.store.askingrows import SeriesRow

__all__ = ["fetch_series"]

_STAGE = "fetch_series"
_NOT_THERE = 404


async def fetch_series(job: RememberJob) -> None:
    """Ask the providers for every series, in their order; the errors of those that failed are raised after that."""
    providers = job.tools.series
    if not providers:
        raise ConfigError(
            "series_providers: fetch_series was asked for, but none is configured", field="series_providers"
        )
    wanted, left_out = await asyncio.to_thread(wanted_series, job)
    errors: list[Exception] = []
    down: set[str] = set()
    for each in wanted:
        up = [provider for provider in providers if provider.name not in down and provider.serves(each.request)]
        for provider in up:
            if await _fetched(job, each, provider, down, errors):
                break
    output = job.output(_STAGE)
    output.update(wanted=len(wanted), **({"left_out": left_out} if left_out else {}))
    output.setdefault("series", [])
    raise_all("series", errors)


async def _fetched(
    job: RememberJob, wanted: Wanted, provider: SeriesProvider, down: set[str], errors: list[Exception]
) -> bool:
    """Keep what one provider has of one series; say whether it has any. One that cannot be reached is asked no more."""
    job.count(_STAGE, "asked")
    try:
        found = await provider.fetch(wanted.request)
    except ProviderFailed as exc:
        if exc.extra.get("http_status") != _NOT_THERE:
            errors.append(exc)
            if exc.retryable:
                down.add(provider.name)
        return False
    if not found.points:
        return False
    await _keep(job, wanted, provider, found)
    return True


async def _keep(job: RememberJob, wanted: Wanted, provider: SeriesProvider, found: FetchedSeries) -> None:
    shown: dict[str, Any] = {"name": wanted.request.name, "entity": wanted.request.entity, "provider": provider.name}
    held = [] if wanted.row is None else await asyncio.to_thread(job.tools.store.points, wanted.row.id)
    new = additions(wanted, found, held, provider.name)
    if new.series is not None:
        write = SeriesWrite(dataset=job.dataset.number, series=(new.series,))
        shown |= await job.tools.store.put_series(write)
        row = await asyncio.to_thread(_row, job, wanted, new.series.key)
        if row is not None:
            shown |= {"number": row.id, "series_id": number_id("ser", row.id)}
    shown |= {"url": found.source_url, "fetched": len(found.points), **new.left_out}
    sort = "series" if "number" in shown else "not_kept"
    job.output(_STAGE).setdefault(sort, []).append(shown)


def _row(job: RememberJob, wanted: Wanted, key: str) -> SeriesRow | None:
    rows: Sequence[SeriesRow] = job.tools.store.series(job.dataset.number, keys=[key])
    return next((row for row in rows if row.entity == wanted.entity), None)
