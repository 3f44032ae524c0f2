"""Records survive the way through JSON, and the client needs nothing but itself."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindlog
from mindlog.client import AsyncClient, Client
from mindlog.embedded import AsyncMindlog, Mindlog
from mindlog.filters import AllOf, AnyOf, Compare, Filters, Not, parse_filters
from mindlog.ids import MAX_SLOT, MAX_VERSION, MemoryId
from mindlog.records import ApiKey, Hit, LaneScore, Memory, MemoryKind, MemoryPage, MemoryState, RecallResult, Scope
from mindlog.testing.fakes import HashEmbedder
from mindlog.views import Statement
from mindlog.wire import filters_to_json, page, page_of, recall_result, record, to_json

instants = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999)
labels = st.none() | st.text(min_size=1, max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)

memories = st.builds(
    Memory,
    id=st.builds(MemoryId, shard=st.just(0), slot=st.integers(0, MAX_SLOT), version=st.integers(1, MAX_VERSION)),
    is_current=st.booleans(),
    text=st.text(min_size=1, max_size=20),
    dataset=st.just("d"),
    agent=labels,
    session=labels,
    kind=st.sampled_from(MemoryKind),
    salience=st.floats(0, 1),
    occurred_at=instants,
    created_at=instants,
    recorded_at=instants,
    lsn=st.integers(0, 2**60),
    metadata=st.dictionaries(st.text(max_size=5), scalars, max_size=3),
    document_id=labels,
    state=st.sampled_from(MemoryState),
)
lanes = st.dictionaries(
    st.sampled_from(["semantic", "lexical"]),
    st.builds(LaneScore, rank=st.integers(1, 99), score=st.floats(-9, 9)),
)
keys = st.sampled_from(["a", "b.c", "ü"])
compares = st.one_of(
    st.builds(Compare, key=keys, operator=st.sampled_from(["$eq", "$ne"]), value=scalars),
    st.builds(
        Compare, key=keys, operator=st.sampled_from(["$gt", "$lte"]), value=st.integers(-5, 5) | st.text(max_size=3)
    ),
    st.builds(Compare, key=keys, operator=st.just("$in"), value=st.lists(scalars, min_size=1, max_size=3).map(tuple)),
    st.builds(Compare, key=keys, operator=st.just("$exists"), value=st.booleans()),
)
conditions = st.recursive(
    compares,
    lambda inner: st.one_of(
        st.builds(AllOf, parts=st.lists(inner, min_size=1, max_size=3).map(tuple)),
        st.builds(AnyOf, parts=st.lists(inner, min_size=1, max_size=3).map(tuple)),
        st.builds(Not, part=inner),
    ),
    max_leaves=6,
)
names = st.none() | st.lists(st.text(max_size=4), min_size=1, max_size=3).map(tuple)
filters = st.builds(
    Filters,
    session=names,
    agent=names,
    document_id=names,
    kind=st.none() | st.just(("episodic", "semantic")),
    metadata=st.none() | conditions,
    after=st.none() | st.integers(0, 10**15),
    before=st.none() | st.integers(10**15 + 1, 10**16),
)


def through_json(value: object) -> object:
    return json.loads(json.dumps(to_json(value)))


@given(memories)
def test_a_memory_survives_json(memory: Memory) -> None:
    assert record(Memory, through_json(memory)) == memory  # type: ignore[arg-type]


@given(st.lists(memories, max_size=3).map(tuple), st.none() | st.text(min_size=1))
def test_a_page_survives_json(data: tuple[Memory, ...], cursor: str | None) -> None:
    whole = MemoryPage(data=data, next_cursor=cursor)
    assert page(through_json(whole)) == whole  # type: ignore[arg-type]


@given(
    st.lists(st.builds(Hit, memory=memories, score=st.floats(0, 9), lanes=lanes), max_size=3).map(tuple),
    st.none() | st.text(),
)
def test_the_answer_to_a_recall_survives_json(hits: tuple[Hit, ...], context: str | None) -> None:
    whole = RecallResult(hits=hits, context=context)
    assert recall_result(through_json(whole)) == whole  # type: ignore[arg-type]


@given(filters)
def test_filters_survive_json_and_are_read_back_the_same(wanted: Filters) -> None:
    assert parse_filters(json.loads(json.dumps(filters_to_json(wanted)))) == wanted


def test_a_key_survives_json() -> None:
    key = ApiKey(
        id="key_1",
        name="n",
        prefix="ml_sk_abcd",
        scopes=frozenset({Scope.READ, Scope.WRITE}),
        datasets=None,
        created_at=1_000_000,
        last_used_at=None,
        revoked_at=2_000_001,
    )
    assert record(ApiKey, through_json(key)) == key  # type: ignore[arg-type]


def test_the_four_apis_have_the_same_methods_with_the_same_options() -> None:
    def verbs(kind: type) -> dict[str, list[inspect.Parameter]]:
        public = {name for name in dir(kind) if not name.startswith("_")} - {"close", "aclose"}
        return {name: list(inspect.signature(getattr(kind, name)).parameters.values()) for name in public}

    expected = verbs(Mindlog)
    assert {
        "encode",
        "recall",
        "list",
        "iterate",
        "forget",
        "health",
        "statements",
        "retry_runs",
        "subscribe",
    } <= expected.keys()
    for other in (AsyncMindlog, Client, AsyncClient):
        assert verbs(other) == expected


@pytest.mark.parametrize("kind", [Mindlog, AsyncMindlog, Client, AsyncClient])
def test_every_method_has_its_name_and_says_what_it_does(kind: type) -> None:
    for name in dir(kind):
        if not name.startswith("_"):
            method = getattr(kind, name)
            assert method.__name__ == name or name == "list"
            assert method.__doc__


def test_the_client_brings_no_engine_no_store_and_no_model() -> None:
    code = (
        "import sys, mindlog.client;"
        "mine = [m for m in sys.modules if m.startswith(('mindlog.engine', 'mindlog.store', 'mindlog.index', 'mindlog.models'))];"
        "print(mine + sorted({'numpy', 'apsw', 'onnxruntime', 'tantivy', 'fastapi', 'cyclopts'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_that_is_shown_of_knowledge_and_runs_survives_json_with_its_types(tmp_path: Path) -> None:
    with mindlog.open(tmp_path, embedder=HashEmbedder()) as db:
        first = db.encode("Ana works at Acme.", session="s", wait="derived")
        second = db.encode("Ana works at Globex now.", session="s", wait="derived")
        db.link(first.memory_id, second.memory_id, kind="supports")
        (run, *_), (event, *_) = db.runs().data, [next(db.subscribe(from_lsn=1))]
        shown = [
            second,
            db.inspect(first.memory_id),
            db.inspect(second.memory_id),
            db.graph("Ana"),
            db.entities().data[0],
            *db.statements(include_superseded=True).data,
            db.run(run.run_id),
            event,
            db.health(),
        ]
        page = db.statements(limit=1)
    for each in shown:
        assert record(type(each), json.loads(json.dumps(to_json(each)))) == each
    assert page_of(Statement, json.loads(json.dumps(to_json(page)))) == page
