"""What a text is to be read with: whom the memories before it named, what it only repeats, and the names the dataset has.

Read from indexes and store in one go, in a thread. Owns the bounds of how far is looked; knows no tier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindlog.derive.edges import before_in_session
from mindlog.knowledge.extract.quotes import quoted_spans
from mindlog.knowledge.extraction import EntityKind, Mention, Span, Tier, merged_spans
from mindlog.knowledge.known import known_names, words_of
from mindlog.knowledge.pronouns import PRONOUNS
from mindlog.records import MemoryState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mindlog.derive.job import DeriveJob
    from mindlog.ids import MemoryId
    from mindlog.index.base import Candidates
    from mindlog.records import Memory
    from mindlog.store.base import Store
    from mindlog.store.graphrows import EntityRow

__all__ = ["Context", "look_around"]

_BEFORE = 5  # memories before this one whose people "she" can be
_RECENT = 100  # of a writer's memories outside sessions, the latest written; the five that happened last are among them
_QUOTED = 20  # memories quoted by those that are near
_ECHO = 0.6  # cosine: less near, two texts do not quote the same at some length
_QUOTED_CHARS = 20_000  # of each memory that may be quoted

# The names chat formats give the side that is no person.
_MACHINES = frozenset({"assistant", "system", "ai", "bot", "agent", "model"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What surrounds one text.

    before: the memories before it, the latest first; none if the text points at nobody. named: by slot whom and what those
    of them name that have been read already, the last first. quoted: stretches that repeat earlier memories; references:
    those memories. known: names of the dataset that stand in the text.
    """

    before: tuple[Memory, ...]
    named: dict[int, tuple[Mention, ...]]
    quoted: tuple[Span, ...]
    references: tuple[MemoryId, ...]
    known: dict[str, EntityKind]


def look_around(job: DeriveJob, near: Candidates) -> Context:
    """Read what surrounds the memory; `near` are those nearest in meaning."""
    view, store, number = job.place.view, job.tools.store, job.dataset.number
    words = words_of(job.memory.text)
    rows = _rows_before(job)
    slots = [int(slot) for slot in view.slot[rows]]
    # Only what was written earlier can be quoted: of two equal sentences one must stay somebody's own.
    written = np.concatenate([near.rows, rows[view.lsn[rows] < job.run.id]])
    echoes = [int(slot) for slot in view.slot[near.rows[near.scores >= _ECHO]]]
    quotable = dict.fromkeys([*(int(slot) for slot in view.slot[written]), *_quoted_by(store, echoes)])
    found = _live(store, list(dict.fromkeys([*slots, *quotable])))
    quotes = _quotes(job.memory.text, job.memory.agent, [found[slot] for slot in quotable if slot in found])
    if job.tools.llm is None and PRONOUNS.isdisjoint(map(str.lower, words)):
        slots.clear()  # nobody asks whom they named
    return Context(
        before=tuple(found[slot] for slot in slots if slot in found),
        named=_named(store, number, slots),
        quoted=merged_spans(span for spans in quotes.values() for span in spans),
        references=tuple(quotes),
        known=known_names(store, number, words),
    )


def _rows_before(job: DeriveJob) -> NDArray[np.int64]:
    """Return the rows before it in its session or, outside of any, those its writer wrote outside of any."""
    rows = before_in_session(job, _BEFORE)
    if job.memory.session is not None:
        return rows
    view, row = job.place.view, job.place.row
    written = view.mask(job.dataset.number)
    written &= (view.agent == view.agent[row]) & (view.session < 0) & (view.lsn < job.run.id)
    written &= view.occurred_at <= job.memory.occurred_at
    rows = np.flatnonzero(written)[-_RECENT:]
    return rows[np.lexsort((view.slot[rows], view.occurred_at[rows]))[::-1][:_BEFORE]]


def _quoted_by(store: Store, slots: Sequence[int]) -> list[int]:
    """Return what the memories quote: of many echoes the nearest may all be echoes, and what they echo is not among them."""
    edges = store.edges(slots) if slots else []
    known = set(slots)
    return [edge.target for edge in edges if edge.kind == "references" and edge.source in known][:_QUOTED]


def _live(store: Store, slots: Sequence[int]) -> dict[int, Memory]:
    return {memory.id.slot: memory for memory in store.memories(slots) if memory.state is MemoryState.LIVE}


def _quotes(text: str, agent: str | None, memories: Sequence[Memory]) -> dict[MemoryId, tuple[Span, ...]]:
    """Return what the text repeats of each memory.

    Somebody who says a whole text again says the same, and that is evidence; only a machine repeats what others said.
    """
    said, is_machine = text.strip(), (agent or "").casefold() in _MACHINES
    quotes = {
        memory.id: quoted_spans(text, [memory.text[:_QUOTED_CHARS]])
        for memory in memories
        if memory.text.strip() != said or (is_machine and memory.agent != agent)
    }
    return {memory_id: spans for memory_id, spans in quotes.items() if spans}


def _named(store: Store, dataset: int, slots: Sequence[int]) -> dict[int, tuple[Mention, ...]]:
    """Return whom and what the memories name as far as their own extraction has found it."""
    mentions = store.mentions(slots) if slots else {}
    ids = dict.fromkeys(mention.entity for found in mentions.values() for mention in found)
    entities = {row.id: row for row in store.entities(dataset, list(ids))} if ids else {}
    return {
        slot: tuple(
            _mention(entities[mention.entity], Span(mention.start, mention.end))
            for mention in sorted(found, key=lambda mention: -mention.start)
            if mention.entity in entities
        )
        for slot, found in mentions.items()
        if found
    }


def _mention(entity: EntityRow, span: Span) -> Mention:
    return Mention(name=entity.name, kind=EntityKind(entity.kind), spans=(span,), confidence=0.9, tier=Tier.PATTERN)
