"""What a document leaves open, as queries for a web search: by rules, or by a language model.

The rules take turns: what the text itself calls unknown, abbreviations that it does not explain, names that it often uses and says
nothing of. Knows no search.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from mindlog.knowledge.extraction import EntityKind, name_key
from mindlog.knowledge.prompts import as_data
from mindlog.knowledge.wordlist import wordlist
from mindlog.models.llm import Message
from mindlog.remember.prompts import load_prompt
from mindlog.remember.sentences import sentence_spans

if TYPE_CHECKING:
    from mindlog.models.llm import LLM, Reasoning
    from mindlog.store.graphrows import EntityRow

__all__ = ["PROMPT", "cleaned", "queries_by_model", "queries_by_rules", "unexplained", "unknowns"]

PROMPT: Final = "open_questions.v1"
"""The prompt's name and version."""

_LONGEST = 160  # characters of a query
_MOST_TEXT = 12_000  # characters shown to a model
_OFTEN = 3  # times that a name is used before its silence is worth a question
_KINDS = frozenset(
    {
        EntityKind.PERSON,
        EntityKind.ORGANIZATION,
        EntityKind.PRODUCT,
        EntityKind.EVENT,
        EntityKind.WORK,
        EntityKind.PLACE,
    }
)
_OPEN: Final = re.compile(
    r"\b(?:TBD|TBA|TBC|to be (?:determined|decided|announced|confirmed|clarified)|(?:is|are|was|were|remains?) (?:still )?"
    r"(?:unknown|unclear|not (?:yet )?known|undecided|an open question)|unknown (?:to us|so far|at this time)"
    r"|no ?(?:body|one) knows|we do(?: not|n't) know(?: yet)?)\b",
    re.IGNORECASE,
)
_ACRONYM: Final = re.compile(r"(?<![\w-])[A-Z](?:[A-Z0-9]{1,5})(?![\w-])")
_EXPLAINED: Final = re.compile(
    r"\((?P<inside>[A-Z][A-Z0-9]{1,5})s?\)|(?<![\w-])(?P<before>[A-Z][A-Z0-9]{1,5})s? ?(?:\((?=[^()]*[a-z]{2})|(?:stands|stood) for\b"
    r"|(?:is|are|means?) (?:the )?(?:short|abbreviation) )"
)
_EVERYBODY_KNOWS: Final = wordlist(
    """
    AD AI AM API BC CD CEO CET CFO COO CPU CSS CSV CTO DC DIY DNA DVD ESA EST EU FAQ FBI GB GBP GDP GMT GPS GPU HR HTML HTTP
    HTTPS ID II III IQ IT IV IX JPEG JSON KB MB NASA NATO NB NHS NO OK PC PDF PHD PM PNG PR PS RAM REST SMS SQL TBA TBC TBD
    TV UK UN UNESCO URL US USA USB USD UTC VI VII VIII VIP VS WHO WIFI XI XII XML
    """
)
_LEAD: Final = re.compile(
    r"^(?:[-*+•>#|\s]|\d{1,3}[.)]\s)+|^(?:and|but|however|also|so|yet|still|currently)[, ]+", re.IGNORECASE
)
_QUESTION_WORDS: Final = re.compile(r"^(?:it|that|this|what|why|how|whether|if)\b\s*", re.IGNORECASE)


class OpenQuestions(BaseModel):
    """What to look up."""  # a model is shown this, with the schema

    queries: list[str]


async def queries_by_model(
    llm: LLM, told: str, most: int, *, model: str | None = None, reasoning: Reasoning | None = None
) -> list[str]:
    """Return at most `most` queries for what is told of a document. Raises what `LLM.structured` raises."""
    prompt = load_prompt(PROMPT).filled(most=str(most))
    asked = Message("system", prompt), Message("user", as_data(told[:_MOST_TEXT]))
    answer = await llm.structured(asked, OpenQuestions, model=model, reasoning=reasoning)
    return cleaned(answer.value.queries, most)


def queries_by_rules(
    texts: Iterable[str], named: Iterable[tuple[EntityRow, int]], title: str | None, most: int
) -> list[str]:
    """Return at most `most` queries. texts: of the document; named: whom and what they name, and how often."""
    open_ones, acronyms, explained = list[str](), Counter[str](), set[str]()
    for text in texts:
        if len(open_ones) < most:
            open_ones += unknowns(text)
        acronyms.update(match[0] for match in _ACRONYM.finditer(text))
        explained |= {match["inside"] or match["before"] for match in _EXPLAINED.finditer(text)}
    about = f" {title.strip()}" if title else ""
    short = [f"{word}{about} meaning" for word in unexplained(acronyms, explained)]
    silent = [f"{name}{about}" for name in _silent(named)]
    turns = chain.from_iterable(zip_longest(open_ones, silent, short))
    return cleaned([query for query in turns if query is not None], most)


def unknowns(text: str) -> Iterator[str]:
    """Yield what the text says is not known, without the words that say so."""
    if not _OPEN.search(text):
        return
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        if _OPEN.search(sentence):
            rest = _LEAD.sub("", _OPEN.sub(" ", sentence)).strip(" \t\n.:;,–—-|?!")
            rest = _QUESTION_WORDS.sub("", " ".join(rest.split()))
            if len(rest.split()) >= 2:
                yield rest


def unexplained(acronyms: Counter[str], explained: set[str]) -> list[str]:
    """Return the abbreviations that are used more than once and explained nowhere, the commonest first."""
    return [
        word
        for word, times in acronyms.most_common()
        if times > 1 and word not in explained and word not in _EVERYBODY_KNOWS and not word[-1].isdigit()
    ]


def cleaned(queries: Iterable[str], most: int) -> list[str]:
    """Return the queries on one line each, none twice, none too long, at most so many."""
    found: dict[str, str] = {}
    for query in queries:
        line = " ".join("".join(sign if sign.isprintable() else " " for sign in query).split())
        if len(line) > _LONGEST:
            line = line[:_LONGEST].rpartition(" ")[0] or line[:_LONGEST]
        if any(map(str.isalnum, line)):
            found.setdefault(name_key(line), line)
    return list(found.values())[:most]


def _silent(named: Iterable[tuple[EntityRow, int]]) -> list[str]:
    """Return the names that are used often and of which nothing is stated, the commonest first."""
    found = [
        (times, row.name)
        for row, times in named
        if times >= _OFTEN and not row.statements and not row.is_speaker and row.kind in _KINDS
    ]
    return [name for _, name in sorted(found, key=lambda each: (-each[0], each[1]))]
