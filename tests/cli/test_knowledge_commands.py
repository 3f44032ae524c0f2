"""The commands on what was derived: inspect, statements, entities, graph, links, proposals, merges, runs, watch, drain."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mindlog.cli.marks import marked
from mindlog.cli.paging import walk
from mindlog.errors import InvalidInput
from mindlog.testing.llm_server import FakeLLM
from mindlog.views import Page

from .conftest import Cli, Done

BONN, BERLIN = "I live in Bonn and work at Acme.", "I moved to Berlin."


def told(cli: Cli, text: str, at: str) -> str:
    """Keep a text of Ada's, derived; return its id."""
    done = cli("encode", text, "--agent", "Ada", "--occurred-at", at, "--wait", "derived", "--json")
    assert done.json[0]["trace"]["settled"]
    return str(done.json[0]["memory_id"])


@pytest.fixture
def move(cli: Cli) -> str:
    """Two memories in `./mindlog-data`; the id of the one about the move."""
    told(cli, BONN, "2025-01-05T00:00:00Z")
    return told(cli, BERLIN, "2025-03-10T00:00:00Z")


def rows(done: Done) -> list[list[str]]:
    return [line.split() for line in done.out.splitlines()]


def test_encode_that_waits_prints_what_each_stage_did(cli: Cli) -> None:
    done = cli("encode", BONN, "--agent", "Ada", "--wait", "derived")
    assert done.code == 0
    table = [row[:2] for row in rows(done) if row]
    for stage in ("auto_edge", "temporal_edge", "memory_text", "extractor", "hype"):
        assert [stage, "succeeded"] in table
    assert "pattern=ran" in done.out
    assert "Run" not in cli("encode", "another").out


def test_inspect_shows_the_evidence_in_the_text_and_all_that_was_derived(cli: Cli, move: str) -> None:
    done = cli("inspect", move)
    assert "[I moved to Berlin]1,2." in done.out
    for word in ("Statements", "Ada lives in Berlin", "Entities", "Where does Ada live?", "Terms", "Run enc_"):
        assert word in done.out
    (whole,) = cli("inspect", move, "--json").json
    assert whole["memory"]["memory_id"] == move
    cli("forget", move)
    assert cli("inspect", move).code == 3


def test_statements_are_narrowed_by_both_time_axes(cli: Cli, move: str) -> None:
    def lives(*options: str) -> list[str]:
        found = cli("statements", "--subject", "Ada", "--predicate", "lives_in", "--json", *options).json
        return [each["object"]["name"] for each in found]

    assert lives() == ["Berlin"]
    assert lives("--as-of", "2025-02-01T00:00:00Z") == ["Bonn"]
    assert lives("--known-at", "2020-01-01T00:00:00Z") == []
    assert sorted(lives("--include-superseded")) == ["Berlin", "Bonn"]
    assert "2025-01-05 to 2025-03-10" in cli("statements", "--include-superseded").out
    refused = cli("statements", "--as-of", "yesterday")
    assert (refused.code, "as_of" in refused.err) == (2, True)
    assert cli("statements", "--subject", "Nobody").code == 3


def test_a_listing_ends_at_its_limit_and_walks_its_pages(cli: Cli, move: str) -> None:
    assert len(cli("statements", "--include-superseded", "--limit", "2", "--json").json) == 2
    assert cli("entities", "--limit", "0").code == 2
    sizes: list[int] = []

    def fetch(size: int, cursor: str | None) -> Page[int]:
        sizes.append(size)
        first = int(cursor or 0)
        return Page(data=tuple(range(first, first + size)), next_cursor=str(first + size))

    assert list(walk(fetch, 1200)) == list(range(1200))
    assert sizes == [500, 500, 500]
    with pytest.raises(InvalidInput):
        walk(fetch, 0)


def test_entities_and_what_is_around_them(cli: Cli, move: str) -> None:
    found = {each["name"]: each for each in cli("entities", "--json").json}
    assert {"Ada", "Bonn", "Berlin", "Acme"} <= set(found)
    assert [each["name"] for each in cli("entities", "--name", "ber", "--json").json] == ["Berlin"]
    shown = cli("entity", found["Ada"]["entity_id"])
    assert "Ada lives in Berlin" in shown.out
    assert "Ada lives in Bonn" in shown.out
    assert [each["memory_id"] for each in cli("list", "--entity", "Berlin", "--json").json] == [move]
    assert cli("list", "--entity", "Nobody").code == 3
    (graph,) = cli("graph", "Berlin", "--json").json
    assert {each["name"] for each in graph["entities"]} == {"Ada", "Berlin"}
    assert "Relations" in cli("graph", "Ada").out
    assert "superseded" not in cli("graph", "Ada").out
    assert "superseded" in cli("graph", "Ada", "--include-superseded").out
    assert cli("entity", "ent_0000000000ZZZ").code == 3


def test_a_merge_is_made_and_taken_back(cli: Cli, move: str) -> None:
    ids = {each["name"]: each["entity_id"] for each in cli("entities", "--json").json}
    assert cli("merge", ids["Bonn"], ids["Berlin"], "--json").json[0]["merged"] == [ids["Bonn"]]
    assert cli("entity", ids["Bonn"], "--json").json[0]["entity_id"] == ids["Berlin"]
    shown = cli("entity", ids["Bonn"]).out
    assert f"Bonn ({ids['Bonn']})" in shown
    assert "Berlin (1), Bonn (1)" in shown
    assert cli("unmerge", ids["Bonn"], "--json").json[0]["name"] == "Bonn"
    assert cli("proposals", "--all", "--json").json == []
    assert cli("proposals", "accept", "prp_0000000000001").code in (2, 3)
    assert cli("proposals", "undo", "prp_0000000000001").code in (2, 3)
    assert cli("proposals", "--status", "undone", "--json").json == []


def test_links_are_made_listed_and_taken_away(cli: Cli, move: str) -> None:
    first = cli("list", "--json").json[-1]["memory_id"]
    kind = ("--kind", "references")
    assert cli("link", first, move, *kind, "--weight", "0.5").code == 0
    found = [each for each in cli("links", move, "--json").json if each["made_by"] == "user"]
    assert [(each["source"], each["target"], each["weight"]) for each in found] == [(first, move, 0.5)]
    assert "removed" in cli("unlink", first, move, *kind).out
    assert cli("unlink", first, move, *kind).code == 3


def test_runs_are_listed_counted_shown_and_started_again(cli: Cli, move: str) -> None:
    listed = cli("runs")
    assert rows(listed)[0] == [
        "run_id", "state", "created_at", "memory_id",
        "auto_edge", "temporal_edge", "memory_text", "extractor", "hype", "error",
    ]  # fmt: skip
    (run,) = cli("runs", "--memory", move, "--json").json
    assert rows(cli("runs", "counts"))[-1] == ["succeeded", "2"]
    shown = cli("runs", "show", run["run_id"], "--outputs", "--inferences")
    assert '"pattern": "ran"' in shown.out
    assert cli("runs", "retry", run["run_id"], "--stages", "hype").out == "1 run is to start again\n"
    assert cli("drain", "--timeout", "60").out == "settled\n"
    assert cli("runs", "show", run["run_id"], "--json").json[0]["state"] == "succeeded"
    assert cli("runs", "--state", "lost").code == 2
    assert cli("runs", "show", "enc_00000000000ZZ").code == 3


@pytest.mark.parametrize("command", ["retry", "cancel"])
def test_a_change_of_runs_needs_a_choice(cli: Cli, move: str, command: str) -> None:
    assert cli("runs", command).code == 2
    assert cli("runs", command, "enc_0000000000002", "--all").code == 2
    assert cli("runs", command, "--all", "--json").json == [{"runs": 0}]
    assert cli("runs", command, "--state", "quarantined", "--json").json == [{"runs": 0}]


def test_watch_replays_the_log_in_order_and_narrows(cli: Cli, move: str) -> None:
    everything = cli("watch", "--from", "1", "--limit", "8", "--json").json
    assert [each["lsn"] for each in everything] == list(range(1, 9))
    found = cli("watch", "--from", "1", "--types", "memory_encoded,run_finished", "--memory", move, "--limit", "2")
    assert [row[2] for row in rows(found)] == ["memory_encoded", "run_finished"]
    assert "state=succeeded" in found.out
    unknown = cli("watch", "--types", "nonsense")
    assert (unknown.code, "types" in unknown.err) == (2, True)


def test_watch_ends_on_ctrl_c(cli: Cli, move: str, tmp_path: Path) -> None:
    code = (
        "import sys, mindlog.engine; from mindlog.testing.fakes import HashEmbedder\n"
        "mindlog.engine.load_embedder = lambda settings: HashEmbedder()\n"
        "from mindlog.cli import main; sys.exit(main(['watch', '--from', '1']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "dataset_created" in process.stdout.readline()
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "mindlog: interrupted\n")


def test_drain_says_that_the_time_is_over(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDLOG_DERIVE", "false")
    cli("encode", BONN)
    done = cli("drain", "--timeout", "0", "--json")
    assert (done.code, done.json) == (1, [{"settled": False, "open_runs": 1}])


def test_drain_does_not_wait_for_a_process_that_does_not_derive(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDLOG_DERIVE", "false")
    cli("encode", BONN)
    done = cli("drain")
    assert done.code == 1
    assert done.out.startswith("not settled: 1 open: this process does not derive")


def test_doctor_llm_shows_which_modes_an_endpoint_offers(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = cli("doctor", "llm")
    assert (refused.code, "no model configured" in refused.err) == (2, True)
    with FakeLLM(unsupported=["json_schema"]) as server:
        for name, value in {"": "openai", "_MODEL": "tiny", "_URL": server.url, "_API_KEY": "any"}.items():
            monkeypatch.setenv(f"MINDLOG_LLM{name}", value)
        done = cli("doctor", "llm")
        (report,) = cli("doctor", "llm", "--json").json
    assert done.code == 0
    outcomes = {each["mode"]: each["outcome"] for each in report["modes"]}
    assert outcomes["json_schema"] == "refused"
    assert outcomes[report["best"]] == "works"
    assert ["json_schema", "refused"] in [row[:2] for row in rows(done) if row]


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("I live here.", [], "I live here."),
        ("I live here.", [(0, 6, 1)], "[I live]1 here."),
        ("I live here.", [(0, 6, 1), (0, 6, 2)], "[I live]1,2 here."),
        ("My friend Omar", [(0, 14, 1), (10, 14, 2)], "[My friend [Omar]2]1"),
        ("My friend Omar", [(3, 14, 1), (3, 9, 2)], "My [[friend]2 Omar]1"),
        ("a b c", [(0, 3, 1), (2, 5, 2)], "[a [b]1 c]2"),
        ("ab", [(0, 1, 1), (1, 2, 2)], "[a]1[b]2"),
        ("", [], ""),
    ],
)
def test_marks_stand_around_the_words(text: str, spans: list[tuple[int, int, int]], expected: str) -> None:
    assert marked(text, spans) == expected
