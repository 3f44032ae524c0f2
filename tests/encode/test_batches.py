"""Batches: one outcome an item, in order; a bad item fails alone; what holds for single writes holds inside."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mindlog
from mindlog.engine import Engine
from mindlog.errors import EmbedderFailed, IdempotencyConflict, InvalidInput, MindlogError
from mindlog.records import EncodeRequest, EncodeResult
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import acked, everything, keep_all

GOOD = EncodeRequest(text="good")


async def test_each_item_has_its_own_outcome_in_order(engine: Engine) -> None:
    items = [
        replace(GOOD, text="first"),
        replace(GOOD, text=""),
        replace(GOOD, text="second", dataset="not a name"),
        replace(GOOD, text="third", metadata={"n": float("nan")}),
        replace(GOOD, text="fourth", occurred_at="2025-07-25T02:00:00"),
        replace(GOOD, text="fifth"),
    ]
    outcomes = await engine.encode_batch(items)
    assert [isinstance(outcome, EncodeResult) for outcome in outcomes] == [True, False, False, False, False, True]
    errors = [outcome for outcome in outcomes if isinstance(outcome, MindlogError)]
    assert [error.field for error in errors] == ["text", "dataset", "metadata.n", "occurred_at"]
    assert [memory.text for memory in await everything(engine)] == ["fifth", "first"]


async def test_the_order_of_a_batch_is_the_order_of_lsns_and_ids(engine: Engine) -> None:
    # Half of the texts have their vectors already and are through the embedder first.
    await keep_all(engine, [f"item {n}" for n in range(1, 300, 2)], dataset="earlier")
    outcomes = [acked(o) for o in await engine.encode_batch([replace(GOOD, text=f"item {n}") for n in range(300)])]
    lsns = [outcome.lsn for outcome in outcomes]
    assert lsns == sorted(lsns)
    ids = [outcome.memory_id for outcome in outcomes]
    assert ids == sorted(ids)
    assert [str(memory.id) for memory in await everything(engine)] == ids[::-1]


async def test_repeats_inside_a_batch_are_one_memory(engine: Engine) -> None:
    items = [replace(GOOD, text=text) for text in ("a", "b", "a", "a", "c", "b")]
    outcomes = [acked(outcome) for outcome in await engine.encode_batch(items)]
    assert [outcome.was_deduplicated for outcome in outcomes] == [False, False, True, True, False, True]
    assert outcomes[0].memory_id == outcomes[2].memory_id == outcomes[3].memory_id
    assert len(await everything(engine)) == 3


async def test_request_ids_inside_a_batch_replay_and_conflict(engine: Engine) -> None:
    items = [
        replace(GOOD, text="a", request_id="R"),
        replace(GOOD, text="a", request_id="R"),
        replace(GOOD, text="b", request_id="R"),
        replace(GOOD, text="b", request_id="Q"),
    ]
    outcomes = await engine.encode_batch(items)
    first, again = acked(outcomes[0]), acked(outcomes[1])
    assert again == replace(first, was_replayed=True)
    assert isinstance(outcomes[2], IdempotencyConflict)
    assert acked(outcomes[3]).memory_id != first.memory_id


async def test_a_whole_batch_can_be_sent_again(engine: Engine) -> None:
    items = [replace(GOOD, text=f"item {n}", request_id=f"r{n}") for n in range(50)]
    first = [acked(outcome) for outcome in await engine.encode_batch(items)]
    again = [acked(outcome) for outcome in await engine.encode_batch(items)]
    assert again == [replace(outcome, was_replayed=True) for outcome in first]


async def test_items_whose_embedding_fails_fail_alone(engine: Engine, embedder: HashEmbedder) -> None:
    embedder.fail_texts = {"bad 1", "bad 3"}
    items = [replace(GOOD, text=f"{'bad' if n % 2 else 'good'} {n}") for n in range(5)]
    outcomes = await engine.encode_batch(items)
    assert [isinstance(outcome, EmbedderFailed) for outcome in outcomes] == [False, True, False, True, False]
    assert {memory.text for memory in await everything(engine)} == {"good 0", "good 2", "good 4"}
    embedder.fail_texts = set()
    assert all(isinstance(outcome, EncodeResult) for outcome in await engine.encode_batch(items))
    assert len(await everything(engine)) == 5


async def test_a_batch_may_write_to_several_datasets(engine: Engine) -> None:
    await engine.encode_batch([replace(GOOD, dataset=f"d{n}") for n in range(3)])
    assert [[m.text for m in await everything(engine, f"d{n}")] for n in range(3)] == [["good"]] * 3


async def test_a_batch_of_only_bad_items_writes_nothing(engine: Engine) -> None:
    before = engine.store.last_lsn
    outcomes = await engine.encode_batch([replace(GOOD, text="")] * 3)
    assert all(isinstance(outcome, InvalidInput) for outcome in outcomes)
    assert engine.store.last_lsn == before


@pytest.mark.parametrize("size", [0, 1001])
async def test_a_batch_of_a_wrong_size_is_refused_as_a_whole(engine: Engine, size: int) -> None:
    with pytest.raises(InvalidInput) as refusal:
        await engine.encode_batch([replace(GOOD, text=f"{n}") for n in range(size)])
    assert (refusal.value.field, refusal.value.extra["limit"]) == ("items", 1000)
    assert not await everything(engine)


async def test_a_batch_is_few_commits(engine: Engine) -> None:
    commits: list[int] = []
    engine.store.on_commit(lambda changes: commits.append(len(changes)))
    await keep_all(engine, [f"item {n}" for n in range(500)])
    assert sum(commits) == 500
    assert len(commits) <= 2


items = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "", "\0"]), st.sampled_from([None, "R", "Q"])), min_size=1, max_size=12
)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[mindlog.Mindlog]:
    with mindlog.open(tmp_path / "data", embedder=HashEmbedder(dimensions=8)) as made:
        yield made


fresh = itertools.count()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=items)
def test_a_batch_comes_to_what_the_items_come_to_one_after_the_other(
    db: mindlog.Mindlog, plan: list[tuple[str, str | None]]
) -> None:
    number = next(fresh)
    requests = [EncodeRequest(text=text, request_id=request_id) for text, request_id in plan]
    together = db.encode_batch([replace(request, dataset=f"batch-{number}") for request in requests])
    single = [db.encode_batch([replace(request, dataset=f"single-{number}")])[0] for request in requests]
    assert _renamed(map(_shape, together)) == _renamed(map(_shape, single))


def _shape(outcome: EncodeResult | MindlogError) -> tuple[Any, ...]:
    if isinstance(outcome, MindlogError):
        return (outcome.code, outcome.field)
    return (outcome.memory_id, outcome.was_deduplicated, outcome.was_replayed)


def _renamed(outcomes: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    names: dict[str, int] = {}
    return [(names.setdefault(o[0], len(names)), *o[1:]) if len(o) == 3 else o for o in outcomes]
