"""Filters, limits, datasets and time hold exactly: never a hit too many, never fewer than exist."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mindlog
from mindlog.engine import Engine
from mindlog.errors import DatasetNotFound, InvalidInput, UnknownFilter
from mindlog.filters import matches, parse_filters
from mindlog.records import EditRequest, EncodeRequest, Memory
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import ManualClock, acked, found, ids, keep, keep_all, opened, recall

KEYS = ["colour", "size", "mixed", "ключ"]
VALUES: list[Any] = [
    "red",
    "green",
    "",
    "Ünï",
    0,
    1,
    2,
    -3,
    1.0,
    2.5,
    True,
    False,
    None,
    [1],
    {"a": 1},
    2**62,
    -(2**62),
]

scalars = st.sampled_from([value for value in VALUES if not isinstance(value, list | dict)])
ordered = st.sampled_from(
    [value for value in VALUES if isinstance(value, int | float | str) and not isinstance(value, bool)]
)
tests_ = st.one_of(
    scalars,
    st.fixed_dictionaries(
        {}, optional={"$eq": scalars, "$ne": scalars, "$in": st.lists(scalars, min_size=1, max_size=3)}
    ),
    st.fixed_dictionaries({"$nin": st.lists(scalars, min_size=1, max_size=3)}),
    st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), ordered, min_size=1, max_size=2),
    st.fixed_dictionaries({"$exists": st.booleans()}),
).filter(lambda test: test != {})
leaves = st.dictionaries(st.sampled_from([*KEYS, "absent"]), tests_, min_size=1, max_size=2)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"$and": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"$or": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"$not": inner}),
    ),
    max_leaves=5,
)
some_names = st.lists(st.sampled_from(["a", "b", "c", "nobody"]), min_size=1, max_size=2)
filter_forms = st.fixed_dictionaries(
    {},
    optional={
        "metadata": conditions,
        "session": some_names,
        "agent": some_names,
        "document_id": some_names,
        "kind": st.lists(st.sampled_from(["episodic", "semantic"]), min_size=1, max_size=2),
        "after": st.integers(0, 250),
        "before": st.integers(251, 500),
    },
)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[mindlog.Mindlog]:
    """Four hundred memories of random facts; some edited, some forgotten."""
    dice = random.Random(11)
    with mindlog.open(tmp_path_factory.mktemp("crowd") / "data", embedder=HashEmbedder(dimensions=16)) as db:
        for n in range(400):
            metadata = {key: dice.choice(VALUES) for key in KEYS if dice.random() < 0.6}
            who = {name: dice.choice(["a", "b", "c", None]) for name in ("agent", "session", "document_id")}
            kind = dice.choice(["episodic", "semantic"])
            ack = db.encode(
                f"memory {n} of the crowd", metadata=metadata, kind=kind, occurred_at=dice.randrange(500), **who
            )
            if n % 7 == 0:
                patch = {dice.choice(KEYS): dice.choice(VALUES)}
                db.edit(ack.memory_id, text=f"edited memory {n}", metadata=patch, occurred_at=dice.randrange(500))
            if n % 11 == 0:
                current = next(memory for memory in db.list(limit=1).data)
                db.forget(str(current.id))
        yield db


def passes(memory: Memory, form: dict[str, Any]) -> bool:
    condition = parse_filters({"metadata": form["metadata"]}).metadata if "metadata" in form else None
    return (
        (condition is None or matches(condition, memory.metadata))
        and all(
            getattr(memory, name) in form[name] for name in ("session", "agent", "document_id", "kind") if name in form
        )
        and form.get("after", 0) <= memory.occurred_at < form.get("before", 10**9)
    )


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(form=filter_forms)
def test_recall_and_listing_return_exactly_what_passes(crowd: mindlog.Mindlog, form: dict[str, Any]) -> None:
    wanted = {str(memory.id) for memory in crowd.iterate() if passes(memory, form)}
    recalled = [str(hit.memory.id) for hit in crowd.recall("memory of the crowd", filters=form, limit=1000).hits]
    assert len(recalled) == len(set(recalled))
    assert set(recalled) == wanted
    assert {str(memory.id) for memory in crowd.iterate(filters=form)} == wanted


async def test_a_small_limit_under_a_narrow_filter_is_filled(engine: Engine) -> None:
    vector = np.ones(engine.embedder.dimensions)
    model = engine.embedder.fingerprint
    requests = [
        EncodeRequest(text=f"m {n}", metadata={"needle": n % 500 == 0}, vector=vector, embedding_model=model)
        for n in range(3000)
    ]
    for at in range(0, 3000, 1000):
        for outcome in await engine.encode_batch(requests[at : at + 1000]):
            acked(outcome)
    assert len(await found(engine, "something else", {"metadata": {"needle": True}}, limit=5)) == 5
    assert len(await found(engine, "something else", {"metadata": {"needle": True}}, limit=100)) == 6


async def test_a_neighbour_that_the_filter_drops_is_no_hit(engine: Engine) -> None:
    for n in range(30):
        await keep(
            engine,
            f"turn {n} of the talk",
            session="s",
            agent="ab"[n % 2],
            occurred_at=n,
            metadata={"even": n % 2 == 0},
        )
    for filters in ({"agent": "a"}, {"metadata": {"even": True}}, {"after": 10, "before": 20}):
        result = await recall(engine, "turn of the talk", filters, limit=100, trace=True)
        assert 0 < len(result.hits) < 30
        assert all(
            passes(hit.memory, filters if "metadata" in filters or "after" in filters else {"agent": ["a"]})
            for hit in result.hits
        )
        assert result.trace is not None
        lent = [c for c in result.trace["fusion"]["candidates"] if not c["may_be_hit"]]
        assert lent, "the turns between are in the pool, to lend their scores"
        assert not {c["memory_id"] for c in lent} & set(ids(result))


async def test_five_thousand_are_returned_when_asked_for(engine: Engine) -> None:
    vector, model = np.ones(engine.embedder.dimensions), engine.embedder.fingerprint
    kept: set[str] = set()
    for at in range(0, 5000, 1000):
        part = [EncodeRequest(text=f"m {n}", vector=vector, embedding_model=model) for n in range(at, at + 1000)]
        kept |= {acked(outcome).memory_id for outcome in await engine.encode_batch(part)}
    writing = asyncio.create_task(keep_all(engine, [f"written meanwhile {n}" for n in range(50)]))
    hits = await found(engine, "m", limit=5000)
    assert len(hits) == len(set(hits)) == 5000
    await writing
    everything = await found(engine, "m", limit=10_000)
    assert len(everything) == len(set(everything)) == 5050
    assert kept < set(everything)


@pytest.mark.parametrize("limit", [0, -1, 10_001, 1.5, "3", None])
async def test_a_limit_out_of_range_is_refused(engine: Engine, limit: Any) -> None:
    await keep(engine, "x")
    with pytest.raises(InvalidInput) as refusal:
        await recall(engine, "x", limit=limit)
    assert refusal.value.field == "limit"


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"as_of": 10**30}, "as_of"),
        ({"as_of": -(10**30)}, "as_of"),
        ({"as_of": True}, "as_of"),
        ({"as_of": "2025-01-01T00:00:00Z"}, "as_of"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"budget_tokens": 1_000_001}, "budget_tokens"),
        ({"explain_ids": ("nonsense",)}, "explain_ids"),
        ({"explain_ids": ("mem_" + "0" * 26,) * 101}, "explain_ids"),
        ({"dataset": "no such name!"}, "dataset"),
        ({"dataset": 5}, "dataset"),
    ],
)
async def test_each_refusal_names_its_field(engine: Engine, more: dict[str, Any], field: str) -> None:
    await keep(engine, "x")
    with pytest.raises(InvalidInput) as refusal:
        await recall(engine, "x", **more)
    assert refusal.value.field == field


async def test_an_unknown_dataset_or_filter_is_an_error_and_never_ignored(engine: Engine) -> None:
    await keep(engine, "x")
    with pytest.raises(DatasetNotFound):
        await recall(engine, "x", dataset="nowhere")
    for form in ({"user": "b"}, {"metadata": {"a": {"$regex": "x"}}}):
        with pytest.raises(UnknownFilter):
            await recall(engine, "x", form)


async def test_two_users_with_the_same_text_see_only_their_own(engine: Engine) -> None:
    theirs = await keep(engine, "my password is swordfish", agent="a", metadata={"user": "A"})
    mine = await keep(engine, "my password is swordfish", agent="b", metadata={"user": "B"})
    assert await found(engine, "password", {"metadata": {"user": "B"}}, limit=100) == [mine]
    assert await found(engine, "password", {"agent": "b"}, limit=100) == [mine]
    assert set(await found(engine, "password", {"metadata": {"user": {"$in": ["A", "B"]}}})) == {mine, theirs}
    assert await found(engine, "password", {"metadata": {"user": "C"}}) == []


async def test_as_of_shows_what_was_there_then_as_it_was_then(tmp_path: Path) -> None:
    clock = ManualClock()
    async with opened(tmp_path, clock=clock) as engine:
        start = clock.at
        old = await keep(engine, "the office is in Halden")
        clock.at += 1_000_000
        await keep(engine, "the boat is called Petrel")
        clock.at += 1_000_000
        new = (await engine.edit(EditRequest(memory_id=old, text="the office is in Moss"))).memory_id
        seen = [
            {h.memory.text for h in (await recall(engine, "office", as_of=start + ms * 1000)).hits}
            for ms in (-1, 0, 999, 1000, 2000)
        ]
        assert seen == [
            set(),
            {"the office is in Halden"},
            {"the office is in Halden"},
            {"the office is in Halden", "the boat is called Petrel"},
            {"the office is in Moss", "the boat is called Petrel"},
        ]
        (then,) = (await recall(engine, "office", as_of=start)).hits
        assert (str(then.memory.id), then.memory.is_current) == (old, False)
        assert (await found(engine, "office"))[0] == new


async def test_an_edit_in_the_middle_of_a_recall_cannot_show_what_the_filter_dropped(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_id = await keep(engine, "the harbour", metadata={"open": True})
    loop, read = asyncio.get_running_loop(), engine.store.memories

    def edited_meanwhile(slots: Any) -> list[Memory]:
        monkeypatch.undo()
        edit = engine.edit(EditRequest(memory_id=memory_id, metadata={"open": False}))
        asyncio.run_coroutine_threadsafe(edit, loop).result(10)
        return read(slots)

    monkeypatch.setattr(engine.store, "memories", edited_meanwhile)
    (hit,) = (await recall(engine, "harbour", {"metadata": {"open": True}})).hits
    assert hit.memory.metadata == {"open": True}
    assert await found(engine, "harbour", {"metadata": {"open": True}}) == []


async def test_a_forget_in_the_middle_of_a_recall_hides_the_memory(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_id = await keep(engine, "the harbour")
    loop, read = asyncio.get_running_loop(), engine.store.memories

    def forgotten_meanwhile(slots: Any) -> list[Memory]:
        monkeypatch.undo()
        asyncio.run_coroutine_threadsafe(engine.forget([memory_id]), loop).result(10)
        return read(slots)

    monkeypatch.setattr(engine.store, "memories", forgotten_meanwhile)
    assert (await recall(engine, "harbour")).hits == ()
