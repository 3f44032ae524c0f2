"""Finds words in a text whatever their case, accents, width and blanks, with their true places. Knows no name and no model."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from mindlog.index.folding import fold
from mindlog.knowledge.extraction import Span

__all__ = ["Finder"]

_MOST_PLACES = 1_000
_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"'))


class Finder:
    """A text that is searched many times."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded, self._places = _mapped(text)

    def first(self, words: str) -> Span | None:
        """Return where the words stand first, None if they do not."""
        return next(self._find(words), None)

    def all(self, words: str) -> tuple[Span, ...]:
        """Return all places of the words; in scripts that put blanks between words only whole ones count."""
        return tuple(span for _, span in zip(range(_MOST_PLACES), self._find(words), strict=False))

    def _find(self, words: str) -> Iterator[Span]:
        wanted, _ = _mapped(words.strip())
        at = self._folded.find(wanted) if wanted else -1
        while at >= 0:
            end = at + len(wanted)
            span = Span(self._places[at], self._places[end - 1] + 1)
            if not self._cuts(span):
                yield span
                at = self._folded.find(wanted, end)
            else:
                at = self._folded.find(wanted, at + 1)

    def _cuts(self, span: Span) -> bool:
        """Say whether a place begins or ends inside a word."""
        text = self._text
        return _is_joined(text[span.start - 1 : span.start], text[span.start]) or _is_joined(
            text[span.end - 1], text[span.end : span.end + 1]
        )


def _is_joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and _is_spaced(left) and _is_spaced(right)


def _is_spaced(char: str) -> bool:
    return char < "\u0590"  # Latin, Greek, Cyrillic and Armenian come first


def _mapped(text: str) -> tuple[str, list[int]]:
    """Return the folded text, blanks made one, and for each of its characters the place it comes from."""
    folded: list[str] = []
    places: list[int] = []
    blank = False
    for at, char in enumerate(text):
        if char.isspace():
            blank = bool(folded)
            continue
        if blank:
            folded.append(" ")
            places.append(at - 1)
            blank = False
        for part in _folded(char):
            folded.append(part)
            places.append(at)
    return "".join(folded), places


@functools.lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    return fold(char).casefold().translate(_QUOTES)
