"""The same commands on a server (`--url`) and on a directory, and `mindlog serve` as a process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindlog.client import Client
from mindlog.models.catalog import DEFAULT_FOLDER
from tests.client.loopback import LoopbackServer

from .conftest import Cli

BOUND = 60
# Times of this run (the told ones lie at midnight), milliseconds, ages.
CHANGES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z|(?<= )\d+\.\d(?=\s)|(?<=oldest_seconds\": )[^}]+")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LoopbackServer]:
    running = LoopbackServer(tmp_path / "served")
    yield running
    running.stop()


@pytest.fixture
def no_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recall and the log stand still: nothing is derived in between."""
    monkeypatch.setenv("MINDLOG_DERIVE", "false")


def script(cli: Cli, *where: str) -> list[object]:
    """What a session of commands prints, without times and ids."""
    shown: list[object] = []
    first = cli(
        "encode",
        "Ana is allergic to peanuts",
        "--session",
        "s",
        "--occurred-at",
        "2026-01-01T00:00:00Z",
        "--json",
        *where,
    )
    memory_id = first.json[0]["memory_id"]
    lines = b'{"text": "one"}\nbroken\n{"text": "two", "metadata": {"n": 2}}\n'
    for done in (
        cli("import", *where, stdin=lines),
        cli("recall", "peanuts", "--session", "s", "--json", *where),
        cli("list", "--where", '{"n": {"$gte": 2}}', "--json", *where),
        cli("list", "--after", "yesterday", *where),
        cli("get", memory_id, "--json", *where),
        cli("edit", memory_id, "--text", "Ana eats nuts now", "--json", *where),
        cli("forget", memory_id, *where),
        cli("get", memory_id, *where),
        cli("forget", "--undo", memory_id, *where),
        cli("recall", "x", "--dataset", "nowhere", *where),
        cli("datasets", "put", "lisbon", "--timezone", "Europe/Lisbon", "--json", *where),
        cli("datasets", "--json", *where),
        cli("keys", "--json", *where),
    ):
        out: object = done.out
        if done.out.startswith("{"):
            out = [{k: v for k, v in row.items() if not k.endswith(("_at", "_id"))} for row in done.json]
        # Over HTTP a listing's filters are parameters of their own, so the field at fault is named without `filters.`.
        err = done.err.replace(memory_id, "ID").replace("filters.", "")
        shown.append((done.code, out.replace(memory_id, "ID")[:20] if isinstance(out, str) else out, err))
    return shown


@pytest.mark.usefixtures("no_derivation")
def test_a_server_and_a_directory_print_the_same(cli: Cli, server: LoopbackServer) -> None:
    assert script(cli, "--url", server.url) == script(cli, "--data", "here")


def derived_script(cli: Cli, *where: str) -> list[object]:
    """What the commands on derived things print, ids and times of this run masked."""
    first, second = "I live in Bonn and work at Acme.", "I moved to Berlin."
    commands: list[tuple[str, ...]] = [
        ("encode", first, "--agent", "Ada", "--occurred-at", "2025-01-05T00:00:00Z", "--wait", "derived", "--json"),
        ("encode", second, "--agent", "Ada", "--occurred-at", "2025-03-10T00:00:00Z", "--wait", "derived", "--json"),
        ("drain", "--timeout", "60"),
        ("statements", "--subject", "Ada", "--as-of", "2025-02-01T00:00:00Z"),
        ("statements", "--include-superseded", "--json"),
        ("entities",),
        ("entity", "ent_0000000000001"),
        ("graph", "Ada", "--json"),
        ("proposals", "--json"),
        ("runs",),
        ("runs", "counts", "--json"),
        ("runs", "show", "enc_0000000000002", "--outputs"),
        ("runs", "retry", "enc_0000000000002", "--stages", "hype"),
        ("runs", "cancel"),
        ("drain", "--json"),
        ("watch", "--from", "1", "--limit", "6"),
        ("watch", "--types", "nonsense"),
    ]
    shown: list[object] = []
    for command in commands:
        done = cli(*command, *where)
        shown.append((command, done.code, CHANGES.sub("#", done.out).split(), CHANGES.sub("#", done.err)))
    memory_id = cli("list", "--limit", "1", "--json", *where).json[0]["memory_id"]
    shown.append(CHANGES.sub("#", cli("inspect", memory_id, *where).out).split())
    return shown


def test_a_server_and_a_directory_print_the_same_of_what_was_derived(cli: Cli, server: LoopbackServer) -> None:
    on_server = derived_script(cli, "--url", server.url)
    assert on_server == derived_script(cli, "--data", "here")
    assert "Berlin" in str(on_server[-1])


NOTES = """# Harbour office

Ada Lovelace works at the harbour office, which stands at 41.1496, -8.6110.

| month | visitors |
|---|---|
| 2024-01 | 120 |
| 2024-02 | 140 |
| 2024-03 | 90 |
"""


def document_script(cli: Cli, *where: str) -> list[object]:
    """What the commands on documents and answers print, ids and times of this run masked."""
    Path("notes.md").write_text(NOTES)
    question = "Where does Ada Lovelace work?"
    options = ("--document-id", "notes", "--agent", "ada", "--occurred-at", "2025-01-05T00:00:00Z")
    commands: list[tuple[str, ...]] = [
        ("remember", "notes.md", *options, "--wait"),
        ("remember", "missing.md"),
        ("remember", "notes.md", "--option", "store.model=m"),
        ("drain", "--timeout", "60"),
        ("documents",),
        ("document", "notes", "--texts"),
        ("document", "nothing"),
        ("query", question),
        ("query", question, "--stream"),
        ("query", question, "--as-of", "yesterday"),
        ("runs", "--operation", "remember"),
        ("runs", "--operation", "query"),
        ("runs", "counts", "--operation", "query", "--json"),
        ("series",),
        ("places",),
        ("near", "41.15", "-8.61", "--km", "20"),
        ("near", "91", "0"),
    ]
    shown: list[object] = []
    for command in commands:
        done = cli(*command, *where)
        shown.append((command, done.code, CHANGES.sub("#", done.out).split(), CHANGES.sub("#", done.err)))
    run_id = cli("runs", "--operation", "remember", "--json", *where).json[0]["run_id"]
    shown.append(CHANGES.sub("#", cli("runs", "show", run_id, "--outputs", *where).out).split())
    series_id = cli("series", "--json", *where).json[0]["series_id"]
    shown.append(cli("series", series_id, "--points", *where).out)
    return shown


def test_a_server_and_a_directory_print_the_same_of_documents_and_answers(cli: Cli, server: LoopbackServer) -> None:
    on_server = document_script(cli, "--url", server.url)
    assert on_server == document_script(cli, "--data", "here")
    assert "140" in str(on_server[-1])


def test_who_may_not_see_runs_hears_at_least_how_a_remember_ended(cli: Cli, server: LoopbackServer) -> None:
    Path("notes.md").write_text(NOTES)
    at = ("--url", server.url)
    cli("datasets", "put", "default", *at)
    secret = cli("keys", "create", "agent", "--scope", "read", "--scope", "write", *at).out.strip()
    done = cli("remember", "notes.md", "--wait", *at, "--api-key", secret)
    assert done.code == 0, done
    assert done.out.splitlines()[-1].endswith(": succeeded")
    (ack,) = cli("remember", "notes.md", "--wait", "--json", *at, "--api-key", secret).json
    assert (ack["status"], ack["run"]) == ("succeeded", None)


def test_the_address_and_the_key_come_from_the_environment(
    cli: Cli, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINDLOG_URL", server.url)
    secret = cli("keys", "create", "worker", "--scope", "write").out.strip()
    refused = cli("list")
    assert (refused.code, refused.err.split()[1]) == (1, "unauthorized:")
    monkeypatch.setenv("MINDLOG_API_KEY", secret)
    assert cli("encode", "with a key").code == 0
    assert cli("keys").err.split()[1] == "forbidden:"


def test_a_server_that_is_not_there_is_one_line(cli: Cli, server: LoopbackServer) -> None:
    server.stop()
    done = cli("list", "--url", server.url)
    assert done.code == 1
    assert done.err.startswith("mindlog: unreachable: ")
    assert len(done.err.splitlines()) == 1


@pytest.mark.skipif(not (DEFAULT_FOLDER / "model.onnx").exists(), reason="the model is not built: make model")
def test_serve_says_where_it_listens_answers_and_ends_on_sigterm(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mindlog.cli", "serve", "--data", "data", "--port", "0", "--log-format", "json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        announced = process.stdout.readline()
        try:
            url = announced.split()[-1]
            with Client(url) as client:
                kept = client.encode("served text")
                assert client.get(kept.memory_id).text == "served text"
        finally:
            process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=BOUND)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    for line in err.splitlines():
        json.loads(line)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--host", "0.0.0.0", "--port", "0"), "API key"),
        (("--port", "99999"), "port"),
        (("--host", "no.such.host.invalid"), "host"),
    ],
)
def test_serve_refuses_an_address_it_should_not_or_cannot_have(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    done = cli("serve", *arguments)
    assert done.code == 2
    assert done.err.startswith("mindlog: config_error:")
    assert said in done.err
