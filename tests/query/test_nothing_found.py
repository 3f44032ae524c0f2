"""A question that nothing in memory is about: the fixed answer, the other stages skipped, no model called (T89)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.models.load import load_default
from mindlog.query.retrieve import NO_INFORMATION
from mindlog.testing.llm_server import FakeLLM
from tests.engine.made import needs_model
from tests.models.llm_made import opened
from tests.query.made import room

SKIPPED = {
    "retrieve_graph": "succeeded",
    "detect_geo": "skipped",
    "nearby_geo": "skipped",
    "query": "skipped",
}
OTHER_THINGS = (
    "I repotted the basil and it is finally growing again.",
    "Dinner with Marta on Friday, she brings the lemon cake.",
    "The dentist moved my appointment to the third of June.",
    "My sister's cat sleeps on the radiator all winter.",
)
ELSEWHERE = (
    "What is the capital of Atlantis?",
    "capital of Atlantis?",
    "How do I configure nginx as a reverse proxy?",
    "Who won the 1998 World Cup?",
    "Wie heißt die Hauptstadt von Frankreich?",
)


async def test_an_empty_dataset_answers_that_there_is_nothing_and_calls_no_model(tmp_path: Path) -> None:
    with FakeLLM() as server:
        async with opened(server) as llm, room(tmp_path, llm=llm) as made:
            result = await made.ask("capital of Atlantis?")
            assert (result.answer, result.answered_by, result.citations) == (NO_INFORMATION, "none", ())
            assert made.statuses(result) == SKIPPED
            assert made.row(result).status == "succeeded"
        assert server.requests == []


@needs_model
async def test_memories_about_other_things_are_no_information_about_it(tmp_path: Path) -> None:
    with FakeLLM() as server:
        embedder = load_default()
        async with opened(server) as llm, room(tmp_path, embedder, llm=llm) as made:
            for text in OTHER_THINGS:
                await made.keep(text)
            await made.derive()
            for question in ELSEWHERE:
                result = await made.ask(question)
                assert result.answer == NO_INFORMATION, question
                assert made.statuses(result) == SKIPPED
            assert server.requests == []
            await made.ask("What did I repot?")
        assert len(server.requests) == 1
        await embedder.aclose()


async def test_filters_and_the_instant_asked_for_can_leave_nothing(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await made.keep("Grace lives in Oslo.", session="a")
        await made.derive()
        assert "Oslo" in (await made.ask("Where does Grace live?")).answer
        for narrow in ({"filters": {"session": "b"}}, {"as_of": "2001-01-01T00:00:00Z"}):
            result = await made.ask("Where does Grace live?", **narrow)
            assert (result.answer, result.answered_by) == (NO_INFORMATION, "none")


async def test_another_dataset_is_not_looked_at(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await made.store.put_dataset("other", None)
        await made.keep("Grace lives in Oslo.", dataset="other")
        await made.derive()
        assert (await made.ask("Where does Grace live?")).answer == NO_INFORMATION
        assert "Oslo" in (await made.ask("Where does Grace live?", dataset="other")).answer


async def test_what_is_found_and_meets_too_little_of_the_question_is_no_answer(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await made.keep("The harbour was loud.")
        await made.derive()
        result = await made.ask("Which engineer repaired the broken turbine behind the harbour last winter?")
        assert (result.answer, result.answered_by) == (NO_INFORMATION, "none")
        assert made.statuses(result)["query"] == "succeeded"


@pytest.mark.parametrize("stream", [False, True])
async def test_the_fixed_answer_is_streamed_too(tmp_path: Path, stream: bool) -> None:
    async with room(tmp_path) as made:
        if stream:
            parts = await made.parts("capital of Atlantis?")
            assert [part.text for part in parts] == [NO_INFORMATION, ""]
            assert parts[-1].result is not None
            assert parts[-1].result.answered_by == "none"
        else:
            assert (await made.ask("capital of Atlantis?")).answer == NO_INFORMATION
