"""Writes from 16 tasks until it is killed; says on standard output what was acknowledged.

Every memory's text holds its own checksum, so a half-written one would show. One in five writes is retried with its
request id, one in seven repeats an earlier text.
"""

from __future__ import annotations

import asyncio
import os
import sys
from hashlib import sha256
from pathlib import Path

from mindlog.engine import Engine
from mindlog.records import EncodeRequest
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder

WRITERS = 16


def text_of(loop: int, writer: int, number: int) -> str:
    body = f"loop {loop} writer {writer} number {number} " + "tide " * (number * 7 % 90)
    return f"{body}#{sha256(body.encode()).hexdigest()[:16]}"


def is_whole(text: str) -> bool:
    body, _, checksum = text.rpartition("#")
    return sha256(body.encode()).hexdigest()[:16] == checksum


def report(kind: str, request_id: str, memory_id: str) -> None:
    # One write call a line: lines of several tasks and a kill in the middle cannot mix.
    os.write(1, f"{kind} {request_id} {memory_id}\n".encode())


def request_of(loop: int, writer: int, number: int) -> EncodeRequest:
    source = number - 1 if number % 7 == 6 else number
    return EncodeRequest(
        text=text_of(loop, writer, source),
        dataset="crash",
        session=f"writer-{writer}",
        request_id=f"{loop}-{writer}-{number}",
        metadata={"loop": loop},
    )


async def write(engine: Engine, loop: int, writer: int) -> None:
    for number in range(1_000_000):
        request = request_of(loop, writer, number)
        for _ in range(2 if number % 5 == 0 else 1):
            result = await engine.encode(request)
            report("ack", request.request_id or "", result.memory_id)


async def main(directory: str, loop: int) -> None:
    report("begin", "-", "-")
    settings = Settings(data=Path(directory), checkpoint_rows=300)
    engine = await Engine.open(settings, embedder=HashEmbedder())
    report("open", "-", "-")
    async with asyncio.TaskGroup() as tasks:
        for writer in range(WRITERS):
            tasks.create_task(write(engine, loop, writer))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
