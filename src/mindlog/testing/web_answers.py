"""What the fake web says: the formats of searches, geocoders and series, and the ways each may be wrong. Owns no socket."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from typing import Any

__all__ = ["FakePage", "FakePlace", "Misbehaviour", "WebBody", "WebData", "html_page", "sample_weather"]


class Misbehaviour(StrEnum):
    """What a service of the fake web does instead of answering."""

    RESET = "reset"  #: the connection is reset (RST)
    HANG = "hang"  #: nothing is sent before the server is released
    DRIP = "drip"  #: the answer comes a byte at a time
    ERROR = "500"  #: an error of the server, and the key it was asked with in its text
    UNAUTHORIZED = "401"  #: the key is not accepted, and repeated in the text
    LIMITED = "429"  #: too many requests, with Retry-After
    HTML = "html"  #: 200 and a page instead of data
    HUGE = "huge"  #: 200 and a body without end
    BOMB = "bomb"  #: 200 and gzip that unpacks to 64 MiB
    CUT = "cut"  #: half of the answer under the length of the whole
    BROKEN = "broken"  #: half of the answer as if it were all
    SHAPE = "shape"  #: JSON of another shape, or a table with other columns
    DEEP = "deep"  #: JSON nested 100 000 times
    REDIRECT = "redirect"  #: to the same port under another host name
    MOVED = "moved"  #: to another path of the same host, where the answer is
    LOOP = "loop"  #: to itself, for ever
    NAN = "nan"  #: NaN where a number belongs
    WORDS = "words"  #: words where numbers belong
    VAST = "vast"  #: numbers beyond any double
    LENGTHS = "lengths"  #: one value fewer than there are times
    PLACE = "place"  #: coordinates that are none, or weather of another place
    TWICE = "twice"  #: another value for a time that has one
    ABROAD = "abroad"  #: places of every country, whichever was asked for
    UNITS = "units"  #: weather in other units than documented
    ZONE = "zone"  #: weather of the days of another time zone
    DAYS = "days"  #: weather of ten days earlier


@dataclass(frozen=True, slots=True, kw_only=True)
class FakePage:
    """A page that searches find. published: as the endpoint would write it."""

    title: str
    url: str
    text: str
    published: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FakePlace:
    """A place that geocoders find."""

    name: str
    lat: float
    lon: float
    country: str = "de"
    kind: str = "city"
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class WebBody:
    """A body and its type."""

    content: bytes
    content_type: str = "application/json"


def sample_weather(variable: str, day: date) -> float | None:
    """A value that only the day and the variable decide: 0.0 to 29.9."""
    return (day.toordinal() * 7 + len(variable)) % 300 / 10


@dataclass(slots=True)
class WebData:
    """What the services know. places, series: by name in lower case. points: (time as written, value)."""

    pages: list[FakePage] = field(default_factory=list[FakePage])
    places: dict[str, list[FakePlace]] = field(default_factory=dict[str, list[FakePlace]])
    series: dict[str, list[tuple[str, float | None]]] = field(default_factory=dict[str, list[tuple[str, float | None]]])
    weather: Callable[[str, date], float | None] = sample_weather

    def searxng(self, query: Mapping[str, str], lie: Misbehaviour | None) -> WebBody:
        """SearXNG's `format=json`."""
        rows = [
            {
                "title": page.title,
                "url": page.url,
                "content": page.text,
                "publishedDate": page.published,
                "engine": "fake",
            }
            for page in self.pages
        ]
        return _json({"query": query.get("q", ""), "number_of_results": len(rows), "results": rows}, lie)

    def brave(self, query: Mapping[str, str], lie: Misbehaviour | None) -> WebBody:
        """Brave's web search; without results it has no list of them."""
        rows = [
            {"title": page.title, "url": page.url, "description": page.text, "page_age": page.published}
            for page in self.pages[: int(query.get("count", "20"))]
        ]
        found = {"web": {"type": "search", "results": rows}} if rows else {}
        return _json({"type": "search", "query": {"original": query.get("q", "")}, **found}, lie)

    def tavily(self, query: Mapping[str, Any], lie: Misbehaviour | None) -> WebBody:
        """Tavily's search, for the body of a request."""
        rows = [
            {"title": page.title, "url": page.url, "content": page.text, "published_date": page.published, "score": 0.9}
            for page in self.pages[: int(query.get("max_results", 5))]
        ]
        return _json({"query": query.get("query", ""), "results": rows, "response_time": 0.1}, lie)

    def plain_search(self, query: Mapping[str, str], lie: Misbehaviour | None) -> WebBody:
        """A format of nobody's: `{"found": {"pages": [{"name", "link", "says", "at"}]}}`."""
        rows = [{"name": p.title, "link": p.url, "says": p.text, "at": p.published} for p in self.pages]
        return _json({"found": {"pages": rows}}, lie)

    def nominatim(self, query: Mapping[str, str], lie: Misbehaviour | None) -> WebBody:
        """Nominatim's `format=jsonv2` with address details; the name is what stands before the first comma."""
        code = None if lie is Misbehaviour.ABROAD else query.get("countrycodes")
        known = self.places.get(query.get("q", "").partition(",")[0].strip().lower(), [])
        return _json([_place(each, lie) for each in known if code in (None, each.country)], lie)

    def points(self, name: str) -> list[tuple[str, float | None]] | None:
        """The points of a series, None if there is no such series."""
        return self.series.get(name.lower())

    def rows(self, points: Iterable[tuple[str, float | None]], lie: Misbehaviour | None) -> WebBody:
        """Points as `{"data": {"points": [{"date", "value"}]}}`."""
        rows: list[Any] = [{"date": at, "value": value} for at, value in _spoilt(points, lie)]
        if lie is Misbehaviour.LENGTHS and rows:
            del rows[-1]["value"]
        return _json({"data": {"points": rows}}, lie)

    def columns(self, points: Iterable[tuple[str, float | None]], lie: Misbehaviour | None) -> WebBody:
        """Points as `{"times": [..], "values": [..]}`."""
        given = _spoilt(points, lie)
        values = [value for _, value in given]
        return _json({"times": [at for at, _ in given], "values": _fewer(values, lie)}, lie)

    def table(self, points: Iterable[tuple[str, float | None]], lie: Misbehaviour | None) -> WebBody:
        """Points as CSV with the columns date, note and value."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["when", "what"] if lie is Misbehaviour.SHAPE else ["date", "note", "value"])
        rows = [[at, "a, b", "" if value is None else value] for at, value in _spoilt(points, lie)]
        if lie is Misbehaviour.LENGTHS and rows:
            rows[-1].pop()
        writer.writerows(rows)
        return WebBody(out.getvalue().encode(), "text/csv")

    def open_meteo(self, query: Mapping[str, str], lie: Misbehaviour | None) -> WebBody:
        """Open-Meteo's archive, for one daily variable."""
        variable = query["daily"]
        first, last = date.fromisoformat(query["start_date"]), date.fromisoformat(query["end_date"])
        early = 10 if lie is Misbehaviour.DAYS else 0
        days = [first + timedelta(days=number - early) for number in range((last - first).days + 1)]
        given = _spoilt([(day.isoformat(), self.weather(variable, day)) for day in days], lie)
        values = [value for _, value in given]
        shift = 20.0 if lie is Misbehaviour.PLACE else 0.03
        unit = "°F" if lie is Misbehaviour.UNITS else "mm" if "precipitation" in variable else "°C"
        answer = {
            "latitude": round(float(query["latitude"]) + shift, 4),
            "longitude": round(float(query["longitude"]) - shift, 4),
            "utc_offset_seconds": 3600 if lie is Misbehaviour.ZONE else 0,
            "timezone": "GMT",
            "daily_units": {"time": "iso8601", variable: unit},
            "daily": {"time": [day for day, _ in given], variable: _fewer(values, lie)},
        }
        return _json(answer, lie)


def html_page(note: str) -> WebBody:
    """A page where data belongs."""
    return WebBody(f"<!DOCTYPE html><html><body><h1>Hello</h1><p>{note}</p></body></html>".encode(), "text/html")


def _json(value: Any, lie: Misbehaviour | None) -> WebBody:
    if lie is Misbehaviour.SHAPE:
        value = {"unexpected": ["shape", 1]}
    # What is written as text stands for a number that no Python value writes.
    return WebBody(json.dumps(value, ensure_ascii=False).replace('"1e999"', "1e999").encode())


def _place(place: FakePlace, lie: Misbehaviour | None) -> dict[str, Any]:
    lat: Any = (
        {
            Misbehaviour.NAN: float("nan"),
            Misbehaviour.WORDS: "north",
            Misbehaviour.VAST: "1e999",
            Misbehaviour.PLACE: 123.4,
        }.get(lie)
        if lie
        else None
    )
    return {
        "lat": str(place.lat) if lat is None else lat,
        "lon": str(place.lon),
        "name": place.name,
        "display_name": f"{place.name}, Somewhere",
        "category": "place",
        "type": "administrative",
        "addresstype": place.kind,
        "importance": place.importance,
        "address": {place.kind: place.name, "country_code": place.country},
    }


def _spoilt(points: Iterable[tuple[str, float | None]], lie: Misbehaviour | None) -> list[tuple[str, Any]]:
    """The points, the first of them a lie."""
    given: list[tuple[str, Any]] = list(points)
    if not given or lie is None:
        return given
    at, value = given[0]
    if lie is Misbehaviour.TWICE:
        return [*given, (at, (value or 0.0) + 1.0)]
    lies: dict[Misbehaviour, Any] = {
        Misbehaviour.NAN: float("nan"),
        Misbehaviour.WORDS: "plenty",
        Misbehaviour.VAST: "1e999",
    }
    return [(at, lies.get(lie, value)), *given[1:]]


def _fewer(values: list[Any], lie: Misbehaviour | None) -> list[Any]:
    return values[:-1] if lie is Misbehaviour.LENGTHS else values
