"""What the server answers about documents, questions, series, places and pictures. The fields are those of `mindlog.views`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from mindlog.api.knowledgereplies import EntityRefReply
from mindlog.api.replies import Instant, MemoryName, Shown
from mindlog.api.runreplies import RunReply
from mindlog.views import RememberResult

__all__ = [
    "DocumentPageReply",
    "DocumentReply",
    "DocumentTextPageReply",
    "ImageReply",
    "NearReply",
    "PointPageReply",
    "QueryReply",
    "RememberReply",
    "SeriesPageReply",
    "SeriesReply",
    "TextEvent",
]


class RememberReply(Shown):
    """The ack: the document and the run that reads it are on disk. `run` and what follows are there with `wait=derived`."""

    remember_run_id: str
    document_id: str
    lsn: int = Field(description="Position in the log.")
    was_replayed: bool = Field(description="This request id was answered before: this is the run it started.")
    status: str = Field(description="`started`, or how the run has ended: `succeeded` or `failed`.")
    stages: dict[str, str] | None = Field(None, description="The status of each stage.")
    trace: dict[str, Any] | None = Field(None, description="Whether the run is over, and what each stage produced.")
    run: RunReply | None = None

    @classmethod
    def of(cls, record: object) -> RememberReply:
        """Return the reply to a remember."""
        assert isinstance(record, RememberResult)
        reply = super().of(record)
        if (run := reply.run) is not None:
            reply.stages = {stage.name: stage.status for stage in run.stages}
            reply.trace = {
                "settled": run.status != "started",
                "stages": {stage.name: stage.output for stage in run.stages if stage.output is not None},
            }
        return reply


class DocumentReply(Shown):
    """A remembered document."""

    document_id: str
    dataset: str
    title: str | None
    kind: str | None = Field(description="`text`, `markdown`, `html`, `pdf` or `docx`.")
    name: str | None
    url: str | None
    characters: int | None
    chunks: int
    remember_run_id: str | None = Field(description="The run whose texts it has now.")
    created_at: Instant
    updated_at: Instant


class DocumentPageReply(Shown):
    """One page of documents, newest first."""

    data: list[DocumentReply]
    has_more: bool
    next_cursor: str | None


class DocumentTextReply(Shown):
    """A text of a document."""

    memory_id: MemoryName
    origin: str = Field(description="`chunk`, `web` or `series`.")
    position: int
    state: str = Field(description="`kept`, `read` or `stored`.")
    text: str
    start: int | None = Field(description="Where a chunk begins in the document, in characters.")
    end: int | None
    headings: list[str]
    source: str | None
    summary: str | None
    error: str | None = Field(description="Why a model could not read it.")


class DocumentTextPageReply(Shown):
    """One page of a document's texts: its chunks in order, then what was added to them."""

    data: list[DocumentTextReply]
    has_more: bool
    next_cursor: str | None


class CitationReply(Shown):
    """What a place `[n]` of an answer rests on."""

    n: int
    memory_id: MemoryName
    quote: str = Field(description="Verbatim of the memory's text.")
    statement_id: str | None
    agent: str | None
    session: str | None
    document_id: str | None
    occurred_at: Instant | None
    source: str | None = Field(description="The address of a text from the web.")
    trust: str = Field(description="`user`, `web` or `derived`.")
    flags: list[str] = Field(description="`instructions`: the memory reads like an order to a model.")


class QueryReply(Shown):
    """An answer, each claim with its citation."""

    answer: str
    answered_by: Literal["llm", "extractive", "none"] = Field(
        description="`extractive`: the best sentences and statements put together; `none`: nothing was found."
    )
    citations: list[CitationReply]
    query_run_id: str
    removed: list[dict[str, Any]] = Field(description="Citations that could not be checked and were taken out.")
    places: list[dict[str, Any]] = Field(description="The places that the question was understood to mean.")
    notes: list[str]


class TextEvent(BaseModel):
    """A piece of an answer, as it is made."""

    text: str


class SeriesReply(Shown):
    """A named run of points."""

    series_id: str
    dataset: str
    entity: EntityRefReply | None
    name: str
    unit: str | None
    points: int = Field(description="How many points it has.")
    first_at: Instant
    last_at: Instant
    created_at: Instant


class SeriesPageReply(Shown):
    """One page of series."""

    data: list[SeriesReply]
    has_more: bool
    next_cursor: str | None


class PointReply(Shown):
    """A point of a series."""

    at: Instant
    until: Instant | None = Field(description="The end of the time it holds for; null of an instant.")
    value: float
    written: str | None = Field(description="As it is written in the text.")
    memory_id: MemoryName | None
    source: str | None
    source_url: str | None
    recorded_at: Instant
    was: list[float] = Field(description="Values that were recorded for its time before, the latest first.")


class PointPageReply(Shown):
    """One page of points, oldest first."""

    data: list[PointReply]
    has_more: bool
    next_cursor: str | None


class PlaceReply(Shown):
    """A place, with what is there."""

    name: str
    country: str | None
    region: str | None
    lat: float
    lon: float
    source: str
    confident: bool = Field(description="False if another place of the name may be meant.")
    entity: EntityRefReply | None
    memory_ids: list[MemoryName] = Field(description="The memory that is about it, or the newest that name the entity.")


class PlacePageReply(Shown):
    """One page of places."""

    data: list[PlaceReply]
    has_more: bool
    next_cursor: str | None


class NearPlaceReply(PlaceReply):
    """A place, with how far away it is."""

    km: float = Field(description="How far away it is.")


class NearReply(Shown):
    """The places within the distance, nearest first."""

    data: list[NearPlaceReply]


class ImageReply(Shown):
    """A picture that is kept."""

    image_id: str
    dataset: str
    memory_id: MemoryName = Field(description="The memory it is found by.")
    media_type: str
    bytes: int
    width: int
    height: int
    name: str | None
    taken_at: Instant | None
    lat: float | None
    lon: float | None
    caption: str | None
    model_caption: str | None
    ocr_text: str | None = Field(description="What is written in it.")
    notes: list[str] = Field(description="What was left out, and why.")
    created_at: Instant
    was_deduplicated: bool = Field(description="The same picture was there: this is that one.")
