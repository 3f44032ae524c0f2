"""What the machine can do at best: the floors every figure is divided by, measured in the same run on the same disk."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from mindlog.models.embedder import Embedder

ROW_BYTES = 2048  # a short text, its 384 float32 and its facts


class Fsync:
    """A bare append and fsync of one memory's bytes to a file of its own."""

    def __init__(self, directory: Path, size: int = ROW_BYTES) -> None:
        self._file = os.open(directory / "floor.bin", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._bytes = os.urandom(size)

    def once(self) -> float:
        """Seconds of one append and fsync."""
        start = time.perf_counter()
        os.write(self._file, self._bytes)
        os.fsync(self._file)
        return time.perf_counter() - start

    def close(self) -> None:
        os.close(self._file)


async def embedding_rate(embedder: Embedder, texts: Sequence[str]) -> float:
    """Texts a second of the embedder's own best batch: everything in one call."""
    start = time.perf_counter()
    await embedder.embed(texts)
    return len(texts) / (time.perf_counter() - start)


async def embedding_once(embedder: Embedder, text: str) -> float:
    """Seconds of one embedding alone."""
    start = time.perf_counter()
    await embedder.embed([text])
    return time.perf_counter() - start


def process_seconds(*command: str, times: int = 5) -> float:
    """Median seconds from start to end of a Python process."""
    return statistics.median(_run(command) for _ in range(times))


def _run(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def percentile(values: Sequence[float], percent: float) -> float:
    """Nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


async def in_turns(count: int, *parts: object) -> list[list[float]]:
    """Call every part `count` times, one after the other in each round, so that a noisy moment hits all of them.

    A part is a function of the round that returns seconds, or a coroutine function that does.
    """
    seconds: list[list[float]] = [[] for _ in parts]
    for number in range(count):
        for part, taken in zip(parts, seconds, strict=True):
            result = part(number)  # type: ignore[operator]
            taken.append(await result if asyncio.iscoroutine(result) else result)
    return seconds
