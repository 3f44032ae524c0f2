"""Segments survive whole or not at all: whatever is cut, flipped or killed, what is found is right."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mindlog.index.vector import VectorIndex
from tests.index.made import DIMENSIONS, clustered

COUNT = 300
VECTORS = clustered(np.random.default_rng(21), COUNT)
ROWS = np.arange(COUNT)


def rows_of(slots: NDArray[np.int64], versions: NDArray[np.uint32]) -> NDArray[np.int64]:
    return slots.copy()


def reopened(directory: Path, **facts: object) -> VectorIndex:
    index = VectorIndex.open(directory, **{"dimensions": DIMENSIONS, "model": "m", **facts})
    index.attach(rows_of)
    return index


def add(index: VectorIndex, start: int, end: int) -> None:
    rows = np.arange(start, end)
    index.add(rows, rows, np.ones(len(rows), np.uint32), [VECTORS[row][None] for row in rows])


def feed(index: VectorIndex) -> None:
    missing = ROWS[~index.covered(ROWS)]
    index.load(missing, missing, np.ones(len(missing), np.uint32), [VECTORS[row][None] for row in missing])


def is_right(index: VectorIndex) -> bool:
    """Whether every row that is covered has its own vector, and a search finds each of them first."""
    covered = index.covered(ROWS)
    found = [index.search(VECTORS[row], np.ones(COUNT, np.bool_), 1).rows for row in ROWS[covered][::7]]
    return [rows.tolist() for rows in found] == [[row] for row in ROWS[covered][::7]] and bool(
        all(abs(index.scores(VECTORS[row], np.array([row]))[0] - 1) < 1e-5 for row in ROWS[covered])
    )


@pytest.fixture
def two_segments(tmp_path: Path) -> Path:
    """Rows 0-199 in one segment, 200-219 in another."""
    index = reopened(tmp_path / "v")
    add(index, 0, 200)
    index.fold(7)
    add(index, 200, 220)
    index.fold(9)
    index.close()
    assert len(list((tmp_path / "v").iterdir())) == 2
    return tmp_path / "v"


def test_a_reopened_index_has_what_was_folded(two_segments: Path) -> None:
    index = reopened(two_segments)
    assert index.covered(ROWS).tolist() == [row < 220 for row in ROWS]
    assert is_right(index)
    state = index.state()
    assert (state.state, state.rows, state.tail, state.checkpoint_lsn, state.detail) == ("ready", 220, 0, 7, None)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0" * 64)


def make_a_directory_of(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [flip, cut, empty, grow, Path.unlink, make_a_directory_of])
@pytest.mark.parametrize("file", ["manifest.json", "slots", "versions", "starts", "bits", "codes", "scales", "floats"])
def test_a_damaged_segment_is_dropped_and_the_others_are_kept(
    two_segments: Path, file: str, damage: Callable[[Path], None]
) -> None:
    first = min(two_segments.iterdir())
    damage(first / file)
    index = reopened(two_segments)
    assert index.covered(ROWS).tolist() == [200 <= row < 220 for row in ROWS]
    assert first.name in (index.state().detail or "")
    assert not first.exists()
    feed(index)
    index.fold(10)
    assert is_right(reopened(two_segments))
    assert reopened(two_segments).covered(ROWS).all()


@pytest.mark.parametrize("facts", [{"dimensions": 16}, {"model": "another"}])
def test_vectors_of_another_model_are_not_taken_for_this_ones(two_segments: Path, facts: dict[str, object]) -> None:
    index = reopened(two_segments, **facts)
    assert index.known()[0].tolist() == []
    assert next(iter(facts)) in (index.state().detail or "")


def test_what_is_not_a_segment_is_cleared_away(two_segments: Path) -> None:
    (two_segments / "segment-00000009.tmp").mkdir()
    (two_segments / "segment-00000009.tmp" / "floats").write_bytes(b"half")
    (two_segments / "notes.txt").write_text("?")
    index = reopened(two_segments)
    assert sorted(path.name for path in two_segments.iterdir()) == ["segment-00000001", "segment-00000002"]
    assert is_right(index)


def images_of(directory: Path, monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> list[Path]:
    """Return copies of the directory as it was at every sync and rename of the work: what a kill there leaves."""
    images: list[Path] = []

    def after(call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*arguments: object, **named: object) -> object:
            images.append(directory.parent / f"image-{len(images)}")
            shutil.copytree(directory, images[-1])
            return call(*arguments, **named)

        return wrapped

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", after(os.fsync))
        patch.setattr(Path, "rename", after(Path.rename))
        patch.setattr(Path, "replace", after(Path.replace))
        patch.setattr(shutil, "rmtree", after(shutil.rmtree))
        work()
    return images


def test_a_kill_at_any_point_of_a_fold_loses_nothing_that_was_folded_before(
    two_segments: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = reopened(two_segments)
    add(index, 220, COUNT)
    images = images_of(two_segments, monkeypatch, lambda: index.fold(11))
    assert len(images) > 10
    complete = 0
    for image in images:
        again = reopened(image)
        covered = again.covered(ROWS)
        assert covered[:220].all()
        assert is_right(again)
        complete += bool(covered.all())
        assert len(again.known()[0]) == np.count_nonzero(covered)  # nothing twice
        feed(again)
        assert is_right(again)
    assert 0 < complete < len(images)


_CHILD = """
import sys
from pathlib import Path
import numpy as np
from tests.index.test_vector_segments import COUNT, add, reopened
index = reopened(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    start = int(np.count_nonzero(index.covered(np.arange(COUNT))))
    if start < COUNT:
        add(index, start, min(COUNT, start + 3))
    else:
        index = reopened(Path(sys.argv[1]))
        index.attach(lambda slots, versions: np.full(len(slots), -1))
        index.fold(1)
        index = reopened(Path(sys.argv[1]))
    index.fold(start)
"""


def wait_for_changes(directory: Path, count: int) -> None:
    """Wait until the names in the directory changed so often: a moment in the midst of the saving."""
    seen: list[str] = []
    for _ in range(500_000):
        names = sorted(os.listdir(directory))
        count -= names != seen
        seen = names
        if count <= 0:
            return


def test_processes_killed_while_they_save_leave_an_index_that_opens_and_is_right(tmp_path: Path) -> None:
    rng = np.random.default_rng(22)
    root = Path(__file__).parents[2]
    for _ in range(6):
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(tmp_path / "v")], cwd=root, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        wait_for_changes(tmp_path / "v", int(rng.integers(1, 40)))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        index = reopened(tmp_path / "v")
        assert is_right(index)
        index.close()


def test_superseded_revisions_leave_at_the_next_fold(tmp_path: Path) -> None:
    index = reopened(tmp_path)
    add(index, 0, 100)
    index.fold(1)
    index.attach(lambda slots, versions: np.where(slots % 2 == 0, slots, -1))
    add(index, 100, 101)
    index.fold(2)
    assert sorted(index.known()[0].tolist()) == list(range(0, 101, 2))
    assert len(list(tmp_path.iterdir())) == 1


def test_an_index_of_which_nothing_is_current_keeps_no_segment(tmp_path: Path) -> None:
    index = reopened(tmp_path)
    add(index, 0, 10)
    index.fold(1)
    index.attach(lambda slots, versions: np.full(len(slots), -1))
    assert index.fold(2)
    assert list(tmp_path.iterdir()) == []
    assert not index.fold(3)


def test_many_small_folds_leave_few_segments(tmp_path: Path) -> None:
    index = reopened(tmp_path)
    for start in range(0, COUNT, 15):
        add(index, start, start + 15)
        index.fold(start)
        assert len(list(tmp_path.iterdir())) <= 6
    assert is_right(index)
    index.close()
    again = reopened(tmp_path)
    assert again.covered(ROWS).all()
    assert is_right(again)


def test_a_fold_that_cannot_write_leaves_everything_searchable_and_the_next_one_succeeds(
    two_segments: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = reopened(two_segments)
    add(index, 220, COUNT)

    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        with pytest.raises(OSError, match="No space"):
            index.fold(11)
    assert not list(two_segments.glob("*.tmp"))
    assert index.covered(ROWS).all()
    assert is_right(index)
    assert index.fold(12)
    assert is_right(reopened(two_segments))
    assert reopened(two_segments).covered(ROWS).all()


def test_several_windows_a_memory_survive_folding_and_merging(tmp_path: Path) -> None:
    index = reopened(tmp_path)
    for number, lengths in enumerate(((1, 2, 3), (4,), (1, 1, 5))):
        rows = np.arange(len(lengths)) + 10 * number
        starts = np.cumsum((0, *lengths)) + 20 * number
        index.add(rows, rows, np.ones(len(rows), np.uint32), [VECTORS[a:b] for a, b in pairwise(starts.tolist())])
        index.fold(number)
    again = reopened(tmp_path)
    for position, row in ((0, 0), (1, 1), (2, 1), (5, 2), (23, 10), (40, 20), (46, 22)):
        found = again.search(VECTORS[position], np.ones(30, np.bool_), 1)
        assert found.rows.tolist() == [row]
    assert again.window_of(VECTORS[46], 22) == 4
