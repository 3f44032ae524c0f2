"""Blanks what is written for machines or for the eye: code, headings, labels. Their words are capitalised and state nothing.

The text keeps its length, so places stay true. One linear pass a shape.
"""

from __future__ import annotations

import re

from mindlog.knowledge.extraction import Span

__all__ = ["direct_speech", "without_code", "without_markup"]

_FENCE = re.compile(
    r"^[ \t]*(?P<mark>```|~~~)[^\n]*\n(?:(?![ \t]*(?P=mark))[^\n]*\n)*(?:[ \t]*(?P=mark)[^\n]*)?", re.MULTILINE
)
_INLINE = re.compile(r"`[^`\n]{1,200}`")
_TAG = re.compile(r"</?[A-Za-z!][^<>\n]{0,300}>")
_HEADING = re.compile(r"^[ \t]{0,8}#{1,6}[ \t][^\n]*", re.MULTILINE)
# "**Label**: ..." and "1. **Label:** ...", or a line that is all bold; bold words inside a sentence are left alone.
_LABEL = re.compile(
    r"^[ \t]*(?:[-*+•>][ \t]+|\d{1,3}[.)][ \t]+)*\*\*[^*\n]{1,120}(?::\*\*|\*\*[ \t]*:|\*\*[ \t]*$)", re.MULTILINE
)
# Words in quotation marks that make a sentence; a quotation mark stands at the edge of a word.
_SPEECH = re.compile(r"(?<![\w\"])\"(?=\w)[^\"\n]{15,2000}\"(?![\w\"])|“[^“”\n]{15,2000}”|«[^«»\n]{15,2000}»")
_BLANK = "\x1f"


def without_code(text: str) -> str:
    """Return the text with line breaks and blanks for fenced code."""
    return _FENCE.sub(_break, text) if "```" in text or "~~~" in text else text


def without_markup(text: str) -> str:
    """Return the text without fenced code, headings and labels, and with a mark for each piece of code or tag in a line."""
    text = without_code(text)
    if "`" in text:
        text = _INLINE.sub(_mark, text)
    if "<" in text:
        text = _TAG.sub(_mark, text)
    if "#" in text:
        text = _HEADING.sub(_break, text)
    return _LABEL.sub(_break, text) if "**" in text else text


def direct_speech(text: str) -> tuple[Span, ...]:
    """Return what stands in quotation marks and is long enough to be said by somebody: its "I" is not the writer's."""
    if '"' not in text and "“" not in text and "«" not in text:
        return ()
    return tuple(Span(*match.span()) for match in _SPEECH.finditer(text))


def _break(match: re.Match[str]) -> str:
    size = match.end() - match.start()
    return "\n" + " " * (size - 2) + "\n" if size > 1 else "\n"


def _mark(match: re.Match[str]) -> str:
    return _BLANK + " " * (match.end() - match.start() - 1)
