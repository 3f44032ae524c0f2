"""subscribe: whether fifty subscribers over HTTP see two thousand events a second, and what that costs the writers.

One writer keeps batches at a fixed pace, by turns with nobody listening and with everybody; the subscribers are sockets of
other processes, so that none of their work is the server's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import selectors
import socket
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import mean

import mindlog
from floor import percentile
from material import Material, load_material
from mindlog.api import create_app
from mindlog.api.server import HttpServer, bind
from report import Row, Run, main

SUBSCRIBERS = 50
PROCESSES = 2
RATE = 2_000  # memories, and so events, a second
BATCH = 50
LEAST = 0.99
MOST = 1.1
EVENT = b"event: memory_encoded"
CONNECTED = b": connected"
WAIT_SECONDS = 60.0


async def measure(run: Run) -> list[Row]:
    blocks, seconds = (2, 1.0) if run.small else (10, 4.0)
    material = await load_material()
    async with mindlog.aopen(run.directory / "data", derive=False) as db, _serving(db) as port:
        crowd = [await Listeners.start(port, SUBSCRIBERS // PROCESSES) for _ in range(PROCESSES)]
        writer = Writer(db, material, int((1 + 2 * blocks) * seconds * RATE))
        await writer.write(seconds)  # to warm up
        alone, listened, seen = Block(), Block(), list[float]()
        try:
            for _ in range(blocks):
                alone.add(await writer.write(seconds))
                seen.append(await _heard(crowd, writer, seconds, listened))
        finally:
            for each in crowd:
                await each.end()
    return _rows(alone, listened, seen)


def _rows(alone: Block, listened: Block, seen: list[float]) -> list[Row]:
    offered = listened.written / listened.seconds
    slowest = f"events a second, the slowest of {SUBSCRIBERS} subscribers"
    rows = [
        Row(
            name=slowest, value=mean(seen), unit="/s", floor=offered, floor_is="as written", least=LEAST, by_ratio=True
        ),
        Row(name="written while they listen", value=offered, unit="/s", least=LEAST * RATE),
    ]
    for name, most, of in (("mean", MOST, mean), ("p99", None, _p99)):
        value, floor = (1000 * of(each.acks) for each in (listened, alone))
        title = f"ack of {BATCH} while they listen, {name}"
        rows.append(
            Row(name=title, value=value, unit="ms", floor=floor, floor_is="nobody listens", most=most, by_ratio=True)
        )
    return rows


def _p99(acks: list[float]) -> float:
    return percentile(acks, 99)


async def _heard(crowd: list[Listeners], writer: Writer, seconds: float, into: Block) -> float:
    """Events a second that the slowest subscriber saw, from the first write to its last event."""
    await _all(crowd, "join")
    expected = writer.due(seconds)
    start = time.perf_counter()
    done, counts = await asyncio.gather(writer.write(seconds), _all(crowd, f"until {expected}"))
    took = time.perf_counter() - start
    into.add(done)
    await _all(crowd, "leave")
    heard = [number for count in counts for number in json.loads(count)]
    assert set(heard) == {expected}, heard
    return expected / took


async def _all(crowd: list[Listeners], line: str) -> list[str]:
    return await asyncio.gather(*(each.ask(line) for each in crowd))


@dataclass
class Block:
    """Writes at a pace: how many, in which time, and the seconds of each ack."""

    written: int = 0
    seconds: float = 0.0
    acks: list[float] = field(default_factory=list[float])

    def add(self, other: Block) -> None:
        self.written += other.written
        self.seconds += other.seconds
        self.acks += other.acks


class Writer:
    """Keeps batches of memories with given vectors, one after the other, each when its time has come."""

    def __init__(self, db: mindlog.AsyncMindlog, material: Material, count: int) -> None:
        self._db, self._fingerprint = db, material.fingerprint
        self._vectors = material.vectors(min(count, 10_000))
        self._written = 0

    def due(self, seconds: float) -> int:
        """How many memories are kept in so many seconds."""
        return BATCH * int(seconds * RATE / BATCH)

    async def write(self, seconds: float) -> Block:
        """Keep up the pace for so long."""
        block, start = Block(), time.perf_counter()
        for number in range(self.due(seconds) // BATCH):
            await asyncio.sleep(max(start + number * BATCH / RATE - time.perf_counter(), 0))
            began = time.perf_counter()
            await self._batch()
            block.acks.append(time.perf_counter() - began)
        block.written, block.seconds = BATCH * len(block.acks), max(time.perf_counter() - start, seconds)
        return block

    async def _batch(self) -> None:
        at, self._written = self._written, self._written + BATCH
        vectors = self._vectors
        await asyncio.gather(
            *(
                self._db.encode_vector(f"memory {n} of many", vectors[n % len(vectors)], self._fingerprint)
                for n in range(at, at + BATCH)
            )
        )


@asynccontextmanager
async def _serving(db: mindlog.AsyncMindlog) -> AsyncGenerator[int]:
    """The port of a server for the same engine, on this loop."""
    started = asyncio.Event()
    server = HttpServer(create_app(db.engine))
    with bind("127.0.0.1", 0) as sock:
        running = asyncio.create_task(server.listen(sock, started.set))
        await started.wait()
        try:
            yield sock.getsockname()[1]
        finally:
            server.should_exit = True
            await running


# -- the other side ------------------------------------------------------------------------------------------------------
class Listeners:
    """A process with some subscribers, told what to do by lines."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, port: int, count: int) -> Listeners:
        command = [sys.executable, __file__, "--port", str(port), "--count", str(count)]
        pipe = asyncio.subprocess.PIPE
        return cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe))

    async def ask(self, line: str) -> str:
        """Say a line and return the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n".encode())
        async with asyncio.timeout(WAIT_SECONDS):
            return (await self._process.stdout.readline()).decode()

    async def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.wait()


class Ears:
    """The sockets of such a process. They count events and do nothing else with them: parsing is not what is measured."""

    def __init__(self, port: int, count: int) -> None:
        self._port, self._count = port, count
        self._selector = selectors.DefaultSelector()
        self._sockets: list[socket.socket] = []
        self._heard: dict[int, int] = {}
        self._ends: dict[int, bytes] = {}

    def obey(self) -> None:
        for line in sys.stdin:
            word, _, number = line.strip().partition(" ")
            answer = {"join": self._join, "leave": self._leave}[word]() if not number else self._until(int(number))
            print(json.dumps(answer), flush=True)

    def _join(self) -> str:
        for _ in range(self._count):
            each = socket.create_connection(("127.0.0.1", self._port))
            each.sendall(b"GET /v1/subscribe HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
            head = b""
            while CONNECTED not in head:
                head += each.recv(65536)
            self._sockets.append(each)
            self._selector.register(each, selectors.EVENT_READ)
            self._heard[each.fileno()], self._ends[each.fileno()] = 0, b""
        return "joined"

    def _leave(self) -> str:
        for each in self._sockets:
            self._selector.unregister(each)
            each.close()
        self._sockets.clear()
        self._heard.clear()
        self._ends.clear()
        return "left"

    def _until(self, number: int) -> list[int]:
        """Listen until everybody has heard so many events, or too long; returns how many each has heard."""
        end = time.monotonic() + WAIT_SECONDS / 2
        while min(self._heard.values()) < number and time.monotonic() < end:
            for key, _ in self._selector.select(1.0):
                self._take(key.fd, key.fileobj)  # pyright: ignore[reportArgumentType]
        return list(self._heard.values())

    def _take(self, number: int, sock: socket.socket) -> None:
        content = self._ends[number] + sock.recv(1 << 18)
        self._heard[number] += content.count(EVENT)
        # Not more than a whole one, so that none is counted twice.
        self._ends[number] = content[-(len(EVENT) - 1) :]


if __name__ == "__main__":
    if "--port" in sys.argv:
        parser = argparse.ArgumentParser()
        parser.add_argument("--port", type=int)
        parser.add_argument("--count", type=int)
        options = parser.parse_args()
        Ears(options.port, options.count).obey()
    else:
        main("subscribe", measure)
