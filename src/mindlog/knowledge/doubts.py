"""Whom a new name may also mean: candidates by initials, parts, spelling and meaning, and the bonds that tell.

Likeness alone never makes two names one entity; it becomes a proposal. A bond both have (the same employer, the same
sister) decides for names that fit by their initials or parts, if only one candidate has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mindlog.knowledge.extraction import SPEAKER, Claim, EntityKind, name_key
from mindlog.knowledge.families import family
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.naming import Likeness, can_be_one, likeness, may_be_misspelt, same_numbers
from mindlog.knowledge.resolve import Resolved, row_words
from mindlog.knowledge.wordlist import wordlist
from mindlog.store.graphrows import EntityRow, StatementQuery

if TYPE_CHECKING:
    from mindlog.store.graph import GraphStore

__all__ = ["LIKE", "NEAR", "Doubt", "Near", "decide", "doubts", "once", "share_bonds"]

LIKE: Final = 0.6
"""Least share of trigrams that two spellings have in common."""
NEAR: Final = 0.85
"""Least cosine of two names that mean the same."""

Near = Sequence[tuple[int, float]]
"""Entity ids with the cosine of their names, best first."""

_CANDIDATES = 12
_PROPOSED = 3  # most proposals one new name makes
_STATEMENTS = 200
_PEOPLE = frozenset({EntityKind.PERSON, EntityKind.OTHER})
_SCORES = {Likeness.INITIALS: 0.8, Likeness.ORDER: 0.8, Likeness.PART: 0.7}
# What two people of like names hardly share by chance.
_BONDS = wordlist(
    """
works_at worked_at studies_at studied_at plays_for member_of founded founder_of ceo_of head_of director_of president_of
owner_of leads manages wrote author_of created married_to
"""
) | {row.predicate for row in KIN.values()}

_Bond = tuple[str, bool, int]  # family, whether the person is the subject, who or what is at the other end


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A known entity that a new name may mean. shares_bond: both are tied to the same other."""

    row: EntityRow
    score: float
    reason: str
    likeness: Likeness | None = None
    shares_bond: bool = False


def doubts(store: GraphStore, dataset: int, found: Iterable[Resolved], near: Mapping[int, Near]) -> None:
    """Give everything that is open its doubts, without what the text names itself, and without what a person told it apart from.

    `near`: by `id` of the resolved. Reads.
    """
    things = once(found)
    named_too = {each.row.id for each in things if each.row is not None}
    still_open = [each for each in things if each.is_open]
    words = sorted({word for each in still_open for word in each.named.words if len(each.named.words) > 1})
    by_word = store.entities_by_key(dataset, words) if words else {}
    for each in still_open:
        parts = [row for word in each.named.words for row in by_word.get(word, [])]
        alike = store.entities_like(dataset, " ".join(each.named.words), _CANDIDATES)
        possible = _Possible(each)
        possible.add(parts, {})
        possible.add([row for row, _ in alike], {row.id: share for row, share in alike})
        possible.add_near(
            store.entities(dataset, [entity for entity, _ in near.get(id(each), ())]), near.get(id(each), ())
        )
        each.doubts = [doubt for row, doubt in possible.doubts.items() if row not in named_too]
        if each.doubts:
            # Of what was forgotten too: the name stays what a person has said it is not, whoever says it next.
            apart = store.names_apart(dataset, sorted({each.named.key, *each.named.aliases}))
            each.doubts = [doubt for doubt in each.doubts if doubt.row.id not in apart]


def share_bonds(
    store: GraphStore, dataset: int, found: Mapping[str, Resolved], claims: Sequence[Claim], now: int
) -> None:
    """Say of every doubt whether both are bound to the same other. Reads."""
    for each in once(found.values()):
        ties = set(_ties(each, found, claims)) if each.doubts else set[_Bond]()
        if ties:
            known = _known_ties(store, dataset, [doubt.row.id for doubt in each.doubts], now)
            each.doubts = [
                replace(doubt, shares_bond=not ties.isdisjoint(known.get(doubt.row.id, ()))) for doubt in each.doubts
            ]


def decide(found: Iterable[Resolved]) -> None:
    """Say of what a bond tells that it is one with what is known, by a merge that can be undone; keep the best other doubts."""
    for each in once(found):
        told = [doubt for doubt in each.doubts if doubt.shares_bond and doubt.likeness is not None]
        if len(told) == 1:
            each.row, each.doubts, each.is_merged = told[0].row, [], True
        else:
            each.doubts = sorted(each.doubts, key=lambda doubt: (-doubt.score, doubt.row.id))[:_PROPOSED]


def once(found: Iterable[Resolved]) -> list[Resolved]:
    """Return everything the text names, each once."""
    return list({id(each): each for each in found}.values())


class _Possible:
    """Gathers the doubts of one new name."""

    def __init__(self, resolved: Resolved) -> None:
        self._named = resolved.named
        self.doubts: dict[int, Doubt] = {}

    def add(self, rows: Iterable[EntityRow], shares: Mapping[int, float]) -> None:
        """Add those that are alike by their words or, with these shares of trigrams, by their spelling."""
        for row in rows:
            kind = EntityKind(row.kind)
            if not can_be_one(self._named.kind, kind):
                continue
            like = self._likeness(row, kind)
            share = shares.get(row.id, 0.0)
            if like is not None:
                self._note(Doubt(row=row, score=_SCORES[like], reason=like, likeness=like))
            elif share >= LIKE and may_be_misspelt(self._named.key, name_key(row.name)):
                self._note(Doubt(row=row, score=share, reason="spelling"))

    def add_near(self, rows: Iterable[EntityRow], near: Near) -> None:
        """Add those whose names mean nearly the same."""
        cosines = dict(near)
        for row in rows:
            cosine = max((cosines[each] for each in (row.id, *row.merged) if each in cosines), default=0.0)
            kind = EntityKind(row.kind)
            if (
                cosine >= NEAR
                and can_be_one(self._named.kind, kind)
                and same_numbers(self._named.key, name_key(row.name))
            ):
                self._note(Doubt(row=row, score=min(cosine, 1.0), reason="meaning"))

    def _note(self, doubt: Doubt) -> None:
        known = self.doubts.get(doubt.row.id)
        # That the words fit says more than that they look alike.
        if known is None or (known.likeness is None and (doubt.likeness is not None or doubt.score > known.score)):
            self.doubts[doubt.row.id] = doubt

    def _likeness(self, row: EntityRow, kind: EntityKind) -> Likeness | None:
        if not {self._named.kind, kind} <= _PEOPLE or EntityKind.PERSON not in (self._named.kind, kind):
            return None
        known = row_words(row)
        # Who has a full name is not found by a part of it: another Alice is not the Alice Chen that is called Alice too.
        full = {words for words in known if len(words) > 1}
        found = {likeness(form, words) for form in self._named.forms for words in full or known}
        return next((like for like in Likeness if like in found), None)


def _ties(resolved: Resolved, found: Mapping[str, Resolved], claims: Iterable[Claim]) -> Iterable[_Bond]:
    """Yield what the text says the thing is bound to, of what is known already."""
    for claim in claims:
        name = family(claim.predicate)
        if name not in _BONDS or claim.object is None or claim.negated:
            continue
        subject, target = (found.get(_key(end)) for end in (claim.subject, claim.object))
        if subject is resolved and target is not None and target.row is not None:
            yield name, True, target.row.id
        if target is resolved and subject is not None and subject.row is not None:
            yield name, False, subject.row.id


def _known_ties(store: GraphStore, dataset: int, roots: Sequence[int], now: int) -> dict[int, set[_Bond]]:
    query = StatementQuery(dataset=dataset, now=now, either=tuple(roots), current=False, limit=_STATEMENTS)
    ties: dict[int, set[_Bond]] = {}
    for row in store.statements(query):
        if row.family in _BONDS and row.object is not None:
            ties.setdefault(row.subject, set()).add((row.family, True, row.object))
            ties.setdefault(row.object, set()).add((row.family, False, row.subject))
    return ties


def _key(end: str) -> str:
    return SPEAKER if end == SPEAKER else name_key(end)
