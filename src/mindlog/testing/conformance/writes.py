"""Checks of persisting: what an ack means, dedup, request ids, batches."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

from mindlog.errors import IdempotencyConflict, InvalidInput, MindlogError
from mindlog.records import MemoryKind, MemoryState, Outcome, Persisted, RequestKey
from mindlog.testing.conformance.bench import Check, Opener, key_of, opened, refused, together

__all__ = ["CHECKS"]


async def a_persisted_memory_reads_back_whole_after_reopening(open_store: Opener) -> None:
    """Text, times, metadata, vectors and states are what was written."""
    metadata = {"city": "Łódź", "n": 2**40, "x": 0.1, "none": None, "yes": True, "list": [1, {"a": "b"}]}
    async with opened(open_store) as bench:
        memory = bench.new(
            "the tide 👩‍👩‍👧 \u202e turns",
            agent="ann",
            session="s1",
            kind=MemoryKind.SEMANTIC,
            salience=0.25,
            occurred_at=-1,
            metadata=metadata,
            document_id="doc",
            vectors=bench.vectors("v", windows=3),
            states=np.arange(-6, 6, dtype=np.int8).reshape(4, 3),
        )
        persisted = await bench.store.persist(memory)
    async with opened(open_store) as bench:
        slot = persisted.id.slot
        found = bench.get(slot)
        assert (found.id, found.is_current, found.state) == (persisted.id, True, MemoryState.LIVE)
        assert (found.text, found.agent, found.session) == (memory.text, "ann", "s1")
        assert (found.kind, found.salience, found.document_id) == (MemoryKind.SEMANTIC, 0.25, "doc")
        assert (found.occurred_at, found.metadata, found.dataset) == (-1, metadata, memory.dataset)
        assert (found.created_at, found.recorded_at, found.lsn) == (*[persisted.persisted_at] * 2, persisted.lsn)
        np.testing.assert_array_equal(bench.store.vectors([slot])[slot], memory.vectors)
        np.testing.assert_array_equal(bench.store.states([slot])[slot], memory.states)


async def without_a_time_a_memory_occurred_when_it_was_committed(open_store: Opener) -> None:
    """`occurred_at` None becomes the commit's moment; no states means none are returned."""
    async with opened(open_store) as bench:
        persisted = await bench.persist("now")
        assert bench.get(persisted.id.slot).occurred_at == persisted.persisted_at
        assert bench.store.states([persisted.id.slot]) == {}


async def slots_rise_and_none_is_handed_out_again(open_store: Opener) -> None:
    """Within one opening no slot comes twice; after a reopen none that was persisted comes again."""
    async with opened(open_store) as bench:
        slots = [(await bench.persist(f"text {n}")).id.slot for n in range(5)]
        assert slots == sorted(set(slots))
        late = bench.new("persisted out of order")
        await bench.persist("last")
        slots.append((await bench.store.persist(late)).id.slot)
    async with opened(open_store) as bench:
        assert bench.store.reserve() > max(slots)


async def the_same_text_is_kept_once(open_store: Opener) -> None:
    """A second write of the key answers with the first memory and writes nothing."""
    async with opened(open_store) as bench:
        first = await bench.persist("twice", salience=0.7, kind=MemoryKind.SEMANTIC)
        second = await bench.persist("twice")
        assert (first.outcome, first.was_deduplicated) == (Outcome.CREATED, False)
        assert second == replace(first, outcome=Outcome.DEDUPLICATED, was_deduplicated=True)
        assert bench.store.last_lsn == first.lsn
    async with opened(open_store) as bench:
        assert await bench.persist("twice") == second
        assert [row.slot for row in bench.store.catalog()] == [first.id.slot]


async def twenty_racing_writes_of_one_text_make_one_memory(open_store: Opener) -> None:
    """One is created, the others are told of it; the same inside one batch."""
    async with opened(open_store) as bench:
        outcomes = await together(bench.persist("race") for _ in range(20))
        assert [o.outcome for o in outcomes].count(Outcome.CREATED) == 1
        assert len({o.id for o in outcomes}) == 1
        batch = await bench.fill(["in a batch"] * 20)
        assert [o.outcome for o in batch] == [Outcome.CREATED, *[Outcome.DEDUPLICATED] * 19]
        assert len(list(bench.store.catalog())) == 2


async def without_a_dedup_key_the_same_text_is_kept_again(open_store: Opener) -> None:
    """`dedup_key` None opts out, in both directions."""
    async with opened(open_store) as bench:
        a, b, c = [await bench.persist("again", dedup=dedup) for dedup in (False, False, True)]
        assert len({a.id, b.id, c.id}) == 3
        assert (await bench.persist("again")).id == c.id


async def a_request_id_replays_its_answer(open_store: Opener) -> None:
    """Five retries give the one answer, also after a reopen; other parameters are a conflict and change nothing."""
    async with opened(open_store) as bench:
        first = await bench.persist("asked", dedup=False, request=("r", "p"))
        replayed = replace(first, outcome=Outcome.REPLAYED)
        for _ in range(5):
            assert await bench.persist("asked", dedup=False, request=("r", "p")) == replayed
    async with opened(open_store) as bench:
        assert await bench.persist("asked", dedup=False, request=("r", "p")) == replayed
        with refused(IdempotencyConflict):
            await bench.persist("other", request=("r", "q"))
        assert (len(list(bench.store.catalog())), bench.store.last_lsn) == (1, first.lsn)


async def racing_retries_of_one_request_make_one_memory(open_store: Opener) -> None:
    """Whoever comes first creates it, singly or in a batch."""
    async with opened(open_store) as bench:
        outcomes = await together(bench.persist("r", dedup=False, request=("r", "p")) for _ in range(20))
        batch = await bench.fill(["r"] * 5, dedup=False, request=("r", "p"))
        assert [o.outcome for o in outcomes].count(Outcome.CREATED) == 1
        assert {o.id for o in (*outcomes, *batch)} == {outcomes[0].id}
        assert {o.outcome for o in batch} == {Outcome.REPLAYED}


async def a_replay_is_the_first_answer_whatever_happened_since(open_store: Opener) -> None:
    """An edit and a forget of the memory do not change what a retry is told."""
    async with opened(open_store) as bench:
        first = await bench.persist("before", request=("r", "p"), salience=0.3)
        memory = bench.get(first.id.slot)
        await bench.store.edit(bench.edit(memory, "after", salience=0.9, kind=MemoryKind.SEMANTIC))
        await bench.store.forget(bench.number(), [first.id.slot])
        replayed = await bench.persist("before", request=("r", "p"))
        assert replayed == replace(first, outcome=Outcome.REPLAYED)


async def a_deduplicated_write_remembers_its_request_id(open_store: Opener) -> None:
    """A retry of it is a replay that still says it was deduplicated; the conflict check holds for it too."""
    async with opened(open_store) as bench:
        first = await bench.persist("text")
        second = await bench.persist("text", request=("r", "p"))
        assert (second.outcome, second.id) == (Outcome.DEDUPLICATED, first.id)
        assert await bench.persist("text", request=("r", "p")) == replace(second, outcome=Outcome.REPLAYED)
        with refused(IdempotencyConflict):
            await bench.persist("text", request=("r", "q"))


async def datasets_share_neither_texts_nor_request_ids(open_store: Opener) -> None:
    """The first write creates its dataset; the same text and request id in another one are another memory."""
    async with opened(open_store) as bench:
        assert bench.store.dataset("a") is None
        answers = [await bench.persist("same", dataset=name, request=("r", name)) for name in ("a", "b")]
        assert [o.outcome for o in answers] == [Outcome.CREATED] * 2
        assert [bench.get(o.id.slot).dataset for o in answers] == ["a", "b"]
        assert bench.number("a") != bench.number("b")


async def a_bad_item_of_a_batch_fails_alone(open_store: Opener) -> None:
    """Order is kept; what cannot be stored is an error in its own place, and takes no LSN."""
    async with opened(open_store) as bench:
        await bench.persist("first", request=("used", "p"))
        dimensions = bench.store.model.dimensions
        outcomes = await bench.store.persist_many(
            [
                bench.new("good 1"),
                bench.new("bad width", vectors=np.ones((1, dimensions + 1), dtype=np.float32)),
                bench.new("good 2"),
                bench.new("conflict", request=("used", "q")),
                bench.new("lone surrogate \ud800"),
                bench.new("good 3"),
            ]
        )
        kinds = [type(outcome) for outcome in outcomes]
        assert kinds == [Persisted, InvalidInput, Persisted, IdempotencyConflict, InvalidInput, Persisted]
        good = [outcome for outcome in outcomes if isinstance(outcome, Persisted)]
        first = good[0].lsn
        assert [outcome.lsn for outcome in good] == [first, first + 1, first + 2]
        assert [bench.get(outcome.id.slot).text for outcome in good] == ["good 1", "good 2", "good 3"]
        assert bench.store.last_lsn == first + 2
        assert await bench.store.persist_many([]) == []


async def a_used_slot_is_refused_and_the_rest_goes_on(open_store: Opener) -> None:
    """Persisting into a slot that is taken is an error of that write alone and leaves the memory as it is."""
    async with opened(open_store) as bench:
        first = await bench.persist("owner")
        wrong = replace(bench.new("intruder"), slot=first.id.slot)
        outcomes = await bench.store.persist_many([bench.new("a"), wrong, bench.new("b")])
        assert [isinstance(outcome, MindlogError) for outcome in outcomes] == [False, True, False]
        assert bench.get(first.id.slot).text == "owner"


async def peek_says_what_persist_would_answer(open_store: Opener) -> None:
    """Nothing for what would be created, the answer or the conflict for the rest, and no write."""
    async with opened(open_store) as bench:
        memory = bench.new("peeked", request=("r", "p"))
        dataset, request, key = memory.dataset, memory.request, memory.dedup_key
        assert bench.store.peek(dataset, request, key) is None
        first = await bench.store.persist(memory)
        assert bench.store.peek(dataset, request, key) == replace(first, outcome=Outcome.REPLAYED)
        deduplicated = replace(first, outcome=Outcome.DEDUPLICATED, was_deduplicated=True)
        assert bench.store.peek(dataset, None, key) == deduplicated
        assert bench.store.peek(dataset, RequestKey(id="new", params=key_of("p")), key) == deduplicated
        assert bench.store.peek(dataset, None, None) is None
        with refused(IdempotencyConflict):
            bench.store.peek(dataset, RequestKey(id="r", params=key_of("q")), key)
        assert bench.store.last_lsn == first.lsn


async def a_cancelled_write_is_whole_or_not_there(open_store: Opener) -> None:
    """A caller that gives up leaves no half of a memory and no gap."""
    async with opened(open_store) as bench:
        memories = [bench.new(f"cancelled {n}") for n in range(50)]
        tasks = [asyncio.ensure_future(bench.store.persist(memory)) for memory in memories]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        last = await bench.persist("after")
    async with opened(open_store) as bench:
        slots = {row.slot for row in bench.store.catalog()}
        assert {memory.slot for memory in memories[1::2]} | {last.id.slot} <= slots
        assert slots == {each.slot for each in bench.store.index_vectors()}
        assert [row.lsn for row in bench.store.log(1, 1000)] == list(range(1, last.lsn + 1))


CHECKS: tuple[Check, ...] = (
    a_persisted_memory_reads_back_whole_after_reopening,
    without_a_time_a_memory_occurred_when_it_was_committed,
    slots_rise_and_none_is_handed_out_again,
    the_same_text_is_kept_once,
    twenty_racing_writes_of_one_text_make_one_memory,
    without_a_dedup_key_the_same_text_is_kept_again,
    a_request_id_replays_its_answer,
    racing_retries_of_one_request_make_one_memory,
    a_replay_is_the_first_answer_whatever_happened_since,
    a_deduplicated_write_remembers_its_request_id,
    datasets_share_neither_texts_nor_request_ids,
    a_bad_item_of_a_batch_fails_alone,
    a_used_slot_is_refused_and_the_rest_goes_on,
    peek_says_what_persist_would_answer,
    a_cancelled_write_is_whole_or_not_there,
)
