"""Queries as they are listed: the list as SQL, rows as `QueryRow`s, earlier turns. Knows no connection of its own.

An answer quotes memories. While one that it cites is forgotten, neither answer nor quotes nor details of errors are shown or
looked into; who asks anew in the session is not told of that turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import apsw

from mindlog.errors import InvalidInput
from mindlog.ids import MemoryId
from mindlog.store.askingrows import Asked, QueryRow
from mindlog.store.connect import Row, fetch
from mindlog.store.queries import q
from mindlog.store.rows import from_json
from mindlog.store.runrows import RUN_STATUSES, STAGE_STATUSES, RunCounts, RunQuery
from mindlog.store.runstages import QUERY
from mindlog.store.runtext import error_kind

__all__ = ["ASKED", "asked", "compile_query", "counts", "of_run", "query_row", "register"]

_STATES = {"running": "started", "succeeded": "succeeded", "failed": "failed"}

_HIDDEN = """EXISTS (
    SELECT 1 FROM json_each(cited_slots(r.citations)) AS j CROSS JOIN memories AS m ON m.slot = j.value
    WHERE m.forgotten_at IS NOT NULL
)"""
_HOLDS = QUERY.with_columns(f"""(
    holds_text(?, r.question) OR (holds_text(?, r.answer, r.error, /*errors*/) AND NOT {_HIDDEN})
)""")
# As words, so that SQLite can use the index of such runs; those are in the order of the list.
_IN_STATUS = {status: f"r.status = '{status}'" for status in RUN_STATUSES}
_LIST = QUERY.with_columns(q.list_queries).replace("/*hidden*/", _HIDDEN)
ASKED = q.asked.replace("/*hidden*/", _HIDDEN)

_LAST = (1 << 63) - 1


def register(connection: apsw.Connection) -> None:
    """Give the connection the function that says which memories an answer cites."""
    connection.create_scalar_function("cited_slots", _cited_slots, 1, deterministic=True)


def _cited_slots(*values: Any) -> str:
    (citations,) = values
    cited = [each.get("memory_id") for each in json.loads(citations or "[]")]
    return json.dumps([MemoryId.parse(each).slot for each in cited if each is not None])


# -- lists --------------------------------------------------------------------------------------------------------------
def of_run(run: int) -> tuple[str, list[Any]]:
    """Return the statement that finds one query, and its values."""
    return _LIST.replace("/*conditions*/", "r.id = ?"), [run, 1]


def compile_query(query: RunQuery) -> tuple[str, list[Any]]:
    """Return the statement and its values. Raises `InvalidInput` for a word that is not known."""
    parts, values = _in_status(query), list[Any]()
    wanted = None if query.text is None else query.text.casefold()
    for condition, given in (
        ("r.dataset = ?", [query.dataset]),
        ("r.session = ?", [query.session]),
        ("r.created_at >= ?", [query.created_from]),
        ("r.created_at < ?", [query.created_to]),
        ("r.id < ?", [query.before_id]),
        (_HOLDS, [wanted, wanted]),
        _of_stage(query.stage, query.stage_status),
    ):
        if None not in given:
            parts.append(condition)
            values += given
    return _LIST.replace("/*conditions*/", " AND ".join(parts)), [*values, query.limit]


def _in_status(query: RunQuery) -> list[str]:
    statuses: list[str] = []
    if query.status is not None:
        statuses.append(_word(query.status, RUN_STATUSES, "status"))
    if query.state is not None:
        statuses.append(_STATES[_word(query.state, tuple(_STATES), "state")])
    return [_IN_STATUS[status] for status in dict.fromkeys(statuses)]


def _of_stage(stage: str | None, status: str | None) -> tuple[str, list[Any]]:
    if status is None:
        if stage is not None:
            raise InvalidInput("stage_status: is needed to look for runs by stage", field="stage_status")
        return "1", []
    _word(status, STAGE_STATUSES, "stage_status")
    names = QUERY.names if stage is None else (QUERY.checked(stage).name,)
    return f"? IN ({', '.join(f'r.{name}_status' for name in names)})", [status]


def _word(word: str, words: tuple[str, ...], field: str) -> str:
    if word not in words:
        raise InvalidInput(f"{field}: {word!r} is none of {', '.join(words)}", field=field)
    return word


def query_row(row: Row) -> QueryRow:
    """Return the query of a row of `list_queries`."""
    identity, dataset, user, session, question, params, status, error, created_at, finished_at, answer = row[:11]
    answered_by, citations, hidden = row[11:14]
    shown = QueryRow(
        id=identity,
        dataset=dataset,
        user=user,
        session=session,
        question=question,
        params=from_json(params),
        status=status,
        error=error,
        created_at=created_at,
        finished_at=finished_at,
        answer=answer,
        answered_by=answered_by,
        citations=tuple(json.loads(citations or "[]")),
        stages=QUERY.rows(row[14:]),
        is_hidden=bool(hidden),
    )
    return _without_words(shown) if hidden else shown


def _without_words(row: QueryRow) -> QueryRow:
    def bare(citation: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: citation[name] for name in ("n", "memory_id") if name in citation}

    stages = tuple(replace(stage, error=error_kind(stage.error)) for stage in row.stages)
    citations = tuple(map(bare, row.citations))
    return replace(row, answer=None, citations=citations, error=error_kind(row.error), stages=stages)


# -- counts and turns ---------------------------------------------------------------------------------------------------
def counts(connection: apsw.Connection) -> RunCounts:
    """Count the queries by state and dataset."""
    names = {status: state for state, status in _STATES.items()}
    by_state = dict.fromkeys(_STATES, 0)
    by_dataset: dict[str, dict[str, int]] = {}
    for dataset, status, count in fetch(connection, q.count_queries):
        by_state[names[status]] += count
        by_dataset.setdefault(dataset, {})[names[status]] = count
    oldest = fetch(connection, q.oldest_open_query)[0][0]
    return RunCounts(by_state=by_state, by_dataset=by_dataset, oldest_created_at=oldest)


def asked(
    connection: apsw.Connection, dataset: int, session: str, limit: int, before: int | None, user: str | None
) -> list[Asked]:
    """Return answered turns of a session, the latest first; of one user, or of everybody."""
    found = fetch(connection, ASKED, (dataset, session, _LAST if before is None else before, user, user, limit))
    return [Asked(run=run, question=question, answer=answer, at=at) for run, question, answer, at in found]
