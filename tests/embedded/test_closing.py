"""How an embedded engine ends: closed, closed under work, dropped, or left to the end of the process."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import mindlog
from mindlog.errors import Closed, ModelMismatch
from mindlog.models.embedder import EmbedKind, TextEmbedding
from mindlog.testing.fakes import HashEmbedder

BOUND = 30


class Gate(HashEmbedder):
    """Embeds when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.started = threading.Event()
        self.go = threading.Event()

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        self.started.set()
        await asyncio.to_thread(self.go.wait, BOUND)
        return await super().embed(texts, kind)


def engine_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "mindlog"]


def wait_until_closing(db: mindlog.Mindlog) -> None:
    for _ in range(100_000):
        try:
            db.datasets()
        except Closed:
            return
    pytest.fail("close was never begun")


def test_after_close_every_verb_says_closed_and_closing_again_does_nothing(tmp_path: Path) -> None:
    db = mindlog.open(tmp_path, embedder=HashEmbedder())
    db.encode("text")
    db.close()
    db.close()
    for call in (lambda: db.encode("x"), lambda: db.recall("x"), db.health, db.datasets):
        with pytest.raises(Closed):
            call()
    with mindlog.open(tmp_path, embedder=HashEmbedder()) as again:
        assert [memory.text for memory in again.iterate()] == ["text"]


def test_close_lets_the_write_under_way_finish(tmp_path: Path) -> None:
    gate = Gate()
    db = mindlog.open(tmp_path, embedder=gate)
    with ThreadPoolExecutor(2) as threads:
        writing = threads.submit(db.encode, "under way")
        assert gate.started.wait(BOUND)
        closing = threads.submit(db.close)
        wait_until_closing(db)
        assert not closing.done()
        gate.go.set()
        kept = writing.result(BOUND)
        closing.result(BOUND)
    with mindlog.open(tmp_path, embedder=HashEmbedder()) as again:
        assert again.get(kept.memory_id).text == "under way"


def test_a_call_that_does_not_end_is_cut_off_and_told_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindlog.loopthread.DRAIN_SECONDS", 0.01)
    gate = Gate()
    db = mindlog.open(tmp_path, embedder=gate)
    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(db.encode, "never embedded")
        assert gate.started.wait(BOUND)
        threading.Thread(target=db.close).start()
        with pytest.raises(Closed):
            writing.result(BOUND)
        gate.go.set()
    db.close()


def test_an_engine_that_fails_to_open_leaves_no_thread(tmp_path: Path) -> None:
    mindlog.open(tmp_path, embedder=HashEmbedder()).close()
    before = len(engine_threads())
    with pytest.raises(ModelMismatch):
        mindlog.open(tmp_path, embedder=HashEmbedder(dimensions=32))
    for thread in engine_threads()[before:]:
        thread.join(BOUND)
    assert len(engine_threads()) == before


def test_a_dropped_engine_warns_and_lets_go_of_its_directory(tmp_path: Path) -> None:
    before = set(engine_threads())
    db = mindlog.open(tmp_path, embedder=HashEmbedder())
    (thread,) = set(engine_threads()) - before
    dropped = [db]
    del db
    with pytest.warns(ResourceWarning, match="not closed"):
        dropped.clear()
    thread.join(BOUND)
    assert not thread.is_alive()
    mindlog.open(tmp_path, embedder=HashEmbedder()).close()


def run(code: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "always::ResourceWarning", "-c", code, str(directory)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


PRELUDE = """
import sys, mindlog
from mindlog.testing.fakes import HashEmbedder
db = mindlog.open(sys.argv[1], embedder=HashEmbedder())
db.encode("left open")
"""


@pytest.mark.parametrize(
    "end", ["", "import threading; threading.Thread(target=db.encode, args=('from a thread',)).start()", "sys.exit(0)"]
)
def test_a_process_that_ends_with_an_open_engine_warns_and_ends_cleanly(tmp_path: Path, end: str) -> None:
    done = run(PRELUDE + end, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "still open at exit" in done.stderr
    assert "Traceback" not in done.stderr
    with mindlog.open(tmp_path, embedder=HashEmbedder()) as db:
        assert "left open" in [memory.text for memory in db.iterate()]


def test_an_uncaught_error_is_what_the_process_ends_with(tmp_path: Path) -> None:
    done = run(PRELUDE + "raise SystemError('mine')", tmp_path)
    assert done.returncode == 1
    assert "SystemError: mine" in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_is_refused_instead_of_waiting_for_ever(tmp_path: Path) -> None:
    code = PRELUDE + (
        "import os\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n"
        "        db.encode('in the child')\n"
        "    except mindlog.MindlogError as exc:\n"
        "        print(exc.code, flush=True)\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(db.encode('in the parent').lsn > 0)\n"
        "db.close()\n"
    )
    done = run(code, tmp_path)
    assert done.stdout.split() == ["closed", "True"], done.stderr


def test_another_process_is_refused_while_the_directory_is_open(tmp_path: Path) -> None:
    with mindlog.open(tmp_path, embedder=HashEmbedder()):
        done = run(PRELUDE, tmp_path)
    assert done.returncode == 1
    assert f"is open in process {os.getpid()}" in done.stderr
