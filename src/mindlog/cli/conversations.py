"""Files of conversations with questions: reading them, and the free-form times in them.

Owns the form `mindlog bench recall` reads: one conversation a line, `{id, turns: [{id, session, time, speaker, text}],
questions: [{id, question, evidence, category}]}`. Knows no store.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mindlog.errors import InvalidInput

__all__ = ["Conversation", "Question", "Turn", "parse_time", "read_conversations"]

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]  # not the locale's
_TIMES = (
    re.compile(
        r"(?P<hour>\d{1,2}):(?P<minute>\d\d) (?P<half>[ap]m) on (?P<day>\d{1,2}) (?P<month>[a-z]+),? (?P<year>\d{4})"
    ),
    re.compile(r"(?P<month>[a-z]+)-(?P<day>\d{1,2})-(?P<year>\d{4})"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One utterance. `occurred_at` is RFC 3339 in UTC, None if its time could not be read."""

    id: str
    session: str | None
    speaker: str | None
    occurred_at: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and the ids of the turns that hold its answer."""

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation and what is asked about it."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read_conversations(path: Path) -> list[Conversation]:
    """Read a file; `InvalidInput` names the line that is not a conversation."""
    try:
        with path.open(encoding="utf-8") as lines:
            return list(_conversations(path, lines))
    except OSError as exc:
        raise InvalidInput(f"{path}: {exc.strerror}", field="data") from exc


def _conversations(path: Path, lines: Iterator[str]) -> Iterator[Conversation]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _conversation(json.loads(line))
        except (ValueError, KeyError, TypeError) as exc:
            raise InvalidInput(f"{path}: line {number} is not a conversation: {exc!r}", field="data") from exc


def _conversation(raw: Mapping[str, Any]) -> Conversation:
    return Conversation(
        id=raw["id"],
        turns=tuple(
            Turn(
                id=turn["id"],
                session=turn.get("session"),
                speaker=turn.get("speaker"),
                occurred_at=parse_time(turn.get("time")),
                text=turn["text"],
            )
            for turn in raw["turns"]
        ),
        questions=tuple(
            Question(id=q["id"], text=q["question"], category=q["category"], evidence=tuple(q["evidence"]))
            for q in raw["questions"]
        ),
    )


def parse_time(text: str | None) -> str | None:
    """Return "1:56 pm on 8 May, 2023" or "March-15-2024" as RFC 3339, taken in UTC; None for anything else."""
    folded = (text or "").strip().lower()
    for form in _TIMES:
        if found := form.fullmatch(folded):
            return _instant(found.groupdict())
    return None


def _instant(parts: Mapping[str, str]) -> str | None:
    hour = int(parts.get("hour", 0)) % 12 + (12 if parts.get("half") == "pm" else 0)
    try:
        month = _MONTHS.index(parts["month"]) + 1
        moment = datetime(int(parts["year"]), month, int(parts["day"]), hour, int(parts.get("minute", 0)), tzinfo=UTC)
    except ValueError:
        return None
    return moment.isoformat()
