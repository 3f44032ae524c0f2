"""Checks of what changes memories that are there: edit, forget, restore."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mindlog.errors import MemoryNotFound, MindlogError, VersionConflict
from mindlog.filters import Filters
from mindlog.records import MemoryKind, MemoryState, Outcome, Persisted
from mindlog.store.base import Listing
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused, together

__all__ = ["CHECKS"]


async def an_edit_makes_the_next_version_and_keeps_the_old_one(open_store: Opener) -> None:
    """Both revisions read back whole after a reopen; the vectors are the new text's."""
    async with opened(open_store) as bench:
        first = await bench.persist("old words", session="s", metadata={"keep": 1, "change": 2}, salience=0.1)
        old = bench.get(first.id.slot)
        edit = bench.edit(
            old, "new words", metadata={"keep": 1, "change": 3}, salience=0.9, kind=MemoryKind.SEMANTIC, occurred_at=7
        )
        second = await bench.store.edit(edit)
        assert second.id == replace(first.id, version=2)
        assert (second.outcome, second.lsn, second.kind, second.salience) == (
            Outcome.CREATED,
            first.lsn + 1,
            MemoryKind.SEMANTIC,
            0.9,
        )
    async with opened(open_store) as bench:
        slot = first.id.slot
        now, before = bench.get(slot), bench.get(slot, 1)
        assert (now.text, now.metadata, now.occurred_at) == ("new words", {"keep": 1, "change": 3}, 7)
        assert (now.id, now.is_current, now.lsn, now.session) == (second.id, True, second.lsn, "s")
        assert (now.created_at, now.recorded_at) == (first.persisted_at, second.persisted_at)
        assert (before.id, before.is_current) == (first.id, False)
        assert (before.text, before.metadata, before.salience) == ("old words", {"keep": 1, "change": 2}, 0.1)
        assert (before.recorded_at, before.lsn, before.kind) == (first.persisted_at, first.lsn, MemoryKind.EPISODIC)
        assert bench.store.memory(slot, 3) is None
        np.testing.assert_array_equal(bench.store.vectors([slot])[slot], bench.vectors("new words"))


async def revisions_are_read_newest_first_by_their_openings(open_store: Opener) -> None:
    """The current one among them; each with the length of the whole in characters; of an unknown slot none."""
    async with opened(open_store) as bench:
        texts = ["first", "äöü" * 4, "third 🙂", "a fourth one"]
        slot = (await bench.persist(texts[0])).id.slot
        for text in texts[1:]:
            await bench.store.edit(bench.edit(bench.get(slot), text, metadata={"text": text}))
        found = bench.store.revisions(slot, 3, 7)
        assert [(each.id.version, each.text, each.characters, each.is_cut) for each in found] == [
            (4, "a fourt", 12, True),
            (3, "third 🙂", 7, False),
            (2, "äöüäöüä", 12, True),
        ]
        assert [each.is_current for each in found] == [True, False, False]
        for each in found:
            whole = bench.get(slot, each.id.version)
            assert (each.metadata, each.recorded_at, each.lsn) == (whole.metadata, whole.recorded_at, whole.lsn)
        assert [each.text for each in bench.store.revisions(slot, 99, 99)] == texts[::-1]
        assert bench.store.revisions(slot + 1, 9, 9) == []


async def an_edit_that_keeps_the_text_keeps_vectors_and_states(open_store: Opener) -> None:
    """The embedding stays with the next revision."""
    async with opened(open_store) as bench:
        states = np.ones((2, 4), dtype=np.int8)
        slot = (await bench.persist("same", states=states, vectors=bench.vectors("same", windows=2))).id.slot
        await bench.store.edit(bench.edit(bench.get(slot), metadata={"a": 1}))
        np.testing.assert_array_equal(bench.store.vectors([slot])[slot], bench.vectors("same", windows=2))
        np.testing.assert_array_equal(bench.store.states([slot])[slot], states)
        assert [(each.slot, each.version) for each in bench.store.index_vectors()] == [(slot, 2)]


async def an_edit_of_what_is_not_current_is_refused(open_store: Opener) -> None:
    """An older version is a conflict; a forgotten or unknown memory is not there."""
    async with opened(open_store) as bench:
        slot = (await bench.persist("one")).id.slot
        stale = bench.edit(bench.get(slot), "two")
        await bench.store.edit(stale)
        with refused(VersionConflict):
            await bench.store.edit(stale)
        current = bench.edit(bench.get(slot), "three")
        await bench.store.forget(bench.number(), [slot])
        with refused(MemoryNotFound):
            await bench.store.edit(current)
        unknown = bench.edit(bench.get(slot), "four", base=replace(current.base, slot=bench.store.reserve()))
        with refused(MemoryNotFound):
            await bench.store.edit(unknown)


async def of_racing_edits_one_wins(open_store: Opener) -> None:
    """Ten edits of one revision: one succeeds, nine are conflicts, and the text is the winner's."""

    async def attempt(bench: Bench, slot: int, number: int) -> Persisted | MindlogError:
        try:
            return await bench.store.edit(bench.edit(bench.get(slot, 1), f"edit {number}"))
        except VersionConflict as conflict:
            return conflict

    async with opened(open_store) as bench:
        slot = (await bench.persist("start")).id.slot
        results = await together(attempt(bench, slot, number) for number in range(10))
        winners = [number for number, result in enumerate(results) if isinstance(result, Persisted)]
        assert [bench.get(slot).text] == [f"edit {number}" for number in winners]


async def each_instant_has_its_revision(open_store: Opener) -> None:
    """`memory_as_of` gives what was current then, and nothing before the first."""
    async with opened(open_store) as bench:
        first = await bench.persist("text 1")
        slot = first.id.slot
        answers = [first, *[await bench.store.edit(bench.edit(bench.get(slot), f"text {n}")) for n in (2, 3)]]
        for number, persisted in enumerate(answers, start=1):
            then = bench.store.memory_as_of(slot, persisted.persisted_at)
            assert then is not None
            assert (then.text, then.id, then.is_current) == (f"text {number}", persisted.id, number == 3)
        assert bench.store.memory_as_of(slot, answers[0].persisted_at - 1) is None
        assert bench.store.memory_as_of(bench.store.reserve(), answers[0].persisted_at) is None


async def an_edit_moves_the_dedup_key(open_store: Opener) -> None:
    """The old text may be written anew, the new one is known; a key that another memory holds stays there."""
    async with opened(open_store) as bench:
        a = await bench.persist("a")
        b = await bench.persist("b")
        await bench.store.edit(bench.edit(bench.get(a.id.slot), "c"))
        assert (await bench.persist("c")).id.slot == a.id.slot
        assert (await bench.persist("a")).outcome == Outcome.CREATED
        await bench.store.edit(bench.edit(bench.get(a.id.slot), "b"))
        assert (await bench.persist("b")).id == b.id
        assert (await bench.persist("c")).outcome == Outcome.CREATED
    async with opened(open_store) as bench:
        assert (await bench.persist("b")).id == b.id


def _listed(bench: Bench, *, forgotten: bool = False) -> list[int]:
    listing = Listing(dataset=bench.number(), filters=Filters(), limit=100, include_forgotten=forgotten)
    return [memory.id.slot for memory in bench.store.list_memories(listing)]


async def a_forgotten_memory_is_hidden_and_comes_back_on_restore(open_store: Opener) -> None:
    """Forgetting hides from listings and says so in reads, survives a reopen, and is undone whole."""
    async with opened(open_store) as bench:
        slots = [persisted.id.slot for persisted in await bench.fill(["a", "b", "c"])]
        outcome = await bench.store.forget(bench.number(), [slots[0], slots[1], slots[0], 10**9])
        assert [identity.slot for identity in outcome.ids] == slots[:2]
        assert outcome.lsn == bench.store.last_lsn
        again = await bench.store.forget(bench.number(), slots[:2])
        assert (again.ids, again.lsn, bench.store.last_lsn) == ((), None, outcome.lsn)
    async with opened(open_store) as bench:
        assert _listed(bench) == [slots[2]]
        assert _listed(bench, forgotten=True) == slots[::-1]
        assert bench.get(slots[0]).state == MemoryState.FORGOTTEN
        restored = await bench.store.restore(bench.number(), slots, 0)
        assert [identity.slot for identity in restored.ids] == slots[:2]
        assert _listed(bench) == slots[::-1]
        assert bench.get(slots[0]).state == MemoryState.LIVE


async def forgetting_stays_within_the_dataset(open_store: Opener) -> None:
    """Slots of another dataset are passed over, by a restore too."""
    async with opened(open_store) as bench:
        mine = (await bench.persist("mine")).id.slot
        other = (await bench.persist("other", dataset="other")).id.slot
        assert (await bench.store.forget(bench.number("other"), [mine])).ids == ()
        await bench.store.forget(bench.number("other"), [other])
        assert (await bench.store.restore(bench.number(), [other], 0)).ids == ()
        assert bench.get(mine).state == MemoryState.LIVE


async def only_recent_forgets_are_undone(open_store: Opener) -> None:
    """A restore reaches back to `not_before`, inclusive."""
    async with opened(open_store) as bench:
        slot = (await bench.persist("a")).id.slot
        outcome = await bench.store.forget(bench.number(), [slot])
        assert (await bench.store.restore(bench.number(), [slot], outcome.at + 1)).ids == ()
        assert (await bench.store.restore(bench.number(), [slot], outcome.at)).ids == outcome.ids


async def a_forget_releases_the_text_and_a_restore_does_not_take_it_back(open_store: Opener) -> None:
    """A text that was written anew meanwhile stays with its new memory, also after a reopen."""
    async with opened(open_store) as bench:
        old = await bench.persist("text")
        await bench.store.forget(bench.number(), [old.id.slot])
        new = await bench.persist("text")
        assert (new.outcome, new.id.slot != old.id.slot) == (Outcome.CREATED, True)
        await bench.store.restore(bench.number(), [old.id.slot], 0)
        assert (await bench.persist("text")).id == new.id
    async with opened(open_store) as bench:
        assert (await bench.persist("text")).id == new.id
        await bench.store.forget(bench.number(), [old.id.slot])
        assert (await bench.persist("text")).id == new.id
        alone = await bench.persist("alone")
        await bench.store.forget(bench.number(), [alone.id.slot])
        await bench.store.restore(bench.number(), [alone.id.slot], 0)
        assert (await bench.persist("alone")).id == alone.id


CHECKS: tuple[Check, ...] = (
    an_edit_makes_the_next_version_and_keeps_the_old_one,
    revisions_are_read_newest_first_by_their_openings,
    an_edit_that_keeps_the_text_keeps_vectors_and_states,
    an_edit_of_what_is_not_current_is_refused,
    of_racing_edits_one_wins,
    each_instant_has_its_revision,
    an_edit_moves_the_dedup_key,
    a_forgotten_memory_is_hidden_and_comes_back_on_restore,
    forgetting_stays_within_the_dataset,
    only_recent_forgets_are_undone,
    a_forget_releases_the_text_and_a_restore_does_not_take_it_back,
)
