"""How a new version of a document meets the chunks of the old one. Pure: knows no store.

A chunk with the same words stays the memory it is. Of the others, the first new one is the next revision of the first old one, and so
on: what it used to say is then history, not lost. What is left of the new ones is new; what is left of the old ones goes.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindlog.remember.keep import Keeping

if TYPE_CHECKING:
    from mindlog.records import Memory
    from mindlog.remember.job import RememberJob
    from mindlog.store.documentrows import NewText, TextRow

__all__ = ["Old", "keepings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Old:
    """A chunk of the version before."""

    row: TextRow
    memory: Memory


def keepings(job: RememberJob, texts: Sequence[NewText], old: Sequence[Old]) -> list[Keeping]:
    """Return how each of the new chunks is to be kept, in order."""
    same = [each for each in old if _is_of_one_hand(job, each.memory)]
    equal: defaultdict[str, deque[Old]] = defaultdict(deque)
    for each in same:
        if dict(each.memory.metadata) == dict(job.metadata):
            equal[each.memory.text].append(each)
    adopted: dict[int, Old] = {}
    for text in texts:
        words = job.document.text[text.start : text.end]
        if equal[words]:
            adopted[text.key.position] = equal[words].popleft()
    taken = {each.memory.id for each in adopted.values()}
    left = deque(each for each in same if each.memory.id not in taken)
    return [_keeping(job, text, adopted.get(text.key.position), left) for text in texts]


def _keeping(job: RememberJob, text: NewText, adopted: Old | None, left: deque[Old]) -> Keeping:
    words = job.document.text[text.start : text.end]
    if adopted is not None:
        return Keeping(text=text, words=words, adopts=adopted.row)
    return Keeping(text=text, words=words, revises=left.popleft().memory.id if left else None)


def _is_of_one_hand(job: RememberJob, memory: Memory) -> bool:
    # A revision keeps who wrote it and in which session.
    return (memory.agent, memory.session) == (job.agent, job.session)
