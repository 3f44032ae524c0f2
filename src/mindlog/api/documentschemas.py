"""What callers send about documents, questions, series, places and pictures. They check shapes; the engine checks meanings."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, WithJsonSchema

from mindlog.api.schemas import Body, DatasetName, FiltersBody, FullText, Label, Metadata, TimeText, Wait
from mindlog.api.upload import Form
from mindlog.records import DEFAULT_DATASET

__all__ = [
    "DocumentQuery",
    "ImageBody",
    "ImageForm",
    "NearQuery",
    "OneDocumentQuery",
    "PointQuery",
    "QueryBody",
    "RememberBody",
    "RememberForm",
    "SeriesQuery",
]

Octets = Annotated[bytes, WithJsonSchema({"type": "string", "format": "binary"})]
Base64 = Annotated[str, Field(json_schema_extra={"contentEncoding": "base64"})]
Options = Annotated[
    dict[str, dict[str, Any]], Field(json_schema_extra={"examples": [{"extract_graph": {"reasoning": "low"}}]})
]
Given = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": 1000})]
Dataset = Annotated[DatasetName, Field(description="The dataset it is about.")]
Limit = Annotated[int, Field(ge=1, description="Most rows of a page, up to 10 000.")]
Cursor = Annotated[str | None, Field(description="`next_cursor` of the page before.")]


class _Labelled(Body):
    name: Label | None = Field(None, description="What the file is called; its ending tells what it is.")
    dataset: DatasetName = Field(DEFAULT_DATASET, description="The dataset it belongs to; created on first write.")
    agent: Label | None = Field(None, description="Who says what it says.", examples=["ana"])
    session: Label | None = Field(None, description="The conversation it belongs to.", examples=["2026-03-14"])
    metadata: Metadata | None = Field(
        None, description="Any JSON object of up to 16 KiB; recall and listings filter by it."
    )


class _Remembered(_Labelled):
    content_type: Label | None = Field(None, description="Its media type, where its name does not tell.")
    document_id: Label | None = Field(
        None, description="Of a document that is there: this is its new version. Made from the content if unset."
    )
    occurred_at: TimeText | None = Field(None, description="When it says what it says; now if unset.")
    options: Options | None = Field(None, description="By stage: another `model`, how much `reasoning`.")
    web_search: bool = Field(False, description="Whether what it leaves open is looked up.")
    fetch_series: bool = Field(False, description="Whether points are got for the series it refers to.")
    request_id: Label | None = Field(
        None, description="Idempotency key, kept 24 hours. The header Idempotency-Key does the same."
    )
    wait: Wait = Field(
        "ack",
        description="`ack` answers when document and run are durable, `derived` when the run is over or the drain window is.",
    )


class RememberBody(_Remembered):
    """A document to remember: its `text`, or the `url` it is fetched from."""

    text: FullText | None = Field(None, description="The document as text.")
    url: str | None = Field(
        None,
        description="Its address; only of hosts that the operator allows.",
        examples=["https://example.org/report.html"],
    )


class RememberForm(_Remembered, Form):
    """A document to remember, as a file: text, Markdown, HTML, PDF or DOCX."""

    part: ClassVar = "document"
    json_fields: ClassVar = frozenset({"metadata", "options"})
    flags: ClassVar = frozenset({"web_search", "fetch_series"})

    document: Octets = Field(description="The file.")


class QueryBody(Body):
    """A question to answer from what is remembered."""

    question: FullText = Field(description="1 byte to 10 KiB.", examples=["What must Ana not eat?"])
    dataset: DatasetName = Field(DEFAULT_DATASET, description="The dataset to answer from.")
    session: Label | None = Field(None, description="The conversation it belongs to: its earlier questions are known.")
    as_of: TimeText | None = Field(None, description="Answer as the store stood at this time.")
    limit: int | None = Field(None, ge=1, description="Most memories to answer from, up to 100.")
    filters: SkipValidation[FiltersBody | None] = Field(None, description="What those memories must satisfy.")
    options: Options | None = Field(None, description="By stage: another `model`, how much `reasoning`.")
    stream: bool = Field(False, description="Answer with server-sent events: `text` pieces, then the `result`.")


class _Pictured(_Labelled):
    caption: str | None = Field(None, description="What it shows, in the caller's words.")
    occurred_at: TimeText | None = Field(None, description="When it was taken; its own time if unset.")


class ImageBody(_Pictured):
    """A picture to keep."""

    data: Base64 = Field(description="The picture's file, in base64.")


class ImageForm(_Pictured, Form):
    """A picture to keep, as a file."""

    part: ClassVar = "image"

    image: Octets = Field(description="The file.")


class _Query(BaseModel):
    model_config = ConfigDict(extra="forbid")


class OneDocumentQuery(_Query):
    """Query parameters of one document."""

    dataset: Dataset = DEFAULT_DATASET


class DocumentQuery(_Query):
    """Query parameters of a listing of documents, or of the texts of one."""

    dataset: Dataset = DEFAULT_DATASET
    limit: Limit = 50
    cursor: Cursor = None


class SeriesQuery(_Query):
    """Query parameters of a listing of series."""

    dataset: Dataset = DEFAULT_DATASET
    entity: Given | None = Field(None, description="An entity id or a name: only its series.")
    text: Given | None = Field(None, description="Only where this is in the name.")
    limit: Limit = 50
    cursor: Cursor = None


class PointQuery(_Query):
    """Query parameters of a listing of a series' points."""

    start: TimeText | None = Field(None, description="Only points at or after this time.")
    end: TimeText | None = Field(None, description="Only points before this time.")
    limit: Limit = 500
    cursor: Cursor = None


class PlaceQuery(_Query):
    """Query parameters of a listing of places."""

    dataset: Dataset = DEFAULT_DATASET
    limit: Limit = 50
    cursor: Cursor = None


class NearQuery(_Query):
    """Query parameters of what is near a point."""

    lat: float = Field(description="Degrees north.", json_schema_extra={"minimum": -90, "maximum": 90})
    lon: float = Field(description="Degrees east.", json_schema_extra={"minimum": -180, "maximum": 180})
    km: float = Field(50.0, description="How far around, kilometres.", json_schema_extra={"exclusiveMinimum": 0})
    dataset: Dataset = DEFAULT_DATASET
    limit: int = Field(50, ge=1, description="Most places.")
