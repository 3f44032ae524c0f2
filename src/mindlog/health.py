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
from mindlog.store.base import Store

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
    llm = _llm(background)
    reasons = (*_of_indexes(states), *_of_derive(derive, background), *_of_llm(llm, background))
    failed = [state for state in states if state.state == "failed"]
    return Health(
        ready=not failed,
        status="failed" if failed else "degraded" if reasons else "ok",
        reasons=reasons,
        store={name: getattr(stats, name) for name in stats.__dataclass_fields__},
        indexes=tuple({name: getattr(state, name) for name in state.__dataclass_fields__} for state in states),
        embedder={"name": embedder.name, "dimensions": embedder.dimensions, "fingerprint": embedder.fingerprint},
        derive=derive,
        llm=llm,
    )


def _of_indexes(states: list[IndexState]) -> Iterator[str]:
    for state in states:
        if state.state != "ready":
            yield f"index {state.name}: {state.state} ({state.detail or 'no detail'})"


def _derive(store: Store, background: Background, clock: Clock) -> dict[str, Any]:
    counts = store.run_counts()
    by_state = {state: counts.by_state.get(state, 0) for state in (*_OPEN, *_GIVEN_UP)}
    oldest = counts.oldest_created_at
    return {
        "pending": sum(by_state[state] for state in _OPEN),
        **by_state,
        "oldest_seconds": None if oldest is None else max(clock.now() - oldest, 0) / _SECOND,
        "paused": _paused(background),
    }


def _paused(background: Background) -> str | None:
    if background.worker is None:
        return "this process does not derive (setting derive)"
    troubles = [f"{what} failed: {why}" for what, why in background.worker.trouble.items()]
    return "; ".join(troubles) or None


def _of_derive(derive: dict[str, Any], background: Background) -> Iterator[str]:
    for state in _GIVEN_UP:
        if derive[state]:
            yield f"derivation: {derive[state]} {state}"
    age = derive["oldest_seconds"]
    if age is not None and age > _OLD_SECONDS:
        yield f"derivation: {derive['pending']} pending, the oldest for {age / 60:.0f} minutes"
    worker = background.worker
    if worker is not None and derive["paused"]:
        yield f"derivation: {derive['paused']}"
    if worker is not None and worker.unrecorded:
        yield f"run log: {worker.unrecorded} ends of stages or runs could not be recorded and are done again"


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
