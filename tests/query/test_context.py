"""What an answer is made from: within the budget whatever there is to know, the best first, long texts cut where they answer."""

from __future__ import annotations

import json
from pathlib import Path

from mindlog.query.context import gather, shown_sources
from mindlog.recall.context import count_tokens
from tests.query.made import Room, room


async def gathered(made: Room, question: str, **more: object) -> list[dict[str, object]]:
    await made.ask(question, **more)
    assert made.last.context is not None
    return [json.loads(line) for line in shown_sources(made.last.context.sources).split("\n")[1:-1]]


async def test_the_context_keeps_its_budget_and_says_what_was_left_out(tmp_path: Path) -> None:
    async with room(tmp_path, query_context_tokens=400) as made:
        for n in range(40):
            await made.keep(f"The lighthouse keeper number {n} painted the tower in the year {1900 + n}. " * 3)
        result = await made.ask("Which lighthouse keeper painted the tower?", limit=40)
        assert made.last.context is not None
        shown = shown_sources(made.last.context.sources)
        assert count_tokens(shown) <= 400 + 40
        assert made.last.context.left_out > 0
        assert any("more were found" in note for note in result.notes)


async def test_statements_come_first_and_say_who_said_them_and_since_when(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await made.keep("Carol lives in Oslo.", agent="Bob", session="s", occurred_at="2024-01-05T10:00:00Z")
        await made.derive()
        first, *others = await gathered(made, "Where does Carol live?")
        assert (first["n"], first["kind"], first["text"]) == (1, "statement", "Carol lives in Oslo")
        assert (first["said_by"], first["session"], first["trust"]) == ("Bob", "s", "user")
        assert (first["words"], first["holds"]) == ("Carol lives in Oslo.", True)
        assert [each["kind"] for each in others] == ["memory"]
        assert [each["n"] for each in (first, *others)] == [1, 2]


async def test_a_very_long_memory_is_cut_around_what_the_question_asks_for(tmp_path: Path) -> None:
    async with room(tmp_path, query_context_tokens=1000) as made:
        filler = " ".join(f"Shelf {n} holds paint." for n in range(400))
        await made.keep(f"{filler} The garage key hangs behind the clock. {filler}")
        (source,) = await gathered(made, "Where does the garage key hang?")
        assert "The garage key hangs behind the clock." in str(source["text"])
        assert len(str(source["text"])) < 1000


async def test_gathering_twice_gives_the_same(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await made.keep("Carol lives in Oslo.", agent="Bob")
        await made.derive()
        await made.ask("Where does Carol live?")
        assert gather(made.last) == made.last.context
