"""Who may do what: keys, scopes, datasets, and what the machine's own callers may do without a key."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from mindlog.api.server import check_exposure
from mindlog.engine import Engine
from mindlog.errors import ConfigError, KeyNotFound
from mindlog.records import Scope
from mindlog.testing.fakes import HashEmbedder
from tests.api.conftest import ClientFactory, assert_problem, keep, make_key, settings_for


async def test_without_any_key_the_machines_own_callers_may_do_everything(client: httpx2.AsyncClient) -> None:
    await keep(client, "a note")
    made = await client.post("/v1/keys", json={"name": "first", "scopes": ["read"]})
    assert made.status_code == 201
    assert made.json()["secret"].startswith("ml_sk_")
    assert made.json()["prefix"] == made.json()["secret"][:10]


async def test_from_the_first_key_on_everyone_needs_one(client: httpx2.AsyncClient) -> None:
    await keep(client, "a note")
    made = (await client.post("/v1/keys", json={"name": "only", "scopes": ["admin"]})).json()
    refused = await client.get("/v1/memories")
    assert_problem(refused, 401, "unauthorized", "authorization")
    assert refused.headers["www-authenticate"] == "Bearer"
    with_key = {"Authorization": f"Bearer {made['secret']}"}
    assert (await client.get("/v1/memories", headers=with_key)).status_code == 200
    assert (await client.delete(f"/v1/keys/{made['key_id']}", headers=with_key)).json()["revoked_at"]
    # A revoked key opens nothing, and its going away does not open the door to everyone again.
    assert_problem(await client.get("/v1/memories", headers=with_key), 401, "unauthorized")
    assert_problem(await client.get("/v1/memories"), 401, "unauthorized")


async def test_another_address_than_loopback_needs_a_key_even_if_there_is_none(client_of: ClientFactory) -> None:
    async with client_of(local=False) as client:
        assert_problem(await client.get("/v1/datasets"), 401, "unauthorized")
        assert (await client.get("/livez")).status_code == 200


@pytest.mark.parametrize(
    "authorization",
    ["Bearer ml_sk_wrong", "Bearer", "Bearer ", "Basic YTpi", "ml_sk_x", "", "Bearer \xff", "bearer a b c"],
)
async def test_a_wrong_key_is_refused_where_none_would_be_needed(
    client: httpx2.AsyncClient, authorization: str
) -> None:
    headers = [(b"Authorization", authorization.encode("latin-1"))]
    assert_problem(await client.get("/v1/datasets", headers=headers), 401, "unauthorized")


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:7464", "127.0.0.1", "127.0.0.1:1", "[::1]:7464", "[::1]", "LOCALHOST"]
)
async def test_the_machines_own_names_are_answered(client: httpx2.AsyncClient, host: str) -> None:
    assert (await client.get("/v1/datasets", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7464",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.168.1.5",
        "",
        "[::1",
        "localhost:x",
    ],
)
async def test_a_name_that_a_web_page_made_point_here_is_refused(client: httpx2.AsyncClient, host: str) -> None:
    for path in ("/v1/datasets", "/readyz", "/metrics", "/docs"):
        assert_problem(await client.get(path, headers={"Host": host}), 403, "forbidden", "host")


async def test_a_web_page_or_a_proxy_is_refused_without_a_key_and_served_with_one(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    from_elsewhere = [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[bad"},
        {"X-Forwarded-For": "8.8.8.8"},
        {"Forwarded": "for=8.8.8.8"},
    ]
    for headers in from_elsewhere:
        assert_problem(await client.get("/v1/datasets", headers=headers), 403, "forbidden")
    assert (await client.get("/v1/datasets", headers={"Origin": "http://localhost:5173"})).status_code == 200
    key = await make_key(engine, "read")
    for headers in [*from_elsewhere, {"Host": "mindlog.example"}]:
        allowed = await client.get("/v1/datasets", headers=headers | {"Authorization": f"Bearer {key}"})
        assert allowed.status_code == 200


async def test_each_scope_allows_its_own_and_no_more(engine: Engine, client_of: ClientFactory) -> None:
    async with client_of() as client:
        memory_id = await keep(client, "a note")
    calls = {
        "read": [("GET", "/v1/memories", None), ("GET", f"/v1/memories/{memory_id}", None), ("POST", "/v1/recall", {"cue": "x"}), ("GET", "/v1/datasets", None)],
        "write": [("POST", "/v1/memories", {"text": "new"}), ("POST", "/v1/memories/batch", {"items": [{"text": "n"}]}), ("PATCH", f"/v1/memories/{memory_id}", {"salience": 0.9}), ("DELETE", f"/v1/memories/{memory_id}", None), ("POST", f"/v1/memories/{memory_id}/restore", None), ("POST", "/v1/datasets", {"name": "default"})],
        "admin": [("GET", "/v1/keys", None), ("POST", "/v1/keys", {"name": "k", "scopes": ["read"]})],
    }  # fmt: skip
    order = ["read", "write", "admin"]
    for held in order:
        key = await make_key(engine, held)
        async with client_of(key=key) as client:
            for needed in order:
                for method, path, body in calls[needed]:
                    answer = await client.request(method, path, json=body)
                    if order.index(held) < order.index(needed):
                        assert_problem(answer, 403, "forbidden")
                    else:
                        assert answer.status_code in (200, 201, 409), (held, method, path, answer.text)


async def test_another_datasets_memory_is_not_there_for_any_verb(engine: Engine, client_of: ClientFactory) -> None:
    async with client_of() as owner:
        foreign = await keep(owner, "theirs", dataset="theirs")
        forgotten = await keep(owner, "theirs, forgotten", dataset="theirs")
        await owner.delete(f"/v1/memories/{forgotten}")
        await keep(owner, "mine", dataset="mine")
    async with client_of(key=await make_key(engine, "write", datasets=["mine"])) as client:
        answers = [
            await client.get(f"/v1/memories/{foreign}"),
            await client.patch(f"/v1/memories/{foreign}", json={"text": "changed"}),
            await client.delete(f"/v1/memories/{foreign}"),
            await client.post(f"/v1/memories/{forgotten}/restore"),
        ]
        for answer in answers:
            assert_problem(answer, 404, "memory_not_found")
        unknown = await client.get("/v1/memories/mem_0000000000ZZZG000004000000")
        # Nothing but the id tells the two answers apart.
        assert answers[0].json()["detail"].replace(foreign, "ID") == unknown.json()["detail"].replace("mem_0000000000ZZZG000004000000", "ID")  # fmt: skip
        listed = await client.get("/v1/datasets")
        assert [dataset["name"] for dataset in listed.json()["data"]] == ["mine"]
    assert (await engine.get(foreign)).text == "theirs"


async def test_another_dataset_is_forbidden_whether_it_exists_or_not(engine: Engine, client_of: ClientFactory) -> None:
    async with client_of() as owner:
        await keep(owner, "theirs", dataset="theirs")
        await owner.post("/v1/datasets", json={"name": "zoned", "timezone": "Asia/Kolkata"})
    async with client_of(key=await make_key(engine, "write", datasets=["mine"])) as client:
        naive = {"after": "2025-07-25T00:00:00"}
        for name in ("theirs", "zoned", "nowhere"):
            answers = [
                await client.post("/v1/memories", json={"text": "x", "dataset": name}),
                await client.post("/v1/memories/batch", json={"items": [{"text": "x", "dataset": name}]}),
                await client.post("/v1/recall", json={"cue": "x", "dataset": name}),
                await client.post("/v1/recall", json={"cue": "x", "dataset": name, "filters": naive}),
                await client.get("/v1/memories", params={"dataset": name}),
                await client.get("/v1/memories", params={"dataset": name} | naive),
                await client.post("/v1/datasets", json={"name": name}),
            ]
            for answer in answers:
                assert_problem(answer, 403, "forbidden")


async def test_a_key_gives_no_more_than_it_has(engine: Engine, client_of: ClientFactory) -> None:
    async with client_of(key=await make_key(engine, "admin", datasets=["mine"])) as client:
        wider = await client.post("/v1/keys", json={"name": "k", "scopes": ["read"], "datasets": ["theirs"]})
        assert_problem(wider, 403, "forbidden")
        made = await client.post("/v1/keys", json={"name": "k", "scopes": ["read"]})
        assert made.json()["datasets"] == ["mine"]
        assert [key["name"] for key in (await client.get("/v1/keys")).json()["data"]] == ["k", "test"]


async def test_keys_are_listed_without_their_secrets(client: httpx2.AsyncClient, engine: Engine) -> None:
    secret = await make_key(engine, "admin")
    listed = await client.get("/v1/keys", headers={"Authorization": f"Bearer {secret}"})
    (key,) = listed.json()["data"]
    assert (key["name"], key["scopes"], key["datasets"], key["revoked_at"]) == ("test", ["admin"], None, None)
    assert secret not in listed.text


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"scopes": ["read"]}, "name"),
        ({"name": "", "scopes": ["read"]}, "name"),
        ({"name": "k", "scopes": []}, "scopes"),
        ({"name": "k", "scopes": ["root"]}, "scopes.0"),
        ({"name": "k", "scopes": ["read"], "datasets": ["a b"]}, "datasets"),
        ({"name": "k", "scopes": ["read"], "secret": "x"}, "secret"),
    ],
)
async def test_a_key_that_makes_no_sense_is_refused(
    client: httpx2.AsyncClient, body: dict[str, object], field: str
) -> None:
    assert_problem(await client.post("/v1/keys", json=body), 400, "invalid_input", field)


async def test_a_key_that_is_not_there_cannot_be_revoked(client: httpx2.AsyncClient) -> None:
    assert_problem(await client.delete("/v1/keys/key_nope"), 404, "key_not_found")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "mindlog.example"])
async def test_another_address_is_not_served_before_there_is_a_key(
    tmp_path: Path, embedder: HashEmbedder, host: str
) -> None:
    async with await Engine.open(settings_for(tmp_path, host=host), embedder=embedder) as engine:
        with pytest.raises(ConfigError, match="mindlog keys create"):
            check_exposure(engine)
        key, _ = await engine.create_key("k", scopes=[Scope.READ])
        check_exposure(engine)
        await engine.revoke_key(key.id)
        with pytest.raises(ConfigError):
            check_exposure(engine)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
async def test_loopback_is_served_without_a_key(tmp_path: Path, embedder: HashEmbedder, host: str) -> None:
    async with await Engine.open(settings_for(tmp_path, host=host), embedder=embedder) as engine:
        check_exposure(engine)


async def test_an_admin_of_one_dataset_can_revoke_only_keys_of_that_dataset(engine: Engine) -> None:
    wide, _ = await engine.create_key("wide", scopes=[Scope.ADMIN])
    narrow, secret = await engine.create_key("narrow", scopes=[Scope.ADMIN], datasets=["mine"])
    caller = engine.authenticate(secret)
    assert caller is not None
    with pytest.raises(KeyNotFound):
        await engine.revoke_key(wide.id, caller=caller)
    assert (await engine.revoke_key(narrow.id, caller=caller)).revoked_at is not None
