"""Reads numbers in the notations people use: 1,234.5 and 1.234,5 and 1 234,5 and 1'234.5 and 1.5e6.

Owns which of two readings a numeral has. Knows no unit and no sentence.

"1.234" is one and a bit where the point is the decimal mark, and over a thousand where the comma is. What a text's other
numerals show decides; then its language, if it makes thousands of it; if neither does, the numeral is left unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from mindlog.knowledge.wordlist import wordlist

__all__ = ["BLANKS", "NUMERAL", "Mark", "Marks", "Numeral", "marks_of", "read_numeral"]

Mark = str
"""A decimal mark: "." or ","."""

BLANKS: Final = "\u00a0\u202f\u2009"
"""The blanks that stand inside numbers and nowhere else."""

NUMERAL: Final = rf"\d(?:\d|[.,'’{BLANKS}](?=\d)|[ ](?=\d{{3}}(?!\d))){{0,40}}(?:[eE][+-]?\d{{1,3}}(?![\w.,]))?"
"""The shape of whatever may be a numeral; `read_numeral` says whether it is one."""

_GROUP = rf"['’{BLANKS} ]"
_POINT = re.compile(
    rf"(?:(?:[1-9]\d{{0,2}}(?:,\d{{3}})+|[1-9]\d?(?:,\d\d)+,\d{{3}}|[1-9]\d{{0,2}}(?:{_GROUP}\d{{3}})+|\d+)(?:\.\d+)?)(?:[eE][+-]?\d{{1,3}})?"
)
_COMMA = re.compile(rf"(?:(?:[1-9]\d{{0,2}}(?:\.\d{{3}})+|[1-9]\d{{0,2}}(?:{_GROUP}\d{{3}})+|\d+)(?:,\d+)?)")
_SEPARATORS = re.compile(rf"['’{BLANKS} ]")
_LARGEST: Final = Decimal("1e300")
# Words that stand in nearly every sentence of languages with a decimal point, and of those with a decimal comma.
_POINT_WORDS = wordlist(
    "the of and was were to is from with for it by year month quarter date total sales price units population revenue city country value"
)
_COMMA_WORDS = wordlist(
    """
der die das und von im auf bei lag betrug war le la les des et du au était est el los las del y fue en il di era nel
het een van jahr monat quartal datum umsatz gewinn preis année mois ventes fecha año precio ventas dos da em na na и в на с до было составила составил
"""
)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A numeral's values: with a decimal point, with a decimal comma; None where it cannot be read so."""

    point: Decimal | None
    comma: Decimal | None
    blanks: int  #: common blanks inside: with one it may be two numbers

    @property
    def votes_for(self) -> Mark | None:
        """The mark it shows to be the text's decimal mark, None if it shows none."""
        if (self.point is None) == (self.comma is None):
            return None
        return "," if self.point is None else "."

    def has_three_decimals(self, value: Decimal) -> bool:
        """Say whether the value is one of two readings and the one with three decimals: thousands are far more often meant.

        A language alone does not decide for it ("1.234" in English); another numeral does.
        """
        if self.point is None or self.comma is None or self.point == self.comma:
            return False
        return value == min(self.point, self.comma)

    def value(self, mark: Mark | None) -> Decimal | None:
        """Return the value where this is the decimal mark, None if it has none or, without a mark, two."""
        if self.point is None or self.comma is None:
            return self.comma if self.point is None else self.point
        if self.point == self.comma:
            return self.point
        return None if mark is None else self.point if mark == "." else self.comma


@dataclass(frozen=True, slots=True)
class Marks:
    """What a text says of its decimal mark: `shown` by other numerals, and what its `language` has."""

    shown: Mark | None = None
    language: Mark | None = None
    has_blanks: bool = False  #: numerals of several groups with blanks between them

    @property
    def mark(self) -> Mark | None:
        """The mark numerals are read with."""
        return self.shown or self.language


def read_numeral(said: str) -> Numeral | None:
    """Return what a numeral without a sign can mean, None if it is none."""
    point = _decimal(said, ",", ".") if _POINT.fullmatch(said) else None
    comma = _decimal(said, ".", ",") if _COMMA.fullmatch(said) else None
    if point is None and comma is None:
        return None
    return Numeral(point, comma, said.count(" "))


def marks_of(numerals: Iterable[Numeral], text: str) -> Marks:
    """Return what numerals and the words of their text show; numerals that disagree show nothing, and nor do words then."""
    numerals = list(numerals)
    has_blanks = any(numeral.blanks > 1 for numeral in numerals)
    shown = {vote for numeral in numerals if (vote := numeral.votes_for)}
    if len(shown) > 1:
        return Marks(has_blanks=has_blanks)
    return Marks(next(iter(shown), None), _mark_of_language(text), has_blanks)


def _decimal(said: str, group: str, mark: str) -> Decimal | None:
    value = Decimal(_SEPARATORS.sub("", said).replace(group, "").replace(mark, "."))
    return value if value <= _LARGEST else None


def _mark_of_language(text: str) -> Mark | None:
    words = _WORD.findall(text[:4_000].lower())
    point = sum(word in _POINT_WORDS for word in words)
    comma = sum(word in _COMMA_WORDS for word in words)
    if point == comma:
        return None
    return "." if point > comma else ","
