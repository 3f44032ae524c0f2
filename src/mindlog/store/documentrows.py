"""The store's contract for documents and the runs that remember them: the row types. Knows no SQL.

Instants are microseconds UTC. A run's status and state words are those of `runrows`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindlog.ids import MemoryId
    from mindlog.store.graphrows import GraphWrite
    from mindlog.store.runrows import StageRow

__all__ = [
    "TEXT_ORIGINS",
    "TEXT_STATES",
    "ClaimedRemember",
    "DocumentRow",
    "KeptText",
    "NewPoint",
    "NewRemember",
    "NewSeries",
    "NewText",
    "RememberRow",
    "RememberStarted",
    "SeriesWrite",
    "SourceRow",
    "TextKey",
    "TextRow",
    "TextWrite",
]

#: What a text of a run is: a piece of the document, a text found on the web, a text made from a series.
TEXT_ORIGINS = ("chunk", "web", "series")
#: It can be recalled; what it says is known to the run; what it says is in the graph.
TEXT_STATES = ("kept", "read", "stored")


# -- what is written ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class NewRemember:
    """A document that is to be remembered: committed with its run, then acknowledged.

    document_id: of the dataset; one that is there gets a new version. params: what the caller asked for, as it is shown.
    content: zlib of the document as JSON. request: the caller's idempotency key with BLAKE3 of what it came with.
    """

    dataset: str
    document_id: str
    title: str | None
    kind: str
    name: str | None
    url: str | None
    characters: int
    content: bytes
    params: Mapping[str, Any]
    user: str | None = None
    request_id: str | None = None
    request_params: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberStarted:
    """The run that a remember started, or had started when it was asked before. run: its number, the LSN of its event."""

    run: int
    document_id: str
    was_replayed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRemember:
    """A run that the manager holds. `attempts` counts this one. `stages`: what earlier attempts have settled."""

    id: int
    dataset: int
    document: int
    document_id: str
    params: Mapping[str, Any]
    attempts: int
    created_at: int
    chunks: int | None
    stages: tuple[StageRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextKey:
    """Which text of a run."""

    run: int
    origin: str  # of TEXT_ORIGINS
    position: int  # from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NewText:
    """A text of a run on its way into the store, with or beside its memory."""

    key: TextKey
    start: int | None = None
    end: int | None = None
    headings: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptText:
    """What became of keeping a text: its memory, and whether that was there before."""

    memory_id: MemoryId
    state: str  # of TEXT_STATES: `stored` for one that an older version of the document has said already
    was_there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPoint:
    """A point of a series. Read from characters [start, end) of the writing memory, or got from a provider (`source`)."""

    at: int
    value: float
    until: int | None = None
    written: str | None = None
    start: int | None = None
    end: int | None = None
    source: str | None = None
    source_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSeries:
    """Points of one series. `entity` is any id of whose it is. One with its entity (by root) and key is united with it.

    key: what two names of one series share, with the dimension of the unit. The points are in `unit`, which is that of the
    series that is there (the writer has converted them).
    """

    entity: int | None
    name: str
    key: str
    unit: str | None
    dimension: str | None
    points: tuple[NewPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesWrite:
    """What one memory (or, without one, a provider) says of series. A memory's points replace those it gave before.

    A point of the same series, time, value and source that is there is not added again.
    """

    dataset: int
    series: tuple[NewSeries, ...]
    slot: int | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWrite:
    """What one text says, committed whole: the graph, its series, and that the text is `stored`.

    `LeaseLost` if the owner does not hold the run, `RevisionGone` if the memory is not as it was.
    """

    key: TextKey
    owner: str
    graph: GraphWrite | None
    series: SeriesWrite | None = None


# -- what is read -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """One text of a run. `text` is the memory's revision; empty, and `is_live` False, if that is forgotten or edited since."""

    key: TextKey
    memory_id: MemoryId
    is_live: bool
    text: str
    start: int | None
    end: int | None
    headings: tuple[str, ...]
    source: str | None
    state: str
    error: str | None
    summary: str | None
    reading: str | None = None  # where it was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """What a run reads."""

    kind: str
    name: str | None
    url: str | None
    characters: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document as it is now: `run` whose texts it has, None until its first chunks are kept."""

    number: int
    id: str
    dataset: str
    title: str | None
    kind: str | None
    name: str | None
    url: str | None
    characters: int | None
    run: int | None
    chunks: int  # live ones
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRow:
    """One row of the log of remember. read, stored: how many of the chunks are. is_hidden: a memory that it kept is forgotten."""

    id: int
    dataset: str
    document_id: str
    title: str | None
    user: str | None
    params: Mapping[str, Any]
    status: str
    state: str
    error: str | None
    attempts: int
    due_at: int
    created_at: int
    finished_at: int | None
    chunks: int | None
    read: int
    stored: int
    stages: tuple[StageRow, ...] = field(default_factory=tuple)
    is_hidden: bool = False
