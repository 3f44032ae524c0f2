"""A stage's results, record and event are one commit: there together or not at all, and done again they double nothing."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindlog.errors import InvalidInput, LeaseLost, RevisionGone, StoreFull
from mindlog.store.connect import DATABASE, fetch, open_reader
from mindlog.store.graphrows import MemoryEdges, MemoryQuestions, MemoryTerms, NewEdge
from mindlog.store.runrows import ClaimedRun, StageOutcome, StageResults
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.conformance.work import LEASE_US, claim, ended, run_of, settle, stage_of
from mindlog.testing.faults import armed, raising
from tests.store.made import MODEL


def results(bench: Bench, run: ClaimedRun, target: int) -> dict[str, StageResults]:
    """What the stages without a graph find for a run."""
    questions = ("Who?", "Why?")
    vectors = np.concatenate([bench.vectors(text) for text in questions])
    return {
        "auto_edge": MemoryEdges(made_by="auto_edge", edges=(NewEdge(target=target, kind="similar_to", weight=0.9),)),
        "memory_text": MemoryTerms(terms=("some", "terms")),
        "hype": MemoryQuestions(source="llm", texts=questions, vectors=vectors),
    }


def table_sizes(directory: Path) -> dict[str, int]:
    connection = open_reader(directory / DATABASE)
    tables = ("edges", "memory_terms", "questions", "encode_run_outputs")
    sizes = {table: fetch(connection, f"SELECT count(*) FROM {table}")[0][0] for table in tables}
    connection.close()
    return sizes


async def two_memories(bench: Bench) -> tuple[int, ClaimedRun]:
    """The slot of an older memory, and the claimed run of a newer one."""
    older, _ = await bench.fill(["older", "newer"])
    return older.id.slot, (await claim(bench))[1]


@pytest.mark.parametrize("window", ["in_transaction", "after_commit_before_ack"])
@pytest.mark.parametrize("stage", ["auto_edge", "memory_text", "hype"])
async def test_a_kill_leaves_results_and_record_both_or_neither(tmp_path: Path, stage: str, window: str) -> None:
    alive, dead = tmp_path / "alive", tmp_path / "dead"
    store = SqliteStore.open(alive, model=MODEL)
    bench = Bench(store)
    older, run = await two_memories(bench)
    commit = settle(run.id, stage, results=results(bench, run, older)[stage], output={"n": 1})
    with armed(window, lambda: shutil.copytree(alive, dead)):
        await store.commit_stage(commit)
    sizes = table_sizes(alive)
    log = store.log(1, 100)
    await store.aclose()

    store = SqliteStore.open(dead, model=MODEL)
    bench = Bench(store)
    committed = window == "after_commit_before_ack"
    assert stage_of(run_of(bench, run.id), stage).status == ("succeeded" if committed else "not_started")
    assert table_sizes(dead) == (sizes if committed else dict.fromkeys(sizes, 0))
    assert store.log(1, 100) == (log if committed else log[:-1])
    # Whoever takes over does the stage again: nothing is doubled.
    await store.release_leases()
    assert (await claim(bench))[1].attempts == 2
    await store.commit_stage(commit)
    assert table_sizes(dead) == sizes
    await store.aclose()


async def test_a_stage_tells_what_it_has_added_and_the_second_time_nothing_of_edges(bench: Bench) -> None:
    older, run = await two_memories(bench)
    commit = settle(run.id, "auto_edge", results=results(bench, run, older)["auto_edge"])
    first = await bench.store.commit_stage(commit)
    assert dict(first.added) == {"edges": 1}
    assert bench.store.log(first.lsn, 1)[0].payload["added"] == {"edges": 1}
    second = await bench.store.commit_stage(commit)
    assert dict(second.added) == {"edges": 0}
    assert "added" not in bench.store.log(second.lsn, 1)[0].payload


async def test_a_failed_stage_may_bring_what_it_found_all_the_same(bench: Bench, tmp_path: Path) -> None:
    older, run = await two_memories(bench)
    found = results(bench, run, older)["auto_edge"]
    await bench.store.commit_stage(settle(run.id, "auto_edge", "failed", error="E: x", results=found))
    assert table_sizes(tmp_path / "data")["edges"] == 1
    assert stage_of(run_of(bench, run.id), "auto_edge").status == "failed"


@pytest.mark.parametrize("stage", ["auto_edge", "memory_text", "hype"])
async def test_a_refused_commit_leaves_no_result(bench: Bench, tmp_path: Path, stage: str) -> None:
    older, run = await two_memories(bench)
    found = results(bench, run, older)[stage]
    with pytest.raises(LeaseLost):
        await bench.store.commit_stage(settle(run.id, stage, owner="another", results=found))
    with pytest.raises(InvalidInput):
        await bench.store.commit_stage(settle(run.id, stage, results=found, output={"n": float("nan")}))
    await bench.store.forget(bench.number(), [run.slot])
    with pytest.raises(RevisionGone):
        await bench.store.commit_stage(settle(run.id, stage, results=found))
    assert set(table_sizes(tmp_path / "data").values()) == {0}


async def test_refused_and_failed_commits_take_nothing_with_them(bench: Bench) -> None:
    """Many commits in one group: those that are refused fail alone, and an error of the group is not the others'."""
    persisted = await bench.fill(f"text {n}" for n in range(40))
    runs = await claim(bench)
    await bench.store.forget(bench.number(), [each.id.slot for each in persisted[::4]])
    edges = MemoryEdges(made_by="auto_edge", edges=(NewEdge(target=persisted[1].id.slot, kind="similar_to", weight=1),))
    commits = [
        bench.store.commit_stage(settle(run.id, "auto_edge", owner="wx"[n % 2], results=edges))
        for n, run in enumerate(runs)
    ]
    with armed("in_transaction", raising(StoreFull, times=3)):
        outcomes: list[Any] = await asyncio.gather(*commits, bench.persist("meanwhile"), return_exceptions=True)
    kinds = [type(outcome) for outcome in outcomes[:40]]
    refused = sum(kind is LeaseLost for kind in kinds), sum(kind is RevisionGone for kind in kinds)
    assert refused == (20, 10)
    lsns = [outcome.lsn for outcome in outcomes if isinstance(outcome, StageOutcome)]
    assert [bench.store.log(lsn, 1)[0].type for lsn in lsns] == ["stage_completed"] * 10
    assert [entry.lsn for entry in bench.store.log(1, 1000)] == list(range(1, bench.store.last_lsn + 1))
    assert bench.get(outcomes[40].id.slot).text == "meanwhile"


async def test_a_full_disk_loses_a_commit_and_says_so(bench: Bench) -> None:
    older, run = await two_memories(bench)
    commit = settle(run.id, "auto_edge", results=results(bench, run, older)["auto_edge"])
    before = run_of(bench, run.id), bench.store.last_lsn, bench.store.stats().pending_derivations
    with armed("in_transaction", raising(StoreFull)):
        for write in (bench.store.commit_stage(commit), ended(bench, run.id), claim(bench, "x", lease_us=LEASE_US)):
            with pytest.raises(StoreFull):
                await write
    assert (run_of(bench, run.id), bench.store.last_lsn, bench.store.stats().pending_derivations) == before
    await bench.store.commit_stage(commit)
    await ended(bench, run.id)
    assert bench.store.stats().pending_derivations == before[2] - 1
