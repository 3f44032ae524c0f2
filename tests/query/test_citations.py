"""Which citations of an answer stand: the sentence's words, names and numbers against the sources it cites."""

from __future__ import annotations

from typing import Any

import pytest

from mindlog.clock import from_iso
from mindlog.ids import MemoryId
from mindlog.query.citations import check
from mindlog.query.context import Source
from mindlog.records import Memory, MemoryKind, MemoryState

AT = from_iso("2024-05-08T10:00:00Z", field="at")


def source(n: int, text: str, agent: str | None = None, **more: Any) -> Source:
    memory = Memory(
        id=MemoryId(0, n, 1),
        is_current=True,
        text=text,
        dataset="default",
        agent=agent,
        session=None,
        kind=MemoryKind.EPISODIC,
        salience=0.5,
        occurred_at=AT,
        created_at=AT,
        recorded_at=AT,
        lsn=n,
        metadata={},
        document_id=None,
        state=MemoryState.LIVE,
    )
    facts: dict[str, Any] = {"kind": "memory", "start": 0, "end": len(text), "trust": "user", "flags": ()} | more
    return Source(n=n, text=text, memory=memory, **facts)


PORTO = source(1, "I moved to Porto with 1,200 books. The flat has three rooms. It rains.", "Anna")
BOAT = source(2, "We sold the boat yesterday for 3.5 million.", "Bob")


@pytest.mark.parametrize(
    "answer",
    [
        "Anna moved to Porto [1].",
        "Anna moved to Porto. [1]",
        "Anna moved to Porto with 1200 books [1].",
        "The flat has 3 rooms [1].",
        "Bob sold the boat on 7 May 2024 [2].",
        "On May 7th, 2024 Bob sold the boat for 3.5 million [2].",
        "Anna moved to Porto, and Bob sold the boat [1][2].",
    ],
)
def test_what_the_sources_say_stands(answer: str) -> None:
    checked = check(answer, [PORTO, BOAT])
    assert (checked.text, checked.removed, checked.uncited) == (answer, (), 0)


@pytest.mark.parametrize(
    ("answer", "left", "why"),
    [
        ("Anna moved to Porto [7].", "Anna moved to Porto.", "there is no source of this number"),
        ("Carol moved to Porto [1].", "Carol moved to Porto.", "no cited source holds Carol"),
        ("Katla's books are in Porto [1].", "Katla's books are in Porto.", "no cited source holds Katla"),
        ("Anna moved to Lima [1].", "Anna moved to Lima.", "no cited source holds Lima"),
        (
            "Anna moved to Porto with 1300 books [1].",
            "Anna moved to Porto with 1300 books.",
            "no cited source holds 1300",
        ),
        ("Bob sold the boat on 9 June 2024 [2].", "Bob sold the boat on 9 June 2024.", "no cited source holds"),
        ("The recipe needs butter and sugar [1].", "The recipe needs butter and sugar.", "the source does not say it"),
        ("[1]", "", "the sentence says nothing"),
    ],
)
def test_what_they_do_not_say_is_taken_out_with_the_reason(answer: str, left: str, why: str) -> None:
    checked = check(answer, [PORTO, BOAT])
    assert (checked.text, checked.citations) == (left, ())
    assert len(checked.removed) == 1
    assert checked.removed[0]["reason"].startswith(why)


def test_of_several_citations_only_the_false_one_goes() -> None:
    checked = check("Anna moved to Porto [1, 2, 44]. It rains.", [PORTO, BOAT])
    assert checked.text == "Anna moved to Porto [1]. It rains."
    assert [each["n"] for each in checked.removed] == [44, 2]
    assert [each.n for each in checked.citations] == [1]
    assert checked.uncited == 1


def test_the_quote_is_the_sentence_of_the_memory_that_says_it() -> None:
    checked = check("The flat in Porto has three rooms [1].", [PORTO])
    (citation,) = checked.citations
    assert "The flat has three rooms." in citation.quote
    assert citation.quote in PORTO.memory.text
    assert "It rains" not in citation.quote


def test_an_answer_without_marks_is_left_as_it_is() -> None:
    text = "I do not know. See the list [a] and 3 [sic]."
    assert check(text, [PORTO]).text == text


def test_an_answer_in_chinese_is_checked_by_its_characters() -> None:
    told = source(1, "车库的钥匙在蓝色的钟后面。")
    assert check("钥匙在蓝色的钟后面[1]。", [told]).removed == ()
    assert check("会议改到星期五上午十点[1]。", [told]).text == "会议改到星期五上午十点。"
