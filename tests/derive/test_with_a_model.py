"""Derivation with a language model: what it finds is added, and whatever becomes of it, what the others found is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mindlog.errors import LlmBadOutput, LlmFailed
from mindlog.ids import number_id
from mindlog.models.budget import Budget, Limit
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.llm_answers import Answer, Sayable, hang, prose, refuse, say, server_error, truncated, wrong_schema
from mindlog.testing.llm_server import FakeLLM
from mindlog.testing.llm_wire import FakeRequest
from tests.derive.made import World, world
from tests.models.llm_made import opened

# The second half says a thing in a way that only a model can read.
TEXT = "I live in Lisbon, and nobody mends sails like Anna."
READING = {
    "mentions": [{"name": "Anna", "kind": "person"}],
    "claims": [
        {
            "subject": "Anna",
            "predicate": "mends",
            "value": "sails",
            "quote": "nobody mends sails like Anna",
            "confidence": 0.9,
        }
    ],
}
QUESTIONS = {"questions": ["What does Anna mend?", "Where does Ines live?"]}


class Model:
    """A rule of the fake server: an answer for each sort of question, changeable at any time."""

    def __init__(self) -> None:
        self.reading: Sayable = READING
        self.questions: Sayable = QUESTIONS

    def __call__(self, request: FakeRequest) -> Sayable:
        wanted = request.schema or {}
        properties: dict[str, Any] = dict(wanted.get("properties", {}))
        if "questions" in properties:
            return self.questions
        return self.reading if "claims" in properties else {"decisions": []}


@asynccontextmanager
async def modelled(
    path: Path, model: Model, inferences: HeldInferences | None = None, budget: Budget | None = None, **more: object
) -> AsyncGenerator[World]:
    with FakeLLM(model) as server:
        timeout = float(more.pop("timeout", 20.0))  # type: ignore[arg-type]
        async with (
            opened(server, store=inferences, budget=budget, timeout=timeout) as llm,
            world(path, llm=llm, **more) as here,  # type: ignore[arg-type]
        ):
            yield here


async def attempt(here: World) -> None:
    """One attempt at the one run that is due."""
    (run,) = await here.store.claim_runs("tests", 1, 60_000_000)
    await here.see_through(run)


async def test_what_the_model_finds_is_added_and_its_calls_are_on_record(tmp_path: Path) -> None:
    inferences = HeldInferences()
    async with modelled(tmp_path, Model(), inferences) as here:
        memory = await here.keep(TEXT, agent="Ines")
        await here.derive()
        assert here.run(memory).state == "succeeded"
        assert {"Ines lives in Lisbon", "Anna mends sails"} <= set(here.sentences())
        output = here.output(memory, "extractor")
        assert output["tiers"] == {"pattern": "ran", "classifier": "skipped: switched off", "llm": "ran"}
        assert output["prompt"] == "extract.v2"
        assert [question.text for question in here.questions(memory)] == QUESTIONS["questions"]
        assert here.output(memory, "hype") == {"questions": 2, "source": "llm"}
        stages = {stage.name: stage.inference_ids for stage in here.run(memory).stages}
        assert (*stages["extractor"], *stages["hype"]) == tuple(inferences.ids)
        assert len(stages["hype"]) == 1
        assert {(each.run_id, each.dataset) for each in inferences.records} == {(run_id(here), "default")}


def run_id(here: World) -> str:
    (row,) = here.store.runs_of(1)
    return number_id("enc", row.id)


FAILURES: Sequence[tuple[str, Sayable, str]] = [
    ("server error", server_error(), "LlmFailed"),
    ("refusal", refuse(), "LlmRefused"),
    ("prose alone", say("I would rather talk about the weather."), "LlmBadOutput"),
    ("wrong schema", wrong_schema(), "LlmBadOutput"),
    ("truncated", truncated(READING), "LlmBadOutput"),
]


@pytest.mark.parametrize(("what", "answer", "error"), FAILURES, ids=[name for name, _, _ in FAILURES])
async def test_what_the_offline_tiers_find_is_kept_whatever_the_model_says(
    tmp_path: Path, what: str, answer: Answer, error: str
) -> None:
    model = Model()
    model.reading = model.questions = answer
    async with modelled(tmp_path, model) as here:
        memory = await here.keep(TEXT, agent="Ines")
        await attempt(here)
        assert here.sentences() == ["Ines lives in Lisbon"]
        assert {here.stage(memory, stage) for stage in ("extractor", "hype")} == {"failed"}
        assert {here.stage(memory, stage) for stage in ("auto_edge", "temporal_edge", "memory_text")} == {"succeeded"}
        output = here.output(memory, "extractor")
        tiers = output["tiers"]
        assert isinstance(tiers, dict)
        assert tiers["llm"].startswith(f"failed: {error}")
        assert ("raw_output" in output) is (error == "LlmBadOutput")
        assert here.questions(memory)[0].source == "template"
        assert here.output(memory, "hype")["reason"].startswith(error)  # type: ignore[union-attr]
        failures = here.attempts[here.run(memory).id].failures
        assert set(failures) == {"extractor", "hype"}


async def test_a_model_that_comes_back_adds_what_was_missing_and_doubles_nothing(tmp_path: Path) -> None:
    model = Model()
    model.reading = model.questions = server_error()
    async with modelled(tmp_path, model, derive_backoff_seconds=0.001) as here:
        memory = await here.keep(TEXT, agent="Ines")
        await attempt(here)
        before = {row.id: row.text for row in here.statements()}
        assert here.run(memory).state == "retrying"
        assert isinstance(here.attempts[here.run(memory).id].failures["extractor"], LlmFailed)
        model.reading, model.questions = READING, QUESTIONS
        while here.run(memory).state == "retrying":
            await here.derive()
        assert here.run(memory).state == "succeeded"
        after = {row.id: row.text for row in here.statements()}
        assert before.items() <= after.items()
        assert sorted(after.values()) == ["Anna mends sails", "Ines lives in Lisbon"]
        assert [question.text for question in here.questions(memory)] == QUESTIONS["questions"]


async def test_only_what_failed_is_asked_again(tmp_path: Path) -> None:
    model, inferences = Model(), HeldInferences()
    model.questions = server_error()
    async with modelled(tmp_path, model, inferences, derive_backoff_seconds=0.001) as here:
        memory = await here.keep(TEXT, agent="Ines")
        await attempt(here)
        asked = [each.stage for each in inferences.records]
        assert asked.count("extractor") == 1
        model.questions = QUESTIONS
        while here.run(memory).state == "retrying":
            await here.derive()
        assert [each.stage for each in inferences.records].count("extractor") == 1
        assert here.run(memory).state == "succeeded"


async def test_a_spent_budget_skips_the_model_and_fails_nothing(tmp_path: Path) -> None:
    budget = Budget(run=Limit(tokens=1), day=Limit())
    async with modelled(tmp_path, Model(), budget=budget) as here:
        memory = await here.keep(TEXT, agent="Ines")
        await here.derive()
        assert here.run(memory).state == "succeeded"
        tiers = here.output(memory, "extractor")["tiers"]
        assert isinstance(tiers, dict)
        assert tiers["llm"].startswith("skipped: ")
        hype = here.output(memory, "hype")
        assert (hype["source"], bool(hype["reason"])) == ("template", True)
        assert here.sentences() == ["Ines lives in Lisbon"]


async def test_an_answer_in_prose_is_read_all_the_same(tmp_path: Path) -> None:
    model = Model()
    model.reading = prose(READING)
    async with modelled(tmp_path, model) as here:
        await here.keep(TEXT, agent="Ines")
        await here.derive()
        assert "Anna mends sails" in here.sentences()


async def test_what_the_model_invents_is_counted_and_not_kept(tmp_path: Path) -> None:
    model = Model()
    model.reading = {
        "mentions": [{"name": "Anna", "kind": "person"}, {"name": "Bertrand", "kind": "person"}],
        "claims": [
            {"subject": "Anna", "predicate": "includes", "object": "Anna", "quote": "sails like Anna"},
            {"subject": "Bertrand", "predicate": "mends", "value": "sails", "quote": "Bertrand mends sails"},
            {"subject": "Anna", "predicate": "mends", "value": "nets", "quote": "Anna mends stamps"},
        ],
    }
    async with modelled(tmp_path, model) as here:
        memory = await here.keep(TEXT, agent="Ines")
        await here.derive()
        assert here.sentences() == ["Ines lives in Lisbon"]
        assert "Bertrand" not in here.names()
        rejected = here.output(memory, "extractor")["rejected"]
        assert isinstance(rejected, dict)
        assert sum(rejected.values()) >= 3


async def test_a_hanging_model_holds_no_lock_and_breaking_off_leaves_nothing_held(tmp_path: Path) -> None:
    model = Model()
    model.reading = hang()
    with FakeLLM(model) as server:
        async with opened(server) as llm, world(tmp_path, llm=llm) as here:
            memory = await here.keep(TEXT, agent="Ines")
            (run,) = await here.store.claim_runs("tests", 1, 60_000_000)
            task = asyncio.create_task(here.see_through(run))
            assert await asyncio.to_thread(server.wait_for, 1)
            assert here.stage(memory, "extractor") == "started"
            async with asyncio.timeout(20), here.tools.locks.hold(here.number()):
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert not len(here.tools.locks)
            assert here.stage(memory, "extractor") == "failed"


async def test_an_output_is_small_whatever_the_model_says(tmp_path: Path) -> None:
    model = Model()
    model.reading = model.questions = say("ё" * 100_000)
    async with modelled(tmp_path, model) as here:
        memory = await here.keep(TEXT, agent="Ines")
        await attempt(here)
        assert isinstance(here.attempts[here.run(memory).id].failures["extractor"], LlmBadOutput)
        for stage in ("extractor", "hype"):
            assert len(json.dumps(here.output(memory, stage), ensure_ascii=False).encode()) < 16 << 10
