"""ENCODE: the stages a write waits for, and the two ways in: one text, or many with an outcome each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mindlog.encode.batch import BatchGate
from mindlog.encode.embed import embed
from mindlog.encode.job import EncodeJob, EncodeTools
from mindlog.encode.persist import new_memory, persist, reserve
from mindlog.encode.validate import validate
from mindlog.errors import MindlogError
from mindlog.pipeline import UNOBSERVED, Observer, Stage, Steps, run
from mindlog.records import EncodeRequest, NewMemory, Persisted

__all__ = ["ENCODE", "encode", "encode_batch", "prepare"]

PREPARE: Steps[EncodeJob] = (
    Stage("validate", validate),
    Stage("embed", embed),
    Stage("reserve", reserve),
)
ENCODE: Steps[EncodeJob] = (*PREPARE, Stage("persist", persist))


async def encode(request: EncodeRequest, tools: EncodeTools, observer: Observer) -> Persisted:
    """Run one write; returns when it is committed and fsynced, or was already there."""
    job = EncodeJob(request=request, tools=tools, sink=tools.store)
    await run(ENCODE, job, observer)
    assert job.result is not None  # ENCODE ends with a result or an error
    return job.result


async def prepare(
    request: EncodeRequest, tools: EncodeTools, observer: Observer = UNOBSERVED, *, slot: int | None = None
) -> NewMemory | Persisted:
    """Run one write up to its commit, for whoever commits it together with something else; or return what is there already.

    slot: one that was reserved for it, so that memories prepared side by side are in order.
    """
    job = EncodeJob(request=request, tools=tools, sink=tools.store, slot=slot)
    await run(PREPARE, job, observer)
    return new_memory(job) if job.result is None else job.result


async def encode_batch(
    requests: Sequence[EncodeRequest], tools: EncodeTools, observer: Observer
) -> list[Persisted | MindlogError]:
    """Run many writes, each through ENCODE, into as few commits as can be; a bad one fails alone. Order is kept."""
    gate = BatchGate(tools.store, len(requests))
    jobs = [
        EncodeJob(request=request, tools=tools, sink=gate.ticket(index), slot=tools.store.reserve())
        for index, request in enumerate(requests)
    ]
    return list(await asyncio.gather(*(_one_of_batch(job, gate, observer) for job in jobs)))


async def _one_of_batch(job: EncodeJob, gate: BatchGate, observer: Observer) -> Persisted | MindlogError:
    try:
        await run(ENCODE, job, observer)
    except MindlogError as exc:
        return exc
    finally:
        gate.leave(job.sink)
    assert job.result is not None  # ENCODE ends with a result or an error
    return job.result
