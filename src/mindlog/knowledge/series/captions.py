"""Reads what stands above a table or a list: what it is of, in which unit, in which year. Knows no cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from mindlog.knowledge.series.amounts import Amount, measure_of
from mindlog.knowledge.series.labels import Label, can_stand_alone, is_place, label_of
from mindlog.knowledge.series.page import Page, only_year
from mindlog.knowledge.series.units import Unit

__all__ = ["Caption", "Measured", "caption_of", "measured"]

_HEADING = re.compile(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+(?P<atx>[^\n]{1,200})|\*\*(?P<bold>[^*\n]{1,200})\*\*[ \t]*$)", re.MULTILINE
)
_LINE = re.compile(r"[^\n]+")
_BRACKETS = re.compile(r"[(\[](?P<inside>[^()\[\]]{1,40})[)\]]")
_TAIL = re.compile(r"(?:,|/|\sin)\s*(?P<unit>[^\s,/][^,]{0,24})$")
_OFFERS = re.compile(
    r"^.*?(?<!\w)(?:(?:readings?|values?|measurements?|figures|numbers|data|table|overview|log|history|development|list)\s+(?:of|for)|(?:the\s+)?following|here\s+(?:is|are)|below(?:\s+(?:is|are))?"
    r"|shows?|table\s+\d+[.:]?|figure\s+\d+[.:]?)\s+(?:the\s+)?",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\s*[,–—-]?\s*(?:\b(?:in|for|from|by|of|since|per)\s+)?(?:[Qq][1-4]\s+)?\b(?:19|20)\d\d(?:\s*(?:-|–|to|and)\s*(?:19|20)?\d\d)?\b|\b(?:by|per)\s+(?:year|month|quarter|day|week|date)\b",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"\s+(?:readings?|values?|measurements?|figures|data|logs?|history|table|statistics|over\s+time)$", re.IGNORECASE
)
_MOST_ABOVE: Final = 200


@dataclass(frozen=True, slots=True)
class Measured:
    """Words without the unit and scale they name: "Revenue ($M)" is revenue, in dollars, times a million."""

    words: str
    unit: Unit | None = None
    power: int | None = None

    def of(self, amount: Amount) -> Amount:
        """Return an amount that names no unit and no scale with these; others are not theirs."""
        if amount.unit is not None or amount.has_scale or (self.unit is None and self.power is None):
            return amount
        value = float(amount.number.scaleb(self.power)) if self.power else amount.value
        return replace(amount, value=value, unit=self.unit, has_scale=self.power is not None)


@dataclass(frozen=True, slots=True)
class Caption:
    """What a table or list is of, as far as what stands above it says; `measure`: the unit and scale of its numbers."""

    label: Label
    measure: Measured
    year: int | None = None


def measured(said: str) -> Measured:
    """Part the unit and scale from the words of a header or caption."""
    for match in _BRACKETS.finditer(said):
        if found := measure_of(match["inside"]):
            return Measured(said[: match.start()] + said[match.end() :], *found)
    if (tail := _TAIL.search(said)) and (found := measure_of(tail["unit"])):
        return Measured(said[: tail.start()], *found)
    return Measured(said)


def caption_of(page: Page, start: int) -> Caption:
    """Return the caption of what begins at a character: the line above it, then the headings, then the title."""
    label, measure, year = Label(), Measured(""), None
    for words in _above(page, start):
        found = measured(words)
        label = label.after(_label(found.words))
        measure = measure if measure.unit or measure.power else found
        year = year or only_year(words)
    return Caption(label, measure, year)


def _label(words: str) -> Label:
    said = _OFFERS.sub("", words.strip(" \t#*_:|").strip(), count=1)
    label = label_of(_KIND.sub("", _TIMES.sub("", said).strip(" :,")).strip(" :,"))
    if label.refers:
        return Label()
    # "Sales at Acme" says whose they are, "A plan in Sheets" does not.
    is_whose = (
        label.entity is None
        or is_place(label.entity)
        or not re.search(rf"(?<!\w)(?:in|at|for)\s+(?:the\s+)?{re.escape(label.entity)}", said)
    )
    return label if is_whose or can_stand_alone(label.name or "") else Label(label.name)


def _above(page: Page, start: int) -> Iterator[str]:
    before = page.text.rfind("\n", 0, max(start - 1, 0))
    line = page.text[max(0, start - _MOST_ABOVE) : start].rstrip().rpartition("\n")[2]
    if line.strip() and "|" not in line and (before < start) and _is_caption(line):
        yield line
    heading = None
    for match in _HEADING.finditer(page.text, max(0, start - 20 * _MOST_ABOVE), start):
        heading = match["atx"] or match["bold"]
    yield from (words for words in (heading, page.heading, page.title) if words)


def _is_caption(line: str) -> bool:
    said = line.strip()
    return (
        said.endswith(":") or said.startswith("#") or (len(said.split()) <= 12 and not said.endswith((".", "!", "?")))
    )
