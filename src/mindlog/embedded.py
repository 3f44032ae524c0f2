"""The embedded API: an engine in this process, for synchronous callers (`open`) and for asyncio (`aopen`).

Owns the two objects users hold and how verbs become engine calls. The verbs' options are those of `mindlog.verbs`.
"""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterable, Iterator, Mapping
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from pydantic import ValidationError

from mindlog import verbs
from mindlog.clock import from_iso
from mindlog.engine import Engine
from mindlog.errors import ConfigError, InvalidInput, MindlogError
from mindlog.filters import Filters, parse_filters
from mindlog.loopthread import LoopThread
from mindlog.models.embedder import Embedder
from mindlog.records import (
    ApiKey,
    Dataset,
    EncodeResult,
    ForgetReceipt,
    Health,
    Memory,
    MemoryPage,
    RecallRequest,
    RecallResult,
    Scope,
)
from mindlog.settings import Settings

__all__ = ["AsyncMindlog", "Mindlog", "aopen", "load_settings", "open"]

P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")

Path = str | os.PathLike[str]


def _verb(
    build: Callable[P, Q], perform: Callable[[Engine, Q], Coroutine[Any, Any, R]], name: str | None = None
) -> Callable[Concatenate[AsyncMindlog, P], Coroutine[Any, Any, R]]:
    """Make the method that builds a request with `build` and has the engine `perform` it."""

    async def method(self: AsyncMindlog, *args: P.args, **kwargs: P.kwargs) -> R:
        return await perform(self.engine, build(*args, **kwargs))

    return verbs.dress(method, build, perform.__annotations__["return"], name)


def _blocking(
    method: Callable[Concatenate[AsyncMindlog, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Mindlog, P], R]:
    """Make the method that runs an asynchronous one in the background thread and waits for it."""

    def blocking(self: Mindlog, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._thread.call(lambda inner: method(inner, *args, **kwargs))  # pyright: ignore[reportPrivateUsage]

    blocking.__name__, blocking.__doc__ = method.__name__, method.__doc__
    blocking.__signature__ = method.__signature__  # type: ignore[attr-defined]
    return blocking


async def _encode_batch(engine: Engine, batch: verbs.Batch) -> list[EncodeResult | MindlogError]:
    return batch.outcomes(await engine.encode_batch(batch.requests) if batch.requests or not batch.items else [])


async def _recall(engine: Engine, asked: verbs.Recall) -> RecallResult:
    zone = _zone(engine, asked.dataset)
    request = RecallRequest(
        cue=asked.cue,
        dataset=asked.dataset,
        limit=asked.limit,
        filters=_filters(asked.filters, zone),
        as_of=from_iso(asked.as_of, field="as_of", default_zone=zone) if isinstance(asked.as_of, str) else asked.as_of,
        budget_tokens=asked.budget_tokens,
        trace=asked.trace,
        explain_ids=asked.explain_ids,
    )
    return await engine.recall(request)


async def _list(engine: Engine, asked: verbs.ListPage) -> MemoryPage:
    filters = _filters(asked.filters, _zone(engine, asked.dataset))
    return await engine.list_memories(asked.dataset, filters=filters, limit=asked.limit, cursor=asked.cursor)


async def _forget(engine: Engine, asked: verbs.Forget) -> ForgetReceipt:
    return await engine.forget([asked.memory_id], mode=asked.mode)


async def _datasets(engine: Engine, _: None) -> list[Dataset]:
    return await engine.datasets()


async def _put_dataset(engine: Engine, asked: verbs.PutDataset) -> Dataset:
    return await engine.put_dataset(asked.name, timezone=asked.timezone)


async def _create_key(engine: Engine, asked: verbs.NewKey) -> tuple[ApiKey, str]:
    return await engine.create_key(asked.name, scopes=_scopes(asked.scopes), datasets=asked.datasets)


async def _keys(engine: Engine, _: None) -> list[ApiKey]:
    return await engine.keys()


async def _health(engine: Engine, _: None) -> Health:
    return await engine.health()


def _scopes(names: Iterable[str]) -> tuple[Scope, ...]:
    try:
        return tuple(map(Scope, names))
    except ValueError as exc:
        raise InvalidInput(f"scopes: must be of {', '.join(Scope)}: {exc}", field="scopes") from exc


def _zone(engine: Engine, dataset: str) -> str | None:
    found = engine.store.dataset(dataset)
    return found.timezone if found else None


def _filters(filters: verbs.FilterForm | None, zone: str | None) -> Filters:
    return filters if isinstance(filters, Filters) else parse_filters(filters, default_zone=zone)


class AsyncMindlog:
    """An engine on the running event loop. Open it with `async with mindlog.aopen(path) as db`."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._closed = False

    encode = _verb(verbs.encode, Engine.encode)
    encode_vector = _verb(verbs.encode_vector, Engine.encode)
    encode_batch = _verb(verbs.encode_batch, _encode_batch)
    recall = _verb(verbs.recall, _recall)
    get = _verb(verbs.get, Engine.get)
    list = _verb(verbs.list_page, _list, "list")
    edit = _verb(verbs.edit, Engine.edit)
    forget = _verb(verbs.forget, _forget)
    restore = _verb(verbs.restore, Engine.restore)
    datasets = _verb(verbs.datasets, _datasets)
    put_dataset = _verb(verbs.put_dataset, _put_dataset)
    create_key = _verb(verbs.create_key, _create_key)
    keys = _verb(verbs.keys, _keys)
    revoke_key = _verb(verbs.revoke_key, Engine.revoke_key)
    health = _verb(verbs.health, _health)

    async def iterate(
        self, dataset: str = "default", *, filters: verbs.FilterForm | None = None, page_size: int = 200
    ) -> AsyncIterator[Memory]:
        """Walk every current memory of a dataset, newest first, a page at a time."""
        cursor = None
        while True:
            page = await self.list(dataset, filters=filters, limit=page_size, cursor=cursor)
            for memory in page.data:
                yield memory
            if (cursor := page.next_cursor) is None:
                return

    async def aclose(self) -> None:
        """Finish the writes under way and release the directory. Safe to call twice."""
        self._closed = True
        await self.engine.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __del__(self) -> None:
        """Warn if it was never closed."""
        if not getattr(self, "_closed", True):
            warnings.warn("mindlog: not closed; use `async with` or await aclose()", ResourceWarning, stacklevel=2)


class Mindlog:
    """An engine for synchronous callers, from any thread. Open it with `with mindlog.open(path) as db`.

    The engine runs on an event loop in one background thread; a call costs about 0.1 ms over the asynchronous one.
    """

    def __init__(self, thread: LoopThread[AsyncMindlog]) -> None:
        self._thread = thread
        # Not at exit: the thread has its own hook, which runs while thread pools still work.
        weakref.finalize(self, thread.abandon).atexit = False

    encode = _blocking(AsyncMindlog.encode)
    encode_vector = _blocking(AsyncMindlog.encode_vector)
    encode_batch = _blocking(AsyncMindlog.encode_batch)
    recall = _blocking(AsyncMindlog.recall)
    get = _blocking(AsyncMindlog.get)
    list = _blocking(AsyncMindlog.list)
    edit = _blocking(AsyncMindlog.edit)
    forget = _blocking(AsyncMindlog.forget)
    restore = _blocking(AsyncMindlog.restore)
    datasets = _blocking(AsyncMindlog.datasets)
    put_dataset = _blocking(AsyncMindlog.put_dataset)
    create_key = _blocking(AsyncMindlog.create_key)
    keys = _blocking(AsyncMindlog.keys)
    revoke_key = _blocking(AsyncMindlog.revoke_key)
    health = _blocking(AsyncMindlog.health)

    def iterate(
        self, dataset: str = "default", *, filters: verbs.FilterForm | None = None, page_size: int = 200
    ) -> Iterator[Memory]:
        """Walk every current memory of a dataset, newest first, a page at a time."""
        cursor = None
        while True:
            page = self.list(dataset, filters=filters, limit=page_size, cursor=cursor)
            yield from page.data
            if (cursor := page.next_cursor) is None:
                return

    def close(self) -> None:
        """Let the calls under way finish, release the directory and end the thread. Safe to call twice."""
        self._thread.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Opening:
    """What `aopen` returns: to be awaited, or entered."""

    def __init__(self, settings: Settings, embedder: Embedder | None) -> None:
        self._settings = settings
        self._embedder = embedder
        self._opened: AsyncMindlog | None = None

    def __await__(self) -> Generator[Any, None, AsyncMindlog]:
        return self._open().__await__()

    async def _open(self) -> AsyncMindlog:
        return AsyncMindlog(await Engine.open(self._settings, embedder=self._embedder))

    async def __aenter__(self) -> AsyncMindlog:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        if self._opened is not None:
            await self._opened.aclose()


def aopen(path: Path | None = None, *, embedder: Embedder | str | None = None, **settings: Any) -> _Opening:
    """Open a data directory on the running event loop; the result is to be entered with `async with`, or awaited.

    Arguments and errors are those of `open`.
    """
    own, loaded = _configured(path, embedder, settings)
    return _Opening(loaded, own)


def open(path: Path | None = None, *, embedder: Embedder | str | None = None, **settings: Any) -> Mindlog:  # noqa: A001
    """Open a data directory, creating it if needed.

    `path` is the directory (the setting `data` if None). `embedder` is a name as in the setting, or an `Embedder` of your
    own. Other settings by name; those not given come from `MINDLOG_*` variables and `mindlog.toml`.

    Raises:
        ConfigError: a setting is unknown or wrong.
        StoreLocked: another process has the directory open.
        MindlogError: whatever else keeps it from opening; the error says what to do.
    """
    own, loaded = _configured(path, embedder, settings)
    return Mindlog(LoopThread(_Opening(loaded, own)._open, AsyncMindlog.aclose))  # pyright: ignore[reportPrivateUsage]


def load_settings(**values: Any) -> Settings:
    """Read the settings; None values count as not given. A wrong one is `ConfigError` in one line."""
    try:
        return Settings(**{name: value for name, value in values.items() if value is not None})
    except ValidationError as exc:
        first = exc.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{name}: {first['msg']}", field=name) from exc
    except (ValueError, OSError) as exc:
        raise ConfigError(f"mindlog.toml or a MINDLOG_* variable cannot be read: {exc}") from exc


def _configured(
    path: Path | None, embedder: Embedder | str | None, settings: Mapping[str, Any]
) -> tuple[Embedder | None, Settings]:
    named = embedder if isinstance(embedder, str) else None
    return None if named else embedder, load_settings(data=path, embedder=named, **settings)  # type: ignore[return-value]
