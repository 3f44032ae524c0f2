"""REMEMBER as a whole: its stages are its table, one chunk after the other is stored, and one that fails fails alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mindlog.errors import LeaseLost, LlmRefused, StoreFull
from mindlog.pipeline import names
from mindlog.remember.pipeline import REMEMBER, REMEMBER_WHOLE, remember
from mindlog.remember.reconcile import RECONCILE, RECONCILE_WHOLE
from mindlog.store.stages import REMEMBER_STAGES
from tests.remember.enriched import LEASE, OWNER, stage, world

SMALL = {"chunk_tokens": 32, "chunk_max_tokens": 64}
MORE = "The harbour was quiet that morning and nobody spoke of the storm of the year before, nor of the boats it took."
NAMES = ("Anna", "Bruno", "Clara", "Dora", "Emil", "Felix")


def parts(*said: str) -> str:
    return "\n\n".join(f"# Part {number}\n\n{each} {MORE}" for number, each in enumerate(said))


DOCUMENT = parts(*(f"{name} Reis lives in Porto." for name in NAMES))


def test_the_stages_are_the_table_for_a_long_text_and_for_a_short_one() -> None:
    table = tuple(each.name for each in REMEMBER_STAGES)
    assert names(REMEMBER) == names(REMEMBER_WHOLE) == table
    assert names(RECONCILE) == ("load_candidates", "resolve_edges", "store")
    assert names(RECONCILE_WHOLE) == ("load_candidates", "resolve_edges", "store", "store_series")


async def test_every_chunk_is_read_before_the_first_is_stored_and_a_chunk_meets_what_earlier_ones_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, **SMALL) as home:
        done: list[tuple[str, int]] = []
        put, store = home.store.put_reading, home.store.store_text

        async def reading(owner: str, key: Any, *more: Any) -> None:
            done.append(("read", key.position))
            await put(owner, key, *more)

        async def storing(write: Any) -> Any:
            done.append(("stored", write.key.position))
            return await store(write)

        monkeypatch.setattr(home.store, "put_reading", reading)
        monkeypatch.setattr(home.store, "store_text", storing)
        row = await home.remember(DOCUMENT)
        assert done == [("read", n) for n in range(6)] + [("stored", n) for n in range(6)]
        assert (row.state, row.read, row.stored) == ("succeeded", 6, 6)
        # The town of six chunks is one entity, and what was said twice has two pieces of evidence.
        assert home.output(row, "store")["entities_matched"] >= 5
        again = await home.remember(parts("Anna Reis lives in Porto."), document_id="another")
        assert home.output(again, "store")["duplicates"] >= 1


async def test_memories_of_a_document_are_in_its_order(tmp_path: Path) -> None:
    async with world(tmp_path, **SMALL) as home:
        run = await home.accept(DOCUMENT)
        await home.attempt()
        slots = [text.memory_id.slot for text in home.store.texts(run, "chunk")]
        assert slots == sorted(slots)


async def test_a_chunk_that_cannot_be_stored_is_named_and_the_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, **SMALL) as home:
        store = home.store.store_text

        async def failing(write: Any) -> Any:
            if write.key.position == 3:
                raise LlmRefused("no")
            return await store(write)

        monkeypatch.setattr(home.store, "store_text", failing)
        row = await home.remember(DOCUMENT)
        assert (row.state, row.stored) == ("succeeded", 5)
        status, error = stage(row, "store")
        assert status == "failed"
        assert error is not None
        assert "failed for 1 of 6 items (4)" in error
        assert "LlmRefused: no" in error
        assert [text.key.position for text in home.texts(row, "chunk") if text.state != "stored"] == [3]
        monkeypatch.setattr(home.store, "store_text", store)
        assert await home.store.retry_remember([row.id]) == [row.id]
        await home.attempt()
        row = home.run(row.id)
        assert (row.state, row.stored, stage(row, "store")) == ("succeeded", 6, ("succeeded", None))


async def test_an_error_of_the_store_ends_the_attempt_at_once_and_the_next_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, **SMALL) as home:
        put, asked = home.store.put_reading, list[int]()

        async def full(owner: str, key: Any, *more: Any) -> None:
            asked.append(key.position)
            if key.position == 2:
                raise StoreFull
            await put(owner, key, *more)

        monkeypatch.setattr(home.store, "put_reading", full)
        run = await home.accept(DOCUMENT)
        attempt = await home.attempt()
        assert asked == [0, 1, 2]
        assert isinstance(attempt.failures["extract_graph"], StoreFull)
        row = home.run(run)
        # It is tried again, and nothing of it is called ended that has not.
        assert (row.status, row.read, stage(row, "extract_graph")[0]) == ("started", 2, "not_started")
        assert stage(row, "load_candidates")[0] == "not_started"
        monkeypatch.setattr(home.store, "put_reading", put)
        home.tools.clock.at += 3_700_000_000  # type: ignore[attr-defined]
        await home.attempt()
        row = home.run(run)
        assert (row.state, row.read, row.stored) == ("succeeded", 6, 6)
        assert {each.status for each in row.stages} == {"succeeded", "skipped"}


async def test_a_run_that_is_lost_records_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(tmp_path, **SMALL) as home:
        put, asked = home.store.put_reading, list[int]()

        async def lost(owner: str, key: Any, *more: Any) -> None:
            asked.append(key.position)
            if key.position == 1:
                await home.store.cancel_remember([key.run])
            await put(owner, key, *more)

        monkeypatch.setattr(home.store, "put_reading", lost)
        run = await home.accept(DOCUMENT)
        claimed = await home.store.claim_remember(OWNER, LEASE, ())
        assert claimed is not None
        attempt = await remember(claimed, OWNER, home.tools)
        assert (attempt.lost, attempt.failures, asked) == (True, {}, [0, 1])
        assert (home.run(run).state, home.run(run).stored) == ("cancelled", 0)
        with pytest.raises(LeaseLost):
            await home.store.set_chunks(run, OWNER, 6)


async def test_a_memory_that_is_forgotten_meanwhile_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, **SMALL) as home:
        store = home.store.store_text

        async def forgetting(write: Any) -> Any:
            if write.key.position == 1:
                await home.store.forget(home.number(), [home.store.texts(write.key.run)[4].memory_id.slot])
            return await store(write)

        monkeypatch.setattr(home.store, "store_text", forgetting)
        row = await home.remember(DOCUMENT)
        assert (row.state, row.stored, stage(row, "store")) == ("succeeded", 5, ("succeeded", None))
        assert not [text for text in home.sentences() if "Emil" in text]
