"""Failures of the server's own: each says whether another try may help, and none tells what is inside."""

from __future__ import annotations

import httpx2
import pytest

from mindlog.api.problems import catalogue
from mindlog.engine import Engine
from mindlog.errors import MindlogError
from mindlog.testing.fakes import HashEmbedder
from tests.api.conftest import assert_problem


async def test_what_nobody_expected_is_a_500_that_tells_nothing(
    client: httpx2.AsyncClient, engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def explode(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the secret is 4711")

    monkeypatch.setattr(engine, "get", explode)
    answer = await client.get("/v1/memories/mem_x", headers={"X-Request-Id": "r-17"})
    problem = assert_problem(answer, 500, "internal_error")
    assert problem["retryable"] is False
    assert "4711" not in answer.text
    assert "ZeroDivisionError" not in answer.text
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert record.exc_info is not None


@pytest.mark.parametrize("kind", catalogue(), ids=lambda kind: kind.code)
async def test_every_error_is_a_problem_of_its_own_status_and_code(
    client: httpx2.AsyncClient, engine: Engine, monkeypatch: pytest.MonkeyPatch, kind: type[MindlogError]
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise kind(field="x", limit=7, cause=ValueError("not JSON"))

    monkeypatch.setattr(engine, "get", fail)
    answer = await client.get("/v1/memories/mem_x")
    problem = assert_problem(answer, kind.status, kind.code, "x")
    assert (problem["limit"], problem["retryable"], problem["cause"]) == (7, kind.retryable, "not JSON")
    assert ("retry-after" in answer.headers) is (kind.status in (429, 503))
    assert ("www-authenticate" in answer.headers) is (kind.status == 401)


async def test_a_failing_embedder_is_a_502_and_worth_another_try(
    client: httpx2.AsyncClient, embedder: HashEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.fail_texts = {"unlucky"}
    refused = await client.post("/v1/memories", json={"text": "unlucky"})
    assert assert_problem(refused, 502, "embedder_failed")["retryable"] is True
    (record,) = [record for record in caplog.records if record.name == "mindlog.api.problems"]
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    embedder.fail_texts = set()
    assert (await client.post("/v1/memories", json={"text": "unlucky"})).status_code == 201


async def test_a_closed_engine_says_when_to_come_back(client: httpx2.AsyncClient, engine: Engine) -> None:
    await engine.aclose()
    refused = await client.post("/v1/memories", json={"text": "late"})
    assert assert_problem(refused, 503, "closed")["retryable"] is True
    assert refused.headers["retry-after"] == "1"
    ready = await client.get("/readyz")
    assert (ready.status_code, ready.json()["ready"], ready.json()["status"]) == (503, False, "failed")
    assert (await client.get("/livez")).status_code == 200
