"""What a provider of series is to the rest of mindlog: a name and a time in, dated numbers out. Knows no format."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mindlog.errors import InvalidInput

__all__ = ["FetchedSeries", "SeriesPlace", "SeriesProvider", "SeriesRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPlace:
    """Where a series is measured. lat, lon: degrees (WGS 84)."""

    lat: float
    lon: float
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRequest:
    """A series wanted: what is measured, of whom or where, from `start` to `end`, both included and with a zone.

    unit: as the text wrote it; the provider's own may differ. limit: of more points the latest are given.
    """

    name: str
    start: datetime
    end: datetime
    entity: str | None = None
    place: SeriesPlace | None = None
    unit: str | None = None
    limit: int = 5000

    def __post_init__(self) -> None:
        """Refuse what no provider can be asked."""
        if not self.name.strip():
            raise InvalidInput("name: a series has one", field="name")
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise InvalidInput("start: times need a zone", field="start")
        if self.end < self.start:
            raise InvalidInput("end: must not be before start", field="end")
        if self.limit < 1:
            raise InvalidInput("limit: must be at least 1", field="limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedSeries:
    """A series as the provider has it. points: (time in UTC, finite value), each time once, in order, maybe none.

    unit: of the values, None where nobody says. source_url: where they came from, keys left out.
    """

    name: str
    entity: str | None
    unit: str | None
    points: tuple[tuple[datetime, float], ...]
    source_url: str


class SeriesProvider(Protocol):
    """Has series."""

    @property
    def name(self) -> str:
        """The provider's name, in errors and records."""
        ...

    def serves(self, request: SeriesRequest) -> bool:
        """Whether it can be asked for this at all. Sends nothing."""
        ...

    async def fetch(self, request: SeriesRequest) -> FetchedSeries:
        """The points it has of the series.

        Raises:
            ProviderFailed: no usable answer, or nothing it `serves`.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
