"""Health, metrics and the log: what the server says of itself, also while it is busy."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from mindlog import __version__
from mindlog.api import Metrics
from mindlog.api.activity import KEPT_MINUTES, Activity
from mindlog.api.logs import set_up_logs
from mindlog.api.metrics import StageTimes, Times
from mindlog.encode.pipeline import ENCODE
from mindlog.engine import Engine
from mindlog.pipeline import Each, Stage, run
from mindlog.records import Health
from mindlog.testing.fakes import HashEmbedder
from tests.api.conftest import BOUND, assert_problem, keep


async def test_readiness_names_the_numbers_an_operator_needs(
    client: httpx2.AsyncClient, embedder: HashEmbedder
) -> None:
    await keep(client, "a note")
    answer = await client.get("/readyz")
    assert answer.status_code == 200
    health = answer.json()
    assert (health["ready"], health["version"]) == (True, __version__)
    assert health["store"]["memories"] == 1
    assert health["store"]["last_lsn"] >= 1
    assert health["embedder"]["fingerprint"] == embedder.fingerprint
    assert health["indexes"]


@pytest.mark.parametrize(("ready", "status", "expected"), [(True, "degraded", 200), (False, "failed", 503)])
async def test_only_what_stops_writes_or_recall_makes_it_unready(
    client: httpx2.AsyncClient, engine: Engine, monkeypatch: pytest.MonkeyPatch, ready: bool, status: Any, expected: int
) -> None:
    async def health() -> Health:
        return Health(
            ready=ready, status=status, reasons=("index vector: rebuilding",), store={}, indexes=(), embedder={}
        )

    monkeypatch.setattr(engine, "health", health)
    answer = await client.get("/readyz")
    assert answer.status_code == expected
    assert answer.json()["reasons"] == ["index vector: rebuilding"]


async def test_health_answers_while_an_encode_hangs(address: str, embedder: HashEmbedder) -> None:
    async with httpx2.AsyncClient(base_url=address) as client, asyncio.timeout(BOUND):
        with embedder.held() as entered:
            slow = asyncio.create_task(client.post("/v1/memories", json={"text": "slow"}))
            await entered.wait()
            paths = ["/livez", "/readyz", "/metrics", "/livez", "/readyz"] * 10
            answers = await asyncio.gather(*(client.get(path) for path in paths))
            assert [answer.status_code for answer in answers] == [200] * 50
            assert not slow.done()
        assert (await slow).status_code == 201


def samples_of(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield sample.name, sample.labels, sample.value


async def scrape(client: httpx2.AsyncClient) -> list[tuple[str, dict[str, str], float]]:
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    return list(samples_of(answer.text))


async def test_metrics_count_requests_operations_and_stages(client: httpx2.AsyncClient) -> None:
    await keep(client, "a note")
    await keep(client, "another note")
    await client.get("/v1/memories/mem_0000000000000G000004000000")
    await client.post("/v1/memories", json={"text": ""})
    counts = {(name, *sorted(labels.items())): value for name, labels, value in await scrape(client) if name.endswith("_count")}  # fmt: skip

    def count(name: str, **labels: str) -> float | None:
        return counts.get((f"mindlog_{name}_count", *sorted(labels.items())))

    assert count("http_request_seconds", route="/v1/memories", method="POST", status="201") == 2
    assert count("http_request_seconds", route="/v1/memories", method="POST", status="400") == 1
    assert count("operation_seconds", operation="encode", status="succeeded") == 2
    assert count("operation_seconds", operation="encode", status="invalid_input") == 1
    assert count("stage_seconds", operation="encode", stage="persist", status="succeeded") == 2
    assert count("stage_seconds", operation="encode", stage="validate", status="failed") == 1


async def test_metrics_show_the_store_and_every_index(client: httpx2.AsyncClient, engine: Engine) -> None:
    await keep(client, "a note")
    assert await engine.settled(30)  # derivation writes too
    found = await scrape(client)
    values = {name: value for name, labels, value in found if not labels}
    assert values["mindlog_ready"] == 1
    assert values["mindlog_memories"] == 1
    assert values["mindlog_last_lsn"] == engine.store.last_lsn
    assert values["mindlog_wal_bytes"] >= 0
    assert values["mindlog_write_queue"] == 0
    indexes = {labels["index"] for name, labels, _ in found if name.startswith("mindlog_index_")}
    assert indexes == {state.name for state in engine.indexes.states()}


async def test_no_label_names_a_caller_or_a_memory(client: httpx2.AsyncClient) -> None:
    memory_id = await keep(client, "a private note", agent="ana-7", session="session-7", dataset="data-7")
    for path in (f"/v1/memories/{memory_id}", "/nowhere/secret-7", "/v1/memories?agent=ana-7&dataset=data-7"):
        await client.get(path)
    await client.request("BREW7", "/livez")
    text = (await client.get("/metrics")).text
    assert not re.search(r"ana-7|session-7|data-7|secret-7|BREW7|private", text)
    assert memory_id not in text
    assert 'route="/v1/memories/{memory_id}"' in text
    assert 'route="unmatched"' in text


def test_two_servers_in_one_process_count_apart() -> None:
    first, second = Metrics(), Metrics()
    first.requests.add(0.1, "/livez", "GET", "200")
    healthy = Health(ready=True, status="ok", reasons=(), store={}, indexes=(), embedder={})
    assert b'route="/livez"' in first.scrape(healthy, subscribers=0, calls={})
    assert b'route="/livez"' not in second.scrape(healthy, subscribers=0, calls={})


def test_a_histogram_counts_every_value_in_its_bucket_and_all_above() -> None:
    times = Times("t", "help", "kind")
    for seconds in (0.00005, 0.00006, 0.3, 99.0):
        times.add(seconds, "x")
    buckets = {sample.labels["le"]: sample.value for sample in times.family().samples if sample.name == "t_bucket"}
    assert (buckets["5e-05"], buckets["0.0001"], buckets["0.25"], buckets["0.5"], buckets["10.0"], buckets["+Inf"]) == (
        1, 2, 2, 3, 3, 4,
    )  # fmt: skip


async def test_interleaved_runs_of_one_observer_are_timed_apart() -> None:
    times = Times("t", "help", "operation", "stage", "status")
    observer, turn = StageTimes("batch", times), asyncio.Event()

    async def stage(item: list[str]) -> None:
        if item == ["waits"]:
            await turn.wait()
        else:
            turn.set()
        if item == ["fails"]:
            raise ValueError

    steps = (Stage("one", stage), Each(lambda job: [job], (Stage("two", stage),)))
    jobs = (run(steps, [name], observer) for name in ("waits", "goes", "fails"))
    await asyncio.gather(*jobs, return_exceptions=True)
    counts = {tuple(sample.labels.values()): sample.value for sample in times.family().samples if sample.name == "t_count"}  # fmt: skip
    assert counts == {
        ("batch", "one", "succeeded"): 2,
        ("batch", "two", "succeeded"): 2,
        ("batch", "one", "failed"): 1,
    }
    assert not observer._started


async def test_every_stage_of_the_write_path_is_measured(client: httpx2.AsyncClient) -> None:
    await keep(client, "a note")
    stages = {labels["stage"] for name, labels, _ in await scrape(client) if name == "mindlog_stage_seconds_count"}
    assert stages >= {step.name for step in ENCODE if isinstance(step, Stage)}


async def test_the_log_has_the_request_id_and_no_content(
    client: httpx2.AsyncClient, engine: Engine, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def explode(*_: object, **__: object) -> None:
        raise OSError("disk gone")

    quiet = {name: logging.getLogger(name) for name in ("mindlog", "uvicorn", "uvicorn.error")}
    before = {name: (log.handlers, log.propagate, log.level) for name, log in quiet.items()}
    try:
        set_up_logs("json", logging.DEBUG)
        monkeypatch.setattr(engine, "encode", explode)
        answer = await client.post("/v1/memories", json={"text": "the code is 4711"}, headers={"X-Request-Id": "r-5"})
        assert_problem(answer, 500, "internal_error")
    finally:
        for name, (handlers, propagate, level) in before.items():
            quiet[name].handlers, quiet[name].propagate = handlers, propagate
            quiet[name].setLevel(level)
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert {line["request_id"] for line in lines} == {"r-5"}
    crashed, told = lines
    assert crashed["action"] == "crashed"
    assert "disk gone" in crashed["exception"]
    assert (told["action"], told["route"], told["status"]) == ("request", "/v1/memories", 500)
    assert "4711" not in json.dumps(lines)


def test_the_console_log_is_a_line_an_event(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = logging.getLogger("mindlog")
    before = (log.handlers, log.propagate, log.level)
    try:
        set_up_logs("console")
        log.info("Opened %s", "data", extra={"action": "opened"})
    finally:
        log.handlers, log.propagate = before[:2]
        log.setLevel(before[2])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info    Opened data\n", capfd.readouterr().err)


async def test_activity_counts_calls_and_runs_minute_by_minute(client: httpx2.AsyncClient) -> None:
    await keep(client, "a note", wait="derived")
    for cue in ("note", "other"):
        assert (await client.post("/v1/recall", json={"cue": cue})).status_code == 200
    assert (await client.post("/v1/recall", json={"cue": ""})).status_code == 400
    points = (await client.get("/v1/activity")).json()["points"]
    total = {name: sum(point[name] for point in points) for name in ("writes", "recalls", "queries")}
    assert total == {"writes": 1, "recalls": 3, "queries": 0}
    assert points[-1]["at"].endswith(":00Z")
    assert_problem(await client.get("/v1/activity", params={"minutes": 0}), 400, "invalid_input", "minutes")


def test_activity_remembers_a_day_and_shows_the_minutes_in_which_nothing_happened() -> None:
    now = 1_800_000_000.0
    activity = Activity(lambda: now)
    for _ in range(3):
        activity.called("recall")
    activity.called("inspect")
    now += 120
    activity.begun()
    activity.called("encode_batch")
    assert [(each.writes, each.recalls, each.runs) for each in activity.minutes(60)] == [
        (0, 3, 0),
        (0, 0, 0),
        (1, 0, 1),
    ]
    assert [each.at for each in activity.minutes(1)] == [1_800_000_120]
    for _ in range(2 * KEPT_MINUTES):
        now += 60
        activity.called("recall")
    found = activity.minutes(10 * KEPT_MINUTES)
    assert len(found) == KEPT_MINUTES
    assert {each.recalls for each in found} == {1}
