"""ui: the admin UI in a real browser, on a real server whose log is long: how soon a list and a run can be used, and whether
two hundred memories a second freeze the live list.

Needs Chromium and Playwright. The floors are the same calls of the API made by a page that shows nothing. The memories come through the
HTTP API from a process of its own; the list is the one that opens, and one that the reader has made long.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.async_api import Browser, Page, async_playwright

import mindlog
from mindlog.api import Metrics, create_app
from mindlog.api.server import HttpServer, bind
from mindlog.client import Client
from mindlog.errors import MindlogError
from mindlog.testing.fakes import HashEmbedder
from report import Row, Run, main

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
RUNS, FEW_RUNS = 10_000, 300
CHUNKS, FEW_CHUNKS = 2_000, 40
ROUNDS = 5
RATE = 200  # memories a second; each is several events
BATCH = 20
LIVE_SECONDS, FEW_LIVE_SECONDS = 20.0, 3.0
SETTLE_SECONDS = 1800.0
MOST_MS = 1000.0
LONG_TASK_MS = 100.0
LONGER = 4  # clicks on "Load more"
HERE = Path(__file__)
WRITER = "--write"
LOG = "/v1/admin/api/encode-runs"
SENTENCE = "Ana{n} bought a lamp for the harbour office in Porto, and Bo{n} repaired the boat with golden paper."

# When what a view is about is there, painted, and the page is free for a click: milliseconds from the start of the navigation.
WATCH = """
window.usable = new Promise((tell) => {
  new MutationObserver((_, watching) => {
    if (!document.querySelector('main tbody tr')) return;
    watching.disconnect();
    requestAnimationFrame(() => setTimeout(() => tell(performance.now())));
  }).observe(document, { childList: true, subtree: true });
});
window.tasks = [];
new PerformanceObserver((list) => list.getEntries().forEach((each) => window.tasks.push(each.duration)))
  .observe({ type: 'longtask', buffered: true });
"""
FETCH = """async (paths) => {
  const start = performance.now();
  await Promise.all(paths.map((path) => fetch(path).then((answer) => answer.json())));
  return performance.now() - start;
}"""


async def measure(run: Run) -> list[Row]:
    runs, chunks = (FEW_RUNS, FEW_CHUNKS) if run.small else (RUNS, CHUNKS)
    seconds = FEW_LIVE_SECONDS if run.small else LIVE_SECONDS
    settings = {"classifier": False, "chunk_tokens": 48, "chunk_max_tokens": 96}
    async with mindlog.aopen(run.directory / "ui", embedder=HashEmbedder(), **settings) as db:
        remembered = await _fill(db, runs, chunks)
        async with _serving(db) as url, _browser() as browser:
            listed = await _opened(browser, url, "/admin/runs", [f"{LOG}?limit=50", f"{LOG}/counts"])
            detail = f"/v1/admin/api/remember-runs/{remembered}"
            one = await _opened(
                browser, url, f"/admin/runs/{remembered}", [f"{detail}?outputs=false", "/v1/admin/api/stages"]
            )
            live = await _live(browser, url, db, seconds, 0)
            long = await _live(browser, url, db, seconds, 0 if run.small else LONGER)
    most = None if run.small else MOST_MS
    return [
        Row(name=f"list of {runs:,} runs, usable", value=listed.usable, unit="ms", floor=listed.calls, floor_is="its calls alone", most=most),
        Row(name=f"run of {chunks:,} chunks, usable", value=one.usable, unit="ms", floor=one.calls, floor_is="its calls alone", most=most),
        *_rows("live list", live, run.small),
        *_rows("long live list", long, run.small),
    ]  # fmt: skip


def _rows(name: str, live: Live, is_small: bool) -> list[Row]:
    least, most = (None, None) if is_small else (float(RATE), LONG_TASK_MS)
    return [
        Row(name=f"{name}, {live.rows} rows: events a second", value=live.events, unit="/s", least=least),
        Row(name=f"{name}, longest task", value=live.longest, unit="ms", most=most),
        Row(name=f"{name}, newest run told of after", value=live.behind, unit="s"),
    ]


async def _fill(db: mindlog.AsyncMindlog, runs: int, chunks: int) -> str:
    """Keep memories and a document by the real pipelines; returns the document's run."""
    for at in range(0, runs, 200):
        items = [{"text": SENTENCE.format(n=n), "dataset": f"d{n % 3}"} for n in range(at, min(at + 200, runs))]
        await db.encode_batch(items)
    # A paragraph for each chunk: two would be too long for one.
    text = "\n\n".join(f"Part {n}. " + " ".join(SENTENCE.format(n=n + k) for k in range(2)) for n in range(chunks))
    remembered = await db.remember(text, document_id="long")
    if not await db.settled(SETTLE_SECONDS):
        raise SystemExit("what is kept was not derived")
    found = await db.run(remembered.remember_run_id)
    if found.state != "succeeded" or ((found.progress or {}).get("chunks") or 0) < chunks:
        raise SystemExit(f"the document is not read in {chunks} chunks: {found.state} {found.progress}")
    return remembered.remember_run_id


@asynccontextmanager
async def _serving(db: mindlog.AsyncMindlog) -> AsyncGenerator[str]:
    with bind("127.0.0.1", 0) as sock:
        server, ready = HttpServer(create_app(db.engine, metrics=Metrics())), asyncio.Event()
        listening = asyncio.create_task(server.listen(sock, ready.set))
        await ready.wait()
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        server.should_exit = True
        await listening


@asynccontextmanager
async def _browser() -> AsyncGenerator[Browser]:
    if not CHROMIUM.exists():  # noqa: ASYNC240 - once, before anything runs
        raise SystemExit(f"there is no Chromium at {CHROMIUM}")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        await browser.close()


@asynccontextmanager
async def _page(browser: Browser, url: str) -> AsyncGenerator[Page]:
    """A page without a cache."""
    context = await browser.new_context(base_url=url, viewport={"width": 1280, "height": 900})
    await context.add_init_script(WATCH)
    yield await context.new_page()
    await context.close()


@dataclass(frozen=True)
class Opened:
    """Milliseconds from the start of a navigation until the view can be used, and of its calls alone; medians."""

    usable: float
    calls: float


async def _opened(browser: Browser, url: str, path: str, calls: list[str]) -> Opened:
    usable: list[float] = []
    alone: list[float] = []
    for _ in range(ROUNDS):
        async with _page(browser, url) as page:
            await page.goto(path)
            usable.append(await page.evaluate("window.usable"))
        async with _page(browser, url) as page:
            await page.goto("/livez")
            alone.append(await page.evaluate(FETCH, calls))
    return Opened(median(usable), median(alone))


@dataclass(frozen=True)
class Live:
    """Rows, events of the log a second, the longest task in milliseconds (0: none over 50), and seconds the page lags at the end."""

    rows: int
    events: float
    longest: float
    behind: float


async def _live(browser: Browser, url: str, db: mindlog.AsyncMindlog, seconds: float, more: int) -> Live:
    async with _page(browser, url) as page:
        await page.goto("/admin/runs")
        await page.evaluate("window.usable")
        rows = page.locator("main tbody tr")
        for _ in range(more):
            known = await rows.count()
            await page.get_by_role("button", name="Load more").click()
            await rows.nth(known).wait_for()
        count = await rows.count()
        await page.evaluate("window.tasks = []; undefined")
        before, began = db.engine.store.stats().last_lsn, time.perf_counter()
        newest = await _write(url, seconds)
        events = (db.engine.store.stats().last_lsn - before) / (time.perf_counter() - began)
        began = time.perf_counter()
        told = f"main tbody a[href*='{newest}']" if not more else "main button:has-text('newer runs')"
        await page.wait_for_selector(told, timeout=60_000)
        behind = time.perf_counter() - began
        tasks: list[float] = await page.evaluate("window.tasks")
        return Live(rows=count, events=events, longest=max(tasks, default=0.0), behind=behind)


async def _write(url: str, seconds: float) -> str:
    """Keep memories at the pace from another process; returns the run of the last."""
    command = (sys.executable, str(HERE), WRITER, url, str(seconds))
    writer = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await writer.communicate()
    if writer.returncode:
        raise SystemExit("the writer failed")
    return out.decode().split()[-1]


def _writer(url: str, seconds: float) -> None:
    with Client(url) as mind:
        start, last = time.perf_counter(), ""
        for number in range(int(seconds * RATE / BATCH)):
            time.sleep(max(start + number * BATCH / RATE - time.perf_counter(), 0))
            texts = [f"Live {time.time_ns()} {number} {each}: the tide is high." for each in range(BATCH)]
            outcomes = mind.encode_batch([{"text": text} for text in texts])
            last = next(str(each.memory_id) for each in outcomes[::-1] if not isinstance(each, MindlogError))
        print(mind.inspect(last).runs[0].run_id)


if __name__ == "__main__":
    if sys.argv[1:2] == [WRITER]:
        _writer(sys.argv[2], float(sys.argv[3]))
    else:
        main("ui", measure)
