"""Numbers for terms, shared by every dataset's postings. Owns the numbering; knows no document and no statistic."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from mindlog.index.analyzer import FUNCTION_TERMS

__all__ = ["FIRST_CONTENT_TERM", "Vocabulary"]

FIRST_CONTENT_TERM = len(FUNCTION_TERMS)
"""Function words have the numbers below, in every vocabulary."""


class Vocabulary:
    """Terms numbered from 0 in the order they were met. Any thread may add and look up."""

    def __init__(self, terms: Iterable[str] = ()) -> None:
        self._numbers = _Numbers()
        for term in (*FUNCTION_TERMS, *terms):
            self._numbers.setdefault(term, len(self._numbers))

    def numbers(self, terms: Iterable[str]) -> list[int]:
        """Return the number of each term, giving new ones their next."""
        return list(map(self._numbers.__getitem__, terms))

    def known(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of each term that is known, in order."""
        return {term: number for term in terms if (number := self._numbers.get(term)) is not None}

    def terms(self) -> list[str]:
        """Return every term by its number."""
        return self._numbers.listed()

    def __len__(self) -> int:
        return len(self._numbers)


class _Numbers(dict[str, int]):
    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def __missing__(self, term: str) -> int:
        with self._lock:
            return self.setdefault(term, len(self))

    def listed(self) -> list[str]:
        with self._lock:
            return list(self)
