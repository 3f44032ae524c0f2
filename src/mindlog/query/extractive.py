"""An answer without a language model: the statements and sentences that meet most of the question, each with its citation.

Owns how well a sentence answers a question, and how what somebody said is worded. Embeds nothing: words, and how well recall ranked
the memory, decide. Nothing that only was true, and no sentence that reads like an order to a model, is given as an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import regex

from mindlog.clock import iso
from mindlog.index.analyzer import FUNCTION_TERMS, analyze, analyze_query
from mindlog.knowledge.dates import find_dates
from mindlog.knowledge.extraction import name_key
from mindlog.query.asked import Asking, read_question
from mindlog.query.citations import citation_of
from mindlog.query.context import Source, sentences_of
from mindlog.query.followup import names_in
from mindlog.query.geo import asks_near
from mindlog.query.instructions import reads_like_instructions
from mindlog.query.support import share_of, term_weights
from mindlog.recall.cue import HUMAN
from mindlog.recall.predicatewords import predicate_terms
from mindlog.spoken import asks

if TYPE_CHECKING:
    from mindlog.query.job import QueryJob
    from mindlog.store.graphrows import StatementRow

__all__ = ["compose"]

_MOST_SENTENCES = 200  # that are looked at
_OF_MEMORY = 40
_MOST_PARTS = 3
_MOST_FACTS = 2
_NEAR_PARTS = 3
_LONGEST = 320  # characters of a sentence that is shown
_STATED = 0.5  # the share of the question that a statement must meet
_STATED_OPEN = 0.25  # the same of a question that was looked for with words of earlier turns, which need not be met
_OWN = 2  # what a term of such a question counts beside the words of earlier turns
_LEAST_MET = 0.1  # the share of the question that a sentence, or the one before it, must meet
_LEAST = 0.3  # what it must be worth ..
_OF_BEST = 0.75  # .. and what part of the best
_RANKED, _FITTING, _ASKS, _DERIVED = 0.7, 0.2, -0.3, -0.1
_CARRIED = 0.5  # of what the sentence before it meets
_UNDER = 0.8  # of what the heading that it stands under meets
_HEADING_WORDS = 5
_LEAST_WORDS = 0.75  # of the characters of a sentence that are letters, digits or blanks
_BESIDE = 2  # sentences beside statements
_PAST = 0.5
_FUNCTION = frozenset(FUNCTION_TERMS)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the answer: what is said, by which source, and the words of the memory it rests on."""

    worth: float
    source: Source
    start: int
    end: int
    words: str


def compose(job: QueryJob) -> None:
    """Put an answer and its citations into the job; none if nothing found is worth being one."""
    assert job.found is not None
    assert job.context is not None
    asking = read_question(job.request.question)
    own = _own_terms(job)
    weights = {term: weight * (_OWN if term in own else 1) for term, weight in term_weights(job.found).items()}
    sources = job.context.sources
    parts = list(_facts(sources, asking, own))
    if asks_near(job.request.question):
        parts += islice(_near(sources, weights, asking), _NEAR_PARTS)
    parts += _best(_sentences(sources, weights, asking), parts)
    chosen = list(_once(parts))[: _MOST_PARTS if len(parts) <= _MOST_PARTS else max(_MOST_PARTS, _NEAR_PARTS)]
    if not chosen:
        return
    job.answer = " ".join(_worded(part, asking) for part in chosen)
    job.answered_by = "extractive"
    first = {part.source.n: part for part in reversed(chosen)}
    job.citations = tuple(citation_of(part.source, part.start, part.end) for _, part in sorted(first.items()))
    _note(job, sources)


def _note(job: QueryJob, sources: Sequence[Source]) -> None:
    shown = {citation.n for citation in job.citations}
    disputed = [
        each for each in sources if each.n in shown and each.statement is not None and each.statement.contradicts
    ]
    if disputed:
        job.notes.append("memories contradict each other about this")
    left_out = sum(bool(source.flags) and source.n not in shown for source in sources)
    if left_out:
        job.notes.append(f"{left_out} sources that read like instructions were not used")


# -- statements ---------------------------------------------------------------------------------------------------------
def _own_terms(job: QueryJob) -> frozenset[str]:
    """Return the terms of a question that was looked for with words of earlier turns; none of one that is whole."""
    if job.cue == job.request.question:
        return frozenset()
    named = frozenset(term for name in names_in(job.request.question) for term in analyze(name))
    return frozenset(analyze_query(job.request.question)) - named - frozenset(FUNCTION_TERMS)


def _meets(statement: StatementRow, own: frozenset[str]) -> bool:
    return not own or not own.isdisjoint(predicate_terms(statement.predicate).union(analyze(statement.text)))


def _facts(sources: Sequence[Source], asking: Asking, own: frozenset[str]) -> Iterator[_Part]:
    """Yield the statements that answer; those that hold, and former ones if the question asks about the past or nothing holds."""
    stated = [
        each
        for each in sources
        if each.statement is not None
        and each.worth >= (_STATED_OPEN if own else _STATED)
        and not each.flags
        and _meets(each.statement, own)
    ]
    holding = [each for each in stated if each.holds]
    best = max((each.worth for each in holding or stated), default=0.0)
    usable = stated if asking.past or not holding else holding
    for source in sorted(usable, key=lambda each: (-each.worth, each.n))[:_MOST_FACTS]:
        if source.worth >= _OF_BEST * best or (asking.past and source.worth >= _PAST * best):
            yield _Part(1 + source.worth, source, source.start, source.end, source.text)


# -- sentences ----------------------------------------------------------------------------------------------------------
def _sentences(sources: Sequence[Source], weights: Mapping[str, float], asking: Asking) -> Iterator[_Part]:
    """Yield the sentences of the memories with what each is worth as an answer."""
    left = _MOST_SENTENCES
    for source in sources:
        if source.kind != "memory" or (source.outdated and not asking.past):
            continue
        for part in islice(_of_memory(source, weights, asking), min(left, _OF_MEMORY)):
            left -= 1
            yield part
        if left <= 0:
            return


def _of_memory(
    source: Source, weights: Mapping[str, float], asking: Asking, least: float = _LEAST_MET
) -> Iterator[_Part]:
    memory = source.memory
    speaker = frozenset(analyze(memory.agent or ""))
    around = under = 0.0
    for start, end in sentences_of(memory.text, source.start, source.end):
        words = memory.text[start:end]
        if (source.flags and reads_like_instructions(words)) or _is_code(words):
            continue
        terms = frozenset(analyze(words))
        met = share_of(weights, speaker | terms)
        if _is_heading(memory.text, words) and not asking.fits(words):
            under = met
            continue
        # What a sentence leaves out, the one before it or what it stands under has often named.
        base = max(met, _CARRIED * around, _UNDER * under)
        around = met
        # One that has no word of its own says nothing of what is asked.
        if base < least or terms <= _FUNCTION.union(weights):
            continue
        worth = base + _RANKED * source.score
        worth += _FITTING * asking.fits(words) + _ASKS * asks(words) + _DERIVED * (source.trust == "derived")
        yield _Part(worth, source, start, end, words)


def _is_code(words: str) -> bool:
    """Say whether a piece is signs rather than words: a line of code, of a grammar or of a drawing."""
    return sum(character.isalnum() or character.isspace() for character in words) < _LEAST_WORDS * len(words)


def _is_heading(text: str, words: str) -> bool:
    """Say whether a piece of a text of several lines is a line of a few words that ends like no sentence."""
    return "\n" in text and words[-1].isalnum() and len(words.split()) <= _HEADING_WORDS


def _best(parts: Iterable[_Part], said: Sequence[_Part]) -> list[_Part]:
    ordered = sorted(parts, key=lambda part: (-part.worth, part.source.n, part.start))
    least = max(_LEAST, _OF_BEST * ordered[0].worth) if ordered else 0.0
    most = max(_MOST_PARTS - len(said), 0) if not said else _BESIDE
    return [part for part in ordered if part.worth >= least][:most]


def _near(sources: Sequence[Source], weights: Mapping[str, float], asking: Asking) -> Iterator[_Part]:
    """Yield the best sentence of each memory about something near, the nearest first."""
    for source in sources:
        if source.kind == "near":
            parts = list(islice(_of_memory(source, weights, asking, least=0.0), _OF_MEMORY))
            if parts:
                yield max(parts, key=lambda part: part.worth)


def _once(parts: Iterable[_Part]) -> Iterator[_Part]:
    """Yield what says something new: not the sentence that a statement was read from, no sentence twice."""
    places: set[tuple[int, int]] = set()
    said: set[str] = set()
    for part in parts:
        key = name_key(part.words)
        place = part.source.memory.id.slot, part.start
        if place not in places and key not in said:
            yield part
        places.add(place)
        said.add(key)


# -- words --------------------------------------------------------------------------------------------------------------
def _worded(part: _Part, asking: Asking) -> str:
    source = part.source
    if source.statement is not None:
        return f"{_stated(source, source.statement, asking)} [{source.n}]."
    words = _short(part.words)
    day = _day(source, part.words) if asking.wants == "time" else ""
    if source.km is not None:
        day = f" ({source.place}, {source.km:.0f} km from {source.area})"
    sayer = _sayer(source)
    if sayer:
        return f"{sayer}: “{words}”{day} [{source.n}]."
    bare = words.rstrip(".。")
    mark = "" if bare.endswith(("!", "?", "…", "！", "？")) else "."
    return f"{bare}{day} [{source.n}]{mark}"


def _stated(source: Source, statement: StatementRow, asking: Asking) -> str:
    """Return a statement as a sentence, as the word of whoever said it if that is somebody else than it is about."""
    words = statement.text.rstrip(".")
    since, until = source.valid
    if not source.holds and until is not None:
        words += f" (until {iso(until)[:10]})"
    elif source.holds and since is not None and until is not None:
        words += f" ({iso(since)[:10]} to {iso(until)[:10]})"
    elif source.holds and since is not None and asking.wants == "time":
        words += f" (since {iso(since)[:10]})"
    agent = source.memory.agent
    about = {name_key(statement.subject_name), name_key(statement.object_name or "")}
    if source.trust == "user" and (agent is None or name_key(agent) in about | HUMAN):
        return words
    return f"{_sayer(source)}: {words}"


def _sayer(source: Source) -> str:
    """Return who said it, empty where nobody is named."""
    if source.trust == "web":
        host = urlsplit(source.url or "").hostname
        return f"According to {host or 'the web'}"
    agent = source.memory.agent
    return "" if agent is None else f"{_line(agent)} said"


def _line(words: str) -> str:
    return " ".join(words.split())[:100]


def _short(words: str) -> str:
    line = regex.sub(r"\[(\d[\d,; ]*)\]", r"(\1)", " ".join(words.split()))  # a citation is ours alone
    return line if len(line) <= _LONGEST else line[:_LONGEST].rstrip() + "…"


def _day(source: Source, words: str) -> str:
    """Return the day that a sentence means, or else the one it was said on."""
    dates = find_dates(words, source.memory.occurred_at)
    if len(dates) == 1:
        first, last = iso(dates[0].start)[:10], iso(dates[0].end - 1)[:10]
        return f" ({first})" if first == last else f" ({first} to {last})"
    return f" (said on {iso(source.memory.occurred_at)[:10]})" if source.memory.agent is not None else ""
