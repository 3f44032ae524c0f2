"""The stage classify_complexity: how the document is to be read."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

from mindlog.errors import LlmBudgetExceeded
from mindlog.models.llm import NO_LLM
from mindlog.remember.complexity import classify, classify_with

if TYPE_CHECKING:
    from mindlog.remember.job import RememberJob

__all__ = ["classify_complexity"]


async def classify_complexity(job: RememberJob) -> None:
    """Tell by rules what the document is; with a language model, ask it too. Its error is raised after the rules have told."""
    job.complexity = await asyncio.to_thread(classify, job.document)
    told = NO_LLM if job.tools.llm is None else "failed"
    try:
        if job.tools.llm is not None:
            model, reasoning = job.model("classify_complexity")
            job.complexity = await classify_with(job.tools.llm, job.document, model=model, reasoning=reasoning)
            told = "asked"
    except LlmBudgetExceeded as exc:
        told = f"skipped: {exc.detail}"
    finally:
        job.output("classify_complexity").update(complexity=asdict(job.complexity), model=told)
