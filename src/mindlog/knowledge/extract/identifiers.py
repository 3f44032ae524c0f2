"""Finds identifiers: codes, versions, paths, and ISBN and IBAN numbers whose check digits are right. Knows no owner."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mindlog.knowledge.extraction import Span

__all__ = ["find_identifiers"]

_CODE = re.compile(
    r"(?<![\w./@#-])(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Z])[A-Z][A-Za-z\d]{0,15}(?:[-_][A-Za-z\d]{1,20}){1,6}(?![\w@/-])"
)
_VERSION = re.compile(
    r"(?<![\w./-])(?:v\d{1,5}(?:\.\d{1,6}){0,4}|\d{1,5}(?:\.\d{1,6}){2,4})(?:-?(?:rc|alpha|beta|a|b|dev|post)\.?\d{0,5})?(?![\w/-]|\.\d)"
)
_PATH = re.compile(
    r"(?<![\w:/.])(?:~|\.{1,2})?/[\w.@+-]{1,80}(?:/[\w.@+-]{1,80}){1,20}/?|(?<!\w)[A-Za-z]:\\[\w.@+ -]{1,80}(?:\\[\w.@+ -]{1,80}){0,20}"
)
_HEX = re.compile(
    r"(?<![\w-])(?:0x[\da-fA-F]{4,64}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[\da-f]{7,64})(?![\w-])"
)
_ISBN = re.compile(r"(?<![\w-])(?:97[89][- ]?)?\d(?:[- ]?\d){8}[- ]?[\dXx](?![\w-])")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,4})?(?!\w)")
_TICKET = re.compile(r"(?<![\w#&/])#\d{1,9}(?!\w)")


def find_identifiers(text: str) -> Iterator[Span]:
    """Yield the spans of identifiers, in order and without overlap."""
    end = 0
    for span in sorted(_candidates(text), key=lambda span: (span.start, -span.end)):
        if span.start >= end:
            end = span.end
            yield span


def _candidates(text: str) -> Iterator[Span]:
    if "/" in text or "\\" in text:
        yield from (Span(m.start(), m.start() + len(m.group().rstrip(" ."))) for m in _PATH.finditer(text))
    yield from (Span(*m.span()) for m in _IBAN.finditer(text) if _is_iban(m.group()))
    yield from (Span(*m.span()) for m in _ISBN.finditer(text) if _is_isbn(m.group()))
    if "-" in text or "_" in text:
        yield from (Span(*m.span()) for m in _CODE.finditer(text))
    yield from (Span(*m.span()) for shape in (_VERSION, _HEX, _TICKET) for m in shape.finditer(text))


def _is_isbn(said: str) -> bool:
    """ISO 2108: the weighted sum of the digits is 0 modulo 11 (ten digits) or 10 (thirteen)."""
    digits = [10 if char in "Xx" else int(char) for char in said if char not in "- "]
    if len(digits) == 10:
        return sum((10 - i) * digit for i, digit in enumerate(digits)) % 11 == 0
    return (
        len(digits) == 13 and 10 not in digits and sum(d * (3 if i % 2 else 1) for i, d in enumerate(digits)) % 10 == 0
    )


def _is_iban(said: str) -> bool:
    """ISO 13616: with the first four characters last and letters as 10 to 35, the number is 1 modulo 97."""
    plain = said.replace(" ", "")
    return 15 <= len(plain) <= 34 and int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1
