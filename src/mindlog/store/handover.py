"""Between event loops and the writer thread: a bounded door in, results back in one call a loop. Knows no SQL.

A caller waits at the door while `capacity` of its loop's writes are under way, so nothing here grows without bound.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from mindlog.errors import Closed
from mindlog.store.transaction import Transaction

__all__ = ["Door", "Port", "Queue", "Ticket", "Write"]

Operation = Callable[[Transaction], Any]


class Ticket:
    """One caller's wait: the outcomes of its writes, and the future that gets them when all are there."""

    __slots__ = ("future", "missing", "outcomes", "port")

    def __init__(self, port: Port, count: int) -> None:
        self.port = port
        self.future: asyncio.Future[list[Any]] = port.loop.create_future()
        self.outcomes: list[Any] = [None] * count
        self.missing = count


class Write:
    """One operation of a caller. `alone`: not inside a transaction; then the operation takes none."""

    __slots__ = ("alone", "index", "operation", "ticket")

    def __init__(self, operation: Callable[..., Any], ticket: Ticket, index: int = 0, alone: bool = False) -> None:
        self.operation = operation
        self.ticket = ticket
        self.index = index
        self.alone = alone


class Port:
    """One event loop's side."""

    def __init__(self, loop: asyncio.AbstractEventLoop, capacity: int) -> None:
        self.loop = loop
        self._free = capacity
        self._waiting: deque[asyncio.Future[None]] = deque()

    def try_enter(self) -> bool:
        """Take a place if one is free and nobody waits for it."""
        if self._free and not self._waiting:
            self._free -= 1
            return True
        return False

    async def enter(self) -> None:
        """Wait for a place; they are given in order. A semaphore does the same at three times the price."""
        place: asyncio.Future[None] = self.loop.create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Give the place to the next who waits, or back."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._free += 1

    def settle(self, tickets: Sequence[Ticket]) -> None:
        """Resolve the futures; runs on the loop."""
        for ticket in tickets:
            self.leave()
            if not ticket.future.done():
                ticket.future.set_result(ticket.outcomes)


class Queue:
    """Writes waiting for the writer thread, in order."""

    def __init__(self) -> None:
        self._writes: deque[Write] = deque()
        self._mutex = threading.Lock()
        self._wake = threading.Lock()  # held while there is nothing to do; a plain lock wakes faster than a condition
        self._wake.acquire()
        self._asleep = False
        self._closed = False

    def __len__(self) -> int:
        return len(self._writes)

    def put(self, writes: Sequence[Write]) -> None:
        """Add writes. Raises `Closed`."""
        with self._mutex:
            if self._closed:
                raise Closed
            self._writes.extend(writes)
            wake, self._asleep = self._asleep, False
        if wake:
            self._wake.release()

    def take(self, limit: int, timeout: float) -> list[Write] | None:
        """Return up to `limit` writes, none after `timeout` seconds without any (negative: wait on), None when closed."""
        with self._mutex:
            if self._writes or self._closed:
                return self._pop(limit)
            self._asleep = True
        if not self._wake.acquire(timeout=timeout):
            with self._mutex:
                if self._asleep:
                    self._asleep = False
                    return []
            self._wake.acquire()  # somebody has woken us just after the time was up
        with self._mutex:
            return self._pop(limit)

    def _pop(self, limit: int) -> list[Write] | None:
        if not self._writes:
            return None if self._closed else []
        return [self._writes.popleft() for _ in range(min(limit, len(self._writes)))]

    def close(self) -> None:
        """Accept no more writes; those that are here are still given out. Safe to call twice."""
        with self._mutex:
            self._closed = True
            wake, self._asleep = self._asleep, False
        if wake:
            self._wake.release()


class Door:
    """Where event loops hand writes over."""

    def __init__(self, queue: Queue, capacity: int) -> None:
        self._queue = queue
        self._capacity = capacity
        self._ports: dict[asyncio.AbstractEventLoop, Port] = {}

    async def submit(self, operations: Sequence[Callable[..., Any]], *, alone: bool = False) -> list[Any]:
        """Hand the operations over and wait for their outcomes, errors as values. Raises `Closed`.

        If the caller is cancelled while it waits, the writes are made all the same, whole.
        """
        port = self._port()
        if not port.try_enter():
            await port.enter()
        ticket = Ticket(port, len(operations))
        try:
            self._queue.put([Write(operation, ticket, index, alone) for index, operation in enumerate(operations)])
        except Closed:
            port.leave()
            raise
        return await ticket.future

    def _port(self) -> Port:
        loop = asyncio.get_running_loop()
        port = self._ports.get(loop)
        if port is None:
            self._ports = {known: old for known, old in self._ports.items() if not known.is_closed()}
            port = self._ports[loop] = Port(loop, self._capacity)
        return port
