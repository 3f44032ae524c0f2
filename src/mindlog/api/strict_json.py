"""JSON bodies read without leniency: UTF-8 only, no key twice, no NaN, no lone surrogate, no bottomless nesting.

Whatever passes is plain JSON that every later layer can store and send back. Knows no model and no route.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, NoReturn, cast

from mindlog.errors import InvalidInput

__all__ = ["parse_json", "parse_json_text", "read_json"]

# Parsing this much takes about a millisecond; more is done beside the event loop.
_INLINE_BYTES = 1 << 16
_MAX_NAME = 64
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


async def read_json(body: bytes) -> Any:
    """Return the value of a request body; large ones are read in a thread. Raises `InvalidInput`."""
    return parse_json(body) if len(body) <= _INLINE_BYTES else await asyncio.to_thread(parse_json, body)


def parse_json(body: bytes) -> Any:
    """Return the value of UTF-8 JSON. Raises `InvalidInput` that says what is wrong and where."""
    try:
        text = body.decode()
    except UnicodeDecodeError as exc:
        raise InvalidInput(f"body: not valid UTF-8 at byte {exc.start}", field="body") from exc
    return parse_json_text(text, "body")


def parse_json_text(text: str, field: str) -> Any:
    """Return the value of a JSON text that stands in `field`. Raises `InvalidInput`."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as exc:
        raise InvalidInput(f"{field}: not valid JSON at character {exc.pos}: {exc.msg}", field=field) from exc
    except RecursionError as exc:
        raise InvalidInput(f"{field}: nested too deeply", field=field) from exc
    except ValueError as exc:  # what int() says of thousands of digits
        raise InvalidInput(f"{field}: a number has too many digits", field=field) from exc
    # Valid UTF-8 can bring in a surrogate only as an escape, and most bodies have none to look at.
    if _SURROGATE_ESCAPE.search(text):
        _check_strings(value, field)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"body: the key {twice[:_MAX_NAME]!r} occurs twice in one object", field=twice[:_MAX_NAME])
    return members


def _constant(name: str) -> NoReturn:
    raise InvalidInput(f"body: {name} is not JSON", field="body")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def _check_strings(value: Any, field: str) -> None:
    # A stack of its own: what the parser could nest, a recursion here might not reach.
    pending: list[tuple[str, Any]] = [(field, value)]
    while pending:
        where, item = pending.pop()
        if isinstance(item, str):
            _check_string(item, where)
        elif isinstance(item, dict):
            for name, member in cast("dict[str, Any]", item).items():
                _check_string(name, where)
                pending.append((name if where == "body" else f"{where}.{name}"[:_MAX_NAME], member))
        elif isinstance(item, list):
            pending.extend((where, member) for member in cast("list[Any]", item))


def _check_string(text: str, field: str) -> None:
    if found := _SURROGATE.search(text):
        raise InvalidInput(f"{field}: lone surrogate at character {found.start()} is not valid Unicode", field=field)
