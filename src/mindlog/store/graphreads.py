"""The reads of the store's contract for the graph. Knows no writer.

Each runs in one snapshot: what a page is made from is of one moment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindlog.store import entityreads, memoryreads, statementreads
from mindlog.store.connect import fetch
from mindlog.store.graphrows import (
    EdgeRow,
    EntityNames,
    EntityQuery,
    EntityRow,
    EvidenceRow,
    GroupTargets,
    MentionRow,
    ProposalRow,
    QuestionRow,
    StatementQuery,
    StatementRow,
)
from mindlog.store.queries import q
from mindlog.store.reads import Reads
from mindlog.store.statementquery import moment_of, statement_ids

__all__ = ["GraphReads"]


class GraphReads(Reads):
    """The reading half for knowledge; the methods are those of `GraphStore`."""

    # -- entities -----------------------------------------------------------------------------------------------------
    def entities_by_key(self, dataset: int, keys: Sequence[str]) -> dict[str, list[EntityRow]]:
        """Return the entities that have one of the keys as an alias, by key."""
        with self._snapshot() as connection:
            return entityreads.by_key(connection, dataset, keys)

    def entities_like(self, dataset: int, key: str, limit: int) -> list[tuple[EntityRow, float]]:
        """Return entities whose aliases are spelt like the key, best first."""
        with self._snapshot() as connection:
            return entityreads.alike(connection, dataset, key, limit)

    def entity_vectors(
        self, dataset: int, after_id: int = 0, limit: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return ids and name vectors of entities above an id, rising, at most `limit`."""
        most = -1 if limit is None else limit
        with self._snapshot() as connection:
            return memoryreads.entity_vectors(connection, dataset, after_id, self._known.model.dimensions, most)

    def entities(self, dataset: int, ids: Sequence[int]) -> list[EntityRow]:
        """Return the roots of the entities, each once, in order."""
        with self._snapshot() as connection:
            return entityreads.entities(connection, dataset, ids)

    def entity_names(self, dataset: int, entity: int) -> EntityNames:
        """Return what the entity is called."""
        with self._snapshot() as connection:
            return entityreads.all_names(connection, dataset, entity)

    def list_entities(self, query: EntityQuery) -> list[EntityRow]:
        """Return a page of entities."""
        with self._snapshot() as connection:
            return entityreads.list_page(connection, query)

    def names_apart(self, dataset: int, keys: Sequence[str]) -> set[int]:
        """Return the roots of what a person has told apart from what has one of the names."""
        with self._snapshot() as connection:
            return entityreads.names_apart(connection, dataset, keys)

    def proposals(
        self, dataset: int, status: str | None, limit: int, before_id: int | None = None
    ) -> list[ProposalRow]:
        """Return merge proposals, newest first."""
        before = statementreads.NOW if before_id is None else before_id
        with self._snapshot() as connection:
            return entityreads.proposals(connection, dataset, status, limit, before)

    # -- statements ---------------------------------------------------------------------------------------------------
    def group(self, dataset: int, subject: int, family: str, about: GroupTargets | None = None) -> list[StatementRow]:
        """Return every statement of the group, or those about some targets, with all its live evidence."""
        with self._snapshot() as connection:
            return statementreads.group(connection, dataset, subject, family, about)

    def stale_groups(self, limit: int) -> list[tuple[int, int, str, int]]:
        """Return groups to be reconciled again."""
        with self._snapshot() as connection:
            rows = fetch(connection, q.stale_groups, (limit,))
        return [(dataset, root, family, lsn) for dataset, root, family, lsn in rows]

    def statements(self, query: StatementQuery) -> list[StatementRow]:
        """Return a page of statements."""
        with self._snapshot() as connection:
            found = statement_ids(connection, query)
            return statementreads.statement_rows(connection, found, moment_of(query), query.slot)

    def evidence(self, statement: int, limit: int, after: tuple[int, int, int] | None = None) -> list[EvidenceRow]:
        """Return a page of a statement's live evidence, newest memory first."""
        with self._snapshot() as connection:
            return statementreads.evidence(connection, statement, limit, after)

    def evidence_in_time(self, dataset: int, start: int, end: int, limit: int) -> list[tuple[int, int]]:
        """Return (slot, statement) of live evidence whose own dates meet [start, end), newest first."""
        with self._snapshot() as connection:
            rows = fetch(connection, q.evidence_in_time, (end, start, start, start, dataset, limit))
        return [(slot, statement) for slot, statement in rows]

    # -- memories -----------------------------------------------------------------------------------------------------
    def has_knowledge(self, slot: int) -> bool:
        """Say whether any revision of the memory has mentions or evidence on record."""
        return bool(self._all(q.has_knowledge, (slot, slot))[0][0])

    def mentions(self, slots: Sequence[int]) -> dict[int, list[MentionRow]]:
        """Return where the memories name entities, by slot."""
        with self._snapshot() as connection:
            return memoryreads.mentions(connection, slots)

    def mention_slots(self, dataset: int, entities: Sequence[int], limit: int) -> list[tuple[int, int]]:
        """Return (entity root, slot) of live memories that name the entities, newest first."""
        with self._snapshot() as connection:
            return memoryreads.mention_slots(connection, dataset, entities, limit)

    def edges(self, slots: Sequence[int], limit: int = 1000) -> list[EdgeRow]:
        """Return the links of the memories, strongest first."""
        with self._snapshot() as connection:
            return memoryreads.edges(connection, slots, limit)

    def terms(self, slot: int) -> tuple[str, ...]:
        """Return the recorded terms of the current revision."""
        with self._snapshot() as connection:
            return memoryreads.terms(connection, slot)

    def questions(self, slots: Sequence[int]) -> list[QuestionRow]:
        """Return the questions of the memories' current revisions."""
        with self._snapshot() as connection:
            return memoryreads.questions(connection, slots)

    def question_vectors(self, after_id: int, limit: int) -> list[tuple[int, int, int, NDArray[np.float32]]]:
        """Return (question id, slot, version, vector) by rising id."""
        with self._snapshot() as connection:
            model, dimensions = self._known.model_id, self._known.model.dimensions
            return memoryreads.question_vectors(connection, after_id, limit, model, dimensions)
