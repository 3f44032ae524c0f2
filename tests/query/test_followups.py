"""A question that leaves something to the turns before it: which do, and that the session's turns are whoever's who asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.query.followup import expanded, is_open, names_in
from mindlog.store.askingrows import Asked
from tests.query.made import Room, room


def turn(question: str, answer: str = "", run: int = 1) -> Asked:
    return Asked(run=run, question=question, answer=answer, at=run)


OF_ANNA = turn("Where does Anna Lindqvist live?", "Anna Lindqvist lives in Porto [1].")


@pytest.mark.parametrize(
    "question",
    [
        "And where does he work?",
        "Where does she work?",
        "what about Bob?",
        "and Bob?",
        "Since when?",
        "Why?",
        "Who told her that?",
        "Und wo arbeitet sie?",
        "¿Y dónde trabaja ella?",
        "那他在哪里工作？",
    ],
)
def test_these_leave_something_open(question: str) -> None:
    assert is_open(question)
    assert expanded(question, [OF_ANNA], 10_240) != question


@pytest.mark.parametrize(
    "question",
    [
        "Where does Anna live?",
        "Where do I work?",
        "What is my dentist's phone number?",
        "Which plumber repaired the kitchen sink in March?",
    ],
)
def test_these_are_whole(question: str) -> None:
    assert not is_open(question)
    assert expanded(question, [OF_ANNA], 10_240) == question


def test_names_and_subject_come_from_the_latest_turns_without_citations() -> None:
    assert expanded("And where does she work?", [OF_ANNA], 10_240).startswith(
        "And where does she work? Anna Lindqvist Porto"
    )
    of_bob = expanded("and Bob?", [OF_ANNA], 10_240)
    assert "live" in of_bob
    later = turn("How long has she been there?", "For two years [2].", 2)
    assert "Anna Lindqvist" in expanded("Does she like it?", [later, OF_ANNA], 10_240)


def test_an_expansion_keeps_the_limit_and_the_question_whole() -> None:
    question = "And where does she work? " + "é" * 5_000
    assert expanded(question, [OF_ANNA], 10_030).startswith(question)
    assert len(expanded(question, [OF_ANNA], 10_030).encode()) <= 10_030
    assert expanded(question, [OF_ANNA], 10) == question


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Where does Anna Lindqvist live?", ["Anna Lindqvist"]),
        ("Anna's sister met Bob, Carl and Dora in New York.", ["Anna", "Bob", "Carl", "Dora", "New York"]),
        ("What did I say?", []),
        ("", []),
        ("I told NASA.", ["NASA"]),
    ],
)
def test_names_are_found_by_how_they_are_written(text: str, names: list[str]) -> None:
    assert names_in(text) == names


async def told(made: Room) -> None:
    await made.keep("I live in Porto and work at Novatek.", agent="Anna")
    await made.keep("I live in Oslo and work at Fjordbank.", agent="Bob")
    await made.derive()


async def test_a_question_of_a_session_is_answered_about_whom_the_last_one_was(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await told(made)
        assert "Porto" in (await made.ask("Where does Anna live?", session="s")).answer
        follow = await made.ask("And where does she work?", session="s")
        assert "Novatek" in follow.answer
        assert "Fjordbank" not in follow.answer
        assert "Fjordbank" in (await made.ask("and Bob?", session="s")).answer


async def test_turns_of_others_of_other_sessions_and_of_other_datasets_are_not_looked_at(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await told(made)
        await made.store.put_dataset("other", None)
        await made.ask("Where does Anna live?", session="s", user="key_1")
        seen = {
            "own": ("s", "key_1", "default"),
            "another user": ("s", "key_2", "default"),
            "another session": ("t", "key_1", "default"),
            "another dataset": ("s", "key_1", "other"),
            "whoever runs the process": ("s", None, "default"),
        }
        turns = {}
        for who, (session, user, dataset) in seen.items():
            await made.ask("Why is that so?", session=session, user=user, dataset=dataset)
            turns[who] = [each.question for each in made.last.turns]
        assert turns["own"] == ["Where does Anna live?"]
        assert turns["another user"] == turns["another session"] == turns["another dataset"] == []
        assert turns["whoever runs the process"][-1] == "Where does Anna live?"


async def test_no_turns_are_read_without_a_session_or_if_the_setting_says_none(tmp_path: Path) -> None:
    async with room(tmp_path, query_turns=0) as made:
        await told(made)
        await made.ask("Where does Anna live?", session="s")
        await made.ask("And where does she work?", session="s")
        assert (made.last.turns, made.last.cue) == ((), "And where does she work?")
