"""Lets the model settle what the rules leave undecided, and does without where there is none or it fails.

A verdict becomes part of the memory's own words: a name is given to its entity, a statement's time moves by a microsecond,
so that the timeline of a group stays a function of its evidence. A failure leaves everything undecided and is counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mindlog.errors import ModelError
from mindlog.knowledge.changes import Told
from mindlog.knowledge.doubts import Doubt, once
from mindlog.knowledge.families import Nature, nature
from mindlog.knowledge.judge import Case, Verdict, judge
from mindlog.knowledge.shown import words_of

if TYPE_CHECKING:
    from mindlog.knowledge.reconcile import ReconcileJob
    from mindlog.knowledge.resolve import Resolved
    from mindlog.store.graphrows import Timeline

__all__ = ["settle_names", "settle_order"]

_SUPERSEDING = frozenset({Nature.STATE, Nature.OPPOSED})
_KNOWN = 5  # most statements that are shown of an entity


async def settle_names(job: ReconcileJob) -> None:
    """Resolve the doubtful names the model is sure of, and drop the doubts it is sure are none."""
    asked = [(each, doubt) for each in once(job.found.values()) for doubt in each.doubts]
    verdicts = await _ask(job, [_same(job, each, doubt) for each, doubt in asked])
    for index, verdict in verdicts.items():
        each, doubt = asked[index]
        if verdict is Verdict.DIFFERENT:
            each.doubts.remove(doubt)
        elif each.row is None:
            each.row = doubt.row
            job.count("judged_same")
    for each in once(job.found.values()):
        each.doubts = each.doubts if each.row is None else []


async def settle_order(job: ReconcileJob, told: Sequence[Told], changed: Iterable[Timeline]) -> bool:
    """Move the told statements of contradictions that begin with this memory's own moment; say whether any was moved."""
    if job.llm is None:
        return False
    ours = {each.id: each for each in told}
    rows = {row.id: row for group in job.groups.values() for row in group}
    asked = [pair for timeline in changed for pair in timeline.contradictions if _is_open(job, timeline, pair, ours)]
    cited = {row.statement: row for pair in asked for each in pair if each in rows for row in rows[each].evidence[:1]}
    quoted = await asyncio.to_thread(words_of, list(cited.values()), job.store)
    words = {statement: quoted[row] for statement, row in cited.items()}
    words |= {each.id: next(iter(each.stated.witnesses)).of(job.text) for each in told}
    texts = {row.id: row.text for row in rows.values()} | {each.id: each.text for each in told}
    cases = [
        Case(kind="order", one=texts[one], other=texts[other], words=(words.get(one, ""), words.get(other, "")))
        for one, other in asked
    ]
    verdicts = await _ask(job, cases)
    for index, verdict in verdicts.items():
        first, then = asked[index] if verdict is Verdict.ONE_FIRST else asked[index][::-1]
        if then in ours:
            ours[then].shift = 1
        else:
            ours[first].shift = -1
        job.count("judged_order")
    return bool(verdicts)


async def _ask(job: ReconcileJob, cases: Sequence[Case]) -> dict[int, Verdict]:
    if job.llm is None or not cases:
        return {}
    job.count("judged", len(cases))
    try:
        return await judge(job.llm, job.text, cases)
    except ModelError as exc:
        # The statements and proposals stand without it.
        job.count("judge_failed")
        job.record["judge_error"] = f"{type(exc).__name__}: {exc.detail}"
        return {}


def _same(job: ReconcileJob, each: Resolved, doubt: Doubt) -> Case:
    row = doubt.row
    about = [known.text for (root, _), group in job.groups.items() if root == row.id for known in group]
    also = f", also called {', '.join(row.aliases)}" if row.aliases else ""
    return Case(
        kind="same",
        one=f"{each.named.name} ({each.named.kind})",
        other=f"{row.name} ({row.kind}{also})",
        known=tuple(about[:_KNOWN]),
    )


def _is_open(job: ReconcileJob, timeline: Timeline, pair: tuple[int, int], ours: Mapping[int, Told]) -> bool:
    """Say whether two that exclude each other begin at one moment, and it is this memory's."""
    starts = [{interval.valid_from for interval in timeline.intervals.get(each, ())} for each in pair]
    shared = starts[0] & starts[1]
    mine = [ours[each] for each in pair if each in ours and nature(ours[each].stated.predicate) in _SUPERSEDING]
    times = {
        job.occurred_at if witness.valid_from is None else witness.valid_from
        for each in mine
        for witness in each.stated.witnesses.values()
    }
    return not shared.isdisjoint(times)
