"""Finds e-mail addresses, links, phone numbers and handles. Bounded patterns only; knows nothing of whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from mindlog.knowledge.extraction import Span

__all__ = ["Contact", "find_contacts"]


class Contact(StrEnum):
    """What sort of contact it is; the value is the predicate that gives it to somebody."""

    EMAIL = "has_email"
    URL = "has_url"
    PHONE = "has_phone"
    HANDLE = "has_handle"


_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_URL = re.compile(r"(?<!\w)(?:https?://|www\.)[^\s<>\"'`{}|\\^]{3,2048}")
_HANDLE = re.compile(r"(?<![\w@.+%/-])@[A-Za-z_][\w.-]{1,38}(?<![.-])")
_PHONE = re.compile(
    r"(?<![\w.,/+-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,5}\)[ .-]?)?\d{1,5}(?:[ .-]\d{2,5}){1,5}(?![\w/-]|[.,]\d)|(?<![\w.,/-])\+\d{7,15}(?!\w)"
)
_PHONE_WORD = re.compile(
    r"(?<!\w)(?:phone|mobile|cell|call|text|tel|telephone|whatsapp|number|reach|fax|móvil|teléfono|telefon|电话|手机|電話)",
    re.IGNORECASE,
)
_TAIL = ".,;:!?)]}'\"”’…。，！？"
_PHONE_DIGITS = range(7, 16)
_LOOKS_DATED = re.compile(r"(?:19|20)\d\d[ .-]\d\d?[ .-]\d\d?|\d\d?[ .-]\d\d?[ .-](?:19|20)\d\d")


def find_contacts(text: str) -> Iterator[tuple[Contact, Span]]:
    """Yield every contact with its span, in order and without overlap."""
    end = 0
    for contact, span in sorted(_candidates(text), key=lambda item: (item[1].start, -item[1].end)):
        if span.start >= end:
            end = span.end
            yield contact, span


def _candidates(text: str) -> Iterator[tuple[Contact, Span]]:
    if "://" in text or "www." in text:
        for match in _URL.finditer(text):
            yield Contact.URL, Span(match.start(), match.start() + len(match.group().rstrip(_TAIL)))
    if "@" in text:
        yield from ((Contact.EMAIL, Span(*match.span())) for match in _EMAIL.finditer(text))
        yield from ((Contact.HANDLE, Span(*match.span())) for match in _HANDLE.finditer(text))
    yield from ((Contact.PHONE, Span(*match.span())) for match in _PHONE.finditer(text) if _is_phone(text, match))


def _is_phone(text: str, match: re.Match[str]) -> bool:
    said = match.group()
    if sum(map(str.isdecimal, said)) not in _PHONE_DIGITS or _LOOKS_DATED.fullmatch(said):
        return False
    # A plus or brackets make a number a phone's; without them a word beside it has to.
    return (
        said[0] in "+("
        or "(" in said
        or _PHONE_WORD.search(text, max(0, match.start() - 40), match.start()) is not None
    )
