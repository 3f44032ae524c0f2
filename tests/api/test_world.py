"""Series and places over HTTP: what a document said of them is read back, by those who may."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from mindlog.engine import Engine
from tests.api.conftest import ClientFactory, assert_problem, make_key

TEXT = (
    "Globex had a good year. The revenue of Globex was 3.1 million dollars in January 2025, 3.4 million dollars in "
    "February 2025 and 3.6 million dollars in March 2025. The camp is at 38.7223, -9.1393."
)
LISBON = {"lat": 38.7, "lon": -9.1}


@pytest.fixture
async def knowing(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """A client of a server that has read of revenues and of a camp."""
    response = await client.post("/v1/remember", json={"text": TEXT, "wait": "derived"})
    assert response.json()["status"] == "succeeded", response.text
    return client


async def the_series(client: httpx2.AsyncClient) -> dict[str, Any]:
    (series,) = (await client.get("/v1/series")).json()["data"]
    return series


async def test_series_are_listed_with_whose_they_are(knowing: httpx2.AsyncClient) -> None:
    series = await the_series(knowing)
    assert "revenue" in series["name"].lower()
    assert series["points"] == 3
    assert series["first_at"].startswith("2025-01-01T00:00:00")
    assert (await knowing.get("/v1/series", params={"text": "REVENUE"})).json()["data"] == [series]
    assert (await knowing.get("/v1/series", params={"text": "weather"})).json()["data"] == []
    if series["entity"] is not None:
        of_it = {"entity": series["entity"]["entity_id"]}
        assert (await knowing.get("/v1/series", params=of_it)).json()["data"] == [series]


async def test_one_series_is_read_as_the_list_has_it(knowing: httpx2.AsyncClient) -> None:
    series = await the_series(knowing)
    response = await knowing.get(f"/v1/series/{series['series_id']}")
    assert (response.status_code, response.json()) == (200, series)


async def test_points_are_paged_and_narrowed_by_time(knowing: httpx2.AsyncClient) -> None:
    path = f"/v1/series/{(await the_series(knowing))['series_id']}/points"
    page = (await knowing.get(path, params={"limit": 2})).json()
    rest = (await knowing.get(path, params={"limit": 2, "cursor": page["next_cursor"]})).json()
    points = [*page["data"], *rest["data"]]
    assert rest["next_cursor"] is None
    assert [point["value"] for point in points] == [3.1e6, 3.4e6, 3.6e6]
    assert [point["at"][:10] for point in points] == ["2025-01-01", "2025-02-01", "2025-03-01"]
    assert points[0]["until"].startswith("2025-02-01")
    assert points[0]["memory_id"].startswith("mem_")
    only = {"start": "2025-02-01T00:00:00Z", "end": "2025-03-01T00:00:00Z"}
    assert [point["value"] for point in (await knowing.get(path, params=only)).json()["data"]] == [3.4e6]


async def test_places_are_paged_without_those_of_what_is_forgotten(knowing: httpx2.AsyncClient) -> None:
    for n in range(3):
        text = f"Site {n} is at 48.{n}001, 2.{n}002."
        assert (await knowing.post("/v1/remember", json={"text": text, "wait": "derived"})).status_code == 200
    whole = (await knowing.get("/v1/places")).json()
    found, cursor = [], None
    while found == [] or cursor:
        page = (await knowing.get("/v1/places", params={"limit": 1} | ({"cursor": cursor} if cursor else {}))).json()
        found += page["data"]
        cursor = page["next_cursor"]
        assert page["has_more"] == (cursor is not None)
    assert found == whole["data"]
    assert [(place["lat"], place["lon"]) for place in found] == [
        (48.2001, 2.2002), (48.1001, 2.1002), (48.0001, 2.0002), (38.7223, -9.1393),
    ]  # fmt: skip
    (memory,) = found[0]["memory_ids"]
    assert (await knowing.delete(f"/v1/memories/{memory}")).status_code == 200
    assert (await knowing.get("/v1/places")).json()["data"] == found[1:]


async def test_what_is_near_a_point_comes_with_its_distance(knowing: httpx2.AsyncClient) -> None:
    (place,) = (await knowing.get("/v1/places/near", params=LISBON)).json()["data"]
    assert (place["lat"], place["lon"]) == (38.7223, -9.1393)
    assert 3 < place["km"] < 5
    assert len(place["memory_ids"]) == 1
    assert (await knowing.get("/v1/places/near", params=LISBON | {"km": 1})).json() == {"data": []}


@pytest.mark.parametrize(
    ("path", "params", "status", "code", "field"),
    [
        ("/v1/series", {"dataset": "nowhere"}, 404, "dataset_not_found", "dataset"),
        ("/v1/series", {"entity": "Nobody"}, 404, "entity_not_found", "entity"),
        ("/v1/series", {"cursor": "zzz"}, 400, "invalid_cursor", "cursor"),
        ("/v1/series", {"colour": "red"}, 400, "invalid_input", "colour"),
        ("/v1/series/ser_0000000009999", {}, 404, "series_not_found", "series_id"),
        ("/v1/series/nonsense", {}, 400, "invalid_input", "series_id"),
        ("/v1/series/ser_0000000009999/points", {}, 404, "series_not_found", "series_id"),
        ("/v1/series/nonsense/points", {}, 400, "invalid_input", "series_id"),
        ("/v1/places", {"dataset": "nowhere"}, 404, "dataset_not_found", "dataset"),
        ("/v1/places", {"cursor": "zzz"}, 400, "invalid_cursor", "cursor"),
        ("/v1/places/near", {}, 400, "invalid_input", "lat"),
        ("/v1/places/near", LISBON | {"lat": 91}, 400, "invalid_input", "lat"),
        ("/v1/places/near", LISBON | {"lon": "nan"}, 400, "invalid_input", "lon"),
        ("/v1/places/near", LISBON | {"km": -1}, 400, "invalid_input", "km"),
        ("/v1/places/near", LISBON | {"km": "inf"}, 400, "invalid_input", "km"),
        ("/v1/places/near", LISBON | {"dataset": "nowhere"}, 404, "dataset_not_found", "dataset"),
    ],
)
async def test_what_cannot_be_is_refused(
    client: httpx2.AsyncClient, path: str, params: dict[str, Any], status: int, code: str, field: str
) -> None:
    assert_problem(await client.get(path, params=params), status, code, field)


async def test_other_datasets_have_no_series_and_no_places(
    client_of: ClientFactory, engine: Engine, knowing: httpx2.AsyncClient
) -> None:
    series = (await the_series(knowing))["series_id"]
    key = await make_key(engine, "read", datasets=["mine"])
    async with client_of(key=key) as client:
        assert_problem(await client.get("/v1/series"), 403, "forbidden")
        assert_problem(await client.get(f"/v1/series/{series}"), 404, "series_not_found", "series_id")
        assert_problem(await client.get(f"/v1/series/{series}/points"), 404, "series_not_found", "series_id")
        assert_problem(await client.get("/v1/places/near", params=LISBON), 403, "forbidden")
