"""How bytes become text: without loss, or not at all.

UTF-8 is tried first, since texts of other encodings are next to never valid in it; then what the text or its sender
declares; then what charset-normalizer finds. A text with zero bytes, or with as many control characters as no text has,
is binary.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from mindlog.errors import DocumentEmpty, DocumentUnreadable, MissingExtra
from mindlog.remember.readers.kinds import unknown_type

__all__ = ["decode"]

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Decoded in pieces, so that other threads come to their turn.
_PIECE = 1 << 20
_SAMPLE = 64 << 10
_HIGH = re.compile(rb"[\x80-\xff]")
# Tab, line ends, form feed and escape are what texts and logs have.
_CONTROLS = bytes(c for c in range(32) if c not in b"\t\n\v\f\r\x1b") + b"\x7f"
_MOST_CONTROLS = 0.01
_C1 = re.compile("[\x80-\x84\x86-\x9f]")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
# By the web's rules these names mean the Windows code page, which has letters where they have controls.
_ALIASES = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254"}
# ASCII bytes that mean other letters: such a text would pass for UTF-8.
_SEVEN_BIT = frozenset({"iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_kr", "hz"})
# Codecs of Python's that are no encodings of documents.
_NEVER = frozenset({"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "unicode-escape", "undefined"})


def decode(data: bytes, declared: str | None = None) -> str:
    """Return the text of bytes, without its byte order mark.

    declared: a content type, or any words with `charset=` in them, believed where UTF-8 does not fit.

    Raises:
        DocumentEmpty: there is nothing but white space.
        DocumentTypeUnknown: the bytes are no text.
        DocumentUnreadable: a text in a damaged or unknown encoding.
        MissingExtra: the encoding must be found out and charset-normalizer is not installed.
    """
    text = _decode(data, _declared(declared))
    if (at := text.find("\x00")) >= 0:
        raise unknown_type(f"no text: character {at} is NUL")
    if not text or text.isspace():
        raise DocumentEmpty("document: it has no text", field="document")
    return text


def _decode(data: bytes, declared: str | None) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _strict(data, encoding, len(mark))
    if (wide := _wide(data)) is not None:
        return _strict(data, wide)
    _check_text(data)
    if declared in _SEVEN_BIT:
        return _strict(data, declared)
    try:
        return _strict(data, "utf-8")
    except DocumentUnreadable as broken:
        return _other(data, declared, broken)


def _strict(data: bytes, encoding: str, start: int = 0) -> str:
    decoder = codecs.getincrementaldecoder(encoding)()
    parts: list[str] = []
    for at in range(start, len(data), _PIECE):
        held = len(decoder.getstate()[0])
        try:
            parts.append(decoder.decode(data[at : at + _PIECE], at + _PIECE >= len(data)))
        except UnicodeDecodeError as exc:
            raise DocumentUnreadable(
                f"document: not valid {encoding}: {exc.reason}, at byte {at - held + exc.start}",
                field="document",
                at=at - held + exc.start,
            ) from exc
    return "".join(parts)


def _wide(data: bytes) -> str | None:
    """Return UTF-16 without a mark if every other byte of the start is nearly always zero."""
    sample = data[:_SAMPLE]
    if len(sample) < 4 or len(data) % 2 or b"\x00" not in sample:
        return None
    even, odd = (sample[first::2].count(0) / (len(sample) // 2) for first in (0, 1))
    if odd > 0.9 and even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > 0.9 and odd < 0.1 else None


def _check_text(data: bytes) -> None:
    if (at := data.find(b"\x00")) >= 0:
        raise unknown_type(f"no text: byte {at} is NUL")
    sample = data[: 16 * _SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > max(2, len(sample) * _MOST_CONTROLS):
        raise unknown_type(f"no text: {controls} of its first {len(sample)} bytes are control characters")


def _other(data: bytes, declared: str | None, broken: DocumentUnreadable) -> str:
    """Decode what is not UTF-8. A text that nearly is gets no other reading: it would be read as nonsense."""
    sample = _sample(data, int(broken.extra["at"]))
    if _mostly_utf8(sample):
        raise broken
    for encoding in _candidates(sample, declared):
        try:
            text = _strict(data, encoding)
        except DocumentUnreadable:
            continue
        if not _C1.search(text):
            return text
    raise DocumentUnreadable(
        "document: its encoding is not known: it is not UTF-8, and no other decodes it whole; save it as UTF-8",
        field="document",
    ) from broken


def _sample(data: bytes, at: int) -> bytes:
    start = max(0, at - _SAMPLE // 4)
    return data[start : start + _SAMPLE]


def _mostly_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return len(text) - bad - len(text.encode("ascii", "ignore")) > bad


def _candidates(sample: bytes, declared: str | None) -> Iterator[str]:
    """Yield the encodings to try: the declared one, then those that fit a sample, best first."""
    if declared is not None:
        yield declared
    try:
        import charset_normalizer
    except ImportError as exc:
        raise MissingExtra(
            "a text that is not UTF-8 needs charset-normalizer: pip install 'mindlog[documents]'", field="document"
        ) from exc
    yield from (match.encoding for match in charset_normalizer.from_bytes(sample))


def _declared(words: str | None) -> str | None:
    """Return Python's name of the declared encoding, if it declares one that is known and decodes bytes to text."""
    match = _CHARSET.search(words or "")
    if match is None:
        return None
    try:
        info = codecs.lookup(match[1])
        codecs.getincrementaldecoder(info.name)
    except LookupError:
        return None
    name = info.name.lower()
    if name in _NEVER or not getattr(info, "_is_text_encoding", True):
        return None
    return _ALIASES.get(name, name)
