"""Run rows as they are listed: the query as SQL, a run's state, rows as `RunRow`s. Knows no connection of its own.

A run's state is its `ended_as` once it has ended. Before, it is told by who holds it and whether it has been tried.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import apsw

from mindlog.errors import InvalidInput
from mindlog.store.connect import Row
from mindlog.store.queries import q
from mindlog.store.runrows import OPEN_STATES, RUN_STATES, RUN_STATUSES, STAGE_STATUSES, RunQuery, RunRow
from mindlog.store.runstages import NAMES, checked, stage_rows, with_columns
from mindlog.store.runtext import error_kind

__all__ = ["COUNT_STARTED", "compile_query", "of_run", "of_slot", "register", "run_row"]

# ?1 is the present instant.
_STATE = """CASE
    WHEN r.status != 'started' THEN coalesce(r.ended_as, r.status)
    WHEN r.owner IS NOT NULL AND r.due_at > ?1 THEN 'running'
    WHEN r.attempts = 0 AND r.due_at <= ?1 THEN 'waiting'
    ELSE 'retrying'
END"""

# A run's id is the lsn of its revision; ?2 is the slot.
_OF_MEMORY = """r.id IN (
    SELECT lsn FROM memories WHERE slot = ?2 UNION ALL SELECT lsn FROM memory_versions WHERE slot = ?2
)"""

# In an error or in the text of the revision.
_HOLDS = """m.slot IS NOT NULL AND m.forgotten_at IS NULL AND holds_text(?, r.error, /*errors*/, iif(
    m.version = r.version, m.text, (SELECT text FROM memory_versions WHERE slot = r.slot AND version = r.version)
))""".replace("/*errors*/", ", ".join(f"r.{name}_error" for name in NAMES))

# Statuses stand in conditions as words, not as parameters: then SQLite can use the index of such runs. That of the open
# ones is not in the order of the list: their ids are taken from it first, instead of walking all the runs there are.
_IN_STATUS = {status: f"r.status = '{status}'" for status in RUN_STATUSES}
_IN_STATUS["started"] = "r.id IN (SELECT id FROM encode_runs WHERE status = 'started')"
_LIST = with_columns(q.list_runs).replace("/*state*/", _STATE)
COUNT_STARTED = q.count_started_runs.replace("/*state*/", _STATE)


def register(connection: apsw.Connection) -> None:
    """Give the connection the function that looks for a text."""
    connection.create_scalar_function("holds_text", _holds_text, deterministic=True)


def _holds_text(*values: Any) -> bool:
    """Say whether any of the texts has the first one in it, whatever the case; SQLite knows the case of ASCII alone."""
    wanted, *texts = values
    return any(wanted in text.casefold() for text in texts if text is not None)


def of_run(run: int, now: int) -> tuple[str, list[Any]]:
    """Return the statement that finds one run, and its values."""
    return _LIST.replace("/*conditions*/", "r.id = ?"), [now, run, 1]


def of_slot(slot: int, version: int | None, now: int) -> tuple[str, list[Any]]:
    """Return the statement that finds the runs of a memory or of one of its revisions, and its values."""
    condition = f"{_OF_MEMORY} AND r.version = coalesce(?3, r.version)"
    return _LIST.replace("/*conditions*/", condition), [now, slot, version, -1]


def compile_query(query: RunQuery, now: int) -> tuple[str, list[Any]]:
    """Return the statement and its values. Raises `InvalidInput` for a word that is not known."""
    parts = ["1"]
    values: list[Any] = [now]
    if query.status is not None:
        parts.append(_IN_STATUS[_word(query.status, RUN_STATUSES, "status")])
    if query.slot is not None:  # first: its condition numbers its value
        parts.append(_OF_MEMORY)
        values.append(query.slot)
    for condition, value in (
        ("r.dataset = ?", query.dataset),
        ("r.created_at >= ?", query.created_from),
        ("r.created_at < ?", query.created_to),
        ("r.id < ?", query.before_id),
        (_HOLDS, None if query.text is None else query.text.casefold()),
    ):
        if value is not None:
            parts.append(condition)
            values.append(value)
    for conditions, more in (_of_state(query.state), _of_stage(query.stage, query.stage_status)):
        parts += conditions
        values += more
    return _LIST.replace("/*conditions*/", " AND ".join(parts)), [*values, query.limit]


def _word(word: str, words: tuple[str, ...], field: str) -> str:
    if word not in words:
        raise InvalidInput(f"{field}: {word!r} is none of {', '.join(words)}", field=field)
    return word


def _of_state(state: str | None) -> tuple[list[str], list[Any]]:
    if state is None:
        return [], []
    _word(state, RUN_STATES, "state")
    status = "started" if state in OPEN_STATES else "succeeded" if state == "succeeded" else "failed"
    return [_IN_STATUS[status], f"{_STATE} = ?"], [state]


def _of_stage(stage: str | None, status: str | None) -> tuple[list[str], list[Any]]:
    if status is None:
        if stage is not None:
            raise InvalidInput("stage_status: is needed to look for runs by stage", field="stage_status")
        return [], []
    _word(status, STAGE_STATUSES, "stage_status")
    names = NAMES if stage is None else (checked(stage).name,)
    return [f"? IN ({', '.join(f'r.{name}_status' for name in names)})"], [status]


def run_row(row: Row) -> RunRow:
    """Return the run of a row of `list_runs`; of a forgotten memory's errors the kinds alone."""
    identity, dataset, slot, version, status, state, error, attempts, due_at, created_at, finished_at, hidden = row[:12]
    stages = stage_rows(row[12:])
    if hidden:
        error = error_kind(error)
        stages = tuple(replace(stage, error=error_kind(stage.error)) for stage in stages)
    return RunRow(
        id=identity,
        dataset=dataset,
        slot=slot,
        version=version,
        status=status,
        state=state,
        error=error,
        attempts=attempts,
        due_at=due_at,
        created_at=created_at,
        finished_at=finished_at,
        stages=stages,
    )
