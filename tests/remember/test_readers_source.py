"""Documents are read apart from the engine: in a process that may be slow, greedy or crash without harm."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path

import pytest

from mindlog.errors import DocumentEmpty, DocumentTooLarge, DocumentTypeUnknown, DocumentUnreadable, MissingExtra
from mindlog.remember import source
from mindlog.remember.readers import read_document
from mindlog.remember.source import read_source
from tests.remember.papers import body, pdf, word

LIMIT = 1 << 22


def samples() -> list[bytes]:
    long = [body(*[f"Sentence {n} on page {p} is here: ü." for n in range(50)], top=800) for p in range(60)]
    return [
        pdf(*long, title="Long"),
        word(lambda document: [document.add_paragraph(f"Absatz {n} über Öl.") for n in range(300)]),
        ("<h1>Ü</h1>" + "".join(f"<p>Абзац {n} 日本 \U0001f600</p>" for n in range(5000))).encode(),
        "# Title\n\ntext über Öl\n".encode() * 1000,
        "# Title\r\n\r\ntext \u2028 über Öl\n\n".encode() * 60_000,
    ]


@pytest.mark.parametrize("which", range(5))
async def test_what_comes_back_from_the_process_is_what_reading_here_gives(which: int) -> None:
    data = samples()[which]
    name = ["a.pdf", "a.docx", "a.html", "a.md", "b.md"][which]
    assert await read_source(data, name, limit=LIMIT) == read_document(data, name, None, LIMIT)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (pdf([]), DocumentUnreadable),
        (b"<!doctype html><body>", DocumentEmpty),
        (b"\x89PNG\r\n\x1a\n", DocumentTypeUnknown),
        (b"", DocumentEmpty),
        (b"x" * 5000, DocumentTooLarge),
        (b"<!doctype html><table><td colspan=100>" + b"<td colspan=100>x" * 40, DocumentTooLarge),
    ],
)
async def test_errors_cross_the_process_as_they_are(data: bytes, kind: type[DocumentUnreadable]) -> None:
    with pytest.raises(kind) as caught:
        await read_source(data, limit=4000)
    assert type(caught.value) is kind
    assert caught.value.field == "document"


async def test_a_file_in_the_working_directory_is_no_part_of_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert (await read_source(b"<!doctype html><p>text", limit=LIMIT)).text == "text"


async def test_a_document_that_takes_too_long_is_refused_with_the_limit() -> None:
    with pytest.raises(DocumentUnreadable, match=r"longer than 0\.01 seconds"):
        await read_source(samples()[0], limit=LIMIT, seconds=0.01)


async def test_a_document_that_takes_too_much_memory_is_refused() -> None:
    page = b"<!doctype html>" + b"<p>a<b>b</b>" * 300_000
    with pytest.raises(DocumentUnreadable):
        await read_source(page, limit=1 << 24, memory=128 << 20)
    assert (await read_source(page[:100_000], limit=1 << 24, memory=1 << 30)).kind == "html"


def reader(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(source, "READER", ("-c", code))


async def test_a_reader_that_is_killed_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    reader(monkeypatch, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(DocumentUnreadable, match=r"killed \(signal 9\)"):
        await read_source(samples()[2], "a.html", limit=LIMIT)


async def test_a_reader_that_crashes_is_told_of_by_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    reader(monkeypatch, "import sys; sys.stderr.write('x' * 1_000_000); raise LookupError('no such glyph')")
    with pytest.raises(DocumentUnreadable, match="its reader failed: LookupError: no such glyph"):
        await read_source(samples()[2], "a.html", limit=LIMIT)


async def test_a_reply_that_breaks_off_is_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    reader(monkeypatch, """print('{"title": null, "kind": "pdf", "pages": 1}')\nprint('{"text": "half"}')""")
    with pytest.raises(DocumentUnreadable, match="its reader failed"):
        await read_source(samples()[0], limit=LIMIT)


async def test_a_package_that_is_missing_in_the_process_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; sys.modules['pypdf'] = None; from mindlog.remember.readers.child import main; main()"
    reader(monkeypatch, code)
    with pytest.raises(MissingExtra, match=r"mindlog\[documents\]"):
        await read_source(samples()[0], limit=LIMIT)


async def test_the_process_ends_with_the_call_that_was_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def met(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        started.set_result(None)
        with contextlib.suppress(ConnectionError):
            await incoming.read()
        outgoing.close()
        ended.set_result(None)

    server = await asyncio.start_server(met, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reader(
        monkeypatch,
        f"import socket, threading; s = socket.create_connection(('127.0.0.1', {port})); threading.Event().wait()",
    )
    reading = asyncio.create_task(read_source(samples()[0], limit=LIMIT))
    async with server, asyncio.timeout(30):
        await started
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await ended


async def test_the_loop_goes_on_while_a_document_is_read() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await read_source(samples()[0], limit=LIMIT)
    counting.cancel()
    assert turns > 1000


async def test_no_descriptor_is_left_open() -> None:
    await read_source(samples()[2], "a.html", limit=LIMIT)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        await read_source(samples()[2], "a.html", limit=LIMIT)
    assert len(os.listdir("/proc/self/fd")) == before
