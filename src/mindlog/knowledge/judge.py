"""Asks a language model about what the rules leave undecided: whether two names are one, which of two statements came first.

Owns the prompt and the form of the answer. What a verdict changes is `reconcile`'s business.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel

from mindlog.knowledge.prompts import as_data, load_prompt
from mindlog.models.llm import Message

if TYPE_CHECKING:
    from mindlog.models.llm import LLM

__all__ = ["MOST_CASES", "PROMPT", "Case", "Verdict", "judge"]

PROMPT: Final = "judge.v1"
MOST_CASES: Final = 12
"""Most cases that are asked about one memory; the others stay undecided."""

_MOST_TEXT = 4000  # characters of the memory


class Verdict(StrEnum):
    """What the model says of a case."""

    SAME = "same"
    DIFFERENT = "different"
    ONE_FIRST = "one_first"
    OTHER_FIRST = "other_first"
    UNSURE = "unsure"


_FITTING = {
    "same": frozenset({Verdict.SAME, Verdict.DIFFERENT}),
    "order": frozenset({Verdict.ONE_FIRST, Verdict.OTHER_FIRST}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One doubt, in words. known, words: what is known of `other`, and what the two statements rest on."""

    kind: Literal["same", "order"]
    one: str
    other: str
    known: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class _Answer(BaseModel):
    case: int
    verdict: Verdict


class _Answers(BaseModel):
    verdicts: list[_Answer]


async def judge(llm: LLM, text: str, cases: Sequence[Case]) -> dict[int, Verdict]:
    """Return the verdicts by the index of their case; a case without a fitting one is not there.

    Raises what `LLM.structured` raises.
    """
    asked = [{"case": number, **_shown(case)} for number, case in enumerate(cases[:MOST_CASES], start=1)]
    data = "\n".join([as_data(text[:_MOST_TEXT]), as_data(json.dumps({"cases": asked}, ensure_ascii=False))])
    result = await llm.structured([Message("system", load_prompt(PROMPT).text), Message("user", data)], _Answers)
    said = {answer.case - 1: answer.verdict for answer in result.value.verdicts}
    return {
        index: said[index]
        for index, case in enumerate(cases[:MOST_CASES])
        if index in said and said[index] in _FITTING[case.kind]
    }


def _shown(case: Case) -> dict[str, object]:
    return {name: value for name, value in asdict(case).items() if value}
