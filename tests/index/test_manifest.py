"""A checkpoint is believed only if its manifest fits it to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindlog.errors import IndexDamaged
from mindlog.index.manifest import MANIFEST, check_manifest, write_manifest

FILES = {"a.bin": b"first file", "b.bin": bytes(range(256)) * 20}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    write_manifest(tmp_path, {"lsn": 42, "note": "é"}, FILES)
    return tmp_path


def refused(directory: Path) -> str:
    with pytest.raises(IndexDamaged) as caught:
        check_manifest(directory)
    return caught.value.detail


def test_a_whole_checkpoint_gives_back_its_payload(checkpoint: Path) -> None:
    assert check_manifest(checkpoint) == {"lsn": 42, "note": "é"}


def test_a_file_that_is_not_vouched_for_is_of_no_concern(checkpoint: Path) -> None:
    (checkpoint / "other").write_text("anything")
    assert check_manifest(checkpoint)["lsn"] == 42


@pytest.mark.parametrize("name", [*FILES, MANIFEST])
def test_any_flipped_bit_is_refused(checkpoint: Path, name: str) -> None:
    whole = (checkpoint / name).read_bytes()
    for position in range(0, len(whole), max(1, len(whole) // 40)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << (position % 8)
        (checkpoint / name).write_bytes(damaged)
        if name == MANIFEST and json_equal(damaged, whole):
            continue
        assert name in refused(checkpoint)


def json_equal(damaged: bytes, whole: bytes) -> bool:
    try:
        return json.loads(damaged) == json.loads(whole)
    except ValueError:
        return False


@pytest.mark.parametrize("name", [*FILES, MANIFEST])
def test_any_truncation_and_any_growth_is_refused(checkpoint: Path, name: str) -> None:
    whole = (checkpoint / name).read_bytes()
    for size in (0, 1, len(whole) // 2, len(whole) - 1):
        (checkpoint / name).write_bytes(whole[:size])
        assert name in refused(checkpoint)
        assert name == MANIFEST or f"has {size} bytes, not {len(whole)}" in refused(checkpoint)
    (checkpoint / name).write_bytes(whole + b"x")
    assert name in refused(checkpoint)


@pytest.mark.parametrize("name", [*FILES, MANIFEST])
def test_a_missing_file_is_refused(checkpoint: Path, name: str) -> None:
    (checkpoint / name).unlink()
    assert name in refused(checkpoint)


@pytest.mark.parametrize("content", ["", "[]", "null", "{", '{"body": {}}', '{"body": [], "blake3": 1}', "[" * 100_000])
def test_what_is_no_manifest_is_refused(checkpoint: Path, content: str) -> None:
    (checkpoint / MANIFEST).write_text(content)
    assert MANIFEST in refused(checkpoint)


def test_a_manifest_of_another_format_is_refused_with_both_numbers(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindlog.index.manifest.FORMAT", 7)
    assert "format 1, this release reads 7" in refused(checkpoint)


def test_writing_again_vouches_for_the_new_files(checkpoint: Path) -> None:
    (checkpoint / "a.bin").write_bytes(b"second")
    write_manifest(checkpoint, {"lsn": 43}, FILES)
    assert check_manifest(checkpoint) == {"lsn": 43}


def test_a_manifest_left_under_its_temporary_name_vouches_for_nothing(checkpoint: Path) -> None:
    (checkpoint / MANIFEST).rename(checkpoint / "manifest.tmp")
    assert "missing" in refused(checkpoint)
