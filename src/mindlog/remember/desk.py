"""The desk for documents: take one in, wait for it, list them and what they are kept as.

Owns the caller's checks, and how many documents are read at once before their acks. Knows no stage.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from mindlog.access import LOCAL, Caller
from mindlog.clock import Clock
from mindlog.cursor import check_limit, listing_tag, read_cursor, write_cursor
from mindlog.encode.validate import check_dataset_name, check_label
from mindlog.errors import Busy, Closed, DatasetNotFound, DocumentNotFound
from mindlog.ids import run_id
from mindlog.records import DEFAULT_DATASET, Dataset, Scope
from mindlog.remember.setup import accept
from mindlog.runs.books import RememberBook
from mindlog.runs.spent import with_spent
from mindlog.store.documentrows import TEXT_ORIGINS, DocumentRow, RememberRow, TextRow
from mindlog.views import Document, DocumentText, Page, RememberResult, Run

if TYPE_CHECKING:
    from mindlog.runs.settlement import Settlement
    from mindlog.settings import Settings
    from mindlog.store.base import Store
    from mindlog.views import RememberRequest

__all__ = ["DocumentDesk"]

_READ_AT_ONCE = 2  # a reading process may take gigabytes
_MOST_WAITING = 64
_ORIGIN_STEP = 1 << 40  # of a text's place in a listing; more than any document has chunks


class DocumentDesk:
    """What callers can do with documents. Another dataset's document is one that does not exist."""

    def __init__(
        self,
        store: Store,
        settlement: Settlement,
        settings: Settings,
        clock: Clock,
        *,
        can_wait: bool,
    ) -> None:
        """settlement: of the runs of remember. can_wait: whether this process remembers, so that there is an end to wait for."""
        self._store = store
        self._book = RememberBook(store)
        self._settlement = settlement
        self._settings = settings
        self._clock = clock
        self._can_wait = can_wait
        self._reading = asyncio.Semaphore(_READ_AT_ONCE)
        self._inside = 0

    # -- taking in ----------------------------------------------------------------------------------------------------
    async def remember(self, request: RememberRequest, *, caller: Caller = LOCAL) -> RememberResult:
        """Take a document in: returns when it and its run are committed, or, if the request waits, when the run has ended.

        Raises what `remember.setup.accept` raises, then nothing is left of it; `IdempotencyConflict`; and `Busy` when too
        many documents are being read.
        """
        caller.require(Scope.WRITE, check_dataset_name(request.dataset))
        async with self._turn():
            new = await accept(
                request,
                self._store.dataset(request.dataset),
                self._settings,
                self._clock,
                user=caller.key_id,
            )
        started = await self._store.start_remember(new)
        ack = RememberResult(
            remember_run_id=run_id(started.run, "remember"),
            document_id=started.document_id,
            lsn=started.run,
            was_replayed=started.was_replayed,
        )
        if request.wait == "ack" and not started.was_replayed:
            return ack
        return await self._told(ack, waits=request.wait == "derived")

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        if self._inside >= _MOST_WAITING:
            raise Busy(f"{_MOST_WAITING} documents wait to be read; try again", limit=_MOST_WAITING)
        self._inside += 1
        try:
            async with self._reading:
                yield
        finally:
            self._inside -= 1

    async def _told(self, ack: RememberResult, *, waits: bool) -> RememberResult:
        """Return the ack with what is known of the run; it is a fact also if the engine closes meanwhile."""
        with suppress(Closed):
            if waits and self._can_wait:
                await self._settlement.wait([ack.lsn], self._settings.drain_seconds)
            return await asyncio.to_thread(self._with_run, ack, waits)
        return ack

    def _with_run(self, ack: RememberResult, waited: bool) -> RememberResult:
        row = self._book.run(ack.lsn)
        if row is None:
            return ack
        return RememberResult(
            remember_run_id=ack.remember_run_id,
            document_id=ack.document_id,
            lsn=ack.lsn,
            was_replayed=ack.was_replayed,
            status=row.status,
            run=self._shown_run(row) if waited else None,
        )

    def _shown_run(self, row: RememberRow) -> Run:
        (run,) = with_spent([self._book.shown(row, self._book.outputs(row.id))], self._store)
        return run

    # -- looking ------------------------------------------------------------------------------------------------------
    async def documents(
        self, dataset: str = DEFAULT_DATASET, *, limit: int = 50, cursor: str | None = None, caller: Caller = LOCAL
    ) -> Page[Document]:
        """Return one page of the dataset's documents, the latest made first."""
        found = self._dataset(dataset, caller)
        check_limit(limit, self._settings.max_limit)
        tag = listing_tag("documents", found.number)
        before = None if cursor is None else read_cursor(cursor, tag)
        # One more than asked for tells whether there is a next page.
        rows = await asyncio.to_thread(self._store.documents, found.number, limit + 1, before)
        page = rows[:limit]
        following = write_cursor(tag, page[-1].number) if len(rows) > limit else None
        return Page(data=tuple(map(_shown, page)), next_cursor=following)

    async def document(self, document_id: str, *, dataset: str = DEFAULT_DATASET, caller: Caller = LOCAL) -> Document:
        """Return one document. `DocumentNotFound`."""
        return _shown(await self._row(document_id, self._dataset(dataset, caller)))

    async def texts(
        self,
        document_id: str,
        *,
        dataset: str = DEFAULT_DATASET,
        limit: int = 50,
        cursor: str | None = None,
        caller: Caller = LOCAL,
    ) -> Page[DocumentText]:
        """Return one page of what the document's current version is kept as: its chunks in order, then what was added to it.

        What was forgotten or edited by hand since is left out. `DocumentNotFound`; a cursor is of one version of the document.
        """
        row = await self._row(document_id, self._dataset(dataset, caller))
        check_limit(limit, self._settings.max_limit)
        if row.run is None:
            return Page(data=())
        tag = listing_tag("texts", row.number, row.run)
        after = -1 if cursor is None else read_cursor(cursor, tag)
        found = await asyncio.to_thread(self._texts, row.run, after, limit + 1)
        following = write_cursor(tag, _place(found[limit - 1])) if len(found) > limit else None
        return Page(data=tuple(map(_shown_text, found[:limit])), next_cursor=following)

    # -- inside -------------------------------------------------------------------------------------------------------
    def _dataset(self, name: str, caller: Caller) -> Dataset:
        caller.require(Scope.READ, check_dataset_name(name))
        dataset = self._store.dataset(name)
        if dataset is None:
            raise DatasetNotFound(f"dataset: there is no dataset {name!r}", field="dataset")
        return dataset

    async def _row(self, document_id: str, dataset: Dataset) -> DocumentRow:
        check_label(document_id, "document_id")
        row = await asyncio.to_thread(self._store.document, dataset.number, document_id)
        if row is None:
            raise DocumentNotFound(f"document_id: there is no document {document_id!r}", field="document_id")
        return row

    def _texts(self, run: int, after: int, most: int) -> list[TextRow]:
        """Return up to `most` live texts of a run behind a place."""
        found: list[TextRow] = []
        for origin in TEXT_ORIGINS[max(after, 0) // _ORIGIN_STEP :]:
            position = after % _ORIGIN_STEP if after >= 0 and _begins(origin) == after - after % _ORIGIN_STEP else -1
            while len(found) < most:
                rows = self._store.texts(run, origin, position, most)
                found += [row for row in rows if row.is_live]
                if len(rows) < most:
                    break
                position = rows[-1].key.position
        return found[:most]


def _begins(origin: str) -> int:
    return TEXT_ORIGINS.index(origin) * _ORIGIN_STEP


def _place(row: TextRow) -> int:
    return _begins(row.key.origin) + row.key.position


def _shown(row: DocumentRow) -> Document:
    return Document(
        document_id=row.id,
        dataset=row.dataset,
        title=row.title,
        kind=row.kind,
        name=row.name,
        url=row.url,
        characters=row.characters,
        chunks=row.chunks,
        remember_run_id=None if row.run is None else run_id(row.run, "remember"),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _shown_text(row: TextRow) -> DocumentText:
    return DocumentText(
        memory_id=str(row.memory_id),
        origin=row.key.origin,
        position=row.key.position,
        state=row.state,
        text=row.text,
        start=row.start,
        end=row.end,
        headings=row.headings,
        source=row.source,
        summary=row.summary,
        error=row.error,
    )
