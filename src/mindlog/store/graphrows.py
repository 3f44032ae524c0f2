"""The store's contract for what is derived: edges, terms, questions and the graph, as written and as read. Knows no SQL.

Entities and statements are integers here; the surfaces show them as `ent_..` and `stm_..`. Instants are microseconds UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "EDGE_KINDS",
    "AliasRow",
    "EdgeRow",
    "EntityNames",
    "EntityQuery",
    "EntityRow",
    "EvidenceRow",
    "GraphWrite",
    "GroupTargets",
    "Interval",
    "MemoryEdges",
    "MemoryQuestions",
    "MemoryTerms",
    "MentionRow",
    "Merge",
    "NewEdge",
    "NewEntity",
    "NewStatement",
    "Proposal",
    "ProposalRow",
    "QuestionRow",
    "QuestionsChange",
    "StatementQuery",
    "StatementRow",
    "Timeline",
    "ValidityRow",
]

EDGE_KINDS = (
    "similar_to",
    "followed_by",
    "caused",
    "derived_from",
    "contradicts",
    "supports",
    "references",
    "part_of",
)


# -- what the stages write ----------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class NewEdge:
    """A link from the memory to another slot of its dataset; `reverse`: from the other to the memory, which makes it all the same."""

    target: int
    kind: str
    weight: float
    reverse: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEdges:
    """The edges one stage makes of one memory; they replace those it made of it before, reversed ones too (`edges.maker`).

    A `similar_to` takes the place of one the other way round: of two memories the later one keeps the link.
    A target that is gone, forgotten, of another dataset, or the memory itself is left out and counted (`dangling`, `self_loop`).
    """

    made_by: str
    edges: tuple[NewEdge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTerms:
    """The lexical terms of the memory, in order of the text, each once."""

    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuestions:
    """The questions the memory answers; they replace those it had. vectors: float32 (n, d), unit length. source: llm or template."""

    source: str
    texts: tuple[str, ...]
    vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsChange:
    """A commit has replaced the questions of a memory: what the questions index hears. vectors (n, d), n may be 0."""

    slot: int
    version: int
    vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntity:
    """An entity with an id from `reserve_entities`; its name becomes its first alias."""

    id: int
    name: str
    key: str
    kind: str
    is_speaker: bool = False
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasRow:
    """A name that the memory calls an entity by, known or not: it is shown while a memory that uses it is not forgotten."""

    entity: int
    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionRow:
    """Where the memory names an entity: characters [start, end)."""

    entity: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStatement:
    """A statement with an id from `reserve_statements`. Either `object` or `value`."""

    id: int
    subject: int
    predicate: str
    family: str
    object: int | None
    value: str | None
    value_key: str
    value_type: str | None
    text: str  # as a sentence: "Anna lives in Berlin"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow:
    """The words of one memory a statement rests on."""

    statement: int
    slot: int
    version: int
    start: int
    end: int
    confidence: float
    tier: str
    asserted_at: int
    valid_from: int | None = None
    valid_to: int | None = None
    time_phrase: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """When a statement holds in the world: [valid_from, valid_to), None is open."""

    valid_from: int | None
    valid_to: int | None
    superseded_by: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """What is believed of a group (subject root, family) from now on, whole.

    intervals: of every statement of the group (an empty tuple: it is believed no longer). The store closes the current
    validities that are not in it and opens those that are new, both at the transaction's moment; equal ones stay.
    Statements of the group that are not named keep what is believed of them.
    contradictions: pairs of statement ids; they replace those of the statements named. events: statements to tell the log of, as
    (type, statement), type statement_added, statement_superseded, statement_contradicted or statement_retracted.
    """

    subject: int
    family: str
    intervals: Mapping[int, tuple[Interval, ...]]
    contradictions: tuple[tuple[int, int], ...] = ()
    events: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Two entities that may be one, lower id first. One that is there already, decided or not, stays as it is."""

    entity: int
    other: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """A new entity that is one with a known one, by a merge like any other; nothing if the two are one already."""

    entity: int
    into: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphWrite:
    """What one memory adds to the graph, or what a group's new timeline is, whole: applied in one transaction.

    slot, version: the memory; its mentions and evidence are replaced by those given. None for a write that is about timelines alone.
    Statements that are left without any evidence row are deleted (of this memory's former ones), with their validities.
    settled: stale groups (subject, family) that this write has reconciled: their rows are taken away if their lsn is <= the given one.
    """

    dataset: int
    slot: int | None = None
    version: int | None = None
    entities: tuple[NewEntity, ...] = ()
    aliases: tuple[AliasRow, ...] = ()
    mentions: tuple[MentionRow, ...] = ()
    statements: tuple[NewStatement, ...] = ()
    evidence: tuple[EvidenceRow, ...] = ()
    timelines: tuple[Timeline, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    merges: tuple[Merge, ...] = ()
    edges: tuple[NewEdge, ...] = ()  # from the memory, made_by 'extractor'
    settled: tuple[tuple[int, str, int], ...] = ()


# -- what is read -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeRow:
    """A link between two memories that are both live."""

    source: int
    target: int
    kind: str
    weight: float
    made_by: str
    created_at: int
    lsn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """A hypothetical question of the memory's current revision."""

    id: int
    slot: int
    version: int
    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRow:
    """An entity under its root: `id` is the root's, names and counts are those of everything merged into it.

    Names are those that a revision of a memory that is not forgotten uses; `name` is the first of `aliases`. Counts are over
    live memories only; an entity that no live memory names or has a statement about is not there.
    """

    id: int
    dataset: int
    name: str
    kind: str
    is_speaker: bool
    aliases: tuple[str, ...]
    merged: tuple[int, ...]  # entities merged into it
    mentions: int  # memories that name it
    statements: int
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityNames:
    """What an entity and all that is one with it are called.

    uses: by name how many live memories call it so in their current revisions; own: by id the first name of each part.
    """

    uses: Mapping[str, int]
    own: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityRow:
    """A belief: when it held in the world and when the store held it."""

    valid_from: int | None
    valid_to: int | None
    superseded_by: int | None
    recorded_at: int
    invalidated_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRow:
    """A statement that rests on at least one memory that is not forgotten. Entities are given by their roots."""

    id: int
    dataset: int
    subject: int
    subject_name: str
    predicate: str
    family: str
    object: int | None
    object_name: str | None
    value: str | None
    value_key: str
    value_type: str | None
    text: str
    created_at: int
    validities: tuple[ValidityRow, ...]  # those that match the query's instants, or the current ones
    evidence: tuple[EvidenceRow, ...]  # of live memories, newest first, those of the query's `slot` before; at most 50
    evidence_count: int
    contradicts: tuple[int, ...] = field(default_factory=tuple)

    @property
    def confidence(self) -> float:
        """The highest of its evidence."""
        return max((each.confidence for each in self.evidence), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityQuery:
    """Which entities to list, by rising id above `after_id`. key: the folded name as a prefix of any alias.

    count_limit: count mentions and statements no further; None counts them all, which takes long for what is named often.
    """

    dataset: int
    key: str | None = None
    kind: str | None = None
    limit: int = 50
    after_id: int = 0
    count_limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTargets:
    """What of a group to read: statements whose object is one of these entities (by root), or whose value has one of these keys."""

    objects: tuple[int, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementQuery:
    """Which statements to list, newest first, below `before_id`.

    as_of: valid in the world at that instant; known_at: as the store believed at that instant (and, with `current` True and
    without as_of, valid then); without either, and with `current` True, what is believed and valid now (at `now`). `current`
    False takes superseded ones too (not with as_of). What is believed now rests on live evidence; with known_at the evidence of
    former revisions counts and is shown too. slot: what the memory's current revision carries, its own evidence first; with known_at, any
    revision.
    subjects, objects, either: any ids of an entity, its own or its root's.
    """

    dataset: int
    now: int
    subjects: tuple[int, ...] = ()
    objects: tuple[int, ...] = ()
    either: tuple[int, ...] = ()  # subject or object
    predicate: str | None = None
    slot: int | None = None
    ids: tuple[int, ...] = ()
    text: str | None = None
    as_of: int | None = None
    known_at: int | None = None
    current: bool = True
    limit: int = 50
    before_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRow:
    """A merge proposal. status: open, accepted, refused, undone (its merge was taken back). The names are each end's own."""

    id: int
    dataset: int
    entity: int
    entity_name: str
    other: int
    other_name: str
    score: float
    reason: str
    status: str
    created_at: int
    decided_at: int | None
