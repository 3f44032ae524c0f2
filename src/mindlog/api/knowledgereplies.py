"""What the server answers about knowledge. The fields are those of the records in `mindlog.views`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mindlog.api.replies import Instant, MemoryName, MemoryReply, Shown
from mindlog.api.runreplies import RunReply

__all__ = [
    "EdgeReply",
    "EntityDetailReply",
    "EntityPageReply",
    "EntityReply",
    "GraphReply",
    "InspectionReply",
    "LinksReply",
    "ProposalPageReply",
    "ProposalReply",
    "StatementPageReply",
    "StatementReply",
]

EntityName = Annotated[str, Field(json_schema_extra={"examples": ["ent_0000000000001"]})]


class EntityRefReply(Shown):
    """An entity by id and name."""

    entity_id: EntityName
    name: str


class EntityReply(EntityRefReply):
    """A thing that live memories name."""

    dataset: str
    kind: str
    is_speaker: bool = Field(description="Whether it is an agent that memories are written by.")
    aliases: list[str]
    merged: list[EntityName] = Field(description="The ids that were made one with it.")
    memories: int = Field(description="How many memories name it.")
    statements: int = Field(description="How many statements are about it.")
    created_at: Instant


class NameUseReply(Shown):
    """What an entity is called."""

    name: str
    uses: int = Field(description="How many live memories call it so: none of a name that only former revisions use.")


class EntityDetailReply(EntityReply):
    """An entity looked at by itself."""

    names: list[NameUseReply] = Field(description="Its `aliases`, each with how often it is used.")
    merged_entities: list[EntityRefReply] = Field(description="Those of `merged`, each by its own name.")


class EntityPageReply(Shown):
    """One page of entities, those known longest first."""

    data: list[EntityReply]
    has_more: bool
    next_cursor: str | None


class EvidenceReply(Shown):
    """The words of one memory that carry a statement."""

    memory_id: MemoryName
    start: int = Field(description="Where the quote begins in that revision's text, in characters.")
    end: int
    quote: str
    confidence: float
    tier: str = Field(description="What read it out of the text.")
    asserted_at: Instant
    valid_from: Instant | None
    valid_to: Instant | None
    time_phrase: str | None


class ValidityReply(Shown):
    """A belief: true in the world from `valid_from` to `valid_to`, held by the store from `recorded_at` to `invalidated_at`."""

    valid_from: Instant | None
    valid_to: Instant | None
    superseded_by: str | None
    recorded_at: Instant
    invalidated_at: Instant | None


class StatementReply(Shown):
    """A claim with what it rests on."""

    statement_id: str
    dataset: str
    subject: EntityRefReply
    predicate: str
    object: EntityRefReply | None
    value: str | None = Field(description="What it says where that is no entity.")
    value_type: str | None
    text: str
    confidence: float
    status: str = Field(description="`current`, `superseded`, `ended`, `future`, `retracted` or `contradicted`.")
    validities: list[ValidityReply]
    evidence: list[EvidenceReply] = Field(
        description="At most 50, newest first; that of the memory that was asked about before that of others."
    )
    evidence_count: int = Field(description="How many pieces there are.")
    contradicts: list[str]
    created_at: Instant


class StatementPageReply(Shown):
    """One page of statements, newest first."""

    data: list[StatementReply]
    has_more: bool
    next_cursor: str | None


class GraphReply(Shown):
    """Entities, and the relations between them."""

    entities: list[EntityReply]
    relations: list[StatementReply]
    truncated: bool = Field(description="Whether the limit left some out.")


class ProposalReply(Shown):
    """Two entities that may be one."""

    proposal_id: str
    dataset: str
    entity: EntityRefReply
    other: EntityRefReply
    score: float
    reason: str
    status: str = Field(description="`open`, `accepted`, `refused`, or `undone`: its merge was taken back.")
    created_at: Instant
    decided_at: Instant | None


class ProposalPageReply(Shown):
    """One page of proposals, newest first."""

    data: list[ProposalReply]
    has_more: bool
    next_cursor: str | None


class EdgeReply(Shown):
    """A link between two memories."""

    source: MemoryName
    target: MemoryName
    kind: str
    weight: float
    made_by: str = Field(description="The stage that made it, or `user`.")
    created_at: Instant


class LinksReply(Shown):
    """The links of a memory, strongest first."""

    data: list[EdgeReply]


class MentionReply(Shown):
    """Where a memory names an entity."""

    entity: EntityRefReply
    kind: str
    spans: list[tuple[int, int]] = Field(description="Characters of its text, from and to.")


class QuestionReply(Shown):
    """A question that the memory answers."""

    text: str
    source: str = Field(description="`llm` or `template`.")


class RevisionReply(MemoryReply):
    """A revision as one of many; its whole text is read by its id."""

    text: str = Field(description="Its opening: at most 2 000 characters.")
    characters: int = Field(description="How many the whole text has.")
    is_cut: bool = Field(description="Whether it has more than `text` shows.")


class InspectionReply(Shown):
    """Everything there is to know of one revision of a memory."""

    memory: MemoryReply
    vector: dict[str, Any] = Field(description="Size, windows and model of its vector; not the numbers.")
    terms: list[str]
    questions: list[QuestionReply]
    edges: list[EdgeReply]
    entities: list[MentionReply]
    statements: list[StatementReply]
    versions: list[RevisionReply] = Field(
        description="Newest first, the current one included, each with the opening of its text."
    )
    runs: list[RunReply] = Field(description="Its derivations, newest first.")
    truncated: list[str] = Field(description="Which of `edges`, `statements` and `versions` have more than is shown.")
