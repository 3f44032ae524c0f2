"""Keeps one text of a run as a memory, through encode: as a new one, as the next revision of one, or as the one that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mindlog.encode.pipeline import prepare
from mindlog.errors import MemoryNotFound, RevisionGone, VersionConflict
from mindlog.records import EncodeRequest, MemoryEdit, MemoryKind, NewMemory
from mindlog.remember.job import TextJob, Trust
from mindlog.store.documentrows import KeptText, NewText, TextKey, TextRow

if TYPE_CHECKING:
    from mindlog.ids import MemoryId
    from mindlog.remember.job import RememberJob

__all__ = ["Keeping", "add_text", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """A text and how it is kept. adopts: the text of an older run whose memory it is. revises: the memory it is the next revision of."""

    text: NewText
    words: str
    adopts: TextRow | None = None
    revises: MemoryId | None = None
    agent: str | None = None
    kind: MemoryKind = MemoryKind.SEMANTIC
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def how(self) -> str:
        """What is done, in a word of the stage's output."""
        return "adopted" if self.adopts is not None else "created" if self.revises is None else "revised"


async def keep(job: RememberJob, keeping: Keeping, slot: int | None = None) -> KeptText:
    """Keep the text; returns after the commit. A text of the run that is there already stays as it is."""
    store, owner, text = job.tools.store, job.owner, keeping.text
    if keeping.adopts is not None:
        try:
            return await store.adopt_text(owner, keeping.adopts.memory_id, text, keeping.adopts.key)
        except RevisionGone:
            pass  # somebody has changed it meanwhile: then it is theirs
    memory = await prepare(_request(job, keeping), job.tools.encode, slot=slot)
    assert isinstance(memory, NewMemory)  # it may be a duplicate, so nothing is there already
    if keeping.revises is not None:
        try:
            return await store.revise_text(owner, _edit(keeping.revises, memory), text)
        except (VersionConflict, MemoryNotFound):
            pass  # somebody has changed it meanwhile: then it is theirs
    return await store.keep_text(owner, memory, text)


def _request(job: RememberJob, keeping: Keeping) -> EncodeRequest:
    is_chunk = keeping.text.key.origin == "chunk"
    return EncodeRequest(
        text=keeping.words,
        dataset=job.dataset.name,
        agent=job.agent if is_chunk else keeping.agent,
        session=job.session,
        occurred_at=job.occurred_at,
        kind=keeping.kind.value,
        metadata=job.metadata if is_chunk else keeping.metadata,
        document_id=job.run.document_id,
        allow_duplicates=True,
    )


def _edit(base: MemoryId, memory: NewMemory) -> MemoryEdit:
    assert memory.occurred_at is not None  # the request names it
    return MemoryEdit(
        base=base,
        text=memory.text,
        fingerprint=memory.fingerprint,
        dedup_key=None,
        kind=memory.kind,
        salience=memory.salience,
        occurred_at=memory.occurred_at,
        metadata=memory.metadata,
        vectors=memory.vectors,
        states=memory.states,
    )


async def add_text(
    job: RememberJob,
    origin: str,
    position: int,
    words: str,
    *,
    agent: str | None,
    trust: Trust,
    source: str | None = None,
    kind: MemoryKind = MemoryKind.SEMANTIC,
    metadata: Mapping[str, Any] | None = None,
    revises: MemoryId | None = None,
    adopts: TextRow | None = None,
) -> TextJob:
    """Keep a text that is no piece of the document, and return it ready to be read and reconciled."""
    text = NewText(key=TextKey(run=job.run.id, origin=origin, position=position), source=source)
    keeping = Keeping(
        text=text,
        words=words,
        revises=revises,
        adopts=adopts,
        agent=agent,
        kind=kind,
        metadata={**(metadata or {}), "trust": trust},
    )
    kept = await keep(job, keeping)
    return TextJob(
        job=job,
        key=text.key,
        memory_id=kept.memory_id,
        state=kept.state,
        own_text=words,
        agent=agent,
        trust=trust,
        is_whole=True,
    )
