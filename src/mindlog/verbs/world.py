"""The verbs of what lies beside the words: series and their points, places, pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mindlog.errors import InvalidInput
from mindlog.records import DEFAULT_DATASET
from mindlog.verbs.files import Path, Upload, octets
from mindlog.verbs.forms import Time, time_of
from mindlog.views import ImageRequest

__all__ = [
    "Near",
    "PlacePage",
    "PointPage",
    "SeriesPage",
    "get_series",
    "image",
    "image_data",
    "keep_image",
    "near",
    "places",
    "series",
    "series_points",
    "thumbnail",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPage:
    """Which page of which series."""

    dataset: str
    entity: str | None
    text: str | None
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPage:
    """Which page of a series' points."""

    series_id: str
    start: str | int | None
    end: str | int | None
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacePage:
    """Which page of the places of which dataset."""

    dataset: str
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """Around which place to look, and how far."""

    lat: float
    lon: float
    km: float
    dataset: str
    limit: int


def series(
    dataset: str = DEFAULT_DATASET,
    *,
    entity: str | None = None,
    text: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> SeriesPage:
    """Return one page of the series that memories hold; `entity` is an id or a name, `text` is looked for in their names.

    Raises:
        DatasetNotFound: there is no such dataset.
        EntityNotFound: there is no such entity.
        InvalidInput: a value is refused.
    """
    return SeriesPage(dataset=dataset, entity=entity, text=text, limit=limit, cursor=cursor)


def get_series(series_id: str) -> str:
    """Return one series.

    Raises:
        SeriesNotFound: there is none.
    """
    return series_id


def series_points(
    series_id: str,
    *,
    start: Time | None = None,
    end: Time | None = None,
    limit: int = 500,
    cursor: str | None = None,
) -> PointPage:
    """Return one page of a series' points from `start` on and before `end`, oldest first.

    Raises:
        SeriesNotFound: there is none.
        InvalidInput: a value is refused.
    """
    return PointPage(series_id=series_id, start=time_of(start), end=time_of(end), limit=limit, cursor=cursor)


def places(dataset: str = DEFAULT_DATASET, *, limit: int = 50, cursor: str | None = None) -> PlacePage:
    """Return one page of the places that memories speak of, with the entities and memories there; those given last first.

    Raises:
        DatasetNotFound: there is no such dataset.
        InvalidInput: a value is refused.
    """
    return PlacePage(dataset=dataset, limit=limit, cursor=cursor)


def near(lat: float, lon: float, *, km: float = 50.0, dataset: str = DEFAULT_DATASET, limit: int = 50) -> Near:
    """Return the places at most `km` kilometres from a point, nearest first, with the entities and memories there.

    Raises:
        DatasetNotFound: there is no such dataset.
        InvalidInput: it is no point of the earth, or another value is refused.
    """
    return Near(lat=lat, lon=lon, km=km, dataset=dataset, limit=limit)


def keep_image(
    data: bytes | None = None,
    *,
    path: Path | None = None,
    name: str | None = None,
    caption: str | None = None,
    dataset: str = DEFAULT_DATASET,
    agent: str | None = None,
    session: str | None = None,
    occurred_at: Time | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Upload[ImageRequest]:
    """Keep a picture, from its bytes or from a file of this machine, with what can be read in it; recall finds it by that.

    `caption` is the caller's own description. The time and place are the picture's own, where it has them.

    Raises:
        InvalidInput: it is no picture that is read, it is too large, or another value is refused.
    """
    if (data is None) == (path is None):
        raise InvalidInput("data: exactly one of data, path is needed", field="data")
    request = ImageRequest(
        data=octets(data) or b"",
        name=name,
        caption=caption,
        dataset=dataset,
        agent=agent,
        session=session,
        occurred_at=time_of(occurred_at),
        metadata=metadata,
    )
    return Upload(request=request, path=path)


def image(image_id: str) -> str:
    """Return what is known of a picture.

    Raises:
        ImageNotFound: there is none.
    """
    return image_id


def image_data(image_id: str) -> str:
    """Return a picture as it was kept: its media type and its bytes.

    Raises:
        ImageNotFound: there is none.
    """
    return image_id


def thumbnail(image_id: str) -> str:
    """Return a small version of a picture: its media type and its bytes.

    Raises:
        ImageNotFound: there is none.
    """
    return image_id
