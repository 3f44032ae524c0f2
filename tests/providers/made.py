"""A fake web that knows a little, and the providers opened against it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from mindlog.providers.series.provider import SeriesPlace, SeriesRequest
from mindlog.settings import Settings
from mindlog.testing.web_answers import FakePage, FakePlace
from mindlog.testing.web_server import FakeWeb

KEY = "sk/very+secret"
BOUND = 20
BERLIN = SeriesPlace(lat=52.52, lon=13.41, name="Berlin")


class Closable(Protocol):
    async def aclose(self) -> None: ...


Opened = TypeVar("Opened", bound=Closable)


class ManualClock:
    def __init__(self, at: datetime = datetime(2024, 6, 1, 12, tzinfo=UTC)) -> None:
        self.at = at

    def now(self) -> int:
        return int(self.at.timestamp() * 1_000_000)


@contextmanager
def a_web() -> Iterator[FakeWeb]:
    with FakeWeb() as web:
        web.data.pages = [
            FakePage(
                title="Tea", url="https://example.org/tea", text="Tea is a drink.", published="2024-01-03T10:00:00"
            ),
            FakePage(title="More tea", url="https://example.org/more", text="Tea grows on hills."),
        ]
        web.data.places["berlin"] = [
            FakePlace(name="Berlin", lat=52.517, lon=13.389, importance=0.9),
            FakePlace(name="Berlin", lat=44.469, lon=-71.185, country="us", importance=0.4),
        ]
        web.data.series["revenue"] = [("2024-01-01", 3.1), ("2024-02-01", None), ("2024-03-01", -4.5e2)]
        yield web


@asynccontextmanager
async def closing(provider: Opened) -> AsyncIterator[Opened]:
    try:
        yield provider
    finally:
        await provider.aclose()


def settings(web: FakeWeb, **given: Any) -> Settings:
    """The fake web's, with those given; a time limit that only a hanging server meets."""
    return Settings(**{**web.settings(given.get("web_search", "searxng"), key=KEY), "provider_seconds": 15.0, **given})


def wanted(name: str = "revenue", **given: Any) -> SeriesRequest:
    """A request for 2024 up to June."""
    times = {"start": datetime(2024, 1, 1, tzinfo=UTC), "end": datetime(2024, 5, 31, 23, 59, tzinfo=UTC)}
    return SeriesRequest(**{"name": name, **times, **given})
