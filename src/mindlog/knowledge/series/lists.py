"""Reads series out of lists of dated readings: lines that are a time and a value and little else.

What stands above the list says what was measured, unless each line does. Knows no table and no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mindlog.knowledge.extraction import Span, name_key
from mindlog.knowledge.series.amounts import Amount
from mindlog.knowledge.series.captions import Caption, caption_of
from mindlog.knowledge.series.collect import Reading
from mindlog.knowledge.series.found import Found, LeftOut
from mindlog.knowledge.series.grid import Line
from mindlog.knowledge.series.labels import Label, can_stand_alone, label_of, name_of_dimension
from mindlog.knowledge.series.page import Page
from mindlog.knowledge.series.prose import amounts_in
from mindlog.knowledge.series.times import When, dated

__all__ = ["read_lists"]

_BULLET = re.compile(r"[ \t>]*(?:[-*•+–][ \t]+|\d{1,3}[.)][ \t]+)?[*_`(\[]*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_WORDS: Final = 5  # on a line besides its time and values
_LONGEST: Final = 160
_SENTENCE_END = re.compile(r"[a-zà-ÿ]{3,}[.!?]\s*$")
_VERB = re.compile(
    r"(?<!\w)(?:was|were|is|are|had|has|rose|fell|grew|dropped|increased|decreased|reached|hit|because|that|which|will|not)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Item:
    line: Line
    when: When
    amounts: list[Amount]


def read_lists(
    page: Page, lines: Sequence[Line], taken: Sequence[Span], found: Found
) -> Iterator[tuple[Span, list[Reading]]]:
    """Yield each list outside what is taken: the characters it covers and its readings."""
    block: list[_Item] = []
    blanks = 0
    ends = iter([*taken, Span(len(page.text) + 1, len(page.text) + 2)])
    closed = next(ends)
    for line in lines:
        while line.start >= closed.end:
            closed = next(ends)
        item = None if line.start >= closed.start else _item(page, line, found)
        if item is not None:
            block.append(item)
            blanks = 0
        elif line.text.strip() or blanks:
            yield from _read(page, block, found)
            block, blanks = [], 0
        else:
            blanks += 1
    yield from _read(page, block, found)


def _item(page: Page, line: Line, found: Found) -> _Item | None:
    if not 3 <= len(line.text) <= _LONGEST or "|" in line.text:
        return None
    first = line.start + (match.end() if (match := _BULLET.match(line.text)) else 0)
    whens, raws = page.whens_in(first, line.end), page.raws_in(first, line.end)
    if len(whens) != 1 or not raws or _SENTENCE_END.search(line.text) or _VERB.search(line.text):
        return None
    leads = first <= whens[0].span.start <= first + 1 and raws[0].span.start >= whens[0].span.end
    follows = len(raws) == 1 and first == raws[0].span.start
    words = len(_WORD.findall(page.text[first : line.end])) - len(
        _WORD.findall(page.text[whens[0].span.start : whens[0].span.end])
    )
    if not (leads or follows) or words > _MOST_WORDS * len(raws):
        return None
    item = _Item(line, whens[0], amounts_in(page, raws, found))
    return item if item.amounts and not _is_numbered(page, item) else None


def _is_numbered(page: Page, item: _Item) -> bool:
    """Say whether the number is a part of the name before it: "Tuesday: edit scene 1"."""
    amount = item.amounts[0]
    lead = page.text[item.when.span.end : amount.span.start].strip(" \t:=–—-*_|()")
    return bool(_WORD.search(lead)) and amount.unit is None and not can_stand_alone(lead) and ":" not in lead


def _read(page: Page, block: Sequence[_Item], found: Found) -> Iterator[tuple[Span, list[Reading]]]:
    if len(block) >= 2:
        span = Span(block[0].line.start, block[-1].line.end)
        yield span, list(_readings(page, block, caption_of(page, span.start), found))


def _readings(page: Page, block: Sequence[_Item], caption: Caption, found: Found) -> Iterator[Reading]:
    periods = dated([item.when for item in block], page.anchor, caption.year or page.year)
    names = _names(page, block)
    for item, period in zip(block, periods, strict=True):
        if period is None:
            found.leave(LeftOut.FISCAL_YEAR if item.when.is_fiscal else LeftOut.AMBIGUOUS_TIME, len(item.amounts))
            continue
        for at, amount in enumerate(item.amounts):
            own = caption.measure.of(amount)
            label = _label(names[at], own, caption, is_first=at == 0)
            yield page.reading(label, period, own, item.when)


def _label(name: Label | None, amount: Amount, caption: Caption, *, is_first: bool) -> Label:
    if name is not None and name.name:
        return name.after(caption.label)
    dimension = name_of_dimension(amount.unit.dimension) if amount.unit else None
    caption_name = caption.label.name
    if not is_first or caption_name is None:
        return Label(dimension, caption.label.entity)
    if dimension and caption.label.entity is None and not can_stand_alone(caption_name):
        return Label(dimension, caption_name)  # degrees under "Sensor 7" are its temperature
    return caption.label


def _names(page: Page, block: Sequence[_Item]) -> dict[int, Label]:
    """Return what the lines themselves call the values at each place, where all that have one call it the same."""
    names: dict[int, Label] = {}
    for at in range(max((len(item.amounts) for item in block), default=0)):
        said = [_words_beside(page, item, at) for item in block if at < len(item.amounts)]
        keys = {name_key(words) for words in said}
        names[at] = label_of(said[0]) if len(keys) == 1 and said[0] else Label()
    return names


def _words_beside(page: Page, item: _Item, at: int) -> str:
    """Return the words between what stands before an amount and itself, or else after it to the next comma."""
    amount = item.amounts[at]
    before = item.amounts[at - 1].span.end if at else max(item.when.span.end, item.line.start)
    lead = page.text[before : amount.span.start] if before < amount.span.start else ""
    lead = lead.rpartition(",")[2].strip(" \t:=–—-*_|()")
    after = re.split(r"[,;|/(]", page.text[amount.span.end : item.line.end], maxsplit=1)[0].strip(" \t:=–—-*_|().")
    if item.when.span.start >= amount.span.end:
        after = ""
    return lead or after
