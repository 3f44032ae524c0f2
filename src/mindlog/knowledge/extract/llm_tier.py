"""The third tier: a language model reads a text, and every word of its answer is looked for in the text before it is believed.

Places, dates and predicates are worked out here; the model is trusted with what is said of whom, and with how it is meant.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from mindlog.clock import iso
from mindlog.knowledge.extract.grounding import Ground
from mindlog.knowledge.extract.llm_answer import MemoryReading, reading_of
from mindlog.knowledge.extract.merge import merge
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extract.tokens import pieces
from mindlog.knowledge.extraction import EntityKind, Extraction, validate
from mindlog.knowledge.predicates import PREDICATES
from mindlog.knowledge.prompts import as_data, load_prompt
from mindlog.models.llm import LLM, Message, Reasoning

__all__ = ["PROMPT", "LlmTier"]

PROMPT = "extract.v2"
"""The prompt's name and version; the extraction carries it."""

# Characters; a longer text's answer would meet the length limit of answers.
_PIECE = 6_000
_MOST_EARLIER = 12


class LlmTier:
    """The tier of a language model. Keeps nothing between two texts."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    async def extract(
        self, source: Source, *, model: str | None = None, reasoning: Reasoning | None = None
    ) -> Extraction:
        """Return what the model finds and the text carries; the rest is counted. A long text takes several calls.

        Raises what `LLM.structured` raises: then nothing of the text was read.
        """
        ground = await asyncio.to_thread(Ground, source)
        found = [Extraction(dates=ground.dates, prompt=PROMPT)]
        for start, end in pieces(ground.text, _PIECE):
            if any(map(str.isalnum, ground.text[start:end])):
                asked = _messages(source, ground.text[start:end])
                shape = reading_of(end - start)
                answer = await self._llm.structured(asked, shape, model=model, reasoning=reasoning)
                found.append(await asyncio.to_thread(_checked, ground, start, end, answer.value))
        return await asyncio.to_thread(merge, found)


def _checked(ground: Ground, start: int, end: int, answer: MemoryReading) -> Extraction:
    source = ground.source
    return validate(ground.read(start, end, answer), ground.text, earlier=source.earlier, quoted=source.quoted)


def _messages(source: Source, text: str) -> tuple[Message, ...]:
    kinds, predicates = ", ".join(EntityKind), ", ".join(sorted(PREDICATES))
    prompt = load_prompt(PROMPT).filled(kinds=kinds, predicates=predicates)
    return Message("system", prompt), Message("user", "\n".join([*_around(source), as_data(_shown(text))]))


def _around(source: Source) -> Iterator[str]:
    """Yield what the model has to know of the memory besides its text. Names are anybody's words, so they are data too."""
    yield f'The memory was written at {iso(source.occurred_at)}. Whoever wrote it is "I" in it.'
    who = "not known" if source.speaker is None else _line(source.speaker)
    lines = [f"Written by: {who}"]
    names = [f"{_line(mention.name)} ({mention.kind})" for mention in source.earlier[:_MOST_EARLIER]]
    if names:
        lines.append(
            f'Named in the memories before it, the latest first, and perhaps meant by "it", "she" or "he": {", ".join(names)}'
        )
    yield as_data("\n".join(lines))
    yield "The text of the memory:"


def _line(words: str) -> str:
    return " ".join(words.split())[:100]


def _shown(text: str) -> str:
    """Return the text without the blank lines that a quotation leaves."""
    return "\n".join(line for line in text.split("\n") if line.strip())
