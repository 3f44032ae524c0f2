"""Finds amounts: a numeral with its sign, scale and unit, where it stands. Knows no time and no series.

A number that names or counts something else is none: "Q3", "section 3.1", "10-K", "3D", "120/80", "1st".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from mindlog.knowledge.extraction import Span
from mindlog.knowledge.series.found import LeftOut
from mindlog.knowledge.series.numerals import NUMERAL, Marks, Numeral, marks_of, read_numeral
from mindlog.knowledge.series.unitrows import CURRENCIES, MONEY_SIGNS, SCALES
from mindlog.knowledge.series.units import MONEY, SPELLINGS, Unit, compound, unit_of

__all__ = ["Amount", "RawAmount", "find_raw", "marks_in", "measure_of", "read_amount", "settled"]

_SCALE_WORDS = "|".join(sorted((re.escape(word) for word in SCALES if len(word) > 1), key=len, reverse=True))
_MONEY_BEFORE = "|".join(sorted((re.escape(sign) for sign in (*MONEY_SIGNS, *CURRENCIES)), key=len, reverse=True))
_BLANK = "[ \u00a0\u202f\u2009]"
_SCALE = rf"(?:(?P<letter>[kKMmBbT])(?![\w/²³])|{_BLANK}?(?P<scale>(?i:{_SCALE_WORDS}))(?!\w)\.?)"
_UNIT = (
    rf"{_BLANK}?(?:(?:d['’]|de{_BLANK}|of{_BLANK})(?=[eEdDtUk]))?(?P<unit>{SPELLINGS})(?:(?<=[%‰°€£¥₹₽₩₿$²³])|(?!\w))"
)
_AMOUNT = re.compile(
    rf"(?P<before>(?<![\w$])(?:{_MONEY_BEFORE}){_BLANK}?)?(?<![\w.,/:#’'-])(?P<sign>(?<![\w)%])[-−+])?(?P<inner>(?<=[-−+])[$€£¥₹])?"
    rf"(?P<numeral>{NUMERAL})(?:{_SCALE})?(?:{_UNIT})?(?:/(?P<per>[^\W\d_]{{1,8}}[²³]?))?(?![\w/:]|[-–][^\W\d_]|['’]\w)",
)
_MEASURE = re.compile(
    rf"(?:in{_BLANK})?(?P<before>{_MONEY_BEFORE})?{_BLANK}?(?:(?P<letter>[kKMBmb])(?!\w)|(?P<scale>(?i:{_SCALE_WORDS}))(?!\w)\.?)?"
    rf"(?:{_BLANK}?(?:of{_BLANK})?(?P<unit>{SPELLINGS}|in))?",
)
_LABEL = re.compile(
    r"(?:\b(?:no|nr|page|p|pp|chapter|section|sec|figure|fig|table|version|v|step|part|item|line|room|phase|level|grade|class|article|note|rule|issue"
    r"|group|model|type|day|week|flight|route|highway|bus|step|appendix|top|number|scene|act|episode|lesson|task|sprint|draft)\.?[ ]?|#)$",
    re.IGNORECASE,
)
_LONGEST_LABEL = 12


@dataclass(frozen=True, slots=True)
class RawAmount:
    """An amount whose numeral may have two readings. `power`: the power of ten of its scale, None without one."""

    span: Span
    numeral: Numeral
    is_negative: bool
    power: int | None
    unit: Unit | None
    is_spelt: bool = False  #: its scale is a word, which can stand for the amounts before it too

    @property
    def is_money(self) -> bool:
        """Whether it is an amount of money."""
        return self.unit is not None and self.unit.dimension == MONEY


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit. `value` holds the scale."""

    span: Span
    value: float
    unit: Unit | None
    has_scale: bool
    number: Decimal  #: without the scale


def find_raw(text: str, start: int = 0, end: int | None = None) -> Iterator[RawAmount]:
    """Yield the amounts of a stretch in order. Linear in it."""
    for match in _AMOUNT.finditer(text, start, len(text) if end is None else end):
        numeral = read_numeral(match["numeral"])
        if match["per"] and not (match["unit"] or match["before"] or match["inner"]):
            continue  # "5/day"
        if numeral and not _LABEL.search(text, max(start, match.start() - _LONGEST_LABEL), match.start()):
            yield _raw(match, numeral)


def read_amount(cell: str, marks: Marks) -> Amount | LeftOut | None:
    """Return the amount that a cell is, why it cannot be read, or None if it is none. "(3.2)" is negative."""
    said = cell.strip().rstrip("*†‡ ").strip("_`*~≈ ")
    negative = said.startswith("(") and said.endswith(")")
    raws = list(find_raw(said[1:-1] if negative else said))
    if len(raws) != 1 or raws[0].span != Span(0, len(said) - 2 * negative):
        return None
    raw = replace(raws[0], is_negative=raws[0].is_negative or negative)
    return settled(raw, marks, is_alone=True)


def settled(raw: RawAmount, marks: Marks, *, is_alone: bool = False) -> Amount | LeftOut:
    """Return the amount with the decimal mark of its text, or why nobody can say what it is.

    `is_alone`: nothing stands beside it that a blank could part it from.
    """
    if raw.numeral.blanks == 1 and not is_alone and marks.mark != "," and not marks.has_blanks:
        return LeftOut.AMBIGUOUS_NUMBER
    number = raw.numeral.value(marks.mark)
    if number is None or (marks.shown is None and raw.numeral.has_three_decimals(number)):
        return LeftOut.AMBIGUOUS_NUMBER
    signed = -number if raw.is_negative else number
    return Amount(raw.span, float(signed.scaleb(raw.power or 0)), raw.unit, raw.power is not None, signed)


def measure_of(said: str) -> tuple[Unit | None, int | None] | None:
    """Return the unit and the power of ten that words name by themselves: "$M", "million EUR", "in thousands", "km/h"."""
    match = _MEASURE.fullmatch(said.strip())
    if match is None or not said.strip():
        return None
    unit = unit_of(match["before"] or match["unit"] or "")
    if match["letter"] in ("m", "b") and not match["before"]:
        return (unit_of("m"), None) if match["letter"] == "m" and unit is None else None
    power = SCALES.get(match["letter"] or (match["scale"] or "").lower())
    return (unit, power) if unit or power else None


def marks_in(raws: Iterable[RawAmount], text: str) -> Marks:
    """Return what the amounts and words of a text say of its decimal mark."""
    return marks_of((raw.numeral for raw in raws), text)


def _raw(match: re.Match[str], numeral: Numeral) -> RawAmount:
    before = (match["before"] or match["inner"] or "").strip()
    unit = unit_of(before) if before else None
    letter, scale, end = match["letter"], match["scale"], match.end()
    said = unit_of(match["unit"]) if match["unit"] else None
    unit = unit or said
    power = SCALES[letter] if letter else SCALES.get(scale, SCALES.get(scale.lower())) if scale else None
    if letter and letter in "mbT" and not (unit and unit.dimension == MONEY):
        # "3m" is three metres; "3b" and "3T" are nobody's guess.
        power, unit = None, unit or unit_of(letter) if letter == "m" else unit
    if match["per"] and unit:
        unit = compound(unit, match["per"])
    return RawAmount(Span(match.start(), end), numeral, match["sign"] in ("-", "−"), power, unit, bool(scale))
