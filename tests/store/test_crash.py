"""kill -9 under 16 concurrent writers, at random instants and in every named window: no ack is lost, nothing is half there.

`MINDLOG_TEST_LOOPS` makes the loop longer; `make chaos` runs it so.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from mindlog.records import MemoryState, Outcome
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL

ROOT = Path(__file__).parents[2]
LOOPS = int(os.environ.get("MINDLOG_TEST_LOOPS", "200"))
WRITE_WINDOWS = ("in_transaction", "after_commit_before_listeners", "after_commit_before_ack")


@dataclass
class Told:
    """What the killed processes said was done."""

    texts: dict[int, str] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    lsns: dict[int, int] = field(default_factory=dict)
    forgotten: set[int] = field(default_factory=set)
    batched: set[int] = field(default_factory=set)

    def hear(self, line: str) -> None:
        words = line.split()
        if not line.endswith("\n") or len(words) != 5:
            return  # cut by the kill
        kind, text, slot = words[0], words[1], int(words[2])
        if kind == "forget":
            self.forgotten.add(slot)
            return
        self.texts.setdefault(slot, text)
        self.versions[slot] = int(words[3])
        self.lsns[slot] = int(words[4])
        if "batch" in text:
            self.batched.add(slot)


def life(directory: Path, name: str, told: Told, *, window: str = "any", after: int = 0, seconds: float = 60.0) -> None:
    """Run one process until it kills itself in the window or is killed after so many seconds of writing."""
    command = [sys.executable, "-m", "tests.store.crash_child", str(directory), name, window, str(after)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout is not None
    assert child.stderr is not None
    # Once open: the instant is random within the writing. Before: a bound.
    timer = threading.Timer(60.0, child.kill)
    timer.start()
    for line in child.stdout:
        if line == "open\n":
            timer.cancel()
            timer = threading.Timer(seconds, child.kill)
            timer.start()
        told.hear(line)
    child.wait()
    timer.cancel()
    errors = child.stderr.read()
    child.stdout.close()
    child.stderr.close()
    assert (child.returncode, errors) == (-9, "")


def check(directory: Path, told: Told) -> None:
    store = SqliteStore.open(directory, model=MODEL)
    try:
        check_open(Bench(store), told)
    finally:
        store.close()


def check_open(bench: Bench, told: Told) -> None:
    store = bench.store
    rows = {row.slot: row for row in store.catalog()}
    texts = {each.slot: each.text for each in store.index_texts()}
    assert told.texts.keys() <= rows.keys(), "an acknowledged memory is lost"
    for slot, version in told.versions.items():
        assert rows[slot].version >= version
        assert texts[slot].replace(" ", "_").startswith(told.texts[slot])
    assert all(rows[slot].state == MemoryState.FORGOTTEN for slot in told.forgotten)
    # No half of a memory: every revision has its vectors, its log entry and its derivation row; no LSN is missing.
    vectors = {each.slot: each for each in store.index_vectors()}
    assert vectors.keys() == rows.keys() == texts.keys()
    for slot, each in vectors.items():
        assert each.version == rows[slot].version
        np.testing.assert_array_equal(each.vectors, bench.vectors(texts[slot], len(each.vectors)))
    entries = store.log(1, 10**6)
    assert [entry.lsn for entry in entries] == list(range(1, store.last_lsn + 1))
    made = [entry for entry in entries if entry.type in ("memory_encoded", "memory_edited")]
    assert store.stats().pending_derivations == len(made)
    assert {(entry.slot, entry.version) for entry in made} >= {(slot, row.version) for slot, row in rows.items()}
    first = {entry.slot: entry.lsn for entry in entries if entry.type == "memory_encoded"}
    assert all(lsn in (first[slot], rows[slot].lsn) or rows[slot].version > 1 for slot, lsn in told.lsns.items())
    assert len(set(texts.values())) == len(texts), "a text is there twice"


def check_retries(directory: Path, told: Told) -> None:
    """A client that saw no ack sends its requests again: each is answered with the one memory there is."""
    store = SqliteStore.open(directory, model=MODEL)
    bench = Bench(store)
    before = store.last_lsn

    async def retry() -> None:
        for slot, text in list(told.texts.items())[-20:]:
            if slot in told.batched:
                continue
            request = (text, "p") if int(text.rsplit("-", 1)[1]) % 2 else None
            memory = bench.get(slot)
            if request is None and (memory.text != text or memory.state == MemoryState.FORGOTTEN):
                continue  # edited away or forgotten, told or not: writing the text again makes a new memory
            session = f"s{text.split('-')[1]}"
            answer = await bench.persist(text, request=request, session=session)
            assert answer.id.slot == slot
            assert answer.outcome in (Outcome.REPLAYED, Outcome.DEDUPLICATED)

    asyncio.run(retry())
    assert store.last_lsn == before
    store.close()


@pytest.mark.parametrize("window", WRITE_WINDOWS)
def test_killed_in_a_window_of_the_write_nothing_acknowledged_is_lost(tmp_path: Path, window: str) -> None:
    told = Told()
    for number, after in enumerate((0, 3, 40)):
        life(tmp_path, f"life{number}", told, window=window, after=after)
        check(tmp_path, told)
    assert told.texts
    check_retries(tmp_path, told)


def crash_loop(directory: Path, loops: int, seed: int) -> None:
    dice = random.Random(seed)
    told = Told()
    for number in range(loops):
        windows = ("any", "any", "before_checkpoint", "after_checkpoint", *WRITE_WINDOWS)
        window = dice.choice(windows)
        life(directory, f"life{number}", told, window=window, after=dice.randrange(60), seconds=dice.uniform(0.0, 0.4))
        check(directory, told)
        check_retries(directory, told)
    assert told.texts


def test_a_loop_of_kills_at_random_instants_loses_nothing(tmp_path: Path) -> None:
    crash_loop(tmp_path, loops=6, seed=random.randrange(2**32))


@pytest.mark.chaos
@pytest.mark.timeout(7200)
def test_a_long_loop_of_kills_loses_nothing(tmp_path: Path) -> None:
    for start in range(0, LOOPS, 20):
        crash_loop(tmp_path / str(start), loops=min(20, LOOPS - start), seed=start)
