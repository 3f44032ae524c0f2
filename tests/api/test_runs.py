"""The admin's routes: runs are listed, looked into, started again and cancelled, by those who may."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest
from httpx2 import ASGITransport, AsyncClient

from mindlog.api import create_app
from mindlog.api.callcounts import CallCounts
from mindlog.engine import Engine
from mindlog.store.askingrows import NewQuery, QueryEnd
from mindlog.store.runrows import InferenceRow, StageRow
from mindlog.store.stages import DERIVE_STAGES, QUERY_STAGES
from mindlog.testing.fakes import HashEmbedder
from tests.api.conftest import LOCAL, ClientFactory, assert_problem, keep, make_key, settings_for

RUNS = "/v1/admin/api/encode-runs"
CALLS = "/v1/admin/api/inferences"


async def the_run(client: httpx2.AsyncClient) -> dict[str, Any]:
    """The run of a text that is derived."""
    await keep(client, "Ana works at Acme.", wait="derived")
    (run,) = (await client.get(RUNS)).json()["data"]
    return run


def call(number: int, run_id: str, **more: Any) -> InferenceRow:
    facts: dict[str, Any] = {
        "id": f"inf_{number}", "run_id": run_id, "stage": "extractor", "dataset": "default", "provider": "p",
        "model": "m", "mode": "json", "parameters": {}, "prompt": (("user", "what?"),), "prompt_hash": "h",
        "output": "that", "output_hash": "h", "input_tokens": 10, "output_tokens": 3, "cost": None, "started_at": 1,
        "finished_at": 2, "latency_us": 1, "attempt": 1, "error": None,
    }  # fmt: skip
    return InferenceRow(**facts | more)


async def test_a_run_says_what_each_stage_does_and_produced(client: httpx2.AsyncClient) -> None:
    listed = await the_run(client)
    assert [stage["name"] for stage in listed["stages"]] == [stage.name for stage in DERIVE_STAGES]
    assert all(stage["does"] and stage["output"] is None for stage in listed["stages"])
    whole = (await client.get(f"{RUNS}/{listed['run_id']}")).json()
    outputs = (await client.get(f"{RUNS}/{listed['run_id']}/outputs")).json()["outputs"]
    assert {stage["name"]: stage["output"] for stage in whole["stages"] if stage["output"] is not None} == outputs
    assert "extractor" in outputs
    assert (await client.get(f"{RUNS}/{listed['run_id']}/inferences")).json()["data"] == []


async def test_runs_are_filtered_paged_and_counted(client: httpx2.AsyncClient) -> None:
    for text in ("one", "two", "three"):
        await keep(client, text, wait="derived")
    page = (await client.get(RUNS, params={"limit": 2})).json()
    rest = (await client.get(RUNS, params={"limit": 2, "cursor": page["next_cursor"]})).json()
    assert (len(page["data"]), len(rest["data"]), rest["next_cursor"]) == (2, 1, None)
    assert len((await client.get(RUNS, params={"text": "tw"})).json()["data"]) == 1
    assert (await client.get(RUNS, params={"state": "failed"})).json()["data"] == []
    counts = (await client.get(f"{RUNS}/counts")).json()
    assert counts == {
        "by_state": {"succeeded": 3}, "by_dataset": {"default": {"succeeded": 3}}, "oldest_seconds": None,
    }  # fmt: skip


async def test_one_run_is_started_again_with_and_without_a_body(client: httpx2.AsyncClient, engine: Engine) -> None:
    run = await the_run(client)
    answer = await client.post(f"{RUNS}/{run['run_id']}/retry", json={"stages": ["hype"]})
    assert (answer.status_code, answer.json()["run_id"]) == (200, run["run_id"])
    assert await engine.settled(30)
    assert (await client.get(f"{RUNS}/{run['run_id']}")).json()["state"] == "succeeded"
    for body in ({"json": {}}, {}, {"json": {"stages": []}}):
        again = await client.post(f"{RUNS}/{run['run_id']}/retry", **body)  # type: ignore[arg-type]
        assert_problem(again, 409, "nothing_to_retry", "run_id")


async def test_a_run_is_cancelled_once_and_started_again_when_it_has_ended(tmp_path: Path) -> None:
    """Of a server that derives nothing: a run waits until it is cancelled."""
    async with (
        await Engine.open(settings_for(tmp_path, derive=False), embedder=HashEmbedder(dimensions=16)) as engine,
        AsyncClient(transport=ASGITransport(create_app(engine)), base_url=LOCAL) as client,
    ):
        memory_id = await keep(client, "Ana works at Acme.")
        (run,) = (await client.get(RUNS)).json()["data"]
        path = f"{RUNS}/{run['run_id']}"
        waits = await client.post(f"{path}/retry")
        assert "is waiting" in str(assert_problem(waits, 409, "run_not_ended", "run_id")["detail"])
        for _ in range(2):
            cancelled = await client.post(f"{path}/cancel")
            assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
        again = await client.post(f"{path}/retry")
        assert (again.status_code, again.json()["state"]) == (200, "waiting")
        await client.post(f"{path}/cancel")
        await client.delete(f"/v1/memories/{memory_id}")
        assert_problem(await client.post(f"{path}/retry"), 409, "nothing_to_retry", "run_id")
        for verb in ("retry", "cancel"):
            missing = await client.post(f"{RUNS}/enc_0000000009999/{verb}")
            assert_problem(missing, 404, "run_not_found", "run_id")


async def test_many_runs_are_started_again_and_cancelled_by_what_they_are(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    run = await the_run(client)
    assert (await client.post(f"{RUNS}/retry", json={})).json() == {"runs": 0}
    again = await client.post(f"{RUNS}/retry", json={"run_ids": [run["run_id"]], "stages": ["hype"]})
    assert again.json() == {"runs": 1}
    assert (await client.post(f"{RUNS}/cancel", json={"dataset": "default", "text": "nothing has this"})).json() == {
        "runs": 0
    }
    assert await engine.settled(30)
    ended = await client.post(f"{RUNS}/{run['run_id']}/cancel")
    assert "succeeded" in str(assert_problem(ended, 409, "run_ended", "run_id")["detail"])


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        (RUNS, {"state": "asleep"}, "state"),
        (RUNS, {"status": "asleep"}, "status"),
        (RUNS, {"stage": "sleep", "stage_status": "failed"}, "stage"),
        (RUNS, {"stage_status": "asleep"}, "stage_status"),
        (RUNS, {"created_from": "yesterday"}, "created_from"),
        (RUNS, {"memory_id": "nonsense"}, "memory_id"),
        (RUNS, {"limit": 0}, "limit"),
        (RUNS, {"cursor": "zzz"}, "cursor"),
        (RUNS, {"colour": "red"}, "colour"),
        (f"{RUNS}/nonsense", {}, "run_id"),
        (CALLS, {"stage": "sleep"}, "stage"),
        (CALLS, {"failed": "perhaps"}, "failed"),
        (CALLS, {"cursor": "zzz"}, "cursor"),
        (CALLS, {"run_id": "nonsense"}, "run_id"),
    ],
)
async def test_what_cannot_be_asked_for_is_refused_by_name(
    client: httpx2.AsyncClient, path: str, query: dict[str, Any], field: str
) -> None:
    refused = await client.get(path, params=query)
    assert refused.status_code == 400, refused.text
    assert refused.json()["field"] == field


async def test_what_cannot_be_changed_is_refused_by_name(client: httpx2.AsyncClient) -> None:
    both = await client.post(f"{RUNS}/retry", json={"run_ids": ["enc_0000000009999"], "state": "failed"})
    assert_problem(both, 400, "invalid_input", "run_ids")
    assert_problem(await client.post(f"{RUNS}/retry", json={"stages": ["sleep"]}), 400, "invalid_input", "stages")
    assert_problem(await client.post(f"{RUNS}/cancel", json={"stages": ["hype"]}), 400, "invalid_input", "stages")
    assert_problem(await client.post(f"{RUNS}/cancel", json={"limit": 5}), 400, "invalid_input", "limit")
    missing = await client.post(f"{RUNS}/retry", json={"run_ids": ["enc_0000000009999"]})
    assert_problem(missing, 404, "run_not_found", "run_ids")
    assert_problem(await client.get(f"{CALLS}/inf_nothing"), 404, "inference_not_found")


async def test_only_admins_may_look_at_runs_and_only_at_those_of_their_datasets(
    client: httpx2.AsyncClient, client_of: ClientFactory, engine: Engine
) -> None:
    run = await the_run(client)
    await engine.put_dataset("mine")
    writer, admin = await make_key(engine, "write"), await make_key(engine, "admin", datasets=["mine"])
    async with client_of(key=writer) as refused:
        for path in (RUNS, f"{RUNS}/counts", f"{RUNS}/{run['run_id']}", CALLS, "/v1/admin/api/stages"):
            assert_problem(await refused.get(path), 403, "forbidden")
        assert_problem(await refused.post(f"{RUNS}/retry", json={}), 403, "forbidden")
        assert_problem(await refused.post(f"{RUNS}/{run['run_id']}/cancel"), 403, "forbidden")
    async with client_of(key=admin) as stranger:
        assert (await stranger.get(RUNS)).json()["data"] == []
        assert_problem(await stranger.get(f"{RUNS}/{run['run_id']}"), 404, "run_not_found")


async def test_the_stages_say_what_they_do(client: httpx2.AsyncClient) -> None:
    tables = (await client.get("/v1/admin/api/stages")).json()
    assert [stage["name"] for stage in tables["derive"]] == [stage.name for stage in DERIVE_STAGES]
    assert all(stage["does"].endswith(".") for table in tables.values() for stage in table)


async def test_model_calls_are_listed_read_and_counted(client: httpx2.AsyncClient, engine: Engine) -> None:
    run = await the_run(client)
    await engine.store.add_inference(call(1, run["run_id"]))
    await engine.store.add_inference(call(2, run["run_id"], error="LlmFailed: no answer", output=None))
    assert [each["inference_id"] for each in (await client.get(CALLS)).json()["data"]] == ["inf_2", "inf_1"]
    failed = (await client.get(f"{RUNS}/{run['run_id']}/inferences", params={"failed": "true"})).json()["data"]
    assert [each["inference_id"] for each in failed] == ["inf_2"]
    one = (await client.get(f"{CALLS}/inf_1")).json()
    assert (one["prompt"], one["output"]) == ([{"role": "user", "content": "what?"}], "that")
    text = (await client.get("/metrics")).text
    assert 'mindlog_inferences_total{model="m",stage="extractor",status="failed"} 1.0' in text
    assert (
        'mindlog_inference_tokens_total{direction="input",model="m",stage="extractor",status="succeeded"} 10.0' in text
    )


async def test_a_run_says_how_many_calls_it_made_and_what_they_came_to(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    run, sums = await the_run(client), ("calls", "input_tokens", "output_tokens", "cost")
    assert [run[name] for name in sums] == [0, None, None, None]
    await engine.store.add_inference(call(1, run["run_id"], cost=0.5))
    await engine.store.add_inference(call(2, run["run_id"], output_tokens=None, error="Refused: no"))
    await engine.store.add_inference(call(3, "enc_0000000009999"))
    (listed,) = (await client.get(RUNS)).json()["data"]
    whole = (await client.get(f"{RUNS}/{run['run_id']}")).json()
    (inspected,) = (await client.get(f"/v1/memories/{run['memory_id']}/inspect")).json()["runs"]
    for shown in (listed, whole, inspected):
        assert [shown[name] for name in sums] == [2, 20, 3, 0.5]


async def test_a_stage_shows_its_first_calls_and_says_how_many_there_are(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    made = tuple(f"inf_{number:04}" for number in range(201))
    dataset = engine.store.dataset("default")
    assert dataset is not None
    for calls in (made, made[:20]):
        run = await engine.store.start_query(
            NewQuery(dataset=dataset.number, question="Who?", session=None, params={}, created_at=1)
        )
        stage = StageRow(name="query", status="succeeded", error=None, started_at=1, finished_at=2, inference_ids=calls)
        end = QueryEnd(run=run, status="succeeded", error=None, finished_at=2, stages=(stage,))
        await engine.store.end_query(end)
    path = "/v1/admin/api/query-runs"
    few, many = (await client.get(path)).json()["data"]
    stages = [run["stages"][-1] for run in (few, many, (await client.get(f"{path}/{many['run_id']}")).json())]
    assert [stage["calls"] for stage in stages] == [20, 201, 201]
    assert [stage["inference_ids"] for stage in stages] == [list(made[:20]), list(made[:20]), list(made[:200])]
    assert [stage["calls"] for stage in few["stages"][:-1]] == [0] * (len(QUERY_STAGES) - 1)


async def test_what_is_hidden_of_a_forgotten_memory_is_said_to_be(client: httpx2.AsyncClient, engine: Engine) -> None:
    run = await the_run(client)
    await engine.store.add_inference(call(1, run["run_id"], error="Refused: no"))

    async def looked_at() -> list[Any]:
        (listed,) = (await client.get(RUNS)).json()["data"]
        whole = (await client.get(f"{RUNS}/{run['run_id']}")).json()
        (made,) = (await client.get(CALLS)).json()["data"]
        has_output = any(stage["output"] is not None for stage in whole["stages"])
        return [listed["is_hidden"], whole["is_hidden"], has_output, made["is_hidden"], made["prompt"], made["error"]]

    shown = [False, False, True, False, [{"role": "user", "content": "what?"}], "Refused: no"]
    assert await looked_at() == shown
    await client.delete(f"/v1/memories/{run['memory_id']}")
    assert await looked_at() == [True, True, False, True, None, "Refused"]
    await client.post(f"/v1/memories/{run['memory_id']}/restore")
    assert await looked_at() == shown


async def test_a_run_tells_when_it_was_asked_for_and_when_its_first_stage_began(client: httpx2.AsyncClient) -> None:
    run = await the_run(client)
    assert run["started_at"] == min(stage["started_at"] for stage in run["stages"] if stage["started_at"] is not None)
    assert run["created_at"] <= run["started_at"] <= run["finished_at"]


async def test_a_run_is_shown_without_outputs_where_they_are_not_asked_for(client: httpx2.AsyncClient) -> None:
    path = f"{RUNS}/{(await the_run(client))['run_id']}"
    bare = (await client.get(path, params={"outputs": "false"})).json()
    whole = (await client.get(path, params={"outputs": "true"})).json()
    assert whole == (await client.get(path)).json()
    assert any(stage["output"] is not None for stage in whole["stages"])
    assert all(stage["output"] is None for stage in bare["stages"])
    assert [stage["status"] for stage in bare["stages"]] == [stage["status"] for stage in whole["stages"]]
    assert_problem(await client.get(path, params={"outputs": "maybe"}), 400, "invalid_input", "outputs")


async def test_calls_from_before_are_not_counted_and_later_ones_once(engine: Engine) -> None:
    await engine.store.add_inference(call(1, "enc_0000000000001"))
    counts = CallCounts(engine.store)
    assert counts.up_to_now() == {}
    await engine.store.add_inference(call(2, "enc_0000000000001"))
    for _ in range(2):
        (found,) = counts.up_to_now().values()
        assert (found.calls, found.input_tokens, found.output_tokens) == (1, 10, 3)


async def test_the_numbers_tell_of_derivation(client: httpx2.AsyncClient) -> None:
    await the_run(client)
    text = (await client.get("/metrics")).text
    for name in ("pending", "quarantined", "lag_seconds"):
        assert f"mindlog_derive_{name} 0.0" in text
    assert 'mindlog_stage_seconds_count{operation="derive",stage="extractor",status="succeeded"} 1.0' in text
    ready = (await client.get("/readyz")).json()
    assert (ready["derive"]["pending"], ready["llm"]["configured"]) == (0, False)


async def test_a_settled_server_says_so_and_one_that_does_not_derive_too(client: httpx2.AsyncClient) -> None:
    await keep(client, "text")
    assert (await client.get("/v1/settled", params={"timeout": 20})).json() == {"settled": True, "derives": True}
