"""A full disk, a failing disk, damaged index files, a directory deleted: a clear error or a rebuild, and nothing lost."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import apsw
import pytest

from mindlog.engine import Engine
from mindlog.errors import MindlogError, StoreError, StoreFull
from mindlog.records import EditRequest, EncodeRequest
from mindlog.testing.faults import armed, raising
from tests.engine.made import everything, found, keep, keep_all, opened

WRITES: dict[str, Callable[[Engine, str], Coroutine[Any, Any, Any]]] = {
    "encode": lambda e, _: e.encode(EncodeRequest(text="new", request_id="R")),
    "edit": lambda e, memory_id: e.edit(EditRequest(memory_id=memory_id, text="changed")),
    "forget": lambda e, memory_id: e.forget([memory_id]),
    "put_dataset": lambda e, _: e.put_dataset("another"),
}


@pytest.mark.parametrize("verb", WRITES)
async def test_a_write_onto_a_full_disk_fails_whole_and_works_once_there_is_room(engine: Engine, verb: str) -> None:
    memory_id = await keep(engine, "a memory that is there")
    lsn = engine.store.last_lsn
    with armed("in_transaction", raising(apsw.FullError)):
        with pytest.raises(StoreFull) as refusal:
            await WRITES[verb](engine, memory_id)
        assert refusal.value.retryable
        assert await found(engine, "a memory") == [memory_id]
        assert [str(memory.id) for memory in await everything(engine)] == [memory_id]
    assert engine.store.last_lsn == lsn
    assert await WRITES[verb](engine, memory_id) is not None
    assert engine.store.last_lsn > lsn
    assert not engine.indexes.audit(engine.store)


async def test_on_a_full_disk_every_item_of_a_batch_says_so(engine: Engine) -> None:
    with armed("in_transaction", raising(apsw.FullError)):
        outcomes = await engine.encode_batch([EncodeRequest(text=f"t{n}") for n in range(5)])
    assert [type(outcome) for outcome in outcomes] == [StoreFull] * 5
    again = await engine.encode_batch([EncodeRequest(text=f"t{n}") for n in range(5)])
    assert not [outcome for outcome in again if isinstance(outcome, MindlogError)]


async def test_a_fault_of_the_disk_is_a_store_error_and_the_next_write_is_kept(engine: Engine) -> None:
    with armed("in_transaction", raising(apsw.IOError, times=1)), pytest.raises(StoreError):
        await keep(engine, "unlucky")
    memory_id = await keep(engine, "lucky")
    assert [str(memory.id) for memory in await everything(engine)] == [memory_id]


async def fill(path: Path) -> list[str]:
    async with opened(path, checkpoint_rows=100) as engine:
        ids = await keep_all(engine, [f"memory {n} about thing{n}" for n in range(400)], session="s")
        await engine.forget(ids[:3])
    return ids


async def check(path: Path, ids: list[str]) -> None:
    async with opened(path) as engine:
        assert set(await found(engine, "memory about", limit=1000)) == set(ids[3:])
        assert (await found(engine, "thing123"))[0] == ids[123]
        assert engine.indexes.settle(20)
        assert not engine.indexes.audit(engine.store)
        assert (await engine.health()).status == "ok"


@pytest.mark.parametrize("seed", range(4))
async def test_damaged_index_files_are_rebuilt_with_the_right_answers(tmp_path: Path, seed: int) -> None:
    ids = await fill(tmp_path)
    dice = random.Random(seed)
    files = sorted(path for path in (tmp_path / "data" / "index").rglob("*") if path.is_file() and path.stat().st_size)
    assert files
    for path in files:
        content = bytearray(path.read_bytes())
        match seed:
            case 0:
                content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
            case 1:
                del content[dice.randrange(len(content)) :]
            case 2:
                content += b"\0" * 7
            case _:
                content[:] = dice.randbytes(len(content))
        path.write_bytes(content)
    await check(tmp_path, ids)


async def test_the_index_directory_may_be_deleted(tmp_path: Path) -> None:
    ids = await fill(tmp_path)
    shutil.rmtree(tmp_path / "data" / "index")
    await check(tmp_path, ids)
