"""The store's contract for the graph: entities, statements, edges, questions, terms. Knows no SQL.

Reads see what rests on live memories only: a forget hides its entities and statements at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from mindlog.store.graphrows import (
    EdgeRow,
    EntityNames,
    EntityQuery,
    EntityRow,
    EvidenceRow,
    GraphWrite,
    GroupTargets,
    MentionRow,
    ProposalRow,
    QuestionRow,
    QuestionsChange,
    StatementQuery,
    StatementRow,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["GraphStore"]


class GraphStore(Protocol):
    """The half of a store that holds knowledge."""

    # -- writes -------------------------------------------------------------------------------------------------------
    def reserve_entities(self, count: int) -> range:
        """Hand out entity ids that were never used; from memory."""
        ...

    def reserve_statements(self, count: int) -> range:
        """Hand out statement ids that were never used; from memory."""
        ...

    async def write_graph(self, write: GraphWrite) -> int:
        """Apply a graph write outside a stage (stale groups); returns the last LSN."""
        ...

    async def merge_entities(self, dataset: int, entity: int, into: int, reason: str) -> int:
        """Make one entity of two, reversibly; both groups become stale. `EntityNotFound`, or `InvalidInput` for itself."""
        ...

    async def unmerge_entity(self, dataset: int, entity: int) -> int:
        """Take the last standing merge of the entity back; groups become stale. `EntityNotFound` if it was not merged."""
        ...

    async def decide_proposal(self, proposal: int, status: str) -> ProposalRow:
        """Set a proposal to accepted (merging `other` into `entity` in the same transaction), refused or undone. `NotFound`.

        undone takes the merge of an accepted one back, and an accepted one is undone when its merge is taken back. `Conflict`
        for refusing what is one, and for undoing what was not accepted or what other merges make one.
        """
        ...

    async def put_link(self, dataset: int, source: int, target: int, kind: str, weight: float) -> EdgeRow:
        """Link two live memories by hand (made_by user; event link_added); the same link again changes its weight. `MemoryNotFound`."""
        ...

    async def delete_link(self, dataset: int, source: int, target: int, kind: str) -> bool:
        """Take any link away, whoever made it (event link_removed)."""
        ...

    def on_questions(self, listener: Callable[[Sequence[QuestionsChange]], None]) -> None:
        """Call the listener after every commit of questions and before its acks, on the writer's thread."""
        ...

    # -- reads: graph -------------------------------------------------------------------------------------------------
    def entities_by_key(self, dataset: int, keys: Sequence[str]) -> dict[str, list[EntityRow]]:
        """Return the entities that have one of the keys as an alias, by key; every key is there.

        Those that only a former revision of a memory that is not forgotten calls so are found too: an edit keeps its entities. Counts
        go up to 100, here and in `entities_like`.
        """
        ...

    def entities_like(self, dataset: int, key: str, limit: int) -> list[tuple[EntityRow, float]]:
        """Return entities whose aliases share trigrams with the key, with their Jaccard similarity, best first."""
        ...

    def entity_vectors(
        self, dataset: int, after_id: int = 0, limit: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return ids (own, not roots) and name vectors (n, d) of entities above an id, rising, at most `limit`.

        Of hidden ones too, which a restore may show again: `entities` tells which are there.
        """
        ...

    def entities(self, dataset: int, ids: Sequence[int]) -> list[EntityRow]:
        """Return the roots of the entities, each once, in order."""
        ...

    def entity_names(self, dataset: int, entity: int) -> EntityNames:
        """Return what the entity is called, under its root, by memories that are not forgotten."""
        ...

    def list_entities(self, query: EntityQuery) -> list[EntityRow]:
        """Return a page of entities."""
        ...

    def group(self, dataset: int, subject: int, family: str, about: GroupTargets | None = None) -> list[StatementRow]:
        """Return every statement of the group (subject by root) with ALL its live evidence and its current validities.

        Those without live evidence too, with empty evidence. With `about`, only those of its objects and values.
        """
        ...

    def stale_groups(self, limit: int) -> list[tuple[int, int, str, int]]:
        """Return (dataset, subject root, family, lsn) of groups to be reconciled again."""
        ...

    def statements(self, query: StatementQuery) -> list[StatementRow]:
        """Return a page of statements."""
        ...

    def evidence(self, statement: int, limit: int, after: tuple[int, int, int] | None = None) -> list[EvidenceRow]:
        """Return a statement's live evidence, newest memory first, below the (slot, start, end) of the last page's last row."""
        ...

    def has_knowledge(self, slot: int) -> bool:
        """Say whether any revision of the memory has mentions or evidence on record."""
        ...

    def mentions(self, slots: Sequence[int]) -> dict[int, list[MentionRow]]:
        """Return where the memories' current revisions name entities (roots), by slot."""
        ...

    def mention_slots(self, dataset: int, entities: Sequence[int], limit: int) -> list[tuple[int, int]]:
        """Return (entity root, slot) of live memories that name the entities, newest slot first, `limit` for each entity."""
        ...

    def evidence_in_time(self, dataset: int, start: int, end: int, limit: int) -> list[tuple[int, int]]:
        """Return (slot, statement) of live evidence whose own dates meet [start, end), newest first."""
        ...

    def names_apart(self, dataset: int, keys: Sequence[str]) -> set[int]:
        """Return the roots of what a person has told apart from what has one of the keys among its names, hidden or not.

        By taking a merge back or refusing a proposal, of them or of what is one with either; not of what was made one again.
        """
        ...

    def proposals(
        self, dataset: int, status: str | None, limit: int, before_id: int | None = None
    ) -> list[ProposalRow]:
        """Return merge proposals, newest first."""
        ...

    # -- reads: memories ----------------------------------------------------------------------------------------------
    def edges(self, slots: Sequence[int], limit: int = 1000) -> list[EdgeRow]:
        """Return the links from or to the memories, both ends live, strongest first."""
        ...

    def terms(self, slot: int) -> tuple[str, ...]:
        """Return the recorded terms of the current revision."""
        ...

    def questions(self, slots: Sequence[int]) -> list[QuestionRow]:
        """Return the questions of the memories' current revisions."""
        ...

    def question_vectors(self, after_id: int, limit: int) -> list[tuple[int, int, int, NDArray[np.float32]]]:
        """Return (question id, slot, version, vector) by rising id above one: what the questions index is built from."""
        ...
