"""QUERY: the stages from a question to its answer, and the ways in: the whole answer, or piece by piece."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import asdict

from mindlog.errors import ModelError
from mindlog.pipeline import ADVISORY, UNOBSERVED, Fanout, Observer, Stage, Steps, run
from mindlog.query.answer import answer
from mindlog.query.geo import detect_geo, nearby_geo
from mindlog.query.job import QueryJob
from mindlog.query.log import LogTrouble, QueryLog
from mindlog.query.retrieve import retrieve_graph
from mindlog.store.askingrows import NewQuery
from mindlog.views import AnswerPart, QueryResult

__all__ = ["QUERY", "query", "query_parts"]

QUERY: Steps[QueryJob] = (
    Stage("retrieve_graph", retrieve_graph),
    Stage("detect_geo", detect_geo, policy=ADVISORY),
    Stage("nearby_geo", nearby_geo, policy=ADVISORY, enabled=lambda job: bool(job.areas)),
    Stage("query", answer),
)


async def query(job: QueryJob, trouble: LogTrouble, observer: Observer = UNOBSERVED) -> QueryResult:
    """Answer the question of a job that `query.setup.accept` has made; one row of the log says how it went, whatever happens."""
    record = QueryLog(job.tools.store, _new(job), job.tools.clock, trouble)
    job.run_id = record.run_id
    error: BaseException | None = None
    try:
        await _run(job, Fanout(record, observer))
    except BaseException as exc:
        error = exc
        raise
    finally:
        # Not before the caller hears of the answer: who reads the log then finds it there.
        await record.end(error, job if error is None else None)
    return QueryResult(
        answer=job.answer,
        answered_by=job.answered_by,
        citations=job.citations,
        query_run_id=await record.run_id(),
        removed=job.removed,
        places=tuple(asdict(each) for each in job.areas),
        notes=tuple(job.notes),
    )


async def _run(job: QueryJob, observer: Observer) -> None:
    try:
        await run(QUERY, job, observer)
    except ModelError:
        # The last stage is failed on record; what it was for was done without the model, so the call has its answer.
        if not job.answer:
            raise


async def query_parts(
    job: QueryJob, trouble: LogTrouble, observer: Observer = UNOBSERVED
) -> AsyncGenerator[AnswerPart]:
    """Yield pieces of the answer while it is made, then the checked result. Who leaves early ends the call: its row says cancelled."""
    pieces: asyncio.Queue[str | None] = asyncio.Queue()
    job.say = pieces.put_nowait
    answering = asyncio.create_task(query(job, trouble, observer))
    answering.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield AnswerPart(text=piece)
        yield AnswerPart(result=await answering)
    finally:
        answering.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait((answering,))


def _new(job: QueryJob) -> NewQuery:
    request = job.request
    params = {
        "as_of": job.as_of,
        "limit": job.limit,
        "filters": {name: value for name, value in asdict(request.filters).items() if value},
        "options": dict(job.options),
        "stream": job.say is not None,
    }
    return NewQuery(
        dataset=job.dataset.number,
        question=request.question,
        session=request.session,
        params=params,
        created_at=job.tools.clock.now(),
        user=job.asked_by,
    )
