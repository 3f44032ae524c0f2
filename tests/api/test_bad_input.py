"""Requests that make no sense: each is refused with its reason, none is a server error, nothing of them is kept.

They share one engine, since what is refused leaves nothing behind, which the position of the log tells. It derives nothing,
which would move that.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from mindlog.api import create_app
from mindlog.engine import Engine
from mindlog.testing.fakes import HashEmbedder
from tests.api.conftest import LOCAL, assert_problem, keep, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def embedder() -> HashEmbedder:
    return HashEmbedder(dimensions=16)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(tmp_path_factory: pytest.TempPathFactory, embedder: HashEmbedder) -> AsyncIterator[Engine]:
    settings = settings_for(tmp_path_factory.mktemp("bad_input"), max_body_bytes=2 << 20, derive=False)
    async with await Engine.open(settings, embedder=embedder) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(engine: Engine) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(create_app(engine))
    async with httpx2.AsyncClient(transport=transport, base_url=LOCAL) as made:
        yield made


@pytest.fixture
def untouched(engine: Engine) -> Iterator[None]:
    """The test commits nothing."""
    before = engine.store.last_lsn
    yield
    assert engine.store.last_lsn == before


JSON = {"Content-Type": "application/json"}

NOT_JSON: dict[str, bytes] = {
    "nothing": b"",
    "half an object": b'{"text": "a"',
    "two values": b'{"text": "a"} {"text": "b"}',
    "a trailing comma": b'{"text": "a",}',
    "a byte order mark": b'\xef\xbb\xbf{"text": "a"}',
    "UTF-16": '{"text": "a"}'.encode("utf-16"),
    "invalid UTF-8": b'{"text": "\xff\xfe"}',
    "an encoded surrogate": b'{"text": "\xed\xa0\x80"}',
    "NaN": b'{"text": "a", "salience": NaN}',
    "Infinity": b'{"text": "a", "metadata": {"x": -Infinity}}',
    "10 000 brackets": b"[" * 10_000,
    "10 000 closed brackets": b'{"text": "a", "metadata": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "10 000 objects": b'{"text": "a", "metadata": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}",
    "an integer of 5 000 digits": b'{"text": "a", "metadata": {"x": ' + b"1" * 5000 + b"}}",
    "a raw line break": b'{"text": "a\nb"}',
}


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON.keys())
@pytest.mark.usefixtures("untouched")
async def test_a_body_that_is_not_plain_json_is_refused(client: httpx2.AsyncClient, body: bytes) -> None:
    assert_problem(await client.post("/v1/memories", content=body, headers=JSON), 400, "invalid_input")


REFUSED_TEXTS: dict[str, tuple[str, str]] = {
    "empty": ('""', "white space"),
    "blank": ('"  \\n\\t\\u3000"', "white space"),
    "NUL": ('"a\\u0000b"', "NUL at character 1"),
    "lone high surrogate": ('"\\ud800 a"', "lone surrogate at character 0"),
    "lone low surrogate": ('"a \\udfff"', "lone surrogate at character 2"),
    "surrogates in the wrong order": ('"\\ude00\\ud83d"', "lone surrogate"),
    "the whole list": ('"\\ud800 a\\u0000b \\u202e"', "lone surrogate"),
    "a number": ("5", "must be a string"),
    "null": ("null", "must be a string"),
    "a list": ('["a"]', "must be a string"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED_TEXTS.values(), ids=REFUSED_TEXTS.keys())
@pytest.mark.parametrize("path", ["/v1/memories", "/v1/memories/vector"])
@pytest.mark.usefixtures("untouched")
async def test_a_text_that_cannot_be_kept_is_refused_with_the_reason(
    client: httpx2.AsyncClient, embedder: HashEmbedder, path: str, text: str, reason: str
) -> None:
    vector = f', "vector": [1{", 0" * 15}], "embedding_model": "{embedder.fingerprint}"' if "vector" in path else ""
    refused = await client.post(path, content=f'{{"text": {text}{vector}}}'.encode(), headers=JSON)
    assert reason in str(assert_problem(refused, 400, "invalid_input", "text")["detail"])


KEPT_TEXTS = [
    "?",
    "x",
    "\u202e right to left",
    "👩‍👩‍👧",
    "e\u0301",
    "\x01\x1f\x7f\x85",
    "\ufeff bom",
    "\ufffe\uffff",
    "a\r\nb",
    "𐍈",
]


@pytest.mark.parametrize("text", KEPT_TEXTS, ids=ascii)
async def test_an_odd_text_that_can_be_kept_comes_back_as_it_was(client: httpx2.AsyncClient, text: str) -> None:
    for escaped in (True, False):
        body = json.dumps({"text": text, "allow_duplicates": True}, ensure_ascii=escaped).encode()
        response = await client.post("/v1/memories", content=body, headers=JSON)
        assert response.status_code == 201, response.text
        memory = await client.get(f"/v1/memories/{response.json()['memory_id']}")
        assert memory.json()["text"] == text


async def test_a_text_over_the_limit_names_the_limit(client: httpx2.AsyncClient) -> None:
    await keep(client, "é" * (1 << 19))
    refused = await client.post("/v1/memories", json={"text": "é" * (1 << 19) + "x"})
    assert assert_problem(refused, 400, "invalid_input", "text")["limit"] == 1 << 20


REFUSED_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"colour": "red"}, "colour"),
    ({"vector": [1.0]}, "vector"),
    ({"trace": True}, "trace"),
    ({"dataset": ""}, "dataset"),
    ({"dataset": "a/b"}, "dataset"),
    ({"dataset": "x" * 129}, "dataset"),
    ({"dataset": None}, "dataset"),
    ({"agent": ""}, "agent"),
    ({"agent": "x" * 257}, "agent"),
    ({"agent": "a\x00"}, "agent"),
    ({"session": 5}, "session"),
    ({"document_id": ["d"]}, "document_id"),
    ({"request_id": ""}, "request_id"),
    ({"occurred_at": 1721870000}, "occurred_at"),
    ({"occurred_at": "tomorrow"}, "occurred_at"),
    ({"occurred_at": "2025-07-25T02:00:00"}, "occurred_at"),
    ({"occurred_at": "2025-02-30T02:00:00Z"}, "occurred_at"),
    ({"occurred_at": "0001-01-01T00:00:00+14:00"}, "occurred_at"),
    ({"occurred_at": "9999-12-31T23:59:59-14:00"}, "occurred_at"),
    ({"kind": "factual"}, "kind"),
    ({"kind": 1}, "kind"),
    ({"salience": "0.5"}, "salience"),
    ({"salience": True}, "salience"),
    ({"salience": 1.01}, "salience"),
    ({"salience": -0.1}, "salience"),
    ({"allow_duplicates": 1}, "allow_duplicates"),
    ({"allow_duplicates": "yes"}, "allow_duplicates"),
    ({"metadata": []}, "metadata"),
    ({"metadata": "x"}, "metadata"),
    ({"metadata": {"": 1}}, "metadata"),
    ({"metadata": {"$x": 1}}, "metadata"),
    ({"metadata": {"x": 2**63}}, "metadata.x"),
    ({"metadata": {"x": "a\x00"}}, "metadata.x"),
    ({"metadata": {"x": "y" * 20_000}}, "metadata"),
    ({"wait": "later"}, "wait"),
    ({"wait": "never"}, "wait"),
]


@pytest.mark.parametrize(("fields", "field"), REFUSED_FIELDS, ids=lambda value: str(value)[:50])
@pytest.mark.usefixtures("untouched")
async def test_a_field_that_is_not_accepted_is_named(
    client: httpx2.AsyncClient, fields: dict[str, Any], field: str
) -> None:
    refused = await client.post("/v1/memories", json={"text": "a note"} | fields)
    assert_problem(refused, 400, "invalid_input", field)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" * 400])
@pytest.mark.usefixtures("untouched")
async def test_a_number_beyond_every_range_is_refused(
    client: httpx2.AsyncClient, embedder: HashEmbedder, number: str
) -> None:
    for body in (
        f'{{"text": "a", "salience": {number}}}',
        f'{{"text": "a", "metadata": {{"x": {number}}}}}',
    ):
        assert_problem(await client.post("/v1/memories", content=body.encode(), headers=JSON), 400, "invalid_input")
    vector = f'{{"text": "a", "embedding_model": "{embedder.fingerprint}", "vector": [{number}{", 0" * 15}]}}'
    refused = await client.post("/v1/memories/vector", content=vector.encode(), headers=JSON)
    assert str(assert_problem(refused, 400, "invalid_input")["field"]).startswith("vector")
    recall = f'{{"cue": "a", "filters": {{"metadata": {{"x": {number}}}}}}}'
    assert_problem(await client.post("/v1/recall", content=recall.encode(), headers=JSON), 400, "invalid_input")
    limit = f'{{"cue": "a", "limit": {number}}}'
    assert_problem(await client.post("/v1/recall", content=limit.encode(), headers=JSON), 400, "invalid_input", "limit")


@pytest.mark.usefixtures("untouched")
async def test_a_key_given_twice_is_refused_wherever_it_stands(client: httpx2.AsyncClient) -> None:
    for body in (b'{"text": "a", "text": "b"}', b'{"text": "a", "metadata": {"x": [{"k": 1, "k": 1}]}}'):
        problem = assert_problem(await client.post("/v1/memories", content=body, headers=JSON), 400, "invalid_input")
        assert "occurs twice" in str(problem["detail"])


@pytest.mark.usefixtures("untouched")
async def test_lone_surrogates_are_refused_wherever_they_stand_and_never_echoed_into_an_error(
    client: httpx2.AsyncClient,
) -> None:
    for path, body in (
        ("/v1/memories", '{"text": "a", "metadata": {"\\ud800": 1}}'),
        ("/v1/memories", '{"text": "a", "metadata": {"x": ["\\udc00"]}}'),
        ("/v1/memories", '{"\\ud800": 1}'),
        ("/v1/memories/batch", '{"items": [{"text": "\\ud800"}]}'),
        ("/v1/recall", '{"cue": "\\ud800"}'),
        ("/v1/recall", '{"cue": "a", "filters": {"\\ud800": 1}}'),
        ("/v1/recall", '{"cue": "a", "filters": {"session": "\\ud800"}}'),
        ("/v1/recall", '{"cue": "a", "filters": {"metadata": {"x": {"$in": ["\\ud800"]}}}}'),
        ("/v1/datasets", '{"name": "\\ud800"}'),
        ("/v1/datasets", '{"name": "d", "timezone": "\\ud800"}'),
        ("/v1/keys", '{"name": "\\ud800", "scopes": ["read"]}'),
    ):
        problem = assert_problem(await client.post(path, content=body.encode(), headers=JSON), 400, "invalid_input")
        assert "surrogate" in str(problem["detail"])


async def test_an_emoji_written_as_a_surrogate_pair_is_no_lone_surrogate(client: httpx2.AsyncClient) -> None:
    kept = await client.post("/v1/memories", content=b'{"text": "\\ud83d\\ude00"}', headers=JSON)
    assert kept.status_code == 201
    assert (await client.get(kept.headers["location"])).json()["text"] == "😀"


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=latin-1",
    ],
)
@pytest.mark.usefixtures("untouched")
async def test_a_body_of_another_type_is_refused(client: httpx2.AsyncClient, content_type: str | None) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}
    refused = await client.post("/v1/memories", content=b'{"text": "a"}', headers=headers)
    assert_problem(refused, 400, "invalid_input", "content-type")


async def test_json_types_with_a_charset_or_a_suffix_are_accepted(client: httpx2.AsyncClient) -> None:
    for number, content_type in enumerate(('Application/JSON; charset="UTF-8"', "application/merge-patch+json")):
        headers = {"Content-Type": content_type}
        kept = await client.post("/v1/memories", content=f'{{"text": "note {number}"}}'.encode(), headers=headers)
        assert kept.status_code == 201


@pytest.mark.usefixtures("untouched")
async def test_several_faults_are_all_named(client: httpx2.AsyncClient) -> None:
    problem = assert_problem(await client.post("/v1/memories", json={"kind": 1, "zz": 2}), 400, "invalid_input")
    errors: Any = problem["errors"]
    assert {error["field"] for error in errors} == {"text", "kind", "zz"}


@pytest.mark.parametrize(
    "memory_id", ["x", "mem_", "mem_" + "0" * 25, "mem_" + "U" * 26, "mem_" + "Z" * 26, "%00", "%ff", "a%2Fb"]
)
@pytest.mark.usefixtures("untouched")
async def test_what_is_no_memory_id_is_refused_by_every_route(client: httpx2.AsyncClient, memory_id: str) -> None:
    path = f"/v1/memories/{memory_id}"
    answers = [
        await client.get(path),
        await client.patch(path, json={"text": "x"}),
        await client.delete(path),
        await client.post(f"{path}/restore"),
    ]
    # A slash in the id makes another path of it, at which there is nothing.
    expected = (404, "not_found") if "%2F" in memory_id else (400, "invalid_input")
    for answer in answers:
        assert_problem(answer, *expected)


@pytest.mark.usefixtures("untouched")
async def test_an_id_that_was_never_given_out_is_not_found(client: httpx2.AsyncClient) -> None:
    path = "/v1/memories/mem_0000000000ZZZG000004000000"
    assert_problem(await client.get(path), 404, "memory_not_found", "memory_id")
    assert_problem(await client.patch(path, json={"text": "x"}), 404, "memory_not_found")
    assert_problem(await client.delete(path), 404, "memory_not_found")
    assert_problem(await client.post(f"{path}/restore"), 404, "memory_not_found")


@pytest.mark.parametrize(
    ("vector", "status", "code"),
    [
        ([], 400, "invalid_input"),
        ([1.0] * 15, 400, "invalid_input"),
        ([1.0] * 17, 400, "invalid_input"),
        ([0.0] * 16, 400, "invalid_input"),
        ([True] * 16, 400, "invalid_input"),
        (["1"] * 16, 400, "invalid_input"),
        ([[1.0] * 16], 400, "invalid_input"),
        ([1e300] * 16, 400, "invalid_input"),
        ([-1e39] + [0.0] * 15, 400, "invalid_input"),
        ("AAAA", 400, "invalid_input"),
        (None, 400, "invalid_input"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("untouched")
async def test_a_vector_that_is_none_is_refused(
    client: httpx2.AsyncClient, embedder: HashEmbedder, vector: Any, status: int, code: str
) -> None:
    body = {"text": "a", "vector": vector, "embedding_model": embedder.fingerprint}
    refused = await client.post("/v1/memories/vector", json=body)
    assert str(assert_problem(refused, status, code)["field"]).startswith("vector")


@pytest.mark.usefixtures("untouched")
async def test_a_vector_of_another_model_is_refused(client: httpx2.AsyncClient) -> None:
    body = {"text": "a", "vector": [1.0] * 16, "embedding_model": "0" * 64}
    assert_problem(await client.post("/v1/memories/vector", json=body), 409, "model_mismatch", "embedding_model")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"cue": 5}, "cue"),
        ({"limit": 0}, "limit"),
        ({"limit": 10_001}, "limit"),
        ({"limit": 2.5}, "limit"),
        ({"limit": "3"}, "limit"),
        ({"limit": True}, "limit"),
        ({"as_of": 5}, "as_of"),
        ({"as_of": "2025-07-25"}, "as_of"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"trace": "yes"}, "trace"),
        ({"explain_ids": "mem_x"}, "explain_ids"),
        ({"explain_ids": ["x"] * 101}, "explain_ids"),
        ({"wait": "ack"}, "wait"),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.usefixtures("untouched")
async def test_a_recall_that_makes_no_sense_is_refused(
    client: httpx2.AsyncClient, fields: dict[str, Any], field: str
) -> None:
    refused = await client.post("/v1/recall", json={"cue": "note"} | fields)
    assert_problem(refused, 400, "invalid_input", field)


@pytest.mark.parametrize(
    "cue",
    [
        "",
        "  ",
        "?",
        '"',
        "(",
        "a AND",
        "GB/s",
        "$prev",
        "don't",
        "*",
        "NEAR(",
        "-x",
        "^",
        "(" * 10_000,
        "\x00",
        "👩‍👩‍👧",
    ],
)
@pytest.mark.parametrize("dataset", ["empty", "filled"])
async def test_any_cue_gets_a_result_or_a_reason(client: httpx2.AsyncClient, cue: str, dataset: str) -> None:
    await client.post("/v1/datasets", json={"name": "empty"})
    await client.post("/v1/memories", json={"text": "they don't do 3 GB/s", "dataset": "filled"})
    response = await client.post("/v1/recall", json={"cue": cue, "dataset": dataset})
    if response.status_code != 200:
        assert_problem(response, 400, "invalid_input", "cue")


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../etc/passwd", "/etc/passwd", "a\x00b", "x" * 5000])
@pytest.mark.usefixtures("untouched")
async def test_a_zone_that_does_not_exist_is_refused(client: httpx2.AsyncClient, zone: str) -> None:
    refused = await client.post("/v1/datasets", json={"name": "d", "timezone": zone})
    assert_problem(refused, 400, "invalid_input", "timezone")


@pytest.mark.usefixtures("untouched")
async def test_an_address_at_which_there_is_nothing_is_a_problem_too(client: httpx2.AsyncClient) -> None:
    for path in ("/", "/v1", "/v1/", "/v1/nope", "/v1/memories/", "//v1/memories", "/v1/memories/../../x"):
        assert_problem(await client.get(path), 404, "not_found")


@pytest.mark.usefixtures("untouched")
async def test_a_method_that_is_not_possible_names_those_that_are(client: httpx2.AsyncClient) -> None:
    refused = await client.put("/v1/memories", json={})
    assert_problem(refused, 405, "method_not_allowed")
    assert sorted(refused.headers["allow"].split(", ")) == ["GET", "POST"]
    assert_problem(await client.request("BREW", "/livez"), 405, "method_not_allowed")


@pytest.mark.parametrize("given", ["ok-1.2:3/4@5+6=", "a" * 128])
@pytest.mark.usefixtures("untouched")
async def test_a_request_id_that_fits_a_log_is_used(client: httpx2.AsyncClient, given: str) -> None:
    answer = await client.get("/v1/nope", headers={"X-Request-Id": given})
    assert answer.headers["x-request-id"] == answer.json()["request_id"] == given


@pytest.mark.parametrize("given", ["", "a b", "a" * 129, "<script>", "é".encode("latin-1")])
@pytest.mark.usefixtures("untouched")
async def test_a_request_id_that_does_not_fit_is_replaced(client: httpx2.AsyncClient, given: str | bytes) -> None:
    answer = await client.get("/livez", headers={"X-Request-Id": given})
    assert answer.headers["x-request-id"].startswith("req_")
