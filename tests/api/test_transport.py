"""The server on a real socket: limits as bytes arrive, callers that leave, retries, drain and stop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from mindlog.api import middleware
from mindlog.api.server import bind
from mindlog.engine import Engine
from mindlog.errors import ConfigError
from mindlog.testing.fakes import HashEmbedder
from tests.api.conftest import BOUND, assert_problem, keep

LIMIT = 2 << 20


def head(method: str, path: str, *headers: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


class Raw:
    """A connection that says exactly what a test wants."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, address: str) -> AsyncIterator[Raw]:
        port = int(address.rpartition(":")[2])
        raw = cls(*await asyncio.open_connection("127.0.0.1", port))
        try:
            yield raw
        finally:
            raw.writer.close()
            with contextlib.suppress(ConnectionError):
                await raw.writer.wait_closed()

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def status(self) -> int:
        async with asyncio.timeout(BOUND):
            return int((await self.reader.readline()).split()[1])


async def test_the_whole_life_of_a_memory_over_a_socket(address: str) -> None:
    async with httpx2.AsyncClient(base_url=address) as client:
        memory_id = await keep(client, "The boiler was serviced in March.")
        found = await client.post("/v1/recall", json={"cue": "boiler"})
        assert found.json()["hits"][0]["memory_id"] == memory_id
        assert (await client.delete(f"/v1/memories/{memory_id}")).status_code == 200
        assert (await client.post("/v1/recall", json={"cue": "boiler"})).json()["hits"] == []
        assert "server" not in found.headers


async def test_a_body_that_announces_too_much_is_refused_before_it_is_sent(address: str) -> None:
    async with Raw.open(address) as raw:
        headers = ("Content-Type: application/json", f"Content-Length: {LIMIT + 1}", "Expect: 100-continue")
        await raw.say(head("POST", "/v1/memories", *headers))
        assert await raw.status() == 413


async def test_a_body_that_announces_nothing_is_counted_as_it_arrives(address: str) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b'{"text": "'
        for _ in range(LIMIT // 65536 + 2):
            yield b"a" * 65536

    async with httpx2.AsyncClient(base_url=address) as client:
        refused = await client.post("/v1/memories", content=endless(), headers={"Content-Type": "application/json"})
        assert assert_problem(refused, 413, "too_large", "body")["limit"] == LIMIT
        assert (await client.get("/livez")).status_code == 200
        whole = json.dumps({"text": "a" * (1 << 20), "metadata": {}}).encode()
        padded = whole + b" " * (LIMIT - len(whole))
        kept = await client.post("/v1/memories", content=padded, headers={"Content-Type": "application/json"})
        assert kept.status_code == 201
        over = await client.post("/v1/memories", content=padded + b" ", headers={"Content-Type": "application/json"})
        assert_problem(over, 413, "too_large")


async def test_more_requests_than_the_server_takes_are_told_to_come_back(
    address: str, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "MAX_IN_FLIGHT", 1)
    async with httpx2.AsyncClient(base_url=address) as client, asyncio.timeout(BOUND):
        with embedder.held() as entered:
            slow = asyncio.create_task(client.post("/v1/memories", json={"text": "slow"}))
            await entered.wait()
            refused = await client.get("/v1/datasets")
            assert assert_problem(refused, 503, "busy")["retryable"] is True
            assert refused.headers["retry-after"] == "1"
            assert (await client.get("/readyz")).status_code == 200
        assert (await slow).status_code == 201
        assert (await client.get("/v1/datasets")).status_code == 200


async def test_more_bytes_than_the_server_holds_are_told_to_come_back(
    address: str, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "BODIES_IN_FLIGHT", 0)
    async with httpx2.AsyncClient(base_url=address) as client:
        assert_problem(await client.post("/v1/memories", json={"text": "one"}), 503, "busy")
        monkeypatch.setattr(middleware, "BODIES_IN_FLIGHT", 1)
        await keep(client, "one")


async def test_a_caller_that_leaves_before_its_body_is_whole_leaves_no_trace(
    address: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mindlog", "mindlog.api", "mindlog.api.app"):  # whatever another test made of them
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)
        monkeypatch.setattr(logging.getLogger(name), "disabled", False)
        caplog.set_level(logging.DEBUG, logger=name)
    caplog.set_level(logging.DEBUG)
    headers = ("Content-Type: application/json", "Content-Length: 100")
    async with Raw.open(address) as raw:
        await raw.say(head("POST", "/v1/memories", *headers) + b'{"text": "ha')
    async with httpx2.AsyncClient(base_url=address) as client, asyncio.timeout(BOUND):
        while "client_disconnected" not in {getattr(record, "action", "") for record in caplog.records}:
            await client.get("/livez")
        assert (await client.get("/v1/memories")).json()["data"] == []
    served = [record for record in caplog.records if record.name.split(".")[0] in ("mindlog", "uvicorn")]
    assert not [record for record in served if record.exc_info or record.levelno >= logging.ERROR]


async def test_a_caller_that_retries_after_a_lost_answer_gets_the_same_memory(
    address: str, engine: Engine, embedder: HashEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    body = b'{"text": "transfer 50 to Ana", "request_id": "R"}'
    request = head("POST", "/v1/memories", "Content-Type: application/json", f"Content-Length: {len(body)}") + body
    async with httpx2.AsyncClient(base_url=address) as client, asyncio.timeout(BOUND):
        with embedder.held() as entered:
            async with Raw.open(address) as raw:
                await raw.say(request)
                await entered.wait()
        answers = [await client.post("/v1/memories", json=json.loads(body)) for _ in range(5)]
        assert {answer.status_code for answer in answers} <= {200, 201}
        assert len({answer.json()["memory_id"] for answer in answers}) == 1
        other = await client.post("/v1/memories", json={"text": "transfer 500 to Ana", "request_id": "R"})
        assert_problem(other, 409, "idempotency_conflict")
        listed = (await client.get("/v1/memories")).json()["data"]
    assert [memory["text"] for memory in listed] == ["transfer 50 to Ana"]
    assert (await engine.get(listed[0]["memory_id"])).text == "transfer 50 to Ana"
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ids=["TLS", "raw bytes in the path", "negative length", "two lengths"],
)
async def test_what_is_no_http_is_refused_and_the_server_goes_on(address: str, data: bytes) -> None:
    async with Raw.open(address) as raw:
        await raw.say(data)
        assert await raw.status() == 400
    async with httpx2.AsyncClient(base_url=address) as client:
        assert (await client.get("/livez")).status_code == 200


SERVE = """
import sys
sys.addaudithook(lambda event, args: event in ("socket.connect", "socket.sendto") and print(event, args, flush=True))
from pathlib import Path
from mindlog.api.server import serve
from mindlog.errors import MindlogError
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder

embedder = HashEmbedder(dimensions=8)
embedder.delay = float(sys.argv[4])
settings = Settings(data=Path(sys.argv[1]), host=sys.argv[2], port=int(sys.argv[3]))
try:
    serve(settings, announce=lambda line: print(line, flush=True), embedder=embedder)
except MindlogError as error:
    sys.exit(f"{error.code}: {error.detail}")
print("stopped", flush=True)
"""


@contextlib.asynccontextmanager
async def process(data: Path, host: str = "127.0.0.1", port: int = 0, delay: float = 0.0) -> AsyncIterator[asyncio.subprocess.Process]:  # fmt: skip
    arguments = [sys.executable, "-c", SERVE, str(data), host, str(port), str(delay)]
    pipe = asyncio.subprocess.PIPE
    environment = os.environ | {
        "FASTAPI_OTEL_AUTO_CONFIGURE": "true",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
    }
    running = await asyncio.create_subprocess_exec(*arguments, stdout=pipe, stderr=pipe, env=environment)
    try:
        async with asyncio.timeout(60):
            yield running
    finally:
        if running.returncode is None:
            running.kill()
        await running.communicate()


async def announced(running: asyncio.subprocess.Process) -> str:
    assert running.stdout is not None
    line = (await running.stdout.readline()).decode()
    assert "listens on http://127.0.0.1:" in line
    return line.split()[-1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_lets_requests_under_way_finish_and_the_process_end_well(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with process(tmp_path / "data", delay=0.5) as running:
        async with httpx2.AsyncClient(base_url=await announced(running)) as client:
            writing = asyncio.create_task(client.post("/v1/memories", json={"text": "last words"}))
            # The request is on its way in when a second one on another connection has been answered.
            await client.get("/livez")
            while (
                'mindlog_stage_seconds_count{operation="encode",stage="validate"'
                not in (await client.get("/metrics")).text
            ):
                pass
            running.send_signal(number)
            answer = await writing
            assert answer.status_code == 201
        out, err = await running.communicate()
        assert running.returncode == 0, err.decode()
        assert out.decode() == "stopped\n"
        assert "Traceback" not in err.decode()
    async with process(tmp_path / "data") as running, httpx2.AsyncClient(base_url=await announced(running)) as client:
        assert (await client.get(answer.headers["location"])).json()["text"] == "last words"


async def test_a_server_contacts_nobody_even_if_the_environment_names_a_collector(tmp_path: Path) -> None:
    async with process(tmp_path / "data") as running:
        async with httpx2.AsyncClient(base_url=await announced(running)) as client:
            await keep(client, "a note")
            for path in ("/docs", "/openapi.json", "/readyz", "/metrics", "/v1/memories", "/nope"):
                await client.get(path)
        running.send_signal(signal.SIGTERM)
        out, _ = await running.communicate()
    # The process prints every connection it makes.
    assert out.decode() == "stopped\n"


async def test_a_second_server_on_the_directory_or_the_port_says_what_is_wrong(tmp_path: Path) -> None:
    async with process(tmp_path / "data") as first:
        port = int((await announced(first)).rpartition(":")[2])
        for data, asked, code in ((tmp_path / "data", 0, "store_locked"), (tmp_path / "other", port, "config_error")):
            async with process(data, port=asked) as second:
                _, err = await second.communicate()
                assert second.returncode == 1
                assert err.decode().startswith(f"{code}: "), err.decode()


async def test_another_address_is_refused_with_the_command_that_helps(tmp_path: Path) -> None:
    async with process(tmp_path / "data", host="0.0.0.0") as running:
        _, err = await running.communicate()
    assert running.returncode == 1
    assert "config_error: host: 0.0.0.0" in err.decode()
    assert "mindlog keys create" in err.decode()


def test_a_port_that_is_taken_and_a_host_that_is_not_here_are_configuration_errors() -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    with taken, pytest.raises(ConfigError, match="taken by another process"):
        bind("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(ConfigError, match="host"):
        bind("no.such.host.invalid", 0)
    with pytest.raises(ConfigError, match="port"):
        bind("192.0.2.1", 0)
