"""Named crash windows: places in the code where a test may make something go wrong. Nothing happens unless armed.

Owns the list of windows and the actions; knows no store. Production code calls `fault(name)`, which costs one dict test.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["WINDOWS", "Block", "arm", "armed", "fault", "kill", "raising"]

_DERIVE = ("auto_edge", "temporal_edge", "memory_text", "extractor", "hype")

_REMEMBER = (
    "classify_complexity",
    "chunk_text",
    "store_series",
    "resolve_geo",
    "web_search",
    "fetch_series",
    "observe_series",
)

#: Every window: where it is, in the order a write and then its derivation, or a document's run, pass them. Those of a text are
#: armed with its position behind a colon: `before_text:7`.
WINDOWS = {
    "in_transaction": "the group's rows are written, its transaction is not committed",
    "after_commit_before_listeners": "committed and fsynced, the indexes have not heard of it",
    "after_commit_before_ack": "committed and heard of, no caller has been told",
    "before_checkpoint": "the write-ahead log is about to be folded into the database",
    "after_checkpoint": "the write-ahead log has been folded into the database",
    "in_migration": "a migration's statements have run, its record is not committed",
    "in_reindex": "a batch of vectors has been replaced, its transaction is not committed",
    **{f"before_stage:{stage}": f"derivation is at {stage}; what came before is committed" for stage in _DERIVE},
    **{f"in_stage:{stage}": f"{stage} has made its results, they are not committed" for stage in _DERIVE},
    **{f"before_stage:{stage}": f"a document is at {stage}; what came before is committed" for stage in _REMEMBER},
    **{f"in_stage:{stage}": f"{stage} is done for a document, its end is not committed" for stage in _REMEMBER},
    "after_read": "what a chunk says is kept, nothing of it is in the graph",
    "before_text": "a chunk has been reconciled, what it says is not committed",
    "after_text": "what a chunk says is committed, the next one has not begun",
    "after_stages": "every stage of a derivation or of a document is committed, its run has not ended",
}

Action = Callable[[], object]

_armed: dict[str, Action] = {}


def fault(name: str) -> None:
    """Run what the window is armed with, if anything."""
    if _armed and (action := _armed.get(name)) is not None:
        action()


def arm(name: str, action: Action) -> None:
    """Arm a window until the process ends. `KeyError` if there is no such window."""
    if name not in WINDOWS and name.partition(":")[0] not in WINDOWS:
        raise KeyError(f"{name!r} is no crash window; there are {', '.join(WINDOWS)}")
    _armed[name] = action


@contextmanager
def armed(name: str, action: Action) -> Generator[None]:
    """Arm a window for the length of the context, on every thread. `KeyError` if there is no such window."""
    before = _armed.get(name)
    arm(name, action)
    try:
        yield
    finally:
        if before is None:
            del _armed[name]
        else:
            _armed[name] = before


def kill() -> None:
    """End this process at once, as a power cut would for everything but the disk's cache."""
    os.kill(os.getpid(), signal.SIGKILL)


def raising(error: Callable[[], BaseException], times: int | None = None) -> Action:
    """Return an action that raises a new error the first `times` times, or always."""
    left = [times]

    def action() -> None:
        if left[0] is None:
            raise error()
        if left[0] > 0:
            left[0] -= 1
            raise error()

    return action


@dataclass(slots=True)
class Block:
    """An action that holds the thread in the window: wait for `entered`, look around, then `release`."""

    timeout: float = 30.0
    entered: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def __call__(self) -> None:
        """Say that the window is reached and wait."""
        self.entered.set()
        if not self.released.wait(self.timeout):
            raise TimeoutError("the crash window was not released")

    def release(self) -> None:
        """Let the thread go on."""
        self.released.set()
