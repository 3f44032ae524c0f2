"""Questions over HTTP: answered whole or piece by piece, on record, and ended by whoever leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mindlog.api import Metrics, create_app
from mindlog.api.server import HttpServer, bind
from mindlog.engine import Engine
from mindlog.errors import EmbedderFailed
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.llm_answers import drip, hang
from mindlog.testing.llm_server import FakeLLM
from mindlog.views import AnswerPart, QueryRequest, QueryResult
from tests.api.conftest import BOUND, ClientFactory, assert_problem, keep, make_key, serving, settings_for

RUNS = "/v1/admin/api/query-runs"
QUESTION = "Where does Ana work?"
RESULT = QueryResult(answer="At Acme.", answered_by="extractive", citations=(), query_run_id="qry_0000000000001")

Parts = Callable[[], AsyncGenerator[AnswerPart]]


@pytest.fixture
async def knowing(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """A client of a server that knows where Ana works."""
    await keep(client, "Ana works at Acme.", agent="bo", session="s", wait="derived")
    return client


def events(text: str) -> list[tuple[str, Any]]:
    """The events of a stream: type and data."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def answer_with(engine: Engine, monkeypatch: pytest.MonkeyPatch, parts: Parts) -> None:
    """Has the engine stream these parts, whatever is asked."""

    def query_stream(request: QueryRequest, **_: object) -> AsyncGenerator[AnswerPart]:
        return parts()

    monkeypatch.setattr(engine, "query_stream", query_stream)


async def test_an_answer_names_what_it_rests_on(knowing: httpx2.AsyncClient) -> None:
    response = await knowing.post("/v1/query", json={"question": QUESTION, "session": "t"})
    assert response.status_code == 200, response.text
    answer = response.json()
    assert "Acme" in answer["answer"]
    assert "[1]" in answer["answer"]
    assert answer["answered_by"] == "extractive"
    first = answer["citations"][0]
    assert (first["n"], first["agent"], first["session"], first["trust"]) == (1, "bo", "s", "user")
    memory = (await knowing.get(f"/v1/memories/{first['memory_id']}")).json()
    assert first["quote"] in memory["text"]


async def test_of_what_nobody_said_there_is_no_information(client: httpx2.AsyncClient) -> None:
    answer = (await client.post("/v1/query", json={"question": "What is the capital of Atlantis?"})).json()
    assert (answer["answered_by"], answer["citations"]) == ("none", [])
    assert answer["answer"] == "There is no information about this in memory."


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("more", "status", "code", "field"),
    [
        ({"question": ""}, 400, "invalid_input", "question"),
        ({"question": "x" * 10_241}, 400, "invalid_input", "question"),
        ({"dataset": "nowhere"}, 404, "dataset_not_found", "dataset"),
        ({"options": {"sleep": {}}}, 400, "invalid_input", "options.sleep"),
        ({"options": {"query": {"reasoning": "wild"}}}, 400, "invalid_input", "options.query.reasoning"),
        ({"filters": {"colour": "red"}}, 400, "unknown_filter", "filters.colour"),
        ({"limit": 0}, 400, "invalid_input", "limit"),
        ({"limit": 101}, 400, "invalid_input", "limit"),
        ({"as_of": "once"}, 400, "invalid_input", "as_of"),
        ({"colour": 1}, 400, "invalid_input", "colour"),
    ],
)
async def test_a_question_that_is_refused_leaves_no_run(
    knowing: httpx2.AsyncClient, stream: bool, more: dict[str, Any], status: int, code: str, field: str
) -> None:
    body = {"question": QUESTION, "stream": stream} | more
    assert_problem(await knowing.post("/v1/query", json=body), status, code, field)
    assert (await knowing.get(RUNS)).json()["data"] == []


async def test_a_streamed_answer_ends_with_the_whole_of_it(knowing: httpx2.AsyncClient) -> None:
    whole = (await knowing.post("/v1/query", json={"question": QUESTION})).json()
    response = await knowing.post("/v1/query", json={"question": QUESTION, "stream": True})
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-store"
    *pieces, (last, result) = events(response.text)
    assert last == "result"
    assert {kind for kind, _ in pieces} == {"text"}
    assert "".join(piece["text"] for _, piece in pieces).strip() == whole["answer"]
    assert result | {"query_run_id": whole["query_run_id"]} == whole
    listed = (await knowing.get(RUNS)).json()["data"]
    assert {run["run_id"] for run in listed} == {whole["query_run_id"], result["query_run_id"]}
    assert {run["status"] for run in listed} == {"succeeded"}


async def test_what_fails_before_the_first_piece_is_a_problem(
    client: httpx2.AsyncClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def parts() -> AsyncGenerator[AnswerPart]:
        raise EmbedderFailed("the embedder is gone")
        yield AnswerPart()

    answer_with(engine, monkeypatch, parts)
    response = await client.post("/v1/query", json={"question": QUESTION, "stream": True})
    assert_problem(response, 502, "embedder_failed")


async def test_what_fails_after_the_first_piece_is_an_event(
    client: httpx2.AsyncClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def parts() -> AsyncGenerator[AnswerPart]:
        yield AnswerPart(text="At ")
        raise EmbedderFailed("the embedder is gone")

    answer_with(engine, monkeypatch, parts)
    response = await client.post("/v1/query", json={"question": QUESTION, "stream": True})
    (_, piece), (kind, problem) = events(response.text)
    assert (response.status_code, piece, kind) == (200, {"text": "At "}, "error")
    assert (problem["code"], problem["status"]) == ("embedder_failed", 502)
    assert problem["request_id"] == response.headers["x-request-id"]


class Waiting:
    """An answer of which one piece is there, and that waits then. `over` is set when nobody waits for it any more."""

    def __init__(self, *, first: bool = True) -> None:
        self.first = first
        self.begun, self.go_on, self.over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def parts(self) -> AsyncGenerator[AnswerPart]:
        try:
            if self.first:
                yield AnswerPart(text="At ")
            self.begun.set()
            await self.go_on.wait()
            yield AnswerPart(result=RESULT)
        finally:
            self.over.set()


@pytest.mark.parametrize("first", [True, False])
async def test_a_caller_who_leaves_ends_the_call(
    engine: Engine, address: str, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    waiting = Waiting(first=first)
    answer_with(engine, monkeypatch, waiting.parts)

    async def ask() -> None:
        async with httpx2.AsyncClient(base_url=address) as client:
            await client.post("/v1/query", json={"question": QUESTION, "stream": True})

    asking = asyncio.create_task(ask())
    async with asyncio.timeout(BOUND):
        await waiting.begun.wait()
        asking.cancel()
        await waiting.over.wait()


async def test_a_stream_that_waits_says_that_it_is_alive(
    engine: Engine, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = Waiting()
    answer_with(engine, monkeypatch, waiting.parts)
    app = create_app(engine, metrics=metrics)
    app.state.streams.heartbeat = 0.01
    async with served(app) as (url, _), httpx2.AsyncClient(base_url=url) as client, asyncio.timeout(BOUND):
        body = {"question": QUESTION, "stream": True}
        async with client.stream("POST", "/v1/query", json=body) as response:
            async for line in response.aiter_lines():
                if line == ": heartbeat":
                    waiting.go_on.set()
                if line == "event: result":
                    break
    assert waiting.go_on.is_set()


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[tuple[str, HttpServer]]:
    server, started = HttpServer(app), asyncio.Event()
    with bind("127.0.0.1", 0) as sock:
        running = asyncio.create_task(server.listen(sock, started.set))
        async with asyncio.timeout(BOUND):
            await started.wait()
        yield f"http://127.0.0.1:{sock.getsockname()[1]}", server
        server.should_exit = True
        async with asyncio.timeout(BOUND):
            await running


async def test_a_server_that_stops_ends_its_streams(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = Waiting()
    answer_with(engine, monkeypatch, waiting.parts)
    async with served(create_app(engine)) as (url, server), httpx2.AsyncClient(base_url=url) as client:
        body = {"question": QUESTION, "stream": True}
        async with asyncio.timeout(BOUND), client.stream("POST", "/v1/query", json=body) as response:
            lines = response.aiter_lines()
            assert await anext(lines) == "event: text"
            server.should_exit = True
            rest = [line async for line in lines]
            await waiting.over.wait()
    assert not any(line.startswith("event: result") for line in rest)


def modelled(path: Path, llm: FakeLLM) -> Any:
    return settings_for(path, llm="openai", llm_url=llm.url, llm_model="fake", llm_api_key="sk-any", derive=False)


async def test_an_answer_of_a_model_streams_as_it_is_made(tmp_path: Path, metrics: Metrics) -> None:
    with FakeLLM() as llm:
        llm.rule = lambda request: drip("Ana works at Acme [1].")
        settings = modelled(tmp_path, llm)
        async with (
            await Engine.open(settings, embedder=HashEmbedder(dimensions=16)) as engine,
            serving(engine, metrics) as url,
            httpx2.AsyncClient(base_url=url) as client,
        ):
            await keep(client, "Ana works at Acme.")
            response = await client.post("/v1/query", json={"question": QUESTION, "stream": True})
            *pieces, (_, result) = events(response.text)
            assert len(pieces) > 1
            assert result["answered_by"] == "llm", result
            run = (await client.get(f"{RUNS}/{result['query_run_id']}")).json()
            calls = (await client.get(f"{RUNS}/{result['query_run_id']}/inferences")).json()["data"]
            assert [call["stage"] for call in calls] == ["query"]
            assert calls[0]["inference_id"] in run["stages"][-1]["inference_ids"]


async def test_the_run_of_a_caller_who_left_says_so(tmp_path: Path, metrics: Metrics) -> None:
    with FakeLLM() as llm:
        llm.rule = lambda request: hang()
        settings = modelled(tmp_path, llm)
        async with (
            await Engine.open(settings, embedder=HashEmbedder(dimensions=16)) as engine,
            serving(engine, metrics) as url,
            httpx2.AsyncClient(base_url=url) as client,
        ):
            await keep(client, "Ana works at Acme.")
            asking = asyncio.create_task(client.post("/v1/query", json={"question": QUESTION, "stream": True}))
            assert await asyncio.to_thread(llm.wait_for, 1)
            asking.cancel()
            assert await asyncio.to_thread(llm.wait_gone)
            async with asyncio.timeout(BOUND):
                while (run := (await client.get(RUNS)).json()["data"][0])["status"] == "started":
                    pass
            assert run["status"] == "failed"
            assert "cancelled" in run["error"].lower()


async def test_readers_may_ask_and_only_of_their_datasets(
    client_of: ClientFactory, engine: Engine, knowing: httpx2.AsyncClient
) -> None:
    await keep(knowing, "Bo works at Globex.", dataset="other", wait="derived")
    key = await make_key(engine, "read", datasets=["default"])
    async with client_of(key=key) as client:
        assert (await client.post("/v1/query", json={"question": QUESTION})).json()["answered_by"] == "extractive"
        for stream in (False, True):
            body = {"question": QUESTION, "dataset": "other", "stream": stream}
            assert_problem(await client.post("/v1/query", json=body), 403, "forbidden")
        assert_problem(await client.get(RUNS), 403, "forbidden")


async def test_questions_are_listed_filtered_paged_and_counted(knowing: httpx2.AsyncClient) -> None:
    asked = [
        (await knowing.post("/v1/query", json={"question": f"Where does {who} work?", "session": session})).json()
        for who, session in (("Ana", "a"), ("Ana", "b"), ("Zoe", "a"))
    ]
    page = (await knowing.get(RUNS, params={"limit": 2})).json()
    rest = (await knowing.get(RUNS, params={"limit": 2, "cursor": page["next_cursor"]})).json()
    found = [run["run_id"] for run in (*page["data"], *rest["data"])]
    assert found == [answer["query_run_id"] for answer in reversed(asked)]
    assert len((await knowing.get(RUNS, params={"session": "a"})).json()["data"]) == 2
    assert [run["question"] for run in (await knowing.get(RUNS, params={"text": "zoe"})).json()["data"]] == [
        "Where does Zoe work?"
    ]
    assert (await knowing.get(f"{RUNS}/counts")).json()["by_state"] == {"succeeded": 3}
    run = (await knowing.get(f"{RUNS}/{asked[0]['query_run_id']}")).json()
    assert (run["operation"], run["answer"], run["answered_by"]) == ("query", asked[0]["answer"], "extractive")
    assert [stage["name"] for stage in run["stages"]] == ["retrieve_graph", "detect_geo", "nearby_geo", "query"]
    assert (await knowing.get(f"{RUNS}/{asked[0]['query_run_id']}/outputs")).json() == {"outputs": {}}
    assert_problem(await knowing.get(RUNS, params={"memory_id": "x"}), 400, "invalid_input", "memory_id")
    assert_problem(await knowing.get(f"{RUNS}/qry_0000000009999"), 404, "run_not_found", "run_id")


async def test_metrics_tell_who_answered(knowing: httpx2.AsyncClient) -> None:
    await knowing.post("/v1/query", json={"question": QUESTION})
    await knowing.post("/v1/query", json={"question": QUESTION, "stream": True})
    await knowing.post("/v1/query", json={"question": QUESTION, "dataset": "nowhere"})
    lines = (await knowing.get("/metrics")).text.splitlines()
    assert 'mindlog_query_seconds_count{answered_by="extractive"} 2.0' in lines
    assert 'mindlog_query_seconds_count{answered_by="failed"} 1.0' in lines
    assert 'mindlog_query_runs{state="succeeded"} 2.0' in lines
    assert 'mindlog_operation_seconds_count{operation="query",status="succeeded"} 2.0' in lines
