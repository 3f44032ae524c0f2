"""Random histories of the graph against a model of plain sets: what reads show is what live memories say, and nothing else."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import apsw
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mindlog.errors import EntityNotFound, InvalidInput
from mindlog.store.connect import DATABASE
from mindlog.store.graphrows import GraphWrite, Timeline
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.conformance.knowing import ALWAYS, Fact, Knowing, listed
from tests.store.made import MODEL

T = TypeVar("T")

NAMES = ["Anna", "Bert", "Carl", "Dora"]
FACTS: list[Fact] = [
    ("Anna", "knows", "Bert"),
    ("Bert", "knows", "Anna"),
    ("Carl", "knows", "Dora"),
    ("Bert", "loves", "Carl"),
    ("Anna", "likes", '"tea"'),
    ("Dora", "likes", '"tea"'),
]
TEXT = " ".join(NAMES)
PICK = st.integers(0, 30)
SAYS = st.tuples(st.sets(st.sampled_from(NAMES), max_size=2), st.sets(st.sampled_from(FACTS), max_size=3))

Said = tuple[set[str], set[Fact]]


def ends(fact: Fact) -> set[str]:
    return {end for end in (fact[0], fact[2]) if end in NAMES}


@dataclass
class Remembered:
    """What the model knows of a memory: what each version has said, of those that were derived."""

    version: int = 1
    is_forgotten: bool = False
    said: dict[int, Said] = field(default_factory=dict)

    def now(self) -> Said:
        return (set(), set()) if self.is_forgotten else self.said.get(self.version, (set(), set()))


@dataclass
class Model:
    memories: dict[int, Remembered] = field(default_factory=dict)
    merges: list[tuple[str, str]] = field(default_factory=list)
    believed: set[Fact] = field(default_factory=set)
    stale: set[tuple[str, str]] = field(default_factory=set)

    def rests(self, fact: Fact) -> bool:
        """Whether it has any evidence at all."""
        return any(fact in facts for memory in self.memories.values() for _, facts in memory.said.values())

    def live(self, fact: Fact) -> list[int]:
        return [slot for slot, memory in self.memories.items() if fact in memory.now()[1]]

    def once(self, fact: Fact) -> bool:
        """Whether a memory that is not forgotten carries it in any version."""
        return any(
            fact in facts
            for memory in self.memories.values()
            if not memory.is_forgotten
            for _, facts in memory.said.values()
        )

    def root(self, name: str) -> str:
        parent: dict[str, str] = {}

        def top(each: str) -> str:
            return top(parent[each]) if each in parent else each

        for merged, into in self.merges:
            if top(merged) != top(into):
                parent[top(merged)] = top(into)
        return top(name)

    def one_with(self, name: str) -> list[str]:
        return [each for each in NAMES if self.root(each) == self.root(name)]

    def loops(self, fact: Fact) -> bool:
        return fact[2] in NAMES and self.root(fact[0]) == self.root(fact[2])

    def naming(self, name: str) -> set[int]:
        """Return the live memories that name it."""
        return {slot for slot, memory in self.memories.items() if name in memory.now()[0]}

    def uses(self, name: str) -> bool:
        said = [each for memory in self.memories.values() if not memory.is_forgotten for each in memory.said.values()]
        return any(name in names for names, _ in said)

    def about(self, names: list[str]) -> list[Fact]:
        """Return the facts about any of them that live memories carry."""
        return [fact for fact in FACTS if self.live(fact) and ends(fact) & {*names} and not self.loops(fact)]

    def about_itself(self, name: str) -> bool:
        """Whether a live memory carries a fact about the very name, merged or not."""
        return any(self.live(fact) and name in ends(fact) for fact in FACTS)

    def touch(self, slot: int) -> None:
        """Mark what any version of the memory has said."""
        self.stale |= {fact[:2] for _, facts in self.memories[slot].said.values() for fact in facts}

    def touch_all(self, names: list[str]) -> None:
        self.stale |= {fact[:2] for fact in FACTS if self.rests(fact) and ends(fact) & {*names}}

    def stale_by_root(self) -> set[tuple[str, str]]:
        return {(self.root(subject), family) for subject, family in self.stale}


class GraphHistory(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="mindlog-graph-"))
        self.runner = asyncio.Runner()
        self.model = Model()
        self.last: GraphWrite | None = None
        self.open()
        self.knowing = Knowing(self.bench)

    def open(self) -> None:
        self.store = SqliteStore.open(self.directory, model=MODEL)
        self.bench = Bench(self.store)

    def run(self, call: Awaitable[T]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(30):
                return await call

        return self.runner.run(bounded())

    def teardown(self) -> None:
        self.store.close()
        self.runner.close()
        shutil.rmtree(self.directory)

    @initialize()
    def everybody_is_known(self) -> None:
        self.say(self.run(self.bench.persist(TEXT, dedup=False)).id.slot, (set(NAMES), set()))

    # -- what happens ---------------------------------------------------------------------------------------------------
    def say(self, slot: int, says: Said) -> None:
        """Let the memory's current revision say this and nothing else."""
        memory = self.model.memories.setdefault(slot, Remembered())
        for fact in FACTS:
            if not self.model.rests(fact):
                self.knowing.statements.pop(fact, None)
        write = self.knowing.write(slot, sorted(says[0]), sorted(says[1]))
        self.run(self.store.write_graph(write))
        self.last = write
        loops = {fact for fact in says[1] if not self.model.rests(fact) and self.model.loops(fact)}
        facts = says[1] - loops
        memory.said[memory.version] = ({*says[0], *(end for fact in says[1] for end in ends(fact))}, facts)
        self.model.believed |= facts
        self.model.believed = {fact for fact in self.model.believed if self.model.rests(fact)}

    def pick(self, number: int, *, forgotten: bool = False) -> int | None:
        slots = [slot for slot, memory in self.model.memories.items() if memory.is_forgotten == forgotten]
        return slots[number % len(slots)] if slots else None

    @rule(says=SAYS)
    def learn(self, says: Said) -> None:
        self.say(self.run(self.bench.persist(TEXT, dedup=False)).id.slot, says)

    @rule(number=PICK, says=SAYS)
    def derive_again(self, number: int, says: Said) -> None:
        slot = self.pick(number)
        if slot is not None:
            self.say(slot, says)

    @rule(number=PICK)
    def edit(self, number: int) -> None:
        slot = self.pick(number)
        if slot is not None:
            memory = self.model.memories[slot]
            self.run(self.store.edit(self.bench.edit(self.bench.get(slot), f"{TEXT} {memory.version}")))
            self.model.touch(slot)
            memory.version += 1

    @rule(number=PICK)
    def forget(self, number: int) -> None:
        slot = self.pick(number)
        if slot is not None:
            self.run(self.store.forget(self.knowing.number, [slot]))
            self.model.touch(slot)
            self.model.memories[slot].is_forgotten = True

    @rule(number=PICK)
    def restore(self, number: int) -> None:
        slot = self.pick(number, forgotten=True)
        if slot is not None:
            self.run(self.store.restore(self.knowing.number, [slot], 0))
            self.model.touch(slot)
            self.model.memories[slot].is_forgotten = False

    @rule(one=st.sampled_from(NAMES), into=st.sampled_from(NAMES))
    def merge(self, one: str, into: str) -> None:
        model, ids = self.model, self.knowing.entities
        groups = [model.one_with(name) for name in (one, into)]
        seen = [any(map(model.naming, group)) or bool(model.about(group)) for group in groups]
        call = self.store.merge_entities(self.knowing.number, ids[one], ids[into], "test")
        if not all(seen):
            self.refused(EntityNotFound, call)
        elif model.root(one) == model.root(into):
            self.refused(InvalidInput, call)
        else:
            self.run(call)
            model.merges.append((one, into))
            model.touch_all(model.one_with(one))

    @rule(name=st.sampled_from(NAMES))
    def unmerge(self, name: str) -> None:
        model = self.model
        own = [number for number, merge in enumerate(model.merges) if merge[0] == name]
        if not own:
            return
        tied = model.one_with(name)
        self.run(self.store.unmerge_entity(self.knowing.number, self.knowing.entities[name]))
        del model.merges[own[-1]]
        model.touch_all(tied)

    @rule(one=st.sampled_from(NAMES), into=st.sampled_from(NAMES))
    def merge_and_think_better_of_it(self, one: str, into: str) -> None:
        """Every read is what it was before."""
        before, merges = self.reads(), list(self.model.merges)
        self.merge(one, into)
        if self.model.merges != merges:
            self.unmerge(one)
            assert self.reads() == before

    @precondition(lambda self: self.model.stale)
    @rule()
    def regroup(self) -> None:
        """Believe of the stale groups what has live evidence."""
        for dataset, subject, family, lsn in self.store.stale_groups(100):
            rows = self.store.group(dataset, subject, family)
            assert {row.id for row in rows} <= {*self.knowing.statements.values()}
            intervals = {row.id: (ALWAYS,) if row.evidence else () for row in rows}
            timeline = Timeline(subject=subject, family=family, intervals=intervals)
            write = GraphWrite(dataset=dataset, timelines=(timeline,), settled=((subject, family, lsn),))
            self.run(self.store.write_graph(write))
        groups = self.model.stale_by_root()
        for fact in FACTS:
            if self.model.rests(fact) and (self.model.root(fact[0]), fact[1]) in groups:
                (self.model.believed.add if self.model.live(fact) else self.model.believed.discard)(fact)
        self.model.stale.clear()
        assert self.store.stale_groups(9) == []

    @rule()
    def apply_the_last_write_again(self) -> None:
        """Nothing changes, unless its memory has."""
        write = self.last
        assert write is not None
        assert write.slot is not None
        memory = self.model.memories[write.slot]
        if memory.is_forgotten or memory.version != write.version or self.model.stale or self.model.merges:
            return
        if any(not self.model.rests(fact) for fact in self.knowing.statements):
            return
        before, lsn = self.reads(), self.store.last_lsn
        self.run(self.store.write_graph(replace(write, timelines=())))
        assert (self.reads(), self.store.last_lsn) == (before, lsn)

    @rule()
    def reopen(self) -> None:
        before = self.reads()
        self.store.close()
        self.open()
        self.knowing.bench = self.bench
        assert self.reads() == before

    def refused(self, kind: type[Exception], call: Awaitable[Any]) -> None:
        try:
            self.run(call)
        except kind:
            return
        raise AssertionError(f"{kind.__name__} was not raised")

    def reads(self) -> Any:
        ids = sorted(self.knowing.entities.values())
        number = self.knowing.number
        return (
            listed(self.bench),
            self.knowing.known(current=False),
            self.knowing.known(known_at=1 << 60, current=False),
            [self.store.group(number, each, family) for each in ids for family in ("knows", "loves", "likes")],
            self.store.mentions(list(self.model.memories)),
            self.store.mention_slots(number, ids, 99),
            self.store.entities_by_key(number, [name.lower() for name in NAMES]),
            self.store.entities(number, ids),
        )

    # -- what must hold -------------------------------------------------------------------------------------------------
    @invariant()
    def entities_are_those_that_live_memories_speak_of(self) -> None:
        model = self.model
        expected: dict[int, Any] = {}
        for name in NAMES:
            group = model.one_with(name)
            mentions = set[int]().union(*map(model.naming, group))
            if model.root(name) != name or not (mentions or model.about(group)):
                continue
            called = [
                each for each in sorted(group, key=lambda each: (each != name, NAMES.index(each))) if model.uses(each)
            ]
            merged = [each for each in group if each != name and (model.naming(each) or model.about_itself(each))]
            ids = [self.knowing.entities[each] for each in merged]
            expected[self.knowing.entities[name]] = (called, sorted(ids), len(mentions), len(model.about(group)))
        found = {
            row.id: (list(row.aliases), list(row.merged), row.mentions, row.statements)
            for row in listed(self.bench).values()
        }
        assert found == expected

    @invariant()
    def statements_are_those_that_are_believed_and_carried(self) -> None:
        model = self.model
        now = {fact for fact in model.believed if model.live(fact) and not model.loops(fact)}
        assert {*self.knowing.facts()} == now
        for row in self.knowing.known():
            assert row.subject != row.object
            fact = next(each for each, number in self.knowing.statements.items() if number == row.id)
            assert sorted(each.slot for each in row.evidence) == sorted(model.live(fact))
        once = {fact for fact in model.believed if model.once(fact) and not model.loops(fact)}
        assert {*self.knowing.facts(known_at=1 << 60)} == once
        for name in NAMES:
            group = model.one_with(name)
            entity = self.knowing.entities[name]
            assert {*self.knowing.facts(subjects=(entity,))} == {fact for fact in now if fact[0] in group}
            assert {*self.knowing.facts(either=(entity,))} == {fact for fact in now if ends(fact) & {*group}}

    @invariant()
    def stale_is_what_has_changed(self) -> None:
        ids = self.knowing.entities
        found = {(root, family) for _, root, family, _ in self.store.stale_groups(100)}
        assert found == {(ids[root], family) for root, family in self.model.stale_by_root()}

    @invariant()
    def nothing_dangles(self) -> None:
        connection = apsw.Connection(str(self.directory / DATABASE), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            for wrong in (
                "SELECT 1 FROM statements AS s WHERE NOT EXISTS (SELECT 1 FROM evidence WHERE statement = s.id)",
                "SELECT 1 FROM statements WHERE subject = object",
                "SELECT 1 FROM validities WHERE invalidated_at <= recorded_at",
                """SELECT 1 FROM validities WHERE invalidated_at IS NULL
                GROUP BY statement, valid_from, valid_to, superseded_by HAVING count(*) > 1""",
                "SELECT 1 FROM entities AS e WHERE NOT EXISTS (SELECT 1 FROM entities WHERE id = e.root AND root = id)",
                "SELECT 1 FROM aliases AS a WHERE NOT EXISTS (SELECT 1 FROM alias_grams WHERE rowid = a.id)",
            ):
                assert connection.execute(wrong).fetchall() == [], wrong
        finally:
            connection.close()


GraphHistory.TestCase.settings = settings(
    max_examples=15, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestGraphHistory = GraphHistory.TestCase
