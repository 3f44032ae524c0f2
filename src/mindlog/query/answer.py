"""The last stage: an answer from the sources, by a language model if there is one, its citations checked; else put together."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Final

from mindlog.clock import iso
from mindlog.errors import LlmBudgetExceeded, ModelError
from mindlog.knowledge.prompts import as_data
from mindlog.models.llm import Message
from mindlog.pipeline import describe
from mindlog.query.citations import check
from mindlog.query.context import gather, plain, shown_sources
from mindlog.query.extractive import compose
from mindlog.query.prompts import load_prompt
from mindlog.query.retrieve import NO_INFORMATION

if TYPE_CHECKING:
    from mindlog.models.llm import LLM
    from mindlog.query.job import QueryJob

__all__ = ["PROMPT", "answer"]

PROMPT: Final = "answer.v1"
"""The prompt's name and version."""

EXTRACTIVE: Final = "extractive: the best statements and sentences, put together without a language model"

_MOST_TURN = 1_000  # characters of an earlier answer that are shown


async def answer(job: QueryJob) -> None:
    """Answer from what was found.

    If the model fails, the extractive answer is given and its error raised all the same: the stage is failed on record, and the call
    is answered (see `pipeline`). A spent budget is no failure: the model is left out, and the notes say so.
    """
    if not (job.hits or job.facts or job.near):
        _say_nothing(job)
        return
    job.context = await asyncio.to_thread(gather, job)
    if job.context.left_out:
        job.notes.append(f"{job.context.left_out} more were found than the context has room for")
    llm = job.tools.llm
    if llm is None:
        await _put_together(job, None)
        return
    try:
        await _ask(job, llm)
    except LlmBudgetExceeded as exc:
        await _put_together(job, exc.detail)
    except ModelError as exc:
        await _put_together(job, describe(exc))
        raise


def _say_nothing(job: QueryJob) -> None:
    """Give the fixed answer: the question is about what is near a place, and nothing is."""
    job.answer, job.answered_by = NO_INFORMATION, "none"
    if job.say is not None:
        job.say(job.answer)


async def _put_together(job: QueryJob, why: str | None) -> None:
    """Answer without a model; why: what kept it from answering, None if there is none."""
    if why is not None:
        job.notes.append(f"no model answered: {why}")
    await asyncio.to_thread(compose, job)
    if job.answer:
        job.notes.append(EXTRACTIVE)
    else:
        job.answer, job.answered_by = NO_INFORMATION, "none"
        job.notes.append("nothing that was found meets enough of the question")
    if job.say is not None:
        job.say(job.answer)


async def _ask(job: QueryJob, llm: LLM) -> None:
    assert job.context is not None
    model, reasoning = job.model("query")
    messages = await asyncio.to_thread(_messages, job)
    with await job.scope():
        said = await llm.text(messages, model=model, reasoning=reasoning, say=job.say)
    checked = await asyncio.to_thread(check, said.text, job.context.sources)
    job.answer, job.answered_by = checked.text, "llm"
    job.citations, job.removed = checked.citations, checked.removed
    if said.truncated:
        job.notes.append("the answer was cut off at the length limit")
    if checked.uncited and NO_INFORMATION not in checked.text:
        job.notes.append(f"{checked.uncited} sentences of the answer have no citation that could be checked")


def _messages(job: QueryJob) -> tuple[Message, ...]:
    assert job.context is not None
    prompt = load_prompt(PROMPT).filled(today=iso(job.now)[:10], nothing=NO_INFORMATION)
    parts = ["Sources:", shown_sources(job.context.sources)]
    if job.turns:
        turns = [
            {"asked": plain(turn.question[:_MOST_TURN]), "answered": plain(turn.answer[:_MOST_TURN])}
            for turn in reversed(job.turns)
        ]
        parts += ["Earlier turns, the oldest first; the question may refer to them:", _lines(turns)]
    parts += ["The question:", job.request.question]
    return Message("system", prompt), Message("user", "\n".join(parts))


def _lines(rows: list[dict[str, str]]) -> str:
    return as_data("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
