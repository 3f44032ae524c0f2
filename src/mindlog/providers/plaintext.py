"""Plain text of what the web says: no markup, no scripts, no characters that hide or reorder. Knows no provider."""

from __future__ import annotations

import re
from html.parser import HTMLParser

__all__ = ["line", "plain"]

_HIDDEN = frozenset({"script", "style", "noscript", "template", "iframe", "object", "svg"})
_BREAKS = frozenset(
    {"blockquote", "br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "p", "pre", "tr"}
)
_TAG = re.compile(r"(?<!<)<++(?=[a-zA-Z/!?])")
# The parser looks for the end of a tag again from each beginning of one, to the end of the text.
_UNENDED = re.compile(r"<(?=[a-zA-Z/!?])(?![^<>]*+>)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# Marks that reorder a line, and characters that hide text from a reader's eyes. Joiners stay: scripts need them.
_UNSEEN = re.compile("[\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
# Markup has this many characters at most for one of text; what comes later is not read.
_RAW = 10
# Text that was escaped more than once still holds markup after the first reading.
_READINGS = 3


def plain(text: str, limit: int) -> str:
    """At most `limit` characters of text: markup gone, entities read, blocks on lines of their own, spaces single."""
    text = _unmarked(_seen(_beginning(text, limit * _RAW)))
    text = re.sub(r"[^\S\n]+", " ", text)
    text = re.sub(r" ?\n\s*", "\n", text).strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def line(text: str, limit: int) -> str:
    """The same as one line."""
    return " ".join(plain(text, limit).split())


def _beginning(text: str, limit: int) -> str:
    """The beginning of a text, none of its tags cut."""
    if len(text) <= limit:
        return text
    text = text[:limit]
    return text[: text.rfind("<")] if text.rfind("<") > text.rfind(">") else text


def _seen(text: str) -> str:
    return _CONTROL.sub(" ", _UNSEEN.sub("", text))


def _unmarked(text: str) -> str:
    for _ in range(_READINGS):
        if "&" not in text and not _TAG.search(text):
            break
        text = _seen(_read(text))
    return _TAG.sub("", text)


def _read(text: str) -> str:
    reader = _Reader()
    # A marked section of a kind the parser does not know makes it give up.
    reader.feed(_UNENDED.sub("", text).replace("<![", "< ["))
    reader.close()
    return "".join(reader.parts)


class _Reader(HTMLParser):
    """Keeps what a reader of the page would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden.append(tag)
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and self._hidden[-1] == tag:
            self._hidden.pop()
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)
