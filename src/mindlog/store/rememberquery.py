"""Runs of remember, documents and texts as they are listed: queries as SQL, rows as records. Knows no connection of its own.

What a memory says is not shown once it is forgotten: nor are a text of another revision than it now has, details of errors
of a run that has kept it, and what was found out about it.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from mindlog.ids import MemoryId
from mindlog.store.connect import Row
from mindlog.store.documentrows import DocumentRow, RememberRow, TextKey, TextRow
from mindlog.store.queries import q
from mindlog.store.rows import from_json
from mindlog.store.runquery import STATE, joined, narrowed
from mindlog.store.runrows import RunQuery
from mindlog.store.runstages import REMEMBER
from mindlog.store.runtext import error_kind

__all__ = [
    "COUNT_STARTED",
    "OUTPUTS",
    "compile_query",
    "compile_texts",
    "document_row",
    "documents_after",
    "documents_of",
    "former_texts",
    "of_run",
    "remember_row",
    "text_of",
    "text_row",
    "texts_from",
]

_FORMER = """t.run IN (
    SELECT e.id FROM remember_runs AS r CROSS JOIN remember_runs AS e ON e.document = r.document AND e.id < r.id
    WHERE r.id = ?
) AND t.origin = ? AND m.version = t.version AND m.forgotten_at IS NULL"""
_FROM = """t.source IN (SELECT value FROM json_each(?)) AND t.origin = ? AND m.version = t.version
    AND m.forgotten_at IS NULL AND EXISTS (SELECT 1 FROM remember_runs AS r WHERE r.id = t.run AND r.dataset = ?)"""
_HIDDEN = """EXISTS (
    SELECT 1 FROM remember_texts AS t CROSS JOIN memories AS m ON m.slot = t.slot
    WHERE t.run = r.id AND m.forgotten_at IS NOT NULL
)"""
_HOLDS = REMEMBER.with_columns(f"""(
    holds_text(?, s.title, c.id, r.params) OR (holds_text(?, r.error, /*errors*/) AND NOT {_HIDDEN})
)""")

_OF_DOCUMENT = """r.id IN (
    SELECT n.id FROM documents AS f CROSS JOIN remember_runs AS n ON n.document = f.number WHERE f.id = ?
)"""

_LIST = REMEMBER.sql(q.list_remembers).replace("/*state*/", STATE).replace("/*hidden*/", _HIDDEN)
COUNT_STARTED = REMEMBER.sql(q.count_started_runs).replace("/*state*/", STATE)
OUTPUTS = q.remember_outputs.replace("/*hidden*/", _HIDDEN)


# -- runs ---------------------------------------------------------------------------------------------------------------
def of_run(run: int, now: int) -> tuple[str, list[Any]]:
    """Return the statement that finds one run, and its values."""
    return _LIST.replace("/*conditions*/", "r.id = ?"), [now, run, 1]


def compile_query(query: RunQuery, now: int) -> tuple[str, list[Any]]:
    """Return the statement and its values. Raises `InvalidInput` for a word that is not known."""
    wanted = None if query.text is None else query.text.casefold()
    of_document = [] if query.document_id is None else [(_OF_DOCUMENT, (query.document_id,))]
    holds = [] if wanted is None else [(_HOLDS, (wanted, wanted))]
    conditions, values = joined([*of_document, *narrowed(REMEMBER, query), *holds])
    return _LIST.replace("/*conditions*/", conditions), [now, *values, query.limit]


def remember_row(row: Row) -> RememberRow:
    """Return the run of a row of `list_remembers`; where a memory of it is forgotten, of errors the kinds alone."""
    identity, dataset, document_id, title, user, params, status, state, error, attempts, due_at, created_at = row[:12]
    finished_at, chunks, read, stored, hidden = row[12:17]
    stages = REMEMBER.rows(row[17:])
    if hidden:
        error = error_kind(error)
        stages = tuple(replace(stage, error=error_kind(stage.error)) for stage in stages)
    return RememberRow(
        id=identity,
        dataset=dataset,
        document_id=document_id,
        title=title,
        user=user,
        params=from_json(params),
        status=status,
        state=state,
        error=error,
        attempts=attempts,
        due_at=due_at,
        created_at=created_at,
        finished_at=finished_at,
        chunks=chunks,
        read=read,
        stored=stored,
        stages=stages,
        is_hidden=bool(hidden),
    )


# -- texts --------------------------------------------------------------------------------------------------------------
def compile_texts(
    run: int, origin: str | None, after: int, limit: int | None, *, readings: bool, live: bool = False
) -> tuple[str, list[Any]]:
    """Return the statement that finds texts of a run, and its values. live: only those that are."""
    conditions, values = ["t.run = ?"], list[Any]([run])
    if origin is not None:
        conditions.append("t.origin = ? AND t.position > ?")
        values += [origin, after]
    if live:
        conditions.append("m.version = t.version AND m.forgotten_at IS NULL")
    sql = q.texts.replace("/*conditions*/", " AND ".join(conditions))
    return sql, [readings, *values, -1 if limit is None else limit]


def text_of(slot: int) -> tuple[str, list[Any]]:
    """Return the statement that finds the text that a memory's revision is, and its values."""
    return q.texts.replace("/*conditions*/", "t.slot = ? AND t.version = m.version"), [False, slot, 1]


def texts_from(dataset: int, origin: str, sources: Collection[str]) -> tuple[str, list[Any]]:
    """Return the statement that finds the live texts of some sources in a dataset, and its values."""
    wanted = json.dumps(list(sources), ensure_ascii=False)
    return q.texts.replace("/*conditions*/", _FROM), [False, wanted, origin, dataset, -1]


def former_texts(run: int, origin: str) -> tuple[str, list[Any]]:
    """Return the statement that finds the live texts of earlier runs of a run's document, and its values."""
    return q.texts.replace("/*conditions*/", _FORMER), [False, run, origin, -1]


def text_row(row: Row) -> TextRow:
    """Return the text of a row of `texts`; of one that is not live where it is and how far, and nothing it says."""
    run, origin, position, slot, version, is_live, text, start, end, headings, source, state = row[:12]
    error, summary, reading = row[12:]
    found = TextRow(
        key=TextKey(run=run, origin=origin, position=position),
        memory_id=MemoryId(0, slot, version),
        is_live=bool(is_live),
        text=text,
        start=start,
        end=end,
        headings=tuple(json.loads(headings or "[]")),
        source=source,
        state=state,
        error=error,
        summary=summary,
        reading=reading,
    )
    return found if is_live else _without_words(found)


def _without_words(text: TextRow) -> TextRow:
    return replace(text, text="", headings=(), error=error_kind(text.error), summary=None, reading=None)


# -- documents ----------------------------------------------------------------------------------------------------------
def documents_of(dataset: int, document_id: str) -> tuple[str, list[Any]]:
    """Return the statement that finds one document, and its values."""
    return q.list_documents.replace("/*conditions*/", "c.dataset = ? AND c.id = ?"), [dataset, document_id, 1]


def documents_after(dataset: int, limit: int, before: int | None) -> tuple[str, list[Any]]:
    """Return the statement that finds a page of documents, and its values."""
    conditions, values = ["c.dataset = ?"], [dataset]
    if before is not None:
        conditions.append("c.number < ?")
        values.append(before)
    return q.list_documents.replace("/*conditions*/", " AND ".join(conditions)), [*values, limit]


def document_row(row: Row) -> DocumentRow:
    """Return the document of a row of `list_documents`."""
    number, identity, dataset, title, kind, name, url, characters, run, chunks, created_at, updated_at = row
    return DocumentRow(
        number=number,
        id=identity,
        dataset=dataset,
        title=title,
        kind=kind,
        name=name,
        url=url,
        characters=characters,
        run=run,
        chunks=chunks,
        created_at=created_at,
        updated_at=updated_at,
    )
