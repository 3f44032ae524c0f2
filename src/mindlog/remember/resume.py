"""Where a run begins: the document as it was given, and what earlier attempts have made of it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from mindlog.errors import StoreDamaged
from mindlog.ids import run_id
from mindlog.remember.complexity import Complexity
from mindlog.remember.job import RememberJob, RememberTools, TextJob
from mindlog.remember.marks import ReadDocument
from mindlog.remember.record import settled_stages
from mindlog.store.documentrows import ClaimedRemember, TextRow
from mindlog.store.runrows import InferenceQuery

if TYPE_CHECKING:
    from mindlog.store.base import Store

__all__ = ["POORLY", "chunk_jobs", "packed", "resume", "text_job", "unpacked"]

POORLY = "summary: "
"""How the error of a text begins that has its summary without the model that was asked for one."""

_DOCUMENT = TypeAdapter(ReadDocument)
_COMPLEXITY = TypeAdapter(Complexity)
_CUT = "chunk_text"
_CALLS = 1000  # looked up at a time
_LEVEL = 1  # of zlib: text shrinks to a third, at more than 100 MB a second


def packed(document: ReadDocument) -> bytes:
    """Return a document as it is kept with its run. Takes a second for 100 MB: keep it off the event loop."""
    return zlib.compress(_DOCUMENT.dump_json(document), _LEVEL)


def unpacked(content: bytes) -> ReadDocument:
    """Return the document that `packed` has packed."""
    return _DOCUMENT.validate_json(zlib.decompress(content))


def resume(run: ClaimedRemember, owner: str, tools: RememberTools) -> RememberJob:
    """Read what the run is about and how far it has come. Raises `StoreDamaged` if its document is not there."""
    store = tools.store
    source = store.remember_source(run.id)
    dataset = next((each for each in store.datasets() if each.number == run.dataset), None)
    if source is None or dataset is None:
        raise StoreDamaged(f"the document of run {run.id} is not in the store")
    job = RememberJob(
        run=run,
        owner=owner,
        dataset=dataset,
        document=unpacked(source.content),
        tools=tools,
        # Without chunks there is nothing to go on with.
        settled=settled_stages(run) - {row.name for row in run.stages if row.name == _CUT and row.status == "failed"},
    )
    classified = store.remember_outputs(run.id).get("classify_complexity", {}).get("complexity")
    if classified is not None:
        job.complexity = _COMPLEXITY.validate_json(json.dumps(classified))
    if _CUT in job.settled:
        job.chunks = chunk_jobs(job, store.texts(run.id, "chunk"))
        for text in job.chunks:
            text.was = text.state
    if run.attempts > 1:
        job.calls = _calls(store, run_id(run.id, "remember"))
    return job


def _calls(store: Store, run: str) -> dict[str, list[str]]:
    """Return the model calls that earlier attempts have made, by stage, the first first."""
    calls: dict[str, list[str]] = {}
    query = InferenceQuery(run_id=run, limit=_CALLS)
    while True:
        rows = store.inferences(query)
        for row in rows:
            if row.stage is not None:
                calls.setdefault(row.stage, []).insert(0, row.id)
        if len(rows) < _CALLS:
            return calls
        query = replace(query, before_id=rows[-1].id)


def chunk_jobs(job: RememberJob, rows: Sequence[TextRow]) -> list[TextJob]:
    """Return the chunks of the document that are kept, in order."""
    jobs = [text_job(job, row) for row in rows]
    for each in jobs:
        each.is_whole = len(jobs) == 1
    return jobs


def text_job(job: RememberJob, row: TextRow) -> TextJob:
    """Return the text of a row. One whose memory was forgotten or edited since is gone."""
    return TextJob(
        job=job,
        key=row.key,
        memory_id=row.memory_id,
        state=row.state,
        start=row.start or 0,
        end=row.end or 0,
        own_text=None if row.key.origin == "chunk" else row.text,
        agent=job.agent,
        is_gone=not row.is_live,
        needs_summary=row.summary is None or (row.error or "").startswith(POORLY),
        trouble=None if (row.error or POORLY).startswith(POORLY) else row.error,
    )
