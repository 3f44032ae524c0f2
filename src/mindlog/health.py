"""How an engine is, from counts that are at hand: what cannot serve, what is behind, and why. Owns the words of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from mindlog.background import Background
from mindlog.clock import Clock
from mindlog.index.base import IndexState
from mindlog.index.indexes import Indexes
from mindlog.models.breaker import Passage
from mindlog.models.embedder import Embedder
from mindlog.models.llm import NO_LLM
from mindlog.records import Health
from mindlog.runs.worker import Worker
from mindlog.store.base import Store
from mindlog.store.runrows import RunCounts

__all__ = ["look"]

_OLD_SECONDS = 600.0
_SECOND = 1_000_000
_OPEN = ("waiting", "running", "retrying")
_GIVEN_UP = ("quarantined", "failed")


async def look(store: Store, indexes: Indexes, embedder: Embedder, background: Background, clock: Clock) -> Health:
    """Return how the engine is. Only what keeps writes or recall from working makes it unready; all else degrades it."""
    stats = await asyncio.to_thread(store.stats)
    states = await asyncio.to_thread(indexes.states)
    derive = await asyncio.to_thread(_derive, store, background, clock)
    remember = await asyncio.to_thread(_remember, store, background, clock)
    query = await asyncio.to_thread(_query, store, background)
    llm = _llm(background)
    reasons = (
        *_of_indexes(states),
        *_of_work("derivation", derive, background.worker),
        *_of_work("remember", remember, background.rememberer),
        *_of_query(background),
        *_of_llm(llm, background),
    )
    failed = [state for state in states if state.state == "failed"]
    return Health(
        ready=not failed,
        status="failed" if failed else "degraded" if reasons else "ok",
        reasons=reasons,
        store={name: getattr(stats, name) for name in stats.__dataclass_fields__},
        indexes=tuple({name: getattr(state, name) for name in state.__dataclass_fields__} for state in states),
        embedder={"name": embedder.name, "dimensions": embedder.dimensions, "fingerprint": embedder.fingerprint},
        derive=derive,
        remember=remember,
        query=query,
        llm=llm,
    )


def _of_indexes(states: list[IndexState]) -> Iterator[str]:
    for state in states:
        if state.state != "ready":
            yield f"index {state.name}: {state.state} ({state.detail or 'no detail'})"


def _derive(store: Store, background: Background, clock: Clock) -> dict[str, Any]:
    paused = _paused(background.worker, "this process does not derive (setting derive)")
    return {**_work(store.run_counts(), clock), "paused": paused}


def _remember(store: Store, background: Background, clock: Clock) -> dict[str, Any]:
    paused = _paused(background.rememberer, "this process does not remember (setting remember)")
    return {**_work(store.remember_counts(), clock), "paused": paused}


def _query(store: Store, background: Background) -> dict[str, Any]:
    states = store.query_counts().by_state
    counts = {state: states.get(state, 0) for state in ("running", "succeeded", "failed")}
    return {**counts, "unrecorded": background.query_trouble.lost}


def _work(counts: RunCounts, clock: Clock) -> dict[str, Any]:
    by_state = {state: counts.by_state.get(state, 0) for state in (*_OPEN, *_GIVEN_UP)}
    oldest = counts.oldest_created_at
    return {
        "pending": sum(by_state[state] for state in _OPEN),
        **by_state,
        "oldest_seconds": None if oldest is None else max(clock.now() - oldest, 0) / _SECOND,
    }


def _paused(worker: Worker[Any] | None, idle: str) -> str | None:
    if worker is None:
        return idle
    return "; ".join(f"{what} failed: {why}" for what, why in worker.trouble.items()) or None


def _of_work(what: str, work: dict[str, Any], worker: Worker[Any] | None) -> Iterator[str]:
    for state in _GIVEN_UP:
        if work[state]:
            yield f"{what}: {work[state]} {state}"
    age = work["oldest_seconds"]
    if age is not None and age > _OLD_SECONDS:
        yield f"{what}: {work['pending']} pending, the oldest for {age / 60:.0f} minutes"
    if worker is None:
        return
    if work["paused"]:
        yield f"{what}: {work['paused']}"
    if worker.unrecorded:
        log = "run log" if what == "derivation" else f"run log of {what}"
        yield f"{log}: {worker.unrecorded} ends of stages or runs could not be recorded and are done again"


def _of_query(background: Background) -> Iterator[str]:
    trouble = background.query_trouble
    if trouble.reason is not None:
        yield f"run log of query: {trouble.lost} entries could not be recorded ({trouble.reason})"


def _llm(background: Background) -> dict[str, Any]:
    llm = background.llm
    if llm is None:
        return {"configured": False, "provider": None, "model": None, "state": "none", "reason": NO_LLM}
    guard = llm.state
    state = "paused" if guard.passage is Passage.PAUSED else "failing" if guard.failures else "ok"
    return {"configured": True, "provider": llm.provider, "model": llm.model, "state": state, "reason": guard.reason}


def _of_llm(llm: dict[str, Any], background: Background) -> Iterator[str]:
    if llm["state"] in ("paused", "failing"):
        yield f"language model: {llm['state']} ({llm['reason']})"
    lost = 0 if background.chat is None else background.chat.inferences.failures
    if lost:
        yield f"language model: {lost} calls could not be recorded"
