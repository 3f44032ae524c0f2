"""The time lane: what happened in the time a cue names; of a time relative to now, before everything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.clock import from_iso
from mindlog.engine import Engine
from tests.engine.made import DAY, ManualClock, hit_of, ids, keep, keep_all, opened, recall
from tests.recall.made import Graph

NOW = from_iso("2030-11-27T12:34:00Z", field="now")  # a Wednesday, after everything here was recorded
LAST_WEEK = from_iso("2030-11-20T08:00:00Z", field="t")
YESTERDAY = NOW - DAY
YEARS_AGO = from_iso("2027-11-20T08:00:00Z", field="t")
CUES = [
    ("what happened last week", LAST_WEEK),
    ("was ist letzte Woche passiert", LAST_WEEK),
    ("what happened in the past seven days", YESTERDAY),
    ("昨日は何があった", YESTERDAY),
    ("上周发生了什么", LAST_WEEK),
    ("who called yesterday", YESTERDAY),
]


@pytest.mark.parametrize(("cue", "inside"), CUES)
async def test_what_lies_in_a_relative_window_comes_before_all_that_fits_better(
    engine: Engine, cue: str, inside: int
) -> None:
    old = await keep_all(engine, [f"{cue} {n}" for n in range(20)], occurred_at=YEARS_AGO)
    new = await keep_all(engine, [f"something quite else {n}" for n in range(3)], occurred_at=inside)
    result = await recall(engine, cue, as_of=NOW, limit=10)
    assert set(ids(result)[:3]) == set(new)
    assert set(ids(result)[3:]) < set(old)
    for hit in result.hits:
        assert ("time" in hit.lanes) is (hit.memory.occurred_at == inside)
    assert result.time is not None
    assert result.time["relative"] is True
    assert result.time["start"] <= inside < result.time["end"]


async def test_without_an_instant_now_is_the_clocks(tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    async with opened(tmp_path, clock=clock) as engine:
        old = await keep(engine, "what happened in the past seven days", occurred_at=YEARS_AGO)
        new = await keep(engine, "written this very moment")
        assert ids(await recall(engine, "what happened in the past seven days")) == [new, old]
        clock.at += 8 * DAY
        assert ids(await recall(engine, "what happened in the past seven days")) == [old, new]


async def test_without_anything_in_the_window_the_order_is_as_ever_and_the_window_is_told(engine: Engine) -> None:
    kept = await keep_all(engine, [f"fog signal {n}" for n in range(5)], occurred_at=YEARS_AGO)
    result = await recall(engine, "what happened to the fog signal last week", as_of=NOW)
    assert set(ids(result)) == set(kept)
    assert all("time" not in hit.lanes for hit in result.hits)
    assert result.time == {
        "phrase": "last week",
        "start": from_iso("2030-11-18T00:00:00Z", field="t"),
        "end": from_iso("2030-11-25T00:00:00Z", field="t"),
        "relative": True,
    }


async def test_a_window_is_filled_however_much_lies_outside_of_it(engine: Engine) -> None:
    await keep_all(engine, [f"the meeting about {n}" for n in range(1500)], occurred_at=YEARS_AGO)
    new = await keep_all(engine, [f"entirely other {n}" for n in range(30)], occurred_at=LAST_WEEK)
    result = await recall(engine, "the meeting last week", as_of=NOW, limit=40)
    assert set(ids(result)[:30]) == set(new)
    assert len(result.hits) == 40


async def test_a_text_whose_words_stand_out_does_not_take_the_place_of_one_in_the_window(engine: Engine) -> None:
    await keep(engine, "zarquon", occurred_at=YEARS_AGO)
    new = await keep_all(engine, [f"note {n}" for n in range(5)], occurred_at=LAST_WEEK)
    assert set(ids(await recall(engine, "zarquon last week", as_of=NOW, limit=5))) == set(new)


async def test_a_time_that_is_not_understood_is_told_and_narrows_nothing(engine: Engine) -> None:
    memory_id = await keep(engine, "the lamp was lit", occurred_at=YEARS_AGO)
    result = await recall(engine, "what was lit recently?", as_of=NOW, trace=True)
    assert ids(result) == [memory_id]
    assert result.time == {"unparsed": "recently"}
    assert result.trace is not None
    assert result.trace["time"]["unparsed"] == "recently"


async def test_a_cue_without_time_says_nothing_of_it(engine: Engine) -> None:
    await keep(engine, "the lamp was lit")
    result = await recall(engine, "was the lamp lit?", trace=True)
    assert result.time is None
    assert result.trace is not None
    assert result.trace["time"] is None
    assert result.trace["lanes"]["time"]["candidates"] == []


async def test_what_happened_on_a_named_day_is_a_candidate_at_any_distance(engine: Engine) -> None:
    await keep_all(engine, [f"the harbour log of page {n}" for n in range(400)], occurred_at=YEARS_AGO)
    day = from_iso("2023-05-08T10:00:00Z", field="t")
    memory_id = await keep(engine, "an unrelated note", occurred_at=day)
    for cue in ("the harbour log on May 8, 2023", "the harbour log on 2023-05-08", "am 8. Mai 2023", "on May 8"):
        result = await recall(engine, cue, as_of=NOW, trace=True)
        assert result.trace is not None
        assert [c["memory_id"] for c in result.trace["lanes"]["time"]["candidates"]] == [memory_id], cue
        assert result.time is not None
        assert result.time["relative"] is False


async def test_days_are_those_of_the_datasets_zone(engine: Engine) -> None:
    await engine.put_dataset("far", timezone="Pacific/Auckland")
    at = from_iso("2030-11-27T10:30:00Z", field="t")  # late on the 27th there, where the 28th has begun
    memory_id = await keep(engine, "a note", dataset="far", occurred_at=at)
    assert "time" in hit_of(await recall(engine, "yesterday", dataset="far", as_of=NOW), memory_id).lanes
    assert "time" not in hit_of(await recall(engine, "today", dataset="far", as_of=NOW), memory_id).lanes


async def test_what_a_memory_dates_in_the_window_puts_it_inside(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        crowd = await keep_all(engine, [f"what was last week {n}" for n in range(10)], occurred_at=YEARS_AGO)
        memory_id = await keep(engine, "the fair is in three years", occurred_at=YEARS_AGO)
        graph = Graph(engine)
        await graph.say(memory_id, ("fair", "scheduled_for", "then"), valid=(LAST_WEEK, LAST_WEEK + DAY))
        result = await recall(engine, "what was last week", as_of=NOW, trace=True)
        assert ids(result)[0] == memory_id
        assert ids(result)[1] in crowd
        assert result.trace is not None
        assert (result.trace["time"]["inside"], result.trace["time"]["dated"]) == (1, 1)


async def test_a_state_that_still_holds_does_not_put_its_memory_into_every_later_week(tmp_path: Path) -> None:
    async with opened(tmp_path, derive=False) as engine:
        old = await keep(engine, "I moved to Oslo", occurred_at=YEARS_AGO)
        new = await keep(engine, "nothing of note", occurred_at=LAST_WEEK)
        await Graph(engine).say(old, ("Anna", "lives_in", "Oslo"), valid=(YEARS_AGO, None))
        result = await recall(engine, "what happened last week to Oslo", as_of=NOW)
        assert ids(result) == [new, old]
        assert "time" not in hit_of(result, old).lanes


async def test_filters_hold_in_the_window(engine: Engine) -> None:
    await keep(engine, "one", session="a", occurred_at=LAST_WEEK)
    wanted = await keep(engine, "two", session="b", occurred_at=LAST_WEEK)
    assert ids(await recall(engine, "last week", {"session": "b"}, as_of=NOW)) == [wanted]


async def test_why_not_says_that_a_memory_is_outside_of_the_window(engine: Engine) -> None:
    old = await keep(engine, "the meeting", occurred_at=YEARS_AGO)
    await keep(engine, "other", occurred_at=LAST_WEEK)
    result = await recall(engine, "the meeting last week", as_of=NOW, limit=1, explain_ids=(old,))
    assert result.trace is not None
    (told,) = result.trace["explained"]
    assert (told["outcome"], told["rank"]) == ("below_limit", 2)
    assert "outside of 'last week'" in told["why"]
