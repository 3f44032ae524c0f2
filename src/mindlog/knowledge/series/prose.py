"""Reads series out of sentences: who or what, a verb, amounts and their times. Knows no table and no list.

A sentence is read from left to right: each verb takes the words before it as what is measured, each amount belongs to the
verb before it. "It" and a missing subject are what was measured last. One number by itself is a reading only of what is
usually measured, or in a unit; "I had 2 coffees yesterday" is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from mindlog.knowledge.extract.tokens import sentence_bounds
from mindlog.knowledge.extraction import SPEAKER, Span
from mindlog.knowledge.series.amounts import Amount, RawAmount, settled
from mindlog.knowledge.series.captions import Measured, measured
from mindlog.knowledge.series.collect import Reading
from mindlog.knowledge.series.doubts import CHANGE_VERBS, doubt_about, doubt_of_clause
from mindlog.knowledge.series.found import Found, LeftOut
from mindlog.knowledge.series.labels import (
    Label,
    can_stand_alone,
    entity_of,
    label_of,
    name_of_dimension,
    object_label,
)
from mindlog.knowledge.series.page import Page
from mindlog.knowledge.series.pairs import pairs_of
from mindlog.knowledge.series.times import When, dated
from mindlog.knowledge.series.units import MONEY

__all__ = ["amounts_in", "read_prose"]

_MOST_ELEMENTS: Final = 60  # amounts and times of one sentence; who writes more writes a table


class _Sort(StrEnum):
    IS = "is"
    CHANGES = "changes"
    HAS = "has"
    COSTS = "costs"
    WEIGHS = "weighs"


_VERBS = {
    _Sort.IS: r"was|were|is|are|been|stood|stands|reached|reaches|reach|hit|hits|totall?ed|totals|amounted|came|comes|averaged|averages|measured|measures|read|reads"
    r"|remained|stayed|became|becomes|counted|numbered|peaked|bottomed|ended|closed|opened|finished|started|began|followed"
    r"|betrug|betrugen|lag|lagen|war|waren|erreichte|était|étaient|est|atteignait|atteint|s['’]élevait|s['’]élève|fue|fueron|era|eran|ascendió|alcanzó|составила|составило|составил|составляло",
    _Sort.CHANGES: CHANGE_VERBS,
    _Sort.HAS: r"had|has|have|having|reported|reports|recorded|records|posted|posts|saw|sees|sold|generated|earned|produced|shipped|employed|employs|registered|logged|booked|counted|made|hosted|delivered|built|exported|imported|served|attracted|welcomed|treated|carried|emitted|consumed|used|hired|won|scored"
    r"|hatte|hatten|hat|avait|avaient|comptait|compte|tenía|tenían|tiene",
    _Sort.COSTS: r"cost|costs|sold\s+for|traded\s+at|kostete|kosten|coûtait|costaba",
    _Sort.WEIGHS: r"weighed|weighs|weigh|wog|wiegt|pesait|pesaba",
}
_VERB = re.compile(
    "|".join(rf"(?P<{sort}>(?<![\w'’-])(?:{words})(?![\w-]|['’]\w))" for sort, words in reversed(_VERBS.items())),
    re.IGNORECASE,
)
_COLON = re.compile(r"\s*:(?=\s)")
_OF = re.compile(r"(?P<said>[^,;:.()]{2,80}?)\s+(?:of|at)\s*$")
_WITH = re.compile(
    r"(?:,|and|with|while|on|plus)\s+(?:an?\s+|the\s+)?(?P<name>[a-z][\w-]*(?:\s[a-z][\w-]*){0,3})\s+(?:of|at|was|were)\s*$",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"^\s*(?!(?:from|to|by|at|in|up|down|slightly|sharply|steadily|further|again|only|just|back|as|of|on|over|about|around|nearly|almost|roughly)(?!\w))(?P<said>(?:(?:its|their|the|his|her|my|our)\s+)?[a-z][\w-]*(?:\s[a-z][\w-]*){0,3}?)\s+(?:\w+ly\s+)?(?:from|to|at|by|of)(?!\w)",
    re.IGNORECASE,
)
_TO = re.compile(r"(?<!\w)(?:to|from|at|reach\w*|auf|von|à|a|of)(?!\w)", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n\s*\n")
_QUESTION = re.compile(r"[?？]\s*[\"'”’)\]]*\s*$")


@dataclass(frozen=True, slots=True)
class _Verb:
    sort: _Sort
    start: int
    end: int
    label: Label
    said: str  #: the words before it


def read_prose(page: Page, found: Found) -> Iterator[Reading]:
    """Yield the readings of what a page holds besides tables and lists; what is none is counted in `found`."""
    last: Label | None = None
    for start, end in _sentences(page.prose):
        whens, raws = page.whens_in(start, end), page.raws_in(start, end)
        if not whens or not raws:
            last = None if _PARAGRAPH.search(page.prose, start, end) else last
            continue
        if _QUESTION.search(page.prose, max(start, end - 8), end):
            found.leave(LeftOut.QUESTION, len(raws))
            continue
        read = _Sentence(page, start, end, whens[:_MOST_ELEMENTS], raws[:_MOST_ELEMENTS], last)
        yield from read.readings(found)
        last = None if _PARAGRAPH.search(page.prose, start, end) else read.last


def amounts_in(page: Page, raws: Sequence[RawAmount], found: Found) -> list[Amount]:
    """Return the amounts that can be read, those of a row with the unit or the scale that only its last one names."""
    amounts: list[Amount] = []
    raws = _shared(page, raws)
    for raw in raws:
        amount = settled(raw, page.marks)
        if isinstance(amount, LeftOut):
            found.leave(amount)
        else:
            amounts.append(amount)
    return amounts


_JOINT = re.compile(r"\s*(?:,|,?\s*and|,?\s*or|to|-|–|und|auf|et|à)\s*(?:about\s+|around\s+)?")


def _shared(page: Page, raws: Sequence[RawAmount]) -> list[RawAmount]:
    shared = list(raws)
    for i in range(len(shared) - 2, -1, -1):
        raw, following = shared[i], shared[i + 1]
        gap = page.text[raw.span.end : following.span.start]
        if raw.power is None and (raw.unit is None or raw.is_money) and len(gap) < 24 and _JOINT.fullmatch(gap):
            takes_scale = following.is_spelt and raw.unit is None
            shared[i] = replace(
                raw,
                unit=raw.unit or following.unit,
                power=following.power if takes_scale else None,
                is_spelt=takes_scale,
            )
    return shared


class _Sentence:
    """One sentence while it is read. `last` is what was measured last when it ends."""

    def __init__(
        self, page: Page, start: int, end: int, whens: Sequence[When], raws: Sequence[RawAmount], last: Label | None
    ) -> None:
        self._page, self._text, self._start, self._end = page, page.prose, start, end
        self._whens, self._raws, self.last = whens, raws, last
        self._taken = sorted([*(when.span for when in whens), *(raw.span for raw in raws)])
        self._head = Measured("")
        self._verbs = list(self._find_verbs())

    def readings(self, found: Found) -> Iterator[Reading]:
        """Yield the sentence's readings, counting what is none."""
        amounts = self._sure(amounts_in(self._page, self._raws, found), found)
        pairs = pairs_of(self._text, amounts, self._whens)
        if not pairs:
            return
        found.leave(LeftOut.NO_TIME, len(amounts) - len(pairs))
        periods = dated([when for _, when in pairs], self._page.anchor, self._page.year)
        labels = self._labels([amount for amount, _ in pairs])
        if len(pairs) == 1 and not _is_telling(pairs[0][0], labels[0]):
            found.leave(LeftOut.SINGLE if labels[0].name else LeftOut.NO_NAME)
            return
        for (amount, when), period, label in zip(pairs, periods, labels, strict=True):
            if period is None:
                found.leave(LeftOut.FISCAL_YEAR if when.is_fiscal else LeftOut.AMBIGUOUS_TIME)
                continue
            self.last = label if label.name else self.last
            yield self._page.reading(label, period, self._head.of(amount), when)

    def _sure(self, amounts: Sequence[Amount], found: Found) -> list[Amount]:
        """Return the amounts that are readings by the words around them."""
        sure: list[Amount] = []
        at, doubt, changed = self._start, None, None
        for amount in amounts:
            gap = self._text[at : amount.span.start]
            goes_on = not any(at <= verb.start < amount.span.start for verb in self._verbs)
            doubt = doubt if doubt and goes_on else doubt_of_clause(gap)
            reason = doubt or doubt_about(self._text, amount.span, self._start) or self._scale_doubt(amount, amounts)
            if reason is None and changed and goes_on and changed.unit == amount.unit and not _TO.search(gap):
                reason = LeftOut.CHANGE  # "by 4% in 2021 and 8% in 2022"
            changed = amount if reason is LeftOut.CHANGE else None
            if reason:
                found.leave(reason)
            else:
                sure.append(amount)
            at = amount.span.end
        return sure

    def _scale_doubt(self, amount: Amount, amounts: Sequence[Amount]) -> LeftOut | None:
        """Doubt "$3.1" beside "$3.4 million"."""
        if amount.has_scale or abs(amount.number) >= 1000:
            return None
        scaled = any(other.has_scale and other.unit == amount.unit for other in amounts)
        return LeftOut.SCALE if scaled else None

    def _find_verbs(self) -> Iterator[_Verb]:
        edge, has = self._start, None
        earlier = self._apposed()
        colon = _COLON.search(self._text, self._start, self._taken[0].start)
        if colon and self._names(colon.start()):
            head = measured(self._text[self._start : colon.start()])
            earlier, self._head = label_of(head.words), head
            yield _Verb(_Sort.IS, colon.start(), colon.end(), earlier, "")
            edge = colon.end()
        for match in _VERB.finditer(self._text, edge, self._end):
            if self._inside(match.start()):
                continue
            edge = max(edge, self._edge_before(match.start()))
            sort = _Sort(str(match.lastgroup))
            said = self._text[edge : match.start()]
            label = entity_of(said) if sort is _Sort.HAS else label_of(said)
            label = self._resolved(label, earlier, has, sort)
            has = label.entity if sort is _Sort.HAS else None
            earlier, edge = label, match.end()
            yield _Verb(sort, match.start(), match.end(), label, said)

    def _apposed(self) -> Label | None:
        """Return what stands before the first number without a verb: "The company's debt, $4.0bn in 2019, fell"."""
        before = self._text[self._start : self._raws[0].span.start]
        return label_of(before) if before.rstrip().endswith((",", "(")) and not _VERB.search(before) else None

    def _names(self, colon: int) -> bool:
        """Say whether the words before a colon name what follows: they do not if they name who speaks."""
        words = self._text[self._start : colon]
        return len(words) <= 80 and (not self._page.is_dialogue or can_stand_alone(words))

    def _resolved(self, label: Label, earlier: Label | None, has: str | None, sort: _Sort) -> Label:
        if label.refers:
            whose = (self.last or earlier if label.entity else earlier or self.last) or Label(refers=True)
            return Label(whose.name, label.entity) if label.entity else whose
        if label.entity is None and has is not None:
            return Label(label.name, has)  # "Acme saw revenue rise"
        return label

    def _inside(self, at: int) -> bool:
        i = bisect_left(self._taken, Span(at + 1, 0)) - 1
        return i >= 0 and self._taken[i].end > at

    def _edge_before(self, at: int) -> int:
        i = bisect_left(self._taken, Span(at, 0)) - 1
        return self._taken[i].end if i >= 0 else self._start

    def _labels(self, amounts: Sequence[Amount]) -> list[Label]:
        labels: list[Label] = []
        current: Label | None = None
        at = self._start
        for amount in amounts:
            verb = next((verb for verb in reversed(self._verbs) if verb.start < amount.span.start), None)
            is_first = verb is not None and verb.end > at
            label = self._label(amount, verb, is_first=is_first, at=at, current=current)
            labels.append(_named(label, amount))
            current, at = label, amount.span.end
        return labels

    def _label(self, amount: Amount, verb: _Verb | None, *, is_first: bool, at: int, current: Label | None) -> Label:
        gap = self._text[max(at, self._edge_before(amount.span.start)) : amount.span.start]
        if not is_first:
            if current and (other := _WITH.search(gap)):
                return Label(other["name"], current.entity)
            if current is None and (of := _OF.search(gap)):
                return label_of(of["said"])
            return current or self._apposed() or self.last or Label()
        assert verb is not None
        said = self._text[max(verb.end, self._edge_before(amount.span.start)) : amount.span.start]
        if verb.sort is _Sort.HAS:
            return self._had(verb, said, amount, current or self.last)
        if verb.sort is _Sort.CHANGES and (changed := _OBJECT.match(said)):
            return Label(label_of(changed["said"]).name, entity_of(verb.said).entity or verb.label.entity)
        if verb.sort is _Sort.COSTS:
            return Label(f"{verb.label.name} price" if verb.label.name else "price", verb.label.entity)
        if verb.sort is _Sort.WEIGHS:
            return _weighed(verb.label)
        return verb.label

    def _had(self, verb: _Verb, said: str, amount: Amount, earlier: Label | None) -> Label:
        name = object_label(said, self._text[amount.span.end : amount.span.end + 80])
        label = Label(name, verb.label.entity)
        if name is None and earlier and (entity_of(verb.said).refers or earlier.entity == label.entity):
            return label.after(earlier)
        return label


def _weighed(label: Label) -> Label:
    if label.entity and label.name is None:
        return Label("weight", label.entity)
    if label.name and label.name[0].isupper():
        return Label("weight", label.name)
    return Label(f"{label.name} weight" if label.name else "weight", label.entity)


def _named(label: Label, amount: Amount) -> Label:
    if label.name or amount.unit is None:
        return label
    if label.entity == SPEAKER and amount.unit.dimension == "mass":
        return Label("weight", SPEAKER)
    return Label(name_of_dimension(amount.unit.dimension), label.entity)


def _is_telling(amount: Amount, label: Label) -> bool:
    if label.name is None:
        return False
    unit = amount.unit
    is_measured = unit is not None and unit.dimension not in (MONEY, "duration", "pounds", "length")
    return can_stand_alone(label.name) or is_measured


_SIGNS = frozenset("$€£¥₹")
_GLUED = re.compile(
    r"(?:^|[\s(])(?:Mio|Mrd|Tsd|ca|approx|[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec|Corp|Inc|Ltd|Co|bzw|\d)\.\s*$"
)


def _goes_on(text: str, at: int) -> bool:
    following = text[at : at + 2].strip()[:1]
    return following.isalnum() or following in _SIGNS


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield sentences, not cut after abbreviations that stand beside numbers."""
    begin: int | None = None
    for start, end, _ in sentence_bounds(text, 0, len(text)):
        begin = start if begin is None else begin
        if end < len(text) and _GLUED.search(text, max(begin, end - 12), end) and _goes_on(text, end):
            continue
        yield begin, end
        begin = None
    if begin is not None:
        yield begin, len(text)
