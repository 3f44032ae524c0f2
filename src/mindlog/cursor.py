"""Pages of a listing: how long one may be, and keyset cursors, which say where it goes on.

Owns the cursors' text form; a cursor fits only the listing it was made for.
"""

from __future__ import annotations

import base64
import binascii

from blake3 import blake3

from mindlog.errors import InvalidCursor, InvalidInput

__all__ = ["check_limit", "listing_tag", "read_cursor", "read_time_cursor", "write_cursor", "write_time_cursor"]

_MOST = 1 << 63


def check_limit(limit: object, most: int, field: str = "limit") -> int:
    """Return the size of a page if it is 1 to `most`; `InvalidInput` on `field` otherwise."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= most:
        raise InvalidInput(f"{field}: must be 1 to {most}", field=field, limit=most)
    return limit


def listing_tag(*parts: object) -> str:
    """Return a short digest of what is being listed (dataset and filters, not the page size)."""
    return blake3(repr(parts).encode("utf-8", "surrogatepass")).hexdigest(6)


def write_cursor(tag: str, position: int) -> str:
    """Return the cursor after `position`."""
    return _encoded(f"{tag}.{position}")


def read_cursor(cursor: str, tag: str) -> int:
    """Return the position; `InvalidCursor` if it was not made by `write_cursor` for this listing."""
    try:
        found, _, position = _decoded(cursor).partition(".")
        at = int(position)
    except ValueError as exc:
        raise _no_cursor() from exc
    # int() takes "+1" and decoding is lenient: only the exact text is one of ours.
    _check(cursor, write_cursor(found, at), found, tag, at)
    return at


def write_time_cursor(tag: str, at: int, position: int) -> str:
    """Return the cursor after `position` of those at an instant."""
    return _encoded(f"{tag}.{at}.{position}")


def read_time_cursor(cursor: str, tag: str) -> tuple[int, int]:
    """Return instant and position; `InvalidCursor` if it was not made by `write_time_cursor` for this listing."""
    try:
        found, instant, position = _decoded(cursor).split(".")
        at, after = int(instant), int(position)
    except ValueError as exc:
        raise _no_cursor() from exc
    _check(cursor, write_time_cursor(found, at, after), found, tag, after)
    if abs(at) >= _MOST:
        raise _no_cursor()
    return at, after


def _check(cursor: str, exact: str, found: str, tag: str, position: int) -> None:
    if cursor != exact:
        raise _no_cursor()
    if found != tag or not 0 <= position < _MOST:
        raise InvalidCursor("cursor: made for another listing", field="cursor")


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(cursor: str) -> str:
    try:
        return base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)).decode()
    except (AttributeError, binascii.Error, UnicodeError, ValueError) as exc:
        raise _no_cursor() from exc


def _no_cursor() -> InvalidCursor:
    return InvalidCursor("cursor: not a cursor of this server", field="cursor")
