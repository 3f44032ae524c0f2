"""What a cue says, read by rules: its terms, the names it may hold, its person, what each of its tokens weighs.

Knows no memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindlog.index.analyzer import FUNCTION_TERMS, analyze, analyze_query
from mindlog.knowledge.extraction import name_key

__all__ = ["HUMAN", "Cue", "name_keys", "read_cue", "token_weights", "words"]

# The names chat formats give the human side: a cue in the first person asks for what that side said.
HUMAN = frozenset({"user", "human", "customer", "me"})

_FIRST_PERSON = frozenset({"i", "my", "me", "we", "our", "mine", "myself"})
_WORD = re.compile(r"[^\W_]+")
_FUNCTION = frozenset(FUNCTION_TERMS)
# A cue token that belongs to a function word still says a little ("did", "with"); punctuation says nothing.
_FUNCTION_WEIGHT = 0.5
_NOTHING = 1e-6
_NAME_WORDS, _NAMED_WORDS, _NAME_LETTERS, _MOST_NAMES = 5, 64, 6, 400
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A cue as recall reads it."""

    text: str
    terms: tuple[str, ...]
    words: frozenset[str]
    first_person: bool
    names: tuple[str, ...]  # name keys of everything in it that could be a name, longest first


def read_cue(text: str) -> Cue:
    """Read a cue."""
    found = words(text)
    return Cue(
        text=text,
        terms=tuple(analyze_query(text)),
        words=found,
        first_person=not found.isdisjoint(_FIRST_PERSON),
        names=name_keys(text),
    )


def words(text: str) -> frozenset[str]:
    """Return the text's words, case folded."""
    return frozenset(_WORD.findall(text.casefold()))


def name_keys(text: str) -> tuple[str, ...]:
    """Return the keys of all stretches of up to five words, the longest first; in scripts without spaces, of letters.

    Of a long text the beginning counts. A function word alone is a name only if it is written as one ("Will").
    """
    said = name_key(text).split(" ")[:_NAMED_WORDS]
    capitals = {word.casefold() for word in _WORD.findall(text)[1:] if word[0].isupper()}
    found = dict.fromkeys(
        " ".join(said[at : at + size])
        for size in range(min(_NAME_WORDS, len(said)), 0, -1)
        for at in range(len(said) - size + 1)
    )
    keys = [key for key in found if key not in _FUNCTION or key in capitals]
    return tuple(dict.fromkeys((*keys, *_letters(said))))[:_MOST_NAMES]


def _letters(said: Sequence[str]) -> Iterator[str]:
    for stretch in (match[0] for word in said for match in _UNSPACED.finditer(word)):
        for size in range(min(_NAME_LETTERS, len(stretch)), 1, -1):
            yield from (stretch[at : at + size] for at in range(len(stretch) - size + 1))


def token_weights(text: str, spans: NDArray[np.int32], idf: Callable[[str], float]) -> NDArray[np.float32]:
    """Return what each token of the cue weighs in late interaction: the idf of the word it belongs to.

    spans: (tokens, 2) character ranges. A function word weighs half a unit, punctuation nearly nothing.
    """
    return np.array([_weight(text, start, end, idf) for start, end in spans.tolist()], np.float32)


def _weight(text: str, start: int, end: int, idf: Callable[[str], float]) -> float:
    if not any(map(str.isalnum, text[start:end])):
        return _NOTHING
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    terms = [term for term in analyze(text[start:end]) if term not in _FUNCTION]
    return idf(terms[0]) if terms else _FUNCTION_WEIGHT
