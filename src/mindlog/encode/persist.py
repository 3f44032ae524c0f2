"""The last two stages: take a slot, commit. What comes back is what the store says happened."""

from __future__ import annotations

from mindlog.encode.job import EncodeJob
from mindlog.records import NewMemory

__all__ = ["new_memory", "persist", "reserve"]


async def reserve(job: EncodeJob) -> None:
    """Take the slot that becomes the memory's id."""
    if job.slot is None:
        job.slot = job.tools.store.reserve()


async def persist(job: EncodeJob) -> None:
    """Commit the memory with everything it owes; returns after fsync."""
    job.result = await job.sink.persist(new_memory(job))


def new_memory(job: EncodeJob) -> NewMemory:
    """Return what is to be committed; reserve has run."""
    request = job.request
    assert job.slot is not None  # reserve has run
    assert job.embedding is not None  # embed has run
    return NewMemory(
        slot=job.slot,
        dataset=request.dataset,
        agent=request.agent,
        session=request.session,
        text=request.text,
        fingerprint=job.fingerprint,
        dedup_key=job.dedup_key,
        kind=job.kind,
        salience=job.salience,
        occurred_at=job.occurred_at,
        metadata=job.metadata,
        document_id=request.document_id,
        vectors=job.embedding.vectors,
        states=job.states,
        request=job.request_key,
    )
