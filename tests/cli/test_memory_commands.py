"""The commands on memories: what they print, in both forms, and the codes they exit with."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.ids import MemoryId

from .conftest import Cli


def kept(cli: Cli, *arguments: str) -> str:
    return str(cli("encode", *arguments, "--json").json[0]["memory_id"])


def test_encode_prints_the_id_first_and_says_what_was_there_already(cli: Cli) -> None:
    first = cli("encode", "Ana is allergic to peanuts", "--session", "s")
    again = cli("encode", "Ana is allergic to peanuts", "--session", "s")
    assert (first.code, again.code) == (0, 0)
    assert first.out.startswith("mem_")
    assert again.out.split()[0] == first.out.split()[0]
    assert "already there" in again.out
    assert "already there" not in first.out


def test_encode_reads_standard_input(cli: Cli) -> None:
    cli("encode", stdin="from a pipe — ünïcode\n".encode())
    cli("encode", stdin=b"two\nlines")
    assert [each["text"] for each in cli("list", "--json").json] == ["two\nlines", "from a pipe — ünïcode"]
    refused = cli("encode", stdin=b"\xff\xfe")
    assert (refused.code, "not UTF-8" in refused.err) == (2, True)


def test_every_option_of_encode_reaches_the_memory(cli: Cli) -> None:
    memory_id = kept(
        cli, "text", "--dataset", "d", "--agent", "a", "--session", "s", "--occurred-at", "2026-03-14T09:26:53Z",
        "--kind", "semantic", "--salience", "0.25", "--metadata", '{"n": 1}', "--document-id", "doc", "--request-id", "r",
    )  # fmt: skip
    (memory,) = cli("get", memory_id, "--json").json
    expected = {
        "text": "text", "dataset": "d", "agent": "a", "session": "s", "occurred_at": "2026-03-14T09:26:53Z",
        "kind": "semantic", "salience": 0.25, "metadata": {"n": 1}, "document_id": "doc", "is_current": True,
    }  # fmt: skip
    assert {name: memory[name] for name in expected} == expected


def test_recall_prints_hits_best_first_in_both_forms(cli: Cli) -> None:
    cli("encode", "the sea is calm today", "--session", "a")
    cli("encode", "peanuts make Ana ill", "--session", "b")
    hits = cli("recall", "peanuts ill", "--json").json
    assert hits[0]["text"] == "peanuts make Ana ill"
    assert {"memory_id", "score", "lanes", "session", "occurred_at"} <= hits[0].keys()
    heading, first, *_ = cli("recall", "peanuts ill").out.splitlines()
    assert heading.split() == ["memory_id", "score", "occurred_at", "session", "agent", "text"]
    assert first.endswith("peanuts make Ana ill")


def test_recall_narrows_and_adds_context_and_trace_when_asked(cli: Cli) -> None:
    cli("encode", "peanuts one", "--session", "a", "--metadata", '{"n": 1}')
    cli("encode", "peanuts two", "--session", "b", "--metadata", '{"n": 2}')
    (hit,) = cli("recall", "peanuts", "--session", "b", "--json").json
    assert hit["text"] == "peanuts two"
    (hit,) = cli("recall", "peanuts", "--where", '{"n": {"$lt": 2}}', "--json").json
    assert hit["text"] == "peanuts one"
    *hits, more = cli("recall", "peanuts", "--budget-tokens", "100", "--trace", "--json").json
    assert len(hits) == 2
    assert set(more) == {"context", "trace"}


def test_list_prints_newest_first_up_to_the_limit_or_all(cli: Cli) -> None:
    for number in range(12):
        cli("encode", f"text {number}", "--agent", "even" if number % 2 == 0 else "odd")
    assert [each["text"] for each in cli("list", "--limit", "2", "--json").json] == ["text 11", "text 10"]
    assert len(cli("list", "--all", "--json").json) == 12
    assert len(cli("list", "--agent", "odd", "--json").json) == 6
    assert len(cli("list", "--limit", "5").out.splitlines()) == 6


def test_get_shows_the_whole_text_and_an_older_revision_as_such(cli: Cli) -> None:
    old = kept(cli, "line one\nline two")
    new = cli("edit", old, "--text", "other words", "--metadata", '{"a": 1}').out.split()[0]
    assert "line one\nline two\n" in cli("get", old).out
    assert "an older revision" in cli("get", old).out
    assert cli("get", new, "--json").json[0]["metadata"] == {"a": 1}
    stale = cli("edit", old, "--text", "too late")
    assert (stale.code, stale.err.split()[1]) == (1, "version_conflict:")


def test_forget_hides_and_undo_or_restore_bring_back(cli: Cli) -> None:
    one, two = kept(cli, "one"), kept(cli, "two")
    forgotten = cli("forget", one, two)
    assert (forgotten.code, len(forgotten.out.splitlines())) == (0, 2)
    assert cli("get", one).code == 3
    assert cli("forget", one).code == 3
    assert cli("forget", "--undo", one).code == 0
    assert cli("restore", two, "--json").json[0]["text"] == "two"
    assert len(cli("list", "--json").json) == 2
    assert cli("forget").code == cli("restore").code == 2


def test_text_cannot_drive_the_terminal_it_is_shown_on(cli: Cli) -> None:
    memory_id = kept(cli, "clear \x1b[2J screen \x9b31m and \u202ereversed")
    for shown in (cli("list").out, cli("get", memory_id).out, cli("recall", "screen").out):
        assert "screen" in shown
        assert not {"\x1b", "\x9b", "\u202e"} & set(shown)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("encode", ""), 2, "invalid_input: text:"),
        (("encode", "x", "--occurred-at", "yesterday"), 2, "invalid_input: occurred_at:"),
        (("encode", "x", "--occurred-at", "2026-01-01T00:00:00"), 2, "time zone"),
        (("encode", "x", "--metadata", "{"), 2, "metadata: not JSON"),
        (("encode", "x", "--salience", "7"), 2, "salience"),
        (("encode", "x", "--salience", "much"), 2, "usage:"),
        (("encode", "x", "--dataset", "no spaces"), 2, "dataset:"),
        (("get", "nonsense"), 2, "not a memory id"),
        (("get", str(MemoryId(0, 999, 1))), 3, "memory_not_found"),
        (("recall",), 2, "usage:"),
        (("recall", "x", "--dataset", "nowhere"), 3, "dataset_not_found"),
        (("recall", "x", "--limit", "0"), 2, "invalid_input"),
        (("recall", "x", "--limit", "three"), 2, "usage:"),
        (("recall", "x", "--where", '{"a": {"$near": 1}}'), 2, "unknown_filter"),
        (("recall", "x", "--after", "2026-02-01T00:00:00Z", "--before", "2026-01-01T00:00:00Z"), 2, "filters.before"),
        (("list", "--colour", "red"), 2, "usage:"),
        (("list", "--limit", "0"), 2, "limit"),
        (("unheard-of",), 2, "usage:"),
        (("list", "--data", "d", "--url", "http://127.0.0.1:1"), 2, "not both"),
        (("list", "--url", "localhost"), 2, "must start with http"),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_a_code(cli: Cli, arguments: tuple[str, ...], code: int, said: str) -> None:
    cli("encode", "so that the default dataset is there")
    done = cli(*arguments)
    assert done.code == code
    assert done.out == ""
    assert done.err.startswith("mindlog: ")
    assert len(done.err.splitlines()) == 1
    assert said in done.err


def test_a_setting_that_cannot_be_read_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MINDLOG_READERS", "many")
    wrong = cli("list")
    assert (wrong.code, "config_error: readers" in wrong.err) == (2, True)
    monkeypatch.delenv("MINDLOG_READERS")
    (tmp_path / "mindlog.toml").write_text("colour = 'red'\n")
    assert "colour" in cli("list").err
    (tmp_path / "mindlog.toml").write_text("readers = \n")
    assert "config_error: mindlog.toml" in cli("list").err


def test_the_directory_comes_from_the_option_the_environment_or_the_default(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cli("encode", "x")
    cli("encode", "x", "--data", "named")
    monkeypatch.setenv("MINDLOG_DATA", "from-environment")
    cli("encode", "x")
    assert {path.name for path in tmp_path.iterdir()} == {"mindlog-data", "named", "from-environment"}
