"""The asynchronous API: opened by `async with` or by `await`, used from many tasks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import mindlog
from mindlog.errors import Closed, IdempotencyConflict, StoreLocked
from mindlog.testing.fakes import HashEmbedder


async def test_it_opens_by_async_with_and_closes_behind_itself(tmp_path: Path) -> None:
    async with mindlog.aopen(tmp_path, embedder=HashEmbedder()) as db:
        kept = await db.encode("Ana is allergic to peanuts", session="s")
        found = await db.recall("peanuts", filters={"session": "s"})
        assert [str(hit.memory.id) for hit in found.hits] == [kept.memory_id]
    with pytest.raises(Closed):
        await db.encode("too late")


async def test_it_opens_by_await_and_is_closed_by_hand(tmp_path: Path) -> None:
    db = await mindlog.aopen(tmp_path, embedder=HashEmbedder())
    await db.encode("text")
    with pytest.raises(StoreLocked):
        await mindlog.aopen(tmp_path, embedder=HashEmbedder())
    await db.aclose()
    await db.aclose()
    async with mindlog.aopen(tmp_path, embedder=HashEmbedder()) as again:
        assert [memory.text async for memory in again.iterate()] == ["text"]


async def test_many_tasks_write_at_once_and_each_has_its_own_outcome(tmp_path: Path) -> None:
    async with mindlog.aopen(tmp_path, embedder=HashEmbedder()) as db:
        await db.encode("taken", request_id="r")
        writes = [db.encode(f"text {n}") for n in range(100)] + [db.encode("other", request_id="r")]
        *results, conflict = await asyncio.gather(*writes, return_exceptions=True)
        assert isinstance(conflict, IdempotencyConflict)
        assert len({result.memory_id for result in results if isinstance(result, mindlog.EncodeResult)}) == 100
        assert len([memory async for memory in db.iterate(page_size=7)]) == 101


async def test_one_left_open_warns_when_it_is_dropped(tmp_path: Path) -> None:
    db = await mindlog.aopen(tmp_path, embedder=HashEmbedder())
    engine = db.engine
    dropped = [db]
    del db
    with pytest.warns(ResourceWarning, match="aclose"):
        dropped.clear()
    await engine.aclose()
