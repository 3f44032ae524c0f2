"""Memories over HTTP: what a write, a read, an edit and a forget answer."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from mindlog.engine import Engine
from mindlog.testing.fakes import HashEmbedder
from tests.api.conftest import assert_problem, keep


async def test_a_write_answers_with_the_ack_and_where_the_memory_is(client: httpx2.AsyncClient) -> None:
    response = await client.post("/v1/memories", json={"text": "Ana is allergic to peanuts.", "session": "s1"})
    assert response.status_code == 201
    ack = response.json()
    assert ack["was_deduplicated"] is False
    assert ack["kind"] == "episodic"
    assert ack["lsn"] >= 1
    assert ack["persisted_at"].endswith("Z")
    assert ack["pending_stages"] == ["auto_edge", "temporal_edge", "memory_text", "extractor", "hype"]
    found = await client.get(response.headers["location"])
    assert found.json()["text"] == "Ana is allergic to peanuts."


async def test_a_memory_is_read_back_whole(client: httpx2.AsyncClient) -> None:
    sent = {
        "text": "Łódź 外币 👩‍👩‍👧 \u202e end",
        "dataset": "d1",
        "agent": "ana",
        "session": "s1",
        "occurred_at": "2025-07-25T07:30:00+05:30",
        "kind": "consolidated",
        "salience": 1,
        "metadata": {"a": [1, None, {"b": 2.5}], "ключ": True},
        "document_id": "doc",
    }
    memory_id = await keep(client, **sent)
    memory = (await client.get(f"/v1/memories/{memory_id}")).json()
    assert {name: memory[name] for name in sent} == sent | {"occurred_at": "2025-07-25T02:00:00Z", "salience": 1.0}
    assert memory["memory_id"] == memory_id
    assert memory["is_current"] is True
    assert memory["state"] == "live"


async def test_the_same_text_in_a_session_is_kept_once_unless_duplicates_are_allowed(
    client: httpx2.AsyncClient,
) -> None:
    first = await keep(client, "tea at four", session="s")
    again = await client.post("/v1/memories", json={"text": "tea at four", "session": "s"})
    assert (again.status_code, again.json()["was_deduplicated"], again.json()["memory_id"]) == (200, True, first)
    other = await client.post("/v1/memories", json={"text": "tea at four", "session": "s", "allow_duplicates": True})
    assert other.status_code == 201
    assert other.json()["memory_id"] != first


async def test_a_request_id_is_answered_again_and_refuses_other_parameters(client: httpx2.AsyncClient) -> None:
    first = await client.post("/v1/memories", json={"text": "once", "request_id": "r1"})
    again = await client.post("/v1/memories", json={"text": "once"}, headers={"Idempotency-Key": '"r1"'})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json() == first.json() | {"was_replayed": True}
    other = await client.post("/v1/memories", json={"text": "twice"}, headers={"Idempotency-Key": "r1"})
    assert_problem(other, 409, "idempotency_conflict")


async def test_a_header_and_a_field_that_name_different_request_ids_are_refused(client: httpx2.AsyncClient) -> None:
    body = {"text": "once", "request_id": "r1"}
    refused = await client.post("/v1/memories", json=body, headers={"Idempotency-Key": "r2"})
    assert_problem(refused, 400, "invalid_input", "idempotency-key")
    same = await client.post("/v1/memories", json=body, headers={"Idempotency-Key": "r1"})
    assert same.status_code == 201


async def test_twenty_writers_of_one_text_make_one_memory(client: httpx2.AsyncClient) -> None:
    answers = await asyncio.gather(*(client.post("/v1/memories", json={"text": "a race"}) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] * 19 + [201]
    assert len({answer.json()["memory_id"] for answer in answers}) == 1


async def test_a_bad_item_of_a_batch_fails_alone(client: httpx2.AsyncClient) -> None:
    items = [
        {"text": "first"},
        {"text": 7},
        "not an object",
        {"text": "second", "colour": "red"},
        {"text": ""},
        {"text": "first"},
        {"text": "third", "wait": "later"},
        {"text": "last", "metadata": {"n": 1}},
    ]
    response = await client.post("/v1/memories/batch", json={"items": items})
    assert response.status_code == 200
    results = response.json()["results"]
    assert [result["index"] for result in results] == list(range(len(items)))
    assert [result["status"] for result in results] == [201, 400, 400, 400, 400, 200, 400, 201]
    assert results[5]["memory_id"] == results[0]["memory_id"]
    assert results[1]["error"]["field"] == "text"
    assert results[3]["error"] == {
        "code": "invalid_input",
        "detail": "colour: unknown field",
        "field": "colour",
        "retryable": False,
    }
    kept = await client.get("/v1/memories")
    assert [memory["text"] for memory in kept.json()["data"]] == ["last", "first"]


async def test_a_batch_of_only_bad_items_still_says_so_item_by_item(client: httpx2.AsyncClient) -> None:
    response = await client.post("/v1/memories/batch", json={"items": [{}, None]})
    assert [result["status"] for result in response.json()["results"]] == [400, 400]


@pytest.mark.parametrize("count", [0, 1001])
async def test_a_batch_of_a_wrong_size_names_the_limit(client: httpx2.AsyncClient, count: int) -> None:
    response = await client.post("/v1/memories/batch", json={"items": [{"text": "x"}] * count})
    assert assert_problem(response, 400, "invalid_input", "items")["limit"] == 1000


async def test_a_batch_takes_no_idempotency_key_of_its_own(client: httpx2.AsyncClient) -> None:
    body = {"items": [{"text": "x"}]}
    refused = await client.post("/v1/memories/batch", json=body, headers={"Idempotency-Key": "k"})
    assert_problem(refused, 400, "invalid_input", "idempotency-key")


async def test_a_large_batch_answers_in_order(client: httpx2.AsyncClient) -> None:
    items = [{"text": f"note {number}", "metadata": {"n": number}} for number in range(1000)]
    results = (await client.post("/v1/memories/batch", json={"items": items})).json()["results"]
    assert [result["status"] for result in results] == [201] * 1000
    last = (await client.get(f"/v1/memories/{results[-1]['memory_id']}")).json()
    assert last["metadata"] == {"n": 999}


async def test_a_vector_of_the_stores_model_is_kept(client: httpx2.AsyncClient, embedder: HashEmbedder) -> None:
    vector = embedder.vector("the boat").tolist()
    body = {"text": "the boat", "vector": vector, "embedding_model": embedder.fingerprint}
    first = await client.post("/v1/memories/vector", json=body)
    assert first.status_code == 201
    assert embedder.calls == 0
    second = await client.post("/v1/memories/vector", json=body)
    assert second.json()["memory_id"] != first.json()["memory_id"]
    third = await client.post("/v1/memories/vector", json=body | {"deduplicate": True})
    assert third.status_code in (200, 201)


async def test_an_edit_makes_a_revision_and_keeps_the_old_one_readable(client: httpx2.AsyncClient) -> None:
    old = await keep(client, "meet at five", metadata={"place": "harbour", "sure": False})
    edited = await client.patch(f"/v1/memories/{old}", json={"text": "meet at six", "metadata": {"sure": None}})
    assert edited.status_code == 200
    new = edited.json()["memory_id"]
    now, before = [(await client.get(f"/v1/memories/{memory_id}")).json() for memory_id in (new, old)]
    assert (now["text"], now["is_current"], now["metadata"]) == ("meet at six", True, {"place": "harbour"})
    assert (before["text"], before["is_current"]) == ("meet at five", False)
    late = await client.patch(f"/v1/memories/{old}", json={"text": "meet at seven"})
    assert_problem(late, 409, "version_conflict")
    unchanged = await client.patch(f"/v1/memories/{new}", json={})
    assert_problem(unchanged, 400, "invalid_input")


async def test_a_forgotten_memory_is_gone_until_it_is_restored(client: httpx2.AsyncClient) -> None:
    memory_id = await keep(client, "the code is 4711")
    receipt = (await client.delete(f"/v1/memories/{memory_id}")).json()["receipt"]
    assert receipt["mode"] == "soft"
    assert receipt["memory_ids"] == [memory_id]
    assert receipt["restorable_until"] > receipt["forgotten_at"]
    assert "4711" not in str(receipt)
    assert_problem(await client.get(f"/v1/memories/{memory_id}"), 404, "memory_not_found")
    assert_problem(await client.delete(f"/v1/memories/{memory_id}"), 404, "memory_not_found")
    assert (await client.get("/v1/memories")).json()["data"] == []
    restored = await client.post(f"/v1/memories/{memory_id}/restore")
    assert (restored.status_code, restored.json()["text"]) == (200, "the code is 4711")
    assert_problem(await client.post(f"/v1/memories/{memory_id}/restore"), 404, "memory_not_found")


async def test_hard_forgetting_is_refused_and_forgets_nothing(client: httpx2.AsyncClient) -> None:
    memory_id = await keep(client, "still here")
    refused = await client.delete(f"/v1/memories/{memory_id}", params={"mode": "hard"})
    assert "not available in this release" in str(assert_problem(refused, 400, "invalid_input", "mode")["detail"])
    assert (await client.get(f"/v1/memories/{memory_id}")).status_code == 200


async def test_a_write_that_waits_for_its_derivation_is_answered_with_what_came_of_it(
    client: httpx2.AsyncClient,
) -> None:
    answer = await client.post("/v1/memories", json={"text": "Ana works at Acme in Lisbon.", "wait": "derived"})
    body = answer.json()
    assert (answer.status_code, body["pending_stages"], body["trace"]["settled"]) == (201, [], True)
    assert {stage["name"]: stage["status"] for stage in body["trace"]["stages"]} == {
        "auto_edge": "succeeded",
        "temporal_edge": "succeeded",
        "memory_text": "succeeded",
        "extractor": "succeeded",
        "hype": "succeeded",
    }
    (statement,) = (await client.get("/v1/statements", params={"memory_id": body["memory_id"]})).json()["data"]
    assert statement["text"] == "Ana works at Acme"


async def test_a_batch_waits_for_those_of_its_items_that_ask_for_it(client: httpx2.AsyncClient) -> None:
    items = [{"text": "Bo lives in Oslo.", "wait": "derived"}, {"text": "Cleo lives in Rome."}]
    first, second = (await client.post("/v1/memories/batch", json={"items": items})).json()["results"]
    assert first["trace"]["settled"] is True
    assert second["trace"] is None


async def test_five_thousand_memories_are_paged_once_each_while_others_arrive(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    for start in range(0, 5000, 1000):
        items = [{"text": f"note {number}"} for number in range(start, start + 1000)]
        await client.post("/v1/memories/batch", json={"items": items})
    before = [memory["memory_id"] for memory in (await client.get("/v1/memories?limit=5000")).json()["data"]]
    seen, cursor, pages = [], None, 0
    while True:
        page = (await client.get("/v1/memories", params={"limit": 700} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [memory["memory_id"] for memory in page["data"]]
        await keep(client, f"arrived during page {pages}")
        pages += 1
        assert page["has_more"] is (page["next_cursor"] is not None)
        if not page["has_more"]:
            break
        cursor = page["next_cursor"]
    assert len(before) == 5000
    assert seen == before
    assert len(set(seen)) == 5000


async def test_a_cursor_fits_only_the_listing_it_was_made_for(client: httpx2.AsyncClient) -> None:
    for number in range(3):
        await keep(client, f"note {number}", session="s")
    cursor = (await client.get("/v1/memories?limit=1")).json()["next_cursor"]
    other = await client.get("/v1/memories", params={"limit": 1, "cursor": cursor, "session": "s"})
    assert_problem(other, 400, "invalid_cursor", "cursor")
    assert_problem(await client.get("/v1/memories?cursor=%00%ff"), 400, "invalid_cursor", "cursor")
