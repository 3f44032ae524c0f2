"""What the client sends, and what it makes of the answers, over a transport that answers from memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from mindlog import errors
from mindlog.client import AsyncClient, Client
from mindlog.client.attempts import attempts
from mindlog.client.calls import Call
from mindlog.errors import (
    Busy,
    DatasetNotFound,
    IdempotencyConflict,
    InvalidInput,
    MindlogError,
    NotFound,
    Unauthorized,
    UnknownFilter,
    Unreachable,
)
from mindlog.records import MemoryKind

ACK = {
    "memory_id": "mem_00000000000008000000004000",
    "lsn": 7,
    "was_deduplicated": False,
    "was_replayed": False,
    "kind": "semantic",
    "salience": 0.5,
    "persisted_at": "2026-03-14T09:26:53Z",
    "auto_edges_added": 0,
    "pending_stages": ["auto_edge"],
    "embedding_model": "f" * 64,
}

Answer = httpx2.Response | Exception


class Server:
    """Answers each request with the next prepared answer, the last one again and again; keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, **options: Any) -> Client:
        return Client("http://mindlog.test", transport=httpx2.MockTransport(self), backoff=0.0, **options)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]


def problem(status: int, code: str, **more: Any) -> httpx2.Response:
    body = {"type": f"/docs#{code}", "title": code, "status": status, "code": code, "request_id": "r", **more}
    return httpx2.Response(status, json=body, headers={"Content-Type": "application/problem+json"})


def ok(**more: Any) -> httpx2.Response:
    return httpx2.Response(201, json=ACK | more)


def test_an_ack_becomes_the_record_the_engine_would_give() -> None:
    with Server(ok()).client() as client:
        result = client.encode("a text")
    assert (result.memory_id, result.lsn, result.kind) == (ACK["memory_id"], 7, MemoryKind.SEMANTIC)
    assert result.persisted_at == 1_773_480_413_000_000
    assert result.pending_stages == ("auto_edge",)


def test_a_write_tried_again_carries_the_same_request_id_each_time() -> None:
    server = Server(httpx2.ConnectError("refused"), problem(503, "busy"), ok())
    with server.client() as client:
        client.encode("a text", session="s")
    ids = [body["request_id"] for body in server.bodies]
    assert len(ids) == 3
    assert len(set(ids)) == 1
    assert ids[0].startswith("req_")


def test_two_writes_have_different_request_ids_and_a_given_one_is_kept() -> None:
    server = Server(ok())
    with server.client() as client:
        client.encode("a")
        client.encode("b")
        client.encode("c", request_id="mine")
    first, second, third = (body["request_id"] for body in server.bodies)
    assert first != second
    assert third == "mine"


def test_every_item_of_a_batch_gets_a_request_id() -> None:
    written = ACK | {"index": 0, "status": 201}
    refused = {"index": 1, "status": 400, "error": {"code": "invalid_input", "detail": "text: empty", "field": "text"}}
    server = Server(httpx2.Response(200, json={"results": [written, refused]}))
    with server.client() as client:
        first, second, third = client.encode_batch(["good", {"text": ""}, {"txt": "misspelt"}])
    assert not isinstance(first, MindlogError)
    assert isinstance(second, InvalidInput)
    assert second.field == "text"
    assert isinstance(third, InvalidInput)
    assert len(server.bodies[0]["items"]) == 2
    assert len({item["request_id"] for item in server.bodies[0]["items"]}) == 2


def test_after_the_last_try_the_refusal_is_raised() -> None:
    server = Server(problem(503, "busy", detail="too much work", retryable=True))
    with server.client(max_retries=2) as client, pytest.raises(Busy, match="too much work") as caught:
        client.encode("a text")
    assert len(server.requests) == 3
    assert caught.value.retryable


def test_a_server_that_cannot_be_reached_is_its_own_error() -> None:
    server = Server(httpx2.ConnectError("connection refused"))
    with server.client(max_retries=1) as client, pytest.raises(Unreachable, match="connection refused") as caught:
        client.recall("anything")
    assert len(server.requests) == 2
    assert isinstance(caught.value.__cause__, httpx2.ConnectError)


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.create_key("k", scopes=["read"]),
        lambda client: client.forget("mem_x"),
        lambda client: client.edit("mem_x", text="new"),
    ],
    ids=["create_key", "forget", "edit"],
)
def test_a_call_that_may_have_been_done_is_not_sent_again_when_its_answer_was_lost(
    ask: Callable[[Client], Any],
) -> None:
    server = Server(httpx2.ReadError("connection reset"))
    with server.client() as client, pytest.raises(Unreachable):
        ask(client)
    assert len(server.requests) == 1


def test_a_write_whose_answer_was_lost_is_sent_again() -> None:
    server = Server(httpx2.RemoteProtocolError("server disconnected"), ok(was_replayed=True))
    with server.client() as client:
        assert client.encode("a text").was_replayed
    assert len(server.requests) == 2


def test_a_refusal_that_will_not_change_is_not_tried_again() -> None:
    server = Server(problem(400, "invalid_input", detail="text: blank", field="text", limit=5))
    with server.client() as client, pytest.raises(InvalidInput) as caught:
        client.encode(" ")
    assert len(server.requests) == 1
    assert (caught.value.field, caught.value.detail, caught.value.extra["limit"]) == ("text", "text: blank", 5)


def test_every_code_becomes_the_class_that_has_it() -> None:
    kinds = [kind for name in errors.__all__ if issubclass(kind := getattr(errors, name), MindlogError)]
    for kind in kinds:
        server = Server(problem(kind.status, kind.code, detail="why", retryable=False))
        with server.client(max_retries=0) as client, pytest.raises(MindlogError) as caught:
            client.get("mem_x")
        assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("status", "expected"), [(401, Unauthorized), (404, NotFound), (422, InvalidInput), (418, MindlogError)]
)
def test_an_unknown_code_becomes_the_class_of_its_status_and_is_named(status: int, expected: type) -> None:
    with (
        Server(problem(status, "of_the_future", detail="new")).client() as client,
        pytest.raises(MindlogError, match="of_the_future") as caught,
    ):
        client.get("mem_x")
    assert type(caught.value) is expected


def test_an_answer_that_is_no_problem_body_is_an_error_all_the_same() -> None:
    with (
        Server(httpx2.Response(502, text="<html>bad gateway</html>")).client() as client,
        pytest.raises(MindlogError, match="502"),
    ):
        client.get("mem_x")


@pytest.mark.parametrize("answer", [{"hello": "world"}, [], "text", None, {"memory_id": 3}])
def test_a_success_that_is_not_a_mindlog_answer_is_an_error_that_says_so(answer: object) -> None:
    with (
        Server(httpx2.Response(200, json=answer)).client() as client,
        pytest.raises(MindlogError, match="not a mindlog server's"),
    ):
        client.get("mem_x")


def test_not_ready_is_an_answer() -> None:
    body = {"status": "failed", "ready": False, "reasons": ["closed"], "version": "0"}
    server = Server(httpx2.Response(503, json=body | {"store": {}, "indexes": [], "embedder": {}}))
    with server.client() as client:
        health = client.health()
    assert (health.ready, health.reasons) == (False, ("closed",))
    assert len(server.requests) == 1


def test_the_key_goes_with_every_request_and_a_wrong_address_is_refused() -> None:
    server = Server(ok())
    with server.client(api_key="ml_sk_secret") as client:
        client.encode("a")
    assert server.requests[0].headers["Authorization"] == "Bearer ml_sk_secret"
    with pytest.raises(InvalidInput, match="http"):
        Client("localhost:7464")


def test_times_and_vectors_travel_as_the_api_has_them() -> None:
    np = pytest.importorskip("numpy")
    server = Server(ok())
    moment = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
    with server.client() as client:
        client.encode("a", occurred_at=moment)
        client.encode("a", occurred_at=1_773_480_413_000_000)
        client.encode_vector("a", np.ones(3, dtype=np.float32), "m")
    first, second, third = server.bodies
    assert datetime.fromisoformat(first["occurred_at"]) == moment
    assert second["occurred_at"] == "2026-03-14T09:26:53Z"
    assert (third["vector"], third["embedding_model"]) == ([1.0, 1.0, 1.0], "m")
    assert server.requests[2].url.path == "/v1/memories/vector"


def test_a_listing_repeats_its_filters_and_refuses_unknown_ones_itself() -> None:
    server = Server(httpx2.Response(200, json={"data": [], "has_more": False, "next_cursor": None}))
    with server.client() as client:
        client.list("d", filters={"session": ["a", "b"], "metadata": {"n": {"$gt": 1}}}, limit=5)
        with pytest.raises(UnknownFilter, match="colour"):
            client.list("d", filters={"colour": "red"})
    query = server.requests[0].url.params
    assert query.get_list("session") == ["a", "b"]
    assert json.loads(query["metadata"]) == {"n": {"$gt": 1}}
    assert "cursor" not in query
    assert len(server.requests) == 1


def test_an_id_cannot_reach_another_path() -> None:
    server = Server(problem(404, "memory_not_found"))
    with server.client() as client, pytest.raises(NotFound):
        client.get("../keys?x=1")
    assert server.requests[0].url.raw_path == b"/v1/memories/..%2Fkeys%3Fx%3D1"


def test_pages_follow_each_other_to_the_last() -> None:
    def page(cursor: str | None) -> httpx2.Response:
        return httpx2.Response(200, json={"data": [], "has_more": cursor is not None, "next_cursor": cursor})

    server = Server(page("one"), page("two"), page(None))
    with server.client() as client:
        assert list(client.iterate("d")) == []
    assert [request.url.params.get("cursor") for request in server.requests] == [None, "one", "two"]


async def test_the_asynchronous_client_retries_and_raises_like_the_other() -> None:
    server = Server(problem(429, "busy"), problem(409, "idempotency_conflict", detail="other parameters"))
    async with AsyncClient("http://mindlog.test", transport=httpx2.MockTransport(server), backoff=0.0) as client:
        with pytest.raises(IdempotencyConflict):
            await client.encode("a")
    assert len(server.requests) == 2


def waits(*answers: Answer, retries: int = 3) -> list[float]:
    """Seconds asked for before each sending."""
    call = Call(method="GET", path="/", read=lambda body: body, repeatable=True)
    steps = attempts(call, retries=retries, backoff=1.0)
    asked = [next(steps)]
    try:
        for answer in answers:
            asked.append(steps.send(answer))  # type: ignore[arg-type]
    except (StopIteration, MindlogError):
        pass
    return asked


def test_the_server_says_how_long_to_wait_and_no_longer_than_half_a_minute() -> None:
    busy = [httpx2.Response(503, headers={"Retry-After": after}) for after in ("7", "3600")]
    assert waits(*busy, httpx2.Response(200, json={})) == [0.0, 7.0, 30.0]


def test_without_its_word_the_waits_double_and_are_jittered() -> None:
    refused = [httpx2.ConnectError("no")] * 3
    first, *rest = waits(*refused)
    assert first == 0.0
    for wait, most in zip(rest, (1.0, 2.0, 4.0), strict=True):
        assert most / 2 <= wait <= most


def test_an_unknown_dataset_is_told_by_its_own_class() -> None:
    with (
        Server(problem(404, "dataset_not_found", detail="dataset: none", field="dataset")).client() as client,
        pytest.raises(DatasetNotFound),
    ):
        client.recall("x", dataset="nowhere")
