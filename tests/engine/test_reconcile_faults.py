"""What reconciling must never do: lose a memory to a model that answers badly, or keep one fact five times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mindlog.testing.llm_answers import misbehave, say
from mindlog.testing.llm_wire import FakeRequest
from mindlog.views import StatementRequest
from tests.engine.made import BOUND, everything, keep
from tests.engine.test_deriving import runs
from tests.engine.test_deriving_with_a_model import always, modelled

PARAPHRASES = (
    "I live in Rome.",
    "My home is in Rome these days.",
    "Rome is the city where I live now.",
    "These days I am living in Rome.",
    "I reside in Rome.",
)


def lives_in_rome(request: FakeRequest) -> Any:
    """What a good model reads out of any of them."""
    if "claims" not in (request.schema or {}).get("properties", {}):
        return say(
            {"questions": []} if "questions" in (request.schema or {}).get("properties", {}) else {"decisions": []}
        )
    (said,) = (text for text in PARAPHRASES if text in request.messages[-1][1])
    return say({
        "mentions": [{"name": "Rome", "kind": "place"}],
        "claims": [{"subject": "I", "predicate": "lives_in", "object": "Rome", "quote": said}],
    })  # fmt: skip


async def test_five_ways_to_say_one_thing_are_one_statement_with_five_pieces_of_evidence(tmp_path: Path) -> None:
    async with modelled(tmp_path, lives_in_rome) as (engine, _):
        for number, text in enumerate(PARAPHRASES):
            await keep(engine, text, agent="Ines", occurred_at=f"2025-03-0{number + 1}T10:00:00Z")
        assert await engine.settled(BOUND)
        assert len(await everything(engine)) == len(PARAPHRASES)
        page = await engine.knowledge.statements(StatementRequest(subject="Ines", predicate="lives_in"))
        (statement,) = page.data
        assert (statement.object.name if statement.object else None) == "Rome"
        assert len({each.memory_id for each in statement.evidence}) == len(PARAPHRASES)
        assert statement.status == "current"


async def test_a_model_that_answers_out_of_shape_costs_no_memory_and_no_statement(tmp_path: Path) -> None:
    async with modelled(tmp_path, always(lambda value: misbehave("wrong-schema", value)), derive_attempts=1) as (
        engine,
        _,
    ):
        for number in range(20):
            await keep(engine, f"I live in Rome. Note {number} of my diary.", agent="Ines")
        assert await engine.settled(BOUND)
        assert len(await everything(engine)) == 20
        assert {run.status for run in await runs(engine)} == {"failed"}
        page = await engine.knowledge.statements(StatementRequest(subject="Ines", predicate="lives_in"))
        (statement,) = page.data
        assert statement.evidence_count == 20
