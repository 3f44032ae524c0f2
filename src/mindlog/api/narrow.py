"""Filters and instants as HTTP has them, read in the dataset's zone. Owns no rule of the filter grammar itself."""

from __future__ import annotations

from typing import Any

from mindlog.access import Caller
from mindlog.api.route import Call
from mindlog.api.schemas import ListQuery
from mindlog.api.strict_json import parse_json_text
from mindlog.clock import from_iso
from mindlog.errors import InvalidInput
from mindlog.filters import Filters, parse_filters
from mindlog.records import Scope

__all__ = ["filters_of_body", "filters_of_query", "instant"]

_TIMES = ("after", "before")


def filters_of_body(raw: Any, dataset: str, call: Call) -> Filters:
    """Return the filters of a body. Raises `UnknownFilter` or `InvalidInput`."""
    if raw is None:
        return Filters()
    if not isinstance(raw, dict):
        raise InvalidInput("filters: must be an object", field="filters")
    for name in _TIMES:
        # Inside mindlog an instant may be a number; over HTTP it may not.
        if not isinstance(raw.get(name), str | None):
            raise InvalidInput(f"filters.{name}: must be an RFC 3339 time", field=f"filters.{name}")
    return parse_filters(raw, default_zone=_zone(dataset, call))


def filters_of_query(query: ListQuery, call: Call) -> Filters:
    """Return the filters of a listing's query parameters. Raises `UnknownFilter` or `InvalidInput`."""
    raw = query.model_dump(include={"session", "agent", "kind", "document_id", *_TIMES}, exclude_none=True)
    if query.metadata is not None:
        raw["metadata"] = parse_json_text(query.metadata, "metadata")
    try:
        return parse_filters(raw, default_zone=_zone(query.dataset, call))
    except InvalidInput as exc:
        field = (exc.field or "").removeprefix("filters.")
        raise type(exc)(exc.detail.removeprefix("filters."), field=field or None, **exc.extra) from exc


def instant(value: str | None, field: str, dataset: str, call: Call) -> int | None:
    """Return the instant a text names; a naive one is taken in the dataset's zone, and refused if it has none."""
    return None if value is None else from_iso(value, field=field, default_zone=_zone(dataset, call))


def _zone(name: str, call: Call) -> str | None:
    # Checked first, so that the answer to a naive time tells nothing of a dataset out of reach.
    caller: Caller = call.caller
    caller.require(Scope.READ, name)
    dataset = call.engine.store.dataset(name)
    return None if dataset is None else dataset.timezone
