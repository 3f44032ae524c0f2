"""How `mindlog bench recall` reads conversations and scores rankings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindlog.cli.conversations import Question, parse_time, read_conversations
from mindlog.cli.scoring import percentile, score
from mindlog.errors import InvalidInput


def question(number: int, category: str, *evidence: str) -> Question:
    return Question(id=f"q{number}", text="?", category=category, evidence=evidence)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00+00:00"),
        ("12:04 am on 31 December, 2022", "2022-12-31T00:04:00+00:00"),
        ("12:30 PM on 1 January, 2024", "2024-01-01T12:30:00+00:00"),
        ("March-15-2024", "2024-03-15T00:00:00+00:00"),
        ("february-29-2024", "2024-02-29T00:00:00+00:00"),
        ("February-30-2024", None),
        ("Smarch-01-2024", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_the_two_free_forms_of_time_are_read_in_utc_and_others_are_none(text: str | None, expected: str | None) -> None:
    assert parse_time(text) == expected


def test_scores_are_mean_fractions_and_hit_rates_by_category_and_over_all() -> None:
    questions = [question(1, "b", "x", "y"), question(2, "b", "z"), question(3, "a", "w")]
    fillers = [f"f{n}" for n in range(50)]
    ranked = {
        "q1": ["x", *fillers[:8], "y"],  # one of two in the first 5, both in the first 10
        "q2": [*fillers[:19], "z"],  # in the first 20
    }  # q3 has no ranking
    table = score(questions, ranked)
    assert list(table) == ["a", "b", "ALL"]
    assert [table["b"].frac(k) for k in (5, 10, 20, 50)] == [25.0, 50.0, 100.0, 100.0]
    assert [table["b"].any(k) for k in (5, 10, 20, 50)] == [50.0, 50.0, 100.0, 100.0]
    assert table["a"].frac(50) == 0.0
    assert table["ALL"].questions == 3
    assert table["ALL"].frac(20) == pytest.approx(200 / 3)


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(n) for n in range(1, 101)]
    assert percentile(values, 50) == 51.0
    assert percentile(values, 99) == 100.0
    assert percentile([4.0], 99) == 4.0
    assert percentile([], 50) == 0.0


@pytest.mark.parametrize("line", ["not json", "[]", '{"id": "c", "turns": [{}], "questions": []}', '"x"'])
def test_a_line_that_is_no_conversation_is_named(tmp_path: Path, line: str) -> None:
    good = json.dumps({"id": "c", "turns": [], "questions": []})
    file = tmp_path / "data.jsonl"
    file.write_text(f"{good}\n\n{line}\n")
    with pytest.raises(InvalidInput, match="line 3 is not a conversation"):
        read_conversations(file)


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere\.jsonl"):
        read_conversations(tmp_path / "nowhere.jsonl")
