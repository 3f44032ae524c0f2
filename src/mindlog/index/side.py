"""How far one index is behind the store, and what became of making it good. Owns the attempts, no index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event

from mindlog.index.base import IndexState
from mindlog.index.guard import Guard

__all__ = ["Side"]

_ATTEMPTS = 4
_PAUSE = 0.05  # seconds after the first failed attempt, four times as long after each further one


class Side:
    """One index beside the store."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._adding = Guard(f"Adding a commit to the {name} index")
        self._feeding = Guard(f"Feeding the {name} index")
        self._behind = False
        self._given_up = False
        self._fault: str | None = None

    def attempt(self, work: Callable[[], None]) -> None:
        """Do the work; whatever goes wrong in it leaves this index behind and goes no further."""
        with self._adding:
            work()
        if self._adding.fault:
            self.fall_behind(self._adding.fault)

    def fall_behind(self, fault: str | None = None) -> None:
        """Note that something is missing, and why if that was a fault."""
        self._fault = fault or self._fault
        self._behind = True

    @property
    def is_behind(self) -> bool:
        """Whether something is missing that is still to be fed."""
        return self._behind

    def catch_up(self, missing: Callable[[], bool], feed: Callable[[], None], stop: Event) -> None:
        """Feed until nothing is missing, with pauses after faults; after a few attempts give up."""
        pause = _PAUSE
        for _ in range(_ATTEMPTS):
            if self._is_complete(missing) or stop.is_set():
                return
            with self._feeding:
                feed()
            if self._feeding.fault:
                self._fault = self._feeding.fault
                stop.wait(pause)
                pause *= 4
        self._given_up = not self._is_complete(missing)

    def _is_complete(self, missing: Callable[[], bool]) -> bool:
        # Cleared before looking: a commit that fails after the look sets it again.
        self._behind = False
        self._behind = self._behind or missing()
        if not self._behind:
            self._given_up, self._fault = False, None
        return not self._behind

    def tell(self, state: IndexState) -> IndexState:
        """Return the index's own state with what is known here."""
        if self._given_up:
            return replace(state, state="failed", detail=self._fault or "the store does not give what is missing")
        if self._behind:
            return replace(state, state="rebuilding", detail=self._fault or state.detail)
        return state
