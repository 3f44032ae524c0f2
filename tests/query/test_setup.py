"""What is refused of a question before it is on record, and that it leaves no run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mindlog.errors import InvalidInput
from mindlog.runs.options import check_options
from mindlog.store.stages import QUERY_STAGES, REMEMBER_STAGES
from tests.query.made import room

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("question", {"question": ""}),
    ("question", {"question": " \n"}),
    ("question", {"question": "x" * 10_241}),
    ("question", {"question": "ä" * 5_121}),
    ("question", {"question": "\ud800"}),
    ("question", {"question": None}),
    ("session", {"session": ""}),
    ("session", {"session": "s" * 257}),
    ("as_of", {"as_of": "2024-13-01T00:00:00Z"}),
    ("as_of", {"as_of": "yesterday"}),
    ("limit", {"limit": 0}),
    ("limit", {"limit": 101}),
    ("limit", {"limit": True}),
    ("limit", {"limit": 1.5}),
    ("options", {"options": []}),
    ("options.extract_graph", {"options": {"extract_graph": {}}}),
    ("options.query", {"options": {"query": {"temperature": 1}}}),
    ("options.query", {"options": {"query": "fast"}}),
    ("options.query.reasoning", {"options": {"query": {"reasoning": "hard"}}}),
    ("options.query.model", {"options": {"query": {"model": ""}}}),
    ("options.query.model", {"options": {"query": {"model": "m" * 257}}}),
]


@pytest.mark.parametrize(("field", "given"), REFUSED)
async def test_a_request_that_is_wrong_names_its_field_and_leaves_no_run(
    tmp_path: Path, field: str, given: dict[str, Any]
) -> None:
    async with room(tmp_path) as made:
        with pytest.raises(InvalidInput) as refused:
            await made.ask(**{"question": "Who?", **given})
        assert refused.value.field == field
        assert made.count() == 0


async def test_the_largest_question_and_every_option_are_taken_and_are_on_record(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        options = {"query": {"model": "other", "reasoning": "low"}, "retrieve_graph": {"reasoning": None}}
        question = "why " * 2_560
        result = await made.ask(
            question, session="s", limit=100, as_of="2030-01-01T00:00:00Z", options=options, user="key_1"
        )
        row = made.row(result)
        assert (row.question, row.session, row.user, row.status) == (question, "s", "key_1", "succeeded")
        assert row.params["limit"] == 100
        assert row.params["options"] == {"query": {"model": "other", "reasoning": "low"}, "retrieve_graph": {}}


async def test_a_limit_that_is_not_given_is_that_of_the_settings(tmp_path: Path) -> None:
    async with room(tmp_path, query_limit=3) as made:
        assert made.job("Who?").limit == 3


def test_a_stage_without_a_model_takes_no_options() -> None:
    with pytest.raises(InvalidInput) as refused:
        check_options({"store": {}}, REMEMBER_STAGES)
    assert refused.value.field == "options.store"
    assert check_options({"query": {"reasoning": "high"}}, QUERY_STAGES) == {"query": {"reasoning": "high"}}
