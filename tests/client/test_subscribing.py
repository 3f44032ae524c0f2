"""Subscriptions of the four APIs: the same events from each, over lost connections too, and an end for each."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

import mindlog
from mindlog.client import AsyncClient, Client
from mindlog.client.listening import LONGEST_OUTAGE, Listening
from mindlog.errors import InvalidInput, LsnGone, MindlogError, Unauthorized, Unreachable
from mindlog.testing.fakes import HashEmbedder
from mindlog.views import Event, SubscribeRequest

from .loopback import LoopbackServer

BOUND = 20.0
ENCODED: dict[str, Any] = {"types": ["memory_encoded"]}


def block(lsn: int, kind: str = "memory_encoded") -> list[str]:
    """The lines of an event."""
    data = {"lsn": lsn, "at": "2026-01-01T00:00:00Z", "type": kind, "dataset": "default", "memory_id": None, "data": {}}
    return [f"id: {lsn}", f"event: {kind}", f"data: {json.dumps(data)}", ""]


def heard(listening: Listening, lines: list[str]) -> list[int]:
    """The LSNs of the events that the lines complete."""
    return [event.lsn for line in lines if (event := listening.line(line)) is not None]


def stream(lines: list[str]) -> httpx2.Response:
    body = "".join(f"{line}\n" for line in lines)
    return httpx2.Response(200, text=body, headers={"Content-Type": "text/event-stream"})


def new(**more: Any) -> Listening:
    return Listening(SubscribeRequest(**more), retries=2, backoff=0.1)


def test_all_four_hear_the_same(server: LoopbackServer, tmp_path: Path) -> None:
    texts = ["one", "two", "three"]

    def remote() -> list[Event]:
        with Client(server.url) as db, db.subscribe(**ENCODED) as events:
            db.encode_batch(texts)
            return [next(events) for _ in texts]

    async def remote_async() -> list[Event]:
        async with AsyncClient(server.url) as db, db.subscribe(from_lsn=1, **ENCODED) as events:
            return [await anext(events) for _ in texts]

    def embedded() -> list[Event]:
        with mindlog.open(tmp_path / "s", embedder=HashEmbedder()) as db, db.subscribe(**ENCODED) as events:
            db.encode_batch(texts)
            return [next(events) for _ in texts]

    async def embedded_async() -> list[Event]:
        async with (
            mindlog.aopen(tmp_path / "a", embedder=HashEmbedder()) as db,
            db.subscribe(**ENCODED) as events,
        ):
            await db.encode_batch(texts)
            return [await anext(events) for _ in texts]

    runs = [remote(), asyncio.run(remote_async()), embedded(), asyncio.run(embedded_async())]
    facts = [[(each.lsn, each.type, each.memory_id, each.kind, each.data) for each in run] for run in runs]
    assert len(facts[0]) == 3
    assert facts[1:] == facts[:1] * 3


def test_errors_are_the_same_and_come_before_anything_else(server: LoopbackServer, tmp_path: Path) -> None:
    with mindlog.open(tmp_path / "s", embedder=HashEmbedder()) as db, Client(server.url) as client:
        for subscribe in (db.subscribe, client.subscribe):
            with pytest.raises(InvalidInput) as refused:
                subscribe(types=["colour"])
            assert refused.value.field == "types"
            with pytest.raises(MindlogError) as missing:
                subscribe("nowhere")
            assert missing.value.code == "dataset_not_found"


def test_a_server_that_comes_back_is_listened_to_again_without_a_gap_or_a_double(tmp_path: Path) -> None:
    first = LoopbackServer(tmp_path / "served")
    port = int(first.url.rsplit(":", 1)[1])
    with Client(first.url, backoff=0.01) as client:
        events = client.subscribe(**ENCODED)
        client.encode("before")
        lsns = [next(events).lsn]
        first.stop()
        with mindlog.open(tmp_path / "served", embedder=HashEmbedder()) as db:
            expected = [*lsns, db.encode("meanwhile").lsn]
        second = LoopbackServer(tmp_path / "served", port)
        lsns.append(next(events).lsn)
        expected.append(client.encode("after").lsn)
        lsns.append(next(events).lsn)
        events.close()
        assert list(events) == []
        second.stop()
    assert lsns == expected


def test_an_event_that_broke_off_halfway_is_asked_for_again() -> None:
    listening = new()
    assert heard(listening, [*block(4), *block(5)[:-1]]) == [4]
    assert listening.headers["Last-Event-ID"] == "4"
    assert listening.connected(stream([]))
    assert heard(listening, block(5)) == [5]


def test_what_the_server_passed_over_is_not_asked_for_again() -> None:
    listening = new(from_lsn=1, types=("memory_encoded", "run_finished"), session="s")
    assert listening.target == "/v1/subscribe?from_lsn=1&session=s&types=memory_encoded%2Crun_finished"
    assert "Last-Event-ID" not in listening.headers
    assert heard(listening, ["id: 9", "retry: 250", ": connected", ""]) == []
    assert (listening.headers["Last-Event-ID"], listening.wait(None)) == ("9", 0.25)


def test_a_reader_too_far_behind_goes_on_where_it_is_told() -> None:
    listening = new()
    assert heard(listening, ["id: 99", "event: lagged", 'data: {"resume_from": 100}', ""]) == []
    assert listening.headers["Last-Event-ID"] == "99"


def test_the_first_connection_is_tried_as_often_as_any_call_and_later_ones_for_minutes() -> None:
    lost = httpx2.ConnectError("refused")
    listening = new()
    for _ in range(2):
        assert 0 < listening.wait(lost) <= 0.2
    with pytest.raises(Unreachable):
        listening.wait(lost)
    listening = new()
    assert listening.connected(stream([]))
    waited = 0.0
    while waited <= LONGEST_OUTAGE:
        waited += listening.wait(lost)
    with pytest.raises(Unreachable):
        listening.wait(lost)


def test_a_refusal_is_raised_at_once() -> None:
    listening = new()
    gone = httpx2.Response(410, json={"code": "lsn_gone", "detail": "gone", "field": "from_lsn", "oldest": 7})
    assert listening.connected(stream([]))
    with pytest.raises(LsnGone) as raised:
        listening.wait(gone)
    assert raised.value.extra["oldest"] == 7
    with pytest.raises(Unauthorized):
        listening.wait(httpx2.Response(401, text="who are you"))


@pytest.mark.parametrize("data", ["nonsense", "[]", "{}", '{"lsn": 1}'])
def test_an_event_that_is_none_is_said_to_be(data: str) -> None:
    with pytest.raises(MindlogError, match="not a mindlog server's"):
        heard(new(), ["id: 1", "event: memory_encoded", f"data: {data}", ""])


def test_a_page_that_is_no_stream_is_said_to_be() -> None:
    with pytest.raises(MindlogError, match="not a mindlog server's"):
        new().connected(httpx2.Response(200, text="<html>"))


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as made:
        yield made


class Watched:
    """An iterator that tells when somebody begins to wait for it."""

    def __init__(self, events: Any) -> None:
        self.begun = threading.Event()
        self._events = events

    def drain(self) -> list[Event]:
        self.begun.set()
        return list(self._events)


@pytest.mark.parametrize("closes", ["the subscription", "the engine"])
def test_a_waiting_reader_ends_when_another_thread_closes(
    pool: ThreadPoolExecutor, tmp_path: Path, closes: str
) -> None:
    with mindlog.open(tmp_path / "s", embedder=HashEmbedder()) as db:
        events = db.subscribe()
        watched = Watched(events)
        waiting = pool.submit(watched.drain)
        assert watched.begun.wait(BOUND)
        (events if closes == "the subscription" else db).close()
        # Of the 30 s that calls under way are given, a wait for events gets none.
        assert waiting.result(BOUND) == []


async def test_a_waiting_task_ends_when_another_closes_the_subscription(tmp_path: Path) -> None:
    async with mindlog.aopen(tmp_path / "a", embedder=HashEmbedder()) as db, asyncio.timeout(BOUND):
        events = db.subscribe()
        waiting = asyncio.ensure_future(anext(events, None))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await events.aclose()
        assert await waiting is None


async def test_a_wait_that_is_given_up_loses_no_event(tmp_path: Path) -> None:
    async with mindlog.aopen(tmp_path / "a", embedder=HashEmbedder()) as db, asyncio.timeout(BOUND):
        events = db.subscribe(**ENCODED)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await anext(events)
        lsn = (await db.encode("text")).lsn
        assert (await anext(events)).lsn == lsn
        await events.aclose()


def test_waiting_for_everything_to_be_derived_ends_with_its_time(server: LoopbackServer) -> None:
    with Client(server.url) as client:
        client.encode("text")
        assert client.settled(BOUND) is True
        assert client.settled() is True
