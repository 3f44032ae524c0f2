"""Units: one symbol for every spelling, what it measures, and exact conversion inside one dimension.

Factors are exact by definition (an inch is 25.4 mm); what differs from country to country (ton, gallon) or from day to
day (currencies) converts to nothing but itself. Knows no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Final

from mindlog.knowledge.extraction import name_key
from mindlog.knowledge.series.unitrows import CURRENCIES, MONEY_SIGNS, UNIT_ROWS

__all__ = ["MONEY", "NUMBER", "SPELLINGS", "Unit", "base_of", "compound", "convert", "dimension_of", "unit_of"]

NUMBER: Final = "number"
"""The dimension of what has no unit."""

MONEY: Final = "money"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: `value * factor + offset` is the value in its base, the unit all of its kind convert to."""

    symbol: str
    dimension: str
    base: str
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)


def unit_of(written: str) -> Unit | None:
    """Return the unit that a spelling or a symbol stands for, None if it is none we know."""
    said = written.strip()
    return _EXACT.get(said) or _FOLDED.get(said.lower()) or _EXACT.get(said.replace("²", "2").replace("³", "3"))


def base_of(symbol: str | None) -> str | None:
    """Return what a unit converts to: units of one base are compatible. An unknown one has itself, folded."""
    if symbol is None:
        return None
    known = unit_of(symbol)
    return known.base if known else name_key(symbol)


def dimension_of(symbol: str | None) -> str:
    """Return what a unit measures; an unknown one measures itself."""
    if symbol is None:
        return NUMBER
    known = unit_of(symbol)
    return known.dimension if known else name_key(symbol)


def compound(unit: Unit, per: str) -> Unit:
    """Return a unit for each of something, "t/ha" or "USD/kg". It converts to nothing but itself."""
    symbol = f"{unit.symbol}/{per}"
    return unit_of(symbol) or Unit(symbol, dimension_of(symbol), name_key(symbol))


def convert(value: float, source: str | None, target: str | None) -> float | None:
    """Return the value in another unit, rounded once; None if the two are not of one kind."""
    if source == target:
        return value
    if source is None or target is None:
        return None
    one, other = unit_of(source), unit_of(target)
    if one is None or other is None:
        return value if base_of(source) == base_of(target) else None
    if one == other:
        return value
    if one.base != other.base:
        return None
    # Through the decimal form: 62.6 is meant, not the binary fraction next to it.
    exact = (Fraction(repr(value)) * one.factor + one.offset - other.offset) / other.factor
    return float(exact)


def _units() -> Iterator[tuple[Unit, tuple[str, ...]]]:
    for dimension, rows in UNIT_ROWS.items():
        for row in rows.strip().splitlines():
            symbol, base, factor, offset, *spellings = (part.strip() for part in row.split("|"))
            unit = Unit(symbol, dimension, base or symbol, Fraction(factor or "1"), Fraction(offset or "0"))
            yield unit, (symbol, *(spelling for part in spellings for spelling in part.split(",") if spelling))
    for code, names in CURRENCIES.items():
        signs = (sign for sign, of in MONEY_SIGNS.items() if of == code)
        yield Unit(code, MONEY, code), (code, *signs, *(name for name in names.split(",") if name))


_EXACT: Final = {spelling.strip(): unit for unit, spellings in _units() for spelling in spellings}
# Words are read in any case; short symbols are not: "Mg" is no milligram and "k" no kelvin.
_WORDS: Final = {
    spelling: unit
    for spelling, unit in _EXACT.items()
    if len(spelling) > 4
    or unit.dimension == MONEY
    or spelling in ("kWh", "km/h", "kmh", "mph", "kg", "km", "feet", "days")
}
_FOLDED: Final = {spelling.lower(): unit for spelling, unit in _WORDS.items()}
# "12 in 2020" is a dozen and no length; "3 B" is too short to be bytes.
_UNCLEAR = frozenset({"in", "B"})


def _spellings() -> set[str]:
    cased = {form for word in _WORDS for form in (word.lower(), word.capitalize(), word.upper())}
    return {spelling for spelling in cased | _EXACT.keys() if spelling not in _UNCLEAR}


def _grouped(spellings: Iterable[str]) -> str:
    """Return an alternation that looks at a first character once."""
    ordered = sorted(spellings, key=lambda word: (word[0], -len(word), word))
    groups = ((first, [word[1:] for word in words]) for first, words in groupby(ordered, key=lambda word: word[0]))
    return "|".join(rf"{re.escape(first)}(?:{'|'.join(map(re.escape, rests))})" for first, rests in groups)


SPELLINGS: Final = _grouped(_spellings())
"""A pattern of every spelling that can stand after a number."""
