"""The first stage: recall for the question, with the statements about what it names. Stops a query that nothing was found for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from mindlog.pipeline import Stop
from mindlog.query.followup import expanded
from mindlog.query.geo import asks_near
from mindlog.query.job import Fact
from mindlog.query.support import is_supported
from mindlog.recall.recall import MAX_CUE_BYTES, find
from mindlog.records import MemoryState, RecallRequest

if TYPE_CHECKING:
    from mindlog.query.job import QueryJob
    from mindlog.recall.graph import Told
    from mindlog.recall.job import RecallJob
    from mindlog.records import Memory
    from mindlog.store.askingrows import Asked
    from mindlog.store.graphrows import EvidenceRow

__all__ = ["NO_INFORMATION", "retrieve_graph"]

NO_INFORMATION: Final = "There is no information about this in memory."
"""The answer where nothing was found."""

_FACTS = 20  # statements that meet a part of the question
_AROUND = 8  # that are only about what it names


async def retrieve_graph(job: QueryJob) -> None:
    """Find the memories and statements that the question is about; stop with the fixed answer if there are none."""
    if job.request.session is not None and job.tools.settings.query_turns:
        job.turns = await asyncio.to_thread(_turns, job)
        job.cue = expanded(job.request.question, job.turns, MAX_CUE_BYTES)
    request = RecallRequest(
        cue=job.cue,
        dataset=job.dataset.name,
        limit=job.limit,
        filters=job.request.filters,
        as_of=job.as_of,
    )
    job.found = await find(request, job.dataset, job.tools.recall)
    if not await asyncio.to_thread(_take, job, job.found):
        job.answer, job.answered_by = NO_INFORMATION, "none"
        if job.say is not None:
            job.say(job.answer)
        raise Stop


def _turns(job: QueryJob) -> tuple[Asked, ...]:
    """Return the turns of the session before this one, the latest first: nobody's but those of whoever asks."""
    assert job.request.session is not None
    limit = job.tools.settings.query_turns
    turns = job.tools.store.asked(job.dataset.number, job.request.session, limit, user=job.asked_by)
    # What was answered later than the instant asked for was not there then.
    return tuple(turn for turn in turns if job.as_of is None or turn.at <= job.as_of)


def _take(job: QueryJob, found: RecallJob) -> bool:
    """Take over what was found; false if none of it is about the question.

    What is near a place need not be like the question: whether there is anything, `nearby_geo` finds out.
    """
    if not is_supported(found):
        return bool(found.hits) and asks_near(job.request.question)
    job.hits = found.hits
    if found.trail is not None:
        job.facts = tuple(_facts(job, found, _chosen(found.trail.statements)))
        stale = [row for each in found.trail.successions for row in each.old]
        job.outdated = frozenset(_slots(found, stale))
    return True


def _chosen(told: Sequence[Told]) -> list[Told]:
    """Return the statements to answer from: those that meet something of the question, then what else holds."""
    meeting = [each for each in told if each.worth > 0][:_FACTS]
    return meeting + [each for each in told if each.worth <= 0 and each.holds][:_AROUND]


def _facts(job: QueryJob, found: RecallJob, told: Sequence[Told]) -> Iterable[Fact]:
    """Yield the statements with the newest memory that carries each and may be shown."""
    carried = [(each, _evidence(each, set(_slots(found, each.rows)))) for each in told]
    memories = _memories(job, [evidence for _, evidence in carried if evidence is not None])
    for each, evidence in carried:
        memory = None if evidence is None else memories.get((evidence.slot, evidence.version))
        if evidence is not None and memory is not None:
            yield Fact(statement=each.statement, worth=each.worth, holds=each.holds, evidence=evidence, memory=memory)


def _slots(found: RecallJob, rows: Iterable[int]) -> list[int]:
    assert found.view is not None
    return found.view.slot[list(rows)].tolist()


def _evidence(told: Told, allowed: set[int]) -> EvidenceRow | None:
    return next((each for each in told.statement.evidence if each.slot in allowed), None)


def _memories(job: QueryJob, evidence: Sequence[EvidenceRow]) -> dict[tuple[int, int], Memory]:
    """Return the revisions that the evidence is of, by slot and version. Reads those that are no hits."""
    store = job.tools.store
    known = {(each.memory.id.slot, each.memory.id.version): each.memory for each in job.hits}
    missing = {each.slot for each in evidence if (each.slot, each.version) not in known}
    read = store.memories(sorted(missing)) if missing else []
    known |= {(memory.id.slot, memory.id.version): memory for memory in read}
    for each in evidence:
        if (each.slot, each.version) not in known and (former := store.memory(each.slot, each.version)) is not None:
            known[each.slot, each.version] = former
    return {place: memory for place, memory in known.items() if memory.state is MemoryState.LIVE}
