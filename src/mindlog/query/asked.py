"""What sort of answer a question wants: a time, a number, a name; and whether it asks about the past. Rules over its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import regex

from mindlog.knowledge.dates import find_dates
from mindlog.query.followup import names_in

__all__ = ["Asking", "Wanted", "read_question"]

Wanted = Literal["time", "number", "person", "place", "anything"]

_WORDS: Final[tuple[tuple[Wanted, str, str], ...]] = (
    (
        "time",
        r"when|what (?:time|date|day|year|month)|which (?:date|day|year|month)|how long ago|since when|until when"
        r"|wann|seit wann|cuándo|quand|quando",
        r"何時|いつ|什么时候|什麼時候|когда",
    ),
    (
        "number",
        r"how (?:many|much|old|often|long|far|tall|big|large)|what (?:price|number|amount|percentage|age)|wie ?(?:viele?|alt|oft|lange|weit)"
        r"|cuánt[oa]s?|combien|quant[oiae]",
        r"多少|几个|いくつ|いくら|сколько",
    ),
    ("person", r"who|whom|whose|wer|wen|wem|quién(?:es)?|qui|chi|quem", r"谁|誰|だれ|кто|кого"),
    (
        "place",
        r"where|what (?:city|country|town|place)|which (?:city|country|town)|wo|wohin|woher|dónde|où|dove|onde",
        r"哪里|哪裡|どこ|где|куда",
    ),
)
_WANTED: Final[tuple[tuple[Wanted, regex.Pattern[str]], ...]] = tuple(
    (wanted, regex.compile(rf"(?:\b(?:{words})\b|{others})", regex.IGNORECASE)) for wanted, words, others in _WORDS
)
_PAST: Final = regex.compile(
    r"\b(?:used to|formerly|previous(?:ly)?|before|earlier|once|back then|in the past|at first|originally|former|last job|ex|history|ever"
    r"|früher|vorher|damals|ehemalig\w*|antes|avant|autrefois|prima|anterior\w*)\b",
    regex.IGNORECASE,
)
_DIGIT = regex.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|once|twice)\b",
    regex.IGNORECASE,
)
_AT = 1_000_000_000_000_000  # any day: only whether a text names a time is asked


@dataclass(frozen=True, slots=True)
class Asking:
    """What a question wants. named: the names it gives itself."""

    wants: Wanted
    past: bool
    named: frozenset[str]

    def fits(self, sentence: str) -> bool:
        """Say whether a sentence holds what sort of thing is wanted."""
        return _FITS[self.wants](self, sentence)


def read_question(question: str) -> Asking:
    """Read a question."""
    named = frozenset(name.casefold() for name in names_in(question))
    return Asking(_wanted(question), _PAST.search(question) is not None, named)


def _wanted(question: str) -> Wanted:
    for wanted, pattern in _WANTED:
        if pattern.search(question):
            return wanted
    return "anything"


def _names_another(asking: Asking, sentence: str) -> bool:
    return any(name.casefold() not in asking.named for name in names_in(sentence))


def _names_a_time(asking: Asking, sentence: str) -> bool:
    return bool(find_dates(sentence, _AT))


def _gives_a_number(asking: Asking, sentence: str) -> bool:
    return _DIGIT.search(sentence) is not None


_FITS: Final[dict[Wanted, Callable[[Asking, str], bool]]] = {
    "time": _names_a_time,
    "number": _gives_a_number,
    "person": _names_another,
    "place": _names_another,
    "anything": lambda asking, sentence: False,
}
