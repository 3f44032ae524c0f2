"""The stamps a memory gets when the caller names none: deterministic, within bounds, and never over the caller's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.encode.policy import kind_of, salience_of
from mindlog.engine import Engine
from mindlog.records import EncodeRequest, MemoryKind

SALIENCE = [
    ("The tide turned before the ferry had left.", 0.5),
    ("I am always allergic to shellfish, remember that.", 0.8),
    ("My locker number is 4711 and you must never tell.", 0.9),
    ("The contract number is MMH-2019-044, says the museum.", 0.6),
    ("Who owns the lens of the lighthouse?", 0.4),
    ("The light is on.", 0.4),
    ("ok", 0.1),
    ("Thanks!", 0.1),
    ("Good morning", 0.1),
]


@pytest.mark.parametrize(("text", "salience"), SALIENCE)
def test_salience_follows_the_documented_rules(text: str, salience: float) -> None:
    assert salience_of(text) == pytest.approx(salience)


@given(st.text(max_size=300))
def test_salience_is_the_same_each_time_and_within_bounds(text: str) -> None:
    assert 0.05 <= salience_of(text) <= 1.0
    assert salience_of(text) == salience_of(text)


def test_only_the_opening_of_a_long_text_is_looked_at() -> None:
    assert salience_of("tide " * 1000 + "always 42") == salience_of("tide " * 1000)


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (EncodeRequest(text="x"), MemoryKind.SEMANTIC),
        (EncodeRequest(text="x", agent="ines"), MemoryKind.SEMANTIC),
        (EncodeRequest(text="x", session="s"), MemoryKind.EPISODIC),
        (EncodeRequest(text="x", occurred_at=0), MemoryKind.EPISODIC),
    ],
)
def test_what_belongs_to_a_session_or_a_moment_is_episodic(request_: EncodeRequest, kind: MemoryKind) -> None:
    assert kind_of(request_) is kind


async def test_the_callers_own_values_win_and_the_ack_tells_them(engine: Engine) -> None:
    stamped = await engine.encode(EncodeRequest(text="I always keep the log.", session="s"))
    own = await engine.encode(EncodeRequest(text="I always keep it.", session="s", kind="semantic", salience=0.0))
    assert (stamped.kind, stamped.salience) == (MemoryKind.EPISODIC, 0.8)
    assert (own.kind, own.salience) == (MemoryKind.SEMANTIC, 0.0)
    for result in (stamped, own):
        memory = await engine.get(result.memory_id)
        assert (memory.kind, memory.salience) == (result.kind, result.salience)
