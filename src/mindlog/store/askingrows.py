"""The store's contract for queries, series, places and pictures: the row types. Knows no SQL. Instants are microseconds UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindlog.ids import MemoryId
    from mindlog.store.runrows import StageRow

__all__ = [
    "Asked",
    "ImageRow",
    "NewImage",
    "NewPlace",
    "NewQuery",
    "PlaceRow",
    "PointRow",
    "QueryEnd",
    "QueryRow",
    "SeriesRow",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQuery:
    """A question that was not refused, on record before it is answered."""

    dataset: int
    question: str
    session: str | None
    params: Mapping[str, Any]
    created_at: int
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEnd:
    """How a query ended, with all its stages: written in one go."""

    run: int
    status: str  # succeeded or failed
    error: str | None
    finished_at: int
    stages: tuple[StageRow, ...]
    answer: str | None = None
    answered_by: str | None = None
    citations: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRow:
    """One row of the log of queries. is_hidden: the answer rests on what is forgotten, and is not given."""

    id: int
    dataset: str
    user: str | None
    session: str | None
    question: str
    params: Mapping[str, Any]
    status: str
    error: str | None
    created_at: int
    finished_at: int | None
    answer: str | None
    answered_by: str | None
    citations: tuple[Mapping[str, Any], ...]
    stages: tuple[StageRow, ...]
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An earlier turn of a session: what was asked and answered."""

    run: int
    question: str
    answer: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRow:
    """A series with at least one point that is there. `entity` is the root of whose it is."""

    id: int
    dataset: int
    entity: int | None
    entity_name: str | None
    name: str
    key: str
    unit: str | None
    dimension: str | None
    points: int
    first_at: int
    last_at: int
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRow:
    """A point as it is now. `was`: values that were recorded for its time before, the latest first."""

    id: int
    series: int
    at: int
    until: int | None
    value: float
    written: str | None
    memory_id: MemoryId | None
    start: int | None
    end: int | None
    source: str | None
    source_url: str | None
    recorded_at: int
    was: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPlace:
    """Where an entity is (one place each: the later takes the earlier's room), or what a memory's revision is about."""

    dataset: int
    name: str
    lat: float
    lon: float
    cell: int
    source: str
    confident: bool
    entity: int | None = None
    slot: int | None = None
    version: int | None = None
    country: str | None = None
    region: str | None = None
    kind: str | None = None
    population: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRow:
    """A place whose entity is visible (`entity` is its root) or whose memory is live."""

    id: int
    dataset: int
    entity: int | None
    memory_id: MemoryId | None
    name: str
    country: str | None
    region: str | None
    kind: str | None
    population: int | None
    lat: float
    lon: float
    cell: int
    source: str
    confident: bool
    reason: str | None
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewImage:
    """What is kept of a picture besides its file; its memory is there."""

    dataset: int
    slot: int
    fingerprint: bytes
    media_type: str
    bytes: int
    width: int
    height: int
    name: str | None
    taken_at: int | None
    lat: float | None
    lon: float | None
    caption: str | None
    model_caption: str | None
    ocr_text: str | None
    notes: tuple[str, ...]
    thumbnail: bytes
    thumbnail_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRow:
    """A picture whose memory is live; `thumbnail` where it was asked for."""

    id: int
    dataset: str
    memory_id: MemoryId
    fingerprint: bytes
    media_type: str
    bytes: int
    width: int
    height: int
    name: str | None
    taken_at: int | None
    lat: float | None
    lon: float | None
    caption: str | None
    model_caption: str | None
    ocr_text: str | None
    notes: tuple[str, ...]
    created_at: int
    thumbnail: bytes | None
    thumbnail_type: str
