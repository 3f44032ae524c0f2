"""Documents, pictures and streamed answers as the clients send and read them, over a transport that answers from memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mindlog.client import AsyncClient, Client
from mindlog.errors import (
    Busy,
    DatasetNotFound,
    DocumentTooLarge,
    EmbedderFailed,
    ImageNotFound,
    InvalidInput,
    MindlogError,
    Unreachable,
)
from mindlog.views import AnswerPart
from tests.client.test_client_requests import Server, problem

ACK = {"remember_run_id": "rem_0000000000001", "document_id": "d", "lsn": 1, "was_replayed": False, "status": "started"}
RESULT: dict[str, Any] = {
    "answer": "At Acme [1].",
    "answered_by": "extractive",
    "citations": [{"n": 1, "memory_id": "mem_00000000000008000000004000", "quote": "Ana works at Acme."}],
    "query_run_id": "qry_0000000000001",
    "removed": [{"n": 2, "reason": "not retrieved"}],
    "places": [],
    "notes": ["extractive"],
}


def acked() -> httpx2.Response:
    return httpx2.Response(202, json=ACK | {"run": None, "stages": None, "trace": None})


def event(kind: str, data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


class Body(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """The body of a stream, in pieces; `closed` when the client has let go. A piece that is an error is raised."""

    def __init__(self, *pieces: str | Exception) -> None:
        self.pieces, self.given, self.closed = pieces, 0, False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            self.given += 1
            yield piece.encode()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


def streamed(body: Body) -> httpx2.Response:
    return httpx2.Response(200, stream=body, headers={"Content-Type": "text/event-stream; charset=utf-8"})


def test_a_text_goes_as_json_and_a_file_as_a_form(tmp_path: Path) -> None:
    server, file = Server(acked()), tmp_path / 'a "b".md'
    file.write_bytes(b"\x00# Tea\r\n--not a boundary")
    with server.client() as client:
        client.remember("a text", web_search=True)
        client.remember(
            path=file, metadata={"topic": "tea"}, options={"extract_graph": {"model": "m"}}, fetch_series=True
        )
    as_json, as_form = server.requests
    body = json.loads(as_json.content)
    assert (body["text"], body["web_search"], "wait" in body, "fetch_series" in body) == ("a text", True, False, False)
    assert as_form.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert file.read_bytes() in as_form.content
    assert b'name="metadata"\r\n\r\n{"topic":"tea"}\r\n' in as_form.content
    assert b'name="fetch_series"\r\n\r\ntrue\r\n' in as_form.content
    assert b'name="name"\r\n\r\na "b".md\r\n' in as_form.content


@pytest.mark.parametrize("source", [{"text": "x"}, {"data": b"x"}])
def test_a_document_sent_again_carries_the_same_request_id(source: dict[str, Any]) -> None:
    server = Server(httpx2.ReadTimeout("slow"), problem(503, "busy"), acked())
    with server.client() as client:
        assert client.remember(**source).remember_run_id == ACK["remember_run_id"]
    sent = [request.content.decode() for request in server.requests]
    ids = [text[text.index("req_") :][:30] for text in sent]
    assert len(ids) == 3
    assert len(set(ids)) == 1


def test_a_file_that_is_not_there_is_not_sent(tmp_path: Path) -> None:
    server = Server(acked())
    with server.client() as client:
        for path in (tmp_path / "nothing", tmp_path, "nul\0"):
            with pytest.raises(InvalidInput) as caught:
                client.remember(path=path)
            assert caught.value.field == "path"
    assert server.requests == []


async def test_the_asynchronous_client_reads_files_too(tmp_path: Path) -> None:
    server, file = Server(acked()), tmp_path / "a.txt"
    file.write_bytes(b"text")
    async with AsyncClient("http://mindlog.test", transport=httpx2.MockTransport(server)) as client:
        assert (await client.remember(path=file)).document_id == "d"
    assert b"text" in server.requests[0].content


def test_a_document_that_is_too_large_is_its_own_error() -> None:
    answer = problem(413, "document_too_large", detail="too large", field="document", limit=9)
    with Server(answer).client() as client, pytest.raises(DocumentTooLarge) as caught:
        client.remember(data=b"x" * 10)
    assert (caught.value.field, caught.value.extra["limit"]) == ("document", 9)


def test_pictures_come_as_their_type_and_bytes() -> None:
    server = Server(httpx2.Response(200, content=b"\x89PNG", headers={"Content-Type": "image/png"}))
    with server.client() as client:
        assert client.image_data("img_1") == ("image/png", b"\x89PNG")
    with Server(problem(404, "image_not_found")).client() as client, pytest.raises(ImageNotFound):
        client.thumbnail("img_1")


def test_a_document_id_is_one_part_of_the_path() -> None:
    server = Server(problem(404, "document_not_found"))
    with server.client() as client, pytest.raises(MindlogError):
        client.document_texts("a/b?c")
    assert server.requests[0].url.raw_path.startswith(b"/v1/documents/a%2Fb%3Fc/texts?")


def test_the_log_is_told_by_the_id_of_the_run() -> None:
    server = Server(problem(404, "run_not_found"))
    with server.client() as client:
        for run_id in ("enc_1", "rem_1", "qry_1", "nonsense"):
            with pytest.raises(MindlogError):
                client.run(run_id)
    logs = [request.url.path.split("/")[-2] for request in server.requests]
    assert logs == ["encode-runs", "remember-runs", "query-runs", "encode-runs"]


def test_a_streamed_answer_comes_in_parts_and_then_whole() -> None:
    body = Body(": hello\n\n", event("text", {"text": "At "}) + "event: te", 'xt\ndata: {"text": "Acme [1]."}\n\n')
    body.pieces += (event("later", {}), event("result", RESULT))
    server = Server(streamed(body))
    with server.client() as client:
        *pieces, last = client.query_stream("Where?", session="s")
    assert json.loads(server.requests[0].content) == {
        "question": "Where?", "dataset": "default", "session": "s", "stream": True,
    }  # fmt: skip
    assert [piece.text for piece in pieces] == ["At ", "Acme [1]."]
    assert last.result is not None
    assert last.result.citations[0].quote == "Ana works at Acme."
    assert last.result.removed == ({"n": 2, "reason": "not retrieved"},)
    assert body.closed


async def test_the_same_for_asyncio() -> None:
    body = Body(event("text", {"text": "At "}), event("result", RESULT))
    transport = httpx2.MockTransport(Server(streamed(body)))
    async with AsyncClient("http://mindlog.test", transport=transport) as client:
        parts = [part async for part in client.query_stream("Where?")]
    assert [part.text for part in parts] == ["At ", ""]
    assert parts[-1].result is not None
    assert body.closed


def test_a_refusal_is_raised_and_one_that_passes_is_tried_again() -> None:
    with Server(problem(404, "dataset_not_found")).client() as client, pytest.raises(DatasetNotFound):
        next(iter(client.query_stream("Where?")))
    server = Server(problem(503, "busy"), streamed(Body(event("result", RESULT))))
    with server.client() as client:
        assert len(list(client.query_stream("Where?"))) == 1
    with Server(problem(503, "busy")).client() as client, pytest.raises(Busy):
        list(client.query_stream("Where?"))


def test_a_question_is_not_asked_twice_over_a_lost_connection() -> None:
    server = Server(httpx2.ReadError("lost"))
    with server.client() as client, pytest.raises(Unreachable):
        list(client.query_stream("Where?"))
    with server.client() as client, pytest.raises(Unreachable):
        client.query("Where?")
    assert len(server.requests) == 2


def test_an_error_on_the_way_is_raised_after_what_was_said_before() -> None:
    failed = {"code": "embedder_failed", "status": 502, "detail": "gone", "type": "/docs#embedder_failed"}
    body, heard = Body(event("text", {"text": "At "}), event("error", failed)), list[AnswerPart]()
    with Server(streamed(body)).client() as client, pytest.raises(EmbedderFailed, match="gone"):
        heard.extend(client.query_stream("Where?"))
    assert [part.text for part in heard] == ["At "]
    assert body.closed


@pytest.mark.parametrize("last", [[], [httpx2.ReadError("lost")], ["event: result\ndata: {"]])
def test_an_answer_that_breaks_off_is_never_taken_for_whole(last: list[str | Exception]) -> None:
    body = Body(event("text", {"text": "At "}), *last)
    with Server(streamed(body)).client() as client, pytest.raises(Unreachable):
        list(client.query_stream("Where?"))
    assert body.closed


def test_what_is_no_answer_is_said_to_be_none() -> None:
    for answer in (httpx2.Response(200, text="<html>"), streamed(Body("event: result\ndata: {}\n\n"))):
        with Server(answer).client() as client, pytest.raises(MindlogError, match="not a mindlog server"):
            list(client.query_stream("Where?"))


def test_who_hears_no_more_lets_go_of_the_connection() -> None:
    body = Body(event("text", {"text": "At "}), event("text", {"text": "Acme"}), event("result", RESULT))
    with Server(streamed(body)).client() as client:
        parts = client.query_stream("Where?")
        assert next(parts).text == "At "
        parts.close()  # type: ignore[attr-defined]
    assert body.closed
    assert body.given == 1


def test_the_clients_take_the_url_of_a_document_and_nothing_else_beside_it() -> None:
    with Client("http://mindlog.test") as client, pytest.raises(InvalidInput) as caught:
        client.remember("text", url="http://a/")
    assert caught.value.field == "text"
