"""An answer that comes piece by piece, for callers without an event loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import suppress
from typing import TypeVar

from mindlog.errors import Closed
from mindlog.loopthread import LoopThread
from mindlog.views import AnswerPart

__all__ = ["answer_parts"]

T = TypeVar("T")


def answer_parts(thread: LoopThread[T], begin: Callable[[T], AsyncGenerator[AnswerPart]]) -> Generator[AnswerPart]:
    """Yield the parts of the answer that `begin` starts in the thread. Closed early, it ends the call."""

    async def made(inner: T) -> AsyncGenerator[AnswerPart]:
        return begin(inner)

    async def more(_: T) -> AnswerPart | None:
        return await anext(parts, None)

    async def end(_: T) -> None:
        await parts.aclose()

    parts = thread.call(made)
    try:
        while (part := thread.call(more, is_wait=True)) is not None:
            yield part
    finally:
        with suppress(Closed):
            thread.call(end)
