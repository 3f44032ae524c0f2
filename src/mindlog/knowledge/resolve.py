"""Which known entity a name means, as far as that is sure. What is only likely is left to `doubts`.

In this order: the exact key of a name or alias with a kind that fits; the speaker; all the words of a full name as aliases
of one entity; a first name that only one person of the dataset has. Keys fold accents, case, width and punctuation in
any script and map no script to another. Names are resolved in the order in which memories come: what was resolved stays
with its entity, and a name that becomes ambiguous later (a second Alice) gets an entity of its own with proposals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mindlog.knowledge.extraction import SPEAKER, EntityKind, Extraction, name_key
from mindlog.knowledge.named import Named, things
from mindlog.knowledge.naming import can_be_one, is_common, name_words
from mindlog.store.graphrows import EntityQuery, EntityRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mindlog.knowledge.doubts import Doubt
    from mindlog.store.graph import GraphStore

__all__ = ["Resolved", "owned_name", "resolve_exact", "row_words"]

_NAMELESS = "user"  # who speaks in memories without an agent
_NAMESAKES = 20  # most people of one first name that are looked at
_EXACT_ONLY = frozenset({EntityKind.CONTACT, EntityKind.IDENTIFIER})


@dataclass(slots=True, kw_only=True)
class Resolved:
    """What a thing of the text is: the entity `row`, or a new one (`new`, once its id is reserved).

    doubts: entities it may be, best first; only of what is not known for sure. is_merged: the name is a new entity
    of its own (`new`) that is merged into `row`, so that it can be taken apart again; what is stated is stated of `row`.
    """

    named: Named
    is_speaker: bool = False
    row: EntityRow | None = None
    new: int | None = None
    doubts: list[Doubt] = field(default_factory=list["Doubt"])
    is_merged: bool = False
    vector: NDArray[np.float32] | None = None

    @property
    def entity(self) -> int:
        """The root of the entity."""
        found = self.new if self.row is None else self.row.id
        assert found is not None  # ids are reserved before anybody asks
        return found

    @property
    def named_entity(self) -> int:
        """The entity that the name itself belongs to."""
        return self.new if self.is_merged and self.new is not None else self.entity

    @property
    def name(self) -> str:
        """The name of the entity."""
        return self.named.name if self.row is None else self.row.name

    @property
    def is_open(self) -> bool:
        """Whether it may be an entity that is known under another name."""
        settled = self.row is not None or self.is_speaker or self.named.owner is not None
        return not settled and self.named.kind not in _EXACT_ONLY and not is_common(self.named.name)


def resolve_exact(
    store: GraphStore, dataset: int, text: str, extraction: Extraction, agent: str | None
) -> dict[str, Resolved]:
    """Return everything the text names, by the key of every mention, with the entities that are surely meant. Reads."""
    named = things(text, extraction)
    speaker = agent or _NAMELESS
    known = store.entities_by_key(dataset, sorted(_keys(named.values(), speaker)))
    found: dict[str, Resolved] = {}
    if any(SPEAKER in (claim.subject, claim.object) for claim in extraction.claims):
        found[SPEAKER] = _speaker(speaker, known)
    once: dict[int, Resolved] = {}
    for key, each in named.items():
        if each.owner is not None and (each.owner == SPEAKER or name_key(each.owner) in named):
            continue
        each.owner = None
        if id(each) not in once and SPEAKER in found and _is_speaker(each, speaker):
            once[id(each)] = _also(found[SPEAKER], each)
        elif id(each) not in once:
            once[id(each)] = Resolved(named=each, row=_known(store, dataset, each, known, speaker))
        found[key] = once[id(each)]
    _resolve_owned(store, dataset, named, found)
    return found


def row_words(row: EntityRow) -> set[tuple[str, ...]]:
    """Return the words of every name the entity has."""
    kind = EntityKind(row.kind)
    return {name_words(name, kind) for name in (row.name, *row.aliases)}


def _keys(named: Iterable[Named], speaker: str) -> set[str]:
    keys = {name_key(speaker)}
    for each in named:
        keys.update(each.aliases, (each.key, name_key(owned_name(speaker, each.name))))
        for words in each.forms:
            keys.add(" ".join(words))
            keys.update(words if each.kind is EntityKind.PERSON else ())
    return keys


def _speaker(name: str, known: Mapping[str, list[EntityRow]]) -> Resolved:
    key = name_key(name)
    words = name_words(name, EntityKind.PERSON)
    named = Named(name=name, kind=EntityKind.PERSON, forms=(words,), spans=(), aliases={key: name})
    rows = [row for row in known.get(key, []) if row.is_speaker or can_be_one(EntityKind.PERSON, EntityKind(row.kind))]
    row = max(rows, key=lambda row: (row.is_speaker, *_rank(row, named)), default=None)
    return Resolved(named=named, is_speaker=True, row=row)


def _is_speaker(named: Named, speaker: str) -> bool:
    return named.key == name_key(speaker) and can_be_one(named.kind, EntityKind.PERSON)


def _also(speaker: Resolved, named: Named) -> Resolved:
    speaker.named.spans += named.spans
    speaker.named.aliases.update(named.aliases)
    return speaker


def _known(
    store: GraphStore, dataset: int, named: Named, known: Mapping[str, list[EntityRow]], speaker: str
) -> EntityRow | None:
    if is_common(named.name):
        return _known_common(named, known, speaker)
    is_person = named.kind is EntityKind.PERSON
    if is_person and len(named.words) == 1:
        return _known_single(store, dataset, named, known)
    keys = [" ".join(words) for words in named.forms] + list(named.aliases)
    for key in dict.fromkeys(keys):
        if is_person and " " not in key:
            continue  # a part of a full name is for a person of that full name only
        if rows := _fitting(named, known.get(key, [])):
            return _best(named, rows)
    return _known_by_parts(named, known) if is_person else None


def _known_single(
    store: GraphStore, dataset: int, named: Named, known: Mapping[str, list[EntityRow]]
) -> EntityRow | None:
    """Find who has this one word for a name, or is the only one that has it for a first name."""
    (word,) = named.words
    rows = _fitting(named, known.get(word, []))
    own = [row for row in rows if name_words(row.name, named.kind) == (word,)]
    if own:
        return _best(named, own)
    called = {row.id: row for row in [*rows, *_namesakes(store, dataset, word)]}
    (one,) = called.values() if len(called) == 1 else (None,)
    # Who was never called by it before is meant by a first name only; written "Dr. Chen", the word is none.
    is_first = one is not None and not named.has_title and any(words[0] == word for words in row_words(one))
    return one if rows or is_first else None


def _namesakes(store: GraphStore, dataset: int, word: str) -> list[EntityRow]:
    """Find people who have the word for a first or a family name."""
    first = store.list_entities(EntityQuery(dataset=dataset, key=f"{word} ", limit=_NAMESAKES, count_limit=1))
    last = [row for row, _ in store.entities_like(dataset, word, _NAMESAKES)]
    return [row for row in (*first, *last) if row.kind == EntityKind.PERSON and _has_part(row, word)]


def _known_by_parts(named: Named, known: Mapping[str, list[EntityRow]]) -> EntityRow | None:
    """Find the one that is called by every word of the full name."""
    rows = [{row.id: row for row in _fitting(named, known.get(word, []))} for word in named.words]
    shared = set(rows[0]).intersection(*rows[1:])
    return rows[0][shared.pop()] if len(shared) == 1 else None


def _known_common(named: Named, known: Mapping[str, list[EntityRow]], speaker: str) -> EntityRow | None:
    """Find the speaker's own thing, or the thing of that very name, or the only one of them all."""
    rows = _fitting(named, known.get(named.key, []))
    for name in (owned_name(speaker, named.name), named.name):
        for row in rows:
            if name_key(row.name) == name_key(name):
                return row
    return rows[0] if len(rows) == 1 else None


def _resolve_owned(store: GraphStore, dataset: int, named: Mapping[str, Named], found: dict[str, Resolved]) -> None:
    """Resolve what is known by its owner's name: "Anna's car". An owner may be owned as well."""
    waiting = {key: each for key, each in named.items() if key not in found}
    while waiting:
        ready = {key: each for key, each in waiting.items() if _owner_key(each) in found}
        ready = ready or waiting  # a ring of owners: no owner then
        names = {id(each): _owned_names(each, found.get(_owner_key(each))) for each in ready.values()}
        known = store.entities_by_key(dataset, sorted({name_key(name) for each in names.values() for name in each}))
        once: dict[int, Resolved] = {}
        for key, each in ready.items():
            if id(each) not in once:
                keys = dict.fromkeys(name_key(name) for name in names[id(each)])
                rows = _fitting(each, (row for name in keys for row in known.get(name, [])))
                each.aliases.setdefault(name_key(each.name), each.name)
                each.name = names[id(each)][0]
                each.aliases[each.key] = each.name
                once[id(each)] = Resolved(named=each, row=_best(each, rows))
            found[key] = once[id(each)]
            del waiting[key]


def _owned_names(named: Named, owner: Resolved | None) -> list[str]:
    """Return what an owned thing may be called, by every name of its owner."""
    if owner is None:
        return [named.name]
    names = dict.fromkeys([owner.name, *(() if owner.row is None else owner.row.aliases)])
    return [owned_name(name, named.name) for name in names]


def _owner_key(named: Named) -> str:
    return SPEAKER if named.owner == SPEAKER else name_key(named.owner or "")


def owned_name(owner: str, name: str) -> str:
    """Return what something somebody owns is called: "Anna's car"."""
    return f"{owner}'s {name}"


def _fitting(named: Named, rows: Iterable[EntityRow]) -> list[EntityRow]:
    return [row for row in rows if can_be_one(named.kind, EntityKind(row.kind))]


def _best(named: Named, rows: Iterable[EntityRow]) -> EntityRow | None:
    return max(rows, key=lambda row: _rank(row, named), default=None)


def _rank(row: EntityRow, named: Named) -> tuple[bool, bool, int, int]:
    """Order entities of one name: of the same kind, called so first of all, named most often, known longest."""
    return row.kind == named.kind, name_key(row.name) == named.key, row.mentions, -row.id


def _has_part(row: EntityRow, word: str) -> bool:
    return any(len(words) > 1 and word in (words[0], words[-1]) for words in row_words(row))
