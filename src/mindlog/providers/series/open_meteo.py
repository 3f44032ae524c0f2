"""Daily weather at a place from Open-Meteo's archive. Owns its format and the words that ask for its variables."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from mindlog.clock import Clock, SystemClock
from mindlog.providers.answers import BadAnswer, WebReply, at_path, json_answer, number, shown
from mindlog.providers.http import WebCall, WebGetter
from mindlog.providers.series.points import read_points
from mindlog.providers.series.provider import FetchedSeries, SeriesPlace, SeriesRequest

__all__ = ["OPEN_METEO_URL", "OpenMeteoSeries", "weather_variable"]

OPEN_METEO_URL = "https://archive-api.open-meteo.com/v1/archive"

_FIRST_DAY = date(1940, 1, 1)
_UNITS = {
    "temperature_2m_mean": "°C",
    "temperature_2m_max": "°C",
    "temperature_2m_min": "°C",
    "precipitation_sum": "mm",
}
_HEAT = frozenset({"temperature", "temperatures"})
_RAIN = frozenset({"precipitation", "rain", "rainfall"})
_MOST = frozenset({"max", "maximum", "high", "highest"})
_LEAST = frozenset({"min", "minimum", "low", "lowest"})
_MEAN = frozenset({"mean", "average", "avg"})
_SUM = frozenset({"sum", "total"})
_BESIDE = frozenset({"daily", "day", "air", "outdoor", "outside", "weather", "the", "of", "2m"})
_WORD = re.compile(r"[^\W_]+")
# The archive answers for the middle of a grid cell, which is 25 km wide at most.
_CELL_DEGREES = 0.5


class OpenMeteoSeries:
    """A `SeriesProvider` of four variables, one value a day (in UTC), in °C and mm."""

    def __init__(self, getter: WebGetter, url: str = OPEN_METEO_URL, *, clock: Clock | None = None) -> None:
        """url: of the archive's endpoint."""
        self._getter = getter
        self._url = url
        self._clock = clock or SystemClock()

    @property
    def name(self) -> str:
        """The provider's name, in errors and records."""
        return self._getter.provider

    def serves(self, request: SeriesRequest) -> bool:
        """Whether the name asks for one of its variables, at a place, on days the archive may have."""
        return request.place is not None and weather_variable(request.name) is not None and bool(self._days(request))

    async def fetch(self, request: SeriesRequest) -> FetchedSeries:
        """See `SeriesProvider.fetch`."""
        place, variable, days = request.place, weather_variable(request.name), self._days(request)
        if place is None or variable is None or days is None:
            raise self._getter.failed("has daily temperature and precipitation at a place, since 1940", retryable=False)
        return await self._getter.ask(
            self._call(place, variable, days), lambda reply: _series(reply, request, place, variable, days)
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._getter.aclose()

    def _days(self, request: SeriesRequest) -> tuple[date, date] | None:
        """First and last day to ask for: within the request, the archive and today, and no more than its limit."""
        today = datetime.fromtimestamp(self._clock.now() / 1_000_000, UTC).date()
        last = min(request.end.astimezone(UTC).date(), today)
        if request.start.astimezone(UTC).date() > last:
            return None
        first = max(_first_midnight(request.start), _FIRST_DAY)
        if first > last:
            return None
        return max(first, last - timedelta(days=min(request.limit, (last - first).days + 1) - 1)), last

    def _call(self, place: SeriesPlace, variable: str, days: tuple[date, date]) -> WebCall:
        first, last = (each.isoformat() for each in days)
        params = {
            "latitude": f"{place.lat:.5f}",
            "longitude": f"{place.lon:.5f}",
            "start_date": first,
            "end_date": last,
            "daily": variable,
            "timezone": "GMT",
        }
        asked = f"{variable} at {place.lat:.5f}, {place.lon:.5f}, {first} to {last}"
        return WebCall(asked=asked, endpoint=self._url, url=self._url, params=params)


def weather_variable(name: str) -> str | None:
    """The variable that a series' name asks for; None if it holds any word that may make it another thing."""
    words = frozenset(_WORD.findall(name.casefold()))
    if words & _HEAT and words <= _HEAT | _MOST | _LEAST | _MEAN | _BESIDE:
        kinds = [kind for kind, marks in (("max", _MOST), ("min", _LEAST), ("mean", _MEAN)) if words & marks]
        return None if len(kinds) > 1 else f"temperature_2m_{kinds[0] if kinds else 'mean'}"
    if words & _RAIN and words <= _RAIN | _SUM | _BESIDE:
        return "precipitation_sum"
    return None


def _series(
    reply: WebReply, request: SeriesRequest, place: SeriesPlace, variable: str, asked: tuple[date, date]
) -> FetchedSeries:
    answer = json_answer(reply)
    _check_place(answer, place)
    unit = at_path(answer, f"/daily_units/{variable}")
    if unit != _UNITS[variable]:
        raise BadAnswer(f"it is in {shown(unit)}, not in {_UNITS[variable]}")
    if at_path(answer, "/utc_offset_seconds") != 0:
        raise BadAnswer("its days are not those of UTC")
    days, values = at_path(answer, "/daily/time"), at_path(answer, f"/daily/{variable}")
    if not isinstance(days, list) or not isinstance(values, list) or len(days) != len(values):
        raise BadAnswer("it has not as many values as days")

    def midnight(written: Any) -> datetime:
        day = _date(written)
        if not asked[0] <= day <= asked[1]:
            raise BadAnswer(f"{day.isoformat()} was not asked for")
        return datetime.combine(day, time.min, UTC)

    points = read_points(zip(days, values, strict=True), request, midnight)
    return FetchedSeries(name=request.name, entity=request.entity, unit=unit, points=points, source_url=reply.url)


def _check_place(answer: Any, place: SeriesPlace) -> None:
    lat, lon = number(at_path(answer, "/latitude")), number(at_path(answer, "/longitude"))
    if lat is None or lon is None:
        raise BadAnswer("it does not say where")
    # Cells get as narrow as one likes towards the poles, and their longitudes with them.
    east = abs((lon - place.lon + 180) % 360 - 180)
    if abs(lat - place.lat) > _CELL_DEGREES or (east > _CELL_DEGREES and abs(place.lat) < 80):
        raise BadAnswer(f"it is about {lat:g}, {lon:g}")


def _date(written: Any) -> date:
    try:
        return date.fromisoformat(written)
    except (ValueError, TypeError) as exc:
        raise BadAnswer(f"{shown(written)} is not a day") from exc


def _first_midnight(start: datetime) -> date:
    """The first day that begins within: of an instant past midnight that is the next one."""
    begins = start.astimezone(UTC)
    return begins.date() if begins.time() == time.min else begins.date() + timedelta(days=1)
