"""The context block: hits packed into a token budget, each with the number it is cited by. Knows no scores."""

from __future__ import annotations

from collections.abc import Sequence

from mindlog.clock import iso
from mindlog.records import Hit
from mindlog.spoken import spoken

__all__ = ["count_tokens", "pack"]

# English text in current vocabularies has about four characters a token, Chinese and Japanese one or two: bytes of
# UTF-8 over three is above the true count for both, so a block never comes out larger than asked for.
_BYTES_A_TOKEN = 3
_ELLIPSIS = " …"


def count_tokens(text: str) -> int:
    """Return an upper estimate of the tokens a language model sees in the text."""
    return -(-len(text.encode()) // _BYTES_A_TOKEN)


def pack(hits: Sequence[Hit], budget: int) -> str:
    """Return the best hits that fit, in rank order: `[n] time, session` and the text.

    A text that does not fit whole is cut if it is the first, else passed over; the block is never over budget.
    """
    parts: list[str] = []
    left = budget
    for number, hit in enumerate(hits, 1):
        entry = f"[{number}] {_head(hit)}\n{spoken(hit.memory.agent, hit.memory.text)}"
        cost = count_tokens(entry + "\n\n")
        if cost > left and not parts:
            entry = _cut(entry, left)
            cost = left
        if cost <= left and entry:
            parts.append(entry)
            left -= cost
    return "\n\n".join(parts)


def _head(hit: Hit) -> str:
    memory = hit.memory
    session = f", session {memory.session}" if memory.session else ""
    return f"{iso(memory.occurred_at)}{session} ({memory.id})"


def _cut(text: str, tokens: int) -> str:
    room = tokens * _BYTES_A_TOKEN - len(_ELLIPSIS.encode())
    if room <= 0:
        return ""
    return text.encode()[:room].decode(errors="ignore").rstrip() + _ELLIPSIS
