"""What a geocoder is to the rest of mindlog: a name in, places with coordinates out. Knows no format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["GeocodedPlace", "Geocoder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeocodedPlace:
    """A place. lat, lon: degrees (WGS 84). country: ISO 3166 letters, upper case. importance: 0 to 1, 0 if not known."""

    name: str
    lat: float
    lon: float
    country: str | None
    kind: str | None
    importance: float


class Geocoder(Protocol):
    """Knows where names are."""

    @property
    def name(self) -> str:
        """The provider's name, in errors and records."""
        ...

    async def locate(self, name: str, country: str | None = None, context: str | None = None) -> list[GeocodedPlace]:
        """Places of that name, the likeliest first; none if it knows none.

        country: two letters, then no place of another country is given, or a name. context: what the place is in.

        Raises:
            ProviderFailed: no usable answer.
            InvalidInput: there is no name.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
