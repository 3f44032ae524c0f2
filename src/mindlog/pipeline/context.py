"""Which stage is running here, and the sink that takes the inferences it makes.

Owns the contextvar. A task and `asyncio.to_thread` copy it, `loop.run_in_executor` does not. Must not know observers.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from threading import Lock
from typing import Self


class InferenceSink:
    """Collects the inferences of one stage, from any thread, while its `with` block is open."""

    __slots__ = ("_lock", "_open", "_token", "inference_ids", "stage")
    _token: Token[InferenceSink | None]

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.inference_ids: list[str] = []
        self._open = True
        self._lock = Lock()

    def __enter__(self) -> Self:
        self._token = _sink.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _sink.reset(self._token)
        with self._lock:
            self._open = False

    def add(self, inference_id: str) -> bool:
        """Takes an inference; `False` if the stage has ended, which a thread that outlived it may find."""
        # The lock is the promise: what returned True was there when the stage's inferences were read.
        with self._lock:
            if self._open:
                self.inference_ids.append(inference_id)
            return self._open


_sink: ContextVar[InferenceSink | None] = ContextVar("mindlog_inference_sink", default=None)


def record_inference(inference_id: str) -> bool:
    """Files an inference under the stage that is running here; `False`, and nothing happens, where none is.

    May be called in any task, `TaskGroup` or `asyncio.to_thread` of the stage.
    """
    sink = _sink.get()
    return sink is not None and sink.add(inference_id)


def current_stage() -> str | None:
    """The name of the stage this code runs for, or `None` outside of any."""
    sink = _sink.get()
    return None if sink is None else sink.stage
