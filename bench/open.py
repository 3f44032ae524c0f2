"""open: how long until the first recall, how much memory an engine takes, and what importing and `--help` cost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from filled import make_store
from floor import process_seconds
from material import load_material
from report import Row, Run, main

# In a process of its own: imports first, then the clock; memory is read when nothing is left to be done.
CHILD = """
import asyncio, json, sys, time
import mindlog, mindlog.embedded
from mindlog.errors import DatasetNotFound

def resident(kind):
    for line in open("/proc/self/status"):
        if line.startswith(kind):
            return int(line.split()[1]) / 1024
    return 0.0

async def settled(inner):
    assert await asyncio.to_thread(inner.engine.indexes.settle, 600)

start = time.perf_counter()
db = mindlog.open(sys.argv[1])
opened = time.perf_counter() - start
try:
    hits = len(db.recall(sys.argv[2]).hits)
except DatasetNotFound:
    db.encode(sys.argv[2])
    hits = len(db.recall(sys.argv[2]).hits)
first = time.perf_counter() - start
db._thread.call(settled)
for n in range(20):
    db.recall(f"{sys.argv[2]} {n}")
print(json.dumps({"opened": opened, "first": first, "hits": hits, "rss": resident("VmRSS"), "anon": resident("RssAnon")}))
db.close()
"""
CUE = "Who repaired the old bicycle in Lisbon?"


async def measure(run: Run) -> list[Row]:
    count = 5_000 if run.small else 100_000
    await make_store(await load_material(), run.directory / "large", count)
    idle, large = _child(run.directory / "idle"), _child(run.directory / "large")
    assert large["hits"] > 0
    nothing = process_seconds("-c", "pass")
    imported = min(_import_seconds() for _ in range(5))
    helped = process_seconds("-m", "mindlog.cli", "--help")
    return [
        Row(name=f"open {count:,} memories to first recall", value=large["first"], unit="s", most=2.0),
        Row(name=f"open {count:,} memories", value=large["opened"], unit="s"),
        Row(name="open an empty store to first recall", value=idle["first"], unit="s"),
        Row(name="resident, idle engine", value=idle["rss"], unit="MiB", most=250.0),
        Row(name=f"resident, {count:,} memories", value=large["rss"], unit="MiB", most=600.0),
        Row(name=f"resident, {count:,} memories, without mapped files", value=large["anon"], unit="MiB"),
        Row(name="import mindlog", value=1000 * imported, unit="ms", most=300.0),
        Row(name="mindlog --help, whole process", value=1000 * helped, unit="ms", most=500.0),
        Row(name="an empty Python process", value=1000 * nothing, unit="ms"),
    ]


def _import_seconds() -> float:
    code = "import time; start = time.perf_counter(); import mindlog; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def _child(directory: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(directory), CUE], check=True, capture_output=True, text=True, timeout=900
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main("open", measure)
