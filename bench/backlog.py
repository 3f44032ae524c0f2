"""backlog: how much memory ten thousand memories take that wait to be derived, beyond what they take anyhow.

Two processes keep the same memories: one does not derive at all, in the other eight derivations are under way with a
model that hangs and everything else waits. What waits should wait in the database.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import subprocess
import sys
from pathlib import Path

import mindlog
from filled import Filled
from material import load_material
from mindlog.testing.llm_answers import hang
from mindlog.testing.llm_server import FakeLLM
from report import Row, Run, main

MOST = 20.0  # MiB
SETTLE_SECONDS = 600.0
LLM_SECONDS = 3600.0


async def measure(run: Run) -> list[Row]:
    count, rounds = (2_000, 1) if run.small else (10_000, 3)
    grown: dict[str, list[float]] = {"off": [], "hold": []}
    for number in range(rounds):
        for mode, found in grown.items():
            found.append(await asyncio.to_thread(_in_a_process, mode, run.directory / f"{mode}-{number}", count))
    # The least of each: what a process takes for other reasons only adds.
    off, hold = (min(found) for found in grown.values())
    print(f"resident MiB more for {count:,} memories: {grown}")
    name = f"memory of {count:,} that wait to be derived, added"
    return [
        Row(name=f"memory of {count:,}, derivation off", value=off, unit="MiB"),
        Row(name=name, value=max(hold - off, 0.0), unit="MiB", most=MOST),
    ]


def _in_a_process(mode: str, directory: Path, count: int) -> float:
    command = [sys.executable, __file__, "--mode", mode, "--into", str(directory), "--count", str(count)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])["grown"]


async def _grown(mode: str, directory: Path, count: int) -> float:
    """MiB that keeping so many memories adds to this process, which keeps one before."""
    filled = Filled(await load_material(), count, cues=1)
    with FakeLLM(lambda _: hang()) as server:
        settings = {
            "llm": "openai",
            "llm_url": server.url,
            "llm_model": "fake-model",
            "llm_api_key": "any",
            "llm_timeout": LLM_SECONDS,
        }
        # Without the classifier: its own model is none of what waits.
        more = {"derive": False} if mode == "off" else {"classifier": False, **settings}
        async with mindlog.aopen(directory, embedder=filled.embedder, **more) as db:
            await filled.fill(db, 0, 100)
            if mode == "hold":
                assert await asyncio.to_thread(server.wait_for, 1, timeout=60.0)
            before = _resident()
            await filled.fill(db, 100, count)
            grown = _resident() - before
            pending = db.engine.store.stats().pending_derivations
            assert pending == count, f"{pending} wait"
            return grown


def _resident() -> float:
    gc.collect()
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    if "--mode" in sys.argv:
        parser = argparse.ArgumentParser()
        parser.add_argument("--mode")
        parser.add_argument("--into", type=Path)
        parser.add_argument("--count", type=int)
        options = parser.parse_args()
        print(json.dumps({"grown": asyncio.run(_grown(options.mode, options.into, options.count))}))
    else:
        main("backlog", measure)
