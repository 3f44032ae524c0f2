"""What encode accepts: anything it takes comes back as it was given; anything else is refused by name, and nothing is kept."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import mindlog
from mindlog.engine import Engine
from mindlog.errors import InvalidInput
from mindlog.records import EncodeRequest
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import everything, keep, opened

SHARED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

any_text = st.one_of(st.text(st.characters(codec=None), max_size=60), st.text(max_size=400))  # surrogates and NUL too


@pytest.fixture
def db(tmp_path: Path) -> Iterator[mindlog.Mindlog]:
    with mindlog.open(tmp_path / "data", embedder=HashEmbedder(dimensions=16)) as made:
        yield made


def is_acceptable(text: str) -> bool:
    return bool(text.strip()) and "\0" not in text and not any(unicodedata.category(c) == "Cs" for c in text)


@SHARED
@given(text=any_text)
@example(text="\ud800 a\u0000b 👩‍👩‍👧 \u202e")
@example(text="👩‍👩‍👧 \u202e")
@example(text="?")
@example(text="\u200b")
@example(text=" \ufeff")
@example(text="e\u0301 \u00e9")
@example(text="\r\n\x1b[31mred\x7f")
@example(text=" leading and trailing ")
def test_any_string_is_refused_with_its_field_or_kept_as_it_is(db: mindlog.Mindlog, text: str) -> None:
    if is_acceptable(text):
        kept = db.get(db.encode(text, allow_duplicates=True).memory_id)
        assert kept.text == text
        assert kept.text.encode() == text.encode()
        return
    with pytest.raises(InvalidInput) as refusal:
        db.encode(text)
    assert refusal.value.field == "text"
    assert refusal.value.detail.isprintable()


@SHARED
@given(label=any_text, name=st.sampled_from(["agent", "session", "document_id", "request_id"]))
@example(label="", name="agent")
@example(label="x" * 257, name="session")
@example(label="x" * 256, name="session")
@example(label=" ", name="agent")
def test_any_label_is_refused_with_its_field_or_kept_as_it_is(db: mindlog.Mindlog, label: str, name: str) -> None:
    valid = 1 <= len(label) <= 256 and "\0" not in label and not any(unicodedata.category(c) == "Cs" for c in label)
    options: dict[str, Any] = {name: label, "allow_duplicates": True}
    if not valid:
        with pytest.raises(InvalidInput) as refusal:
            db.encode("a text", **options)
        assert refusal.value.field == name
        return
    kept = db.get(db.encode(f"a text with {name}", **options).memory_id)
    if name != "request_id":
        assert getattr(kept, name) == label


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
metadata_keys = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12
).filter(lambda key: not key.startswith("$"))


def exact(value: Any) -> str:
    """A form in which 1, 1.0, true and "1" differ, and key order counts."""
    return json.dumps(value, ensure_ascii=True)


@SHARED
@given(metadata=st.dictionaries(metadata_keys, json_values, max_size=4))
@example(metadata={"big": 2**63 - 1, "small": -(2**63), "float": 5e-324, "max": 1.7976931348623157e308, "minus": -0.0})
@example(metadata={"one": 1, "one.zero": 1.0, "true": True, "text": "1", "none": None})
@example(metadata={"schlüssel": {"مفتاح": ["鍵", {"🔑": [[], {}]}]}})
def test_metadata_comes_back_exactly(db: mindlog.Mindlog, metadata: dict[str, Any]) -> None:
    memory_id = db.encode("with metadata", metadata=metadata, allow_duplicates=True).memory_id
    assert exact(dict(db.get(memory_id).metadata)) == exact(metadata)


def test_metadata_survives_reopening_and_what_becomes_of_the_callers_dict(tmp_path: Path) -> None:
    mine: dict[str, Any] = {"topic": "lamp", "deep": {"list": [1, 2.5, None]}}
    with mindlog.open(tmp_path / "data", embedder=HashEmbedder()) as db:
        memory_id = db.encode("x", metadata=mine).memory_id
        mine["topic"] = "changed"
        assert db.recall("x", filters={"metadata": {"topic": "lamp"}}).hits
    with mindlog.open(tmp_path / "data", embedder=HashEmbedder()) as db:
        assert db.get(memory_id).metadata == {"topic": "lamp", "deep": {"list": [1, 2.5, None]}}


async def test_any_mapping_is_metadata(engine: Engine) -> None:
    memory = await engine.get(await keep(engine, "x", metadata=MappingProxyType({"a": (1, 2)})))
    assert memory.metadata == {"a": [1, 2]}


def _nested(depth: int) -> dict[str, Any]:
    return {"k": _nested(depth - 1)} if depth else {}


def _cycle() -> dict[str, Any]:
    cycle: dict[str, Any] = {}
    cycle["again"] = cycle
    return cycle


REFUSED: list[tuple[Mapping[str, Any], str]] = [
    ({"text": ""}, "text"),
    ({"text": "   \t\n\u3000"}, "text"),
    ({"text": b"bytes"}, "text"),
    ({"text": None}, "text"),
    ({"text": "x" * (1 << 20) + "y"}, "text"),
    ({"text": "é" * ((1 << 19) + 1)}, "text"),
    ({"dataset": ""}, "dataset"),
    ({"dataset": "a b"}, "dataset"),
    ({"dataset": "-leading"}, "dataset"),
    ({"dataset": "x" * 129}, "dataset"),
    ({"dataset": "ünïcode"}, "dataset"),
    ({"dataset": None}, "dataset"),
    ({"dataset": ["d"]}, "dataset"),
    ({"agent": 5}, "agent"),
    ({"kind": "procedural"}, "kind"),
    ({"kind": 3}, "kind"),
    ({"salience": -0.01}, "salience"),
    ({"salience": 1.01}, "salience"),
    ({"salience": float("nan")}, "salience"),
    ({"salience": True}, "salience"),
    ({"salience": "0.5"}, "salience"),
    ({"metadata": ["a"]}, "metadata"),
    ({"metadata": {"": 1}}, "metadata"),
    ({"metadata": {"$eq": 1}}, "metadata"),
    ({"metadata": {"k" * 257: 1}}, "metadata"),
    ({"metadata": {"nul\0": 1}}, "metadata"),
    ({"metadata": {1: 1}}, "metadata"),
    ({"metadata": {"a": "x" * (16 << 10)}}, "metadata"),
    ({"metadata": {"a": {"b": {"c": 2**63}}}}, "metadata.a"),
    ({"metadata": {"a": float("inf")}}, "metadata.a"),
    ({"metadata": {"a": [float("nan")]}}, "metadata.a"),
    ({"metadata": {"a": "\ud800"}}, "metadata.a"),
    ({"metadata": {"a": {"\0": 1}}}, "metadata.a"),
    ({"metadata": {"a": {1: 1}}}, "metadata.a"),
    ({"metadata": {"a": {1, 2}}}, "metadata.a"),
    ({"metadata": {"a": b"x"}}, "metadata.a"),
    ({"metadata": _nested(10)}, "metadata.k"),
    ({"metadata": _cycle()}, "metadata.again"),
    ({"wait": "later"}, "wait"),
    ({"vector": [1.0] * 64}, "embedding_model"),
    ({"embedding_model": "a model"}, "vector"),
]


async def test_each_refusal_names_its_field_and_keeps_nothing(engine: Engine) -> None:
    for changed, field in REFUSED:
        with pytest.raises(InvalidInput) as refusal:
            await engine.encode(EncodeRequest(**{"text": "fine", "dataset": "refusals", **changed}))  # type: ignore[arg-type]
        assert refusal.value.field == field, (changed, refusal.value.detail)
        assert len(refusal.value.detail) < 300
    assert "refusals" not in {dataset.name for dataset in await engine.datasets()}
    assert await everything(engine) == []


async def test_values_at_the_limits_are_kept(engine: Engine) -> None:
    longest = "é" * (1 << 19)
    for request in (
        EncodeRequest(text=longest),
        EncodeRequest(text="one", dataset="A0_.:@-" + "x" * 121),
        EncodeRequest(text="two", salience=0, metadata=_nested(8)),
        EncodeRequest(text="three", salience=1, metadata={"k" * 256: "x" * ((16 << 10) - 264)}),
    ):
        await engine.encode(request)
    assert (await everything(engine))[-1].text == longest


async def test_limits_are_settings_and_the_refusal_tells_them(tmp_path: Path) -> None:
    async with opened(tmp_path, max_text_bytes=10, max_metadata_bytes=8) as engine:
        await engine.encode(EncodeRequest(text="0123456789", metadata={"a": 10}))
        for request in (EncodeRequest(text="012345678é"), EncodeRequest(text="x", metadata={"a": 100})):
            with pytest.raises(InvalidInput) as refusal:
                await engine.encode(request)
            assert refusal.value.extra["limit"] in (10, 8)
