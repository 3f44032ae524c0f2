"""The two objects that users hold. Owns how a verb becomes a method; what it does is decided in `perform`."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

from mindlog import verbs
from mindlog.embedded import documentverbs, perform
from mindlog.embedded.answers import answer_parts
from mindlog.embedded.events import AsyncEvents, Events
from mindlog.engine import Engine
from mindlog.loopthread import LoopThread
from mindlog.views import AnswerPart, SubscribeRequest

__all__ = ["AsyncMindlog", "Mindlog"]

P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")


def _verb(
    build: Callable[P, Q], perform: Callable[[Engine, Q], Coroutine[Any, Any, R]], name: str | None = None
) -> Callable[Concatenate[AsyncMindlog, P], Coroutine[Any, Any, R]]:
    """Make the method that builds a request with `build` and has the engine `perform` it."""

    async def method(self: AsyncMindlog, *args: P.args, **kwargs: P.kwargs) -> R:
        return await perform(self.engine, build(*args, **kwargs))

    return verbs.dress(method, build, perform.__annotations__["return"], name)


def _blocking(
    method: Callable[Concatenate[AsyncMindlog, P], Coroutine[Any, Any, R]], *, is_wait: bool = False
) -> Callable[Concatenate[Mindlog, P], R]:
    """Make the method that runs an asynchronous one in the background thread and waits for it."""

    def blocking(self: Mindlog, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._thread.call(lambda inner: method(inner, *args, **kwargs), is_wait=is_wait)  # pyright: ignore[reportPrivateUsage]

    blocking.__name__, blocking.__doc__ = method.__name__, method.__doc__
    blocking.__signature__ = method.__signature__  # type: ignore[attr-defined]
    return blocking


def _subscribe(build: Callable[P, SubscribeRequest]) -> Callable[Concatenate[AsyncMindlog, P], AsyncEvents]:
    def method(self: AsyncMindlog, *args: P.args, **kwargs: P.kwargs) -> AsyncEvents:
        return AsyncEvents(self.engine, build(*args, **kwargs))

    return verbs.dress(method, build, "AsyncEvents")


def _subscribe_blocking(build: Callable[P, SubscribeRequest]) -> Callable[Concatenate[Mindlog, P], Events]:
    def method(self: Mindlog, *args: P.args, **kwargs: P.kwargs) -> Events:
        return self._events(build(*args, **kwargs))  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, "Events")


def _query_stream(
    build: Callable[P, verbs.Query],
) -> Callable[Concatenate[AsyncMindlog, P], AsyncGenerator[AnswerPart]]:
    def method(self: AsyncMindlog, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[AnswerPart]:
        return documentverbs.query_stream(self.engine, build(*args, **kwargs))

    return verbs.dress(method, build, "AsyncGenerator[AnswerPart]", "query_stream")


def _query_stream_blocking(build: Callable[P, verbs.Query]) -> Callable[Concatenate[Mindlog, P], Iterator[AnswerPart]]:
    def method(self: Mindlog, *args: P.args, **kwargs: P.kwargs) -> Iterator[AnswerPart]:
        asked = build(*args, **kwargs)
        return answer_parts(self._thread, lambda inner: documentverbs.query_stream(inner.engine, asked))  # pyright: ignore[reportPrivateUsage]

    return verbs.dress(method, build, "Iterator[AnswerPart]", "query_stream")


class AsyncMindlog(verbs.AsyncSurface):
    """An engine on the running event loop. Open it with `async with mindlog.aopen(path) as db`."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._closed = False

    encode = _verb(verbs.encode, Engine.encode)
    encode_vector = _verb(verbs.encode_vector, Engine.encode)
    encode_batch = _verb(verbs.encode_batch, perform.encode_batch)
    recall = _verb(verbs.recall, perform.recall)
    get = _verb(verbs.get, Engine.get)
    inspect = _verb(verbs.inspect, Engine.inspect)
    list = _verb(verbs.list_page, perform.list_page, "list")
    edit = _verb(verbs.edit, Engine.edit)
    forget = _verb(verbs.forget, perform.forget)
    restore = _verb(verbs.restore, Engine.restore)

    remember = _verb(verbs.remember, documentverbs.remember)
    documents = _verb(verbs.documents, documentverbs.documents)
    document = _verb(verbs.document, documentverbs.document)
    document_texts = _verb(verbs.document_texts, documentverbs.document_texts)
    query = _verb(verbs.query, documentverbs.query)
    query_stream = _query_stream(verbs.query)

    series = _verb(verbs.series, documentverbs.series)
    get_series = _verb(verbs.get_series, documentverbs.get_series)
    series_points = _verb(verbs.series_points, documentverbs.series_points)
    places = _verb(verbs.places, documentverbs.places)
    near = _verb(verbs.near, documentverbs.near)
    keep_image = _verb(verbs.keep_image, documentverbs.keep_image)
    image = _verb(verbs.image, Engine.image)
    image_data = _verb(verbs.image_data, Engine.image_data)
    thumbnail = _verb(verbs.thumbnail, Engine.thumbnail)

    entities = _verb(verbs.entities, perform.entities)
    entity = _verb(verbs.entity, perform.entity)
    merge_entities = _verb(verbs.merge_entities, perform.merge_entities)
    unmerge_entity = _verb(verbs.unmerge_entity, perform.unmerge_entity)
    statements = _verb(verbs.statements, perform.statements)
    statement = _verb(verbs.statement, perform.statement)
    graph = _verb(verbs.graph, perform.graph)
    links = _verb(verbs.links, perform.links)
    link = _verb(verbs.link, perform.link)
    unlink = _verb(verbs.unlink, perform.unlink)
    proposals = _verb(verbs.proposals, perform.proposals)
    decide_proposal = _verb(verbs.decide_proposal, perform.decide_proposal)
    undo_proposal = _verb(verbs.undo_proposal, perform.decide_proposal)

    runs = _verb(verbs.runs, perform.runs)
    run_counts = _verb(verbs.run_counts, perform.run_counts)
    run = _verb(verbs.run, perform.run)
    run_outputs = _verb(verbs.run_outputs, perform.run_outputs)
    retry_runs = _verb(verbs.retry_runs, perform.retry_runs)
    cancel_runs = _verb(verbs.cancel_runs, perform.cancel_runs)
    inferences = _verb(verbs.inferences, perform.inferences)
    inference = _verb(verbs.inference, perform.inference)
    settled = _verb(verbs.settled, perform.settled)
    subscribe = _subscribe(verbs.subscribe)

    datasets = _verb(verbs.datasets, perform.datasets)
    put_dataset = _verb(verbs.put_dataset, perform.put_dataset)
    create_key = _verb(verbs.create_key, perform.create_key)
    keys = _verb(verbs.keys, perform.keys)
    revoke_key = _verb(verbs.revoke_key, Engine.revoke_key)
    health = _verb(verbs.health, perform.health)

    async def aclose(self) -> None:
        """Finish the writes under way and release the directory. Safe to call twice."""
        self._closed = True
        await self.engine.aclose()

    def __del__(self) -> None:
        """Warn if it was never closed."""
        if not getattr(self, "_closed", True):
            warnings.warn("mindlog: not closed; use `async with` or await aclose()", ResourceWarning, stacklevel=2)


class Mindlog(verbs.Surface):
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
    inspect = _blocking(AsyncMindlog.inspect)
    list = _blocking(AsyncMindlog.list)
    edit = _blocking(AsyncMindlog.edit)
    forget = _blocking(AsyncMindlog.forget)
    restore = _blocking(AsyncMindlog.restore)

    remember = _blocking(AsyncMindlog.remember)
    documents = _blocking(AsyncMindlog.documents)
    document = _blocking(AsyncMindlog.document)
    document_texts = _blocking(AsyncMindlog.document_texts)
    query = _blocking(AsyncMindlog.query)
    query_stream = _query_stream_blocking(verbs.query)

    series = _blocking(AsyncMindlog.series)
    get_series = _blocking(AsyncMindlog.get_series)
    series_points = _blocking(AsyncMindlog.series_points)
    places = _blocking(AsyncMindlog.places)
    near = _blocking(AsyncMindlog.near)
    keep_image = _blocking(AsyncMindlog.keep_image)
    image = _blocking(AsyncMindlog.image)
    image_data = _blocking(AsyncMindlog.image_data)
    thumbnail = _blocking(AsyncMindlog.thumbnail)

    entities = _blocking(AsyncMindlog.entities)
    entity = _blocking(AsyncMindlog.entity)
    merge_entities = _blocking(AsyncMindlog.merge_entities)
    unmerge_entity = _blocking(AsyncMindlog.unmerge_entity)
    statements = _blocking(AsyncMindlog.statements)
    statement = _blocking(AsyncMindlog.statement)
    graph = _blocking(AsyncMindlog.graph)
    links = _blocking(AsyncMindlog.links)
    link = _blocking(AsyncMindlog.link)
    unlink = _blocking(AsyncMindlog.unlink)
    proposals = _blocking(AsyncMindlog.proposals)
    decide_proposal = _blocking(AsyncMindlog.decide_proposal)
    undo_proposal = _blocking(AsyncMindlog.undo_proposal)

    runs = _blocking(AsyncMindlog.runs)
    run_counts = _blocking(AsyncMindlog.run_counts)
    run = _blocking(AsyncMindlog.run)
    run_outputs = _blocking(AsyncMindlog.run_outputs)
    retry_runs = _blocking(AsyncMindlog.retry_runs)
    cancel_runs = _blocking(AsyncMindlog.cancel_runs)
    inferences = _blocking(AsyncMindlog.inferences)
    inference = _blocking(AsyncMindlog.inference)
    settled = _blocking(AsyncMindlog.settled, is_wait=True)
    subscribe = _subscribe_blocking(verbs.subscribe)

    datasets = _blocking(AsyncMindlog.datasets)
    put_dataset = _blocking(AsyncMindlog.put_dataset)
    create_key = _blocking(AsyncMindlog.create_key)
    keys = _blocking(AsyncMindlog.keys)
    revoke_key = _blocking(AsyncMindlog.revoke_key)
    health = _blocking(AsyncMindlog.health)

    def close(self) -> None:
        """Let the calls under way finish, release the directory and end the thread. Safe to call twice."""
        self._thread.close()

    def _events(self, request: SubscribeRequest) -> Events:
        async def begin(inner: AsyncMindlog) -> AsyncEvents:
            return AsyncEvents(inner.engine, request)

        thread, events = self._thread, self._thread.call(begin)
        return Events(lambda work: thread.call(lambda _: work(events), is_wait=True))
