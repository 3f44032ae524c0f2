"""One scenario, four APIs: embedded and over HTTP, synchronous and asynchronous, give the same records and errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import mindlog
from mindlog.client import AsyncClient, Client
from mindlog.errors import Busy, MindlogError
from mindlog.ids import MemoryId
from mindlog.testing.fakes import HashEmbedder
from mindlog.wire import to_json

from .loopback import LoopbackServer

Step = tuple[str, Callable[[Any, dict[str, Any]], Any]]

MOMENT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
MOMENT_LATER = datetime(2026, 3, 14, 9, 36, 53, tzinfo=UTC)
# What differs from run to run: instants of the machine's clock, random ids, and places in the log, which documents and
# derivations write to at once.
VOLATILE = {
    "created_at",
    "recorded_at",
    "persisted_at",
    "forgotten_at",
    "restorable_until",
    "receipt_id",
    "key_id",
    "next_cursor",
    "asserted_at",
    "invalidated_at",
    "started_at",
    "finished_at",
    "decided_at",
    "updated_at",
    "oldest_seconds",
    "lsn",
}
ID = re.compile(r"(?:mem|req)_[0-9A-Z]{26}|(?:ent|stm|prp|enc|rem|qry|ser|img)_[0-9A-Z]{13}")
TIME = re.compile(r"20[2-9]\d-\d\d-\d\dT[0-9:.]+Z")
NOTHING = str(MemoryId(0, 999, 1))
VECTOR = HashEmbedder().vector("a picture of the sea").tolist()
MODEL = HashEmbedder().fingerprint

PAPER = (
    "Eve works at Globex. The revenue of Globex was 3.1 million dollars in January 2025, 3.4 million dollars in "
    "February 2025 and 3.6 million dollars in March 2025. The camp is at 38.7223, -9.1393."
)


def picture() -> bytes:
    """A red card."""
    file = BytesIO()
    Image.new("RGB", (40, 30), (200, 10, 10)).save(file, "PNG")
    return file.getvalue()


PICTURE = picture()


def parts(stream: Any) -> Any:
    """The parts of a streamed answer."""

    async def collected() -> list[Any]:
        return [part async for part in stream]

    return collected() if hasattr(stream, "__anext__") else list(stream)


def db_id(number: int) -> str:
    """The id of the entity that was found so many-th."""
    return f"ent_{number:013}"


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
    ("works", lambda db, _: db.encode("Maria works at Acme in Lisbon.", agent="eve", session="k", occurred_at=MOMENT, wait="derived")),
    ("moves", lambda db, _: db.encode("Maria works at Globex now.", agent="eve", session="k", occurred_at=MOMENT_LATER, wait="derived")),
    ("batch derived", lambda db, _: db.encode_batch(["Bo lives in Oslo."], wait="derived")),
    ("wait for what", lambda db, _: db.encode("x", wait="later")),
    ("inspect", lambda db, seen: db.inspect(seen["moves"].memory_id)),
    ("inspect nothing", lambda db, _: db.inspect(NOTHING)),
    ("entities", lambda db, _: db.entities(limit=2)),
    ("entities on", lambda db, seen: db.entities(limit=2, cursor=seen["entities"].next_cursor)),
    ("entities named", lambda db, _: db.entities(name="mar", kind="person")),
    ("entities of no kind", lambda db, _: db.entities(kind="colour")),
    ("entities nowhere", lambda db, _: db.entities("nowhere")),
    ("entity", lambda db, seen: db.entity(seen["entities named"].data[0].entity_id)),
    ("entity nonsense", lambda db, _: db.entity("ent_?")),
    ("no such entity", lambda db, _: db.entity("ent_0000000009999")),
    ("statements", lambda db, _: db.statements(entity="Maria", include_superseded=True)),
    ("statements then", lambda db, _: db.statements(subject="Maria", as_of=MOMENT)),
    ("statements never", lambda db, _: db.statements(as_of="tomorrow")),
    ("statements of nobody", lambda db, _: db.statements(subject="Nobody")),
    ("statements of a memory", lambda db, seen: db.statements(memory_id=seen["works"].memory_id, include_superseded=True)),
    ("statement", lambda db, seen: db.statement(seen["statements"].data[0].statement_id)),
    ("no such statement", lambda db, _: db.statement("stm_0000000009999")),
    ("list of an entity", lambda db, _: db.list(entity="Maria", limit=2)),
    ("list of nobody", lambda db, _: db.list(entity="Nobody")),
    ("graph", lambda db, _: db.graph("Maria", depth=2)),
    ("graph of ever", lambda db, _: db.graph("Maria", include_superseded=True)),
    ("graph of ever at a time", lambda db, _: db.graph("Maria", include_superseded=True, as_of=MOMENT)),
    ("graph too deep", lambda db, _: db.graph("Maria", depth=99)),
    ("links", lambda db, seen: db.links(seen["works"].memory_id)),
    ("link", lambda db, seen: db.link(seen["works"].memory_id, seen["edit"].memory_id, kind="supports", weight=0.5)),
    ("link of no kind", lambda db, seen: db.link(seen["works"].memory_id, seen["edit"].memory_id, kind="likes")),
    ("link to nothing", lambda db, seen: db.link(seen["works"].memory_id, NOTHING, kind="supports")),
    ("unlink", lambda db, seen: db.unlink(seen["works"].memory_id, seen["edit"].memory_id, kind="supports")),
    ("unlink twice", lambda db, seen: db.unlink(seen["works"].memory_id, seen["edit"].memory_id, kind="supports")),
    ("merge", lambda db, _: db.merge_entities(db_id(2), db_id(1))),
    ("unmerge", lambda db, _: db.unmerge_entity(db_id(2))),
    ("unmerge twice", lambda db, _: db.unmerge_entity(db_id(2))),
    ("proposals", lambda db, _: db.proposals(status=None)),
    ("no such proposal", lambda db, _: db.decide_proposal("prp_0000000009999", accept=True)),
    ("no such proposal to undo", lambda db, _: db.undo_proposal("prp_0000000009999")),
    ("runs", lambda db, _: db.runs(status="succeeded", text="maria")),
    ("runs of no state", lambda db, _: db.runs(state="asleep")),
    ("runs of no stage", lambda db, _: db.runs(stage="sleep", stage_status="failed")),
    ("run counts", lambda db, _: db.run_counts()),
    ("run", lambda db, seen: db.run(seen["runs"].data[0].run_id)),
    ("run without outputs", lambda db, seen: db.run(seen["runs"].data[0].run_id, outputs=False)),
    ("no such run", lambda db, _: db.run("enc_0000000009999")),
    ("run outputs", lambda db, seen: db.run_outputs(seen["runs"].data[0].run_id)),
    ("retry one stage", lambda db, seen: db.retry_runs(seen["runs"].data[0].run_id, stages=["hype"])),
    ("retry no stage", lambda db, seen: db.retry_runs(seen["runs"].data[0].run_id, stages=["sleep"])),
    ("retry ids and filters", lambda db, _: db.retry_runs(["enc_0000000009999"], state="failed")),
    ("retry what failed", lambda db, _: db.retry_runs()),
    ("cancel", lambda db, _: db.cancel_runs(memory_id=NOTHING)),
    ("cancel nonsense", lambda db, _: db.cancel_runs(["nonsense"])),
    ("inferences", lambda db, _: db.inferences(stage="extractor", failed=False)),
    ("inferences of no stage", lambda db, _: db.inferences(stage="sleep")),
    ("no such inference", lambda db, _: db.inference("inf_nothing")),
    ("remember", lambda db, _: db.remember(PAPER, document_id="paper", session="p", agent="eve", metadata={"n": 1}, occurred_at=MOMENT, wait="derived")),
    ("remember bytes", lambda db, _: db.remember(data=b"# Tea\n\nEve likes tea.", name="tea \"\u00e9\".md", options={"extract_graph": {"reasoning": "low"}}, occurred_at=MOMENT, wait="derived")),
    ("remember a file", lambda db, _: db.remember(path=Path(__file__).parent / "__init__.py")),
    ("remember no file", lambda db, _: db.remember(path="/nowhere/at all")),
    ("remember twice", lambda db, _: db.remember("Bo likes coffee.", request_id="doc", occurred_at=MOMENT)),
    ("remember again", lambda db, _: db.remember("Bo likes coffee.", request_id="doc", occurred_at=MOMENT)),
    ("remember another", lambda db, _: db.remember("Bo likes tea.", request_id="doc")),
    ("remember nothing", lambda db, _: db.remember()),
    ("remember two things", lambda db, _: db.remember("text", url="http://a/")),
    ("remember what is no text", lambda db, _: db.remember(data=b"\x00\x01\xff" * 99, name="x.bin")),
    ("remember no bytes", lambda db, _: db.remember(data="text")),
    ("remember an address", lambda db, _: db.remember(url="http://127.0.0.1/")),
    ("remember with no stage", lambda db, _: db.remember("text", options={"sleep": {}})),
    ("remember a surrogate", lambda db, _: db.remember("bad \ud800")),
    ("remember a surrogate's name", lambda db, _: db.remember(data=b"text", session="bad \ud800")),
    ("documents", lambda db, _: db.documents(limit=2)),
    ("documents on", lambda db, seen: db.documents(limit=2, cursor=seen["documents"].next_cursor)),
    ("documents nowhere", lambda db, _: db.documents("nowhere")),
    ("document", lambda db, _: db.document("paper")),
    ("no such document", lambda db, _: db.document("nothing/at all")),
    ("document texts", lambda db, _: db.document_texts("paper")),
    ("no such document's texts", lambda db, _: db.document_texts("nothing")),
    ("runs of remember", lambda db, _: db.runs(operation="remember", document_id="paper")),
    ("runs of sleep", lambda db, _: db.runs(operation="sleep")),
    ("counts of remember", lambda db, _: db.run_counts("remember")),
    ("run of remember", lambda db, seen: db.run(seen["remember"].remember_run_id)),
    ("outputs of remember", lambda db, seen: db.run_outputs(seen["remember"].remember_run_id)),
    ("inferences of remember", lambda db, seen: db.inferences(run_id=seen["remember"].remember_run_id)),
    ("no such run of remember", lambda db, _: db.run("rem_0000000009999")),
    ("retry remember", lambda db, _: db.retry_runs(operation="remember")),
    ("retry a stage of remember", lambda db, seen: db.retry_runs(seen["remember"].remember_run_id, stages=["store"])),
    ("retry mixed", lambda db, _: db.retry_runs(["rem_0000000009999", "enc_0000000009999"])),
    ("cancel remember", lambda db, seen: db.cancel_runs([seen["remember"].remember_run_id])),
    ("query", lambda db, _: db.query("Where does Eve work?", session="q", filters={"session": ["p"]}, limit=5, as_of=datetime(2040, 1, 1, tzinfo=UTC))),
    ("query on", lambda db, _: db.query("And what does she like?", session="q")),
    ("query of nothing", lambda db, _: db.query("What?", dataset="lisbon", filters={"session": "none"})),
    ("query nothing", lambda db, _: db.query(" ")),
    ("query at length", lambda db, _: db.query("x" * 10_241)),
    ("query nowhere", lambda db, _: db.query("What?", dataset="nowhere")),
    ("query with no stage", lambda db, _: db.query("What?", options={"sleep": {}})),
    ("query unknown filter", lambda db, _: db.query("What?", filters={"colour": "red"})),
    ("query naive", lambda db, _: db.query("What?", as_of=datetime(2026, 1, 1))),
    ("query in parts", lambda db, _: parts(db.query_stream("Where does Eve work?"))),
    ("query nowhere in parts", lambda db, _: parts(db.query_stream("What?", dataset="nowhere"))),
    ("runs of query", lambda db, _: db.runs(operation="query", session="q", limit=1)),
    ("counts of query", lambda db, _: db.run_counts("query")),
    ("run of query", lambda db, seen: db.run(seen["query"].query_run_id)),
    ("outputs of query", lambda db, seen: db.run_outputs(seen["query"].query_run_id)),
    ("retry query", lambda db, seen: db.retry_runs(seen["query"].query_run_id)),
    ("cancel queries", lambda db, _: db.cancel_runs(operation="query")),
    ("series", lambda db, _: db.series(text="revenue")),
    ("series of nobody", lambda db, _: db.series(entity="Nobody")),
    ("one series", lambda db, seen: db.get_series(seen["series"].data[0].series_id)),
    ("not one series", lambda db, _: db.get_series("ser_0000000009999")),
    ("series points", lambda db, seen: db.series_points(seen["series"].data[0].series_id, start=datetime(2025, 2, 1, tzinfo=UTC), limit=1)),
    ("series points on", lambda db, seen: db.series_points(seen["series"].data[0].series_id, start=datetime(2025, 2, 1, tzinfo=UTC), limit=1, cursor=seen["series points"].next_cursor)),
    ("no such series", lambda db, _: db.series_points("ser_0000000009999")),
    ("places", lambda db, _: db.places()),
    ("places, a page", lambda db, _: db.places(limit=1)),
    ("places of nothing", lambda db, _: db.places("nowhere")),
    ("near", lambda db, _: db.near(38.7, -9.1)),
    ("nothing near", lambda db, _: db.near(-38.7, 9.1, km=1)),
    ("near the moon", lambda db, _: db.near(380.0, 0.0)),
    ("image", lambda db, _: db.keep_image(PICTURE, name="red.png", caption="a red card", session="i", metadata={"n": 1}, occurred_at=MOMENT)),
    ("image again", lambda db, _: db.keep_image(PICTURE, name="red.png", caption="a red card", session="i")),
    ("no image", lambda db, _: db.keep_image(b"text")),
    ("no image at all", lambda db, _: db.keep_image()),
    ("image of a surrogate", lambda db, _: db.keep_image(PICTURE, caption="bad \ud800")),
    ("image shown", lambda db, seen: db.image(seen["image"].image_id)),
    ("image data", lambda db, seen: db.image_data(seen["image"].image_id)),
    ("thumbnail", lambda db, seen: db.thumbnail(seen["image"].image_id)),
    ("no such image", lambda db, _: db.image("img_0000000009999")),
    ("no such image's data", lambda db, _: db.image_data("img_0000000009999")),
    ("settled", lambda db, _: db.settled(10)),
    ("datasets", lambda db, _: db.datasets()),
    ("datasets and sizes", lambda db, _: db.datasets(sizes=True)),
    ("bad zone", lambda db, _: db.put_dataset("x", timezone="Nowhere/Land")),
    ("keys", lambda db, _: db.keys()),
    ("no such key", lambda db, _: db.revoke_key("key_nothing")),
]  # fmt: skip


def plain(value: Any) -> Any:
    """What must be equal: the class and every field that does not change from run to run."""
    if isinstance(value, MindlogError):
        return type(value).__name__, value.field, value.detail, value.retryable
    if isinstance(value, list | tuple):
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
            # What was derived before is met by what comes after.
            settled = db.settled(30)
            assert (await settled if inspect.isawaitable(settled) else settled) is True
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
    assert (
        errors["no such entity"]
        == errors["list of nobody"]
        == errors["statements of nobody"]
        == errors["unmerge twice"]
        == "EntityNotFound"
    )
    assert errors["unlink twice"] == "LinkNotFound"
    assert errors["no such run"] == "RunNotFound"
    assert errors["retry ids and filters"] == errors["runs of no state"] == errors["statements never"] == "InvalidInput"
    assert errors["graph of ever at a time"] == errors["graph too deep"] == "InvalidInput"
    assert errors["remember another"] == "IdempotencyConflict"
    assert errors["remember what is no text"] == "DocumentTypeUnknown"
    assert errors["remember an address"] == "AddressRefused"
    assert errors["no such document"] == "DocumentNotFound"
    assert errors["query nowhere"] == errors["query nowhere in parts"] == "DatasetNotFound"
    assert errors["retry query"] == errors["retry mixed"] == errors["runs of sleep"] == "InvalidInput"
    assert errors["no such series"] == errors["not one series"] == "SeriesNotFound"
    assert errors["no such image"] == "ImageNotFound"
    assert len(errors) == 83
    assert len(expected["iterate"]) == 13
    assert len(expected["statements"][1]["data"]) == 2
    assert expected["retry one stage"] == ["int", 1]


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
