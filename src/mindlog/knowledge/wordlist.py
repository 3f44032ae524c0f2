"""Reads a table of words written as text. Knows no word."""

from __future__ import annotations

__all__ = ["wordlist"]


def wordlist(text: str) -> frozenset[str]:
    """Return the words of a text that are separated by blanks."""
    return frozenset(text.split())
