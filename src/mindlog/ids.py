"""Identifiers: the 128-bit MemoryId and the prefixed random ids. Owns their text forms; knows no store.

A memory id is `mem_` and 26 characters of Crockford base32 over shard (16 bits), slot (48), version (32) and 32 bits
reserved as zero. A row's number is shown as a prefix and 13 such characters (`ent_`, `stm_`, `enc_`, `rem_`, `qry_`, `ser_`, `img_`). Other ids are a prefix and a UUIDv7-like 128-bit number in the same alphabet, so they sort by time.
"""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass
from typing import Literal

from mindlog.errors import InvalidInput

__all__ = [
    "MAX_SLOT",
    "MAX_VERSION",
    "MemoryId",
    "Operation",
    "new_id",
    "number_id",
    "operation_of",
    "parse_number_id",
    "parse_run_id",
    "run_id",
]

MAX_SHARD = (1 << 16) - 1
MAX_SLOT = (1 << 48) - 1
MAX_VERSION = (1 << 32) - 1
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# Crockford: a reader may type o for 0 and i or l for 1.
_VALUES = {ch: i for i, ch in enumerate(_ALPHABET)} | {"O": 0, "I": 1, "L": 1}
_PAIRS = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
_NUMBER_CHARACTERS = 13

Operation = Literal["encode", "remember", "query"]
"""The operations whose runs are on record."""

_RUNS: dict[Operation, str] = {"encode": "enc", "remember": "rem", "query": "qry"}
_OPERATIONS: dict[str, Operation] = {prefix: operation for operation, prefix in _RUNS.items()}
_TEXT = re.compile(r"mem_[0-9A-Za-z]{26}", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class MemoryId:
    """One revision of one memory. `slot` is the row's integer key; an edit keeps it and raises `version` (from 1)."""

    shard: int
    slot: int
    version: int

    def __post_init__(self) -> None:
        """Refuse parts outside their bits."""
        if not (0 <= self.shard <= MAX_SHARD and 0 <= self.slot <= MAX_SLOT and 0 <= self.version <= MAX_VERSION):
            raise InvalidInput("memory_id: a part is out of range", field="memory_id")

    def __str__(self) -> str:
        """Return the text form."""
        return "mem_" + _encode((self.shard << 112) | (self.slot << 64) | (self.version << 32))

    @classmethod
    def parse(cls, text: str, field: str = "memory_id") -> MemoryId:
        """Read the text form; anything else is `InvalidInput` on `field`."""
        if not isinstance(text, str) or not _TEXT.fullmatch(text):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"{field}: {str(text)[:64]!r} is not a memory id", field=field)
        number = _decode(text[4:].upper(), text, field)
        if number >> 128 or number & 0xFFFFFFFF:
            raise InvalidInput(f"{field}: {text!r} is not a memory id", field=field)
        return cls(number >> 112, (number >> 64) & MAX_SLOT, (number >> 32) & MAX_VERSION)


def new_id(prefix: str) -> str:
    """Return `<prefix>_` and 26 characters: 48 bits of milliseconds, then 80 random bits."""
    return f"{prefix}_{_encode(((time.time_ns() // 1_000_000) << 80) | secrets.randbits(80))}"


def number_id(prefix: str, number: int) -> str:
    """Return `<prefix>_` and 13 characters over a row's 63-bit number; such ids sort by it."""
    return f"{prefix}_{''.join(_PAIRS[(number >> shift) & 1023] for shift in range(60, -1, -10))[1:]}"


def parse_number_id(prefix: str, text: str, field: str) -> int:
    """Read the text form of a numbered id; anything else is `InvalidInput` on `field`."""
    head, _, body = text.partition("_") if isinstance(text, str) else ("", "", "")  # pyright: ignore[reportUnnecessaryIsInstance]
    number = -1
    if head == prefix and len(body) == _NUMBER_CHARACTERS and body.isascii() and body.isalnum():
        number = _number(body.upper())
    if not 0 <= number < 1 << 63:
        raise InvalidInput(f"{field}: {str(text)[:64]!r} is not an id of the form {prefix}_..", field=field)
    return number


def run_id(run: int, operation: Operation = "encode") -> str:
    """Return the text form of a run's number."""
    return number_id(_RUNS[operation], run)


def parse_run_id(text: str, field: str = "run_id", operation: Operation = "encode") -> int:
    """Read the text form of a run's number; `InvalidInput` on `field` for anything else."""
    return parse_number_id(_RUNS[operation], text, field)


def operation_of(text: str) -> Operation:
    """Return the operation that a run's id names by its prefix; of what is no run's id, `encode`."""
    head = text[:3] if isinstance(text, str) else ""  # pyright: ignore[reportUnnecessaryIsInstance]
    return _OPERATIONS.get(head, "encode")


def _number(body: str) -> int:
    number = 0
    for ch in body:
        if ch not in _VALUES:
            return -1
        number = (number << 5) | _VALUES[ch]
    return number


def _encode(number: int) -> str:
    # Two characters a step: this runs once for every acknowledged write.
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])


def _decode(body: str, text: str, field: str) -> int:
    number = 0
    for ch in body:
        value = _VALUES.get(ch)
        if value is None:
            raise InvalidInput(f"{field}: {text[:64]!r} is not a memory id", field=field)
        number = (number << 5) | value
    return number
