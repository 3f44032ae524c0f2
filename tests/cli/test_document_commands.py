"""The commands on documents and answers: remember, query, documents, series, near, image, and the runs of all three logs."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from mindlog.cli.selection import stage_options
from mindlog.errors import InvalidInput

from .conftest import Cli, Done

NOTES = """# Harbour office

Ada Lovelace works at the harbour office in Porto, which stands at 41.1496, -8.6110.

## Visitors

| month | visitors |
|---|---|
| 2024-01 | 120 |
| 2024-02 | 140 |
| 2024-03 | 90 |

## Lamp

The spare lamp of the lighthouse is stored in shed 4417.
"""


@pytest.fixture
def notes(tmp_path: Path) -> str:
    (tmp_path / "notes.md").write_text(NOTES)
    return "notes.md"


@pytest.fixture
def remembered(cli: Cli, notes: str) -> str:
    """The notes, read; the id of the run."""
    done = cli("remember", notes, "--document-id", "notes", "--agent", "ada", "--wait", "--json")
    assert (done.code, done.json[0]["status"]) == (0, "succeeded"), done
    return str(done.json[0]["remember_run_id"])


def rows(done: Done) -> list[list[str]]:
    return [line.split() for line in done.out.splitlines()]


# -- remember -----------------------------------------------------------------------------------------------------------
def test_remember_answers_with_the_run_and_drain_reads_the_document(cli: Cli, notes: str) -> None:
    done = cli("remember", notes, "--session", "s")
    run, document = done.out.split()[:2]
    assert (done.code, run[:4], document[:4], done.out.split()[-1]) == (0, "rem_", "doc_", "notes.md")
    assert cli("drain", "--timeout", "100").out == "settled\n"
    (shown,) = cli("runs", "show", run, "--json").json
    assert (shown["state"], shown["document_id"], shown["parameters"]["session"]) == ("succeeded", document, "s")
    assert shown["progress"]["stored"] == shown["progress"]["chunks"] >= 1


def test_remember_that_waits_prints_what_each_stage_did(cli: Cli, notes: str) -> None:
    done = cli("remember", notes, "--wait")
    assert done.code == 0
    table = [row[:2] for row in rows(done) if row]
    for stage in ("classify_complexity", "chunk_text", "extract_graph", "load_candidates", "store", "store_series"):
        assert [stage, "succeeded"] in table
    assert ["web_search", "skipped"] in table
    assert "succeeded, 1 chunks, 1 read, 1 stored" in done.out
    assert done.err == ""  # the bar is for terminals


def test_a_terminal_is_shown_how_far_the_reading_is(tmp_path: Path, notes: str) -> None:
    code = (
        "import sys, mindlog.engine, mindlog.background; from mindlog.testing.fakes import HashEmbedder\n"
        "mindlog.engine.load_embedder = lambda settings: HashEmbedder()\n"
        "mindlog.background.LazyGazetteer = lambda folder: lambda: None\n"
        "from mindlog.cli import main; sys.exit(main(['remember', 'notes.md', '--wait']))"
    )
    leader, follower = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=follower
    ) as process:
        os.close(follower)
        shown = b"".join(iter(lambda: _shown(leader), b""))
        out, _ = process.communicate(timeout=60)
    os.close(leader)
    assert (process.returncode, b"succeeded, 1 chunks" in out) == (0, True)
    assert b"notes.md" in shown


def _shown(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody holds the other end any more
        return b""


def test_a_document_may_come_by_standard_input_and_its_name_tells_its_type(cli: Cli) -> None:
    done = cli("remember", "-", "--name", "notes.md", "--wait", "--json", stdin=NOTES.encode())
    (document,) = cli("documents", "--json").json
    assert (done.code, document["title"], document["kind"]) == (0, "Harbour office", "markdown")
    assert cli("remember", "--wait", "--json", stdin=NOTES.encode()).json[0]["status"] == "succeeded"


def test_one_of_several_documents_that_is_refused_is_named_and_the_others_are_read(cli: Cli, notes: str) -> None:
    Path("empty.txt").write_text("  \n")
    done = cli("remember", "empty.txt", notes, "missing.txt", "--wait", "--json")
    assert (done.code, [each["status"] for each in done.json]) == (1, ["succeeded"])
    assert [line.split(":")[0] for line in done.err.splitlines()] == ["empty.txt", "missing.txt"]
    assert len(cli("runs", "--operation", "remember", "--json").json) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("missing.txt",), "missing.txt"),
        (("--watch", "notes.md"), "unknown option --watch"),
        (("notes.md", "--option", "extract_graph"), "option"),
        (("notes.md", "--option", "nonsense.model=m"), "options.nonsense"),
        (("notes.md", "--option", "store.model=m"), "options.store"),
        (("notes.md", "--metadata", "{"), "metadata"),
        (("notes.md", "notes.md", "--document-id", "one"), "document_id"),
        (("http://127.0.0.1/secret",), "127.0.0.1"),
    ],
)
def test_a_document_that_is_refused_leaves_no_run(cli: Cli, notes: str, arguments: tuple[str, ...], said: str) -> None:
    done = cli("remember", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert cli("runs", "--operation", "remember", "--json").json == []


def test_waiting_for_a_process_that_does_not_remember_says_so(
    cli: Cli, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINDLOG_REMEMBER", "false")
    done = cli("remember", notes, "--wait")
    assert (done.code, "does not remember" in done.err) == (1, True)
    drained = cli("drain")
    assert drained.out.startswith("not settled: 1 open: this process does not remember")
    monkeypatch.delenv("MINDLOG_REMEMBER")
    assert cli("drain", "--timeout", "100").out == "settled\n"


def test_the_same_document_again_is_a_new_version(cli: Cli, remembered: str, notes: str) -> None:
    Path(notes).write_text(NOTES.replace("shed 4417", "shed 9921"))
    again = cli("remember", notes, "--document-id", "notes", "--wait", "--json").json[0]
    (document,) = cli("documents", "--json").json
    assert document["remember_run_id"] == again["remember_run_id"] != remembered
    texts = "".join(each["text"] for each in cli("document", "notes", "--texts", "--json").json[1:])
    assert "shed 9921" in texts
    assert "shed 4417" not in texts


# -- documents ----------------------------------------------------------------------------------------------------------
def test_documents_are_listed_and_shown_with_what_they_are_kept_as(cli: Cli, remembered: str) -> None:
    assert rows(cli("documents"))[1][:3] == ["notes", "Harbour", "office"]
    shown = cli("document", "notes", "--texts")
    assert f"run:         {remembered}" in shown.out
    assert "chunk" in shown.out
    found, *texts = cli("document", "notes", "--texts", "--json").json
    assert [each["origin"] for each in texts].count("chunk") == found["chunks"] >= 1
    assert cli("document", "nothing").code == 3
    assert cli("documents", "--dataset", "nowhere").code == 3


# -- query --------------------------------------------------------------------------------------------------------------
def test_query_prints_the_answer_and_what_it_rests_on(cli: Cli, remembered: str) -> None:
    done = cli("query", "Where is the spare lamp of the lighthouse stored?", "--session", "q")
    assert done.code == 0
    assert "4417" in done.out.splitlines()[0]
    assert "[1] ada, 2" in done.out
    assert "answered by extractive  qry_" in done.out
    (found,) = cli("query", "Where is the spare lamp of the lighthouse stored?", "--json").json
    quotes = [each["quote"] for each in found["citations"]]
    assert any(quote in NOTES and "shed 4417" in quote for quote in quotes)


def test_a_streamed_answer_ends_as_the_whole_one(cli: Cli, remembered: str) -> None:
    question = "Where is the spare lamp of the lighthouse stored?"
    whole = cli("query", question, "--json").json[0]
    *pieces, last = cli("query", question, "--stream", "--json").json
    assert last["result"]["answer"] == whole["answer"]
    assert all(piece["result"] is None for piece in pieces)
    printed = cli("query", question, "--stream").out
    assert whole["answer"] in printed
    assert printed.count("shed 4417") == cli("query", question).out.count("shed 4417")


def test_query_on_nothing_says_so_and_bad_values_leave_no_run(cli: Cli, remembered: str) -> None:
    cli("datasets", "put", "bare")
    none = cli("query", "Where is the lamp?", "--dataset", "bare", "--json").json[0]
    assert (none["answered_by"], none["citations"]) == ("none", [])
    for bad in (("--limit", "0"), ("--as-of", "yesterday"), ("--option", "store.model=m"), ("--where", "{")):
        assert cli("query", "Where is the lamp?", *bad).code == 2
    assert cli("query", "x" * 10_241).code == 2
    assert cli("query", "x", "--dataset", "nowhere").code == 3
    assert len(cli("runs", "--operation", "query", "--json").json) == 1


# -- runs ---------------------------------------------------------------------------------------------------------------
def test_runs_of_each_operation_are_listed_counted_and_shown(cli: Cli, remembered: str) -> None:
    cli("query", "Where is the spare lamp stored?", "--session", "q")
    (asked,) = cli("runs", "--operation", "query", "--session", "q", "--json").json
    assert rows(cli("runs", "--operation", "query"))[0] == [
        "run_id", "state", "created_at", "session", "question", "answered_by",
        "retrieve_graph", "detect_geo", "nearby_geo", "query", "error",
    ]  # fmt: skip
    listed = cli("runs", "--operation", "remember", "--document", "notes")
    assert rows(listed)[0] == ["run_id", "state", "created_at", "document_id", "title", "stored", "stages", "error"]
    assert rows(listed)[1][0] == remembered
    assert "1/1" in listed.out
    for operation in ("remember", "query"):
        assert rows(cli("runs", "counts", "--operation", operation))[-1] == ["succeeded", "1"]
    shown = cli("runs", "show", asked["run_id"])
    assert "Where is the spare lamp stored?" in shown.out
    assert "answered by: extractive" in shown.out
    whole = cli("runs", "show", remembered, "--outputs", "--inferences")
    assert "progress:    1 chunks, 1 read, 1 stored" in whole.out
    assert '"chunks": 1' in whole.out
    assert "chunk_text: Cuts the document" in whole.out


def test_what_one_log_does_not_know_is_refused(cli: Cli, remembered: str) -> None:
    assert cli("runs", "--operation", "nonsense").code == 2
    assert cli("runs", "--document", "notes").code == 2
    assert cli("runs", "--operation", "query", "--stage", "chunk_text", "--stage-status", "failed").code == 2
    assert cli("runs", "retry", "--operation", "query", "--all").code == 2
    assert cli("runs", "cancel", "--session", "q").code == 2
    assert cli("runs", "show", "rem_00000000000ZZ").code == 3


def test_a_remember_is_cancelled_and_started_again(cli: Cli, notes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDLOG_REMEMBER", "false")
    run = cli("remember", notes, "--json").json[0]["remember_run_id"]
    assert cli("runs", "cancel", run).out == "1 run is cancelled\n"
    assert cli("runs", "show", run, "--json").json[0]["state"] == "cancelled"
    again = cli("runs", "cancel", run)
    assert (again.code, again.out, again.err) == (0, "0 runs are cancelled\n", "")
    assert cli("runs", "retry", "--operation", "remember", "--state", "cancelled").out == "1 run is to start again\n"
    monkeypatch.delenv("MINDLOG_REMEMBER")
    assert cli("drain", "--timeout", "100").out == "settled\n"
    assert cli("runs", "show", run, "--json").json[0]["state"] == "succeeded"
    for command, why in (("retry", "nothing to start again"), ("cancel", "nothing to cancel")):
        left = cli("runs", command, run)
        assert (left.code, left.err) == (1, f"{why}: {run} (succeeded)\n")


# -- series, places, pictures -------------------------------------------------------------------------------------------
def test_series_are_listed_and_their_points_shown(cli: Cli, remembered: str) -> None:
    (series,) = cli("series", "--json").json
    assert (series["points"], "visitors" in series["name"].lower()) == (3, True)
    points = cli("series", series["series_id"], "--points", "--json").json
    assert [point["value"] for point in points] == [120, 140, 90]
    assert [row[2] for row in rows(cli("series", series["series_id"]))[1:]] == ["120", "140", "90"]
    assert len(cli("series", series["series_id"], "--start", "2024-02-01T00:00:00Z", "--json").json) == 2
    assert cli("series", "--text", "nothing of that name", "--json").json == []
    assert cli("series", "--points").code == 2
    assert cli("series", "ser_00000000000ZZ").code == 3


def test_near_takes_any_point_of_the_earth_and_no_other(cli: Cli, remembered: str) -> None:
    assert cli("near", "-33.9", "-18.4", "--km", "5").code == 0
    assert rows(cli("near", "-33.9", "-18.4"))[0][:2] == ["km", "place"]
    assert cli("near", "91", "0").code == 2
    assert cli("near", "0", "0", "--km", "-1").code == 2
    (found,) = cli("near", "41.15", "-8.61", "--km", "20", "--json").json
    assert (round(found["lat"], 3), round(found["lon"], 3), found["km"] < 1) == (41.150, -8.611, True)
    (text,) = cli("document", "notes", "--texts", "--json").json[1:2]
    assert found["memory_ids"] == [text["memory_id"]]


def test_places_are_listed_with_the_memories_that_are_about_them(cli: Cli, remembered: str) -> None:
    assert rows(cli("places"))[0][:2] == ["place", "region"]
    found = cli("places", "--json").json
    (text,) = cli("document", "notes", "--texts", "--json").json[1:2]
    assert text["memory_id"] in [memory for place in found for memory in place["memory_ids"]]
    assert len(cli("places", "--limit", "1", "--json").json) == 1


def test_a_picture_is_kept_and_found_by_its_caption(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    (tmp_path / "lamp.png").write_bytes(png())
    done = cli("image", "lamp.png", "--caption", "The new lamp of the lighthouse", "--json")
    (kept,) = done.json
    assert (done.code, kept["media_type"], kept["width"]) == (0, "image/png", 8)
    found = cli("recall", "lighthouse lamp", "--json").json
    assert found[0]["memory_id"] == kept["memory_id"]
    assert kept["image_id"] in cli("image", "lamp.png", "--caption", "The new lamp of the lighthouse").out
    (tmp_path / "text.png").write_text("no picture")
    assert cli("image", "text.png").code == 2
    assert cli("image", "missing.png").code == 2


def png() -> bytes:
    """Eight grey pixels by eight."""

    def block(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head, pixels = struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0), zlib.compress((b"\0" + b"\x80" * 8) * 8)
    return b"\x89PNG\r\n\x1a\n" + block(b"IHDR", head) + block(b"IDAT", pixels) + block(b"IEND", b"")


# -- pure ---------------------------------------------------------------------------------------------------------------
def test_options_of_stages_are_read_by_stage() -> None:
    given = ("query.model=a=b", "query.reasoning=high", "extract_graph.model=m")
    assert stage_options(given) == {"query": {"model": "a=b", "reasoning": "high"}, "extract_graph": {"model": "m"}}
    assert stage_options(()) is None
    for bad in ("model=m", "query.=m", ".model=m", "query.model", "query.model="):
        with pytest.raises(InvalidInput):
            stage_options((bad,))
