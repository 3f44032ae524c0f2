"""A geocoder that speaks Nominatim's JSON, as many services do. Owns that format and what of it is believed."""

from __future__ import annotations

import math
import re
from typing import Any

from mindlog.errors import InvalidInput
from mindlog.providers.addresses import fill
from mindlog.providers.answers import BadAnswer, WebReply, json_answer, number, shown
from mindlog.providers.geocode.provider import GeocodedPlace
from mindlog.providers.http import WebCall, WebGetter
from mindlog.providers.plaintext import line

__all__ = ["NominatimGeocoder"]

_LIMIT = 10
_NAME_CHARS = 200
_KIND_CHARS = 40
_COUNTRY = re.compile(r"[A-Za-z]{2}", re.ASCII)


class NominatimGeocoder:
    """A `Geocoder` over the search endpoint of Nominatim or of one that answers alike."""

    def __init__(self, getter: WebGetter, template: str, key: str = "") -> None:
        """template: the endpoint's address, with {key} where it wants one."""
        self._getter = getter
        self._template = template
        self._key = key

    @property
    def name(self) -> str:
        """The provider's name, in errors and records."""
        return self._getter.provider

    async def locate(self, name: str, country: str | None = None, context: str | None = None) -> list[GeocodedPlace]:
        """See `Geocoder.locate`."""
        wanted = line(name, _NAME_CHARS)
        if not wanted:
            raise InvalidInput("name: there is no place to look for", field="name")
        code = country.upper() if country and _COUNTRY.fullmatch(country) else None
        within = [line(each, _NAME_CHARS) for each in (context, None if code else country) if each]
        asked = ", ".join(each for each in (wanted, *within) if each)
        return await self._getter.ask(self._call(asked, code), lambda reply: _places(reply, code))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._getter.aclose()

    def _call(self, asked: str, code: str | None) -> WebCall:
        params = {"q": asked, "format": "jsonv2", "addressdetails": "1", "limit": str(_LIMIT)}
        if code:
            params["countrycodes"] = code.lower()
        return WebCall(
            asked=f"{asked} ({code})" if code else asked,
            endpoint=self._template,
            url=fill(self._template, {"key": self._key}),
            params=params,
        )


def _places(reply: WebReply, code: str | None) -> list[GeocodedPlace]:
    items = json_answer(reply)
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise BadAnswer(f"it is no list of places but {shown(items)}")
    places = [_place(each) for each in items[:_LIMIT]]
    return [each for each in places if code is None or each.country in (None, code)]


def _place(item: dict[str, Any]) -> GeocodedPlace:
    address = item.get("address")
    country = address.get("country_code") if isinstance(address, dict) else None
    name = _text(item.get("name"), _NAME_CHARS) or _text(item.get("display_name"), _NAME_CHARS)
    if not name:
        raise BadAnswer("a place has no name")
    return GeocodedPlace(
        name=name,
        lat=_degrees(item, "lat", 90),
        lon=_degrees(item, "lon", 180),
        country=country.upper() if isinstance(country, str) and _COUNTRY.fullmatch(country) else None,
        kind=_text(item.get("addresstype"), _KIND_CHARS) or _text(item.get("type"), _KIND_CHARS) or None,
        importance=_importance(item.get("importance")),
    )


def _degrees(item: dict[str, Any], field: str, most: float) -> float:
    degrees = number(item.get(field))
    if degrees is None or abs(degrees) > most:
        raise BadAnswer(f"a place has {shown(item.get(field))} as its {field}")
    return degrees


def _importance(value: Any) -> float:
    """An order among places is worth less than the places: what cannot be read counts nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(max(float(value), 0.0), 1.0)


def _text(value: Any, limit: int) -> str:
    return line(value, limit) if isinstance(value, str) else ""
