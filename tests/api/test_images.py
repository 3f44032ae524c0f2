"""Pictures over HTTP: kept from a form or from JSON, found again, handed out as nothing but pictures."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import Any

import httpx2
import pytest
from PIL import Image

from mindlog.api.world import _picture  # pyright: ignore[reportPrivateUsage]
from mindlog.engine import Engine
from tests.api.conftest import ClientFactory, assert_problem, make_key


def png(color: tuple[int, int, int] = (200, 10, 10)) -> bytes:
    file = BytesIO()
    Image.new("RGB", (40, 30), color).save(file, "PNG")
    return file.getvalue()


async def kept(client: httpx2.AsyncClient, data: bytes, **fields: str) -> httpx2.Response:
    return await client.post("/v1/images", files={"image": ("red.png", data, "text/html")}, data=fields)


async def test_a_picture_is_kept_and_handed_out_as_it_was(client: httpx2.AsyncClient) -> None:
    response = await kept(client, png(), caption="a red card on a table", session="s", metadata='{"n": 1}')
    assert response.status_code == 201, response.text
    image = response.json()
    assert (image["width"], image["height"], image["media_type"], image["name"]) == (40, 30, "image/png", "red.png")
    assert response.headers["location"] == f"/v1/images/{image['image_id']}"
    shown = await client.get(f"/v1/images/{image['image_id']}")
    assert shown.json() == image
    data = await client.get(f"/v1/images/{image['image_id']}/data")
    assert (data.content, data.headers["content-type"]) == (png(), "image/png")
    small = await client.get(f"/v1/images/{image['image_id']}/thumbnail")
    assert Image.open(BytesIO(small.content)).size == (40, 30)
    for answer in (data, small):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; sandbox")
    hits = (await client.post("/v1/recall", json={"cue": "red card", "filters": {"session": "s"}})).json()["hits"]
    assert hits[0]["memory_id"] == image["memory_id"]
    assert hits[0]["metadata"]["n"] == 1


async def test_the_same_picture_is_kept_once_whichever_way_it_comes(client: httpx2.AsyncClient) -> None:
    first = await kept(client, png(), caption="red")
    body = {"data": base64.b64encode(png()).decode(), "name": "red.png", "caption": "red"}
    again = await client.post("/v1/images", json=body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json() | {"was_deduplicated": True}


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "invalid_input", "data"),
        ({"data": "?"}, "invalid_input", "data"),
        ({"data": base64.b64encode(b"<html>").decode()}, "invalid_input", "image"),
        ({"data": base64.b64encode(png()).decode(), "caption": " "}, "invalid_input", "caption"),
        ({"data": base64.b64encode(png()).decode(), "colour": "red"}, "invalid_input", "colour"),
        ({"data": base64.b64encode(png()[:60]).decode()}, "invalid_input", "image"),
    ],
)
async def test_what_is_no_picture_is_refused(
    client: httpx2.AsyncClient, body: dict[str, Any], code: str, field: str
) -> None:
    assert_problem(await client.post("/v1/images", json=body), 400, code, field)


async def test_a_picture_over_the_limit_is_413_and_names_it(client: httpx2.AsyncClient, engine: Engine) -> None:
    limit = engine.settings.max_image_bytes
    response = await kept(client, png() + b"\0" * limit)
    assert assert_problem(response, 413, "too_large", "image")["limit"] == limit


async def test_what_is_stored_is_never_served_as_a_page() -> None:
    assert _picture("text/html", b"<script>").media_type == "application/octet-stream"
    assert _picture("image/svg+xml", b"<svg>").media_type == "application/octet-stream"


async def test_pictures_of_other_datasets_are_not_there(client_of: ClientFactory, engine: Engine) -> None:
    key = await make_key(engine, "write", datasets=["mine"])
    reader = await make_key(engine, "read", datasets=["default"])
    async with client_of(key=key) as client:
        image = (await kept(client, png(), dataset="mine")).json()["image_id"]
        assert_problem(await kept(client, png()), 403, "forbidden")
    async with client_of(key=reader) as client:
        for path in ("", "/data", "/thumbnail"):
            assert_problem(await client.get(f"/v1/images/{image}{path}"), 404, "image_not_found", "image_id")
        assert_problem(await kept(client, png()), 403, "forbidden")
    async with client_of(key=key) as client:
        assert_problem(await client.get("/v1/images/img_0000000009999"), 404, "image_not_found", "image_id")
        assert_problem(await client.get("/v1/images/nonsense"), 400, "invalid_input", "image_id")
