"""The questions a memory answers: natural, none twice, none too long, and from a model nothing but questions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import LlmBadOutput, LlmFailed, LlmRefused
from mindlog.knowledge.extraction import SPEAKER
from mindlog.knowledge.predicates import PREDICATES
from mindlog.knowledge.questions import LONGEST_QUESTION, Fact, Question, llm_questions, template_questions
from mindlog.testing.llm_answers import refuse, server_error, think, wrong_schema
from mindlog.testing.llm_server import FakeLLM
from tests.knowledge.made import S
from tests.models.llm_made import opened


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


def asked(*facts: Fact, names: dict[str, str] | None = None, limit: int = 20) -> list[str]:
    return [question.text for question in template_questions(facts, names or {}, limit)]


FORMS = [
    (Fact("Grace", "lives_in", "Oslo"), "Where does Grace live?"),
    (Fact(S, "lives_in", "Oslo"), "Where do I live?"),
    (Fact(S, "has_birthday", "May 3"), "When is my birthday?"),
    (Fact("Grace", "sister_of", S), "Who is my sister?"),
    (Fact("Grace", "sister_of", "Tom"), "Who is Tom's sister?"),
    (Fact("Rex", "pet_of", S), "What is my pet called?"),
    (Fact("James", "favourite_band", "Muse"), "What is James' favourite band?"),
    (Fact("Leo", "ceo_of", "Acme"), "Who is the CEO of Acme?"),
    (Fact("Leo", "treasurer_of", "Acme"), "Who is the treasurer of Acme?"),
    (Fact(S, "is_a", "pilot"), "What do I do?"),
    (Fact("sensor", "failed", "yesterday"), "When did the sensor fail?"),
    (Fact("My sister", "lives_in", "Rome"), "Where does my sister live?"),
    (Fact("Ines", "watches", "films"), "What does Ines watch?"),
    (Fact("Ines", "carries", "a knife"), "What does Ines carry?"),
    (Fact("Ines", "runs_marathons_in", "Porto"), "Where does Ines run marathons?"),
    (Fact("Ines", "planned", "a trip"), "What has Ines planned?"),
    (Fact("Ines", "afraid_of", "dogs"), "What is Ines afraid of?"),
    (Fact("Ines", "nickname", "Nessa"), "What is Ines' nickname?"),
]


@pytest.mark.parametrize(("fact", "question"), FORMS)
def test_a_fact_is_asked_for_in_plain_english(fact: Fact, question: str) -> None:
    assert asked(fact)[0] == question


def test_the_speaker_goes_by_his_name_if_it_is_known() -> None:
    facts = (Fact(S, "lives_in", "Oslo"), Fact("My sister", "lives_in", "Rome"), Fact("Grace", "mother_of", S))
    assert asked(*facts, names={SPEAKER: "Ines"}) == [
        "Where does Ines live?",
        "Where does Ines's sister live?".replace("Ines's", "Ines'"),
        "Who is Ines' mother?",
    ]


def test_a_thing_is_asked_for_as_its_owners() -> None:
    facts = (Fact(S, "has", "car"), Fact("car", "colour", "red"))
    assert asked(*facts) == ["What do I have?", "What colour is my car?"]
    assert asked(*facts, names={S: "Tom"})[1] == "What colour is Tom's car?"


def test_no_question_is_asked_twice_and_every_fact_comes_first_once() -> None:
    facts = [
        Fact(S, "likes", "tea"),
        Fact(S, "likes", "coffee"),
        Fact("Leo", "founded", "Acme"),
        Fact("Ada", "met", "Leo"),
    ]
    assert template_questions(facts, {}, 3) == [
        Question("What do I like?", 0),
        Question("Who founded Acme?", 2),
        Question("Who did Ada meet?", 3),
    ]
    assert len(template_questions(facts, {}, 10)) == 4


@pytest.mark.parametrize("name", sorted(PREDICATES))
def test_every_predicate_of_the_table_has_a_question(name: str) -> None:
    (question, *_) = asked(Fact("Grace", name, "Acme"))
    assert question.endswith("?")
    assert question[0].isupper()
    assert "{" not in question
    assert "Grace" in question or "Acme" in question


@given(
    st.text(min_size=1, max_size=300),
    st.text(alphabet="abcdefg_s", min_size=1, max_size=20),
    st.text(min_size=1, max_size=300),
)
def test_any_fact_gives_short_questions_or_none(subject: str, predicate: str, target: str) -> None:
    for question in template_questions([Fact(subject, predicate, target)], {}, 6):
        assert question.text.endswith("?")
        assert len(question.text) <= LONGEST_QUESTION


async def generated(server: FakeLLM, *answers: Any, **more: Any) -> list[str]:
    server.script(*answers)
    async with opened(server) as llm:
        return await llm_questions("I moved to Oslo in May.", llm, **more)


async def test_of_a_models_answer_only_questions_are_kept(server) -> None:
    said = [
        "1. Where did I move to?", "where did I move to ?", "Where did I move to?", "I moved to Oslo.", "?", "Why\nso?",
        "When " + "very " * 50 + "long?", "何時引っ越しましたか？", "  When did I move?  ",
    ]  # fmt: skip
    assert await generated(server, {"questions": said}) == [
        "Where did I move to?", "where did I move to ?", "何時引っ越しましたか？", "When did I move?"
    ]  # fmt: skip


async def test_at_most_so_many_are_kept_and_asked_for(server) -> None:
    said = {"questions": [f"What is number {n}?" for n in range(20)]}
    assert len(await generated(server, said)) == 6
    assert await generated(server, said, limit=2) == ["What is number 0?", "What is number 1?"]
    assert "At most 2 questions" in server.requests[1].body["messages"][0]["content"]


async def test_the_text_is_data_and_the_speaker_is_named(server) -> None:
    await generated(server, think({"questions": []}), speaker="Ines\nDuarte")
    system, user = (message["content"] for message in server.requests[0].body["messages"])
    assert '"I" in the text is Ines Duarte.' in system
    assert user.count("=====TEXT-") == 2
    assert "I moved to Oslo" in user


@pytest.mark.parametrize(
    ("answers", "error"),
    [([refuse()], LlmRefused), ([server_error()], LlmFailed), ([wrong_schema(), wrong_schema()], LlmBadOutput)],
)
async def test_a_model_that_fails_gives_no_empty_list(server, answers: list[Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        await generated(server, *answers)
