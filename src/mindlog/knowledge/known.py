"""The names of a dataset that stand in a text: a gazetteer that grows with it. Knows no tier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import regex

from mindlog.index.analyzer import FUNCTION_TERMS
from mindlog.knowledge.extraction import Claim, EntityKind, Extraction, Mention, Span, Tier, name_key

if TYPE_CHECKING:
    from mindlog.store.base import Store

__all__ = ["known_names", "only_known", "words_of"]

_WORDS = 1000  # words of the text that are looked up among the names of the dataset
_LONGEST_NAME = 4
_FUNCTION_WORDS = frozenset(FUNCTION_TERMS)
_WORD = regex.compile(r"[\w\p{M}]+")


def words_of(text: str) -> list[str]:
    """Return the first words of a text, those that `known_names` looks at."""
    return [match.group() for match in islice(_WORD.finditer(text), _WORDS)]


def known_names(store: Store, dataset: int, words: Sequence[str]) -> dict[str, EntityKind]:
    """Return the names of the dataset's entities that stand in the text, each as it is written and folded.

    Of two entities with one name the kind of the one that is named more counts.
    """
    known: dict[str, EntityKind] = {}
    for key, rows in store.entities_by_key(dataset, list(dict.fromkeys(_name_keys(words)))).items():
        for row in sorted(rows, key=lambda row: row.mentions):
            # What is written small ("my car") is a word; it must not make a name of itself wherever it stands.
            names = [alias for alias in row.aliases if name_key(alias) == key and not alias.islower()]
            if names:
                known |= dict.fromkeys([*names, key], EntityKind(row.kind))
    return known


def only_known(extraction: Extraction, text: str, known: Mapping[str, EntityKind]) -> Extraction:
    """Return the extraction with the known names for its mentions, wherever they stand, and the claims about these alone.

    For a text that was made by rules: what it adds around a name ("Revenue of Acme") is no name of its own.
    """
    named = dict[str, Mention]()
    for name, kind in sorted(known.items(), key=lambda each: -len(each[0])):
        taken = [span for mention in named.values() for span in mention.spans]
        found = [Span(match.start(), match.end()) for match in regex.finditer(rf"\b{regex.escape(name)}\b", text)]
        spans = tuple(span for span in found if not any(span.overlaps(other) for other in taken))
        if spans:
            written = spans[0].of(text)
            named[name_key(name)] = Mention(name=written, kind=kind, spans=spans, confidence=1.0, tier=Tier.PATTERN)
    claims = tuple(claim for claim in extraction.claims if _is_about(claim, named))
    return replace(extraction, mentions=tuple(named.values()), claims=claims)


def _is_about(claim: Claim, named: Mapping[str, Mention]) -> bool:
    return all(name_key(end) in named for end in (claim.subject, claim.object) if end is not None)


def _name_keys(words: Sequence[str]) -> Iterator[str]:
    """Yield what may be a name: one word that is not written small, or several that begin and end with more than "the"."""
    keys = [name_key(word) for word in words]
    # One small word is a word, whoever is called Will; several can be a name that was written carelessly.
    yield from (key for word, key in zip(words, keys, strict=True) if not word.islower())
    ends = [key not in _FUNCTION_WORDS for key in keys]
    for size in range(2, _LONGEST_NAME + 1):
        for at in range(len(words) - size + 1):
            if ends[at] and ends[at + size - 1]:
                yield " ".join(keys[at : at + size])
