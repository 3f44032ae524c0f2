"""Makes one spelling of the many that mean the same: width, accents, letter variants, digits, Han variants.

Owns the character tables; knows nothing of words. Case is kept: the words module still reads camelCase from it.
"""

from __future__ import annotations

import functools
import unicodedata
from pathlib import Path

import regex

__all__ = ["fold"]

# Letters that have no decomposition but are typed without their stroke or ligature by most who search for them.
_LETTERS = {
    "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H", "ŧ": "t",
    "Ŧ": "T", "ı": "i", "ĸ": "k", "ŋ": "n", "Ŋ": "N", "ƒ": "f", "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE",
    "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "TH",
    "ى": "ي", "ی": "ي", "ة": "ه", "ک": "ك", "ە": "ه",
}  # fmt: skip
_PUNCTUATION = {
    **dict.fromkeys("‘’‛ʼʻʹ′`＇", "'"),
    **dict.fromkeys("‐‑‒–−", "-"),
    "—": " ",
}
# The zero of each decimal digit run that people type: Arabic, Persian, Devanagari, Bengali, Thai, Lao, Myanmar, Khmer.
_ZEROS = (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xED0, 0x1040, 0x17E0)

# What goes: combining accents, Hebrew points, Arabic vowel signs and tatweel, joiners and other invisible characters.
# The breve, diaeresis and acute stay on the Cyrillic letters they make another letter of (й ў ї ѓ ќ).
_MARKS = regex.compile(
    r"[\u0300\u0302-\u0305\u0307\u0309-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe2f\U000e0100-\U000e01ef"
    r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    r"\u06ea-\u06ed\u0640\u00ad\u034f\u061c\u180b-\u180e\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+"
    r"|(?<![иИуУ])\u0306|(?<![іІ])\u0308|(?<![гГкК])\u0301"
)


def fold(text: str) -> str:
    """Return NFKC text with accents and variants folded; the same for every canonically equivalent input.

    "Łódź" gives "Lodz", "換算" gives "换算", "ｆｕｌｌ" gives "full". Any string is accepted.
    """
    if text.isascii():
        return text.replace("`", "'")
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", plain).translate(_table())


@functools.cache
def _table() -> dict[int, str]:
    pairs = {**_LETTERS, **_PUNCTUATION, **_han_variants()}
    digits = {zero + value: str(value) for zero in _ZEROS for value in range(10)}
    return {ord(char): target for char, target in pairs.items()} | digits


def _han_variants() -> dict[str, str]:
    source = Path(__file__).with_name("han_variants.txt").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in source.splitlines() if not line.startswith("#"))
    return {variant: kept for kept, variants in rows for variant in variants}
