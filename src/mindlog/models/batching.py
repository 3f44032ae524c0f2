"""Calls of the same time share batches. Owns what waits and who gets which outcome; knows nothing of what it sends."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from mindlog.errors import Busy, Closed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

__all__ = ["Batcher"]

Value = TypeVar("Value")
Result = TypeVar("Result")
_Batch = list["_Item[Value, Result]"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Item(Generic[Value, Result]):
    value: Value
    caller: object
    outcome: asyncio.Future[Result]


class Batcher(Generic[Value, Result]):
    """Sends together what arrives in one turn of its event loop, or while every sender is busy. Waits for no timer.

    size: values of a batch. max_in_flight: batches at a time. max_waiting: values that may wait before calls are
    refused. is_values_fault: whether some of the values may be to blame, so that halves of the callers are tried.
    """

    def __init__(
        self,
        send: Callable[[list[Value]], Awaitable[Sequence[Result]]],
        *,
        size: int,
        max_in_flight: int,
        max_waiting: int,
        is_values_fault: Callable[[BaseException], bool],
    ) -> None:
        self._send, self._is_values_fault = send, is_values_fault
        self._size, self._max_in_flight, self._max_waiting = size, max_in_flight, max_waiting
        self._waiting: OrderedDict[_Item[Value, Result], None] = OrderedDict()
        self._halves: deque[_Batch[Value, Result]] = deque()
        self._flights: dict[asyncio.Task[None], _Batch[Value, Result]] = {}
        self._closed = False

    async def run(self, values: Sequence[Value]) -> list[Result]:
        """One result per value, in order; the call's first error ends it. Cancelling it leaves other calls alone.

        Raises `Busy` while too many values wait, `Closed` once the batcher was closed, and what `send` raised.
        """
        if self._closed:
            raise Closed("the embedder is closed")
        if len(self._waiting) >= self._max_waiting:
            raise Busy("too many texts wait for the embedder; try again")
        loop, me = asyncio.get_running_loop(), object()
        items: _Batch[Value, Result] = [_Item(value=each, caller=me, outcome=loop.create_future()) for each in values]
        self._waiting.update(dict.fromkeys(items))
        loop.call_soon(self._start)
        try:
            return await asyncio.gather(*(item.outcome for item in items))
        finally:
            self._drop(items)

    async def aclose(self) -> None:
        """Refuse new calls and finish those that were made."""
        self._closed = True
        self._start()
        while self._flights:
            await asyncio.wait(self._flights)

    def _start(self) -> None:
        while len(self._flights) < self._max_in_flight and (batch := self._next()):
            task = asyncio.create_task(self._fly(batch))
            self._flights[task] = batch
            task.add_done_callback(self._land)

    def _next(self) -> _Batch[Value, Result]:
        while self._halves:
            if half := [item for item in self._halves.popleft() if not item.outcome.done()]:
                return half
        return [self._waiting.popitem(last=False)[0] for _ in range(min(self._size, len(self._waiting)))]

    async def _fly(self, batch: _Batch[Value, Result]) -> None:
        results = await self._send([item.value for item in batch])
        for item, result in zip(batch, results, strict=True):
            if not item.outcome.done():
                item.outcome.set_result(result)

    def _land(self, task: asyncio.Task[None]) -> None:
        batch = self._flights.pop(task)
        error = None if task.cancelled() else task.exception()
        open_items = [item for item in batch if not item.outcome.done()]
        if error and self._is_values_fault(error) and len({item.caller for item in batch}) > 1:
            self._halves.extend(_halved(open_items))
        else:
            for item in open_items:
                item.outcome.set_exception(error) if error else item.outcome.cancel()
        self._start()

    def _drop(self, items: _Batch[Value, Result]) -> None:
        for item in items:
            item.outcome.cancel()
            self._waiting.pop(item, None)
        for task, batch in self._flights.items():
            if not task.cancelling() and all(item.outcome.done() for item in batch):
                task.cancel()


def _halved(batch: _Batch[Value, Result]) -> list[_Batch[Value, Result]]:
    """Two batches with half of the callers each; a caller's values share an outcome and stay together."""
    callers = list(dict.fromkeys(item.caller for item in batch))
    first = set(callers[: len(callers) // 2])
    return [[item for item in batch if (item.caller in first) is wanted] for wanted in (True, False)]
