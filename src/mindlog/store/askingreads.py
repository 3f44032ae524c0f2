"""The reads of the store's contract for queries, series, places and pictures. Knows no writer.

Each runs in one snapshot: what a page is made from is of one moment.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from mindlog.store import images, placereads, querylist, seriesreads
from mindlog.store.askingrows import Asked, ImageRow, PlaceRow, PointRow, QueryRow, SeriesRow
from mindlog.store.queries import q
from mindlog.store.reads import Reads
from mindlog.store.runrows import RunCounts, RunQuery

__all__ = ["AskingReads"]


class AskingReads(Reads):
    """The reading half for what is asked; the methods are those of `AskingStore`."""

    # -- queries ------------------------------------------------------------------------------------------------------
    def query_run(self, run: int) -> QueryRow | None:
        """Return one query."""
        found = self._queries(*querylist.of_run(run))
        return found[0] if found else None

    def query_runs(self, query: RunQuery) -> list[QueryRow]:
        """Return queries, newest first."""
        return self._queries(*querylist.compile_query(query))

    def _queries(self, sql: str, values: list[Any]) -> list[QueryRow]:
        return [querylist.query_row(row) for row in self._all(sql, values)]

    def query_counts(self) -> RunCounts:
        """Count the queries by state and dataset."""
        with self._snapshot() as connection:
            return querylist.counts(connection)

    def asked(
        self, dataset: int, session: str, limit: int, before: int | None = None, *, user: str | None = None
    ) -> list[Asked]:
        """Return the latest answered turns of a session, the latest first."""
        with self._snapshot() as connection:
            return querylist.asked(connection, dataset, session, limit, before, user)

    # -- series -------------------------------------------------------------------------------------------------------
    def series(
        self,
        dataset: int,
        *,
        ids: Collection[int] = (),
        entities: Collection[int] = (),
        keys: Collection[str] = (),
        slots: Collection[int] = (),
        text: str | None = None,
        limit: int = 50,
        before_id: int | None = None,
    ) -> list[SeriesRow]:
        """Return a page of series, newest first."""
        wanted = seriesreads.SeriesQuery(
            dataset=dataset,
            ids=ids,
            entities=entities,
            keys=keys,
            slots=slots,
            text=text,
            limit=limit,
            before_id=before_id,
        )
        with self._snapshot() as connection:
            return seriesreads.series(connection, wanted)

    def points(
        self,
        series: int,
        *,
        start: int | None = None,
        end: int | None = None,
        limit: int | None = None,
        after: tuple[int, int] | None = None,
    ) -> list[PointRow]:
        """Return a page of the current points of a series, by rising time."""
        with self._snapshot() as connection:
            return seriesreads.points(connection, series, start=start, end=end, limit=limit, after=after)

    # -- places -------------------------------------------------------------------------------------------------------
    def places(
        self,
        dataset: int,
        *,
        entities: Collection[int] = (),
        slots: Collection[int] = (),
        cells: Collection[int] | None = None,
        limit: int | None = None,
        before_id: int | None = None,
    ) -> list[PlaceRow]:
        """Return places, the last given first."""
        most = -1 if limit is None else limit
        with self._snapshot() as connection:
            return placereads.places(connection, dataset, entities, slots, cells, most, before_id)

    # -- pictures -----------------------------------------------------------------------------------------------------
    def image(self, image: int, *, thumbnail: bool = False) -> ImageRow | None:
        """Return one picture."""
        with self._snapshot() as connection:
            return images.image(connection, image, thumbnail=thumbnail)

    def images_of(self, slots: Sequence[int]) -> dict[int, list[ImageRow]]:
        """Return the pictures of memories by slot."""
        with self._snapshot() as connection:
            return images.images_of(connection, slots)

    def image_files(self) -> set[bytes]:
        """Return the fingerprints of all pictures."""
        return {fingerprint for (fingerprint,) in self._all(q.image_files, ())}
