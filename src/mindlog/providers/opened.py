"""The providers of one engine, opened together and closed together."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindlog.providers.configured import geocoder_of, search_of, series_of

if TYPE_CHECKING:
    from mindlog.clock import Clock
    from mindlog.models.inference import InferenceStore
    from mindlog.providers.geocode.provider import Geocoder
    from mindlog.providers.search.provider import WebSearch
    from mindlog.providers.series.provider import SeriesProvider
    from mindlog.settings import Settings

__all__ = ["Providers", "open_providers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """What the settings name; None and empty where they name nothing."""

    search: WebSearch | None = None
    geocoder: Geocoder | None = None
    series: tuple[SeriesProvider, ...] = ()

    async def aclose(self) -> None:
        """Close the connections of all of them."""
        closing = [each.aclose() for each in (self.search, self.geocoder, *self.series) if each is not None]
        await asyncio.gather(*closing)


def open_providers(
    settings: Settings, *, inferences: InferenceStore | None = None, clock: Clock | None = None
) -> Providers:
    """Open the providers of the settings. Sends nothing; blocks as `search_of` does, and raises what it raises."""
    return Providers(
        search=search_of(settings, inferences=inferences, clock=clock),
        geocoder=geocoder_of(settings, inferences=inferences, clock=clock),
        series=tuple(series_of(settings, inferences=inferences, clock=clock)),
    )
