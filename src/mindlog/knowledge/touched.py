"""Which groups of statements a text touches, and how much of them has to be read.

Of a group whose statements exclude each other only where they are of one object, only those objects matter: who has liked a
thousand things needs not be read whole to like one more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mindlog.knowledge.extraction import SPEAKER, Claim, name_key
from mindlog.knowledge.families import Nature, family, nature
from mindlog.knowledge.resolve import Resolved
from mindlog.knowledge.stated import value_key
from mindlog.store.graphrows import EntityRow, GroupTargets, StatementRow

if TYPE_CHECKING:
    from mindlog.store.graph import GraphStore

__all__ = ["load_groups"]

_WHOLE = frozenset({Nature.STATE, Nature.FIXED})


@dataclass(slots=True)
class _Targets:
    objects: set[int] = field(default_factory=set[int])
    words: set[str] = field(default_factory=set[str])


def load_groups(
    store: GraphStore,
    dataset: int,
    found: Mapping[str, Resolved],
    claims: Iterable[Claim],
    before: Iterable[StatementRow],
) -> dict[tuple[int, str], Sequence[StatementRow]]:
    """Return what is known of the groups that the claims touch or that the memory's statements `before` are of. Reads."""
    touched: dict[tuple[int, str], _Targets] = {}
    for row in before:
        targets = touched.setdefault((row.subject, row.family), _Targets())
        targets.objects.update(() if row.object is None else (row.object,))
        targets.words.add(row.value_key if row.object is None else name_key(row.object_name or ""))
    for claim in claims:
        for root in _roots(found.get(_key(claim.subject))):
            targets = touched.setdefault((root, family(claim.predicate)), _Targets())
            _add(targets, claim, found)
    named = _named(store, dataset, {word for targets in touched.values() for word in targets.words})
    return {
        (root, name): store.group(dataset, root, name, _about(name, targets, named))
        for (root, name), targets in sorted(touched.items(), key=lambda each: each[0])
    }


def _add(targets: _Targets, claim: Claim, found: Mapping[str, Resolved]) -> None:
    if claim.value is not None:
        targets.words.add(value_key(claim.value, claim.value_type))
        return
    target = found.get(_key(claim.object or ""))
    if target is not None:
        targets.objects.update(_roots(target))
        targets.words.update(name_key(each.name) for each in (target, *_rows(target)))


def _named(store: GraphStore, dataset: int, words: set[str]) -> dict[str, list[EntityRow]]:
    """Find the entities that a value may spell."""
    return store.entities_by_key(dataset, sorted(words)) if words else {}


def _about(name: str, targets: _Targets, named: Mapping[str, list[EntityRow]]) -> GroupTargets | None:
    if nature(name) in _WHOLE:
        return None
    spelt = {row.id for word in targets.words for row in named.get(word, [])}
    return GroupTargets(objects=tuple(sorted(targets.objects | spelt)), values=tuple(sorted(targets.words)))


def _roots(resolved: Resolved | None) -> list[int]:
    return [] if resolved is None else [row.id for row in _rows(resolved)]


def _rows(resolved: Resolved) -> list[EntityRow]:
    return [resolved.row] if resolved.row is not None else [doubt.row for doubt in resolved.doubts]


def _key(end: str) -> str:
    return SPEAKER if end == SPEAKER else name_key(end)
