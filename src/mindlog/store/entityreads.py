"""Reads of entities on a connection: by id, by key, by spelling, by page, and what is proposed to be merged.

An entity is read under its root, with the names that memories which are not forgotten call it by, and with what live
memories say of it. Knows no pool.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import apsw

from mindlog.store.connect import Row, fetch
from mindlog.store.grams import jaccard, search_tokens, trigrams
from mindlog.store.graphrows import EntityNames, EntityQuery, EntityRow, ProposalRow
from mindlog.store.queries import q

__all__ = [
    "alike",
    "all_names",
    "by_key",
    "entities",
    "groups",
    "list_page",
    "names",
    "names_apart",
    "proposal",
    "proposals",
    "told_apart",
]

# Resolution looks at many entities and needs to know of each that it is there, not how often.
_COUNTED = 100
# A piece of a key that more aliases have tells little: no more of them are looked at.
_COMMON = 500
# The rarest pieces are looked at until they have brought so many aliases.
_LOOKED_AT = 2000
# The aliases that share most of the pieces looked at are compared whole.
_COMPARED = 64

_KIND = "e.kind = ?"
_PREFIX = "e.root IN ({})"
_LAST = chr(0x10FFFF)


# -- rows ---------------------------------------------------------------------------------------------------------------
def groups(connection: apsw.Connection, dataset: int, ids: Iterable[int]) -> dict[int, list[int]]:
    """Return by root everything that is one with some entities, whether anybody sees it or not."""
    found: dict[int, list[int]] = {}
    for root, member in fetch(connection, q.members_of, (_json(ids), dataset)):
        found.setdefault(root, []).append(member)
    return found


def names(connection: apsw.Connection, members: Iterable[int]) -> dict[int, list[str]]:
    """Return by root what the entities are called, the name to show first; one that nobody calls anything is not there."""
    found: dict[int, list[str]] = {}
    for root, name in fetch(connection, q.entity_names, (_json(members),)):
        found.setdefault(root, []).append(name)
    return found


def all_names(connection: apsw.Connection, dataset: int, entity: int) -> EntityNames:
    """Return what an entity and all that is one with it are called."""
    members = [each for found in groups(connection, dataset, [entity]).values() for each in found]
    uses = fetch(connection, q.name_uses, (_json(members),))
    return EntityNames(uses=dict(uses), own=_own_names(connection, members))


def entities(
    connection: apsw.Connection, dataset: int, ids: Iterable[int], count_limit: int | None = None
) -> list[EntityRow]:
    """Return the roots of the entities that live memories speak of, each once, in the order of `ids`."""
    ids = list(ids)
    rows = _rows(connection, dataset, ids, count_limit)
    roots = dict(fetch(connection, q.roots_of, (_json(ids), dataset)))
    wanted = dict.fromkeys(roots[each] for each in ids if each in roots)
    return [rows[root] for root in wanted if rows[root].mentions or rows[root].statements]


def _rows(
    connection: apsw.Connection, dataset: int, ids: Iterable[int], count_limit: int | None
) -> dict[int, EntityRow]:
    """Return the rows of the entities' roots, by root, of those that nobody sees too."""
    found = groups(connection, dataset, ids)
    everything = [member for members in found.values() for member in members]
    heads = {row[0]: row for row in fetch(connection, q.entity_heads, (_json(everything),))}
    called = names(connection, everything)
    uses = _uses(connection, dataset, found, count_limit)
    carried = _carried(connection, found)
    rows: dict[int, EntityRow] = {}
    for root, members in found.items():
        _, _, name, kind, _, created_at = heads[root]
        known = tuple(dict.fromkeys(called.get(root, ())))
        rows[root] = EntityRow(
            id=root,
            dataset=dataset,
            name=known[0] if known else name,
            kind=kind,
            is_speaker=any(heads[member][4] for member in members),
            aliases=known,
            merged=tuple(each for each in members if each in carried),
            mentions=uses[root][0],
            statements=uses[root][1],
            created_at=created_at,
        )
    return rows


def _uses(
    connection: apsw.Connection, dataset: int, roots: Iterable[int], count_limit: int | None
) -> dict[int, tuple[int, int]]:
    """Return by root how many memories name it and how many statements are about it."""
    limit = -1 if count_limit is None else count_limit
    values = (dataset, limit, dataset, limit, dataset, limit, _json(roots))
    found = fetch(connection, q.count_uses, values)
    return {root: (named, told if limit < 0 else min(told, limit)) for root, named, told in found}


def _carried(connection: apsw.Connection, found: Mapping[int, Sequence[int]]) -> set[int]:
    """Return what was merged into roots and is seen by itself."""
    merged = [each for root, members in found.items() for each in members if each != root]
    if not merged:
        return set()
    return {each for (each,) in fetch(connection, q.carried_entities, (_json(merged),))}


def _json(values: Iterable[int]) -> str:
    return json.dumps(list(values))


# -- by name ------------------------------------------------------------------------------------------------------------
def by_key(connection: apsw.Connection, dataset: int, keys: Sequence[str]) -> dict[str, list[EntityRow]]:
    """Return for every key the entities that have it as an alias."""
    found: dict[str, list[int]] = {key: [] for key in keys}
    for key, root in fetch(connection, q.entities_by_key, (json.dumps(list(found)), dataset)):
        found[key].append(root)
    wanted = {root for roots in found.values() for root in roots}
    rows = _rows(connection, dataset, wanted, _COUNTED) if wanted else {}
    return {key: [rows[root] for root in roots] for key, roots in found.items()}


def told_apart(connection: apsw.Connection, entities: Iterable[int]) -> set[int]:
    """Return the roots of what a person has said not to be one with the entities."""
    return {root for (root,) in fetch(connection, q.told_apart, (_json(entities),))}


def names_apart(connection: apsw.Connection, dataset: int, keys: Sequence[str]) -> set[int]:
    """Return the roots of what a person has said not to be what has one of the keys among its names."""
    called = [entity for (entity,) in fetch(connection, q.called_ever, (json.dumps(list(keys)), dataset))]
    return told_apart(connection, called)


def alike(connection: apsw.Connection, dataset: int, key: str, limit: int) -> list[tuple[EntityRow, float]]:
    """Return entities with aliases that are spelt like the key, with the likeness, best first."""
    wanted = trigrams(key)
    best: dict[int, float] = {}
    candidates = _candidates(connection, search_tokens(dataset, key))
    for other, root in fetch(connection, q.alias_keys, (_json(candidates), dataset)):
        likeness = jaccard(wanted, trigrams(other))
        if likeness > best.get(root, 0.0):
            best[root] = likeness
    first = sorted(best, key=lambda root: (-best[root], root))[:limit]
    rows = _rows(connection, dataset, first, _COUNTED)
    return [(rows[root], best[root]) for root in first]


def _candidates(connection: apsw.Connection, tokens: Sequence[str]) -> list[int]:
    """Return the aliases that share most of the rarest pieces."""
    shared: Counter[int] = Counter()
    looked_at = 0
    for found in sorted((fetch(connection, q.aliases_with_gram, (token, _COMMON)) for token in tokens), key=len):
        if looked_at and looked_at + len(found) > _LOOKED_AT:
            break
        looked_at += len(found)
        shared.update(alias for (alias,) in found)
    return [alias for alias, _ in shared.most_common(_COMPARED)]


# -- pages --------------------------------------------------------------------------------------------------------------
def list_page(connection: apsw.Connection, query: EntityQuery) -> list[EntityRow]:
    """Return a page of the entities that live memories speak of."""
    parts, values = ["1"], list[object]()
    if query.kind is not None:
        parts.append(_KIND)
        values.append(query.kind)
    if query.key:
        parts.append(_PREFIX.format(q.entities_of_prefix))
        values += [query.dataset, query.key, query.key + _LAST]
    sql = q.list_entities.replace("/*filters*/", " AND ".join(parts))
    roots = [root for (root,) in fetch(connection, sql, (query.dataset, query.after_id, *values, query.limit))]
    rows = _rows(connection, query.dataset, roots, query.count_limit)
    return [rows[root] for root in roots]


def proposal(connection: apsw.Connection, number: int) -> ProposalRow | None:
    """Return one merge proposal, if both its ends are there for others to see."""
    for row in fetch(connection, q.find_proposal, (number,)):
        return next(iter(_visible(connection, row[1], [row])), None)
    return None


def proposals(
    connection: apsw.Connection, dataset: int, status: str | None, limit: int, before_id: int
) -> list[ProposalRow]:
    """Return a page of merge proposals, newest first."""
    found: list[ProposalRow] = []
    while len(found) < limit:
        rows = fetch(connection, q.page_proposals, (dataset, before_id, status, limit))
        if not rows:
            break
        found += _visible(connection, dataset, rows)
        before_id = rows[-1][0]
    return found[:limit]


def _visible(connection: apsw.Connection, dataset: int, rows: Sequence[Row]) -> list[ProposalRow]:
    found = _rows(connection, dataset, {root for row in rows for root in row[9:]}, 1)
    seen = {root: row.name for root, row in found.items() if row.mentions or row.statements}
    own = _own_names(connection, {end for row in rows for end in row[2:4]})
    return [_proposal(row, own, seen) for row in rows if row[9] in seen and row[10] in seen]


def _own_names(connection: apsw.Connection, entities: Iterable[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for entity, name in fetch(connection, q.own_names, (_json(entities),)):
        found.setdefault(entity, name)
    return found


def _proposal(row: Row, own: dict[int, str], seen: dict[int, str]) -> ProposalRow:
    """Return the proposal of a row; each end is called by its own name, or as what it is one with if nobody calls it so."""
    number, dataset, entity, other, score, reason, status, created_at, decided_at, root, other_root = row
    return ProposalRow(
        id=number,
        dataset=dataset,
        entity=entity,
        entity_name=own.get(entity, seen[root]),
        other=other,
        other_name=own.get(other, seen[other_root]),
        score=score,
        reason=reason,
        status=status,
        created_at=created_at,
        decided_at=decided_at,
    )
