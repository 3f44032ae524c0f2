"""Recall and listings over HTTP: hits, filters that hold exactly, and times in any zone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.conftest import assert_problem, keep


async def recalled(client: httpx2.AsyncClient, cue: str, **more: Any) -> list[str]:
    response = await client.post("/v1/recall", json={"cue": cue, **more})
    assert response.status_code == 200, response.text
    return [hit["text"] for hit in response.json()["hits"]]


async def test_a_write_is_found_by_the_next_recall(client: httpx2.AsyncClient) -> None:
    await keep(client, "The boiler was serviced in March.", session="house")
    response = await client.post("/v1/recall", json={"cue": "when was the boiler serviced"})
    (hit,) = response.json()["hits"]
    assert hit["text"] == "The boiler was serviced in March."
    assert hit["session"] == "house"
    assert all(lane["rank"] >= 1 for lane in hit["lanes"].values())
    assert hit["lanes"]
    assert isinstance(hit["score"], float)


async def test_trace_and_context_come_only_when_asked_for(client: httpx2.AsyncClient) -> None:
    memory_id = await keep(client, "The boiler was serviced in March.")
    plain = (await client.post("/v1/recall", json={"cue": "boiler"})).json()
    assert (plain["context"], plain["trace"]) == (None, None)
    asked = {"cue": "boiler", "trace": True, "budget_tokens": 100, "explain_ids": [memory_id]}
    full = (await client.post("/v1/recall", json=asked)).json()
    assert full["trace"]
    assert full["context"]


async def test_an_unknown_dataset_is_not_found(client: httpx2.AsyncClient) -> None:
    assert_problem(await client.post("/v1/recall", json={"cue": "x", "dataset": "nope"}), 404, "dataset_not_found")
    assert_problem(await client.get("/v1/memories?dataset=nope"), 404, "dataset_not_found")


async def test_two_users_with_one_text_see_only_their_own(client: httpx2.AsyncClient) -> None:
    mine = await keep(client, "my locker is 12", agent="ana")
    yours = await keep(client, "my locker is 12", agent="ben")
    far = await keep(client, "my locker is 12", dataset="other", agent="ben")
    for agent, expected in (("ana", mine), ("ben", yours)):
        found = await client.post("/v1/recall", json={"cue": "locker", "filters": {"agent": agent}})
        assert [hit["memory_id"] for hit in found.json()["hits"]] == [expected]
        listed = await client.get("/v1/memories", params={"agent": agent})
        assert [memory["memory_id"] for memory in listed.json()["data"]] == [expected]
    found = await client.post("/v1/recall", json={"cue": "locker", "dataset": "other"})
    assert [hit["memory_id"] for hit in found.json()["hits"]] == [far]


NOTES: dict[str, dict[str, Any]] = {
    "note one": {"n": 1, "tag": "red", "on": True},
    "note two": {"n": 2, "tag": "blue"},
    "note three": {"n": 3.5, "tag": "red", "on": None},
    "note four": {},
}
METADATA_FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"tag": "red"}, {"one", "three"}),
    ({"tag": {"$eq": "red"}}, {"one", "three"}),
    ({"tag": {"$ne": "red"}}, {"two"}),
    ({"tag": {"$in": ["blue", "green"]}}, {"two"}),
    ({"n": {"$nin": [1, 2]}}, {"three"}),
    ({"n": {"$gt": 1}}, {"two", "three"}),
    ({"n": {"$gte": 2, "$lt": 3.5}}, {"two"}),
    ({"n": {"$lte": 1}}, {"one"}),
    ({"$and": [{"tag": "red"}, {"n": {"$gt": 1}}]}, {"three"}),
    ({"$or": [{"tag": "blue"}, {"n": 1}]}, {"one", "two"}),
    ({"$not": {"tag": "red"}}, {"two", "four"}),
    ({"n": {"$exists": False}}, {"four"}),
    ({"on": {"$exists": True}}, {"one", "three"}),
    ({"on": None}, {"three"}),
    ({"on": 1}, set()),
    ({"n": True}, set()),
    ({"missing": "x"}, set()),
]


@pytest.mark.parametrize(
    ("metadata", "expected"), METADATA_FILTERS, ids=lambda value: json.dumps(value, default=sorted)
)
async def test_a_metadata_filter_holds_exactly_in_recall_and_listing(
    client: httpx2.AsyncClient, metadata: dict[str, Any], expected: set[str]
) -> None:
    items = [{"text": text, "metadata": facts} for text, facts in NOTES.items()]
    await client.post("/v1/memories/batch", json={"items": items})
    names = {f"note {name}" for name in expected}
    assert set(await recalled(client, "note", filters={"metadata": metadata})) == names
    listed = await client.get("/v1/memories", params={"metadata": json.dumps(metadata)})
    assert {memory["text"] for memory in listed.json()["data"]} == names


REFUSED_FILTERS: list[tuple[Any, str]] = [
    ({"user": "ana"}, "unknown_filter"),
    ({"metadata": {"n": {"$regex": "x"}}}, "unknown_filter"),
    ({"metadata": {"$nor": [{"n": 1}]}}, "unknown_filter"),
    ({"metadata": {"n": {"$in": []}}}, "invalid_input"),
    ({"metadata": {"n": {"$gt": None}}}, "invalid_input"),
    ({"metadata": {"n": {"$gt": [1]}}}, "invalid_input"),
    ({"metadata": {"n": 2**64}}, "invalid_input"),
    ({"metadata": {}}, "invalid_input"),
    ({"metadata": []}, "invalid_input"),
    ({"metadata": {"$and": {}}}, "invalid_input"),
    (
        {
            "metadata": {
                "a": {"$eq": 1},
                "$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"$not": {"b": 1}}}}}}}}},
            }
        },
        "invalid_input",
    ),
    ({"session": 1}, "invalid_input"),
    ({"session": []}, "invalid_input"),
    ({"kind": "factual"}, "invalid_input"),
    ({"after": 1721870000}, "invalid_input"),
    ({"after": "yesterday"}, "invalid_input"),
    ({"after": "2025-07-25T02:00:00"}, "invalid_input"),
    ({"after": "2025-07-26T00:00:00Z", "before": "2025-07-25T00:00:00Z"}, "invalid_input"),
    ([], "invalid_input"),
    ("session", "invalid_input"),
    (0, "invalid_input"),
]


@pytest.mark.parametrize(("filters", "code"), REFUSED_FILTERS, ids=lambda value: str(value)[:60])
async def test_a_filter_that_cannot_hold_is_refused_never_ignored(
    client: httpx2.AsyncClient, filters: Any, code: str
) -> None:
    await keep(client, "a note")
    response = await client.post("/v1/recall", json={"cue": "note", "filters": filters})
    field = str(assert_problem(response, 400, code)["field"])
    assert field.startswith("filters")


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("user=ana", "invalid_input", "user"),
        ("metadata={", "invalid_input", "metadata"),
        ('metadata={"n":{"$regex":1}}', "unknown_filter", "metadata.n.$regex"),
        ('metadata={"a":1,"a":2}', "invalid_input", "a"),
        ('metadata={"a":"\\ud800"}', "invalid_input", "metadata.a"),
        ("kind=factual", "invalid_input", "kind.0"),
        ("after=yesterday", "invalid_input", "after"),
        ("after=2025-07-26T00:00:00Z&before=2025-07-25T00:00:00Z", "invalid_input", "before"),
        ("limit=0", "invalid_input", "limit"),
        ("limit=10001", "invalid_input", "limit"),
        ("limit=1e3", "invalid_input", "limit"),
        ("limit=5&limit=6", "invalid_input", "limit"),
        ("limit=" + "9" * 5000, "invalid_input", "limit"),
        ("dataset=no%20spaces", "invalid_input", "dataset"),
    ],
)
async def test_a_listing_that_makes_no_sense_is_refused(
    client: httpx2.AsyncClient, query: str, code: str, field: str
) -> None:
    await keep(client, "a note")
    assert_problem(await client.get(f"/v1/memories?{query}"), 400, code, field)


async def test_a_repeated_parameter_means_any_of_its_values(client: httpx2.AsyncClient) -> None:
    for session in ("a", "b", "c"):
        await keep(client, f"in {session}", session=session)
    listed = await client.get("/v1/memories?session=a&session=c")
    assert {memory["text"] for memory in listed.json()["data"]} == {"in a", "in c"}
    assert set(await recalled(client, "in", filters={"session": ["a", "c"]})) == {"in a", "in c"}


async def test_a_day_is_found_whatever_offset_its_times_were_written_with(client: httpx2.AsyncClient) -> None:
    written = {
        "start of day": "2025-07-25T00:00:00Z",
        "from India": "2025-07-26T05:29:59+05:30",
        "from California": "2025-07-24T17:00:00-07:00",
        "day before": "2025-07-24T23:59:59.999999Z",
        "day after": "2025-07-25T17:00:00-07:00",
    }
    for text, at in written.items():
        await keep(client, text, occurred_at=at)
    day = {"after": "2025-07-25T00:00:00Z", "before": "2025-07-26T00:00:00Z"}
    expected = {"start of day", "from India", "from California"}
    listed = (await client.get("/v1/memories", params=day)).json()["data"]
    assert {memory["text"] for memory in listed} == expected
    assert all(memory["occurred_at"].endswith("Z") for memory in listed)
    assert set(await recalled(client, "from day", filters=day)) == expected


async def test_a_naive_time_is_refused_or_taken_in_the_datasets_zone(client: httpx2.AsyncClient) -> None:
    naive = {"text": "half past two", "occurred_at": "2025-07-25T02:00:00", "dataset": "goa"}
    assert_problem(await client.post("/v1/memories", json=naive), 400, "invalid_input", "occurred_at")
    made = await client.post("/v1/datasets", json={"name": "goa", "timezone": "Asia/Kolkata"})
    assert made.json()["timezone"] == "Asia/Kolkata"
    kept = await client.get(f"/v1/memories/{await keep(client, **naive)}")
    assert kept.json()["occurred_at"] == "2025-07-24T20:30:00Z"
    window = {"after": "2025-07-25T01:59:59", "before": "2025-07-25T02:00:01"}
    listed = await client.get("/v1/memories", params={"dataset": "goa", **window})
    assert len(listed.json()["data"]) == 1
    assert await recalled(client, "half past two", dataset="goa", filters=window) == ["half past two"]


ZONED = """
import asyncio, json, sys
from pathlib import Path
import httpx2
from mindlog.api import create_app
from mindlog.engine import Engine
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder

async def main() -> None:
    async with await Engine.open(Settings(data=Path(sys.argv[1])), embedder=HashEmbedder(dimensions=8)) as engine:
        transport = httpx2.ASGITransport(create_app(engine))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            for text, at in (("z", "2025-07-25T02:00:00Z"), ("offset", "2025-07-25T07:30:00+05:30"), ("naive", "2025-07-25T02:00:00")):
                answer = await client.post("/v1/memories", json={"text": text, "occurred_at": at})
                print(text, answer.status_code)
            day = {"after": "2025-07-25T00:00:00Z", "before": "2025-07-26T00:00:00Z"}
            for memory in (await client.get("/v1/memories", params=day)).json()["data"]:
                print(memory["text"], memory["occurred_at"])

asyncio.run(main())
"""


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Kolkata"])
def test_the_machines_own_zone_changes_nothing(tmp_path: Path, zone: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ZONED, str(tmp_path / "data")],
        env={**os.environ, "TZ": zone},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == [
        "z 201",
        "offset 201",
        "naive 400",
        "offset 2025-07-25T02:00:00Z",
        "z 2025-07-25T02:00:00Z",
    ]
