"""SIGKILL in every stage of derivation: after a restart it finishes, and what it leaves is what an undisturbed one leaves.

`MINDLOG_TEST_LOOPS` says how many kills a stage gets in the long form; `make chaos` runs it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mindlog.engine import Engine
from mindlog.store.graphrows import EntityQuery, StatementQuery
from mindlog.store.runrows import LogQuery
from mindlog.store.stages import DERIVE_STAGES
from mindlog.testing.fakes import HashEmbedder
from tests.derive.crash_child import SECONDS, derived, settings_of

CHILD = Path(__file__).with_name("crash_child.py")
ROOT = Path(__file__).parents[2]
STAGES = tuple(stage.name for stage in DERIVE_STAGES)
COMMITS = ("in_transaction", "after_commit_before_listeners", "after_commit_before_ack")
LSNS = 1_000_000


def run_until_killed(directory: Path, loop: int, window: str, passes: int) -> bool:
    """Run a child that kills itself in the window; say whether it did, or settled before that."""
    command = [sys.executable, str(CHILD), str(directory), str(loop), window, str(passes)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, cwd=ROOT, env=environment, timeout=2 * SECONDS, check=False)
    if done.returncode == 0:
        assert done.stdout.endswith(b"settled\n"), done.stderr.decode()[-3000:]
        return False
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()[-3000:]
    return True


async def settled(directory: Path, loops: int) -> dict[str, Any]:
    """Open the store again, see derivation through to its end, and return what it has left."""
    async with await Engine.open(settings_of(directory), embedder=HashEmbedder()) as engine:
        await derived(engine, loops)
        assert await engine.settled(SECONDS)
        return left_in(engine)


def left_in(engine: Engine) -> dict[str, Any]:
    """Return all that was derived, by words instead of ids, and check what must hold of any store."""
    store = engine.store
    counts = {state: count for state, count in store.run_counts().by_state.items() if count}
    assert set(counts) == {"succeeded"}, "a run is left open"
    texts = {memory.id.slot: memory.text for memory in store.memories(range(1, store.stats().memories + 100))}
    assert counts["succeeded"] == len(texts)
    log = store.log(1, LSNS)
    assert [row.lsn for row in log] == list(range(1, store.last_lsn + 1))
    completed = store.read_log(LogQuery(from_lsn=1, limit=LSNS, types=("stage_completed",)))
    ends = Counter((row.payload["run"], row.payload["stage"]) for row in completed if row.payload["status"] != "failed")
    assert set(ends.values()) == {1}, "a stage is on record as settled twice"
    assert len(ends) == len(texts) * len(STAGES)
    assert not engine.indexes.audit(store)
    return {"memories": sorted(texts.values()), **knowledge(engine, texts)}


def knowledge(engine: Engine, texts: dict[int, str]) -> dict[str, Any]:
    store = engine.store
    dataset = store.dataset("crash")
    assert dataset is not None
    query = StatementQuery(dataset=dataset.number, now=engine.store.log(1, 1)[0].at, current=False, limit=10_000)
    statements = store.statements(query)
    questions = store.questions(list(texts))
    entities = store.list_entities(EntityQuery(dataset=dataset.number, limit=10_000))
    return {
        "edges": sorted(
            (texts[edge.source], edge.kind, texts[edge.target], round(edge.weight, 6), edge.made_by)
            for edge in store.edges(list(texts), 100_000)
        ),
        "terms": sorted((texts[slot], store.terms(slot)) for slot in texts),
        "questions": sorted((texts[each.slot], each.text, each.source) for each in questions),
        "entities": sorted((row.name, row.kind, row.mentions, row.statements, row.aliases) for row in entities),
        "statements": sorted(
            (
                row.text,
                sorted((v.valid_from or 0, v.valid_to or 0) for v in row.validities),
                sorted((texts[e.slot], e.start, e.end, e.tier) for e in row.evidence),
                len(row.contradicts),
            )
            for row in statements
        ),
    }


async def check(directory: Path, loops: int, undisturbed: Path) -> None:
    assert await settled(directory, loops) == await settled(undisturbed, loops)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("stage", STAGES)
async def test_a_kill_in_a_stage_is_made_good_and_doubles_nothing(tmp_path: Path, stage: str) -> None:
    directory, dice = tmp_path / "data", random.Random(f"{stage}")
    for loop, window in enumerate((f"in_stage:{stage}", f"before_stage:{stage}")):
        assert run_until_killed(directory, loop, window, dice.randint(1, 7))
        await check(directory, loop + 1, tmp_path / "undisturbed")


@pytest.mark.timeout(240)
async def test_a_kill_between_the_last_stage_and_the_end_of_a_run_is_made_good(tmp_path: Path) -> None:
    assert run_until_killed(tmp_path / "data", 0, "after_stages", random.randint(1, 7))
    await check(tmp_path / "data", 1, tmp_path / "undisturbed")


def window_of(stage: str, dice: random.Random) -> tuple[str, int]:
    """Return where a child is killed: mostly in the stage, sometimes in a commit or at any moment."""
    roll = dice.random()
    if roll < 0.6:
        return dice.choice((f"in_stage:{stage}", f"before_stage:{stage}")), dice.randint(1, 7)
    if roll < 0.8:
        return dice.choice((*COMMITS, "after_stages")), dice.randint(1, 40)
    return "any", dice.randint(0, 600)


@pytest.mark.chaos
@pytest.mark.parametrize("stage", STAGES)
async def test_very_many_kills_in_a_stage_are_made_good(tmp_path: Path, stage: str) -> None:
    loops, dice, killed = int(os.environ.get("MINDLOG_TEST_LOOPS", "50")), random.Random(stage), 0
    # A fresh directory now and then, so that looking through it stays quick.
    for part in range(0, loops, 25):
        directory = tmp_path / f"data-{part}"
        for loop in range(min(25, loops - part)):
            killed += run_until_killed(directory, loop, *window_of(stage, dice))
            await check(directory, loop + 1, tmp_path / f"undisturbed-{part}")
    assert killed >= loops // 2
    print(f"{killed} of {loops} children killed around {stage}")
