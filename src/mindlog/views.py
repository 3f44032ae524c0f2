"""What the surfaces show of derivation and knowledge: entities, statements, edges, runs, events. Owns their shapes.

Ids are in text form, instants integer microseconds UTC, None is open or unknown. Knows no store and no HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from mindlog.filters import Filters
from mindlog.ids import Operation
from mindlog.records import DEFAULT_DATASET, Memory, Revision

__all__ = [
    "AnswerPart",
    "Citation",
    "Document",
    "DocumentText",
    "Edge",
    "Entity",
    "EntityDetail",
    "EntityRef",
    "EntityRequest",
    "Event",
    "Evidence",
    "Graph",
    "GraphRequest",
    "Image",
    "ImageRequest",
    "Inference",
    "Inspection",
    "Mention",
    "NameUse",
    "NearPlace",
    "Page",
    "Point",
    "Proposal",
    "QueryRequest",
    "QueryResult",
    "Question",
    "RememberRequest",
    "RememberResult",
    "Run",
    "RunRequest",
    "RunStage",
    "Series",
    "StageOptions",
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
class NameUse:
    """What an entity is called, and how many live memories call it so: none of a name that only former revisions use."""

    name: str
    uses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDetail(Entity):
    """An entity looked at by itself. `names` are its aliases with their uses; `merged_entities` are `merged` by their own names."""

    names: tuple[NameUse, ...]
    merged_entities: tuple[EntityRef, ...]


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
    """The part of the graph around an entity (id or name): `depth` steps, at most `limit` entities (at most 500).

    `include_superseded` takes relations too that have ended; not with as_of, which asks for one instant.
    """

    entity: str
    dataset: str = DEFAULT_DATASET
    depth: int = 1
    limit: int = 100
    as_of: str | int | None = None
    known_at: str | int | None = None
    include_superseded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Entities and the relations between them; `truncated` if the limit left some out."""

    entities: tuple[Entity, ...]
    relations: tuple[Statement, ...]
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Two entities that may be one, each by its own name. status: open, accepted, refused, undone (its merge was taken back)."""

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
    """Everything there is to know of one revision of a memory. `vector` says size, windows and model, not the numbers.

    truncated: which of the lists have more than is shown.
    """

    memory: Memory
    vector: Mapping[str, Any]
    terms: tuple[str, ...]
    questions: tuple[Question, ...]
    edges: tuple[Edge, ...]
    entities: tuple[Mention, ...]
    statements: tuple[Statement, ...]
    versions: tuple[Revision, ...]  # newest first, the current one included
    runs: tuple[Run, ...]  # of this memory, newest first
    truncated: tuple[str, ...] = ()


# -- runs ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class RunStage:
    """One stage of a run. `output` is there where it was asked for; `does` says in a sentence what the stage does.

    calls: how many model calls of it are on record; inference_ids: the first of them, at most 200, in a listing at most 20.
    """

    name: str
    does: str
    status: str
    error: str | None
    started_at: int | None
    finished_at: int | None
    calls: int
    inference_ids: tuple[str, ...]
    output: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of an operation.

    state: waiting running retrying succeeded failed quarantined cancelled superseded (of a query: running succeeded failed).
    memory_id: whose derivation it is. document_id, title, progress: of a remember; progress is chunks, read, stored. question, session,
    answer, answered_by: of a query. calls: how many model calls it has made; input_tokens, output_tokens, cost: what they came
    to, as far as they say; None if none says. parameters: what was asked for. flags: what an operator should look at though the
    run succeeded (`failed_stage`, `answer_without_citation`, ..). created_at: when it was asked for; started_at: when its first stage began.
    is_hidden: answer, outputs and what errors say are left out, because a memory that it is of or rests on is forgotten.
    """

    run_id: str
    operation: Operation
    dataset: str
    status: str
    state: str
    error: str | None
    attempts: int
    next_attempt_at: int | None
    created_at: int
    started_at: int | None
    finished_at: int | None
    has_failed_stage: bool
    stages: tuple[RunStage, ...]
    memory_id: str | None = None
    document_id: str | None = None
    title: str | None = None
    progress: Mapping[str, int | None] | None = None
    question: str | None = None
    session: str | None = None
    answer: str | None = None
    answered_by: str | None = None
    user: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    flags: tuple[str, ...] = ()
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """Which runs to list, newest first; `memory_id` is for derivations, `document_id` for remember, `session` for queries."""

    dataset: str | None = None
    status: str | None = None
    state: str | None = None
    stage: str | None = None
    stage_status: str | None = None
    text: str | None = None
    memory_id: str | None = None
    document_id: str | None = None
    session: str | None = None
    created_from: str | int | None = None
    created_to: str | int | None = None
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """One model call as it is on record. is_hidden: prompt, output and what the error says are left out, of what is forgotten."""

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
    is_hidden: bool = False


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


# -- remember and query -------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class StageOptions:
    """What a call asks of a stage that runs a model: another model than the configured one, how much to reason."""

    model: str | None = None
    reasoning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """A document to read: exactly one of `text`, `data` (a file's bytes, with `name` and `content_type` where known) and `url`.

    document_id: of a document that is there: this is its new version. Without one it is made from the content. occurred_at: when the
    document says what it says; now, if unset. options: by stage. web_search, fetch_series: whether those stages run.
    """

    text: str | None = None
    data: bytes | None = None
    url: str | None = None
    name: str | None = None
    content_type: str | None = None
    dataset: str = DEFAULT_DATASET
    document_id: str | None = None
    session: str | None = None
    agent: str | None = None
    occurred_at: str | int | None = None
    metadata: Mapping[str, Any] | None = None
    options: Mapping[str, Mapping[str, Any]] | None = None
    web_search: bool = False
    fetch_series: bool = False
    request_id: str | None = None
    wait: Literal["ack", "derived"] = "ack"


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberResult:
    """The ack of a remember: document and run are durable. `run` and what follows are there with wait=derived.

    status: of the run then; `started` if the drain window was over first.
    """

    remember_run_id: str
    document_id: str
    lsn: int
    was_replayed: bool
    status: str = "started"
    run: Run | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A remembered document. `remember_run_id`: the run whose texts it has now; None until its first chunks are kept."""

    document_id: str
    dataset: str
    title: str | None
    kind: str | None
    name: str | None
    url: str | None
    characters: int | None
    chunks: int
    remember_run_id: str | None
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A text of a document's version. origin: chunk, web or series. start, end, headings: of a chunk in the document."""

    memory_id: str
    origin: str
    position: int
    state: str
    text: str
    start: int | None
    end: int | None
    headings: tuple[str, ...]
    source: str | None
    summary: str | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRequest:
    """A question. options: by stage. stream: hand out the answer while it is made (see `Engine.query_stream`)."""

    question: str
    dataset: str = DEFAULT_DATASET
    session: str | None = None
    as_of: str | int | None = None
    limit: int | None = None
    filters: Filters = field(default_factory=Filters)
    options: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What a place `[n]` of an answer rests on. `quote` is verbatim of the memory's text.

    agent, session, document_id, occurred_at: who said it, where and when. source: a web text's address. trust: user, web or
    derived. flags: `instructions` for a memory that reads like an order to a model.
    """

    n: int
    memory_id: str
    quote: str
    statement_id: str | None = None
    agent: str | None = None
    session: str | None = None
    document_id: str | None = None
    occurred_at: int | None = None
    source: str | None = None
    trust: str = "user"
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """An answer. answered_by: llm, extractive (the best sentences and statements, put together), or none (nothing was found).

    removed: citations that could not be checked and were taken out. places: coordinates the question was understood to mean.
    """

    answer: str
    answered_by: Literal["llm", "extractive", "none"]
    citations: tuple[Citation, ...]
    query_run_id: str
    removed: tuple[Mapping[str, Any], ...] = ()
    places: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """A piece of a streamed answer: `text` as it is made (not checked yet), then one with the checked `result`."""

    text: str = ""
    result: QueryResult | None = None


# -- series, places, pictures -------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A named run of points with a unit."""

    series_id: str
    dataset: str
    entity: EntityRef | None
    name: str
    unit: str | None
    points: int
    first_at: int
    last_at: int
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A point: [at, until) or an instant. `was`: values recorded for its time before, the latest first."""

    at: int
    until: int | None
    value: float
    written: str | None
    memory_id: str | None
    source: str | None
    source_url: str | None
    recorded_at: int
    was: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place with what is there: an entity, or a memory that says where it is about."""

    name: str
    country: str | None
    region: str | None
    lat: float
    lon: float
    source: str
    confident: bool
    entity: EntityRef | None
    memory_ids: tuple[str, ...]  # of the memory, or the newest that name the entity


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPlace(Place):
    """A place within the distance asked for."""

    km: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRequest:
    """A picture to keep."""

    data: bytes
    name: str | None = None
    caption: str | None = None
    dataset: str = DEFAULT_DATASET
    agent: str | None = None
    session: str | None = None
    occurred_at: str | int | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture that is kept. notes: what was left out and why (no text reader installed, no position in it ..)."""

    image_id: str
    dataset: str
    memory_id: str
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
    was_deduplicated: bool = False
