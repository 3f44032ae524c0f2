"""`mindlog import`: every line has its outcome, and a second run changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli


def write(path: Path, *lines: object) -> str:
    path.write_bytes(
        b"".join((each if isinstance(each, bytes) else json.dumps(each).encode()) + b"\n" for each in lines)
    )
    return str(path)


def test_good_lines_are_kept_with_their_options_and_bad_ones_are_named(cli: Cli, tmp_path: Path) -> None:
    file = write(
        tmp_path / "texts.jsonl",
        {"text": "first", "session": "s", "occurred_at": "2026-01-01T00:00:00Z", "metadata": {"n": 1}},
        b"not json",
        b"",
        ["no", "object"],
        {"txt": "misspelt"},
        {"text": "  "},
        {"text": "with another dataset", "dataset": "other"},
        b'{"text": "\xff"}',
        {"text": "bad time", "occurred_at": "yesterday"},
        b"[" * 100_000,
        {"text": "last", "vector": [1, 2]},
    )
    done = cli("import", file, "--dataset", "d")
    assert done.code == 1
    assert done.out == "2 kept, 0 already there, 8 failed\n"
    lines = [line.split(":")[:2] for line in done.err.splitlines()]
    assert sorted(int(where.removeprefix("line ")) for where, _ in lines) == [2, 4, 5, 6, 8, 9, 10, 11]
    assert {code.strip() for _, code in lines} == {"invalid_input"}
    (memory,) = cli("list", "--dataset", "d", "--json").json
    assert (memory["text"], memory["session"], memory["metadata"]) == ("first", "s", {"n": 1})
    assert len(cli("list", "--dataset", "other", "--json").json) == 1


def test_a_second_run_finds_everything_there_and_a_corrected_line_is_added(cli: Cli, tmp_path: Path) -> None:
    lines: list[object] = [{"text": f"text {n}", "allow_duplicates": True} for n in range(1200)]
    file = write(tmp_path / "texts.jsonl", *lines, b"broken")
    assert cli("import", file).out == "1200 kept, 0 already there, 1 failed\n"
    # Equal lines are texts of their own when duplicates are allowed, and lines may move between runs.
    again = write(tmp_path / "texts.jsonl", {"text": "mended"}, *lines[:600], *lines)
    assert cli("import", again).out == "601 kept, 1200 already there, 0 failed\n"
    assert cli("import", again, "--json").json == [{"created": 0, "already_there": 1801, "failed": 0}]
    assert len(cli("list", "--all", "--json").json) == 1801


def test_the_same_file_goes_into_two_datasets(cli: Cli, tmp_path: Path) -> None:
    file = write(tmp_path / "texts.jsonl", {"text": "one"})
    assert cli("import", file, "--dataset", "a").out == cli("import", file, "--dataset", "b").out
    assert len(cli("list", "--dataset", "b", "--json").json) == 1


def test_it_reads_standard_input(cli: Cli) -> None:
    assert cli("import", stdin=b'{"text": "one"}\n{"text": "two"}').out == "2 kept, 0 already there, 0 failed\n"


@pytest.mark.parametrize("name", ["nowhere.jsonl", "."])
def test_a_file_that_cannot_be_read_is_a_usage_error(cli: Cli, name: str) -> None:
    done = cli("import", name)
    assert done.code == 2
    assert "invalid_input: file:" in done.err
