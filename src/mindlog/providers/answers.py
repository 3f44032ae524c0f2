"""What a provider answered, read as JSON and by path. Owns strictness: what is not surely right is a `BadAnswer`."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["BadAnswer", "WebReply", "at_path", "json_answer", "number", "shown"]

_SHOWN_CHARS = 60
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MISSING = frozenset({"", ".", "NA", "N/A", "null"})
_INDEX = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)


class BadAnswer(Exception):
    """An answer that cannot be used; the text says why and may quote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebReply:
    """The body of a 200, unpacked. url: where it came from, secrets left out."""

    content: bytes
    content_type: str
    url: str


def json_answer(reply: WebReply) -> Any:
    """The body as JSON. Raises `BadAnswer` for anything else, NaN and infinity included."""
    try:
        return json.loads(reply.content, parse_constant=_refuse)
    except (ValueError, RecursionError) as exc:
        kind = reply.content_type.partition(";")[0] or "of no type"
        raise BadAnswer(f"it is not JSON ({kind}): {shown(reply.content[:240].decode('utf-8', 'replace'))}") from exc


def at_path(value: Any, path: str) -> Any:
    """The value at a JSON pointer (RFC 6901; "" is the whole). Raises `BadAnswer` where there is none."""
    found = value
    for token in path.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and _INDEX.fullmatch(key) and int(key) < len(found):
            found = found[int(key)]
        else:
            raise BadAnswer(f"it has nothing at {path}")
    return found


def number(value: Any) -> float | None:
    """A finite number, from a number or its plain decimal text; None for one of the usual marks of a missing value.

    Raises `BadAnswer` for anything else: "1,234" is one thing here and another there.
    """
    if value is None or (isinstance(value, str) and value.strip() in _MISSING):
        return None
    is_plain = isinstance(value, str) and _NUMBER.fullmatch(value.strip())
    if not (is_plain or (isinstance(value, int | float) and not isinstance(value, bool))):
        raise BadAnswer(f"{shown(value)} is not a number")
    try:
        read = float(value)
    except (OverflowError, ValueError) as exc:
        raise BadAnswer("a number is too large") from exc
    if not math.isfinite(read):
        raise BadAnswer("a number is not finite")
    return read


def shown(value: Any) -> str:
    """The beginning of a value, for an error."""
    return repr(value[:_SHOWN_CHARS] if isinstance(value, str) else value)[: _SHOWN_CHARS + 2]


def _refuse(name: str) -> NoReturn:
    raise BadAnswer(f"it holds {name}")
