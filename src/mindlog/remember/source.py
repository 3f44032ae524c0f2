"""Reading a document without holding up the loop: short texts in a thread, everything else in a process of its own."""

from __future__ import annotations

import asyncio
import math
import sys
from contextlib import suppress

from mindlog.errors import DocumentUnreadable
from mindlog.remember.marks import ReadDocument
from mindlog.remember.readers import kind_of, read_document
from mindlog.remember.readers.document import check_size
from mindlog.remember.readers.wire import LONGEST_LINE, Errand, Reply

__all__ = ["MEMORY", "READER", "read_source"]

MEMORY = 2 << 30
"""Bytes of address space a reading process gets."""

# -P: what lies in the working directory is no module of ours.
READER: tuple[str, ...] = ("-P", "-m", "mindlog.remember.readers.child")
"""Arguments to the interpreter that start a reading process."""

# One search through a longer text would hold the interpreter, and with it the loop, for too long.
_SHORT = 1 << 20
_PIECE = 256 << 10
_LONGEST_COMPLAINT = 16 << 10


async def read_source(
    data: bytes,
    name: str | None = None,
    content_type: str | None = None,
    *,
    limit: int = 64 << 20,
    seconds: float = 60.0,
    memory: int = MEMORY,
) -> ReadDocument:
    """Read a document: its text and the marks of its structure.

    limit: most bytes of the document and most characters of its text. seconds, memory: what a process that reads it may
    take; short texts need none and are not bounded by them. How many are read at once is the caller's to bound.

    Raises:
        DocumentUnreadable: it is empty, of no type that is read, damaged, encrypted, without text, or took too long or too
            much memory; the subclass or the message says which.
        DocumentTooLarge: it or its text is over the limit.
        MissingExtra: its kind needs a package that is not installed.
    """
    check_size(data, limit)
    kind = await asyncio.to_thread(kind_of, data, name, content_type)
    if kind in ("text", "markdown") and len(data) <= _SHORT:
        return await asyncio.to_thread(read_document, data, name, content_type, limit)
    errand = Errand(name, content_type, limit, math.ceil(seconds) + 1, memory)
    try:
        async with asyncio.timeout(seconds):
            return await _read_apart(errand, data)
    except TimeoutError as exc:
        raise DocumentUnreadable(
            f"document: reading it takes longer than {seconds:g} seconds", field="document"
        ) from exc


async def _read_apart(errand: Errand, data: bytes) -> ReadDocument:
    """Have a process read it; however this ends, the process has ended too."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *READER,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
    )
    try:
        _, reply, complaint = await asyncio.gather(_give(process, errand, data), _take(process), _listen(process))
        code = await process.wait()
    finally:
        await asyncio.shield(_end(process))
    if code != 0 or not reply.is_whole:
        raise DocumentUnreadable(f"document: {_ending(code, complaint)}", field="document")
    return reply.document()


async def _give(process: asyncio.subprocess.Process, errand: Errand, data: bytes) -> None:
    stdin = process.stdin
    assert stdin is not None
    try:
        stdin.write(errand.line())
        for at in range(0, len(data), _PIECE):
            stdin.write(data[at : at + _PIECE])
            await stdin.drain()
        stdin.close()
        await stdin.wait_closed()
    except (BrokenPipeError, ConnectionResetError):
        # It ended before it had all: how is told by its reply and its exit code.
        return


async def _take(process: asyncio.subprocess.Process) -> Reply:
    assert process.stdout is not None
    reply = Reply()
    async for line in process.stdout:
        reply.take(line)
    return reply


async def _listen(process: asyncio.subprocess.Process) -> str:
    """Return the end of what the process complains of, having read all of it."""
    assert process.stderr is not None
    kept = b""
    while piece := await process.stderr.read(_LONGEST_COMPLAINT):
        kept = (kept + piece)[-_LONGEST_COMPLAINT:]
    return kept.decode("utf-8", "replace")


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


def _ending(code: int, complaint: str) -> str:
    if code < 0:
        return f"the process that read it was killed (signal {-code})"
    last = next((line.strip() for line in reversed(complaint.splitlines()) if line.strip()), f"exit code {code}")
    return f"its reader failed: {last[:300]}"
