"""Recall over what derivation itself made of the memories: what was superseded, who lives where, what happened when."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.clock import from_iso
from mindlog.engine import Engine
from tests.engine.made import hit_of, ids, keep, opened, recall

BERLIN, OSLO = "I live in Berlin.", "I moved to Oslo."


def on(day: str) -> int:
    return from_iso(f"{day}T12:00:00Z", field="day")


async def told(engine: Engine, text: str, day: str, **more: object) -> str:
    return await keep(engine, text, occurred_at=on(day), agent="user", session="s", wait="derived", **more)


@pytest.mark.parametrize(
    "cue", ["car colour?", "what colour is my car", "which color is the car now?", "is my car red?"]
)
async def test_a_car_that_was_repainted_is_blue_and_was_red(tmp_path: Path, cue: str) -> None:
    async with opened(tmp_path, derive=True) as engine:
        red = await told(engine, "My car is red.", "2026-03-01")
        blue = await told(engine, "I repainted it blue.", "2026-05-01")
        result = await recall(engine, cue, trace=True)
        assert ids(result) == [blue, red]
        assert result.trace is not None
        (succession,) = result.trace["lanes"]["graph"]["superseded"]
        assert succession["memory_ids"] == [red]
        holds = {told["text"]: told["holds"] for told in result.trace["lanes"]["graph"]["statements"]}
        assert (holds["user's car's colour is red"], holds["user's car's colour is blue"]) == (False, True)


async def test_where_somebody_lives_is_where_they_moved_last_whatever_was_told_first(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        oslo = await told(engine, OSLO, "2026-05-01")
        berlin = await told(engine, BERLIN, "2026-03-01")
        result = await recall(engine, "Where do I live?")
        assert ids(result)[:2] == [oslo, berlin]
        assert {"graph", "questions"} <= set(hit_of(result, oslo).lanes)


async def test_after_two_moves_the_last_one_comes_first_and_the_first_home_last(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        berlin = await told(engine, "I live in Berlin.", "2026-01-01")
        oslo = await told(engine, "I moved to Oslo.", "2026-03-01")
        paris = await told(engine, "I moved to Paris.", "2026-05-01")
        assert ids(await recall(engine, "Where do I live?")) == [paris, oslo, berlin]


async def test_a_question_that_a_memory_answers_finds_it_without_a_word_in_common(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        memory_id = await told(engine, "Grace works at Novatek.", "2026-03-01")
        hit = hit_of(await recall(engine, "Where is Grace employed?"), memory_id)
        assert hit.lanes["questions"].score > 0


async def test_last_week_is_what_was_told_of_it_and_then_the_rest(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=True) as engine:
        old = await told(engine, "What happened last week was a storm.", "2023-11-20")
        new = await told(engine, "The pump broke.", "2030-11-20")
        result = await recall(engine, "what happened last week", as_of=on("2030-11-27"))
        assert ids(result) == [new, old]
        assert "time" in hit_of(result, new).lanes
        assert "time" not in hit_of(result, old).lanes
