import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mindlog.index import lexical_segment
from mindlog.index.analyzer import analyze_query
from mindlog.index.lexical import LexicalDoc, LexicalIndex

TEXTS = [f"note {row} of the harbour, w{row}x" for row in range(40)]
FILES = (*lexical_segment._ARRAYS, lexical_segment._VOCABULARY, "manifest.json")

# A process that dies, as by `kill -9`, at the n-th sync or removal of its second checkpoint.
DYING = """
import os, shutil, signal, sys
from pathlib import Path
import numpy as np
from mindlog.index.lexical import LexicalDoc, LexicalIndex

index = LexicalIndex.open(Path(sys.argv[1]))
index.bind(np.empty(0, np.int64))
index.add([LexicalDoc(0, 0, 0, 1, "first boat")])
index.checkpoint(1)
index.add([LexicalDoc(1, 1, 0, 1, "second boat")])
calls = 0
def counted(real):
    def call(*args, **kwargs):
        global calls
        calls += 1
        if calls == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return call
os.fsync, shutil.rmtree, os.rename = counted(os.fsync), counted(shutil.rmtree), counted(os.rename)
index.checkpoint(2)
print("survived", calls)
"""


def filled(path: Path) -> LexicalIndex:
    index = LexicalIndex.open(path)
    index.bind(np.empty(0, np.int64))
    index.add([LexicalDoc(row, 100 + row, row % 3, 1 + row % 2, text) for row, text in enumerate(TEXTS)])
    return index


def segment_of(path: Path) -> Path:
    (segment,) = path.iterdir()
    return segment


def found(index: LexicalIndex, cue: str, dataset: int = 1) -> list[int]:
    return index.search(analyze_query(cue), dataset=dataset, k=100).rows.tolist()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    index = filled(tmp_path)
    index.checkpoint(40)
    index.close()
    return tmp_path


def test_a_checkpoint_brings_back_every_revision_at_its_new_row(saved: Path) -> None:
    index = LexicalIndex.open(saved)
    slots, versions = index.known()
    assert dict(zip(slots.tolist(), versions.tolist(), strict=True)) == {100 + row: row % 3 for row in range(40)}
    rows = 139 - slots  # as another catalog might number them
    rows[slots == 104] = -1
    index.bind(rows)
    assert found(index, "w5x", dataset=2) == [34]
    assert found(index, "w4x", dataset=1) == []
    assert sorted(found(index, "harbour") + found(index, "harbour", 2)) == [row for row in range(40) if row != 35]
    state = index.state()
    assert (state.state, state.rows, state.tail, state.checkpoint_lsn) == ("ready", 39, 0, 40)
    index.close()


def test_a_checkpoint_counts_what_it_left_to_the_next(tmp_path: Path) -> None:
    index = filled(tmp_path)
    assert (index.state().tail, index.state().checkpoint_lsn) == (40, 0)
    assert index.checkpoint(40) == 40
    index.add([LexicalDoc(50, 150, 0, 1, "one more")])
    assert (index.state().tail, index.state().checkpoint_lsn) == (1, 40)
    index.close()


def test_words_that_only_removed_texts_held_are_in_no_file(tmp_path: Path) -> None:
    index = filled(tmp_path)
    index.add([LexicalDoc(90, 190, 0, 1, "the hunter2 password")])
    index.checkpoint(41)
    assert b"hunter2" in (segment_of(tmp_path) / "vocabulary").read_bytes()
    index.remove(1, [90])
    index.checkpoint(42)
    assert not any(b"hunter2" in path.read_bytes() for path in segment_of(tmp_path).iterdir())
    index.close()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["flip", "truncate", "grow", "delete"])
def test_a_damaged_segment_is_refused_with_a_reason_and_rebuilt(saved: Path, name: str, damage: str) -> None:
    path = segment_of(saved) / name
    data = bytearray(path.read_bytes())
    match damage:
        case "flip":
            data[len(data) // 2] ^= 0x10
        case "truncate":
            del data[-1:]
        case "grow":
            data += b"\0"
    path.unlink()
    if damage != "delete":
        path.write_bytes(data)
    index = LexicalIndex.open(saved)
    assert index.known()[0].size == 0
    assert name in (index.state().detail or "")
    index.bind(np.empty(0, np.int64))
    assert found(index, "harbour") == []
    index.add([LexicalDoc(row, 100 + row, row % 3, 1, text) for row, text in enumerate(TEXTS)])
    assert found(index, "w7x") == [7]
    index.checkpoint(41)
    index.close()
    again = LexicalIndex.open(saved)
    assert again.known()[0].size == 40
    assert again.state().detail is None
    again.close()


def test_a_segment_of_another_analyzer_is_rebuilt(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical_segment, "ANALYZER_VERSION", 999)
    index = LexicalIndex.open(saved)
    assert index.known()[0].size == 0
    assert "analyzer" in (index.state().detail or "")
    index.close()


def test_if_the_newest_segment_is_damaged_an_older_one_serves(saved: Path) -> None:
    old = segment_of(saved)
    new = saved / "segment-00000009"
    shutil.copytree(old, new)
    (new / "docs").write_bytes(b"")
    index = LexicalIndex.open(saved)
    assert index.known()[0].size == 40
    index.close()
    assert segment_of(saved) == old


def test_strange_and_half_written_things_in_the_directory_are_cleared_away(saved: Path) -> None:
    shutil.copytree(segment_of(saved), saved / "segment-00000002.tmp")
    (saved / "segment-00000003").write_text("a file, not a directory")
    (saved / "notes.txt").write_text("?")
    index = LexicalIndex.open(saved)
    assert index.known()[0].size == 40
    index.bind(np.arange(40))
    index.checkpoint(40)
    index.close()
    assert [path.name for path in saved.iterdir()] == ["segment-00000004"]


def test_a_failed_checkpoint_leaves_the_last_one(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = LexicalIndex.open(saved)
    index.bind(np.arange(40))
    index.add([LexicalDoc(40, 140, 0, 1, "one more boat")])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(lexical_segment, "write_manifest", full)
        with pytest.raises(OSError, match="No space"):
            index.checkpoint(41)
    assert (index.state().tail, index.state().checkpoint_lsn) == (1, 40)
    assert found(index, "boat") == [40]
    assert index.checkpoint(41) == 41
    index.close()
    again = LexicalIndex.open(saved)
    assert again.known()[0].size == 41
    again.close()


@pytest.mark.parametrize("call", [1, 2, 6, 11, 12, 13, 14, 15, 16])
def test_a_kill_during_a_checkpoint_leaves_the_old_or_the_new_segment(tmp_path: Path, call: int) -> None:
    run = subprocess.run(
        [sys.executable, "-c", DYING, str(tmp_path), str(call)], capture_output=True, text=True, timeout=60
    )
    survived = run.stdout.startswith("survived")
    assert survived or run.returncode == -signal.SIGKILL, run.stderr
    index = LexicalIndex.open(tmp_path)
    slots, _ = index.known()
    assert slots.tolist() in ([0], [0, 1])
    assert not survived or slots.tolist() == [0, 1]
    index.bind(slots)
    assert found(index, "boat") == slots.tolist()
    assert index.state().detail is None
    index.close()
