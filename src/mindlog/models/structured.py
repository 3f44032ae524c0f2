"""Reads a value out of what a model said: JSON in prose, after thoughts, in a fence. Knows no provider and no prompt.

Tolerant of what surrounds the answer, never of the answer: what does not fit the schema is a flaw with its reason.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from mindlog.models.schema import AnswerSchema, Mismatch

__all__ = ["Flaw", "Parsed", "parse_answer", "without_thoughts"]

# More braces than this before the answer, or a longer text, is no answer anybody asked for.
_MOST_CANDIDATES = 256
_MOST_CHARS = 1 << 18

_THOUGHT_TAGS = r"think|thinking|thought|reasoning"
_OPENING = re.compile(rf"<({_THOUGHT_TAGS})>", re.IGNORECASE)
_CLOSING = re.compile(rf"</({_THOUGHT_TAGS})>", re.IGNORECASE)
_STRING = r'"(?:[^"\\]|\\.)*"'
_FIRST_KEY = re.compile(rf"\{{\s*({_STRING})\s*:", re.DOTALL)
_BRACE = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)


class Flaw(StrEnum):
    """What is wrong with an answer."""

    NO_OBJECT = "no_object"  #: no JSON object with any of the schema's properties
    TRUNCATED = "truncated"  #: the object begins and does not end
    WRONG_SCHEMA = "wrong_schema"  #: an object of the schema's kind that does not fit it


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A value that fits, or a flaw with its reason."""

    value: Any = None
    flaw: Flaw | None = None
    reason: str = ""


_NOTHING = Parsed(flaw=Flaw.NO_OBJECT, reason="there is no JSON object in it")


def parse_answer(text: str, schema: AnswerSchema) -> Parsed:
    """The first JSON object in the text that fits the schema; otherwise the flaw of the first that was meant to.

    An object counts as meant if it has one of the schema's properties at its root, so neither `{}` nor an object of
    the prose can pass for an answer whose properties all have defaults. Objects inside a misfit are not looked at:
    a part of a wrong answer is no answer. Inside an object with none of the properties, a wrapper, they are.
    """
    if len(text) > _MOST_CHARS:
        return Parsed(flaw=Flaw.WRONG_SCHEMA, reason=f"it is longer than {_MOST_CHARS} characters")
    return _first_fit(without_thoughts(text), schema)


def without_thoughts(text: str) -> str:
    """The text without the `<think>` blocks before its first brace; an unclosed block is all thought.

    A block that only closes is thought from the start of the text: some prompts end with the opening tag.
    """
    while (opening := _OPENING.search(text)) and "{" not in text[: opening.start()]:
        closing = _CLOSING.search(text, opening.end())
        text = text[: opening.start()] + (text[closing.end() :] if closing else "")
    closing = _CLOSING.search(text)
    if closing and not text.lstrip().startswith(("{", "```")):
        text = text[closing.end() :]
    return text.strip()


def _first_fit(text: str, schema: AnswerSchema) -> Parsed:
    found, at = _NOTHING, 0
    for _ in range(_MOST_CANDIDATES):
        at = text.find("{", at)
        if at < 0:
            break
        parsed, at = _candidate(text, at, schema)
        if parsed.flaw is None:
            return parsed
        if found.flaw is Flaw.NO_OBJECT:
            found = parsed
    return found


def _candidate(text: str, at: int, schema: AnswerSchema) -> tuple[Parsed, int]:
    """What the object that may begin at this brace is, and where to look on."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return _undecodable(text, at, schema)
    return _fitted(value, schema, at, end)


def _undecodable(text: str, at: int, schema: AnswerSchema) -> tuple[Parsed, int]:
    key = _FIRST_KEY.match(text, at)
    if key is None or (schema.keys and key[1][1:-1] not in schema.keys):
        return _NOTHING, at + 1
    end = _closing_brace(text, at)
    if end is None:
        return Parsed(flaw=Flaw.TRUNCATED, reason="the JSON object in it does not end"), len(text)
    try:
        # Commas before a closing bracket mean nothing else, so leaving them out guesses nothing.
        value = _DECODER.decode(_TRAILING_COMMA.sub(r"\1", text[at:end]))
    except (ValueError, RecursionError):
        return Parsed(flaw=Flaw.WRONG_SCHEMA, reason="the object in it is not valid JSON"), end
    return _fitted(value, schema, at, end)


def _fitted(value: dict[str, Any], schema: AnswerSchema, at: int, end: int) -> tuple[Parsed, int]:
    if schema.keys and schema.keys.isdisjoint(value):
        wanted = ", ".join(sorted(schema.keys))
        return Parsed(flaw=Flaw.NO_OBJECT, reason=f"no object in it has any of the properties {wanted}"), at + 1
    if not _is_unicode(value):
        return Parsed(flaw=Flaw.WRONG_SCHEMA, reason="a string in it holds half of a surrogate pair"), end
    fit = schema.check(value)
    if isinstance(fit, Mismatch):
        return Parsed(flaw=Flaw.WRONG_SCHEMA, reason=f"it does not fit the schema: {fit.reason}"), end
    return Parsed(value=fit), end


def _closing_brace(text: str, at: int) -> int | None:
    """The position after the brace that closes the one here, strings respected."""
    depth = 0
    for token in _BRACE.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return None


def _is_unicode(value: dict[str, Any]) -> bool:
    """Whether every string can be stored: JSON can write code points that UTF-8 cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_number(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


# Line breaks in strings are let through: small models write them, and they can mean nothing else.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_number)
