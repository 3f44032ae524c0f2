"""An event loop in a background thread that owns one asynchronous resource, for callers in any thread.

Owns the thread's life: opening, calls, draining and closing, also when nobody closed it. Knows no engine.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import concurrent.futures.thread  # pyright: ignore[reportUnusedImport]  # its exit hook must come before ours
import contextlib
import os
import threading
import warnings
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from mindlog.errors import Closed, MindlogError

__all__ = ["LoopThread"]

T = TypeVar("T")
R = TypeVar("R")

DRAIN_SECONDS = 30.0

_open_threads: set[LoopThread[Any]] = set()
_registry = threading.Lock()


class LoopThread(Generic[T]):
    """Runs `opening` in a thread of its own and keeps its result there; `closing` is run on it at the end.

    Constructing one returns when the resource is open, or raises what `opening` raised.
    """

    def __init__(
        self, opening: Callable[[], Coroutine[Any, Any, T]], closing: Callable[[T], Coroutine[Any, Any, None]]
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._calls: set[asyncio.Task[Any]] = set()
        self._waits: set[asyncio.Task[Any]] = set()
        self._lock = threading.Lock()
        self._closing = False
        self._pid = os.getpid()
        self._opened: concurrent.futures.Future[T] = concurrent.futures.Future()
        self._ended: concurrent.futures.Future[None] = concurrent.futures.Future()
        # A daemon: the interpreter would wait for another kind before any exit hook could end it.
        self._thread = threading.Thread(target=self._run, args=(opening, closing), name="mindlog", daemon=True)
        with _registry:
            _open_threads.add(self)
        self._thread.start()
        try:
            self._value = self._opened.result()
        except BaseException:
            self._begin_close()
            raise

    def call(self, work: Callable[[T], Coroutine[Any, Any, R]], *, is_wait: bool = False) -> R:
        """Run the coroutine `work(resource)` in the thread and wait for it. Raises `Closed` after `close`.

        is_wait: it only waits for something, so `close` breaks it off instead of waiting for it.
        """
        tasks = self._waits if is_wait else self._calls
        with self._lock:
            self._check_open()
            future = asyncio.run_coroutine_threadsafe(_tracked(work(self._value), tasks), self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError as exc:
            raise Closed("the engine was closed before this call was over") from exc
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Let the calls under way finish, close the resource and end the thread. Safe to call twice."""
        if os.getpid() != self._pid:
            return
        self._begin_close()
        self._ended.result()
        self._thread.join()

    def abandon(self) -> None:
        """Start closing without waiting: what the garbage collector may do from any thread, even from this one."""
        if os.getpid() == self._pid and not self._closing:
            warnings.warn("mindlog: not closed; use `with` or call close()", ResourceWarning, stacklevel=2)
            self._begin_close()

    @property
    def closed(self) -> bool:
        """Whether it was closed or is closing."""
        return self._closing

    def _check_open(self) -> None:
        if os.getpid() != self._pid:
            raise Closed("opened in another process: open the directory after the fork, in one process only")
        if self._closing:
            raise Closed

    def _begin_close(self) -> None:
        with self._lock:
            if self._closing:
                return
            self._closing = True
        with contextlib.suppress(RuntimeError):  # the loop is closed already: opening has failed
            self._loop.call_soon_threadsafe(self._stop.set)

    def _run(
        self, opening: Callable[[], Coroutine[Any, Any, T]], closing: Callable[[T], Coroutine[Any, Any, None]]
    ) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._main(opening, closing))
        except BaseException as exc:  # noqa: BLE001 - handed to whoever closes
            self._ended.set_exception(exc)
        else:
            self._ended.set_result(None)
        finally:
            with _registry:
                _open_threads.discard(self)

    async def _main(
        self, opening: Callable[[], Coroutine[Any, Any, T]], closing: Callable[[T], Coroutine[Any, Any, None]]
    ) -> None:
        try:
            value = await opening()
        except BaseException as exc:  # noqa: BLE001 - handed to whoever opens
            self._opened.set_exception(exc)
            return
        self._opened.set_result(value)
        await self._stop.wait()
        await self._drain()
        await closing(value)

    async def _drain(self) -> None:
        for task in self._waits:
            task.cancel()
        if not self._calls:
            return
        _, late = await asyncio.wait(self._calls, timeout=DRAIN_SECONDS)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)


async def _tracked(work: Coroutine[Any, Any, R], tasks: set[asyncio.Task[Any]]) -> R:
    task = asyncio.current_task()
    assert task is not None  # it runs as a task
    tasks.add(task)
    try:
        return await work
    finally:
        tasks.discard(task)


def _close_all() -> None:
    with _registry:
        left = list(_open_threads)
    for thread in left:
        if not thread.closed:
            warnings.warn("mindlog: still open at exit; use `with` or call close()", ResourceWarning, stacklevel=1)
        try:
            thread.close()
        except MindlogError as exc:  # nobody is left to catch it, and the other directories are to be closed too
            warnings.warn(f"mindlog: closing at exit failed: {exc}", ResourceWarning, stacklevel=1)


# Ordinary exit hooks run after the interpreter has shut its thread pools, and closing an engine needs them. The hook
# that runs before is not public; without it, closing at exit is left to the ordinary one.
getattr(threading, "_register_atexit", atexit.register)(_close_all)
