"""The routes of knowledge: what a text says can be asked for, within what a key may see and do."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from mindlog.engine import Engine
from mindlog.ids import parse_number_id
from mindlog.store.graphrows import GraphWrite, Proposal
from tests.api.conftest import ClientFactory, assert_problem, keep, make_key

NO_ENTITY = "ent_0000000009999"
NO_MEMORY = "mem_00000000000ZZZ000004000000"


async def told(client: httpx2.AsyncClient, text: str, **more: object) -> str:
    """The id of a memory that was kept and derived."""
    return await keep(client, text, wait="derived", **more)


async def entity_named(client: httpx2.AsyncClient, name: str, dataset: str = "default") -> dict[str, Any]:
    found = (await client.get("/v1/entities", params={"name": name, "dataset": dataset})).json()["data"]
    return next(each for each in found if each["name"] == name)


async def test_a_statement_is_shown_with_the_words_it_rests_on(client: httpx2.AsyncClient) -> None:
    memory_id = await told(client, "Ana works at Acme in Lisbon.")
    (statement,) = (await client.get("/v1/statements", params={"subject": "Ana"})).json()["data"]
    (evidence,) = statement["evidence"]
    assert (statement["text"], statement["status"]) == ("Ana works at Acme", "current")
    assert (evidence["memory_id"], evidence["quote"] in "Ana works at Acme in Lisbon.") == (memory_id, True)
    assert evidence["asserted_at"].endswith("Z")
    assert (await client.get(f"/v1/statements/{statement['statement_id']}")).json() == statement


async def test_what_came_first_is_superseded_and_still_there_for_whoever_asks(client: httpx2.AsyncClient) -> None:
    await told(client, "Ana works at Acme.", occurred_at="2026-01-01T00:00:00Z")
    await told(client, "Ana works at Globex now.", occurred_at="2026-02-01T00:00:00Z")
    now = (await client.get("/v1/statements", params={"subject": "Ana"})).json()["data"]
    ever = (await client.get("/v1/statements", params={"subject": "Ana", "include_superseded": "true"})).json()["data"]
    then = (await client.get("/v1/statements", params={"subject": "Ana", "as_of": "2026-01-15T00:00:00Z"})).json()
    assert [each["text"] for each in now] == ["Ana works at Globex"]
    assert {each["text"] for each in ever} == {"Ana works at Globex", "Ana works at Acme"}
    assert [each["text"] for each in then["data"]] == ["Ana works at Acme"]


async def test_a_forgotten_memory_takes_its_statements_with_it(client: httpx2.AsyncClient) -> None:
    memory_id = await told(client, "Ana works at Acme.")
    await client.delete(f"/v1/memories/{memory_id}")
    assert (await client.get("/v1/statements")).json()["data"] == []
    assert (await client.get("/v1/entities")).json()["data"] == []


async def test_memories_are_listed_by_the_entity_they_name(client: httpx2.AsyncClient) -> None:
    texts = ["Ana works at Acme.", "Ana likes tea.", "Bo works at Globex.", "Ana met Bo.", "Ana left Acme."]
    ids = [await told(client, text, session=str(n % 2)) for n, text in enumerate(texts)]
    ana, bo = await entity_named(client, "Ana"), await entity_named(client, "Bo")

    async def named(entity: str, **more: Any) -> list[str]:
        found: list[str] = []
        query = {"entity": entity, "limit": 2, **more}
        while True:
            page = (await client.get("/v1/memories", params=query)).json()
            assert len(page["data"]) == 2 or not page["has_more"]
            found += [texts[ids.index(each["memory_id"])] for each in page["data"]]
            if page["next_cursor"] is None:
                return found
            query["cursor"] = page["next_cursor"]

    of_ana, of_bo = [texts[n] for n in (4, 3, 1, 0)], [texts[3], texts[2]]
    assert await named(ana["entity_id"]) == await named("ana") == of_ana
    assert await named(bo["entity_id"]) == of_bo
    assert await named(ana["entity_id"], session="1") == [texts[3], texts[1]]
    await client.post(f"/v1/entities/{bo['entity_id']}/merge", json={"into": ana["entity_id"]})
    for either in (ana["entity_id"], bo["entity_id"], "Bo"):
        assert await named(either) == texts[::-1]
    await client.post(f"/v1/entities/{bo['entity_id']}/unmerge")
    await client.delete(f"/v1/memories/{ids[3]}")
    assert await named(bo["entity_id"]) == [texts[2]]
    edited = await client.patch(f"/v1/memories/{ids[4]}", json={"text": "Somebody left Acme."})
    await client.get("/v1/settled", params={"timeout": 10})
    ids[4] = edited.json()["memory_id"]
    assert await named(ana["entity_id"]) == [texts[1], texts[0]]
    nobody = await client.get("/v1/memories", params={"entity": "Nobody"})
    assert_problem(nobody, 404, "entity_not_found", "entity")
    page = (await client.get("/v1/memories", params={"entity": "Ana", "limit": 1})).json()
    other = await client.get("/v1/memories", params={"entity": "Bo", "cursor": page["next_cursor"]})
    assert_problem(other, 400, "invalid_cursor", "cursor")


async def test_the_graph_shows_what_is_around_an_entity(client: httpx2.AsyncClient) -> None:
    await told(client, "Ana works at Acme.")
    graph = (await client.get("/v1/graph", params={"entity": "Ana"})).json()
    assert {each["name"] for each in graph["entities"]} == {"Ana", "Acme"}
    assert [each["text"] for each in graph["relations"]] == ["Ana works at Acme"]
    assert graph["truncated"] is False


async def test_the_graph_shows_what_has_ended_if_asked(client: httpx2.AsyncClient) -> None:
    await told(client, "Ana works at Acme.", occurred_at="2026-01-01T00:00:00Z")
    await told(client, "Ana works at Globex now.", occurred_at="2026-02-01T00:00:00Z")

    async def seen(**more: str) -> dict[str, str]:
        graph = (await client.get("/v1/graph", params={"entity": "Ana", **more})).json()
        assert {each["name"] for each in graph["entities"]} == {
            end["name"] for each in graph["relations"] for end in (each["subject"], each["object"])
        }
        return {each["text"]: each["status"] for each in graph["relations"]}

    assert await seen() == await seen(include_superseded="false") == {"Ana works at Globex": "current"}
    assert await seen(as_of="2026-01-15T00:00:00Z") == {"Ana works at Acme": "current"}
    assert await seen(include_superseded="true") == {
        "Ana works at Globex": "current",
        "Ana works at Acme": "superseded",
    }
    both = {"entity": "Ana", "include_superseded": "true", "as_of": "2026-01-15T00:00:00Z"}
    assert_problem(await client.get("/v1/graph", params=both), 400, "invalid_input", "include_superseded")


async def test_an_inspection_shows_everything_of_a_memory(client: httpx2.AsyncClient) -> None:
    memory_id = await told(client, "Ana works at Acme.", session="s")
    shown = (await client.get(f"/v1/memories/{memory_id}/inspect")).json()
    assert shown["memory"]["memory_id"] == memory_id
    assert {each["entity"]["name"] for each in shown["entities"]} == {"Ana", "Acme"}
    assert [each["text"] for each in shown["statements"]] == ["Ana works at Acme"]
    assert shown["terms"]
    assert shown["questions"]
    assert [each["memory_id"] for each in shown["versions"]] == [memory_id]
    assert [each["state"] for each in shown["runs"]] == ["succeeded"]


async def test_a_memory_sees_its_own_words_first_of_a_statement_that_many_carry(client: httpx2.AsyncClient) -> None:
    first = await told(client, "Ana works at Acme.", session="0")
    for session in range(1, 52):
        await keep(client, "Ana works at Acme.", session=str(session))
    newest = await told(client, "So Ana works at Acme.")
    for memory_id in (first, newest):
        inspected = (await client.get(f"/v1/memories/{memory_id}/inspect")).json()["statements"]
        listed = (await client.get("/v1/statements", params={"memory_id": memory_id})).json()["data"]
        for (statement,) in (inspected, listed):
            found = [each["memory_id"] for each in statement["evidence"]]
            assert (found[0], len(found), statement["evidence_count"]) == (memory_id, 50, 53)
            assert sorted(found[1:], reverse=True) == found[1:]
            assert len(set(found)) == 50


async def test_revisions_are_told_by_their_openings(client: httpx2.AsyncClient) -> None:
    texts = ["Ana works at Acme.", "é" * 2001, "ö" * 2000, "Ana left. " * 9000]
    memory_id = await keep(client, texts[0])
    ids = [memory_id]
    for text in texts[1:]:
        memory_id = (await client.patch(f"/v1/memories/{memory_id}", json={"text": text})).json()["memory_id"]
        ids.append(memory_id)
    shown = (await client.get(f"/v1/memories/{memory_id}/inspect")).json()
    assert shown["memory"]["text"] == texts[-1]
    told = [(each["memory_id"], each["text"], each["characters"], each["is_cut"]) for each in shown["versions"]]
    assert (
        told == [(name, text[:2000], len(text), len(text) > 2000) for name, text in zip(ids, texts, strict=True)][::-1]
    )
    before = (await client.get(f"/v1/memories/{ids[1]}/inspect")).json()
    assert (before["memory"]["text"], before["versions"]) == (texts[1], shown["versions"])


async def test_a_link_is_made_changed_listed_and_taken_away(client: httpx2.AsyncClient) -> None:
    one, other = await keep(client, "one"), await keep(client, "two")
    for weight in (0.5, 0.75):
        made = await client.post(
            f"/v1/memories/{one}/links", json={"target": other, "kind": "supports", "weight": weight}
        )
        assert (made.status_code, made.json()["made_by"], made.json()["weight"]) == (200, "user", weight)
    (listed,) = [
        each for each in (await client.get(f"/v1/memories/{other}/links")).json()["data"] if each["kind"] == "supports"
    ]
    assert (listed["source"], listed["target"]) == (one, other)
    query = {"target": other, "kind": "supports"}
    gone = await client.request("DELETE", f"/v1/memories/{one}/links", params=query)
    assert (gone.status_code, gone.content) == (204, b"")
    again = await client.request("DELETE", f"/v1/memories/{one}/links", params=query)
    assert_problem(again, 404, "link_not_found", "target")


async def test_a_merge_is_made_and_taken_back(client: httpx2.AsyncClient) -> None:
    await told(client, "Ana works at Acme.")
    await told(client, "Bo works at Globex.")
    ana, bo = await entity_named(client, "Ana"), await entity_named(client, "Bo")
    merged = await client.post(f"/v1/entities/{bo['entity_id']}/merge", json={"into": ana["entity_id"]})
    assert merged.json()["merged"] == [bo["entity_id"]]
    assert (await client.get(f"/v1/entities/{bo['entity_id']}")).json()["entity_id"] == ana["entity_id"]
    back = await client.post(f"/v1/entities/{bo['entity_id']}/unmerge")
    assert (back.json()["entity_id"], back.json()["name"]) == (bo["entity_id"], "Bo")


async def test_an_entity_tells_how_often_its_names_are_used_and_what_was_merged_by_name(
    client: httpx2.AsyncClient,
) -> None:
    await told(client, "Ana works at Acme.")
    await told(client, "Ana likes tea.")
    await told(client, "Bo works at Globex.")
    ana, bo = await entity_named(client, "Ana"), await entity_named(client, "Bo")
    alone = (await client.get(f"/v1/entities/{ana['entity_id']}")).json()
    assert (alone["names"], alone["merged_entities"]) == ([{"name": "Ana", "uses": 2}], [])
    merged = (await client.post(f"/v1/entities/{bo['entity_id']}/merge", json={"into": ana["entity_id"]})).json()
    assert merged == (await client.get(f"/v1/entities/{bo['entity_id']}")).json()
    assert merged["names"] == [{"name": "Ana", "uses": 2}, {"name": "Bo", "uses": 1}]
    assert [each["name"] for each in merged["names"]] == merged["aliases"]
    assert merged["merged_entities"] == [{"entity_id": bo["entity_id"], "name": "Bo"}]
    assert merged["merged"] == [bo["entity_id"]]


async def test_an_accepted_proposal_is_undone_in_one_call_and_by_its_entity(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    await told(client, "Ana works at Acme.")
    await told(client, "Bo works at Globex.")
    ids = {name: (await entity_named(client, name))["entity_id"] for name in ("Ana", "Bo")}
    ana, bo = (parse_number_id("ent", ids[name], "entity_id") for name in ("Ana", "Bo"))
    pair = Proposal(entity=ana, other=bo, score=0.7, reason="alike")
    await engine.store.write_graph(GraphWrite(dataset=1, proposals=(pair,)))
    (proposal,) = (await client.get("/v1/proposals")).json()["data"]
    path, names = f"/v1/proposals/{proposal['proposal_id']}", ["Ana", "Bo"]
    refused = await client.post(path, json={"decision": "undone"})
    assert_problem(refused, 409, "conflict", "status")
    accepted = (await client.post(path, json={"decision": "accepted"})).json()
    assert [accepted["status"], accepted["entity"]["name"], accepted["other"]["name"]] == ["accepted", *names]
    undone = (await client.post(path, json={"decision": "undone"})).json()
    assert [undone["status"], undone["entity"]["name"], undone["other"]["name"]] == ["undone", *names]
    assert (await client.get(f"/v1/entities/{ids['Bo']}")).json()["name"] == "Bo"
    await client.post(path, json={"decision": "accepted"})
    await client.post(f"/v1/entities/{ids['Bo']}/unmerge")
    (listed,) = (await client.get("/v1/proposals", params={"status": "undone"})).json()["data"]
    assert [listed["status"], listed["entity"]["name"], listed["other"]["name"]] == ["undone", *names]
    assert (await client.get("/v1/proposals", params={"status": "accepted"})).json()["data"] == []


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("/v1/entities", {"kind": "colour"}, "kind"),
        ("/v1/entities", {"name": ""}, "name"),
        ("/v1/entities", {"limit": 0}, "limit"),
        ("/v1/entities", {"limit": 10**6}, "limit"),
        ("/v1/entities", {"cursor": "zzz"}, "cursor"),
        ("/v1/entities", {"colour": "red"}, "colour"),
        ("/v1/entities/ent_?", {}, "entity_id"),
        ("/v1/statements", {"as_of": "tomorrow"}, "as_of"),
        ("/v1/statements", {"known_at": "1"}, "known_at"),
        ("/v1/statements", {"memory_id": "nonsense"}, "memory_id"),
        ("/v1/statements", {"include_superseded": "perhaps"}, "include_superseded"),
        ("/v1/statements", {"include_superseded": True, "as_of": "2026-01-01T00:00:00Z"}, "include_superseded"),
        ("/v1/statements/stm_?", {}, "statement_id"),
        ("/v1/graph", {}, "entity"),
        ("/v1/graph", {"entity": ["Ana", "Bo"]}, "entity"),
        ("/v1/proposals", {"status": "undecided"}, "status"),
        ("/v1/memories/nonsense/inspect", {}, "memory_id"),
        ("/v1/memories/nonsense/links", {}, "memory_id"),
        ("/v1/settled", {"timeout": "nan"}, "timeout"),
        ("/v1/settled", {"timeout": 31}, "timeout"),
    ],
)
async def test_what_cannot_be_asked_for_is_refused_by_name(
    client: httpx2.AsyncClient, path: str, query: dict[str, Any], field: str
) -> None:
    refused = await client.get(path, params=query)
    assert refused.status_code == 400, refused.text
    assert refused.json()["field"] == field


async def test_what_is_not_there_is_not_found(client: httpx2.AsyncClient) -> None:
    assert_problem(await client.get(f"/v1/entities/{NO_ENTITY}"), 404, "entity_not_found", "entity_id")
    assert_problem(await client.get("/v1/graph", params={"entity": "Nobody"}), 404, "entity_not_found", "entity")
    assert_problem(await client.get("/v1/statements/stm_0000000009999"), 404, "statement_not_found")
    decided = await client.post("/v1/proposals/prp_0000000009999", json={"decision": "accepted"})
    assert_problem(decided, 404, "proposal_not_found")
    assert_problem(await client.get(f"/v1/memories/{NO_MEMORY}/inspect"), 404, "memory_not_found")


async def test_a_key_sees_and_changes_no_knowledge_out_of_its_reach(
    client: httpx2.AsyncClient, client_of: ClientFactory, engine: Engine
) -> None:
    memory_id = await told(client, "Ana works at Acme.")
    ana = await entity_named(client, "Ana")
    await engine.put_dataset("mine")
    other, reader = await make_key(engine, "write", datasets=["mine"]), await make_key(engine, "read")
    async with client_of(key=other) as stranger:
        assert_problem(await stranger.get("/v1/statements"), 403, "forbidden", "dataset")
        assert_problem(await stranger.get(f"/v1/entities/{ana['entity_id']}"), 404, "entity_not_found")
        assert_problem(await stranger.get(f"/v1/memories/{memory_id}/inspect"), 404, "memory_not_found")
        assert_problem(await stranger.get(f"/v1/memories/{memory_id}/links"), 404, "memory_not_found")
    async with client_of(key=reader) as only_reads:
        assert (await only_reads.get("/v1/statements")).status_code == 200
        merge = await only_reads.post(f"/v1/entities/{ana['entity_id']}/merge", json={"into": NO_ENTITY})
        assert_problem(merge, 403, "forbidden")
        body = {"target": memory_id, "kind": "supports"}
        assert_problem(await only_reads.post(f"/v1/memories/{memory_id}/links", json=body), 403, "forbidden")


async def test_datasets_say_how_much_they_hold_to_whoever_asks_and_sees_them(
    client: httpx2.AsyncClient, engine: Engine, client_of: ClientFactory
) -> None:
    await client.post("/v1/datasets", json={"name": "empty"})
    await told(client, "Ana works at Acme.", dataset="other")
    forgotten = await told(client, "The lamp is lit.", dataset="other")
    assert (await client.delete(f"/v1/memories/{forgotten}")).status_code == 200
    await client.post("/v1/remember", json={"text": "Bo sails.", "dataset": "other", "wait": "derived"})
    plain = (await client.get("/v1/datasets")).json()["data"]
    counted = (await client.get("/v1/datasets", params={"sizes": True})).json()["data"]
    assert {each["size"] for each in plain} == {None}
    sizes = {each["name"]: each["size"] for each in counted}
    assert set(sizes["empty"].values()) == {0}
    other = sizes["other"]
    assert (other["memories"], other["documents"], other["statements"]) == (2, 1, 1)
    entities = (await client.get("/v1/entities", params={"dataset": "other"})).json()["data"]
    assert other["entities"] == len(entities) >= 2
    async with client_of(key=await make_key(engine, "read", datasets=["other"])) as reader:
        seen = (await reader.get("/v1/datasets", params={"sizes": True})).json()["data"]
        assert seen == [each for each in counted if each["name"] == "other"]
