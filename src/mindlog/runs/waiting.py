"""Writes that wait for their derivation: what came of it within the window, as the answer shows it. Knows no encode."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from mindlog.clock import iso
from mindlog.errors import Closed
from mindlog.ids import run_id
from mindlog.runs.settlement import Settlement
from mindlog.runs.shown import Outputs
from mindlog.store.runrows import RunRow, StageRow
from mindlog.store.stages import DERIVE_STAGES

__all__ = ["PENDING", "Derived", "Waiting", "WaitingStore"]

PENDING = tuple(stage.name for stage in DERIVE_STAGES)
"""The stages that a new revision has still to go through."""

_SETTLED = ("succeeded", "skipped")
_NEVER_ENDED = ("not_started", "started")
_UNKNOWN = tuple(
    StageRow(name=name, status="not_started", error=None, started_at=None, finished_at=None, inference_ids=())
    for name in PENDING
)


class WaitingStore(Protocol):
    """What this needs of a store."""

    def run(self, run: int) -> RunRow | None:
        """Return one run row."""
        ...

    def run_outputs(self, run: int) -> Mapping[str, Mapping[str, Any]]:
        """Return what each stage produced."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What is known of a write's derivation when its window is over. edges: how many auto_edge made."""

    trace: Mapping[str, Any]
    pending: tuple[str, ...]
    edges: int


class Waiting:
    """Waits for derivations, `window` seconds at most; not at all where this process does not derive (`can_wait`)."""

    def __init__(self, store: WaitingStore, settlement: Settlement, window: float, *, can_wait: bool) -> None:
        self._store = store
        self._settlement = settlement
        self._window = window
        self._can_wait = can_wait

    async def pending(self, runs: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Return the stages that the runs have still open, by run."""
        return await asyncio.to_thread(lambda: {run: _open(self._store.run(run)) for run in dict.fromkeys(runs)})

    async def derived(self, runs: Iterable[int]) -> dict[int, Derived]:
        """Wait for the runs together; return by run what came of each, settled or not."""
        unique = list(dict.fromkeys(runs))
        if self._can_wait:
            with suppress(Closed):
                await self._settlement.wait(unique, self._window)
        return await asyncio.to_thread(lambda: {run: self._derived(run) for run in unique})

    def _derived(self, run: int) -> Derived:
        try:
            row, outputs = self._store.run(run), self._store.run_outputs(run)
        except Closed:
            # The engine is closing. The write is a fact all the same, and its caller is to hear of it.
            return Derived(trace=self._trace(run, _UNKNOWN, {}, is_settled=False), pending=PENDING, edges=0)
        stages = () if row is None else row.stages
        is_settled = row is None or row.status != "started"
        made = outputs.get("auto_edge", {}).get("edges", 0)
        return Derived(trace=self._trace(run, stages, outputs, is_settled=is_settled), pending=_open(row), edges=made)

    def _trace(self, run: int, stages: Iterable[StageRow], outputs: Outputs, *, is_settled: bool) -> dict[str, Any]:
        return {
            "settled": is_settled,
            "window_seconds": self._window,
            "run_id": run_id(run),
            "stages": [_stage(stage, outputs.get(stage.name), is_settled=is_settled) for stage in stages],
        }


def _open(row: RunRow | None) -> tuple[str, ...]:
    if row is None or row.status != "started":
        return ()
    return tuple(stage.name for stage in row.stages if stage.status not in _SETTLED)


def _stage(stage: StageRow, output: Mapping[str, Any] | None, *, is_settled: bool) -> dict[str, Any]:
    is_late = not is_settled and stage.status in _NEVER_ENDED
    return {
        "name": stage.name,
        "status": "timeout" if is_late else stage.status,
        "started_at": _instant(stage.started_at),
        "finished_at": _instant(stage.finished_at),
        "error": stage.error,
        "calls": len(stage.inference_ids),
        "inference_ids": list(stage.inference_ids),
        "output": None if output is None else dict(output),
    }


def _instant(at: int | None) -> str | None:
    return None if at is None else iso(at)
