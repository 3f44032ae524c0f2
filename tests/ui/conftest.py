"""Real servers in a thread of their own, and Chromium on them that hears every complaint of a page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from mindlog.api import Metrics, create_app
from mindlog.api.server import HttpServer, bind
from mindlog.engine import Engine
from mindlog.records import EncodeRequest, Scope
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder
from tests.ui.made import Full, made

CHROMIUM = Path("/usr/bin/chromium")
STATIC = Path(create_app.__code__.co_filename).parent / "static" / "index.html"
AXE = Path(__file__).resolve().parents[2] / "admin_ui" / "node_modules" / "axe-core" / "axe.min.js"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
START_SECONDS = 100.0
CALL_SECONDS = 40.0
PATIENCE = 20_000  # milliseconds that a page may take on a busy machine
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}

T = TypeVar("T")


@dataclass
class Served:
    """Where a server is, what is in it, and its event loop."""

    url: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    engine: Any = None
    full: Any = None
    loop: Any = None

    def do(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What a coroutine of the engine gives, seen through on the server's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(CALL_SECONDS)


Opened = AbstractAsyncContextManager[tuple[Engine, Metrics, dict[str, str], Full | None]]


def serving(opened: Callable[[], Opened]) -> Iterator[Served]:
    """A server in a thread until the test is over."""
    found, ready, over = Served(), threading.Event(), threading.Event()
    failed: list[BaseException] = []

    async def run() -> None:
        with bind("127.0.0.1", 0) as sock:
            async with opened() as (engine, metrics, ids, full):
                server = HttpServer(create_app(engine, metrics=metrics))
                found.engine, found.ids, found.full, found.loop = engine, ids, full, asyncio.get_running_loop()
                found.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
                listening = asyncio.create_task(server.listen(sock, ready.set))
                await asyncio.to_thread(over.wait)
                server.should_exit = True
                await listening

    def thread() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:  # noqa: BLE001 - the fixture tells it
            failed.append(error)
            ready.set()

    running = threading.Thread(target=thread, daemon=True)
    running.start()
    assert ready.wait(START_SECONDS), "the server did not start"
    if failed:
        raise failed[0]
    yield found
    over.set()
    running.join(CALL_SECONDS)


@pytest.fixture(scope="session")
def served(playwright: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that answers this machine without a key, over everything."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator[tuple[Engine, Metrics, dict[str, str], Full | None]]:
        async with made(tmp_path_factory.mktemp("ui"), lines=60) as full:
            yield full.engine, full.metrics, full.ids, full

    yield from serving(opened)


@pytest.fixture(scope="session")
def guarded(playwright: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that wants a key; `ids` has the secrets of an admin, of a reader, and of a writer of one dataset."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator[tuple[Engine, Metrics, dict[str, str], Full | None]]:
        settings = Settings(data=tmp_path_factory.mktemp("keys") / "data", classifier=False)
        async with await Engine.open(settings, embedder=HashEmbedder()) as engine:
            ids = await _secrets(engine)
            yield engine, Metrics(), ids, None

    yield from serving(opened)


async def _secrets(engine: Engine) -> dict[str, str]:
    ids: dict[str, str] = {}
    for dataset in ("mine", "theirs"):
        request = EncodeRequest(text=f"A note of {dataset}.", dataset=dataset, wait="derived")
        ids[dataset] = str((await engine.encode(request)).memory_id)
    wanted = {"admin": (Scope.ADMIN, None), "reader": (Scope.READ, None), "narrow": (Scope.ADMIN, ["mine"])}
    for name, (scope, datasets) in wanted.items():
        _, ids[name] = await engine.create_key(name, scopes=[scope], datasets=datasets)
    return ids


@pytest.fixture(scope="session")
def playwright() -> Any:
    """The driver of the browser; without it or the browser the test is skipped."""
    found = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip("there is no Chromium at /usr/bin/chromium")
    if not STATIC.exists():
        pytest.skip("the admin UI is not built: make ui")
    found.expect.set_options(timeout=PATIENCE)
    return found


# Not longer than a module: as long as the driver runs there is an event loop in this thread, in which no other test can have its own.
@pytest.fixture(scope="module")
def chromium(playwright: Any) -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()


class Tab:
    """A page, and all that went wrong in it."""

    def __init__(self, browser: Any, url: str, **context: Any) -> None:
        self.context = browser.new_context(base_url=url, **({"viewport": DESK, "reduced_motion": "reduce"} | context))
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.troubles: list[str] = []
        self.page.on("console", lambda said: said.type in ("error", "warning") and self.troubles.append(said.text))
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("response", lambda got: got.status >= 400 and self.troubles.append(f"{got.status} {got.url}"))
        self.page.on(
            "request", lambda asked: self._leaves(asked.url, url) and self.troubles.append(f"left: {asked.url}")
        )
        self.page.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => console.error('CSP ' + e.violatedDirective));"
        )

    @staticmethod
    def _leaves(asked: str, home: str) -> bool:
        """Whether something outside the server is asked for."""
        return asked.startswith("http") and not asked.startswith(f"{home}/")

    def open(self, path: str) -> Any:
        """Open a view and wait until it has what it shows."""
        self.page.goto(f"/admin{path}")
        self.page.get_by_role("main").wait_for()
        return self.settle()

    def settle(self) -> Any:
        """Wait until the view has a heading and nothing in it is still loading."""
        from playwright.sync_api import expect

        self.page.get_by_role("heading", level=1).first.wait_for()
        waiting = self.page.locator("main [aria-busy=true], main .spinner")
        expect(waiting).to_have_count(0)
        return self.page

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def violations(self) -> list[Any]:
        """What axe finds, each with the elements."""
        if not AXE.exists():
            pytest.skip("axe-core is not installed: npm ci in admin_ui")
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(f"{AXE.read_text(encoding='utf-8')}; undefined")
        return self.page.evaluate(
            "axe.run().then((r) => r.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 160))]))"
        )

    def _dialog(self, dialog: Any) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def new_tab(chromium: Any, served: Served) -> Iterator[Callable[..., Tab]]:
    tabs: list[Tab] = []

    def make(url: str = "", **context: Any) -> Tab:
        tabs.append(Tab(chromium, url or served.url, **context))
        return tabs[-1]

    yield make
    for tab in tabs:
        tab.context.close()


@pytest.fixture
def tab(new_tab: Callable[..., Tab]) -> Tab:
    return new_tab()
