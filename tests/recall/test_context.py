"""The context block: the best hits first, cited by number, and never over the budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.engine import Engine
from mindlog.ids import MemoryId
from mindlog.recall.context import count_tokens, pack
from mindlog.records import Hit, Memory, MemoryKind, MemoryState
from tests.engine.made import keep, recall


def hit(text: str, number: int = 1, agent: str | None = None, session: str | None = None) -> Hit:
    memory = Memory(
        id=MemoryId(0, number, 1),
        is_current=True,
        text=text,
        dataset="d",
        agent=agent,
        session=session,
        kind=MemoryKind.EPISODIC,
        salience=0.5,
        occurred_at=0,
        created_at=0,
        recorded_at=0,
        lsn=1,
        metadata={},
        document_id=None,
        state=MemoryState.LIVE,
    )
    return Hit(memory=memory, score=1.0, lanes={})


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300)


@given(st.lists(texts, max_size=8), st.integers(1, 400))
def test_a_block_is_never_over_its_budget(texts: list[str], budget: int) -> None:
    block = pack([hit(text, n, "Ines", "s") for n, text in enumerate(texts, 1)], budget)
    assert count_tokens(block) <= budget


@given(st.lists(texts, min_size=1, max_size=6))
def test_with_room_for_all_every_text_is_there_whole_and_in_order(texts: list[str]) -> None:
    block = pack([hit(text, n) for n, text in enumerate(texts, 1)], 1_000_000)
    at = 0
    for number, text in enumerate(texts, 1):
        at = block.index(f"[{number}] ", at)
        at = block.index("\n" + text, at)


def test_an_entry_names_its_number_time_session_id_and_speaker() -> None:
    assert pack([hit("The light is on.", 7, "Ruth", "opening")], 100) == (
        "[1] 1970-01-01T00:00:00Z, session opening (mem_0000000000003G000004000000)\nRuth: The light is on."
    )
    assert pack([hit("x", 7)], 100) == "[1] 1970-01-01T00:00:00Z (mem_0000000000003G000004000000)\nx"


def test_the_best_hit_is_cut_and_later_ones_are_passed_over() -> None:
    long, short = hit("tide " * 500, 1), hit("short", 2)
    cut = pack([long, short], 60)
    assert cut.startswith("[1] ")
    assert cut.endswith(" …")
    assert "short" not in cut
    passed = pack([short, long, hit("also short", 3)], 120)
    assert "[1] " in passed
    assert "[2] " not in passed
    assert "[3] " in passed


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("外币汇率", 4), ("éé", 2)])
def test_tokens_are_counted_high_rather_than_low(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_nothing_fits_into_nearly_nothing() -> None:
    assert pack([hit("x")], 1) == ""
    assert pack([], 1000) == ""


def test_a_cut_never_splits_a_character() -> None:
    for budget in range(20, 60):
        pack([hit("👩‍👩‍👧外币汇率" * 50)], budget).encode().decode()


async def test_a_recall_packs_its_hits_in_rank_order(engine: Engine) -> None:
    for n in range(5):
        await keep(engine, f"the lamp needs {n} watts", agent="Tomasz", session="solar", occurred_at=n)
    result = await recall(engine, "how many watts does the lamp need", budget_tokens=400, limit=5)
    assert result.context is not None
    positions = [result.context.index(f"({hit.memory.id})") for hit in result.hits]
    assert positions == sorted(positions)
    assert count_tokens(result.context) <= 400
    assert (await recall(engine, "watts")).context is None
