"""SIGKILL while a document is read: what was acknowledged is read all the same, from where it broke off, every chunk once."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mindlog.engine import Engine
from mindlog.store.runrows import LogQuery
from mindlog.views import RememberRequest
from tests.engine.made import BOUND, everything
from tests.engine.remember_child import PARTS
from tests.engine.remembering import document, part, remembering, run_of, runs, statuses, texts_of, who

CHILD = Path(__file__).with_name("remember_child.py")
ROOT = Path(__file__).parents[2]

# What is on record when the process ends there: which stages have ended, and of how many chunks what they say is known and stored.
READ_ONLY = {"classify_complexity", "chunk_text"}
RECONCILED = {*READ_ONLY, "extract_graph", "summarize_chunk", "load_candidates", "resolve_edges", "store"}
WINDOWS: dict[str, tuple[set[str], int, int]] = {
    "after_ack": (set(), 0, 0),
    "before_stage:classify_complexity": (set(), 0, 0),
    "in_stage:classify_complexity": (set(), 0, 0),
    "before_stage:chunk_text": ({"classify_complexity"}, 0, 0),
    "in_stage:chunk_text": ({"classify_complexity"}, 0, 0),
    "after_read:7": (READ_ONLY, 8, 0),
    "before_text:7": ({*READ_ONLY, "extract_graph", "summarize_chunk"}, PARTS, 7),
    "after_text:7": ({*READ_ONLY, "extract_graph", "summarize_chunk"}, PARTS, 8),
    "before_stage:store_series": (RECONCILED, PARTS, PARTS),
    "in_stage:store_series": (RECONCILED, PARTS, PARTS),
    "in_stage:resolve_geo": ({*RECONCILED, "store_series"}, PARTS, PARTS),
    "in_stage:observe_series": (
        {*RECONCILED, "store_series", "resolve_geo", "web_search", "fetch_series"},
        PARTS,
        PARTS,
    ),
    "after_stages": (
        {*RECONCILED, "store_series", "resolve_geo", "web_search", "fetch_series", "observe_series"},
        PARTS,
        PARTS,
    ),
}


def crashed(directory: Path, window: str) -> str | None:
    """Run the child until the window kills it; return the id of the run it was acknowledged, if it was told in time."""
    command = [sys.executable, str(CHILD), str(directory), window]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, cwd=ROOT, env=environment, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()[-3000:]
    return done.stdout.decode().strip() or None


def stored_events(engine: Engine) -> list[int]:
    """The positions of the chunks whose statements were committed, in the order in which they were."""
    rows = engine.store.read_log(
        LogQuery(from_lsn=1, to_lsn=engine.store.last_lsn, limit=10_000, types=("text_stored",))
    )
    return [int(row.payload["position"]) for row in rows]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("window", WINDOWS)
async def test_a_killed_run_goes_on_where_it_broke_off_and_reads_every_chunk_once(tmp_path: Path, window: str) -> None:
    acked = await asyncio.to_thread(crashed, tmp_path / "data", window)
    ended, read, stored = WINDOWS[window]
    async with remembering(tmp_path, remember=False, derive=False) as engine:
        # What a dead process has left: a run that waits, with what it had come to, and nothing half done.
        (run,) = await runs(engine)
        assert acked in (None, run.run_id)
        assert (run.status, run.error, run.finished_at) == ("started", None, None)
        assert {name for name, status in statuses(run).items() if status in ("succeeded", "skipped")} == ended
        assert run.progress is not None
        assert (run.progress["read"], run.progress["stored"]) == (read, stored)
        assert stored_events(engine) == list(range(stored))
    async with remembering(tmp_path) as engine:
        assert await engine.settled(BOUND)
        run = await run_of(engine, run.run_id)
        assert (run.status, run.state, run.error, run.flags) == ("succeeded", "succeeded", None, ())
        assert set(statuses(run).values()) == {"succeeded", "skipped"}
        assert all(stage.finished_at is not None for stage in run.stages if stage.status == "succeeded")
        assert run.progress == {"chunks": PARTS, "read": PARTS, "stored": PARTS}
        await check_document(engine)
        again = await engine.remember(
            RememberRequest(text=document(range(PARTS)), content_type="text/markdown", request_id="once")
        )
        assert (again.remember_run_id, again.was_replayed) == (run.run_id, True)


async def check_document(engine: Engine) -> None:
    """Every chunk is one memory, in order, stored once; what each says is known once."""
    (document_row,) = (await engine.documents()).data
    texts = await texts_of(engine, document_row.document_id)
    assert [text.text for text in texts] == [part(number) for number in range(PARTS)]
    assert {text.state for text in texts} == {"stored"}
    memories = await everything(engine)
    assert sorted(str(memory.id) for memory in memories) == sorted(text.memory_id for text in texts)
    assert stored_events(engine) == list(range(PARTS))
    for number in (0, 7, PARTS - 1):
        statements = (await engine.inspect(texts[number].memory_id)).statements
        assert [s.text for s in statements if who(number) in s.text], texts[number].text
