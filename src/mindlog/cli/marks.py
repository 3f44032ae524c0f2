"""Marks in a text: brackets around words, with numbers behind. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

__all__ = ["marked"]


def marked(text: str, spans: Iterable[tuple[int, int, int]]) -> str:
    """Return the text with `[` and `]numbers` around each span of characters (start, end, number).

    Numbers of one span stand together: `[I moved to Berlin]1,2 last week.` A span may lie in or across another one.
    """
    numbers: dict[tuple[int, int], list[str]] = defaultdict(list)
    for start, end, number in spans:
        numbers[start, end].append(str(number))
    opening: dict[int, str] = defaultdict(str)
    closing: dict[int, str] = defaultdict(str)
    for start, end in sorted(numbers, key=lambda span: (span[1], -span[0])):  # inner ones close first
        opening[start] += "["
        closing[end] += "]" + ",".join(numbers[start, end])
    cuts = sorted({0, len(text), *opening, *closing})
    pieces = [text[: cuts[0]]]
    for at, following in zip(cuts, [*cuts[1:], len(text)], strict=True):
        pieces.append(closing[at] + opening[at] + text[at:following])
    return "".join(pieces)
