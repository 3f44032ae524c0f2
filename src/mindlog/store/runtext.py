"""Texts of runs and model calls on their way into and out of the database. Knows no table.

An error may quote what a memory or a model said: of a forgotten memory, and in the log, only its kind is shown.
"""

from __future__ import annotations

__all__ = ["error_kind", "storable"]

# Enough for any message; a provider's error page is not kept whole.
_ERROR_CHARACTERS = 2000


def storable(error: str | None) -> str | None:
    """Return the error as it can be stored: of bounded length, without halves of surrogate pairs."""
    return None if error is None else unicode(error[:_ERROR_CHARACTERS])


def unicode(text: str) -> str:
    """Return the text with `?` for what UTF-8 cannot write."""
    return text.encode("utf-8", "replace").decode()


def error_kind(error: str | None) -> str | None:
    """Return the part of `Kind: details` that says nothing of the content."""
    return None if error is None else error.partition(":")[0]
