"""Run rows as they are listed: the query as SQL, a run's state, rows as `RunRow`s. Knows no connection of its own.

A run's state is its `ended_as` once it has ended. Before, it is told by who holds it and whether it has been tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import apsw

from mindlog.errors import InvalidInput
from mindlog.store.connect import Row
from mindlog.store.queries import q
from mindlog.store.runrows import OPEN_STATES, RUN_STATES, RUN_STATUSES, STAGE_STATUSES, RunQuery, RunRow
from mindlog.store.runstages import DERIVE, RunTable, stage_rows, with_columns
from mindlog.store.runtext import error_kind

__all__ = [
    "COUNT_STARTED",
    "STATE",
    "Condition",
    "compile_query",
    "joined",
    "narrowed",
    "of_run",
    "of_slot",
    "register",
    "run_row",
    "word",
]

#: A condition in SQL, and its values in order.
Condition = tuple[str, tuple[Any, ...]]

# ?1 is the present instant.
STATE = with_columns("""CASE
    WHEN r.status != 'started' THEN coalesce(r.ended_as, r.status)
    WHEN r.owner IS NOT NULL AND r.due_at > ?1 THEN 'running'
    WHEN r.attempts = 0 AND (r.due_at <= ?1 OR r.due_at = /*held_back*/) THEN 'waiting'
    ELSE 'retrying'
END""")

# A run's id is the lsn of its revision; ?2 is the slot.
_OF_MEMORY = """r.id IN (
    SELECT lsn FROM memories WHERE slot = ?2 UNION ALL SELECT lsn FROM memory_versions WHERE slot = ?2
)"""

# In an error or in the text of the revision.
_HOLDS = with_columns("""m.slot IS NOT NULL AND m.forgotten_at IS NULL AND holds_text(?, r.error, /*errors*/, iif(
    m.version = r.version, m.text, (SELECT text FROM memory_versions WHERE slot = r.slot AND version = r.version)
))""")

_OPEN = "r.id IN (SELECT id FROM encode_runs WHERE status = 'started')"
_LIST = with_columns(q.list_runs).replace("/*state*/", STATE)
COUNT_STARTED = with_columns(q.count_started_runs).replace("/*state*/", STATE)


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
    # The memory's condition numbers its value, so it is first; that which looks into texts is last.
    of_memory = [] if query.slot is None else [(_OF_MEMORY, (query.slot,))]
    holds = [] if query.text is None else [(_HOLDS, (query.text.casefold(),))]
    conditions, values = joined([*of_memory, *narrowed(DERIVE, query), *holds])
    return _LIST.replace("/*conditions*/", conditions), [now, *values, query.limit]


def joined(conditions: Iterable[Condition]) -> tuple[str, list[Any]]:
    """Return the conditions as one, and their values."""
    parts = ["1"]
    given: list[Any] = []
    for condition, values in conditions:
        parts.append(condition)
        given += values
    return " AND ".join(parts), given


def narrowed(table: RunTable, query: RunQuery) -> list[Condition]:
    """Return what narrows a list of the table's runs, called `r`; `slot` and `text` are each table's own affair.

    Raises `InvalidInput` for a word that is not known.
    """
    found: list[Condition] = [
        (condition, (value,))
        for condition, value in (
            ("r.dataset = ?", query.dataset),
            ("r.created_at >= ?", query.created_from),
            ("r.created_at < ?", query.created_to),
            ("r.id < ?", query.before_id),
        )
        if value is not None
    ]
    return [*_of_status(table, query.status), *found, *_of_state(table, query.state), *_of_stage(table, query)]


def word(given: str, words: tuple[str, ...], field: str) -> str:
    """Return what was given, if it is one of the words. Raises `InvalidInput` on the field."""
    if given not in words:
        raise InvalidInput(f"{field}: {given!r} is none of {', '.join(words)}", field=field)
    return given


def _in_status(table: RunTable, status: str) -> str:
    # A word in the condition, not a parameter: then SQLite can use the index of such runs. That of the open ones is not in the
    # order of the list: their ids are taken from it first, instead of walking all the runs there are.
    return table.sql(_OPEN) if status == "started" else f"r.status = '{status}'"


def _of_status(table: RunTable, status: str | None) -> list[Condition]:
    return [] if status is None else [(_in_status(table, word(status, RUN_STATUSES, "status")), ())]


def _of_state(table: RunTable, state: str | None) -> list[Condition]:
    if state is None:
        return []
    word(state, RUN_STATES, "state")
    status = "started" if state in OPEN_STATES else "succeeded" if state == "succeeded" else "failed"
    return [(_in_status(table, status), ()), (f"{STATE} = ?", (state,))]


def _of_stage(table: RunTable, query: RunQuery) -> list[Condition]:
    if query.stage_status is None:
        if query.stage is not None:
            raise InvalidInput("stage_status: is needed to look for runs by stage", field="stage_status")
        return []
    word(query.stage_status, STAGE_STATUSES, "stage_status")
    names = table.names if query.stage is None else (table.checked(query.stage).name,)
    return [(f"? IN ({', '.join(f'r.{name}_status' for name in names)})", (query.stage_status,))]


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
        is_hidden=bool(hidden),
    )
