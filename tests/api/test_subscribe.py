"""The event stream over a real socket: what it tells, where it goes on, and that it ends with either side."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from mindlog.api import Metrics, create_app
from mindlog.api.server import HttpServer, bind
from mindlog.api.stream import EventStream, Streams
from mindlog.engine import Engine
from mindlog.records import EncodeRequest, Scope
from mindlog.runs.events import Lagged
from mindlog.views import QueryRequest
from tests.api.conftest import BOUND, assert_problem, make_key


class Served:
    """A server on a free port of this loop."""

    def __init__(self, engine: Engine, metrics: Metrics) -> None:
        self.app = create_app(engine, metrics=metrics)
        self.server = HttpServer(self.app)
        self.url = ""

    @property
    def streams(self) -> Streams:
        return self.app.state.streams


@pytest.fixture
async def served(engine: Engine, metrics: Metrics) -> AsyncIterator[Served]:
    made, started = Served(engine, metrics), asyncio.Event()
    with bind("127.0.0.1", 0) as sock:
        running = asyncio.create_task(made.server.listen(sock, started.set))
        async with asyncio.timeout(BOUND):
            await started.wait()
        made.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        yield made
        made.server.should_exit = True
        async with asyncio.timeout(BOUND):
            await running


class Reader:
    """Reads blocks of a stream, each as its fields; comments are `comment`."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self._lines = response.aiter_lines()

    async def block(self) -> dict[str, str] | None:
        """The next block; None at the end."""
        fields: dict[str, str] = {}
        async with asyncio.timeout(BOUND):
            async for line in self._lines:
                if not line:
                    return fields
                name, _, value = line.partition(":")
                fields[name or "comment"] = value.strip()
        return None

    async def event(self) -> tuple[int, str, dict[str, Any]]:
        """The next event: its id, type and data."""
        while (block := await self.block()) is not None:
            if "data" in block:
                return int(block["id"]), block["event"], json.loads(block["data"])
        raise AssertionError("the stream ended")

    async def events(self, number: int) -> list[tuple[int, str, dict[str, Any]]]:
        """The next events."""
        return [await self.event() for _ in range(number)]


@asynccontextmanager
async def listening(
    url: str, *, key: str | None = None, last: int | None = None, **query: Any
) -> AsyncGenerator[Reader]:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    headers |= {} if last is None else {"Last-Event-ID": str(last)}
    async with (
        httpx2.AsyncClient(timeout=BOUND) as http,
        http.stream("GET", f"{url}/v1/subscribe", params=query, headers=headers) as response,
    ):
        assert response.status_code == 200, await response.aread()
        reader = Reader(response)
        hello = await reader.block()
        assert hello is not None
        assert hello["comment"] == "connected"
        yield reader


async def until_nobody_listens(url: str) -> str:
    """Ask for the numbers until there is no subscriber; returns the last ones."""
    async with httpx2.AsyncClient() as http, asyncio.timeout(BOUND):
        while "mindlog_subscribers 0.0" not in (text := (await http.get(f"{url}/metrics")).text):
            pass
    return text


async def test_a_reader_hears_of_a_memory_and_of_its_derivation(served: Served, engine: Engine) -> None:
    async with listening(served.url) as reader:
        assert reader.response.headers["content-type"].startswith("text/event-stream")
        result = await engine.encode(EncodeRequest(text="Ana works at Acme.", session="s", wait="derived"))
        first, *rest = await reader.events(8)
        assert first[:2] == (result.lsn, "memory_encoded")
        assert first[2]["memory_id"] == result.memory_id
        assert (first[2]["lsn"], first[2]["session"], first[2]["at"][-1]) == (result.lsn, "s", "Z")
        assert rest[-1][1] == "run_finished"
        assert [lsn for lsn, *_ in (first, *rest)] == list(range(first[0], first[0] + 8))


async def test_a_reader_hears_that_a_question_was_answered_and_not_what_it_was(served: Served, engine: Engine) -> None:
    await engine.encode(EncodeRequest(text="Ana works at Acme.", wait="derived"))
    async with listening(served.url, types="run_finished", dataset="default") as reader:
        answer = await engine.query(QueryRequest(question="Where does Ana work?"))
        _, kind, told = await reader.event()
    assert (kind, told["dataset"], told["memory_id"]) == ("run_finished", "default", None)
    assert told["data"] == {
        "run": answer.query_run_id, "operation": "query", "status": "succeeded", "state": "succeeded",
    }  # fmt: skip


async def test_it_goes_on_after_the_last_event_id_and_that_wins_over_from_lsn(served: Served, engine: Engine) -> None:
    ids = [(await engine.encode(EncodeRequest(text=text, wait="derived"))).lsn for text in ("one", "two", "three")]
    async with listening(served.url, types="memory_encoded", from_lsn=1) as reader:
        assert [lsn for lsn, *_ in await reader.events(3)] == ids
    async with listening(served.url, types="memory_encoded", from_lsn=1, last=ids[0]) as reader:
        assert [lsn for lsn, *_ in await reader.events(2)] == ids[1:]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"types": "memory_encoded,colour"}, "types"),
        ({"from_lsn": 10**6}, "from_lsn"),
        ({"from_lsn": -1}, "from_lsn"),
        ({"from_lsn": "x"}, "from_lsn"),
        ({"kind": "colour"}, "kind"),
        ({"memory_id": "nonsense"}, "memory_id"),
        ({"colour": "red"}, "colour"),
        ({"session": ["a", "b"]}, "session"),
    ],
)
async def test_what_cannot_be_subscribed_to_is_a_problem_before_anything_is_sent(
    client: httpx2.AsyncClient, query: dict[str, Any], field: str
) -> None:
    assert_problem(await client.get("/v1/subscribe", params=query), 400, "invalid_input", field)


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "1" * 40, "²"])
async def test_a_last_event_id_that_is_none_is_refused(client: httpx2.AsyncClient, last: str) -> None:
    refused = await client.get("/v1/subscribe", headers={"Last-Event-ID": last.encode()})  # type: ignore[dict-item]
    assert_problem(refused, 400, "invalid_input", "last-event-id")


async def test_an_lsn_that_was_pruned_is_gone_and_the_oldest_is_named(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    for number in range(3):
        await engine.encode(EncodeRequest(text=f"text {number}", wait="derived"))
    await engine.store.prune_log(1 << 62, engine.store.last_lsn - 2)
    problem = assert_problem(await client.get("/v1/subscribe", params={"from_lsn": 1}), 410, "lsn_gone", "from_lsn")
    assert problem["oldest"] == engine.store.oldest_lsn > 1


async def test_a_dataset_out_of_reach_is_forbidden_and_its_events_are_not_heard(served: Served, engine: Engine) -> None:
    key = await make_key(engine, "read", datasets=["mine"])
    await engine.put_dataset("mine")
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http:
        refused = await http.get(f"{served.url}/v1/subscribe", params={"dataset": "default"})
        assert_problem(refused, 403, "forbidden", "dataset")
    async with listening(served.url, key=key, types="memory_encoded") as reader:
        await engine.encode(EncodeRequest(text="not for you"))
        heard = await engine.encode(EncodeRequest(text="for you", dataset="mine"))
        assert (await reader.event())[0] == heard.lsn


async def test_a_stream_of_a_revoked_key_ends_at_the_next_heartbeat(served: Served, engine: Engine) -> None:
    key, secret = await engine.create_key("reader", scopes=[Scope.READ])
    served.streams.heartbeat = 0.02
    async with listening(served.url, key=secret) as reader:
        beat = await reader.block()
        assert beat is not None
        assert beat["comment"] == "heartbeat"
        await engine.revoke_key(key.id)
        while await reader.block() is not None:
            pass
    await until_nobody_listens(served.url)
    assert not served.streams.open


async def test_a_heartbeat_carries_how_far_the_log_was_looked_at(served: Served, engine: Engine) -> None:
    served.streams.heartbeat = 0.02
    async with listening(served.url, types="dataset_created") as reader:
        await engine.encode(EncodeRequest(text="not asked for", wait="derived"))
        block: dict[str, str] | None = {}
        while block is not None and int(block.get("id", 0)) < engine.store.last_lsn:
            block = await reader.block()
        assert block is not None


async def test_a_reader_that_leaves_frees_its_subscription(served: Served, engine: Engine) -> None:
    async with listening(served.url):
        assert len(served.streams.open) == 1
    await until_nobody_listens(served.url)
    assert not served.streams.open


async def test_a_server_that_stops_ends_its_streams(engine: Engine, metrics: Metrics) -> None:
    made, started = Served(engine, metrics), asyncio.Event()
    with bind("127.0.0.1", 0) as sock:
        running = asyncio.create_task(made.server.listen(sock, started.set))
        await started.wait()
        async with listening(f"http://127.0.0.1:{sock.getsockname()[1]}") as reader:
            made.server.should_exit = True
            assert await reader.block() is None
            async with asyncio.timeout(BOUND):  # of the 30 s that requests under way are given
                await running


async def test_many_events_at_once_come_in_order_and_each_once_for_two_readers(served: Served, engine: Engine) -> None:
    async with (
        listening(served.url, types="memory_encoded") as one,
        listening(served.url, types="memory_encoded") as other,
    ):
        outcomes = await engine.encode_batch([EncodeRequest(text=f"text {n}") for n in range(200)])
        expected = [each.lsn for each in outcomes]  # type: ignore[union-attr]
        assert [lsn for lsn, *_ in await one.events(200)] == expected
        assert [lsn for lsn, *_ in await other.events(200)] == expected


async def test_the_metrics_count_streams_and_do_not_wait_for_them(served: Served) -> None:
    async with listening(served.url), httpx2.AsyncClient() as http:
        assert "mindlog_subscribers 1.0" in (await http.get(f"{served.url}/metrics")).text
    assert 'route="/v1/subscribe"' in await until_nobody_listens(served.url)


class Behind:
    """A subscription that hears of nothing but that it is too far behind."""

    position = 8

    def __init__(self) -> None:
        self.closed = False

    async def __anext__(self) -> Lagged:
        return Lagged(resume_from=8)

    async def aclose(self) -> None:
        self.closed = True


async def test_a_reader_that_fell_too_far_behind_is_told_where_to_resume_and_let_go() -> None:
    sent: list[dict[str, Any]] = []
    behind, forever = Behind(), asyncio.Event()

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        await forever.wait()
        return {"type": "http.disconnect"}

    stream = EventStream(behind, Streams(), lambda: None)  # type: ignore[arg-type]
    async with asyncio.timeout(BOUND):
        await stream({"type": "http"}, receive, send)  # type: ignore[arg-type]
    *_, last, end = sent
    assert last["body"] == b'id: 7\nevent: lagged\ndata: {"resume_from": 8}\n\n'
    assert (end["more_body"], behind.closed) == (False, True)


@pytest.mark.parametrize("ends", ["its patience", "the server"])
async def test_a_reader_that_takes_nothing_in_is_let_go(monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    monkeypatch.setattr("mindlog.api.stream.STUCK_SECONDS", 0.01 if ends == "its patience" else BOUND * 2)
    monkeypatch.setattr("mindlog.api.stream.GOODBYE_SECONDS", 0.01)
    behind, streams, forever, blocked = Behind(), Streams(), asyncio.Event(), asyncio.Event()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            blocked.set()
            await forever.wait()

    async def receive() -> dict[str, Any]:
        await forever.wait()
        return {"type": "http.disconnect"}

    stream = EventStream(behind, streams, lambda: None)  # type: ignore[arg-type]
    async with asyncio.timeout(BOUND):
        running = asyncio.ensure_future(stream({"type": "http"}, receive, send))  # type: ignore[arg-type]
        await blocked.wait()
        if ends == "the server":
            streams.end()
        await running
    assert (behind.closed, streams.open) == (True, set())
