"""What goes to the process that reads a document, and what comes back. Knows no process.

Lines of JSON, short ones, so that reading them never holds the event loop for long.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, cast

from mindlog import errors
from mindlog.errors import DocumentUnreadable, MindlogError
from mindlog.remember.marks import Mark, ReadDocument

__all__ = ["LONGEST_LINE", "Errand", "Reply", "error_line", "reply_lines"]

LONGEST_LINE = 2 << 20
"""Bytes of the longest line, with room to spare."""

_TEXT_PIECE, _MARKS_PIECE = 64 << 10, 1000


@dataclass(frozen=True, slots=True)
class Errand:
    """What the reading process is told in its first line; the document's bytes follow.

    seconds: of processor time after which it ends itself, should nobody end it. memory: bytes of its address space.
    """

    name: str | None
    content_type: str | None
    limit: int
    seconds: int
    memory: int

    def line(self) -> bytes:
        """Return it as a line."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def of(cls, line: bytes) -> Errand:
        """Read a line that `line` made."""
        return cls(**json.loads(line))


def reply_lines(document: ReadDocument) -> Iterator[bytes]:
    """Yield a document as lines."""
    yield _line({"title": document.title, "kind": document.kind, "pages": document.pages})
    for at in range(0, len(document.text), _TEXT_PIECE):
        yield _line({"text": document.text[at : at + _TEXT_PIECE]})
    marks = document.marks
    for at in range(0, len(marks), _MARKS_PIECE):
        yield _line({"marks": [[m.kind, m.start, m.end, m.level] for m in marks[at : at + _MARKS_PIECE]]})
    yield _line({"end": True})


def error_line(error: MindlogError) -> bytes:
    """Return an error as the only line of a reply."""
    return _line({"error": type(error).__name__, "detail": error.detail, "extra": error.extra})


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


class Reply:
    """A reply as it comes in, line by line."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._texts: list[str] = []
        self._marks: list[Mark] = []
        self._error: MindlogError | None = None
        self.is_whole = False

    def take(self, line: bytes) -> None:
        """Take one line."""
        value = cast("dict[str, Any]", json.loads(line))
        if "error" in value:
            self._error = _error(value)
            self.is_whole = True
        elif "text" in value:
            self._texts.append(value["text"])
        elif "marks" in value:
            self._marks += [Mark(*each) for each in value["marks"]]
        elif "end" in value:
            self.is_whole = True
        else:
            self._head = value

    def document(self) -> ReadDocument:
        """Return the document of a whole reply, or raise the error it tells of."""
        if self._error is not None:
            raise self._error
        return ReadDocument(
            self._head["title"], self._head["kind"], "".join(self._texts), tuple(self._marks), self._head["pages"]
        )


def _error(value: dict[str, Any]) -> MindlogError:
    kind = getattr(errors, value["error"], DocumentUnreadable)
    return kind(value["detail"], field="document", **value["extra"])
