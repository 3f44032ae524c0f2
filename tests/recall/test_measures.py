"""The measures and their sum: time, token maxima, neighbours, ties. Each on its own, from values that are easy to see."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindlog.clock import from_iso
from mindlog.models.embedder import TextEmbedding
from mindlog.recall import fuse
from mindlog.recall.cuetime import read_time
from mindlog.recall.features import time_scores
from mindlog.recall.job import Pool, RecallJob
from mindlog.recall.tokens import kept_states, token_maxima
from mindlog.records import RecallRequest


def score_of(cue: str, *times: str) -> list[float]:
    at = np.array([from_iso(time, field="t") for time in times], np.int64)
    return time_scores(read_time(cue, 0), at).tolist()


def test_what_happened_on_the_day_counts_whole_and_what_is_near_less() -> None:
    inside, after, later, before, far = score_of(
        "on May 8 2023",
        "2023-05-08T23:59:59Z",
        "2023-05-10T00:00:00Z",
        "2023-05-20T00:00:00Z",
        "2023-05-05T00:00:00Z",
        "2024-05-08T00:00:00Z",
    )
    assert inside == 1.0
    assert 1 > after > later > 0
    assert after > before  # told afterwards rather than before
    assert far < 1e-6


def test_a_day_without_a_year_is_that_day_of_any_year() -> None:
    assert score_of("on May 8", "2021-05-08T10:00:00Z", "2023-05-08T10:00:00Z", "1969-05-08T10:00:00Z") == [1.0] * 3


def test_a_month_counts_whole_and_a_year_little() -> None:
    assert score_of("in May 2023", "2023-05-31T23:59:59Z", "2023-05-01T00:00:00Z") == [1.0, 1.0]
    assert score_of("in 2023", "2023-07-01T00:00:00Z", "2024-01-01T00:00:00Z") == [pytest.approx(0.3), 0.0]


def test_a_cue_without_a_date_and_a_day_that_does_not_exist_score_nothing() -> None:
    assert score_of("what happened?", "2023-05-08T10:00:00Z") == [0.0]
    assert score_of("on 31 February 2023", "2023-02-28T10:00:00Z") == [0.0]
    assert time_scores(read_time("in May", 0), np.empty(0, np.int64)).size == 0


@given(
    st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999), st.sampled_from(["on May 8", "in May", "in 2023"])
)
def test_any_instant_scores_within_bounds(at: int, cue: str) -> None:
    (score,) = time_scores(read_time(cue, 0), np.array([at], np.int64)).tolist()
    assert 0.0 <= score <= 1.0


def states(*rows: list[int]) -> np.ndarray[Any, np.dtype[np.int8]]:
    return np.array(rows, np.int8)


def test_each_cue_token_takes_the_best_token_of_each_memory() -> None:
    memories = [states([127, 0], [0, 127]), None, states([-127, 0]), states([90, 90])]
    met = token_maxima(states([127, 0], [0, 127]), memories)
    assert met[:, 0].tolist() == [1.0, 1.0]
    assert met[:, 1].tolist() == [0.0, 0.0]  # no states: meets nothing
    assert met[:, 2].tolist() == [0.0, 0.0]  # the opposite counts as nothing
    assert met[:, 3] == pytest.approx([0.502, 0.502], abs=0.01)


def test_memories_of_another_models_width_meet_nothing() -> None:
    assert token_maxima(states([1, 2, 3]), [states([127, 0])]).tolist() == [[0.0]]
    assert token_maxima(states([1, 2, 3], [4, 5, 6]), []).shape == (2, 0)


token_rows = arrays.arrays(np.int8, st.tuples(st.integers(1, 9), st.just(16)), elements=st.integers(-127, 127))


@settings(max_examples=60, deadline=None)
@given(token_rows, st.lists(token_rows, min_size=1, max_size=5))
def test_token_maxima_are_the_arithmetic_they_stand_for(cue: Any, memories: list[Any]) -> None:
    met = token_maxima(cue, memories)
    for at, memory in enumerate(memories):
        best = (cue.astype(np.int64) @ memory.astype(np.int64).T).max(axis=1) / 127**2
        assert met[:, at] == pytest.approx(np.clip(best, 0, 1) ** 2, abs=1e-5)


def embedding(text: str, *tokens: str, windows: int = 1) -> TextEmbedding:
    spans, at = [], 0
    for token in tokens:
        at = text.index(token, at)
        spans.append((at, at + len(token)))
        at += len(token)
    cut = len(text) // windows
    return TextEmbedding(
        vectors=np.ones((windows, 1), np.float32),
        windows=tuple((n * cut, len(text) if n == windows - 1 else (n + 1) * cut) for n in range(windows)),
        states=np.arange(1, len(tokens) + 1, dtype=np.int8).reshape(-1, 1),
        state_spans=np.array(spans, np.int32).reshape(-1, 2),
    )


def test_only_content_tokens_of_the_first_window_are_kept() -> None:
    text = "the lamp, was bright. A later window"
    found = kept_states(text, embedding(text, "the", "lamp", ",", "was", "bright", ".", "later", windows=2))
    assert found is not None
    assert found.ravel().tolist() == [2]  # the window ends inside "was bright"
    whole = kept_states(text, embedding(text, "the", "lamp", ",", "was", "bright", ".", "A", "later"))
    assert whole is not None
    assert whole.ravel().tolist() == [2, 5, 8]


def test_a_text_of_function_words_keeps_one_token_and_one_without_states_none() -> None:
    found = kept_states("it was", embedding("it was", "it", "was"))
    assert found is not None
    assert found.ravel().tolist() == [1]
    assert kept_states("x", TextEmbedding(vectors=np.ones((1, 1), np.float32), windows=((0, 1),))) is None


def pool_of(size: int, sessions: list[int] | None = None, **features: list[float]) -> tuple[Pool, RecallJob]:
    """A pool of rows 0.. in one session each unless told otherwise; features are 0 unless given."""
    session = np.array(sessions or [-1] * size, np.int32)
    rows = np.arange(size, dtype=np.int64)
    same = np.append(session[1:] == session[:-1], False) & (session >= 0)
    follows = np.insert(same[:-1], 0, False)
    pool = Pool(
        rows=rows,
        previous=np.where(follows, rows - 1, -1),
        next=np.where(same, rows + 1, -1),
        allowed=np.ones(size, np.bool_),
    )
    for name in ("lexical", "semantic", "tokens", "questions", "graph", "asks", "speaker", "time", "human"):
        pool.features[name] = np.array(features.get(name, [0.0] * size), np.float32)
    job = RecallJob(request=RecallRequest(cue="x", limit=100), dataset=None, tools=None)  # type: ignore[arg-type]
    job.pool, job.view = pool, SimpleNamespace(session=session)  # type: ignore[assignment]
    return pool, job


async def order(job: RecallJob) -> list[int]:
    await fuse.fuse(job)
    assert job.order is not None
    return job.order.tolist()


async def test_ties_go_by_rising_row() -> None:
    _, job = pool_of(100, semantic=[0.5 + 0.25 * (n % 2) for n in range(100)])
    assert await order(job) == [*range(1, 100, 2), *range(0, 100, 2)]


async def test_what_one_lane_alone_found_is_in_the_order() -> None:
    _, job = pool_of(3, lexical=[1.0, 0.0, 0.0], semantic=[0.0, 0.9, 0.1])
    assert sorted(await order(job)) == [0, 1, 2]


async def test_only_what_is_allowed_is_a_hit_and_the_limit_holds() -> None:
    pool, job = pool_of(4, semantic=[0.9, 0.8, 0.7, 0.6])
    pool.allowed[:] = [False, True, True, True]
    job.request = RecallRequest(cue="x", limit=2)
    assert await order(job) == [1, 2]


async def test_a_question_lends_to_its_answer_and_the_answer_to_its_question() -> None:
    _, asked = pool_of(2, [7, 7], semantic=[0.8, 0.2], asks=[1.0, 0.0])
    _, told = pool_of(2, [7, 7], semantic=[0.8, 0.2])
    await order(asked)
    await order(told)
    assert asked.pool is not None
    assert told.pool is not None
    assert asked.pool.score[1] == pytest.approx(told.pool.score[1] + fuse.ANSWERS * 0.8)
    assert told.pool.score[0] == pytest.approx(0.8 + fuse.NEXT * 0.2 + fuse.SESSION * 0.8)


async def test_the_last_turn_of_a_session_is_not_behind_its_like_for_being_last() -> None:
    _, job = pool_of(3, [7, 7, 7], semantic=[0.9, 0.9, 0.91])
    assert (await order(job))[0] == 2


async def test_a_session_lends_its_best_to_its_own_turns_only() -> None:
    pool, job = pool_of(3, [1, 2, -1], semantic=[0.9, 0.1, 0.1])
    await order(job)
    lent = [fuse.SESSION * best for best in (0.9, 0.1, 0.1)]
    assert pool.score.tolist() == pytest.approx(
        [s * (1 + fuse.NEXT) + more for s, more in zip((0.9, 0.1, 0.1), lent, strict=True)]
    )


async def test_an_empty_pool_has_an_empty_order() -> None:
    _, job = pool_of(0)
    assert await order(job) == []


@settings(max_examples=50, deadline=None)
@given(arrays.arrays(np.float32, st.integers(1, 20), elements=st.floats(0, 1, width=32)))
def test_places_finds_exactly_the_rows_that_are_there(values: Any) -> None:
    rows = np.unique((values * 100).astype(np.int64))
    pool = Pool(rows=rows, previous=rows, next=rows, allowed=np.ones(rows.size, np.bool_))
    wanted = np.arange(-1, 102)
    expected = [rows.tolist().index(row) if row in rows.tolist() else -1 for row in wanted.tolist()]
    assert pool.places(wanted).tolist() == expected
