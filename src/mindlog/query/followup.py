"""What a question leaves to the turns before it: whether it does, and the words it is looked for with then.

Rules over the words alone. Knows no store and no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

import regex

from mindlog.index.analyzer import FUNCTION_TERMS, analyze
from mindlog.knowledge.extract.gazetteer import GIVEN_NAMES
from mindlog.knowledge.pronouns import FIRST, PRONOUNS
from mindlog.knowledge.wordlist import wordlist

if TYPE_CHECKING:
    from mindlog.store.askingrows import Asked

__all__ = ["expanded", "is_open", "names_in"]

_MOST_NAMES = 4
_MOST_TERMS = 6
_MOST_QUESTION = 300  # characters of an earlier question that has no name to take
_FEW_TERMS = 3  # a question of so few words of its own, and no name, is seldom whole
_CITED = regex.compile(r"\s?\[\d{1,3}(?:\s?,\s?\d{1,3})*\]")
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}'’\-]*")
_BREAKS = regex.compile(r"[.!?:;,()\[\]\"“”«»\n]")
_FUNCTION: Final = frozenset(FUNCTION_TERMS)
_POINTING = PRONOUNS | wordlist(
    "there that this those these then one ones former latter same other "
    "er sie ihn ihm ihr ihre ihren sein seine seinen dort dabei damals él ella ello ellos ellas su sus allí eso esa ese esto "
    "il elle lui leur leurs elles y ça cela là lui lei loro suo sua ci ele ela seu dele dela lá isso он она его её ему ей они их там это"
)
_GOES_ON = regex.compile(
    r"\s*(?:and|but|so|or|also|then|what about|how about|why(?:\s+not)?\s*\?|und|aber|was ist mit|wie ist es mit|y|pero|qué hay de|et|mais"
    r"|qu['’]en est-il|e|ma|mas|и|а|но|那|那么|では|それで)(?:\b|(?=\p{Han}))",
    regex.IGNORECASE,
)
_ASKING = wordlist(
    "who whom whose what when where why which how is are was were am do does did has have had can could will would shall should may might "
    "tell give list show name describe explain and but so or also please in on at from for with about to of the a an my our your his her their "
    "wer wen wem wessen was wann wo wohin warum welche welcher welches wie ist sind hat haben kann "
    "quién quiénes qué cuándo dónde cómo cuál cuánto qui que quoi quand où pourquoi comment quel quelle combien chi cosa dove come quando perché"
)


def is_open(question: str) -> bool:
    """Say whether the question leaves something to what was said before it."""
    words = [match.group().lower() for match in _WORD.finditer(question)]
    if _GOES_ON.match(question) or not _POINTING.isdisjoint(words):
        return True
    if names_in(question) or not FIRST.isdisjoint(words):
        return False
    return len(_content(question)) <= _FEW_TERMS


def expanded(question: str, turns: Sequence[Asked], most_bytes: int) -> str:
    """Return what to look for: the question and, if it is open, the names and the subject of the turns before it.

    turns: the latest first. The whole is at most `most_bytes` of UTF-8; the question itself is never cut.
    """
    if not turns or not is_open(question):
        return question
    own = {name.casefold() for name in names_in(question)}
    subject = _subject(question, turns[0].question)
    # In a bare "and Bob?" he takes the place of whom it was about.
    names = [] if own and subject else [name for name in _names(turns) if name.casefold() not in own][:_MOST_NAMES]
    added = " ".join(dict.fromkeys([*names, *subject])) or turns[0].question[:_MOST_QUESTION]
    room = most_bytes - len(question.encode()) - 1
    return f"{question} {added.encode()[:room].decode(errors='ignore')}".strip() if room > 0 else question


def names_in(text: str) -> list[str]:
    """Return the names of a text in order: runs of words written as names, each once."""
    plain = _CITED.sub("", text)
    found: list[str] = []
    end = run = -1
    for match in _WORD.finditer(plain):
        between = plain[max(end, 0) : match.start()]
        begins = end < 0 or _BREAKS.search(between) is not None
        if _is_name(match.group(), begins=begins):
            bare = _bare(match.group())
            if run == end and between == " ":
                found[-1] += f" {bare}"
            else:
                found.append(bare)
            run = match.start() + len(bare)
        end = match.end()
    return list(dict.fromkeys(found))


def _is_name(word: str, *, begins: bool) -> bool:
    bare = _bare(word)
    if not bare[0].isupper() or bare == "I":
        return False
    if not begins:
        return True
    # A capital at the beginning says nothing: there only what is known to be a name, or cannot be a word, is one.
    return bare.lower() in GIVEN_NAMES or (bare.lower() not in _ASKING and (word != bare or not bare[1:].islower()))


def _bare(word: str) -> str:
    """Return the word without the sign of the genitive."""
    return regex.sub(r"['’]s?$", "", word) or word


def _names(turns: Sequence[Asked]) -> Iterator[str]:
    """Yield the names of the latest turn that has some, its question's first; the others' after them."""
    yield from dict.fromkeys(chain.from_iterable((*names_in(turn.question), *names_in(turn.answer)) for turn in turns))


def _subject(question: str, before: str) -> list[str]:
    """Return the words of the question before that a bare "and Bob?" is about."""
    named = {word for name in names_in(question) for word in name.split(" ")}
    if any(_bare(word) not in named for word in _content(question)):
        return []
    named |= {word for name in names_in(before) for word in name.split(" ")}
    said = question.casefold()
    return [word for word in _content(before) if _bare(word) not in named and word.casefold() not in said][:_MOST_TERMS]


def _content(text: str) -> list[str]:
    words = [match.group() for match in _WORD.finditer(text)]
    return [
        word for word in words if not _FUNCTION.issuperset(analyze(word)) and word.lower() not in _ASKING | _POINTING
    ]
