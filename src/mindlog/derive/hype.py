"""The stage that makes the questions a memory answers: by the language model, or by templates from its statements.

Questions meet questions: they are embedded as cues are (`kind="query"`), since what they will be compared with is a cue.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindlog.derive.extractor import why_unread
from mindlog.errors import LlmBudgetExceeded, MindlogError
from mindlog.knowledge.extraction import SPEAKER, name_key
from mindlog.knowledge.questions import Fact, llm_questions, template_questions
from mindlog.models.llm import NO_LLM
from mindlog.pipeline import describe
from mindlog.recall.features import HUMAN
from mindlog.store.graphrows import MemoryQuestions, StatementQuery, StatementRow

if TYPE_CHECKING:
    from mindlog.derive.job import DeriveJob

__all__ = ["hype"]

_REASON_CHARS = 500
_STATEMENTS = 50  # of one memory that questions are made from
_NAMELESS = "user"  # who speaks in a memory without an agent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """Questions, what made them, and why it was not the model."""

    texts: tuple[str, ...]
    source: str
    reason: str | None = None
    error: MindlogError | None = None


async def hype(job: DeriveJob) -> None:
    """Make the questions, embed them all at once, and leave them as the stage's results: none takes earlier ones away.

    If the model fails, those of the templates are delivered and its error is raised after that.
    """
    made = await _made(job)
    embeddings = await job.tools.embedder.embed(made.texts, kind="query") if made.texts else []
    vectors = np.empty((len(embeddings), job.tools.embedder.dimensions), np.float32)
    for row, embedding in zip(vectors, embeddings, strict=True):
        row[:] = embedding.vectors[0]
    job.results = MemoryQuestions(source=made.source, texts=made.texts, vectors=vectors)
    job.output = {"questions": len(made.texts), "source": made.source}
    if made.reason is not None:
        job.output["reason"] = made.reason
    if made.error is not None:
        raise made.error


async def _made(job: DeriveJob) -> _Made:
    reason = why_unread(job.memory)
    if reason is not None:
        return _Made(texts=(), source="template", reason=reason)
    llm, settings = job.tools.llm, job.tools.settings
    if llm is None:
        return await _by_templates(job, NO_LLM)
    text, most = job.memory.text, settings.hype_questions
    try:
        questions = await llm_questions(text, llm, most, speaker=job.memory.agent) if most else []
    except LlmBudgetExceeded as exc:
        return await _by_templates(job, exc.detail)
    except MindlogError as exc:
        return await _by_templates(job, describe(exc)[:_REASON_CHARS], exc)
    return _Made(texts=tuple(questions), source="llm")


async def _by_templates(job: DeriveJob, reason: str, error: MindlogError | None = None) -> _Made:
    rows = [] if job.has_statements is False else await asyncio.to_thread(_statements, job)
    facts = [_fact(row, job.memory.agent or _NAMELESS) for row in rows]
    questions = template_questions(facts, _names(job.memory.agent), job.tools.settings.hype_template_questions)
    return _Made(texts=tuple(each.text for each in questions), source="template", reason=reason, error=error)


def _names(agent: str | None) -> dict[str, str]:
    """Return how the agent is written in a question: one in small letters is somebody's name all the same."""
    return {agent: agent.title()} if agent is not None and agent.islower() else {}


def _fact(row: StatementRow, speaker: str) -> Fact:
    """Return what the statement says. The human side of a conversation asks about itself as "I", not by its label."""
    own = name_key(speaker) if speaker.casefold() in HUMAN else None
    subject = SPEAKER if name_key(row.subject_name) == own else row.subject_name
    target = row.value if row.object_name is None else row.object_name
    if row.object_name is not None and name_key(row.object_name) == own:
        target = SPEAKER
    return Fact(subject, row.predicate, target or "")


def _statements(job: DeriveJob) -> list[StatementRow]:
    """Return the memory's statements, oldest first, whichever attempt has made them."""
    query = StatementQuery(
        dataset=job.dataset.number, now=job.tools.clock.now(), slot=job.slot, current=False, limit=_STATEMENTS
    )
    return job.tools.store.statements(query)[::-1]
