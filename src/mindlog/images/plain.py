"""Words from outside made fit for a memory: one line, nothing unprintable, no longer than wanted. Pure."""

from __future__ import annotations

__all__ = ["CUT", "one_line"]

CUT = " …"
"""Where a text was cut."""

# They join letters of Persian, of Indic scripts and of emoji, and count as unprintable.
_JOINERS = "\u200c\u200d"


def one_line(text: str | None, most: int) -> str:
    """The text on one line of at most `most` characters; cut at a word, or else anywhere, and then it ends with `CUT`."""
    line = " ".join("".join(each if each.isprintable() or each in _JOINERS else " " for each in text or "").split())
    if len(line) <= most:
        return line
    kept = line[: most - len(CUT)]
    return (kept.rpartition(" ")[0] or kept) + CUT
