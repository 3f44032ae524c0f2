"""The gate of a batch: holds its memories until all have arrived or failed, then hands them over in one ordered write."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from mindlog.encode.job import EncodeStore, Sink
from mindlog.errors import MindlogError
from mindlog.records import NewMemory, Persisted

__all__ = ["BatchGate"]

_Outcomes = list[Persisted | MindlogError]


class BatchGate:
    """Collects the memories of `size` jobs. Each job arrives through its ticket or leaves without one."""

    def __init__(self, store: EncodeStore, size: int) -> None:
        self._store = store
        self._tickets = [_Ticket(self) for _ in range(size)]
        self._missing = size
        self._write: asyncio.Task[_Outcomes] | None = None

    def ticket(self, index: int) -> Sink:
        """Return the place of the batch's item."""
        return self._tickets[index]

    def leave(self, ticket: Sink) -> None:
        """Say that this item is over; one that never arrived no longer holds the others up."""
        assert isinstance(ticket, _Ticket)  # gates hand out no other sink
        if not ticket.counted:
            self.count(ticket)

    def count(self, ticket: _Ticket) -> None:
        """Count an arrival or a departure; the last one starts the write."""
        ticket.counted = True
        self._missing -= 1
        if self._missing == 0:
            waiting = [t for t in self._tickets if t.memory is not None]
            memories = [t.memory for t in waiting if t.memory is not None]
            # A task of its own: the item that happens to come last may be cancelled, the others' write may not.
            self._write = asyncio.get_running_loop().create_task(self._store.persist_many(memories))
            self._write.add_done_callback(partial(_settle, waiting))


class _Ticket:
    """One item's place."""

    __slots__ = ("_gate", "_outcome", "counted", "memory")

    def __init__(self, gate: BatchGate) -> None:
        self._gate = gate
        self._outcome: asyncio.Future[Persisted] | None = None
        self.counted = False
        self.memory: NewMemory | None = None

    async def persist(self, memory: NewMemory) -> Persisted:
        """Wait for the batch's write."""
        self.memory = memory
        self._outcome = asyncio.get_running_loop().create_future()
        self._gate.count(self)
        return await self._outcome

    def settle(self, outcome: Persisted | BaseException | None) -> None:
        """Give the item its own outcome; None if the write was cancelled."""
        future = self._outcome
        if future is None or future.done():
            return
        if outcome is None:
            future.cancel()
        elif isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def _settle(tickets: Sequence[_Ticket], write: asyncio.Task[_Outcomes]) -> None:
    """Give every item its outcome, that of the whole write if that failed: nobody waits for ever."""
    error = None if write.cancelled() else write.exception()
    outcomes = [error] * len(tickets) if write.cancelled() or error is not None else write.result()
    for ticket, outcome in zip(tickets, outcomes, strict=True):
        ticket.settle(outcome)
