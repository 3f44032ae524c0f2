"""Lines that were broken to fit a page, read as the sentences they are. Knows no meaning; one linear pass.

A break becomes a blank, so every character keeps its place. Lines that somebody ended on purpose (a list, a dialogue, a table, verse)
stay lines: a break is taken back only in a block of long lines, where the next word would not have fitted or goes on small.
"""

from __future__ import annotations

import re

__all__ = ["unwrapped"]

_BLOCK = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)+")
_SHORTEST, _LONGEST = 40, 132  # characters of the longest line of a block that was wrapped
_ENDS = frozenset(".!?…:;。！？؟।|")
_CLOSING = "\"'”’»)]"
# What begins a line of its own: an item, a heading, a row, a prompt, a speaker.
_OWN = re.compile(r"\s*(?:[-*+•‣–—#>|=~]|\d{1,3}[.)]\s|[A-Za-z][.)]\s|[^\W\d_][\w .'’-]{0,40}:\s)")


def unwrapped(text: str) -> str:
    """Return the text, as long as it is, with a blank for every line break that only a page's width has made."""
    if "\n" not in text:
        return text
    return _BLOCK.sub(lambda match: _joined(match.group()), text)


def _joined(block: str) -> str:
    lines = block.split("\n")
    widths = [len(line.rstrip()) for line in lines]
    width = max(widths)
    if not _SHORTEST <= width <= _LONGEST:
        return block
    forced = [at for at in range(len(lines) - 1) if _is_forced(lines, widths, at, width)]
    is_wrapped = len(lines) > 2 and len(forced) * 2 >= len(lines) - 1
    parts = [lines[0]]
    for at in range(len(lines) - 1):
        goes_on = _goes_on(lines, at) and (
            (widths[at] >= _SHORTEST and _is_small(lines[at + 1])) or (is_wrapped and at in forced)
        )
        parts += [" " if goes_on else "\n", lines[at + 1]]
    return "".join(parts)


def _is_forced(lines: list[str], widths: list[int], at: int, width: int) -> bool:
    """Say whether the first word of the next line would not have fitted on this one."""
    word = lines[at + 1].split(None, 1)[0]
    return widths[at] + 1 + len(word) > width


def _goes_on(lines: list[str], at: int) -> bool:
    said, following = lines[at].rstrip().rstrip(_CLOSING), lines[at + 1]
    if not said or said[-1] in _ENDS or _OWN.match(following):
        return False
    # An item's further lines stand under its words; otherwise another indentation is another block.
    indents = [len(line) - len(line.lstrip()) for line in (lines[at], following)]
    return indents[0] == indents[1] or (_OWN.match(lines[at]) is not None and indents[1] > indents[0]) or at == 0


def _is_small(line: str) -> bool:
    return line.lstrip()[:1].islower()
