"""One scenario, four APIs: embedded and over HTTP, synchronous and asynchronous, give the same records and errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindlog
from mindlog.client import AsyncClient, Client
from mindlog.errors import Busy, MindlogError
from mindlog.ids import MemoryId
from mindlog.testing.fakes import HashEmbedder
from mindlog.wire import to_json

from .loopback import LoopbackServer

Step = tuple[str, Callable[[Any, dict[str, Any]], Any]]

MOMENT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
# What differs from run to run: instants of the machine's clock and random ids.
VOLATILE = {
    "created_at",
    "recorded_at",
    "persisted_at",
    "forgotten_at",
    "restorable_until",
    "receipt_id",
    "key_id",
    "next_cursor",
}
ID = re.compile(r"mem_[0-9A-Z]{26}")
TIME = re.compile(r"20[2-9]\d-\d\d-\d\dT[0-9:.]+Z")
NOTHING = str(MemoryId(0, 999, 1))
VECTOR = HashEmbedder().vector("a picture of the sea").tolist()
MODEL = HashEmbedder().fingerprint

STEPS: list[Step] = [
    ("zone", lambda db, _: db.put_dataset("lisbon", timezone="Europe/Lisbon")),
    ("encode", lambda db, _: db.encode("Ana is allergic to peanuts", agent="ana", session="s1", occurred_at=MOMENT)),
    ("same", lambda db, _: db.encode("Ana is allergic to peanuts", agent="ana", session="s1", occurred_at=MOMENT)),
    ("asked", lambda db, _: db.encode("with an id", request_id="r", metadata={"n": 1, "deep": {"x": [1, None, "é"]}}, occurred_at=5)),
    ("asked again", lambda db, _: db.encode("with an id", request_id="r", metadata={"n": 1, "deep": {"x": [1, None, "é"]}}, occurred_at=5)),
    ("conflict", lambda db, _: db.encode("another", request_id="r")),
    ("naive", lambda db, _: db.encode("no zone", occurred_at=datetime(2026, 1, 1))),
    ("naive in a zone", lambda db, _: db.encode("zoned", dataset="lisbon", occurred_at=datetime(2026, 7, 1, 12))),
    ("blank", lambda db, _: db.encode("  ")),
    ("surrogate", lambda db, _: db.encode("bad \ud800")),
    ("batch", lambda db, _: db.encode_batch(["one", {"text": "two", "session": "s2", "occurred_at": "2026-01-01T00:00:00Z"}, {"text": ""}, {"txt": "x"}])),
    ("vector", lambda db, _: db.encode_vector("painting", VECTOR, MODEL, occurred_at=9, kind="semantic", salience=0.9)),
    ("other model", lambda db, _: db.encode_vector("painting", VECTOR, "other")),
    ("short vector", lambda db, _: db.encode_vector("painting", np.ones(3), MODEL)),
    ("get", lambda db, seen: db.get(seen["encode"].memory_id)),
    ("get nothing", lambda db, _: db.get(NOTHING)),
    ("get nonsense", lambda db, _: db.get("nonsense")),
    ("recall", lambda db, _: db.recall("allergic peanuts", limit=3, filters={"session": ["s1", "s2"]})),
    ("recall vector", lambda db, _: db.recall("picture of the sea", limit=1, filters={"kind": "semantic"})),
    ("recall metadata", lambda db, _: db.recall("id", filters={"metadata": {"n": {"$gte": 1}}}, budget_tokens=50)),
    ("recall zoned", lambda db, _: db.recall("zoned", dataset="lisbon", filters={"after": "2026-07-01T12:00:00"})),
    ("recall unknown filter", lambda db, _: db.recall("x", filters={"colour": "red"})),
    ("recall bad operator", lambda db, _: db.recall("x", filters={"metadata": {"a": {"$near": 1}}})),
    ("recall nowhere", lambda db, _: db.recall("x", dataset="nowhere")),
    ("list", lambda db, _: db.list(limit=2)),
    ("list on", lambda db, seen: db.list(limit=2, cursor=seen["list"].next_cursor)),
    ("list filtered", lambda db, _: db.list(filters={"session": ["s1", "s2"], "metadata": {"$not": {"n": 1}}, "before": "2027-01-01T00:00:00Z"})),
    ("list unknown filter", lambda db, _: db.list(filters={"colour": "red"})),
    ("list bad cursor", lambda db, _: db.list(cursor="zzz")),
    ("list too many", lambda db, _: db.list(limit=1_000_000)),
    ("edit", lambda db, seen: db.edit(seen["encode"].memory_id, text="Ana is allergic to nuts", metadata={"a": 1})),
    ("edit again", lambda db, seen: db.edit(seen["encode"].memory_id, text="too late")),
    ("edit nothing", lambda db, seen: db.edit(seen["edit"].memory_id)),
    ("old revision", lambda db, seen: db.get(seen["encode"].memory_id)),
    ("forget", lambda db, seen: db.forget(seen["edit"].memory_id)),
    ("forget twice", lambda db, seen: db.forget(seen["edit"].memory_id)),
    ("restore", lambda db, seen: db.restore(seen["edit"].memory_id)),
    ("restore twice", lambda db, seen: db.restore(seen["edit"].memory_id)),
    ("datasets", lambda db, _: db.datasets()),
    ("bad zone", lambda db, _: db.put_dataset("x", timezone="Nowhere/Land")),
    ("keys", lambda db, _: db.keys()),
    ("no such key", lambda db, _: db.revoke_key("key_nothing")),
]  # fmt: skip


def plain(value: Any) -> Any:
    """What must be equal: the class and every field that does not change from run to run."""
    if isinstance(value, MindlogError):
        return type(value).__name__, value.field, value.detail, value.retryable
    if isinstance(value, list):
        return [plain(each) for each in value]
    return type(value).__name__, strip(to_json(value)) if is_dataclass(value) else value


def strip(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: strip(each) for name, each in value.items() if name not in VOLATILE}
    if isinstance(value, list):
        return [strip(each) for each in value]
    return round(value, 5) if isinstance(value, float) else value


async def play(db: Any) -> dict[str, Any]:
    """Run every step, awaiting what is to be awaited; an error is the step's result."""
    seen: dict[str, Any] = {}
    for name, step in STEPS:
        try:
            result = step(db, seen)
            seen[name] = await result if inspect.isawaitable(result) else result
        except MindlogError as exc:
            seen[name] = exc
    walk = db.iterate(page_size=2)
    seen["iterate"] = [each async for each in walk] if hasattr(walk, "__aiter__") else list(walk)
    return renamed({name: plain(result) for name, result in seen.items()})


def renamed(value: Any) -> Any:
    """The same with memories numbered in the order they appear (a refused write may use up an id), and times left out."""
    numbers: dict[str, int] = {}

    def rename(text: str) -> str:
        text = ID.sub(lambda found: f"memory {numbers.setdefault(found.group(), len(numbers))}", text)
        return TIME.sub("a time", text)

    def walk(each: Any) -> Any:
        if isinstance(each, dict):
            return {name: walk(inner) for name, inner in each.items()}
        if isinstance(each, list | tuple):
            return [walk(inner) for inner in each]
        return rename(each) if isinstance(each, str) else each

    return walk(value)


@pytest.fixture
async def expected(tmp_path: Path) -> dict[str, Any]:
    async with mindlog.aopen(tmp_path / "expected", embedder=HashEmbedder()) as db:
        return await play(db)


async def test_the_scenario_comes_to_what_it_should(expected: dict[str, Any]) -> None:
    errors = {name: result[0] for name, result in expected.items() if len(result) == 4 and isinstance(result[0], str)}
    assert errors["conflict"] == "IdempotencyConflict"
    assert errors["naive"] == errors["blank"] == errors["surrogate"] == "InvalidInput"
    assert errors["other model"] == "ModelMismatch"
    assert errors["edit again"] == "VersionConflict"
    assert errors["forget twice"] == errors["get nothing"] == "MemoryNotFound"
    assert errors["list unknown filter"] == errors["recall unknown filter"] == "UnknownFilter"
    assert len(errors) == 20
    assert len(expected["iterate"]) == 5


def different(found: Any, expected: Any, where: str = "") -> list[str]:
    """Every leaf in which the two differ."""
    if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        return [line for name in expected for line in different(found[name], expected[name], f"{where}/{name}")]
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return [
            line
            for n, pair in enumerate(zip(found, expected, strict=True))
            for line in different(*pair, f"{where}/{n}")
        ]
    return [] if found == expected else [f"{where}: {found!r} instead of {expected!r}"]


async def test_embedded_synchronous(expected: dict[str, Any], tmp_path: Path) -> None:
    with mindlog.open(tmp_path / "sync", embedder=HashEmbedder()) as db:
        assert different(await play(db), expected) == []


async def test_over_http_synchronous(expected: dict[str, Any], server: LoopbackServer) -> None:
    with Client(server.url) as client:
        assert different(await play(client), expected) == []


async def test_over_http_asynchronous(expected: dict[str, Any], server: LoopbackServer) -> None:
    async with AsyncClient(server.url) as client:
        assert different(await play(client), expected) == []


def test_health_over_http_says_what_the_engine_says(server: LoopbackServer) -> None:
    with Client(server.url) as client:
        client.encode("text")
        health = client.health()
    assert (health.ready, health.status, health.store["memories"], health.embedder["name"]) == (True, "ok", 1, "hash")


def test_from_the_first_key_on_the_server_asks_for_one(server: LoopbackServer) -> None:
    with Client(server.url) as client:
        key, secret = client.create_key("worker", scopes=["write"], datasets=["default"])
        with pytest.raises(MindlogError) as refused:
            client.encode("without a key")
    assert (refused.value.code, refused.value.status) == ("unauthorized", 401)
    with Client(server.url, api_key=secret) as client:
        assert client.encode("with a key").lsn > 0
        with pytest.raises(MindlogError) as forbidden:
            client.revoke_key(key.id)
    assert forbidden.value.code == "forbidden"


def test_a_server_that_stops_is_unreachable_and_busy_is_not_what_it_says(server: LoopbackServer) -> None:
    with Client(server.url, backoff=0.0) as client:
        client.encode("text")
        server.stop()
        with pytest.raises(MindlogError) as caught:
            client.encode("too late")
    assert caught.value.code == "unreachable"
    assert not isinstance(caught.value, Busy)
