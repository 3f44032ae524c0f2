"""Documents over HTTP: taken in as JSON or as a form, bounded, read back; the routes refuse what they should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from mindlog.api import Metrics, create_app
from mindlog.api.upload import FORM_BYTES
from mindlog.engine import Engine
from mindlog.store.stages import REMEMBER_STAGES
from mindlog.testing.fakes import HashEmbedder
from tests.api.conftest import LOCAL, ClientFactory, assert_problem, make_key, settings_for

TEXT = "Ana works at Acme. She likes tea."
LIMIT = 3 << 20  # bytes of a document, where it is small


async def remembered(client: httpx2.AsyncClient, text: str = TEXT, **more: Any) -> dict[str, Any]:
    """The reply to a document that has been read."""
    response = await client.post("/v1/remember", json={"text": text, "wait": "derived", **more})
    assert response.status_code == 200, response.text
    return response.json()


def form(data: bytes, name: str = "notes.md", kind: str = "application/octet-stream") -> dict[str, Any]:
    return {"document": (name, data, kind)}


@pytest.fixture
async def small(tmp_path: Path) -> Any:
    """A client of an application that takes documents of at most `LIMIT` bytes, more than other bodies."""
    settings = settings_for(tmp_path, max_body_bytes=1 << 20, max_document_bytes=LIMIT, max_image_bytes=LIMIT)
    async with await Engine.open(settings, embedder=HashEmbedder(dimensions=16)) as engine:
        transport = httpx2.ASGITransport(create_app(engine, local=True))
        async with httpx2.AsyncClient(transport=transport, base_url=LOCAL) as client:
            yield client


async def test_a_document_is_acked_with_202_and_read_in_the_end(client: httpx2.AsyncClient) -> None:
    response = await client.post("/v1/remember", json={"text": TEXT, "session": "s", "metadata": {"topic": "work"}})
    assert response.status_code == 202, response.text
    ack = response.json()
    assert (ack["status"], ack["was_replayed"], ack["run"], ack["stages"]) == ("started", False, None, None)
    assert response.headers["location"] == f"/v1/admin/api/remember-runs/{ack['remember_run_id']}"
    assert (await client.get("/v1/settled", params={"timeout": 30})).json() == {"settled": True, "derives": True}
    document = (await client.get(f"/v1/documents/{ack['document_id']}")).json()
    assert (document["kind"], document["characters"], document["chunks"]) == ("text", len(TEXT), 1)
    assert document["remember_run_id"] == ack["remember_run_id"]
    (text,) = (await client.get(f"/v1/documents/{ack['document_id']}/texts")).json()["data"]
    assert (text["origin"], text["state"], text["text"], text["start"]) == ("chunk", "stored", TEXT, 0)
    memory = (await client.get(f"/v1/memories/{text['memory_id']}")).json()
    assert (memory["session"], memory["metadata"], memory["document_id"]) == (
        "s",
        {"topic": "work"},
        ack["document_id"],
    )


async def test_who_waits_is_told_how_each_stage_went(client: httpx2.AsyncClient) -> None:
    told = await remembered(client)
    assert told["status"] == "succeeded"
    assert list(told["stages"]) == [stage.name for stage in REMEMBER_STAGES]
    assert told["stages"]["extract_graph"] == "succeeded"
    assert told["trace"]["settled"] is True
    assert told["trace"]["stages"]["chunk_text"]["chunks"] == 1
    assert told["run"]["run_id"] == told["remember_run_id"]
    assert told["run"]["progress"] == {"chunks": 1, "read": 1, "stored": 1}


async def test_a_file_comes_as_a_form_with_its_fields(client: httpx2.AsyncClient) -> None:
    data = {
        "metadata": '{"topic": "tea"}', "options": "{}", "document_id": "the/notes", "session": "s", "agent": "ana",
        "web_search": "false", "wait": "derived", "occurred_at": "2026-01-02T03:04:05Z",
    }  # fmt: skip
    response = await client.post("/v1/remember", files=form(b"# Tea\n\nAna likes tea.", "../../tea.md"), data=data)
    assert response.status_code == 200, response.text
    document = (await client.get("/v1/documents/the/notes")).json()
    assert (document["title"], document["kind"], document["name"]) == ("Tea", "markdown", "../../tea.md")
    texts = (await client.get("/v1/documents/the%2Fnotes/texts")).json()["data"]
    memory = (await client.get(f"/v1/memories/{texts[0]['memory_id']}")).json()
    assert (memory["agent"], memory["session"], memory["metadata"]) == ("ana", "s", {"topic": "tea"})
    assert memory["occurred_at"] == "2026-01-02T03:04:05Z"


async def test_what_a_field_says_of_the_file_goes_before_what_the_part_says(client: httpx2.AsyncClient) -> None:
    data = {"name": "page.html", "content_type": "text/html; charset=utf-8", "wait": "derived", "document_id": "d"}
    response = await client.post("/v1/remember", files=form(b"<p>Ana likes <b>tea</b>.", "x.txt"), data=data)
    assert response.status_code == 200, response.text
    document = (await client.get("/v1/documents/d")).json()
    assert (document["name"], document["kind"]) == ("page.html", "html")


@pytest.mark.parametrize("header", [True, False])
async def test_a_repeated_request_starts_no_second_run(client: httpx2.AsyncClient, header: bool) -> None:
    headers = {"Idempotency-Key": "k"} if header else {}
    body = {"text": TEXT} | ({} if header else {"request_id": "k"})
    first = await client.post("/v1/remember", json=body, headers=headers)
    again = await client.post("/v1/remember", json=body, headers=headers)
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json()["remember_run_id"] == first.json()["remember_run_id"]
    assert again.json()["was_replayed"] is True
    assert again.headers["idempotency-replayed"] == "true"
    other = await client.post("/v1/remember", json=body | {"text": "another"}, headers=headers)
    assert_problem(other, 409, "idempotency_conflict")
    assert len((await client.get("/v1/admin/api/remember-runs")).json()["data"]) == 1


async def test_a_key_that_differs_from_the_body_is_refused(client: httpx2.AsyncClient) -> None:
    response = await client.post(
        "/v1/remember", json={"text": "x", "request_id": "a"}, headers={"Idempotency-Key": "b"}
    )
    assert_problem(response, 400, "invalid_input", "idempotency-key")


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({}, 400, "invalid_input", "text"),
        ({"text": "x", "url": "http://a/"}, 400, "invalid_input", "text"),
        ({"text": "x", "colour": 1}, 400, "invalid_input", "colour"),
        ({"text": 5}, 400, "invalid_input", "text"),
        ({"text": "x", "options": {"sleep": {}}}, 400, "invalid_input", "options.sleep"),
        ({"text": "x", "options": {"store": {"model": "m"}}}, 400, "invalid_input", "options.store"),
        ({"text": "x", "occurred_at": "soon"}, 400, "invalid_input", "occurred_at"),
        ({"text": "x", "web_search": "yes"}, 400, "invalid_input", "web_search"),
        ({"text": "x", "wait": "later"}, 400, "invalid_input", "wait"),
        ({"url": "http://127.0.0.1/secret"}, 400, "address_refused", None),
        ({"url": "file:///etc/passwd"}, 400, "address_refused", None),
        ({"text": ""}, 400, "document_empty", "document"),
    ],
)
async def test_a_body_that_is_refused_leaves_no_run(
    client: httpx2.AsyncClient, body: dict[str, Any], status: int, code: str, field: str | None
) -> None:
    assert_problem(await client.post("/v1/remember", json=body), status, code, field)
    assert (await client.get("/v1/admin/api/remember-runs")).json()["data"] == []
    assert (await client.get("/v1/documents")).json()["data"] == []


@pytest.mark.parametrize(
    ("files", "data", "status", "code", "field"),
    [
        ({"paper": ("a.txt", b"x", "text/plain")}, {}, 400, "invalid_input", "paper"),
        (form(b""), {}, 400, "document_empty", "document"),
        (form(b"\x00\x01\x02\xff" * 100, "a.bin"), {}, 415, "document_type_unknown", "document"),
        (form(b"text", "a.txt"), {"metadata": "{"}, 400, "invalid_input", "metadata"),
        (form(b"text", "a.txt"), {"metadata": "[1]"}, 400, "invalid_input", "metadata"),
        (form(b"text", "a.txt"), {"text": "text"}, 400, "invalid_input", "text"),
        (form(b"text", "a.txt"), {"session": ["a", "b"]}, 400, "invalid_input", "session"),
        (form(b"text", "a.txt"), {"web_search": "yes"}, 400, "invalid_input", "web_search"),
        (form(b"text", "a.txt"), {"metadata": "x" * (FORM_BYTES - 1000)}, 400, "invalid_input", "metadata"),
        (form(b"text", "n" * 300), {}, 400, "invalid_input", "name"),
    ],
)
async def test_a_form_that_is_refused_leaves_no_run(
    client: httpx2.AsyncClient, files: Any, data: Any, status: int, code: str, field: str
) -> None:
    assert_problem(await client.post("/v1/remember", files=files, data=data), status, code, field)
    assert (await client.get("/v1/admin/api/remember-runs")).json()["data"] == []


@pytest.mark.parametrize(
    ("content", "kind", "field"),
    [
        (b"no form", "multipart/form-data", "body"),
        (b"no form", "multipart/form-data; boundary=x", "body"),
        (b'--x\r\nContent-Disposition: form-data; name="document"\r\n\r\ntext\r\n--x--\r\n', "multipart/form-data; boundary=x", "document"),
        (b'--x\r\nContent-Disposition: form-data; name="document"; filename="a"\r\n\r\ncut off', "multipart/form-data; boundary=x", "document"),
        (b"document=text", "application/x-www-form-urlencoded", "content-type"),
        (b"text", "text/plain", "content-type"),
        (b"", "application/json", "body"),
        (b"[]", "application/json", "body"),
    ],
)  # fmt: skip
async def test_what_is_no_whole_body_is_refused(
    client: httpx2.AsyncClient, content: bytes, kind: str, field: str
) -> None:
    response = await client.post("/v1/remember", content=content, headers={"Content-Type": kind})
    assert_problem(response, 400, "invalid_input", field)


async def test_two_files_are_one_too_many(client: httpx2.AsyncClient) -> None:
    files = [("document", ("a.txt", b"a", "text/plain")), ("document", ("b.txt", b"b", "text/plain"))]
    assert_problem(await client.post("/v1/remember", files=files), 400, "invalid_input", "body")


@pytest.mark.parametrize("over", [1, FORM_BYTES + 1, 1 << 20])
async def test_a_file_over_the_limit_is_413_and_names_it(small: httpx2.AsyncClient, over: int) -> None:
    response = await small.post("/v1/remember", files=form(b"a" * (LIMIT + over), "a.txt"))
    assert assert_problem(response, 413, "document_too_large", "document")["limit"] == LIMIT


async def test_a_file_that_does_not_say_how_large_it_is_is_stopped_at_the_limit(small: httpx2.AsyncClient) -> None:
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        yield b'--x\r\nContent-Disposition: form-data; name="document"; filename="a.txt"\r\n\r\n'
        while True:
            sent += 1 << 16
            yield b"a" * (1 << 16)

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    response = await small.post("/v1/remember", content=endless(), headers=headers)
    assert assert_problem(response, 413, "document_too_large", "document")["limit"] == LIMIT
    assert sent <= LIMIT + FORM_BYTES + (1 << 17)


async def test_a_file_may_be_larger_than_other_bodies(small: httpx2.AsyncClient) -> None:
    words = b"All work and no play. " * (LIMIT // 22)
    response = await small.post("/v1/remember", files=form(words, "a.txt"))
    assert response.status_code == 202, response.text
    run = response.json()["remember_run_id"]
    assert (await small.post(f"/v1/admin/api/remember-runs/{run}/cancel")).json()["state"] == "cancelled"
    as_json = await small.post("/v1/remember", json={"text": words.decode()})
    assert assert_problem(as_json, 413, "too_large", "body")["limit"] == 1 << 20


async def test_a_page_of_another_site_cannot_send_a_form(client: httpx2.AsyncClient) -> None:
    response = await client.post("/v1/remember", files=form(b"text"), headers={"Origin": "https://evil.example"})
    assert_problem(response, 403, "forbidden", "origin")


async def test_scopes_and_datasets_hold(client_of: ClientFactory, engine: Engine) -> None:
    reader, writer = await make_key(engine, "read"), await make_key(engine, "write", datasets=["mine"])
    async with client_of(key=reader) as client:
        assert_problem(await client.post("/v1/remember", json={"text": TEXT}), 403, "forbidden")
        assert_problem(await client.get("/v1/admin/api/remember-runs"), 403, "forbidden")
        assert (await client.get("/v1/documents")).json()["data"] == []
    async with client_of(key=writer) as client:
        assert_problem(await client.post("/v1/remember", json={"text": TEXT}), 403, "forbidden")
        kept = await remembered(client, dataset="mine")
        assert_problem(await client.get(f"/v1/documents/{kept['document_id']}"), 403, "forbidden")
        params = {"dataset": "mine"}
        assert (await client.get(f"/v1/documents/{kept['document_id']}", params=params)).status_code == 200


async def test_documents_and_texts_are_paged(client: httpx2.AsyncClient) -> None:
    long = "\n\n".join(f"# Part {n}\n\n" + f"Ana likes tea of kind {n}. " * 40 for n in range(4))
    told = await remembered(client, long, name="long.md", document_id="long")
    await remembered(client, "Bo likes coffee.", document_id="short")
    page = (await client.get("/v1/documents", params={"limit": 1})).json()
    rest = (await client.get("/v1/documents", params={"limit": 1, "cursor": page["next_cursor"]})).json()
    assert [each["document_id"] for each in (*page["data"], *rest["data"])] == ["short", "long"]
    assert rest["next_cursor"] is None
    chunks = told["run"]["progress"]["chunks"]
    assert chunks >= 4
    found, cursor = [], None
    while True:
        params = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        page = (await client.get("/v1/documents/long/texts", params=params)).json()
        found += page["data"]
        if (cursor := page["next_cursor"]) is None:
            break
    assert [text["position"] for text in found if text["origin"] == "chunk"] == list(range(chunks))
    assert found[0]["headings"] == ["Part 0"]
    assert all(text["summary"] for text in found if text["origin"] == "chunk")


async def test_what_is_not_there_is_404(client: httpx2.AsyncClient) -> None:
    assert_problem(await client.get("/v1/documents/nothing"), 404, "document_not_found", "document_id")
    assert_problem(await client.get("/v1/documents/nothing/texts"), 404, "document_not_found", "document_id")
    nowhere = {"dataset": "nowhere"}
    assert_problem(await client.get("/v1/documents", params=nowhere), 404, "dataset_not_found", "dataset")
    assert_problem(await client.get("/v1/documents", params={"limit": 10**9}), 400, "invalid_input", "limit")
    assert_problem(await client.get("/v1/documents", params={"page": 1}), 400, "invalid_input", "page")


async def test_the_runs_of_remember_are_listed_filtered_and_counted(client: httpx2.AsyncClient) -> None:
    runs = "/v1/admin/api/remember-runs"
    first = await remembered(client, document_id="d", session="s")
    second = await remembered(client, "Bo likes coffee.", document_id="e")
    assert [run["run_id"] for run in (await client.get(runs)).json()["data"]] == [
        second["remember_run_id"], first["remember_run_id"],
    ]  # fmt: skip
    only = (await client.get(runs, params={"document_id": "d"})).json()["data"]
    assert [run["run_id"] for run in only] == [first["remember_run_id"]]
    by_stage = {"stage": "summarize_chunk", "stage_status": "skipped"}
    assert len((await client.get(runs, params=by_stage)).json()["data"]) == 2
    counts = (await client.get(f"{runs}/counts")).json()
    assert counts["by_state"] == {"succeeded": 2}
    whole = (await client.get(f"{runs}/{first['remember_run_id']}")).json()
    assert (whole["operation"], whole["document_id"], whole["memory_id"]) == ("remember", "d", None)
    assert whole["parameters"]["session"] == "s"
    outputs = (await client.get(f"{runs}/{first['remember_run_id']}/outputs")).json()["outputs"]
    assert outputs["chunk_text"]["chunks"] == 1
    assert (await client.get(f"{runs}/{first['remember_run_id']}/inferences")).json()["data"] == []
    in_all = {"run_id": first["remember_run_id"]}
    assert (await client.get("/v1/admin/api/inferences", params=in_all)).json()["data"] == []
    assert_problem(await client.get(runs, params={"session": "s"}), 400, "invalid_input", "session")
    of_another = {"stage": "hype", "stage_status": "failed"}
    assert_problem(await client.get(runs, params=of_another), 400, "invalid_input", "stage")


async def test_runs_of_remember_are_started_again_and_cancelled_by_id(client: httpx2.AsyncClient) -> None:
    runs = "/v1/admin/api/remember-runs"
    done = (await remembered(client))["remember_run_id"]
    assert_problem(await client.post(f"{runs}/{done}/cancel"), 409, "run_ended", "run_id")
    assert_problem(await client.post(f"{runs}/{done}/retry"), 409, "nothing_to_retry", "run_id")
    assert (await client.get(f"{runs}/{done}")).json()["state"] == "succeeded"
    assert (await client.post(f"{runs}/retry", json={"document_id": "nothing"})).json() == {"runs": 0}
    assert (await client.post(f"{runs}/cancel", json={"run_ids": [done]})).json() == {"runs": 0}
    assert (await client.post(f"{runs}/cancel", json={"document_id": "nothing"})).json() == {"runs": 0}
    both = {"run_ids": [done], "document_id": "d"}
    assert_problem(await client.post(f"{runs}/retry", json=both), 400, "invalid_input", "run_ids")
    assert_problem(await client.get(f"{runs}/rem_0000000000009999"), 400, "invalid_input", "run_id")
    assert_problem(await client.get(f"{runs}/rem_0000000009999"), 404, "run_not_found", "run_id")
    assert_problem(await client.get(f"{runs}/enc_0000000009999"), 400, "invalid_input", "run_id")


async def test_stages_of_every_operation_are_described(client: httpx2.AsyncClient) -> None:
    stages = (await client.get("/v1/admin/api/stages")).json()
    assert [stage["name"] for stage in stages["remember"]] == [stage.name for stage in REMEMBER_STAGES]
    assert [stage["name"] for stage in stages["query"]] == ["retrieve_graph", "detect_geo", "nearby_geo", "query"]


async def test_readiness_and_metrics_tell_of_documents(client: httpx2.AsyncClient, metrics: Metrics) -> None:
    await remembered(client)
    ready = (await client.get("/readyz")).json()
    assert (ready["status"], ready["remember"]["pending"], ready["query"]["succeeded"]) == ("ok", 0, 0)
    lines = (await client.get("/metrics")).text.splitlines()
    assert 'mindlog_remember_runs{state="quarantined"} 0.0' in lines
    assert "mindlog_remember_lag_seconds 0.0" in lines
    assert any(line.startswith('mindlog_stage_seconds_count{operation="remember",stage="chunk_text"') for line in lines)
