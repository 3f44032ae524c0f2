"""`mindlog bench recall` on a small made-up file: what goes in, what comes out, and the same numbers as the rules say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli

KS = (5, 10, 20, 50)


def turn(number: int, speaker: str, text: str, session: str = "session_1") -> dict[str, str]:
    return {
        "id": f"D1:{number}",
        "session": session,
        "time": "1:56 pm on 8 May, 2023",
        "speaker": speaker,
        "text": text,
    }


def conversation(name: str, turns: list[dict[str, str]], *asked: tuple[str, str, list[str]]) -> dict[str, Any]:
    questions = [
        {"id": f"{name}-q{n}", "question": text, "category": category, "evidence": evidence}
        for n, (text, category, evidence) in enumerate(asked)
    ]
    return {"id": name, "source": "made up", "turns": turns, "questions": questions}


FILLER = [turn(100 + n, "Bo", f"Nothing of note happened on the {n}th floor of the building") for n in range(60)]
CONVERSATIONS = [
    conversation(
        "first talk",
        [
            turn(1, "Ana", "My sister keeps seven hedgehogs in the garden"),
            turn(2, "Bo", "Good night!"),
            turn(3, "Bo", "Good night!"),  # the same words twice are two turns
            *FILLER,
        ],
        ("Who keeps hedgehogs in the garden?", "single", ["D1:1"]),
        ("Who said good night?", "multi", ["D1:2", "D1:3"]),
    ),
    conversation(
        "second talk",
        [turn(1, "Cy", "The ferry to Horta was cancelled"), *FILLER],
        ("Was the ferry to Horta cancelled?", "single", ["D1:1"]),
        ("What is the capital of nowhere?", "multi", ["D1:999"]),
    ),
]


def reference(conversations: list[dict[str, Any]], ranked: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """The scores by their definition: for each category and over all, mean fraction of evidence and share of hits at k."""
    rows: dict[str, list[tuple[set[str], list[str]]]] = {}
    for each in conversations:
        for question in each["questions"]:
            for name in (question["category"], "ALL"):
                rows.setdefault(name, []).append((set(question["evidence"]), ranked[question["id"]]))
    table = {}
    for name, pairs in rows.items():
        table[name] = {
            f"{kind}@{k}": round(
                100 * sum(of(evidence & set(got[:k]), evidence) for evidence, got in pairs) / len(pairs), 1
            )
            for k in KS
            for kind, of in (("frac", lambda hit, wanted: len(hit) / len(wanted)), ("any", lambda hit, _: bool(hit)))
        }
    return table


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "talks.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in CONVERSATIONS))
    return file


def test_it_encodes_asks_and_scores(cli: Cli, data: Path, tmp_path: Path) -> None:
    ranking = tmp_path / "ranked.jsonl"
    done = cli("bench", "recall", str(data), "--ranked", str(ranking), "--json")
    assert done.code == 0, done.err
    (report,) = done.json
    ranked = {row["question_id"]: row["ranked"] for row in map(json.loads, ranking.read_text().splitlines())}
    assert len(ranked) == 4
    assert all(len(turns) == len(set(turns)) == 50 for turns in ranked.values())
    assert ranked["first talk-q0"][0] == "D1:1"
    assert {"D1:2", "D1:3"} <= set(ranked["first talk-q1"][:5])
    for part, conversations in (
        ("all", CONVERSATIONS),
        ("first_half", CONVERSATIONS[:1]),
        ("second_half", CONVERSATIONS[1:]),
    ):
        expected = reference(conversations, ranked)
        assert {
            name: {k: v for k, v in row.items() if k != "questions"} for name, row in report[part].items()
        } == expected
    assert report["all"]["ALL"]["questions"] == 4
    assert report["encodes_per_second"] > 0
    assert 0 < report["p50_ms"] <= report["p99_ms"]


def test_speaker_session_and_time_are_kept_in_a_dataset_of_its_own(cli: Cli, data: Path) -> None:
    assert cli("bench", "recall", str(data), "--data", "kept").code == 0
    names = [each["name"] for each in cli("datasets", "--data", "kept", "--json").json]
    assert names == ["bench-0-first-talk", "bench-1-second-talk", "default"]
    *_, last = cli("list", "--all", "--data", "kept", "--dataset", names[1], "--json").json
    assert (last["text"], last["agent"], last["session"]) == ("The ferry to Horta was cancelled", "Cy", "session_1")
    assert (last["occurred_at"], last["metadata"]) == ("2023-05-08T13:56:00Z", {"turn": "D1:1"})


def test_a_second_run_on_the_same_directory_asks_without_encoding_again(cli: Cli, data: Path) -> None:
    first = cli("bench", "recall", str(data), "--data", "kept", "--json").json[0]
    second = cli("bench", "recall", str(data), "--data", "kept", "--json").json[0]
    assert second["encodes_per_second"] == 0
    assert second["all"] == first["all"]
    assert "they were there" in cli("bench", "recall", str(data), "--data", "kept").out


def test_a_directory_that_holds_something_else_is_refused(cli: Cli, data: Path) -> None:
    cli("encode", "stranger", "--dataset", "bench-0-first-talk", "--data", "kept")
    done = cli("bench", "recall", str(data), "--data", "kept")
    assert (done.code, "use another directory" in done.err) == (2, True)


def test_the_table_has_a_line_for_each_category_for_all_and_for_the_halves(cli: Cli, data: Path) -> None:
    lines = cli("bench", "recall", str(data)).out.splitlines()
    assert [line.split()[0] for line in lines[:6]] == [
        "category",
        "multi",
        "single",
        "ALL",
        "first_half",
        "second_half",
    ]
    assert [line.split()[0] for line in lines[7:]] == ["encodes", "questions", "latency"]
