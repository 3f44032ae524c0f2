"""What goes wrong in memory engines that run for long, told truthfully: time, load, backlogs, health."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count as counted
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mindlog.api import create_app
from mindlog.clock import from_iso
from mindlog.engine import Engine
from mindlog.index.vector import VectorIndex
from mindlog.records import EncodeRequest
from mindlog.testing.llm_answers import Answer, hang, say
from mindlog.testing.llm_server import FakeLLM
from tests.engine.made import BOUND, ManualClock, acked, hit_of, ids, keep, keep_all, opened, recall
from tests.engine.test_deriving import runs
from tests.engine.test_deriving_with_a_model import always, modelled

MINUTE = 60_000_000


# -- "last week" ----------------------------------------------------------------------------------------------------------
NOW = from_iso("2024-03-06T12:00:00Z", field="now")  # a Wednesday


@pytest.mark.parametrize(
    ("cue", "inside"),
    [
        ("what happened last week", "2024-02-28T10:00:00Z"),
        ("what happened in the past seven days", "2024-03-03T10:00:00Z"),
        ("was geschah letzte Woche", "2024-02-28T10:00:00Z"),
        ("昨日は何があった", "2024-03-05T10:00:00Z"),
    ],
)
async def test_a_time_in_a_cue_counts_from_the_engines_clock_and_nothing_old_passes_for_it(
    tmp_path: Path, cue: str, inside: str
) -> None:
    async with opened(tmp_path, clock=ManualClock(NOW)) as engine:
        old = await keep_all(engine, [f"{cue} {n}" for n in range(5)], occurred_at="2021-03-01T10:00:00Z")
        recent = await keep(engine, "the boiler broke", occurred_at=inside)
        result = await recall(engine, cue)
        assert ids(result)[0] == recent
        assert "time" in hit_of(result, recent).lanes
        assert all("time" not in hit_of(result, each).lanes for each in old)
        assert result.time is not None
        assert result.time["relative"] is True
        unknown = await recall(engine, "what happened recently")
        assert unknown.time == {"unparsed": "recently"}


def silent(value: object) -> Answer:
    return hang()


# -- much to do -----------------------------------------------------------------------------------------------------------
async def test_ten_thousand_writes_behind_a_model_that_hangs_are_kept_counted_and_not_held(tmp_path: Path) -> None:
    async with modelled(tmp_path, always(silent), derive_concurrency=4, classifier=False) as (engine, server):
        await keep(engine, "the first of many")
        assert await asyncio.to_thread(server.wait_for, 1, timeout=BOUND)
        for at in range(0, 10_000, 1000):
            batch = [EncodeRequest(text=f"note {n}") for n in range(at, at + 1000)]
            outcomes = await asyncio.wait_for(engine.encode_batch(batch), BOUND)
            assert all(acked(outcome).memory_id for outcome in outcomes)
            assert (await engine.health()).derive["pending"] >= at + 1000
        # The last is acknowledged like the first: with the model still silent, and without waiting for anyone.
        await asyncio.wait_for(keep(engine, "the last of many"), BOUND)
        assert server.gone == 0
        health = await engine.health()
        assert health.ready
        assert health.derive["pending"] == health.store["memories"] == 10_002
        assert health.derive["running"] == len(await runs(engine, state="running")) <= 4
        assert ids(await recall(engine, "the last of many"))


# -- for long -------------------------------------------------------------------------------------------------------------
def _resident() -> float:
    """MiB of this process that are in memory and no file's."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    raise AssertionError("the kernel does not tell")


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")


NAMES = ("Anna", "Beatriz", "Clara", "Dora", "Emil", "Felix", "Greta")
TOWNS = ("Porto", "Lisbon", "Faro", "Braga", "Coimbra")


def _some(words: tuple[str, ...], number: int) -> str:
    return words[number % len(words)]


async def _work(engine: Engine, start: int, end: int) -> None:
    """Write, derive and recall, by turns."""
    for at in range(start, end, 50):
        said = [f"My friend {_some(NAMES, n)} moved to {_some(TOWNS, n)} on day {n}." for n in range(at, at + 50)]
        await asyncio.gather(*(keep(engine, text, agent="Ines", session=f"talk {at}") for text in said))
        await asyncio.gather(*(recall(engine, f"where is {_some(NAMES, n)}?") for n in range(at, at + 50)))
        assert await engine.settled(BOUND)


@dataclass(frozen=True)
class _Held:
    """What the process holds once everything is at rest. resident: MiB."""

    files: int
    objects: int
    resident: float

    @classmethod
    def by(cls, engine: Engine) -> _Held:
        assert engine.indexes.settle(BOUND)
        gc.collect()
        return cls(len(os.listdir("/proc/self/fd")), len(gc.get_objects()), _resident())


async def _soaked(path: Path, count: int, kib: float) -> None:
    """Work, half of it to warm up. kib: what each memory of the other half may add to the process, indexes and all."""
    # Small segments, folded many times, and no cache that is still filling.
    async with opened(path, derive=True, classifier=False, checkpoint_rows=200, embedder_cache_mb=0) as engine:
        warm = count // 2
        await _work(engine, 0, warm)
        before = _Held.by(engine)
        await _work(engine, warm, count)
        after, more = _Held.by(engine), count - warm
        assert after.files <= before.files + 12  # segments come and are folded
        # No job, task, text or vector of a memory that is done is held.
        assert after.objects - before.objects <= more
        assert after.resident - before.resident <= 8 + kib * more / 1024
        assert {run.state for run in await runs(engine)} == {"succeeded"}


@needs_proc
async def test_memory_and_open_files_stay_flat_over_writes_derivations_and_recalls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindlog.knowledge.reading._REMEMBERED", 100)
    # So few memories do not fill SQLite's caches and the allocator's arenas: these still grow.
    await _soaked(tmp_path, 600, kib=64)


@needs_proc
@pytest.mark.chaos
async def test_memory_and_open_files_stay_flat_for_long(tmp_path: Path) -> None:
    await _soaked(tmp_path, 36_000, kib=2)


# -- health ---------------------------------------------------------------------------------------------------------------
@asynccontextmanager
async def asked(engine: Engine) -> AsyncGenerator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(create_app(engine))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:7464") as client:
        yield client


async def told(client: httpx2.AsyncClient) -> tuple[int, str]:
    """The status of readiness and its reasons; the process is alive in any case."""
    assert (await client.get("/livez")).status_code == 200
    answer = await client.get("/readyz")
    return answer.status_code, "; ".join(answer.json()["reasons"])


async def test_health_names_a_key_that_is_refused_a_queue_that_is_stuck_and_an_index_that_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualClock()
    with FakeLLM(always(say), api_key="another") as server:
        more: dict[str, Any] = {
            "llm": "openai",
            "llm_url": server.url,
            "llm_model": "fake-model",
            "llm_api_key": "sk-any",
        }
        async with opened(tmp_path, clock=clock, derive=True, classifier=False, **more) as engine, asked(engine) as ask:
            assert await told(ask) == (200, "")
            await keep(engine, "I live in Lisbon.", agent="Ines")
            assert await engine.settled(BOUND)
            status, reasons = await told(ask)
            assert status == 200
            assert "language model: failing" in reasons
            assert "sk-any" not in reasons

            server.api_key, server.rule = None, always(silent)
            asked_before = len(server.requests)
            await keep(engine, "I live in Porto.", agent="Ines")
            assert await asyncio.to_thread(server.wait_for, asked_before + 1, timeout=BOUND)
            assert "derivation: 1 pending" not in (await told(ask))[1]
            clock.at += 11 * MINUTE
            status, reasons = await told(ask)
            assert status == 200
            assert "derivation: 1 pending, the oldest for 11 minutes" in reasons

    loads, again, asked_again = counted(), threading.Event(), threading.Event()

    def damaged(*_: object) -> None:
        if next(loads):  # the first is that of the opening; the rebuilding stops here until it was asked for
            again.set()
            asked_again.wait(BOUND)
        raise OSError("the segment is damaged")

    for path in (tmp_path / "data" / "index").rglob("*"):
        if path.is_file():
            path.write_bytes(os.urandom(64))
    with monkeypatch.context() as patch:
        patch.setattr(VectorIndex, "load", damaged)
        async with opened(tmp_path, clock=clock) as engine, asked(engine) as ask:
            assert await asyncio.to_thread(again.wait, BOUND)
            assert "index vectors: rebuilding (OSError: the segment is damaged)" in (await told(ask))[1]
            asked_again.set()
            assert await asyncio.to_thread(engine.indexes.settle, BOUND)
            status, reasons = await told(ask)
            assert status == 503
            assert "index vectors: failed (OSError: the segment is damaged)" in reasons
            assert "index lexical" not in reasons
    async with opened(tmp_path, clock=clock) as engine, asked(engine) as ask:
        assert "index" not in (await told(ask))[1]
