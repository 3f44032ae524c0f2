"""RECALL: the steps from a cue to its hits, and the entry function. The first runs on the loop, the rest in one thread."""

from __future__ import annotations

import asyncio

from mindlog.clock import check_instant
from mindlog.errors import InvalidInput
from mindlog.ids import MemoryId
from mindlog.pipeline import UNOBSERVED, Fanout, Observer, Stage, Steps, Timeline, names, run, run_here
from mindlog.recall.features import measure, measure_tokens
from mindlog.recall.fuse import fuse
from mindlog.recall.graph import search_graph
from mindlog.recall.hits import read_hits
from mindlog.recall.job import RecallJob, RecallTools
from mindlog.recall.lanes import (
    gather,
    narrow,
    read,
    search_lexical,
    search_questions,
    search_semantic,
    search_time,
)
from mindlog.recall.trace import explanations, trace_of
from mindlog.records import Dataset, RecallRequest, RecallResult

__all__ = ["MAX_CUE_BYTES", "RECALL", "check_cue", "find", "recall"]

MAX_CUE_BYTES = 10_240
MAX_BUDGET_TOKENS = 1_000_000
MAX_EXPLAINED = 100


async def embed_cue(job: RecallJob) -> None:
    """Embed the cue."""
    (job.embedding,) = await job.tools.embedder.embed([job.request.cue], kind="query")


EMBED: Steps[RecallJob] = (Stage("embed", embed_cue),)
SEARCH: Steps[RecallJob] = (
    Stage("read", read),
    Stage("narrow", narrow),
    Stage("semantic", search_semantic),
    Stage("lexical", search_lexical),
    Stage("questions", search_questions),
    Stage("graph", search_graph),
    Stage("time", search_time),
    Stage("gather", gather),
    Stage("measure", measure),
    Stage("tokens", measure_tokens),
    Stage("fuse", fuse),
    Stage("hits", read_hits),
)
RECALL: Steps[RecallJob] = EMBED + SEARCH


async def recall(request: RecallRequest, dataset: Dataset, tools: RecallTools, observer: Observer) -> RecallResult:
    """Find the memories a cue is about. Raises `InvalidInput` for a cue, budget or id that is out of bounds."""
    timeline = Timeline(names(RECALL)) if request.trace else None
    told = observer if timeline is None else Fanout(observer, timeline)
    job = await find(request, dataset, tools, told)
    trace = None
    if timeline is not None:
        trace = await asyncio.to_thread(trace_of, job, timeline)
    elif request.explain_ids:
        trace = await asyncio.to_thread(explanations, job)
    assert job.time is not None
    return RecallResult(hits=job.hits, context=job.context, trace=trace, time=job.time.told())


async def find(
    request: RecallRequest, dataset: Dataset, tools: RecallTools, observer: Observer = UNOBSERVED
) -> RecallJob:
    """Run RECALL; the job has the hits and how each lane came to them. Raises what `recall` raises."""
    _check(request)
    job = RecallJob(request=request, dataset=dataset, tools=tools)
    await run(EMBED, job, observer)
    await asyncio.to_thread(run_here, SEARCH, job, observer)
    return job


def check_cue(cue: object, field: str = "cue") -> str:
    """Return the cue, or the question, if it is 1 byte to 10 KiB of valid Unicode and not blank; `InvalidInput` otherwise."""
    if not isinstance(cue, str):
        raise InvalidInput(f"{field}: must be a string", field=field)
    if not cue or cue.isspace():
        raise InvalidInput(f"{field}: must hold at least one character that is not white space", field=field)
    try:
        size = len(cue.encode())
    except UnicodeEncodeError as exc:
        raise InvalidInput(
            f"{field}: lone surrogate at character {exc.start} is not valid Unicode", field=field
        ) from exc
    if size > MAX_CUE_BYTES:
        raise InvalidInput(
            f"{field}: {size} bytes is over the limit of {MAX_CUE_BYTES}", field=field, limit=MAX_CUE_BYTES
        )
    return cue


def _check(request: RecallRequest) -> None:
    check_cue(request.cue)
    if request.as_of is not None:
        check_instant(request.as_of, "as_of")
    if request.budget_tokens is not None and not 1 <= request.budget_tokens <= MAX_BUDGET_TOKENS:
        raise InvalidInput(
            f"budget_tokens: must be 1 to {MAX_BUDGET_TOKENS}", field="budget_tokens", limit=MAX_BUDGET_TOKENS
        )
    if len(request.explain_ids) > MAX_EXPLAINED:
        raise InvalidInput(f"explain_ids: at most {MAX_EXPLAINED}", field="explain_ids", limit=MAX_EXPLAINED)
    for memory_id in request.explain_ids:
        MemoryId.parse(memory_id, "explain_ids")
