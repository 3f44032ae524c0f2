"""Values as callers may give them, brought to the forms that requests carry. Owns these forms; checks nothing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from mindlog.filters import Filters

__all__ = ["FilterForm", "Time", "Wait", "plain", "time_of"]

Time = str | int | datetime
"""An instant: RFC 3339 text, microseconds since 1970 UTC, or a datetime. Naive ones need the dataset's zone."""

FilterForm = Filters | Mapping[str, Any]
"""Filters as a value, or in the JSON form that `parse_filters` reads."""

Wait = Literal["ack", "derived"]
"""What a write waits for: until it is durable and searchable, or until it is derived as well."""


def time_of(value: Time | None) -> str | int | None:
    """Return an instant as text or microseconds."""
    # A naive datetime stays naive text, so that the dataset's zone is used or the engine says what is missing.
    return value.isoformat() if isinstance(value, datetime) else value


def plain(filters: FilterForm | None) -> FilterForm | None:
    """Return filters without datetimes in them."""
    if filters is None or isinstance(filters, Filters):
        return filters
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in filters.items()}
