"""The questions a memory answers, made without a model and with one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mindlog.models.embedder import EmbedKind, TextEmbedding
from mindlog.testing.fakes import HashEmbedder
from tests.derive.made import world
from tests.derive.test_edges import edit


class Listening(HashEmbedder):
    """A hash embedder that remembers how it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[tuple[str, ...], EmbedKind]] = []

    async def embed(self, texts: list[str], kind: EmbedKind = "document") -> list[TextEmbedding]:  # type: ignore[override]
        self.asked.append((tuple(texts), kind))
        return await super().embed(texts, kind)


async def test_statements_become_questions_embedded_as_cues_in_one_call(tmp_path: Path) -> None:
    embedder = Listening()
    async with world(tmp_path, embedder) as here:
        memory = await here.keep("I live in Lisbon and my sister Anna works at Acme Corp.", agent="Ines")
        await here.derive()
        questions = here.questions(memory)
        assert 1 <= len(questions) <= here.tools.settings.hype_template_questions
        texts = tuple(question.text for question in questions)
        assert any("Ines" in text and text.endswith("?") for text in texts)
        assert {question.source for question in questions} == {"template"}
        assert [asked for asked in embedder.asked if asked[1] == "query"] == [(texts, "query")]
        vectors = np.stack([vector for _, _, _, vector in here.store.question_vectors(-1, 100)])
        assert np.array_equal(vectors, np.stack([embedder.vector(text) for text in texts]))
        assert here.output(memory, "hype") == {
            "questions": len(texts),
            "source": "template",
            "reason": "no model configured",
        }


async def test_the_human_side_asks_about_itself_as_i(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        nobody = await here.keep("I live in Lisbon.")
        human = await here.keep("I live in Porto.", agent="user", session="s")
        await here.derive()
        for memory in (nobody, human):
            assert "Where do I live?" in [question.text for question in here.questions(memory)]


async def test_a_memory_without_statements_has_no_questions_and_says_so(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("well, and so it goes")
        await here.derive()
        assert here.questions(memory) == []
        assert here.output(memory, "hype")["questions"] == 0
        assert here.stage(memory, "hype") == "succeeded"


async def test_questions_of_an_edited_text_take_the_place_of_the_old_ones(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("My sister Anna works at Acme Corp.", agent="Ines")
        await here.derive()
        assert here.questions(memory)
        memory = await edit(here, memory, "well, and so it goes")
        await here.derive()
        assert here.questions(memory) == []
        assert here.store.question_vectors(-1, 100) == []


async def test_questions_are_made_again_without_the_extractor_and_are_the_same(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("I live in Lisbon and my sister Anna works at Acme Corp.", agent="Ines")
        await here.derive()
        before = here.questions(memory)
        await here.again(memory, ["hype"])
        assert here.questions(memory) == before


async def test_no_questions_are_made_where_none_are_wanted(tmp_path: Path) -> None:
    async with world(tmp_path, hype_template_questions=0) as here:
        memory = await here.keep("I live in Lisbon.", agent="Ines")
        await here.derive()
        assert here.questions(memory) == []


async def test_an_embedder_that_fails_fails_the_stage_and_the_next_attempt_makes_the_questions(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    async with world(tmp_path, embedder, derive_backoff_seconds=0.001) as here:
        memory = await here.keep("I live in Lisbon.", agent="Ines")
        embedder.fail_texts = {"Where does Ines live?"}
        (run,) = await here.store.claim_runs("tests", 1, 60_000_000)
        await here.see_through(run)
        assert here.stage(memory, "hype") == "failed"
        assert here.run(memory).state == "retrying"
        embedder.fail_texts = set()
        while here.run(memory).state == "retrying":
            await here.derive()
        assert [question.text for question in here.questions(memory)][:1] == ["Where does Ines live?"]
        assert here.run(memory).attempts == 2
