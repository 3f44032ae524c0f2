"""The composition root: opens the store, the indexes and the models, and is the one object the surfaces hold.

With `background` the only module that names concrete classes. Every verb checks its caller; its work lives elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Self

from mindlog import health
from mindlog.access import LOCAL, Caller, hash_secret, new_secret
from mindlog.background import Background
from mindlog.clock import Clock, SystemClock, zone
from mindlog.cursor import check_limit, listing_tag, read_cursor, write_cursor
from mindlog.derive.inspect import inspect
from mindlog.encode import pipeline as encoding
from mindlog.encode.edit import next_revision
from mindlog.encode.validate import check_dataset_name, check_label
from mindlog.errors import Closed, DatasetNotFound, InvalidInput, KeyNotFound, MemoryNotFound, MindlogError
from mindlog.filters import Filters
from mindlog.ids import MemoryId, new_id
from mindlog.index.indexes import Indexes
from mindlog.models.cached_embedder import CachedEmbedder
from mindlog.models.embedder import Embedder
from mindlog.models.load import load_embedder
from mindlog.pipeline import UNOBSERVED, Observer
from mindlog.query import pipeline as answering
from mindlog.query.job import QueryJob
from mindlog.query.setup import accept
from mindlog.recall.recall import recall
from mindlog.records import (
    DEFAULT_DATASET,
    ApiKey,
    Dataset,
    DatasetSize,
    EditRequest,
    EncodeRequest,
    EncodeResult,
    ForgetReceipt,
    Health,
    Memory,
    MemoryPage,
    MemoryState,
    Outcome,
    Persisted,
    RecallRequest,
    RecallResult,
    Scope,
)
from mindlog.runs.events import Subscription
from mindlog.runs.waiting import PENDING, Derived
from mindlog.settings import Settings
from mindlog.store.base import Listing, ModelStamp, Store
from mindlog.store.sqlite import SqliteStore
from mindlog.views import (
    AnswerPart,
    Document,
    DocumentText,
    Image,
    ImageRequest,
    Inspection,
    Page,
    QueryRequest,
    QueryResult,
    RememberRequest,
    RememberResult,
    SubscribeRequest,
)

__all__ = ["Engine"]

log = logging.getLogger(__name__)

_DAY = 86_400_000_000
_HOUR = 3_600_000_000
_UPKEEP_SECONDS = 60.0

ObserverFactory = Callable[[str], Observer]


class Engine:
    """A memory engine over one data directory. Make it with `await Engine.open(settings)`; use it on one event loop."""

    def __init__(
        self,
        *,
        settings: Settings,
        store: Store,
        indexes: Indexes,
        embedder: Embedder,
        background: Background,
        clock: Clock,
        observe: ObserverFactory,
    ) -> None:
        self.settings = settings
        self.store = store
        self.indexes = indexes
        self.embedder = embedder
        self.runs = background.runs
        """What admins can do with derivation runs."""
        self.remember_runs = background.remember_runs
        """The same with the runs that remember documents."""
        self.query_runs = background.query_runs
        """What admins can see of the questions that were asked."""
        self.knowledge = background.knowledge
        """Entities, statements, the graph, links."""
        self._background = background
        self._clock = clock
        self._observe = observe
        self._encode_tools = background.encode_tools
        self._used_keys: dict[str, int] = {}
        self._closing: asyncio.Task[None] | None = None
        self._upkeep = asyncio.get_running_loop().create_task(self._keep_up())
        background.start()

    @classmethod
    async def open(
        cls,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        observe: ObserverFactory | None = None,
    ) -> Self:
        """Open the data directory, creating it if needed. An embedder of the caller's own is closed with the engine.

        Raises `StoreLocked`, `StoreNewer`, `StoreReadOnly`, `StoreDamaged`, `ModelMissing`, `ModelDamaged`,
        `ModelMismatch`, `ConfigError`, `LlmMisconfigured` or `MissingExtra`, each saying what to do.
        """
        settings, clock = settings or Settings(), clock or SystemClock()
        observe = observe or (lambda operation: UNOBSERVED)
        cached = await _cached(embedder, settings)
        async with AsyncExitStack() as undo:
            if embedder is None:
                undo.push_async_callback(cached.aclose)
            store, indexes = await asyncio.to_thread(_open_storage, settings, cached, clock)
            undo.push_async_callback(asyncio.to_thread, indexes.close)
            undo.push_async_callback(store.aclose)
            if store.dataset(DEFAULT_DATASET) is None:
                await store.put_dataset(DEFAULT_DATASET, None)
            background = await Background.open(settings, store, indexes, cached, clock, observe)
            undo.pop_all()
        return cls(
            settings=settings,
            store=store,
            indexes=indexes,
            embedder=cached,
            background=background,
            clock=clock,
            observe=observe,
        )

    async def aclose(self) -> None:
        """Finish the writes under way, checkpoint and release the directory. Safe to call twice."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._let_go())
        # Every caller waits for the end, and one that is cancelled does not stop it halfway.
        await asyncio.shield(self._closing)

    async def _let_go(self) -> None:
        self._upkeep.cancel()
        # Whatever fails on the way, the directory is let go of.
        async with AsyncExitStack() as last:
            last.push_async_callback(self.embedder.aclose)
            last.push_async_callback(asyncio.to_thread, self.indexes.close)
            last.push_async_callback(self.store.aclose)
            last.push_async_callback(self._background.aclose)
            await asyncio.wait([self._upkeep])
            await self._flush_used_keys()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # -- write --------------------------------------------------------------------------------------------------------

    async def encode(self, request: EncodeRequest, *, caller: Caller = LOCAL) -> EncodeResult:
        """Keep one text; returns when it is committed and fsynced, and derived if the request waits for that."""
        self._begin(caller, Scope.WRITE, request.dataset)
        persisted = await encoding.encode(request, self._encode_tools, self._observe("encode"))
        if request.wait == "ack" and persisted.outcome is Outcome.CREATED:
            return self._result(persisted)
        return (await self._results([(request, persisted)]))[0]

    async def encode_batch(
        self, requests: Sequence[EncodeRequest], *, caller: Caller = LOCAL
    ) -> list[EncodeResult | MindlogError]:
        """Keep many texts, one outcome each; a bad one fails alone."""
        if not 1 <= len(requests) <= self.settings.max_batch:
            raise InvalidInput(
                f"items: must be 1 to {self.settings.max_batch} items", field="items", limit=self.settings.max_batch
            )
        for dataset in {str(request.dataset) for request in requests}:
            self._begin(caller, Scope.WRITE, dataset)
        outcomes = await encoding.encode_batch(requests, self._encode_tools, self._observe("encode"))
        kept = [(r, each) for r, each in zip(requests, outcomes, strict=True) if not isinstance(each, MindlogError)]
        results = iter(await self._results(kept))
        return [each if isinstance(each, MindlogError) else next(results) for each in outcomes]

    async def edit(self, request: EditRequest, *, caller: Caller = LOCAL) -> EncodeResult:
        """Make the next revision of a memory. The id must name the current one (`VersionConflict` otherwise)."""
        current = await self.get(request.memory_id, caller=caller)
        caller.require(Scope.WRITE)
        dataset = self.store.dataset(current.dataset)
        edit = await next_revision(
            request,
            current,
            embedder=self.embedder,
            limits=self._encode_tools.limits,
            timezone=dataset.timezone if dataset else None,
        )
        return self._result(await self.store.edit(edit))

    async def forget(self, memory_ids: Sequence[str], *, mode: str = "soft", caller: Caller = LOCAL) -> ForgetReceipt:
        """Hide memories from every read; `restore` undoes it within the grace period."""
        if mode != "soft":
            raise InvalidInput("mode: only 'soft' is available", field="mode")
        slots = await self._slots(memory_ids, caller, MemoryState.LIVE)
        done = [await self.store.forget(dataset, of_dataset) for dataset, of_dataset in slots.items()]
        # The store's moment: it counts the grace period from there.
        at = min((each.at for each in done), default=self._clock.now())
        return ForgetReceipt(
            receipt_id=new_id("fgt"),
            mode="soft",
            memory_ids=tuple(str(forgotten) for each in done for forgotten in each.ids),
            forgotten_at=at,
            restorable_until=at + self.settings.grace_days * _DAY,
        )

    async def restore(self, memory_id: str, *, caller: Caller = LOCAL) -> Memory:
        """Undo a forget. `MemoryNotFound` if the memory is unknown or its grace period is over."""
        ((dataset, slots),) = (await self._slots([memory_id], caller, MemoryState.FORGOTTEN)).items()
        await self.store.restore(dataset, slots, self._clock.now() - self.settings.grace_days * _DAY)
        return await self.get(memory_id, caller=caller)

    async def remember(self, request: RememberRequest, *, caller: Caller = LOCAL) -> RememberResult:
        """Take a document in; returns when it and its run are durable, and has ended if the request waits for that.

        Raises what `remember.setup.accept` and `DocumentDesk.remember` say; then nothing is left of it.
        """
        self._check_open()
        return await self._background.documents.remember(request, caller=caller)

    async def keep_image(self, request: ImageRequest, *, caller: Caller = LOCAL) -> Image:
        """Keep a picture with a memory that it is found by; returns when both are durable. See `ImageDesk.keep`."""
        self._check_open()
        return await self._background.images.keep(request, caller=caller)

    async def settled(self, timeout: float | None = None) -> bool:
        """Wait until all that was written is read and derived; False if the seconds passed first, or this process does not derive.

        What failed and is to be tried again later is not waited for.
        """
        self._check_open()
        return await self._background.settled(timeout)

    # -- read ---------------------------------------------------------------------------------------------------------

    async def recall(self, request: RecallRequest, *, caller: Caller = LOCAL) -> RecallResult:
        """Find memories by meaning and by word. An unknown dataset is `DatasetNotFound`."""
        self._begin(caller, Scope.READ, request.dataset)
        dataset = self._dataset(request.dataset)
        check_limit(request.limit, self.settings.max_limit)
        return await recall(request, dataset, self._background.recall_tools, self._observe("recall"))

    async def query(self, request: QueryRequest, *, caller: Caller = LOCAL) -> QueryResult:
        """Answer a question from what is remembered, with citations. One that is refused leaves no run, any other one."""
        job = self._question(request, caller)
        return await answering.query(job, self._background.query_trouble, self._observe("query"))

    def query_stream(self, request: QueryRequest, *, caller: Caller = LOCAL) -> AsyncGenerator[AnswerPart]:
        """Answer a question piece by piece: pieces of text, not checked yet, then the checked result. Raises as `query` does."""
        job = self._question(request, caller)
        return answering.query_parts(job, self._background.query_trouble, self._observe("query"))

    def _question(self, request: QueryRequest, caller: Caller) -> QueryJob:
        self._begin(caller, Scope.READ, request.dataset)
        return accept(request, self._dataset(request.dataset), self._background.query_tools, user=caller.key_id)

    async def get(self, memory_id: str, *, caller: Caller = LOCAL) -> Memory:
        """Return the revision the id names; `MemoryNotFound` if there is none, it is forgotten, or out of reach."""
        caller.require(Scope.READ)
        self._check_open()
        wanted = MemoryId.parse(memory_id)
        memory = await asyncio.to_thread(self.store.memory, wanted.slot, wanted.version)
        is_here = memory is not None and memory.id == wanted and memory.state is MemoryState.LIVE
        if memory is None or not is_here or not caller.sees(memory.dataset):
            raise MemoryNotFound(f"memory_id: there is no memory {memory_id}", field="memory_id")
        return memory

    async def list_memories(
        self,
        dataset: str = DEFAULT_DATASET,
        *,
        filters: Filters | None = None,
        entity: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        caller: Caller = LOCAL,
    ) -> MemoryPage:
        """Return one page of current memories, newest first; with `entity` (an id or a name), of those that name it.

        `EntityNotFound` if nothing has that id or name.
        """
        self._begin(caller, Scope.READ, dataset)
        found, filters = self._dataset(dataset), filters or Filters()
        check_limit(limit, self.settings.max_limit)
        tag = listing_tag(found.number, filters, *([] if entity is None else [entity]))
        before = None if cursor is None else read_cursor(cursor, tag)
        named = None if entity is None else await self.knowledge.meant(entity, dataset, caller=caller)
        # One more than asked for tells whether there is a next page.
        listing = Listing(dataset=found.number, filters=filters, limit=limit + 1, before_slot=before, entities=named)
        rows = await asyncio.to_thread(self.store.list_memories, listing)
        page = tuple(rows[:limit])
        return MemoryPage(data=page, next_cursor=write_cursor(tag, page[-1].id.slot) if len(rows) > limit else None)

    async def inspect(self, memory_id: str, *, caller: Caller = LOCAL) -> Inspection:
        """Return everything there is to know of the revision the id names. `MemoryNotFound` as for `get`."""
        memory = await self.get(memory_id, caller=caller)
        return await inspect(memory, self._dataset(memory.dataset), self.store, self._clock.now())

    async def documents(
        self, dataset: str = DEFAULT_DATASET, *, limit: int = 50, cursor: str | None = None, caller: Caller = LOCAL
    ) -> Page[Document]:
        """Return one page of the dataset's documents, the latest made first."""
        self._check_open()
        return await self._background.documents.documents(dataset, limit=limit, cursor=cursor, caller=caller)

    async def document(self, document_id: str, dataset: str = DEFAULT_DATASET, *, caller: Caller = LOCAL) -> Document:
        """Return one document. `DocumentNotFound`."""
        self._check_open()
        return await self._background.documents.document(document_id, dataset=dataset, caller=caller)

    async def document_texts(
        self,
        document_id: str,
        dataset: str = DEFAULT_DATASET,
        *,
        limit: int = 50,
        cursor: str | None = None,
        caller: Caller = LOCAL,
    ) -> Page[DocumentText]:
        """Return one page of what a document is kept as: its chunks in order, then what was added to it. `DocumentNotFound`."""
        self._check_open()
        return await self._background.documents.texts(
            document_id, dataset=dataset, limit=limit, cursor=cursor, caller=caller
        )

    async def image(self, image_id: str, *, caller: Caller = LOCAL) -> Image:
        """Return what is known of a picture. `ImageNotFound`."""
        self._check_open()
        return await self._background.images.image(image_id, caller=caller)

    async def image_data(self, image_id: str, *, caller: Caller = LOCAL) -> tuple[str, bytes]:
        """Return a picture as it was given: its media type and its bytes. `ImageNotFound`."""
        self._check_open()
        return await self._background.images.data(image_id, caller=caller)

    async def thumbnail(self, image_id: str, *, caller: Caller = LOCAL) -> tuple[str, bytes]:
        """Return a small copy of a picture: its media type and its bytes. `ImageNotFound`."""
        self._check_open()
        return await self._background.images.thumbnail(image_id, caller=caller)

    def subscribe(self, request: SubscribeRequest, *, caller: Caller = LOCAL) -> Subscription:
        """Return the events asked for, as far as the caller may see them: iterate over it, and close it.

        Raises `InvalidInput`, `DatasetNotFound`, `LsnGone` and `Busy`; see `EventHub.subscribe`.
        """
        self._begin(caller, Scope.READ, request.dataset)
        return self._background.events.subscribe(request, caller)

    # -- datasets and keys --------------------------------------------------------------------------------------------

    async def put_dataset(self, name: str, *, timezone: str | None = None, caller: Caller = LOCAL) -> Dataset:
        """Create a dataset or set the zone that its naive times are taken in."""
        check_dataset_name(name, "name")
        self._begin(caller, Scope.WRITE, name)
        if timezone is not None:
            zone(timezone)
        return await self.store.put_dataset(name, timezone)

    async def datasets(self, *, sizes: bool = False, caller: Caller = LOCAL) -> list[Dataset]:
        """Return the datasets the caller may see, with how much each holds if asked."""
        caller.require(Scope.READ)
        self._check_open()
        seen = [dataset for dataset in self.store.datasets() if caller.sees(dataset.name)]
        if not sizes:
            return seen
        counted = await asyncio.to_thread(self.store.dataset_sizes)
        return [replace(dataset, size=counted.get(dataset.number, DatasetSize())) for dataset in seen]

    async def create_key(
        self, name: str, *, scopes: Sequence[Scope], datasets: Sequence[str] | None = None, caller: Caller = LOCAL
    ) -> tuple[ApiKey, str]:
        """Create an API key; the secret is returned once and never stored. A key cannot give more than it has."""
        self._begin(caller, Scope.ADMIN, None)
        check_label(name, "name")
        if not scopes:
            raise InvalidInput("scopes: must name at least one of read, write, admin", field="scopes")
        for dataset in datasets or ():
            check_dataset_name(dataset, "datasets")
            caller.require(Scope.ADMIN, dataset)
        if datasets is None and caller.datasets is not None:
            datasets = sorted(caller.datasets)
        secret = new_secret()
        key = ApiKey(
            id=new_id("key"),
            name=name,
            prefix=secret[:10],
            scopes=frozenset(scopes),
            datasets=None if datasets is None else frozenset(datasets),
            created_at=self._clock.now(),
            last_used_at=None,
            revoked_at=None,
        )
        await self.store.put_key(key, hash_secret(secret))
        return key, secret

    async def keys(self, *, caller: Caller = LOCAL) -> list[ApiKey]:
        """Return every API key the caller may manage, newest first."""
        self._begin(caller, Scope.ADMIN, None)
        return [key for key in self.store.api_keys() if _manages(caller, key)]

    async def revoke_key(self, key_id: str, *, caller: Caller = LOCAL) -> ApiKey:
        """Revoke a key at once; `KeyNotFound` if there is none."""
        self._begin(caller, Scope.ADMIN, None)
        check_label(key_id, "key_id")
        if not any(key.id == key_id and _manages(caller, key) for key in self.store.api_keys()):
            raise KeyNotFound(f"key_id: there is no API key {key_id!r}", field="key_id")
        return await self.store.revoke_key(key_id, self._clock.now())

    def authenticate(self, secret: str) -> Caller | None:
        """Return the caller behind a secret; None if it is unknown or revoked."""
        key = self.store.key_by_hash(hash_secret(secret))
        if key is None or key.revoked_at is not None:
            return None
        self._used_keys[key.id] = self._clock.now()
        return Caller.of(key)

    # -- health -------------------------------------------------------------------------------------------------------

    async def health(self) -> Health:
        """Say how the engine is, from counts that are at hand."""
        self._check_open()
        return await health.look(self.store, self.indexes, self.embedder, self._background, self._clock)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _begin(self, caller: Caller, scope: Scope, dataset: str | None) -> None:
        self._check_open()
        caller.require(scope, dataset)

    def _check_open(self) -> None:
        if self._closing is not None:
            raise Closed

    def _dataset(self, name: str) -> Dataset:
        check_dataset_name(name)
        dataset = self.store.dataset(name)
        if dataset is None:
            raise DatasetNotFound(f"dataset: there is no dataset {name!r}", field="dataset")
        return dataset

    async def _results(self, writes: Sequence[tuple[EncodeRequest, Persisted]]) -> list[EncodeResult]:
        """Return the answers to writes, after their derivation where that is waited for."""
        waiting = self._background.waiting
        waits = [persisted.lsn for request, persisted in writes if request.wait == "derived"]
        known = [each.lsn for request, each in writes if request.wait == "ack" and each.outcome is not Outcome.CREATED]
        derived = await waiting.derived(waits) if waits else {}
        pending = await waiting.pending(known) if known else {}
        return [
            self._result(each, pending.get(each.lsn, PENDING), derived[each.lsn] if request.wait == "derived" else None)
            for request, each in writes
        ]

    def _result(
        self, persisted: Persisted, pending: tuple[str, ...] = PENDING, derived: Derived | None = None
    ) -> EncodeResult:
        return EncodeResult(
            memory_id=str(persisted.id),
            lsn=persisted.lsn,
            was_deduplicated=persisted.was_deduplicated,
            was_replayed=persisted.outcome is Outcome.REPLAYED,
            kind=persisted.kind,
            salience=persisted.salience,
            persisted_at=persisted.persisted_at,
            auto_edges_added=derived.edges if derived else 0,
            pending_stages=derived.pending if derived else pending,
            embedding_model=self.embedder.fingerprint,
            trace=derived.trace if derived else None,
        )

    async def _slots(self, memory_ids: Sequence[str], caller: Caller, state: MemoryState) -> dict[int, list[int]]:
        """Return the memories' slots by dataset number; all of them exist in `state` and are within reach, or none is touched."""
        caller.require(Scope.WRITE)
        self._check_open()
        wanted = [MemoryId.parse(memory_id) for memory_id in memory_ids]
        found = {m.id.slot: m for m in await asyncio.to_thread(self.store.memories, [w.slot for w in wanted])}
        slots: dict[int, list[int]] = {}
        for memory_id, identity in zip(memory_ids, wanted, strict=True):
            memory = found.get(identity.slot)
            if (
                memory is None
                or memory.state is not state
                or not caller.sees(memory.dataset)
                or identity.shard != memory.id.shard
                or not 1 <= identity.version <= memory.id.version
            ):
                raise MemoryNotFound(f"memory_id: there is no {state} memory {memory_id}", field="memory_id")
            slots.setdefault(self._dataset(memory.dataset).number, []).append(identity.slot)
        return slots

    async def _keep_up(self) -> None:
        """Do what time asks for: drop old request ids, write down when keys were used."""
        while True:
            await asyncio.sleep(_UPKEEP_SECONDS)
            try:
                await self._flush_used_keys()
                await self.store.purge_requests(self._clock.now() - self.settings.request_ttl_hours * _HOUR)
                await self._background.keep_up()
            except MindlogError as exc:
                # A full disk, say: the next round tries again, and writes report it to their callers meanwhile.
                log.warning("Upkeep failed and is tried again: %s", exc, extra={"action": "upkeep_failed"})

    async def _flush_used_keys(self) -> None:
        used, self._used_keys = self._used_keys, {}
        if not used:
            return
        try:
            await self.store.touch_keys(used)
        except MindlogError:
            self._used_keys = used | self._used_keys
            raise


def _manages(caller: Caller, key: ApiKey) -> bool:
    return caller.datasets is None or (key.datasets is not None and key.datasets <= caller.datasets)


async def _cached(embedder: Embedder | None, settings: Settings) -> CachedEmbedder:
    """Return the embedder behind a cache, which also checks its answers: a caller's own may be wrong too."""
    if embedder is None:
        return await asyncio.to_thread(load_embedder, settings)
    if isinstance(embedder, CachedEmbedder):
        return embedder
    return CachedEmbedder(embedder, capacity_bytes=settings.embedder_cache_mb << 20)


def _open_storage(settings: Settings, embedder: Embedder, clock: Clock) -> tuple[Store, Indexes]:
    stamp = ModelStamp(name=embedder.name, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)
    store = SqliteStore.open(settings.data, model=stamp, settings=settings, clock=clock)
    try:
        return store, Indexes.open(store, settings.data / "index", settings)
    except BaseException:
        store.close()
        raise
