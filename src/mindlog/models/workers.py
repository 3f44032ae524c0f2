"""A few threads for pure computation, awaited from the event loop. Knows nothing of what it runs.

No context variable reaches the threads, so nothing that records may run here.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from mindlog.errors import Closed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

__all__ = ["Workers", "bounded_map"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """`threads` worker threads. Work that no thread has begun is dropped when its awaiter is cancelled."""

    def __init__(self, threads: int, name: str) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self.threads = threads

    async def run(self, function: Callable[[Item], Result], item: Item) -> Result:
        """Call the function on a thread.

        Raises:
            Closed: the workers were closed.
        """
        try:
            future = self._executor.submit(function, item)
        except RuntimeError as exc:
            raise Closed("the embedder is closed") from exc
        return await asyncio.wrap_future(future)

    async def aclose(self) -> None:
        """Finish what was handed in, then end the threads."""
        await asyncio.to_thread(self._executor.shutdown)


async def bounded_map(
    function: Callable[[Item], Awaitable[Result]], items: Sequence[Item], *, limit: int
) -> list[Result]:
    """Results in the order of the items, at most `limit` calls at a time; the first error cancels the rest."""
    if len(items) == 1:
        return [await function(items[0])]
    results: dict[int, Result] = {}
    waiting = iter(enumerate(items))

    async def work() -> None:
        for index, item in waiting:
            results[index] = await function(item)

    await _all_or_none([work() for _ in range(min(limit, len(items)))])
    return [results[index] for index in range(len(items))]


async def _all_or_none(coroutines: list[Awaitable[None]]) -> None:
    tasks = [asyncio.ensure_future(each) for each in coroutines]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
