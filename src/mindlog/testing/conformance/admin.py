"""Checks of what surrounds the memories: datasets, API keys, purging, counts, closing."""

from __future__ import annotations

from dataclasses import replace

from mindlog.errors import Closed, KeyNotFound
from mindlog.records import ApiKey, Outcome, Scope
from mindlog.testing.conformance.bench import Check, Opener, key_of, opened, refused, together

__all__ = ["CHECKS"]


async def a_dataset_has_a_zone_that_can_change(open_store: Opener) -> None:
    """Put creates or sets; the number stays; listings are by name; all of it survives a reopen."""
    async with opened(open_store) as bench:
        first = await bench.store.put_dataset("zoned", "Asia/Kolkata")
        assert (first.name, first.timezone) == ("zoned", "Asia/Kolkata")
        changed = await bench.store.put_dataset("zoned", None)
        assert changed == replace(first, timezone=None)
        lsn = bench.store.last_lsn
        assert await bench.store.put_dataset("zoned", None) == changed
        assert bench.store.last_lsn == lsn
        await bench.persist("text", dataset="another")
    async with opened(open_store) as bench:
        assert [dataset.name for dataset in bench.store.datasets()] == ["another", "zoned"]
        assert bench.store.dataset("zoned") == changed
        assert bench.store.dataset("unknown") is None


async def racing_first_writes_make_one_dataset(open_store: Opener) -> None:
    """Twenty writes into a dataset that is not there share the one that the first creates."""
    async with opened(open_store) as bench:
        await together(bench.persist(f"text {n}", dataset="new") for n in range(20))
        assert len(bench.store.datasets()) == 1
        assert {row.dataset for row in bench.store.catalog()} == {bench.number("new")}


def _key(number: int, **facts: object) -> ApiKey:
    key = ApiKey(
        id=f"key_{number}",
        name=f"key {number}",
        prefix="ml_sk_ab",
        scopes=frozenset({Scope.READ, Scope.WRITE}),
        datasets=frozenset({"a", "б"}),
        created_at=number,
        last_used_at=None,
        revoked_at=None,
    )
    return replace(key, **facts)  # pyright: ignore[reportArgumentType]


async def api_keys_are_found_by_hash_touched_and_revoked(open_store: Opener) -> None:
    """A key reads back as it was put; use moves forward only; the first revocation stands."""
    async with opened(open_store) as bench:
        store = bench.store
        keys = [_key(1), _key(2, datasets=None, scopes=frozenset({Scope.ADMIN}))]
        for key in keys:
            await store.put_key(key, key_of(key.id))
        assert store.api_keys() == keys[::-1]
        assert store.key_by_hash(key_of("key_1")) == keys[0]
        assert store.key_by_hash(key_of("nobody")) is None
        await store.touch_keys({"key_1": 50, "unknown": 1})
        await store.touch_keys({"key_1": 40})
        assert await store.revoke_key("key_2", 70) == replace(keys[1], revoked_at=70)
        assert await store.revoke_key("key_2", 80) == replace(keys[1], revoked_at=70)
        with refused(KeyNotFound):
            await store.revoke_key("key_3", 1)
    async with opened(open_store) as bench:
        assert bench.store.key_by_hash(key_of("key_1")) == replace(keys[0], last_used_at=50)
        assert bench.store.api_keys() == [replace(keys[1], revoked_at=70), replace(keys[0], last_used_at=50)]


async def old_request_ids_are_purged_and_young_ones_kept(open_store: Opener) -> None:
    """After the purge an old id is new again; one made at the very instant is kept."""
    async with opened(open_store) as bench:
        old = await bench.persist("old", dedup=False, request=("old", "p"))
        young = await bench.persist("young", dedup=False, request=("young", "p"))
        assert await bench.store.purge_requests(young.persisted_at) == 1
        assert await bench.store.purge_requests(young.persisted_at) == 0
        assert (await bench.persist("old", dedup=False, request=("old", "q"))).outcome == Outcome.CREATED
        assert (await bench.persist("young", dedup=False, request=("young", "p"))).id == young.id
        assert bench.get(old.id.slot).text == "old"


async def very_many_request_ids_are_purged(open_store: Opener) -> None:
    """A purge larger than one transaction drops all of them and says how many."""
    async with opened(open_store) as bench:
        memories = [bench.new(f"t {n}", request=(f"r {n}", "p")) for n in range(1200)]
        await bench.store.persist_many(memories)
        last = await bench.persist("last")
        assert await bench.store.purge_requests(last.persisted_at + 1) == 1200


async def counts_tell_what_is_there(open_store: Opener) -> None:
    """Memories (forgotten ones among them), datasets, derivations to do, the LSN; the same after a reopen."""
    async with opened(open_store) as bench:
        slots = [persisted.id.slot for persisted in await bench.fill(["a", "b", "c"])]
        await bench.persist("a")  # deduplicated
        await bench.store.forget(bench.number(), slots[:1])
        await bench.store.edit(bench.edit(bench.get(slots[1]), "d"))
        before = bench.store.stats()
        assert (before.memories, before.forgotten, before.datasets) == (3, 1, 1)
        assert (before.pending_derivations, before.last_lsn) == (4, bench.store.last_lsn)
        await bench.store.checkpoint()
        assert bench.store.stats().file_bytes > 0
    async with opened(open_store) as bench:
        after = bench.store.stats()
        counts = ("memories", "forgotten", "datasets", "pending_derivations", "last_lsn")
        assert [getattr(after, name) for name in counts] == [getattr(before, name) for name in counts]


async def a_closed_store_refuses_and_closes_twice(open_store: Opener) -> None:
    """Writes that were on their way are finished; later ones and reads are `Closed`."""
    async with opened(open_store) as bench:
        memory = bench.new("late")
        under_way = together(bench.persist(f"text {n}") for n in range(50))
        persisted = await under_way
        await bench.store.aclose()
        await bench.store.aclose()
        with refused(Closed):
            await bench.store.persist(memory)
        with refused(Closed):
            await bench.store.persist_many([memory])
        with refused(Closed):
            bench.store.memory(1)
        with refused(Closed):
            bench.store.peek(memory.dataset, None, memory.dedup_key)
    async with opened(open_store) as bench:
        assert {row.slot for row in bench.store.catalog()} == {each.id.slot for each in persisted}


CHECKS: tuple[Check, ...] = (
    a_dataset_has_a_zone_that_can_change,
    racing_first_writes_make_one_dataset,
    api_keys_are_found_by_hash_touched_and_revoked,
    old_request_ids_are_purged_and_young_ones_kept,
    very_many_request_ids_are_purged,
    counts_tell_what_is_there,
    a_closed_store_refuses_and_closes_twice,
)
