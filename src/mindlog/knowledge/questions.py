"""The questions a memory answers: made from its statements by templates, or by a language model from its text. Knows no store.

Somebody who asks "Where does Grace live?" uses other words than whoever wrote "Grace moved in with her aunt in Oslo".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from mindlog.index.folding import fold
from mindlog.knowledge.extraction import SPEAKER
from mindlog.knowledge.prompts import as_data, load_prompt
from mindlog.knowledge.questionforms import Voice, forms
from mindlog.models.llm import LLM, Message, Reasoning

__all__ = ["LONGEST_QUESTION", "PROMPT", "Fact", "Question", "QuestionList", "llm_questions", "template_questions"]

PROMPT = "questions.v1"
"""The prompt's name and version."""

LONGEST_QUESTION = 200
"""Characters."""

_MOST_TEXT = 12_000
_MARKS = "?？؟"
_NUMBERING = "-*•0123456789.) \t"


@dataclass(frozen=True, slots=True)
class Fact:
    """What a statement says. Subject and target are written as people write them, or `SPEAKER`."""

    subject: str
    predicate: str
    target: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the index of the fact that answers it."""

    text: str
    statement_index: int


class QuestionList(BaseModel):
    """Questions that the text answers."""  # a model is shown this, with the schema

    questions: list[str]


def template_questions(facts: Sequence[Fact], names: Mapping[str, str], limit: int = 6) -> list[Question]:
    """Return at most `limit` English questions that the facts answer, no two the same, each fact's best first.

    names: how a subject or target is to be written where not as it is; without one for `SPEAKER` it asks as "I".
    """
    owners = {fact.target: fact.subject for fact in facts if fact.predicate == "has"}
    asked = [list(_asked(fact, names, owners)) for fact in facts]
    questions: dict[str, Question] = {}
    for turn in range(max(map(len, asked), default=0)):
        for index, texts in enumerate(asked):
            if turn < len(texts) and len(texts[turn]) <= LONGEST_QUESTION:
                questions.setdefault(_key(texts[turn]), Question(texts[turn], index))
    return list(questions.values())[:limit]


async def llm_questions(
    text: str,
    llm: LLM,
    limit: int = 6,
    *,
    speaker: str | None = None,
    model: str | None = None,
    reasoning: Reasoning | None = None,
) -> list[str]:
    """Return at most `limit` questions that a language model finds the text to answer.

    Of its answer only questions are kept: one line, a question mark at its end, at most 200 characters, none twice. Of a long
    text the first 12 000 characters are read. Raises what `LLM.structured` raises.
    """
    prompt = load_prompt(PROMPT).filled(
        limit=str(limit),
        length=str(LONGEST_QUESTION),
        speaker="whoever wrote it" if speaker is None else _line(speaker),
    )
    asked = (Message("system", prompt), Message("user", as_data(text[:_MOST_TEXT])))
    answer = await llm.structured(asked, QuestionList, model=model, reasoning=reasoning)
    return list(_kept(answer.value.questions))[:limit]


def _asked(fact: Fact, names: Mapping[str, str], owners: Mapping[str, str]) -> Iterator[str]:
    me = names.get(SPEAKER)
    subject = _voice(fact.subject, names, owners, me)
    if subject.name.islower() and not subject.name.startswith(("my ", "our ", "the ")):
        subject = Voice.of(f"the {subject.name}")
    target = _voice(fact.target, names, {} if fact.predicate == "has" else owners, me)
    yield from forms(fact.predicate, subject, target)


def _voice(end: str, names: Mapping[str, str], owners: Mapping[str, str], me: str | None) -> Voice:
    if end == SPEAKER:
        return Voice.of(me) if me else Voice.first()
    name = " ".join(names.get(end, end).split())
    owner = owners.get(end)
    if owner is not None and name.islower():
        return Voice.of(f"{_voice(owner, names, {}, me).possessive} {name}")
    first, _, rest = name.partition(" ")
    if rest and first.lower() in ("my", "our"):
        return Voice.of(f"{Voice.of(me).possessive if me else first.lower()} {rest}")
    return Voice.of(name)


def _kept(said: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in said:
        question = text.strip().lstrip(_NUMBERING)
        fits = question[-1:] in tuple(_MARKS) and len(question) <= LONGEST_QUESTION and "\n" not in question
        if fits and any(map(str.isalpha, question)) and _key(question) not in seen:
            seen.add(_key(question))
            yield question


def _key(question: str) -> str:
    return " ".join(fold(question).casefold().split())


def _line(words: str) -> str:
    return " ".join(words.split())[:100]
