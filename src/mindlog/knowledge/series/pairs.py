"""Pairs amounts with the times they are of, by how they stand beside each other in one stretch of text.

"3.1M in Q1 and 3.4M in Q2" pairs neighbours, "from 12% to 15% between 2019 and 2020" pairs rows, "2019: 5, 2020: 6" and
"in 2019 it was 5" pair a time with what follows. Knows no name. Linear in the amounts and times.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from mindlog.knowledge.extraction import Span
from mindlog.knowledge.series.amounts import Amount
from mindlog.knowledge.series.labels import counted
from mindlog.knowledge.series.times import When

__all__ = ["pairs_of"]

_Element = Amount | When

_SMALL = (
    r"in|for|during|on|at|by|as|of|within|over|between|from|back|early|late|mid|the|end|month|quarter|year|fiscal|calendar|already|only"
    r"|im|am|zum|jahr|monat|en|au|le|el|año|année|mois|mes|fy|around|about|through|until|per|each|annually"
)
_BESIDE = re.compile(rf"\s*[(\[]?\s*(?:(?:{_SMALL})(?!\w)[\s-]*){{0,4}}", re.IGNORECASE)
# "since 2019" and "until May" say how long, not when.
_PERIODS = re.compile(
    r"(?<!\w)(?:since|until|till|through|before|after|per|seit|bis|depuis|desde|hasta)(?!\w)", re.IGNORECASE
)
_ROW = re.compile(
    r"\s*(?:,|;|/|&|–|—|-)?\s*(?:(?:and|to|then|versus|vs\.?|und|auf|et|y|a|à|bis|through|finally|from|in|the|respectively|,)(?!\w)\s*){0,3}",
    re.IGNORECASE,
)
_COLON = re.compile(r"[\s)\]*_]*(?:[:=|→\t]|[–—-]|\s|\))[\s*_(]*(?:(?:about|approx\.?|ca\.?|around|~|≈)\s*)?")
_CLOSED = re.compile(r"\)\s*[,;]")
_CLOSE = re.compile(r"\s*(?:at|to|with|was|were|is|by|bei|auf|um|war|:|,|=|\))?\s*", re.IGNORECASE)
_OPENS = re.compile(
    rf"(?:^|[.,;:\n]|(?<!\w)(?:and|but|while|then|und|et|y|when|whereas)(?!\w))\s*(?:(?:{_SMALL})(?!\w)\s*){{0,5}}$|(?:^|[.,;]\s)(?:at|in|on|by)\s+the\s+(?:[a-z]+\s+){{1,6}}\($",
    re.IGNORECASE,
)
_FARTHEST: Final = 160  # characters between a time and the number it leads up to


@dataclass(slots=True)
class _Row:
    """Neighbours of one kind with nothing but commas and small words between them."""

    is_time: bool
    members: list[_Element]


def pairs_of(text: str, amounts: Sequence[Amount], whens: Sequence[When]) -> list[tuple[Amount, When]]:
    """Return the amounts that have a time, each with it, in order of the amounts."""
    elements: list[_Element] = sorted([*amounts, *whens], key=lambda element: element.span)
    rows = _rows(text, elements)
    paired: dict[Span, When] = {}
    used: set[Span] = set()
    _zip_rows(text, rows, paired, used)
    if _leads(text, elements):
        _pair_after(text, elements, paired, used, near=True)
    _pair_before(text, elements, paired, used)
    _pair_after(text, elements, paired, used, near=False)
    return [(amount, paired[amount.span]) for amount in amounts if amount.span in paired]


def _rows(text: str, elements: Sequence[_Element]) -> list[_Row]:
    rows: list[_Row] = []
    for element in elements:
        is_time = isinstance(element, When)
        if rows and rows[-1].is_time == is_time:
            gap = text[rows[-1].members[-1].span.end : element.span.start]
            if len(gap) < 40 and _ROW.fullmatch(gap):
                rows[-1].members.append(element)
                continue
        rows.append(_Row(is_time, [element]))
    return rows


def _zip_rows(text: str, rows: Sequence[_Row], paired: dict[Span, When], used: set[Span]) -> None:
    """Pair a row of amounts with the row of as many times beside it. One number for several times is a reading of none."""
    at = 0
    while at + 1 < len(rows):
        one, other = rows[at], rows[at + 1]
        gap = text[one.members[-1].span.end : other.members[0].span.start]
        joined = one.is_time or _BESIDE.fullmatch(gap)
        if len(one.members) == len(other.members) > 1 and joined and ";" not in gap and len(gap) <= _FARTHEST:
            times, amounts = (one, other) if one.is_time else (other, one)
            for when, amount in zip(times.members, amounts.members, strict=True):
                assert isinstance(when, When)
                paired[amount.span] = when
                used.add(when.span)
            at += 2
            continue
        if one.is_time and len(one.members) > 1:
            used.update(when.span for when in one.members)
        at += 1
    if rows and at < len(rows) and rows[at].is_time and len(rows[at].members) > 1:
        used.update(when.span for when in rows[at].members)


def _leads(text: str, elements: Sequence[_Element]) -> bool:
    """Say whether the times stand before their numbers as labels do: "2019: 5, 2020: 6"."""
    if len(elements) < 2 or not isinstance(elements[0], When) or isinstance(elements[1], When):
        return False
    return _COLON.fullmatch(text[elements[0].span.end : elements[1].span.start]) is not None


def _pair_before(text: str, elements: Sequence[_Element], paired: dict[Span, When], used: set[Span]) -> None:
    """Pair an amount with the time just after it: "3.1M in Q1"."""
    for amount, when in pairwise(elements):
        if isinstance(amount, When) or not isinstance(when, When) or amount.span in paired or when.span in used:
            continue
        gap = text[amount.span.end : when.span.start]
        if _BESIDE.fullmatch(_without_noun(gap)) and not _PERIODS.search(gap):
            paired[amount.span] = when
            used.add(when.span)


def _pair_after(
    text: str, elements: Sequence[_Element], paired: dict[Span, When], used: set[Span], *, near: bool
) -> None:
    """Pair an amount with the time that leads up to it: "2019: 5" if `near`, else also "in 2019 it was 5"."""
    for when, amount in pairwise(elements):
        if not isinstance(when, When) or isinstance(amount, When) or amount.span in paired or when.span in used:
            continue
        gap = text[when.span.end : amount.span.start]
        said = text[max(0, when.span.start - 60) : when.span.start]
        if _COLON.fullmatch(gap) if near else _leads_up(said, gap):
            paired[amount.span] = when
            used.add(when.span)


def _leads_up(said: str, gap: str) -> bool:
    """Say whether a time leads up to the number after a gap: it opens its clause, or little stands between."""
    if len(gap) > _FARTHEST or _PERIODS.search(said[-12:]) or _CLOSED.match(gap):
        return False
    return _CLOSE.fullmatch(gap) is not None or _OPENS.search(said) is not None


def _without_noun(gap: str) -> str:
    """Return a gap without the thing that was counted: "1,200 users in 2019"."""
    noun = counted(gap)
    return gap[gap.index(noun) + len(noun) :] if noun else gap
