"""What the surfaces show of derivation and knowledge: entities, statements, edges, runs, events. Owns their shapes.

Ids are in text form, instants integer microseconds UTC, None is open or unknown. Knows no store and no HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from mindlog.records import DEFAULT_DATASET, Memory

__all__ = [
    "Edge",
    "Entity",
    "EntityRef",
    "EntityRequest",
    "Event",
    "Evidence",
    "Graph",
    "GraphRequest",
    "Inference",
    "Inspection",
    "Mention",
    "Page",
    "Proposal",
    "Question",
    "Run",
    "RunRequest",
    "RunStage",
    "Statement",
    "StatementRequest",
    "SubscribeRequest",
    "Validity",
]

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """One page; `next_cursor` is None on the last."""

    data: tuple[Item, ...]
    next_cursor: str | None = None

    @property
    def has_more(self) -> bool:
        """Whether another page follows."""
        return self.next_cursor is not None


# -- knowledge ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRef:
    """An entity by id and name."""

    entity_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing that live memories name. `merged` are the ids that were made one with it."""

    entity_id: str
    dataset: str
    name: str
    kind: str
    is_speaker: bool
    aliases: tuple[str, ...]
    merged: tuple[str, ...]
    memories: int
    statements: int
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The words of one memory that carry a statement; `quote` is characters [start, end) of that revision's text."""

    memory_id: str
    start: int
    end: int
    quote: str
    confidence: float
    tier: str
    asserted_at: int
    valid_from: int | None
    valid_to: int | None
    time_phrase: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """A belief: [valid_from, valid_to) in the world, held by the store in [recorded_at, invalidated_at)."""

    valid_from: int | None
    valid_to: int | None
    superseded_by: str | None
    recorded_at: int
    invalidated_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A claim with what it rests on.

    status: current (believed and valid now, or at the instants asked for), superseded (ended by a later one), ended (its own words
    gave it an end), future (not yet valid), retracted (believed no longer), contradicted (current, and another says otherwise).
    """

    statement_id: str
    dataset: str
    subject: EntityRef
    predicate: str
    object: EntityRef | None
    value: str | None
    value_type: str | None
    text: str
    confidence: float
    status: Literal["current", "superseded", "ended", "future", "retracted", "contradicted"]
    validities: tuple[Validity, ...]
    evidence: tuple[Evidence, ...]
    evidence_count: int
    contradicts: tuple[str, ...]
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRequest:
    """Which statements to list. subject, object, entity (either): an entity id or a name.

    as_of: valid in the world at the instant; known_at: as the store believed at the instant. `include_superseded` lists
    what has ended too.
    """

    dataset: str = DEFAULT_DATASET
    subject: str | None = None
    object: str | None = None
    entity: str | None = None
    predicate: str | None = None
    memory_id: str | None = None
    text: str | None = None
    as_of: str | int | None = None
    known_at: str | int | None = None
    include_superseded: bool = False
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRequest:
    """Which entities to list: by the start of any of their names, by kind."""

    dataset: str = DEFAULT_DATASET
    name: str | None = None
    kind: str | None = None
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRequest:
    """The part of the graph around an entity (id or name): `depth` steps, at most `limit` entities (at most 500)."""

    entity: str
    dataset: str = DEFAULT_DATASET
    depth: int = 1
    limit: int = 100
    as_of: str | int | None = None
    known_at: str | int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Entities and the relations between them; `truncated` if the limit left some out."""

    entities: tuple[Entity, ...]
    relations: tuple[Statement, ...]
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Two entities that may be one. status: open, accepted, refused."""

    proposal_id: str
    dataset: str
    entity: EntityRef
    other: EntityRef
    score: float
    reason: str
    status: str
    created_at: int
    decided_at: int | None


# -- a memory -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A link between two memories. made_by: the stage that made it, or user."""

    source: str
    target: str
    kind: str
    weight: float
    made_by: str
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Where a memory names an entity."""

    entity: EntityRef
    kind: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question the memory answers; source: llm or template."""

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """Everything there is to know of one revision of a memory. `vector` says size, windows and model, not the numbers."""

    memory: Memory
    vector: Mapping[str, Any]
    terms: tuple[str, ...]
    questions: tuple[Question, ...]
    edges: tuple[Edge, ...]
    entities: tuple[Mention, ...]
    statements: tuple[Statement, ...]
    versions: tuple[Memory, ...]  # newest first, the current one included
    runs: tuple[Run, ...]  # of this memory, newest first


# -- runs ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class RunStage:
    """One stage of a run. `output` is there where it was asked for; `does` says in a sentence what the stage does."""

    name: str
    does: str
    status: str
    error: str | None
    started_at: int | None
    finished_at: int | None
    inference_ids: tuple[str, ...]
    output: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One derivation run. state: waiting running retrying succeeded failed quarantined cancelled superseded."""

    run_id: str
    operation: Literal["encode"]
    dataset: str
    memory_id: str
    status: str
    state: str
    error: str | None
    attempts: int
    next_attempt_at: int | None
    created_at: int
    finished_at: int | None
    has_failed_stage: bool
    stages: tuple[RunStage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """Which runs to list, newest first."""

    dataset: str | None = None
    status: str | None = None
    state: str | None = None
    stage: str | None = None
    stage_status: str | None = None
    text: str | None = None
    memory_id: str | None = None
    created_from: str | int | None = None
    created_to: str | int | None = None
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """One model call as it is on record."""

    inference_id: str
    run_id: str | None
    stage: str | None
    dataset: str | None
    provider: str
    model: str
    mode: str
    parameters: Mapping[str, Any]
    prompt: tuple[Mapping[str, str], ...] | None
    prompt_hash: str
    output: str | None
    output_hash: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    started_at: int
    finished_at: int
    latency_us: int
    attempt: int
    error: str | None


# -- events -------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class SubscribeRequest:
    """What to hear of, from `from_lsn` on (None: from now on). Empty does not narrow."""

    dataset: str | None = None
    from_lsn: int | None = None
    session: str | None = None
    kind: str | None = None
    types: tuple[str, ...] = ()
    memory_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the log, as a subscriber hears it."""

    lsn: int
    at: int
    type: str
    dataset: str | None
    memory_id: str | None
    session: str | None = None
    kind: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
