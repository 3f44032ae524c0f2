"""An engine with a hash embedder behind the HTTP application, in process or on a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from mindlog.api import Metrics, create_app
from mindlog.api.server import HttpServer, bind
from mindlog.engine import Engine
from mindlog.records import Scope
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder

LOCAL = "http://127.0.0.1:7464"
BOUND = 10.0  # seconds any wait of these tests may take

ClientFactory = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]


def settings_for(path: Path, **more: object) -> Settings:
    return Settings(data=path / "data", **more)  # type: ignore[arg-type]


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder(dimensions=16)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def engine(tmp_path: Path, embedder: HashEmbedder, metrics: Metrics) -> AsyncIterator[Engine]:
    settings = settings_for(tmp_path, max_body_bytes=2 << 20)
    async with await Engine.open(settings, embedder=embedder, observe=metrics.observe) as opened:
        yield opened


@pytest.fixture
def client_of(engine: Engine, metrics: Metrics) -> ClientFactory:
    """Makes clients of the application in process; `key` is sent, `local=False` is another address than loopback."""

    @asynccontextmanager
    async def make(*, key: str | None = None, local: bool = True) -> AsyncIterator[httpx2.AsyncClient]:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        transport = httpx2.ASGITransport(create_app(engine, local=local, metrics=metrics))
        async with httpx2.AsyncClient(transport=transport, base_url=LOCAL, headers=headers) as client:
            yield client

    return make


@pytest.fixture
async def client(client_of: ClientFactory) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of() as made:
        yield made


@asynccontextmanager
async def serving(engine: Engine, metrics: Metrics | None = None) -> AsyncIterator[str]:
    """The address of a real server on a free port of this loop."""
    started = asyncio.Event()
    server = HttpServer(create_app(engine, metrics=metrics))
    with bind("127.0.0.1", 0) as sock:
        running = asyncio.create_task(server.listen(sock, started.set))
        async with asyncio.timeout(BOUND):
            await started.wait()
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        server.should_exit = True
        await running


@pytest.fixture
async def address(engine: Engine, metrics: Metrics) -> AsyncIterator[str]:
    async with serving(engine, metrics) as url:
        yield url


async def make_key(engine: Engine, *scopes: str, datasets: list[str] | None = None) -> str:
    _, secret = await engine.create_key("test", scopes=[Scope(scope) for scope in scopes], datasets=datasets)
    return secret


async def keep(client: httpx2.AsyncClient, text: str, **more: object) -> str:
    """The id of a memory that was kept."""
    response = await client.post("/v1/memories", json={"text": text, **more})
    assert response.status_code == 201, response.text
    return response.json()["memory_id"]


def assert_problem(response: httpx2.Response, status: int, code: str, field: str | None = None) -> dict[str, object]:
    """Checks that the response is a whole problem of this kind; returns it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == status
    assert problem["code"] == code, problem
    assert problem["type"] == f"/docs#{code}"
    assert problem["request_id"] == response.headers["x-request-id"]
    assert isinstance(problem["retryable"], bool)
    assert problem["title"]
    assert problem["detail"]
    if field is not None:
        assert problem["field"] == field, problem
    return problem


@pytest.fixture(autouse=True)
def no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a gazetteer: it takes ten seconds to be made, in every fresh directory."""
    monkeypatch.setattr("mindlog.background.LazyGazetteer", lambda folder: lambda: None)
