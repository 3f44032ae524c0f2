"""The trace: what each stage, lane and filter did, how scores came about, and why a memory is not there."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from mindlog.engine import Engine
from mindlog.ids import MemoryId
from mindlog.pipeline import names
from mindlog.recall import fuse
from mindlog.recall.features import MET_AFTER, MET_BEFORE, WINDOW_PENALTY
from mindlog.recall.lanes import LANES
from mindlog.recall.recall import RECALL
from mindlog.records import RecallResult
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import Spanned, hit_of, ids, keep, keep_all, opened, recall


async def traced(
    engine: Engine, cue: str, filters: dict[str, Any] | None = None, **more: Any
) -> tuple[RecallResult, dict[str, Any]]:
    result = await recall(engine, cue, filters, trace=True, **more)
    assert result.trace is not None
    return result, json.loads(json.dumps(result.trace))  # plain JSON values


async def test_there_is_no_trace_unless_asked_for(engine: Engine) -> None:
    await keep(engine, "x")
    assert (await recall(engine, "x")).trace is None


async def test_every_stage_is_on_the_record_in_order(engine: Engine) -> None:
    await keep(engine, "x")
    _, trace = await traced(engine, "x")
    assert [stage["name"] for stage in trace["stages"]] == list(names(RECALL))
    assert {stage["status"] for stage in trace["stages"]} == {"succeeded"}
    assert all(stage["ms"] >= 0 for stage in trace["stages"])


async def test_the_cue_is_shown_as_it_was_read(engine: Engine) -> None:
    await keep(engine, "x")
    _, trace = await traced(engine, "What did I do on May 8, 2023?")
    assert trace["cue"]["first_person"] is True
    assert trace["cue"]["dates"] == [{"year": 2023, "month": 5, "day": 8}]
    assert "what" not in trace["cue"]["terms"]


async def test_each_lanes_candidates_are_those_of_the_hits(engine: Engine) -> None:
    await keep_all(engine, [f"lamp {n}" if n % 2 else f"lens {n}" for n in range(40)])
    result, trace = await traced(engine, "lamp", limit=40)
    assert set(trace["lanes"]) == set(LANES)
    assert len(trace["lanes"]["semantic"]["candidates"]) == 40
    assert len(trace["lanes"]["lexical"]["candidates"]) == 20
    for name, lane in trace["lanes"].items():
        assert [c["rank"] for c in lane["candidates"]] == list(range(1, len(lane["candidates"]) + 1))
        scores = [c["score"] for c in lane["candidates"]]
        assert scores == sorted(scores, reverse=True)
        for candidate in lane["candidates"]:
            seen = hit_of(result, candidate["memory_id"]).lanes[name]
            assert (seen.rank, round(seen.score, 6)) == (candidate["rank"], candidate["score"])


async def test_each_filters_drops_are_counted(engine: Engine) -> None:
    for n in range(20):
        await keep(engine, f"m {n}", session="ab"[n % 2], agent="xyz"[n % 3], occurred_at=n, metadata={"n": n})
    filters = {"session": "a", "agent": ["x", "y"], "after": 4, "metadata": {"n": {"$lt": 16}}}
    result, trace = await traced(engine, "m", filters, limit=100)
    told = trace["filters"]
    assert told["considered"] == 20
    assert told["dropped_by"] == {"session": 10, "agent": 6, "after": 4, "metadata": 4}
    assert told["passed"] == len(result.hits) == sum(n % 2 == 0 and n % 3 < 2 and 4 <= n < 16 for n in range(20))
    _, unfiltered = await traced(engine, "m")
    assert unfiltered["filters"] == {"as_of": None, "considered": 20, "passed": 20, "dropped_by": {}}


async def test_the_instant_is_shown(engine: Engine) -> None:
    await keep(engine, "x")
    _, trace = await traced(engine, "x", as_of=0)
    assert trace["filters"] == {"as_of": "1970-01-01T00:00:00Z", "considered": 0, "passed": 0, "dropped_by": {}}


async def test_a_score_is_the_sum_of_what_the_fusion_shows(engine: Engine) -> None:
    await keep_all(engine, [f"lamp {n} in the tower" for n in range(5)])  # no session: no neighbours
    result, trace = await traced(engine, "lamp 3")
    weights = trace["fusion"]["weights"]
    assert trace["fusion"]["pool"] == 5
    for candidate in trace["fusion"]["candidates"]:
        measures = candidate["measures"]
        own = sum(weights[name] * measures[name] for name in fuse.WEIGHTS)
        total = own * (1 + weights["next"] + weights["session"])
        total += sum(
            weights[name] * measures[name] for name in ("asks", "speaker", "time", "human", "questions", "graph")
        )
        assert candidate["score"] == pytest.approx(total, abs=1e-4)
        assert hit_of(result, candidate["memory_id"]).score == pytest.approx(candidate["score"], abs=1e-5)
    assert [c["memory_id"] for c in trace["fusion"]["candidates"]] == ids(result)


async def explained(
    engine: Engine, memory_id: str, cue: str, filters: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    _, trace = await traced(engine, cue, filters, explain_ids=(memory_id,), **more)
    (told,) = trace["explained"]
    assert told["memory_id"] == memory_id
    return told


async def test_a_hit_is_explained_by_its_rank_and_measures(engine: Engine) -> None:
    await keep_all(engine, [f"cat {n}" for n in range(10)])
    memory_id = await keep(engine, "the fog signal")
    told = await explained(engine, memory_id, "fog signal")
    assert (told["outcome"], told["rank"]) == ("hit", 1)
    assert set(told["measures"]) >= {"semantic", "lexical", "tokens"}


async def test_a_candidate_below_the_limit_is_told_its_rank(engine: Engine) -> None:
    kept = await keep_all(engine, [f"fog signal number {n}" for n in range(10)])
    result, _ = await traced(engine, "fog signal number 3", limit=10)
    last = ids(result)[-1]
    told = await explained(engine, last, "fog signal number 3", limit=2)
    assert told["outcome"] == "below_limit"
    assert 2 < told["rank"] <= len(kept)
    assert "10" in told["why"]


async def test_a_filtered_memory_is_told_by_which_filter(engine: Engine) -> None:
    memory_id = await keep(engine, "fog signal", session="a", agent="x", metadata={"n": 1})
    await keep(engine, "other", session="b")
    told = await explained(engine, memory_id, "fog", {"session": "b", "agent": "x", "metadata": {"n": 2}})
    assert told["outcome"] == "filtered"
    assert "session" in told["why"]
    assert "metadata" in told["why"]
    assert "agent" not in told["why"]


async def test_what_is_not_in_reach_is_told_so(engine: Engine) -> None:
    elsewhere = await keep(engine, "fog signal", dataset="elsewhere")
    forgotten = await keep(engine, "fog signal")
    await engine.forget([forgotten])
    later = await keep(engine, "fog")
    unknown = str(MemoryId(0, (1 << 48) - 1, 1))
    for memory_id in (elsewhere, forgotten, unknown):
        assert (await explained(engine, memory_id, "fog"))["outcome"] == "out_of_reach"
    assert (await explained(engine, later, "fog", as_of=0))["outcome"] == "out_of_reach"
    assert (await explained(engine, later, "fog"))["outcome"] == "hit"


async def test_what_no_lane_brought_up_is_told_how_far_it_was(engine: Engine) -> None:
    await keep_all(engine, [f"fog signal {n}" for n in range(400)])
    memory_id = await keep(engine, "entirely unrelated")
    told = await explained(engine, memory_id, "fog signal")
    assert told["outcome"] == "not_a_candidate"
    assert told["lanes"]["semantic"]["score"] < told["lanes"]["semantic"]["last_candidate"]
    assert told["lanes"]["lexical"]["score"] == 0
    assert told["lanes"]["lexical"]["last_candidate"] > 0


async def test_several_are_explained_in_the_order_asked(engine: Engine) -> None:
    kept = await keep_all(engine, [f"m {n}" for n in range(5)])
    _, trace = await traced(engine, "m", explain_ids=tuple(kept[::-1]))
    assert [told["memory_id"] for told in trace["explained"]] == kept[::-1]


async def test_explanations_are_given_without_a_trace_too(engine: Engine) -> None:
    kept = await keep_all(engine, [f"fog signal {n}" for n in range(3)])
    result = await recall(engine, "fog signal 1", explain_ids=(kept[1],))
    assert result.trace is not None
    assert list(result.trace) == ["explained"]
    (told,) = result.trace["explained"]
    assert (told["memory_id"], told["outcome"], told["rank"]) == (kept[1], "hit", 1)
    assert told["lanes"]["lexical"]["rank"] == 1


async def measures(engine: Engine, cue: str, *memory_ids: str) -> list[dict[str, float]]:
    _, trace = await traced(engine, cue, limit=100)
    shown = {candidate["memory_id"]: candidate["measures"] for candidate in trace["fusion"]["candidates"]}
    return [shown[memory_id] for memory_id in memory_ids]


async def test_a_text_of_many_windows_counts_a_little_less_than_its_best_window(tmp_path: Path) -> None:
    async with opened(tmp_path, HashEmbedder(window_words=4)) as engine:
        short = await keep(engine, "the lens of glass")
        long = await keep(engine, "the lens of glass " + "some other words follow " * 7)
        of_short, of_long = await measures(engine, "the lens of glass", short, long)
    assert of_short["semantic"] == pytest.approx(1.0, abs=1e-5)
    assert of_long["semantic"] == pytest.approx(1.0 - WINDOW_PENALTY * math.log(8), abs=1e-5)


async def test_words_count_as_a_share_of_the_cue(engine: Engine) -> None:
    whole, half = await keep(engine, "lamp lens"), await keep(engine, "lamp oil")
    await keep_all(engine, [f"other {n}" for n in range(20)])
    (by_one,) = await measures(engine, "lamp", whole)
    by_two, by_half = await measures(engine, "lamp lens", whole, half)
    assert by_two["lexical"] == pytest.approx(by_one["lexical"], abs=1e-5)
    assert 0 < by_half["lexical"] < by_two["lexical"]


async def test_a_token_met_by_a_neighbour_counts_less(tmp_path: Path) -> None:
    async with opened(tmp_path, Spanned()) as engine:
        kept = [
            await keep(engine, text, session="s", occurred_at=n)
            for n, text in enumerate(("far before", "just before", "prisms", "just after", "far after"))
        ]
        met = [of["tokens"] for of in await measures(engine, "prisms", *kept)]
    assert met[2] == pytest.approx(1.0, abs=0.02)
    assert met[1] == pytest.approx(MET_AFTER, abs=0.02)
    assert met[3] == pytest.approx(MET_BEFORE, abs=0.02)
    assert max(met[0], met[4]) < MET_AFTER


async def test_what_asks_and_who_speaks_is_measured(engine: Engine) -> None:
    asked = await keep(engine, "Which lamp is it?", agent="Ines")
    told = await keep(
        engine,
        "Is it? It is the lamp of the tower, and it has been there ever since the tower was built.",
        agent="user",
    )
    of_asked, of_told = await measures(engine, "What did I tell Ines about the lamp?", asked, told)
    assert (of_asked["asks"], of_told["asks"]) == (1, 0)
    assert (of_asked["speaker"], of_told["speaker"]) == (1, 0)
    assert (of_asked["human"], of_told["human"]) == (0, 1)
