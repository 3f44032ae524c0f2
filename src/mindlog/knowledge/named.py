"""The things one text names: mentions that are surely of one thing become one, before anybody asks what is known of it.

Within one text "Alice Chen", "Alice" and "Dr. Chen" are one person if nobody else there has such a name. Knows no store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import regex

from mindlog.knowledge.extract.gazetteer import TITLES
from mindlog.knowledge.extraction import SPEAKER, Claim, EntityKind, Extraction, Mention, Span, merged_spans, name_key
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.naming import Words, can_be_one, is_common, name_words, title_before

__all__ = ["Named", "things"]

_KIN = frozenset(row.predicate for row in KIN.values())
_MINE = regex.compile(r"(?:my|our) ", regex.IGNORECASE)
_TITLE = regex.compile(r"(\p{L}+)\.? +(?=\S)")
_NUMBER = regex.compile(r"(?<=\S) +\d+$")
_WEAK = frozenset({EntityKind.OTHER, EntityKind.CONCEPT})

_PERSON, _PLACE, _FIRM = EntityKind.PERSON, EntityKind.PLACE, EntityKind.ORGANIZATION
_ENDS: dict[str, tuple[EntityKind | None, EntityKind | None]] = {
    **dict.fromkeys(["lives_in", "lived_in", "moved_to", "moved_from", "grew_up_in", "born_in"], (_PERSON, _PLACE)),
    **dict.fromkeys(["works_at", "worked_at", "studies_at", "studied_at"], (_PERSON, _FIRM)),
    **dict.fromkeys(["works_as", "has_birthday", "born_on", "has_age", "allergic_to"], (_PERSON, None)),
    "located_in": (None, _PLACE),
}


@dataclass(slots=True, kw_only=True)
class Named:
    """One thing a text names.

    name: the fullest it is called there, without titles. forms: how it may be compared, the fullest first. aliases: what
    it is called there, by key. owner: the mention (or `SPEAKER`) whose it is, if its name alone says too little.
    """

    name: str
    kind: EntityKind
    forms: tuple[Words, ...]
    spans: tuple[Span, ...]
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    owner: str | None = None
    has_title: bool = False

    @property
    def key(self) -> str:
        """The key of its name."""
        return name_key(self.name)

    @property
    def words(self) -> Words:
        """Its fullest form."""
        return self.forms[0]

    def take(self, other: Named) -> None:
        """Make the other's mentions this one's; the name stays unless the other's says more."""
        self.forms = tuple(sorted({*self.forms, *other.forms}, key=lambda words: (-len(words), words)))
        self.name = max(self.name, other.name, key=lambda name: len(name_words(name, EntityKind.PERSON)))
        self.kind = other.kind if self.kind in _WEAK else self.kind
        self.spans = merged_spans(self.spans + other.spans)
        self.aliases.update(other.aliases)
        self.has_title = self.has_title or other.has_title


def things(text: str, extraction: Extraction) -> dict[str, Named]:
    """Return what the text names, by the key of every mention's name."""
    said = dict(_kinds(extraction.claims))
    by_key: dict[str, Named] = {}
    for mention in extraction.mentions:
        key = name_key(mention.name)
        kind = said.get(key, mention.kind) if mention.kind is EntityKind.OTHER else mention.kind
        by_key[key] = _named(text, replace(mention, kind=kind))
    _join(by_key, _same_words(by_key))
    _join(by_key, _in_brackets(text, by_key))
    _join(by_key, _parts(by_key))
    for key, owner in _owners(extraction.claims):
        if key in by_key and by_key[key].owner is None:
            by_key[key].owner = owner
    return by_key


def _kinds(claims: Iterable[Claim]) -> Iterable[tuple[str, EntityKind]]:
    """Yield what kind the ends of claims must be: who works somewhere is a person, and works at an organisation."""
    for claim in claims:
        subject, target = _ENDS.get(claim.predicate, (None, None))
        if subject is not None and claim.subject != SPEAKER:
            yield name_key(claim.subject), subject
        if target is not None and claim.object is not None and claim.object != SPEAKER:
            yield name_key(claim.object), target


def _named(text: str, mention: Mention) -> Named:
    name = _MINE.sub("", mention.name, count=1) if _MINE.match(mention.name) else mention.name
    titled = False
    if mention.kind is EntityKind.PERSON and not mention.is_resolved:
        titled = any(title_before(text, span.start) < span.start for span in mention.spans)
        name, bare = _without_title(name), name
        titled = titled or bare != name
    named = Named(
        name=name,
        kind=mention.kind,
        forms=(name_words(name, mention.kind),),
        spans=mention.spans,
        has_title=titled,
    )
    if not mention.is_resolved:
        named.aliases = {name_key(each): each for each in _written(text, mention, name)}
    return named


def _without_title(name: str) -> str:
    while (found := _TITLE.match(name)) and found[1].lower() in TITLES:
        name = name[found.end() :]
    return _NUMBER.sub("", name)


def _written(text: str, mention: Mention, name: str) -> Iterable[str]:
    """Yield the name as it stands in the text: with its titles, if it has any."""
    if mention.kind is not EntityKind.PERSON:
        yield name
        return
    for span in mention.spans:
        start = title_before(text, span.start)
        yield f"{text[start : span.start]}{name}" if start < span.start else name


def _join(by_key: dict[str, Named], pairs: Iterable[tuple[Named, Named]]) -> None:
    for kept, gone in pairs:
        if kept is gone:
            continue
        kept.take(gone)
        by_key.update({key: kept for key, named in by_key.items() if named is gone})


def _same_words(by_key: Mapping[str, Named]) -> list[tuple[Named, Named]]:
    first: dict[Words, Named] = {}
    pairs: list[tuple[Named, Named]] = []
    for named in by_key.values():
        kept = first.setdefault(named.words, named)
        if kept is not named and can_be_one(kept.kind, named.kind):
            pairs.append((kept, named))
    return pairs


def _in_brackets(text: str, by_key: Mapping[str, Named]) -> list[tuple[Named, Named]]:
    """Find "Dr. Chen (Alice)" and "International Business Machines (IBM)"."""
    starts = {span.start: named for named in by_key.values() for span in named.spans}
    pairs: list[tuple[Named, Named]] = []
    for named in _each_once(by_key.values()):
        for span in named.spans:
            at = span.end + len(text[span.end : span.end + 2]) - len(text[span.end : span.end + 2].lstrip())
            inner = starts.get(at + 1) if text[at : at + 1] == "(" else None
            if inner is None or not any(text[end.end : end.end + 1] == ")" for end in inner.spans):
                continue
            if _is_person(named) and _is_person(inner) and len(named.words) == len(inner.words) == 1:
                named.forms = ((*inner.words, *named.words), (*named.words, *inner.words), *named.forms)
                pairs.append((named, inner))
            elif can_be_one(named.kind, inner.kind) and _is_acronym(inner.words, named.words):
                pairs.append((named, inner))
    return pairs


def _parts(by_key: Mapping[str, Named]) -> list[tuple[Named, Named]]:
    """Find the one full name in the text that a single name is the first or last word of."""
    full: dict[str, list[Named]] = {}
    for named in _each_once(by_key.values()):
        if named.kind is EntityKind.PERSON and len(named.words) > 1:
            for word in {named.words[0], named.words[-1]}:
                full.setdefault(word, []).append(named)
    pairs: list[tuple[Named, Named]] = []
    for named in _each_once(by_key.values()):
        whole = full.get(named.words[0], []) if len(named.words) == 1 and _is_person(named) else []
        if len(whole) == 1:
            pairs.append((whole[0], named))
    return pairs


def _owners(claims: Sequence[Claim]) -> Iterable[tuple[str, str]]:
    """Yield the key of everything that is called by a common name, and whose it is."""
    for claim in claims:
        if claim.predicate == "has" and claim.object is not None and is_common(claim.object):
            yield name_key(claim.object), claim.subject
        elif claim.predicate in _KIN and claim.object == SPEAKER and _MINE.match(claim.subject):
            yield name_key(claim.subject), SPEAKER


def _is_person(named: Named) -> bool:
    return named.kind in (EntityKind.PERSON, EntityKind.OTHER)


def _is_acronym(short: Words, full: Words) -> bool:
    return len(short) == 1 and len(full) > 1 and short[0] == "".join(word[0] for word in full)


def _each_once(named: Iterable[Named]) -> list[Named]:
    return list({id(each): each for each in named}.values())
