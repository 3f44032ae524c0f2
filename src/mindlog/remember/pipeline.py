"""REMEMBER: the stages that turn a document into memories and knowledge, and the entry function. Each is on record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from mindlog.errors import Closed, LeaseLost, StoreError
from mindlog.ids import run_id
from mindlog.models.inference import run_scope
from mindlog.pipeline import ADVISORY, FATAL, UNOBSERVED, Each, Fanout, Observer, Policy, Stage, Steps, run
from mindlog.remember.classify import classify_complexity
from mindlog.remember.cut import chunk_text
from mindlog.remember.enrich import fetch_series, observe_series, resolve_geo, web_search
from mindlog.remember.job import RememberJob, RememberTools, TextJob
from mindlog.remember.read import extract_graph, summarize_chunk
from mindlog.remember.reconcile import RECONCILE, RECONCILE_WHOLE
from mindlog.remember.record import RememberLog
from mindlog.remember.resume import resume
from mindlog.remember.spanning import store_series
from mindlog.runs.attempt import Attempt
from mindlog.store.documentrows import ClaimedRemember
from mindlog.testing.faults import fault

__all__ = ["REMEMBER", "REMEMBER_WHOLE", "remember"]

_NOT_A_STAGE_S_OWN = (StoreError, Closed, LeaseLost)


def _stage(
    name: str,
    work: Callable[[RememberJob], Awaitable[None]],
    policy: Policy = ADVISORY,
    asked: Callable[[RememberJob], bool] = lambda job: True,
) -> Stage[RememberJob]:
    """Return a stage that runs once: not where an earlier attempt has ended it, nor where nobody asked for it."""

    async def at_work(job: RememberJob) -> None:
        fault(f"before_stage:{name}")
        try:
            await work(job)
        except _NOT_A_STAGE_S_OWN as exc:
            job.broken(name, exc)
            raise
        fault(f"in_stage:{name}")

    return Stage(name, at_work, policy=policy, enabled=lambda job: job.wants(name) and asked(job))


def _of_text(
    name: str, work: Callable[[TextJob], Awaitable[None]], enabled: Callable[[TextJob], bool]
) -> Stage[TextJob]:
    """Return a stage of one chunk. When the store takes no more of the run, no other chunk is asked about."""

    async def at_work(text: TextJob) -> None:
        try:
            await work(text)
        except _NOT_A_STAGE_S_OWN as exc:
            text.job.broken(name, exc)
            raise

    return Stage(name, at_work, policy=ADVISORY, enabled=enabled)


def _chunks(job: RememberJob) -> Iterable[TextJob]:
    return job.chunks


READ: Steps[RememberJob] = (
    _stage("classify_complexity", classify_complexity),
    _stage("chunk_text", chunk_text, FATAL),
)
EXTRACT: Each[RememberJob, TextJob] = Each(
    _chunks,
    (
        _of_text(
            "extract_graph",
            extract_graph,
            lambda text: text.wants("kept") or text.told_again("extract_graph", "read", "stored"),
        ),
        _of_text(
            "summarize_chunk",
            summarize_chunk,
            lambda text: (
                len(text.job.chunks) > 1
                and text.wants("read", "stored")
                and (text.needs_summary or text.told_again("summarize_chunk", "read", "stored"))
            ),
        ),
    ),
)
ENRICH: Steps[RememberJob] = (
    _stage("resolve_geo", resolve_geo),
    _stage("web_search", web_search, asked=lambda job: bool(job.run.params.get("web_search"))),
    _stage("fetch_series", fetch_series, asked=lambda job: bool(job.run.params.get("fetch_series"))),
    _stage("observe_series", observe_series),
)

REMEMBER: Steps[RememberJob] = (
    *READ,
    EXTRACT,
    Each(_chunks, RECONCILE),
    _stage("store_series", store_series),
    *ENRICH,
)
"""A document of many chunks: every chunk is read before the first is reconciled, then one after the other."""

REMEMBER_WHOLE: Steps[RememberJob] = (*READ, EXTRACT, Each(_chunks, RECONCILE_WHOLE), *ENRICH)
"""The same of a document of one chunk: `store` commits its series too."""


async def remember(
    claimed: ClaimedRemember, owner: str, tools: RememberTools, observer: Observer = UNOBSERVED
) -> Attempt:
    """Make one attempt at a run that `owner` holds; return how it went. It goes on where an earlier attempt broke off.

    Raises the error of a stage without which nothing more can be done. What was kept until then stays.
    """
    job = await asyncio.to_thread(resume, claimed, owner, tools)
    record = RememberLog(tools.store, claimed, owner, job.attempt, job.outputs, tools.clock, job.calls)
    told = Fanout(record, observer)
    with run_scope(run_id(claimed.id, "remember"), job.dataset.name):
        try:
            await run(READ, job, told)
            rest = REMEMBER_WHOLE if len(job.chunks) == 1 else REMEMBER
            await run(rest[len(READ) :], job, told)
        except _NOT_A_STAGE_S_OWN as exc:
            job.broken("chunk_text", exc)
        finally:
            for text in job.chunks:
                await text.release()
    fault("after_stages")
    return job.attempt
