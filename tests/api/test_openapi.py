"""The published description: true to what the server answers, and shown without help from any other address."""

from __future__ import annotations

import asyncio
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mindlog.api.problems import catalogue
from mindlog.engine import Engine
from tests.api.conftest import make_key

ROUTES = {
    ("POST", "/v1/memories"),
    ("POST", "/v1/memories/batch"),
    ("POST", "/v1/memories/vector"),
    ("GET", "/v1/memories"),
    ("GET", "/v1/memories/{memory_id}"),
    ("PATCH", "/v1/memories/{memory_id}"),
    ("DELETE", "/v1/memories/{memory_id}"),
    ("POST", "/v1/memories/{memory_id}/restore"),
    ("POST", "/v1/recall"),
    ("GET", "/v1/activity"),
    ("GET", "/v1/datasets"),
    ("POST", "/v1/datasets"),
    ("GET", "/v1/keys"),
    ("POST", "/v1/keys"),
    ("DELETE", "/v1/keys/{key_id}"),
    ("GET", "/v1/memories/{memory_id}/inspect"),
    ("GET", "/v1/memories/{memory_id}/links"),
    ("POST", "/v1/memories/{memory_id}/links"),
    ("DELETE", "/v1/memories/{memory_id}/links"),
    ("GET", "/v1/entities"),
    ("GET", "/v1/entities/{entity_id}"),
    ("POST", "/v1/entities/{entity_id}/merge"),
    ("POST", "/v1/entities/{entity_id}/unmerge"),
    ("GET", "/v1/proposals"),
    ("POST", "/v1/proposals/{proposal_id}"),
    ("GET", "/v1/statements"),
    ("GET", "/v1/statements/{statement_id}"),
    ("GET", "/v1/graph"),
    ("GET", "/v1/subscribe"),
    ("GET", "/v1/settled"),
    ("GET", "/v1/admin/api/encode-runs"),
    ("GET", "/v1/admin/api/encode-runs/counts"),
    ("POST", "/v1/admin/api/encode-runs/retry"),
    ("POST", "/v1/admin/api/encode-runs/cancel"),
    ("GET", "/v1/admin/api/encode-runs/{run_id}"),
    ("GET", "/v1/admin/api/encode-runs/{run_id}/outputs"),
    ("GET", "/v1/admin/api/encode-runs/{run_id}/inferences"),
    ("POST", "/v1/admin/api/encode-runs/{run_id}/retry"),
    ("POST", "/v1/admin/api/encode-runs/{run_id}/cancel"),
    ("POST", "/v1/remember"),
    ("POST", "/v1/query"),
    ("GET", "/v1/documents"),
    ("GET", "/v1/documents/{document_id}"),
    ("GET", "/v1/documents/{document_id}/texts"),
    ("GET", "/v1/series"),
    ("GET", "/v1/series/{series_id}"),
    ("GET", "/v1/series/{series_id}/points"),
    ("GET", "/v1/places"),
    ("GET", "/v1/places/near"),
    ("POST", "/v1/images"),
    ("GET", "/v1/images/{image_id}"),
    ("GET", "/v1/images/{image_id}/data"),
    ("GET", "/v1/images/{image_id}/thumbnail"),
    ("GET", "/v1/admin/api/remember-runs"),
    ("GET", "/v1/admin/api/remember-runs/counts"),
    ("GET", "/v1/admin/api/remember-runs/{run_id}"),
    ("GET", "/v1/admin/api/remember-runs/{run_id}/outputs"),
    ("GET", "/v1/admin/api/remember-runs/{run_id}/inferences"),
    ("POST", "/v1/admin/api/remember-runs/retry"),
    ("POST", "/v1/admin/api/remember-runs/cancel"),
    ("POST", "/v1/admin/api/remember-runs/{run_id}/retry"),
    ("POST", "/v1/admin/api/remember-runs/{run_id}/cancel"),
    ("GET", "/v1/admin/api/query-runs"),
    ("GET", "/v1/admin/api/query-runs/counts"),
    ("GET", "/v1/admin/api/query-runs/{run_id}"),
    ("GET", "/v1/admin/api/query-runs/{run_id}/outputs"),
    ("GET", "/v1/admin/api/query-runs/{run_id}/inferences"),
    ("GET", "/v1/admin/api/inferences"),
    ("GET", "/v1/admin/api/inferences/{inference_id}"),
    ("GET", "/v1/admin/api/stages"),
    ("GET", "/livez"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
}


@pytest.fixture
async def document(client: httpx2.AsyncClient) -> dict[str, Any]:
    return (await client.get("/openapi.json")).json()


def operations(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(method.upper(), path): found for path, methods in document["paths"].items() for method, found in methods.items()}  # fmt: skip


async def test_every_route_is_described_and_no_other(document: dict[str, Any]) -> None:
    assert set(operations(document)) == ROUTES


async def test_every_operation_has_a_name_of_its_own_for_generated_clients(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for operation in operations(document).values()]
    assert len(set(names)) == len(names)
    assert {"encode", "recall", "list_memories", "create_key"} <= set(names)


async def test_every_operation_names_its_errors_as_problems(document: dict[str, Any]) -> None:
    for (method, path), operation in operations(document).items():
        statuses = set(operation["responses"])
        assert statuses >= {"400", "403", "500", "503"}, (method, path)
        assert "422" not in statuses
        if path.startswith("/v1/"):
            assert "401" in statuses
            assert operation["security"] == [{"key": []}, {}]
        if "requestBody" in operation:
            assert "413" in statuses
        if "{" in path:
            assert "404" in statuses
        assert operation["summary"]
        assert operation["description"]
        for status, response in operation["responses"].items():
            assert "X-Request-Id" in response["headers"]
            if int(status) >= 400 and (path, status) != ("/readyz", "503"):
                assert list(response["content"]) == ["application/problem+json"], (method, path, status)


async def test_every_reference_leads_somewhere_and_nothing_is_left_over(document: dict[str, Any]) -> None:
    named = set(re.findall(r"'#/components/schemas/(\w+)'", str(document)))
    assert named == set(document["components"]["schemas"])


async def test_request_bodies_have_examples_and_close_their_fields(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        if name.endswith("Body"):
            assert schema["additionalProperties"] is False, name
            assert schema["description"], name
    assert document["components"]["schemas"]["EncodeBody"]["properties"]["text"]["examples"]
    items = document["components"]["schemas"]["BatchBody"]["properties"]["items"]
    assert items["items"] == {"$ref": "#/components/schemas/EncodeBody"}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: set[str] = set()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = {name: value or "" for name, value in attrs}
        self.addresses += [found[name] for name in ("src", "href", "action", "srcset", "data") if name in found]
        if "id" in found:
            self.ids.add(found["id"])


async def test_the_docs_page_contacts_no_other_address(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    page = Page(answer.text)
    assert "script" not in page.tags
    assert all(address.startswith(("#", "/")) for address in page.addresses)
    assert "url(" not in answer.text
    assert "http://" not in answer.text
    assert "https://" not in answer.text


async def test_the_docs_page_shows_every_route_body_and_error(
    client: httpx2.AsyncClient, document: dict[str, Any]
) -> None:
    text = (await client.get("/docs")).text
    page = Page(text)
    for method, path in ROUTES:
        assert f"<b>{method}</b> <code>{path}</code>" in text
    assert page.ids >= set(document["components"]["schemas"])
    assert page.ids >= {kind.code for kind in catalogue()}
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= page.ids


CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance"  # fmt: skip


async def fuzz(address: str, *more: str, cwd: Path) -> str:
    command = Path(sys.executable).parent / "schemathesis"
    arguments = [
        *("run", f"{address}/openapi.json", "--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--no-color"),
        *(
            "--max-examples",
            "20",
            "--seed",
            "1",
            "--no-shrink",
            "--continue-on-failure",
            "--generation-database",
            "none",
        ),
        *("--suppress-health-check", "all", "--warnings", "off", *more),
    ]
    running = await asyncio.create_subprocess_exec(
        command, *arguments, cwd=cwd, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await running.communicate()
    assert running.returncode == 0, out.decode()[-6000:]
    return out.decode()


@pytest.mark.timeout(300)
async def test_no_request_made_from_the_description_gets_an_answer_it_does_not_have(
    address: str, engine: Engine, tmp_path: Path
) -> None:
    key = await make_key(engine, "admin")
    allowed = ("--header", f"Authorization: Bearer {key}")
    # Revoking is fuzzed last: it may find, and revoke, the key all requests come with.
    # A stream does not end, so what it refuses has tests of its own.
    allowed += ("--exclude-path", "/v1/subscribe")
    out = await fuzz(address, *allowed, "--exclude-method", "DELETE", cwd=tmp_path)
    assert "passed" in out
    await fuzz(address, *allowed, "--include-method", "DELETE", cwd=tmp_path)
    await fuzz(
        address, "--include-path-regex", "^/v1/", "--exclude-path", "/v1/subscribe", "--max-examples", "2", cwd=tmp_path
    )
