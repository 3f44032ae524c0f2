"""How a document is to be read: simple or complex, its language, what it holds. By rules, or by a language model for what rules guess.

Structure (tables, lists, code) is known from the marks and a script from its letters: a model's word does not change them.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel

from mindlog.knowledge.extract.tokens import turns
from mindlog.knowledge.prompts import as_data
from mindlog.models.llm import Message, Reasoning
from mindlog.remember.language import UNKNOWN, language_of
from mindlog.remember.prompts import load_prompt

if TYPE_CHECKING:
    from mindlog.models.llm import LLM
    from mindlog.remember.marks import ReadDocument

__all__ = ["PROMPT", "Complexity", "Holding", "Level", "classify", "classify_with"]

PROMPT: Final = "complexity.v1"
"""The prompt's name and version."""

Level = Literal["simple", "complex"]
Holding = Literal["prose", "dialogue", "tables", "lists", "code"]

_PART = 4_000  # characters of the beginning, the middle and the end that are looked at
_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|[。！？؟।]")
_WORD = re.compile(r"[\u0e00-\u0eff\u2e80-\ud7ff\uf900-\ufaff]|[^\W_]+(?:['’.-][^\W_]+)*")
_SPEECH = re.compile(r"[\"“«「][^\"”»」\n]{4,400}[\"”»」]")
_CODE = re.compile(r"[a-z]{2,3}")
_MANY_WORDS = 1_500
_LONG_SENTENCE = 24  # words on average
_MANY_HEADINGS = 6
_DENSE_NUMBERS = 0.06  # of all words
_SHARE = 0.02  # of the characters that tables, lists or code have to take to be said to be there


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity:
    """How to read a document.

    language: ISO 639 code, "und" if unknown. model, reasoning: what later stages should use, None for what they would anyway.
    """

    level: Level
    language: str
    holds: tuple[Holding, ...]
    characters: int
    words: int
    model: str | None = None
    reasoning: Reasoning | None = None


class Judged(BaseModel):
    """How the text is to be read."""  # a model is shown this, with the schema

    level: Level
    language: str
    holds: list[Holding]


def classify(document: ReadDocument) -> Complexity:
    """Classify a document by rules. Reads marks and 12 000 characters closely, the rest once for its words."""
    excerpt = "\n".join(_parts(document.text))
    holds = _holdings(document, excerpt)
    words = sum(1 for _ in _WORD.finditer(document.text))
    return Complexity(
        level="complex" if _signs(document, excerpt, words) >= 2 else "simple",
        language=language_of(excerpt),
        holds=holds,
        characters=len(document.text),
        words=words,
    )


async def classify_with(
    llm: LLM, document: ReadDocument, *, model: str | None = None, reasoning: Reasoning | None = None
) -> Complexity:
    """Classify a document by a language model that is shown its beginning, middle and end.

    The model decides the level, and the language where the rules do not know it; of prose and dialogue it says whether they are
    there. A complex document is to be read with low reasoning. model, reasoning: of this call alone. Raises what `LLM.structured`
    raises.
    """
    ruled = await asyncio.to_thread(classify, document)
    asked = (
        Message("system", load_prompt(PROMPT).text),
        Message("user", as_data("\n[...]\n".join(_parts(document.text)))),
    )
    answer = (await llm.structured(asked, Judged, model=model, reasoning=reasoning)).value
    return replace(
        ruled,
        level=answer.level,
        language=_language(answer.language, ruled.language),
        holds=_merged(ruled.holds, answer.holds),
        reasoning="low" if answer.level == "complex" else None,
    )


def _language(said: str, ruled: str) -> str:
    code = said.strip().lower().partition("-")[0]
    return code if ruled == UNKNOWN and _CODE.fullmatch(code) else ruled


def _merged(ruled: tuple[Holding, ...], said: list[Holding]) -> tuple[Holding, ...]:
    seen = {holding for holding in ruled if holding in ("tables", "lists", "code")}
    judged = seen | {holding for holding in said if holding in ("prose", "dialogue")}
    return tuple(holding for holding in _ORDER if holding in judged) or ruled


_ORDER: tuple[Holding, ...] = ("prose", "dialogue", "tables", "lists", "code")


def _parts(text: str) -> list[str]:
    if len(text) <= 3 * _PART:
        return [text]
    middle = (len(text) - _PART) // 2
    return [text[:_PART], text[middle : middle + _PART], text[-_PART:]]


def _signs(document: ReadDocument, excerpt: str, words: int) -> int:
    """Count what makes a document complex."""
    said = [match.group() for match in _WORD.finditer(excerpt)]
    sentences = max(sum(1 for _ in _SENTENCE_END.finditer(excerpt)), 1)
    kinds = Counter(mark.kind for mark in document.marks)
    numbers = sum(1 for word in said if word[0].isdigit())
    return sum(
        [
            words >= _MANY_WORDS,
            len(said) / sentences >= _LONG_SENTENCE,
            kinds["heading"] >= _MANY_HEADINGS,
            kinds["table"] > 0,
            kinds["code"] > 0,
            numbers >= _DENSE_NUMBERS * len(said) > 0 and numbers >= 8,
        ]
    )


def _holdings(document: ReadDocument, excerpt: str) -> tuple[Holding, ...]:
    sizes: Counter[str] = Counter()
    for mark in document.marks:
        sizes[mark.kind] += mark.end - mark.start
    least = _SHARE * sum(size for kind, size in sizes.items() if kind != "page")
    shares: dict[Holding, int] = {"tables": sizes["table"], "lists": sizes["list_item"], "code": sizes["code"]}
    held = {holding for holding, size in shares.items() if size > least}
    if sizes["paragraph"] > least and _SENTENCE_END.search(excerpt):
        held.add("prose")
    if _is_dialogue(excerpt):
        held.add("dialogue")
    return tuple(holding for holding in _ORDER if holding in held)


def _is_dialogue(excerpt: str) -> bool:
    """Say whether several speakers take turns, or people are quoted again and again."""
    taken = sum(1 for _ in turns(excerpt))
    spoken = sum(match.end() - match.start() for match in _SPEECH.finditer(excerpt))
    dashes = sum(line.lstrip().startswith(("—", "― ")) for line in excerpt.splitlines())
    return taken >= 4 or dashes >= 4 or (spoken >= 0.15 * len(excerpt) and spoken > 200)
