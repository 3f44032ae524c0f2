"""The log as subscribers read it: the query as SQL, rows as events. Knows no connection."""

from __future__ import annotations

import json
from typing import Any

from mindlog.store.connect import Row
from mindlog.store.queries import q
from mindlog.store.rows import from_json
from mindlog.store.runrows import EventRow, LogQuery

__all__ = ["compile_query", "event_row"]

_AMONG = "IN (SELECT value FROM json_each(?))"


def compile_query(query: LogQuery) -> tuple[str, list[Any]]:
    """Return the statement and its values."""
    parts = ["l.lsn >= ?"]
    values: list[Any] = [query.from_lsn]
    for condition, value in (
        ("l.lsn <= ?", query.to_lsn),
        (f"l.dataset {_AMONG}", None if query.datasets is None else json.dumps(query.datasets)),
        (f"l.type {_AMONG}", json.dumps(query.types, ensure_ascii=False) if query.types else None),
        ("l.slot = ?", query.slot),
        ("m.session = ?", query.session),
        ("m.kind = ?", query.kind),
    ):
        if value is not None:
            parts.append(condition)
            values.append(value)
    return q.list_log.replace("/*conditions*/", " AND ".join(parts)), [*values, query.limit]


def event_row(row: Row) -> EventRow:
    """Return the entry of a row of `list_log`."""
    lsn, at, kind, dataset, slot, version, session, memory_kind, payload = row
    return EventRow(
        lsn=lsn,
        at=at,
        type=kind,
        dataset=dataset,
        slot=slot,
        version=version,
        session=session,
        kind=memory_kind,
        payload=from_json(payload),
    )
