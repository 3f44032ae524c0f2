"""RECALL: the steps from a cue to its hits, and the entry function. The first runs on the loop, the rest in one thread."""

from __future__ import annotations

import asyncio

from mindlog.clock import check_instant
from mindlog.errors import InvalidInput
from mindlog.ids import MemoryId
from mindlog.pipeline import Fanout, Observer, Stage, Steps, Timeline, names, run, run_here
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

__all__ = ["RECALL", "recall"]

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
    _check(request)
    job = RecallJob(request=request, dataset=dataset, tools=tools)
    timeline = Timeline(names(RECALL)) if request.trace else None
    told = observer if timeline is None else Fanout(observer, timeline)
    await run(EMBED, job, told)
    await asyncio.to_thread(run_here, SEARCH, job, told)
    trace = None
    if timeline is not None:
        trace = await asyncio.to_thread(trace_of, job, timeline)
    elif request.explain_ids:
        trace = await asyncio.to_thread(explanations, job)
    assert job.time is not None
    return RecallResult(hits=job.hits, context=job.context, trace=trace, time=job.time.told())


def _check(request: RecallRequest) -> None:
    cue = request.cue
    if not isinstance(cue, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("cue: must be a string", field="cue")
    if not cue or cue.isspace():
        raise InvalidInput("cue: must hold at least one character that is not white space", field="cue")
    try:
        size = len(cue.encode())
    except UnicodeEncodeError as exc:
        raise InvalidInput(f"cue: lone surrogate at character {exc.start} is not valid Unicode", field="cue") from exc
    if size > MAX_CUE_BYTES:
        raise InvalidInput(f"cue: {size} bytes is over the limit of {MAX_CUE_BYTES}", field="cue", limit=MAX_CUE_BYTES)
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
