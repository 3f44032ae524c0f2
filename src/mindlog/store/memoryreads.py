"""Reads of what was derived from memories, on a connection: links, mentions, terms, questions, dates. Knows no pool."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from heapq import nlargest

import apsw
import numpy as np
from numpy.typing import NDArray

from mindlog.store.connect import fetch
from mindlog.store.entityreads import groups
from mindlog.store.graphrows import EdgeRow, MentionRow, QuestionRow
from mindlog.store.queries import q
from mindlog.store.rows import vectors_from

__all__ = ["edges", "entity_vectors", "mention_slots", "mentions", "question_vectors", "questions", "terms"]


def edges(connection: apsw.Connection, slots: Sequence[int], limit: int) -> list[EdgeRow]:
    """Return the links of the memories, strongest first."""
    ids = _json(slots)
    return [
        EdgeRow(source=source, target=target, kind=kind, weight=weight, made_by=made_by, created_at=created_at, lsn=lsn)
        for source, target, kind, weight, made_by, created_at, lsn in fetch(
            connection, q.edges_among, (ids, ids, limit)
        )
    ]


def mentions(connection: apsw.Connection, slots: Sequence[int]) -> dict[int, list[MentionRow]]:
    """Return where the memories name entities, by slot, in the order of the text."""
    found: dict[int, list[MentionRow]] = {}
    for slot, root, start, end in fetch(connection, q.mentions_in, (_json(slots),)):
        found.setdefault(slot, []).append(MentionRow(entity=root, start=start, end=end))
    return found


def mention_slots(
    connection: apsw.Connection, dataset: int, entities: Sequence[int], limit: int
) -> list[tuple[int, int]]:
    """Return by root the newest memories that name the entities."""
    found: list[tuple[int, int]] = []
    for root, members in groups(connection, dataset, entities).items():
        slots = {slot for each in members for (slot,) in fetch(connection, q.mention_slots, (each, limit))}
        found += [(root, slot) for slot in nlargest(limit, slots)]
    return found


def terms(connection: apsw.Connection, slot: int) -> tuple[str, ...]:
    """Return the terms of a memory."""
    return tuple(term for (text,) in fetch(connection, q.read_terms, (slot,)) for term in json.loads(text))


def questions(connection: apsw.Connection, slots: Sequence[int]) -> list[QuestionRow]:
    """Return the questions of the memories, by rising slot."""
    return [
        QuestionRow(id=number, slot=slot, version=version, text=text, source=source)
        for number, slot, version, text, source in fetch(connection, q.read_questions, (_json(slots),))
    ]


def question_vectors(
    connection: apsw.Connection, after_id: int, limit: int, model: int, dimensions: int
) -> list[tuple[int, int, int, NDArray[np.float32]]]:
    """Return (id, slot, version, vector) of questions by rising id."""
    return [
        (number, slot, version, vectors_from(vector, dimensions)[0])
        for number, slot, version, vector in fetch(connection, q.question_vectors, (after_id, model, limit))
    ]


def entity_vectors(
    connection: apsw.Connection, dataset: int, after_id: int, dimensions: int, limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return ids and name vectors of entities by rising id."""
    found = fetch(connection, q.entity_vectors, (dataset, after_id, limit))
    ids = np.array([number for number, _ in found], dtype=np.int64)
    blob = b"".join(vector for _, vector in found)
    return ids, vectors_from(blob, dimensions) if found else np.empty((0, dimensions), np.float32)


def _json(values: Iterable[int]) -> str:
    return json.dumps(list(values))
