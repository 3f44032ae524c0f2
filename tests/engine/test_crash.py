"""SIGKILL at random instants under 16 concurrent writers: what was acknowledged is there, whole, once, and findable."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mindlog.engine import Engine
from mindlog.filters import Filters
from mindlog.ids import MemoryId
from mindlog.records import Memory, RecallRequest
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder
from tests.engine.crash_child import is_whole, request_of

CHILD = Path(__file__).with_name("crash_child.py")
ROOT = Path(__file__).parents[2]
IN_SUITE = 8
LONGEST = 60.0  # seconds a child lives, whatever happens


@dataclass(frozen=True)
class Kill:
    """When a child is killed: at a number of acks, or some seconds after it says a word."""

    acks: int | None = None
    word: str = "begin"
    seconds: float = LONGEST


def at_random(dice: random.Random) -> Kill:
    """Half of the kills come after a number of acks, the others at any moment: while opening, writing, checkpointing."""
    if dice.random() < 0.5:
        return Kill(acks=dice.randint(1, 1500))
    if dice.random() < 0.3:
        return Kill(word="begin", seconds=dice.uniform(0.0, 0.1))
    return Kill(word="open", seconds=dice.uniform(0.0, 1.5))


def run_until_killed(directory: Path, loop: int, kill: Kill) -> list[tuple[str, str]]:
    """Start the child and kill it; return the (request id, memory id) it said were acknowledged."""
    command = [sys.executable, str(CHILD), str(directory), str(loop)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=environment)
    timers = [threading.Timer(LONGEST, child.kill)]
    timers[0].start()
    acked: list[tuple[str, str]] = []
    assert child.stdout is not None
    for line in child.stdout:
        if not line.endswith(b"\n"):
            break
        word, request_id, memory_id = line.decode().split()
        if word == "ack":
            acked.append((request_id, memory_id))
            if len(acked) == kill.acks:
                child.send_signal(signal.SIGKILL)
        elif word == kill.word and kill.acks is None:
            timers.append(threading.Timer(kill.seconds, child.kill))
            timers[-1].start()
    for timer in timers:
        timer.cancel()
    child.kill()
    _, errors = child.communicate(timeout=LONGEST)
    assert child.returncode == -signal.SIGKILL, errors.decode()[-3000:]
    return acked


async def everything(engine: Engine) -> dict[int, Memory]:
    found: dict[int, Memory] = {}
    cursor: str | None = None
    while True:
        page = await engine.list_memories("crash", limit=5000, cursor=cursor)
        for memory in page.data:
            assert memory.id.slot not in found
            found[memory.id.slot] = memory
        cursor = page.next_cursor
        if cursor is None:
            return found


async def check(directory: Path, acked: list[tuple[str, str]]) -> None:
    # It looks at what the kill has left: nothing is derived meanwhile.
    engine = await Engine.open(Settings(data=directory, derive=False), embedder=HashEmbedder())
    async with engine:
        if engine.store.dataset("crash") is None:
            assert not acked
            return
        memories = await everything(engine)
        texts = [memory.text for memory in memories.values()]
        assert all(map(is_whole, texts))
        keys = [(memory.session, memory.text) for memory in memories.values()]
        assert len(keys) == len(set(keys)), "a retry or a repeated text made a second memory"
        for _, memory_id in acked:
            assert MemoryId.parse(memory_id).slot in memories, "an acknowledged memory is lost"
        assert engine.store.stats().memories == len(memories)
        await check_retries(engine, acked)
        log = engine.store.log(1, 10_000_000)
        assert [row.lsn for row in log] == list(range(1, engine.store.last_lsn + 1))
        assert not engine.indexes.audit(engine.store)
        await check_recall(engine, memories, acked[-3:])


async def check_retries(engine: Engine, acked: list[tuple[str, str]]) -> None:
    for request_id, memory_id in acked[-5:]:
        again = await engine.encode(request_of(*map(int, request_id.split("-"))))
        assert again.was_replayed
        assert again.memory_id == memory_id
    for request_id, _ in acked[-3:]:
        # Nobody knows what became of the write after it: trying it again makes sure, and once more changes nothing.
        loop, writer, number = map(int, request_id.split("-"))
        tried = await engine.encode(request_of(loop, writer, number + 1))
        assert await engine.encode(request_of(loop, writer, number + 1)) == replace(tried, was_replayed=True)


async def check_recall(engine: Engine, memories: dict[int, Memory], acked: list[tuple[str, str]]) -> None:
    for _, memory_id in acked:
        memory = memories[MemoryId.parse(memory_id).slot]
        filters = Filters(session=(memory.session or "",))
        cue = memory.text[-600:]  # its checksum is no other text's
        hits = (await engine.recall(RecallRequest(cue=cue, dataset="crash", limit=5000, filters=filters))).hits
        (hit,) = [hit for hit in hits if str(hit.memory.id) == memory_id]
        assert set(hit.lanes) == {"semantic", "lexical"}


async def crash_loop(directory: Path, loops: int, seed: int) -> None:
    dice = random.Random(seed)
    total = 0
    for loop in range(loops):
        acked = run_until_killed(directory, loop, at_random(dice))
        total += len(acked)
        await check(directory, acked)
    assert total, "no child lived long enough to write"
    print(f"{loops} kills, {total} acknowledged writes, none lost")


async def test_a_hundred_acknowledged_writes_are_there_after_a_kill(tmp_path: Path) -> None:
    acked = run_until_killed(tmp_path / "data", 0, Kill(acks=100))
    assert len(acked) >= 100
    await check(tmp_path / "data", acked)


@pytest.mark.timeout(300)
async def test_nothing_acknowledged_is_lost_by_kills_at_random_instants(tmp_path: Path) -> None:
    await crash_loop(tmp_path / "data", IN_SUITE, seed=random.randrange(1 << 30))


@pytest.mark.chaos
async def test_nothing_acknowledged_is_lost_by_very_many_kills(tmp_path: Path) -> None:
    loops = int(os.environ.get("MINDLOG_TEST_LOOPS", "100"))
    # A fresh directory now and then: also the first open is killed, and the listing stays short.
    for part in range(0, loops, 50):
        await crash_loop(tmp_path / f"data-{part}", min(50, loops - part), seed=part)
