"""A background thread of the indexes: runs a piece of work whenever it is woken. Owns waiting and ending only."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Event, Thread

from mindlog.index.guard import Guard

__all__ = ["Upkeep"]


class Upkeep:
    """Runs `work` after every `wake`, once for all that came meanwhile. What goes wrong in it is logged."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self._work = work
        self._guard = Guard(f"Background work ({name})")
        self._change = Condition()
        self._asked = 0
        self._done = 0
        self.closing = Event()
        self._thread = Thread(target=self._run, name=f"mindlog-{name}", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Have the work run soon. Never blocks."""
        with self._change:
            self._asked += 1
            self._change.notify_all()

    def settle(self, timeout: float) -> bool:
        """Wait until the work asked for so far is done; say whether it is, or the seconds passed first."""
        with self._change:
            asked = self._asked
            return self._change.wait_for(lambda: self._done >= asked, timeout)

    def close(self) -> None:
        """Let the work under way come to its next pause, and end the thread."""
        with self._change:
            self.closing.set()
            self._change.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self.closing.is_set() or self._asked > self._done)
                if self.closing.is_set():
                    return
                asked = self._asked
            with self._guard:
                self._work()
            with self._change:
                self._done = asked
                self._change.notify_all()
