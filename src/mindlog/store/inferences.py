"""Model calls: how one is kept and read back. Knows no thread and no queue."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from mindlog.ids import Operation, parse_run_id
from mindlog.store.connect import Row, fetch
from mindlog.store.queries import q
from mindlog.store.rows import from_json, to_json
from mindlog.store.runrows import CallSums, InferenceQuery, InferenceRow
from mindlog.store.runtext import error_kind, storable, unicode
from mindlog.store.transaction import Transaction

__all__ = ["add_inference", "call_sums", "compile_query", "of_id", "read_inferences"]

_OF_MEMORIES: dict[str, Operation] = {"enc_": "encode", "rem_": "remember"}


def add_inference(tx: Transaction, row: InferenceRow) -> None:
    """Keep the call; one with its id that is there stays as it is. Raises `InvalidInput` for a damaged run id."""
    run = _of_memories(row.run_id)
    prompt = None if row.prompt is None else unicode(json.dumps(row.prompt, ensure_ascii=False))
    output = None if row.output is None else unicode(row.output)
    about = (row.id, row.run_id, run, row.stage, row.dataset, row.provider, row.model, row.mode)
    said = (unicode(to_json(row.parameters, "parameters")), prompt, row.prompt_hash, output, row.output_hash)
    took = (row.input_tokens, row.output_tokens, row.cost, row.started_at, row.finished_at, row.latency_us)
    tx.connection.execute(q.insert_inference, (*about, *said, *took, row.attempt, storable(row.error)))


def _of_memories(run_id: str | None) -> int | None:
    """Return the number of a run that is of memories: while one of them is forgotten, nothing is shown of its model calls."""
    for prefix, operation in _OF_MEMORIES.items():
        if run_id is not None and run_id.startswith(prefix):
            return parse_run_id(run_id, operation=operation)
    return None


def read_inferences(connection: apsw.Connection, sql: str, values: Sequence[object]) -> list[InferenceRow]:
    """Return the calls of a page of `list_inferences`; those of what is forgotten without their texts.

    A document may have thousands of texts: whether one is forgotten is looked up once for its run, not for each of its calls.
    """
    rows = fetch(connection, sql, values)
    readings = {row[-1] for row in rows if row[-2] is None}
    hidden = {run for (run,) in fetch(connection, q.hidden_readings, (json.dumps(list(readings)),))} if readings else ()
    return [_inference_row(row, row[-1] in hidden if row[-2] is None else bool(row[-2])) for row in rows]


def _inference_row(row: Row, hidden: bool) -> InferenceRow:
    identity, run_id, stage, dataset, provider, model, mode, parameters, prompt, prompt_hash, output = row[:11]
    output_hash, input_tokens, output_tokens, cost, started_at, finished_at, latency_us, attempt, error = row[11:20]
    return InferenceRow(
        id=identity,
        run_id=run_id,
        stage=stage,
        dataset=dataset,
        provider=provider,
        model=model,
        mode=mode,
        parameters=from_json(parameters),
        prompt=None if hidden or prompt is None else tuple((role, text) for role, text in json.loads(prompt)),
        prompt_hash=prompt_hash,
        output=None if hidden else output,
        output_hash=output_hash,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost=cost,
        started_at=started_at,
        finished_at=finished_at,
        latency_us=latency_us,
        attempt=attempt,
        error=error_kind(error) if hidden else error,
        is_hidden=hidden,
    )


def call_sums(row: Row) -> CallSums:
    """Return the sums of a row of `call_sums`."""
    _, calls, input_tokens, output_tokens, cost = row
    return CallSums(calls=calls, input_tokens=input_tokens, output_tokens=output_tokens, cost=cost)


def of_id(inference_id: str) -> tuple[str, list[Any]]:
    """Return the statement that finds one call, and its values."""
    return q.list_inferences.replace("/*conditions*/", "i.id = ?"), [inference_id, 1]


def compile_query(query: InferenceQuery) -> tuple[str, list[Any]]:
    """Return the statement and its values."""
    parts = ["1"]
    values: list[Any] = []
    for condition, value in (
        ("i.run_id = ?", query.run_id),
        ("i.stage = ?", query.stage),
        ("(i.error IS NOT NULL) = ?", query.failed),
        ("i.number < (SELECT number FROM inferences WHERE id = ?)", query.before_id),
    ):
        if value is not None:
            parts.append(condition)
            values.append(value)
    return q.list_inferences.replace("/*conditions*/", " AND ".join(parts)), [*values, query.limit]
