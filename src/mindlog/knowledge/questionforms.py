"""How a fact is asked for in English: the words for each predicate, and a guess by its shape for one nobody listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mindlog.knowledge.kin import KIN

__all__ = ["Voice", "forms"]


@dataclass(frozen=True, slots=True)
class Voice:
    """Somebody or something as a sentence needs it."""

    name: str
    possessive: str
    do: str = "does"
    be: str = "is"
    have: str = "has"

    @classmethod
    def first(cls) -> Voice:
        """Whoever asks."""
        return cls("I", "my", "do", "am", "have")

    @classmethod
    def of(cls, name: str) -> Voice:
        """Somebody with a name."""
        return cls(name, f"{name}'" if name.endswith("s") else f"{name}'s")


# predicate | questions, separated by slashes. s: the subject; ss: its possessive; o, os: the target's; do, be, have agree with s.
_ROWS = """
lives_in | Where {do} {s} live?
lived_in | Where did {s} live?
grew_up_in | Where did {s} grow up?
moved_to | Where did {s} move to?
moved_from | Where did {s} move from?
works_at | Where {do} {s} work? / Who works at {o}?
worked_at | Where did {s} work before?
works_as | What {do} {s} do for a living?
worked_as | What did {s} work as?
joined | What did {s} join?
left | What did {s} leave?
studies | What {do} {s} study?
studied | What did {s} study?
studies_at | Where {do} {s} study?
studied_at | Where did {s} study?
graduated_from | Where did {s} graduate from?
teaches | What {do} {s} teach?
likes | What {do} {s} like?
dislikes | What {do} {s} dislike?
prefers | What {do} {s} prefer?
prefers_less | What {do} {s} like less?
has_birthday | When is {ss} birthday?
born_in | Where was {s} born?
born_on | When was {s} born?
has_age | How old {be} {s}?
has_name | What is {ss} name?
has_email | What is {ss} e-mail address?
has_phone | What is {ss} phone number?
has_url | What is {ss} website?
has_handle | What is {ss} handle?
has_address | What is {ss} address?
married_to | Who {be} {s} married to?
engaged_to | Who {be} {s} engaged to?
dating | Who {be} {s} dating?
allergic_to | What {be} {s} allergic to?
follows_diet | What diet {do} {s} follow?
speaks | Which languages {do} {s} speak?
plays | What {do} {s} play?
plays_for | Which team {do} {s} play for?
collects | What {do} {s} collect?
reads | What {be} {s} reading?
learns | What {be} {s} learning?
attended | What did {s} attend?
signed_up_for | What did {s} sign up for?
volunteers_at | Where {do} {s} volunteer?
started | What did {s} start?
finished | What did {s} finish?
won | What did {s} win?
works_on | What {be} {s} working on?
uses | What {do} {s} use? / Who uses {o}?
depends_on | What {do} {s} depend on?
runs_on | What {do} {s} run on?
switched_to | What did {s} switch to?
switched_from | What did {s} switch from?
located_in | Where {be} {s}?
from | Where {be} {s} from?
costs | How much {do} {s} cost?
scheduled_for | When {be} {s}?
visited | Which places {have} {s} visited?
met | Who did {s} meet?
has | What {do} {s} have?
owns | What {do} {s} own?
bought | What did {s} buy?
sold | What did {s} sell?
is_a | Who {be} {s}?
pet_of | What is {os} pet called?
colour | What colour {be} {s}?
founded | Who founded {o}? / What did {s} found?
acquired | Who acquired {o}? / What did {s} acquire?
wrote | Who wrote {o}? / What did {s} write?
created | Who created {o}? / What did {s} create?
invented | Who invented {o}? / What did {s} invent?
designed | Who designed {o}? / What did {s} design?
built | Who built {o}? / What did {s} build?
leads | Who leads {o}? / What {do} {s} lead?
manages | Who manages {o}? / What {do} {s} manage?
ceo_of | Who is the CEO of {o}?
capital_of | What is the capital of {o}?
failed | When did {s} fail?
crashed | When did {s} crash?
broke_down | When did {s} break down?
broke | When did {s} break?
died | When did {s} die?
arrived | When did {s} arrive?
stopped | When did {s} stop?
ended | When did {s} end?
opened | When did {s} open?
closed | When did {s} close?
"""


def _rows() -> dict[str, tuple[str, ...]]:
    split = (row.split("|") for row in _ROWS.strip().splitlines())
    return {predicate.strip(): tuple(text.strip() for text in texts.split(" / ")) for predicate, texts in split}


_FORMS: Final = _rows()
_KIN: Final = {kin.predicate for kin in KIN.values()}
_ROLE_ENDS = (
    "er",
    "or",
    "ist",
    "ant",
    "ent",
    "ian",
    "man",
    "head",
    "chief",
    "lead",
    "author",
    "capital",
    "ceo",
    "cto",
    "cfo",
)
_PREPOSITIONS = frozenset({"in", "at", "to", "for", "with", "on", "from", "by", "about", "as", "of"})


def forms(predicate: str, subject: Voice, target: Voice) -> Iterator[str]:
    """Yield the questions that a fact answers, the most natural first."""
    own = ("What do I do?",) if predicate == "is_a" and subject.name == "I" else None
    for form in own or _FORMS.get(predicate) or (_guess(predicate),):
        text = form.format(
            s=subject.name,
            ss=subject.possessive,
            o=target.name,
            os=target.possessive,
            do=subject.do,
            be=subject.be,
            have=subject.have,
        )
        yield text[0].upper() + text[1:]


def _guess(predicate: str) -> str:
    words = predicate.split("_")
    head, rest = words[0], "".join(f" {word}" for word in words[1:])
    if predicate in _KIN:
        return "Who is {os} " + " ".join(words[:-1]) + "?"
    if words[-1] == "of" and words[-2:-1] and words[-2].endswith(_ROLE_ENDS):
        return "Who is the " + " ".join(words[:-1]) + " of {o}?"
    if head in ("favourite", "has") and rest:
        return "What is {ss}" + (f" favourite{rest}?" if head == "favourite" else f"{rest}?")
    if head.endswith("ed") and len(head) > 3:
        return "What {have} {s} " + head + rest + "?"
    if head.endswith("s") and not head.endswith(("ss", "us", "is")):
        return _place("{do} {s} " + _base(head), words[1:])
    if words[-1] in _PREPOSITIONS and rest:
        return _place("{be} {s} " + head, words[1:])
    return "What is {ss} " + " ".join(words) + "?"


def _place(said: str, rest: list[str]) -> str:
    """Ask where rather than in what."""
    where = rest[-1:] == ["in"]
    words = "".join(f" {word}" for word in (rest[:-1] if where else rest))
    return f"{'Where' if where else 'What'} {said}{words}?"


def _base(verb: str) -> str:
    """Return a verb without the ending of the third person: studies, watches, runs."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("ches", "shes", "xes", "oes", "sses", "zes")) else verb[:-1]
