"""What callers send: the request bodies and query parameters, with names, types and examples.

They check shapes (no unknown fields, no "1" for a number). Limits and meanings are the engine's to check.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, WithJsonSchema

from mindlog.records import DEFAULT_DATASET

__all__ = [
    "BatchBody",
    "Body",
    "DatasetBody",
    "DatasetName",
    "EncodeBody",
    "FiltersBody",
    "KeyBody",
    "Kind",
    "Label",
    "ListQuery",
    "MemoryName",
    "PatchBody",
    "RecallBody",
    "TimeText",
    "VectorBody",
]

Kind = Literal["episodic", "semantic", "consolidated"]
ScopeName = Literal["read", "write", "admin"]

EXAMPLE_TEXT = "Ana is allergic to peanuts."


# Patterns and formats are published, not checked here: the engine has the better words for what breaks them.
DatasetName = Annotated[str, Field(json_schema_extra={"pattern": "^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,127}$"})]
MemoryName = Annotated[str, Field(json_schema_extra={"pattern": "^mem_[0-9A-Za-z]{26}$"})]
EntityGiven = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": 1000})]
TimeText = Annotated[str, Field(json_schema_extra={"format": "date-time", "examples": ["2026-03-14T09:26:53Z"]})]
FullText = Annotated[str, Field(json_schema_extra={"minLength": 1, "pattern": "\\S", "examples": [EXAMPLE_TEXT]})]
Label = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": 256})]
# What a vector's float32 can hold; beyond it a number would become infinite.
Float32 = Annotated[float, Field(ge=-3.4e38, le=3.4e38)]
Wait = Literal["ack", "derived"]
Metadata = Annotated[dict[str, Any], Field(json_schema_extra={"examples": [{"topic": "health"}]})]


class Body(BaseModel):
    """What a caller sends: unknown fields and values of another JSON type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Written(Body):
    text: FullText = Field(
        description="The text to keep: 1 byte to 1 MiB of UTF-8, not blank, without NUL.", examples=[EXAMPLE_TEXT]
    )
    dataset: DatasetName = Field(
        DEFAULT_DATASET, description="The isolated collection it belongs to; created on first write."
    )
    agent: Label | None = Field(None, description="Who said or saw it.", examples=["ana"])
    session: Label | None = Field(None, description="The conversation it belongs to.", examples=["2026-03-14"])
    occurred_at: TimeText | None = Field(
        None,
        description="When it happened, RFC 3339; the moment of the write if unset. Without an offset it is taken in the dataset's zone.",
    )
    kind: Kind | None = Field(None, description="Chosen by rule if unset.")
    salience: float | None = Field(None, ge=0, le=1, description="How much it matters; chosen by rule if unset.")
    metadata: Metadata | None = Field(
        None, description="Any JSON object of up to 16 KiB; recall and listings filter by it."
    )
    document_id: Label | None = Field(None, description="The source document, if it is a piece of one.")
    request_id: Label | None = Field(
        None, description="Idempotency key, kept 24 hours. The header Idempotency-Key does the same."
    )
    wait: Wait = Field(
        "ack",
        description="`ack` answers when it is durable and searchable, `derived` when all is derived or the drain window is over.",
    )


class EncodeBody(_Written):
    """One text to keep."""

    allow_duplicates: bool = Field(False, description="Keep the text even if the same one is there already.")


class VectorBody(_Written):
    """One text to keep with the caller's own vector."""

    vector: list[Float32] = Field(
        description="As many numbers as the store's model has dimensions; any length but zero."
    )
    embedding_model: str = Field(
        description="The model fingerprint the vector was made with; /readyz names the store's."
    )
    deduplicate: bool = Field(
        False, description="Answer with the memory that already holds this text, if there is one."
    )


class BatchBody(Body):
    """Many texts to keep, one outcome each."""

    items: list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/EncodeBody"})]] = Field(
        description="1 to 1 000 texts. Each is checked by itself: a bad one fails alone.",
        json_schema_extra={"minItems": 1, "maxItems": 1000},
    )


class PatchBody(Body):
    """A change of a memory. What is not given stays."""

    text: FullText | None = Field(
        None, description="The new text.", examples=["Ana is allergic to peanuts and cashews."]
    )
    kind: Kind | None = None
    salience: float | None = Field(None, ge=0, le=1)
    occurred_at: TimeText | None = None
    metadata: Metadata | None = Field(None, description="A JSON merge patch (RFC 7396): null removes a key.")


class FiltersBody(Body):
    """What to narrow a recall by. Every filter holds exactly; an unknown one is refused."""

    session: str | list[str] | None = Field(None, description="One session, or any of a list.")
    agent: str | list[str] | None = Field(None, description="One agent, or any of a list.")
    kind: Kind | list[Kind] | None = Field(None, description="One kind, or any of a list.")
    document_id: str | list[str] | None = Field(None, description="One document, or any of a list.")
    metadata: dict[str, Any] | None = Field(
        None,
        description="Conditions on metadata keys: a value, or operators `$eq $ne $in $nin $gt $gte $lt $lte $exists`, combined by `$and $or $not`.",
        examples=[{"topic": "health", "priority": {"$gte": 2}}],
    )
    after: TimeText | None = Field(None, description="Only what happened at or after this time.")
    before: TimeText | None = Field(None, description="Only what happened before this time.")


class RecallBody(Body):
    """A cue to find memories by."""

    cue: FullText = Field(description="What to look for, in any words.", examples=["What must Ana not eat?"])
    dataset: DatasetName = Field(DEFAULT_DATASET, description="The dataset to search.")
    limit: int = Field(10, ge=1, description="Most hits, up to 10 000.")
    filters: SkipValidation[FiltersBody | None] = Field(None, description="What the hits must satisfy.")
    as_of: TimeText | None = Field(None, description="Answer as the store stood at this time.")
    budget_tokens: int | None = Field(
        None, ge=1, le=1_000_000, description="Also pack a context block of at most this many tokens."
    )
    trace: bool = Field(False, description="Also say what each lane found and how the hits were ranked.")
    explain_ids: list[MemoryName] = Field(
        default_factory=list, max_length=100, description="Memories whose absence the trace is to explain."
    )


class DatasetBody(Body):
    """A dataset to create, or to give a time zone."""

    name: DatasetName = Field(description="1 to 128 letters, digits, or one of `_ . : @ -`.", examples=["support"])
    timezone: str | None = Field(None, description="IANA zone for times without an offset.", examples=["Europe/Lisbon"])


class KeyBody(Body):
    """An API key to make."""

    name: Label = Field(description="What it is for.", examples=["ingest worker"])
    scopes: list[ScopeName] = Field(description="`admin` includes `write`, which includes `read`.", min_length=1)
    datasets: list[DatasetName] | None = Field(None, description="The datasets it may touch; every one if unset.")


class DatasetQuery(BaseModel):
    """Query parameters of the listing of datasets."""

    model_config = ConfigDict(extra="forbid")

    sizes: bool = Field(False, description="Count what each holds.")


class ListQuery(BaseModel):
    """Query parameters of a listing. `session`, `agent`, `kind` and `document_id` may be repeated: any of them."""

    model_config = ConfigDict(extra="forbid")

    dataset: DatasetName = Field(DEFAULT_DATASET, description="The dataset to list.")
    session: list[str] | None = Field(None, description="Only of this session; repeat it for any of several.")
    agent: list[str] | None = Field(None, description="Only of this agent; repeat it for any of several.")
    kind: list[Kind] | None = Field(None, description="Only of this kind; repeat it for any of several.")
    document_id: list[str] | None = Field(None, description="Only of this document; repeat it for any of several.")
    entity: EntityGiven | None = Field(
        None, description="Only what names this entity: its id or a name, also that of what was merged into it."
    )
    after: TimeText | None = Field(None, description="Only what happened at or after this time.")
    before: TimeText | None = Field(None, description="Only what happened before this time.")
    metadata: str | None = Field(
        None, description="Conditions on metadata as a JSON object.", examples=['{"topic": "health"}']
    )
    limit: int = Field(50, ge=1, description="Most rows of a page, up to 10 000.")
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")
