"""The operations that record queries: their start, and their end with all their stages. Knows no thread and no queue.

A query is on record before it is answered, and one update ends it; what its stages did is written by that, with its event.
"""

from __future__ import annotations

import json

from mindlog.errors import InvalidInput
from mindlog.store.askingrows import NewQuery, QueryEnd
from mindlog.store.connect import Row, fetch
from mindlog.store.queries import q
from mindlog.store.rows import to_json
from mindlog.store.runrows import STAGE_STATUSES, StageRow
from mindlog.store.runstages import QUERY
from mindlog.store.runtext import error_kind, storable, unicode
from mindlog.store.stages import StageInfo, run_columns
from mindlog.store.transaction import Transaction

__all__ = ["END", "close_queries", "end_query", "start_query"]

_ENDS = ("succeeded", "failed")


END = q.end_query.replace("/*ended*/", ", ".join(f"{column} = ?" for column, _ in run_columns(QUERY.stages)))


def start_query(tx: Transaction, new: NewQuery) -> int:
    """Add the query; returns its number. Raises `InvalidInput` for parameters that are no JSON."""
    params = unicode(to_json(new.params, "params"))
    row = (new.dataset, new.user, new.session, unicode(new.question), params, new.created_at)
    tx.connection.execute(q.start_query, row)
    return tx.connection.last_insert_rowid()


def end_query(tx: Transaction, end: QueryEnd) -> None:
    """Record how the query ended; see `AskingStore.end_query`. Raises `InvalidInput` for a word that is not known."""
    if end.status not in _ENDS:
        raise InvalidInput(f"status: {end.status!r} is none of {', '.join(_ENDS)}", field="status")
    citations = unicode(f"[{','.join(to_json(each, 'citations') for each in end.citations)}]")
    answer = None if end.answer is None else unicode(end.answer)
    said = (end.status, storable(end.error), end.finished_at, answer, end.answered_by, citations)
    failed = [stage.name for stage in end.stages if stage.status == "failed"]
    for (dataset,) in fetch(tx.connection, END, (*said, *_stages(end.stages), end.run)):
        _tell(tx, end.run, dataset, end.status, end.error, failed)


def close_queries(tx: Transaction, error: str) -> int:
    """End every open query as failed; returns how many. Stages of an open query are not on record: they stay not_started."""
    closed = fetch(tx.connection, q.close_queries, (storable(error), tx.at))
    for run, dataset in sorted(closed):
        _tell(tx, run, dataset, "failed", error, [])
    return len(closed)


def _tell(tx: Transaction, run: int, dataset: int, status: str, error: str | None, failed: list[str]) -> None:
    """Add the event. The question and the answer are in the run alone: only who may look at runs reads them."""
    kind = error_kind(storable(error))
    facts = {
        "operation": QUERY.operation,
        "status": status,
        "state": status,
        "error": kind,
        "failed_stages": failed or None,
    }
    tx.add_log("run_finished", dataset, None, None, QUERY.payload(run, **facts))


def _stages(stages: tuple[StageRow, ...]) -> Row:
    """Return the values of the stages' columns; a stage that is not given has not started."""
    given = {QUERY.checked(stage.name).name: stage for stage in stages}
    return tuple(value for stage in QUERY.stages for value in _columns(stage, given.get(stage.name)))


def _columns(stage: StageInfo, row: StageRow | None) -> Row:
    if row is None:
        return ("not_started", None, None, None, *((None,) if stage.runs_model else ()))
    if row.status not in STAGE_STATUSES:
        raise InvalidInput(f"status: {row.status!r} is none of {', '.join(STAGE_STATUSES)}", field="status")
    if row.inference_ids and not stage.runs_model:
        raise InvalidInput(f"inference_ids: {stage.name} runs no model", field="inference_ids")
    facts = (row.status, storable(row.error), row.started_at, row.finished_at)
    if not stage.runs_model:
        return facts
    return (*facts, json.dumps(row.inference_ids) if row.inference_ids else None)
