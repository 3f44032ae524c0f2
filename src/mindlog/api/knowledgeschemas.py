"""What callers send about knowledge: bodies and query parameters. They check shapes; the engine checks meanings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from mindlog.api.schemas import Body, DatasetName, MemoryName, TimeText
from mindlog.records import DEFAULT_DATASET
from mindlog.store.graphrows import EDGE_KINDS

__all__ = [
    "DecisionBody",
    "EntityQuery",
    "GraphQuery",
    "LinkBody",
    "LinkQuery",
    "MergeBody",
    "ProposalQuery",
    "StatementQuery",
]

EntityName = Annotated[str, Field(json_schema_extra={"pattern": "^ent_[0-9A-Za-z]{13}$"})]
EdgeKind = Annotated[str, Field(json_schema_extra={"enum": list(EDGE_KINDS)})]
Given = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": 1000})]
Dataset = Annotated[DatasetName, Field(description="The dataset it is about.")]
Limit = Annotated[int, Field(ge=1, description="Most rows of a page, up to 10 000.")]
Cursor = Annotated[str | None, Field(description="`next_cursor` of the page before.")]
AsOf = Annotated[TimeText | None, Field(description="What holds in the world at this time.")]
KnownAt = Annotated[TimeText | None, Field(description="As the store believed at this time.")]


class _Query(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EntityQuery(_Query):
    """Query parameters of a listing of entities."""

    dataset: Dataset = DEFAULT_DATASET
    name: Given | None = Field(None, description="The start of any of its names.")
    kind: str | None = Field(None, description="Only of this kind.")
    limit: Limit = 50
    cursor: Cursor = None


class StatementQuery(_Query):
    """Query parameters of a listing of statements."""

    dataset: Dataset = DEFAULT_DATASET
    subject: Given | None = Field(None, description="An entity id or a name.")
    object: Given | None = Field(None, description="An entity id or a name.")
    entity: Given | None = Field(None, description="An entity id or a name: of the subject or the object.")
    predicate: Given | None = None
    memory_id: MemoryName | None = Field(None, description="Only what this memory carries.")
    text: Given | None = Field(None, description="Only where these words are in the statement.")
    as_of: AsOf = None
    known_at: KnownAt = None
    include_superseded: bool = Field(False, description="Also what has ended; not with `as_of`.")
    limit: Limit = 50
    cursor: Cursor = None


class GraphQuery(_Query):
    """Query parameters of a graph."""

    entity: Given = Field(description="An entity id or a name.")
    dataset: Dataset = DEFAULT_DATASET
    depth: int = Field(1, ge=1, description="Most relations away, up to 4.")
    limit: int = Field(100, ge=1, description="Most entities, up to 500.")
    as_of: AsOf = None
    known_at: KnownAt = None
    include_superseded: bool = Field(False, description="Also relations that have ended; not with `as_of`.")


class ProposalQuery(_Query):
    """Query parameters of a listing of merge proposals."""

    dataset: Dataset = DEFAULT_DATASET
    status: Literal["open", "accepted", "refused", "undone", "all"] = Field("open", description="Only of this status.")
    limit: Limit = 50
    cursor: Cursor = None


class LinkQuery(_Query):
    """Query parameters that name a link of a memory."""

    target: MemoryName = Field(description="The memory it leads to.")
    kind: EdgeKind = Field(description="What kind of link it is.")


class LinkBody(Body):
    """A link from the memory to another of its dataset."""

    target: MemoryName = Field(description="The memory it leads to.")
    kind: EdgeKind = Field(description="What kind of link it is.", examples=["supports"])
    weight: float = Field(1.0, gt=0, le=1, description="How strong it is.")


class MergeBody(Body):
    """What an entity is to be one with."""

    into: EntityName = Field(description="The entity that stays.")


class DecisionBody(Body):
    """What is decided of a proposal."""

    decision: Literal["accepted", "refused", "undone"] = Field(
        description="`undone` takes the merge of an accepted proposal back."
    )
