"""Pages of a listing: how long one may be, and keyset cursors, which say where it goes on.

Owns the cursors' text form; a cursor fits only the listing it was made for.
"""

from __future__ import annotations

import base64
import binascii

from blake3 import blake3

from mindlog.errors import InvalidCursor, InvalidInput

__all__ = ["check_limit", "listing_tag", "read_cursor", "write_cursor"]


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
    return base64.urlsafe_b64encode(f"{tag}.{position}".encode()).decode().rstrip("=")


def read_cursor(cursor: str, tag: str) -> int:
    """Return the position; `InvalidCursor` if it was not made by `write_cursor` for this listing."""
    try:
        found, _, position = (
            base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)).decode().partition(".")
        )
        at = int(position)
    except (AttributeError, binascii.Error, UnicodeError, ValueError) as exc:
        raise InvalidCursor("cursor: not a cursor of this server", field="cursor") from exc
    # Decoding is lenient (it skips what is not base64, int() takes "+1"): only the exact text is one of ours.
    if cursor != write_cursor(found, at):
        raise InvalidCursor("cursor: not a cursor of this server", field="cursor")
    if found != tag or not 0 <= at < 2**63:
        raise InvalidCursor("cursor: made for another listing", field="cursor")
    return at
