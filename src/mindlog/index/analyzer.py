"""Turns text into the terms that the lexical index compares. Pure and deterministic; owns the cache of what it has seen.

One analyzer for every index and for cues: a text is found by each of its words, in any case, accent or Unicode form.
"""

from __future__ import annotations

import sys
from itertools import chain
from typing import Final

from mindlog.index.folding import fold
from mindlog.index.words import is_spaced, terms_of

__all__ = ["ANALYZER_VERSION", "FUNCTION_TERMS", "analyze", "analyze_query"]

ANALYZER_VERSION: Final = 1
"""Raised when the terms of some text change: segments made by another version are rebuilt."""

_MAX_CHUNK = 48
_MAX_CHUNKS = 65_536


class _Chunks(dict[str, tuple[str, ...]]):
    """The terms of stretches without a space. Natural text repeats its words, so nearly all are looked up here."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        terms = tuple(map(sys.intern, terms_of(fold(chunk))))
        if len(chunk) <= _MAX_CHUNK:
            if len(self) >= _MAX_CHUNKS:
                self.clear()
            self[chunk] = terms
        return terms


_chunks = _Chunks()


def analyze(text: str) -> list[str]:
    """Return the terms of a text in order, with repeats. Accepts any string; about linear in its length."""
    return list(chain.from_iterable(map(_chunks.__getitem__, text.split())))


def analyze_query(text: str) -> list[str]:
    """Return the terms of a cue in order, each once: those by which a text that contains its words is found.

    English function words are left out unless the cue has nothing else.
    """
    terms = dict.fromkeys(chain.from_iterable(map(_cue_terms, text.split())))
    return [term for term in terms if term not in _FUNCTION_SET] or list(terms)


def _cue_terms(chunk: str) -> tuple[str, ...]:
    return _chunks[chunk] if is_spaced(chunk) else tuple(terms_of(fold(chunk), cue=True))


FUNCTION_TERMS: Final = tuple(dict.fromkeys(analyze(
    "a about above after again against all am an and any are aren't as at be because been before being below between "
    "both but by can can't could couldn't did didn't do does doesn't doing don't down during each few for from further "
    "had hadn't has hasn't have haven't having he her here hers herself him himself his how i if in into is isn't it "
    "its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own "
    "same she should shouldn't so some such than that the their theirs them themselves then there these they this those "
    "through to too under until up very was wasn't we were weren't what when where which while who whom why will with "
    "won't would wouldn't you your yours yourself yourselves s t d ll m re ve"
)))  # fmt: skip
"""Terms of English function words: indexed, so that a cue made of them alone works, but not counted in a length."""

_FUNCTION_SET: Final = frozenset(FUNCTION_TERMS)
