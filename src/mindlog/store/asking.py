"""The store's contract for queries, series, places and pictures. Knows no SQL."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mindlog.records import NewMemory, Persisted
    from mindlog.store.askingrows import (
        Asked,
        ImageRow,
        NewImage,
        NewPlace,
        NewQuery,
        PlaceRow,
        PointRow,
        QueryEnd,
        QueryRow,
        SeriesRow,
    )
    from mindlog.store.documentrows import SeriesWrite
    from mindlog.store.runrows import RunCounts, RunQuery

__all__ = ["AskingStore"]


class AskingStore(Protocol):
    """The half of a store for what is asked, and for what memories say of numbers and places."""

    # -- queries ------------------------------------------------------------------------------------------------------
    async def start_query(self, new: NewQuery) -> int:
        """Record a query; returns its number."""
        ...

    async def end_query(self, end: QueryEnd) -> None:
        """Record how a query ended, with its `run_finished`, as `DerivationStore.end_run` has it. Nothing for a row that has ended."""
        ...

    async def close_queries(self, error: str) -> int:
        """End every open query as failed, with `run_finished` (at start: their process is dead); their stages stay not_started.

        Returns how many.
        """
        ...

    def query_run(self, run: int) -> QueryRow | None:
        """Return one row."""
        ...

    def query_runs(self, query: RunQuery) -> list[QueryRow]:
        """Return rows, newest first; `text` looks into question, answer and errors; state is the status (running for started)."""
        ...

    def query_counts(self) -> RunCounts:
        """Count the rows by state and dataset."""
        ...

    def asked(
        self, dataset: int, session: str, limit: int, before: int | None = None, *, user: str | None = None
    ) -> list[Asked]:
        """Return the latest answered turns of a session, the latest first, below a run; of one user, or of everybody."""
        ...

    # -- series -------------------------------------------------------------------------------------------------------
    async def put_series(self, write: SeriesWrite) -> dict[str, int]:
        """Apply a series write; returns {"series": new ones, "points": new ones}. `RevisionGone` if its memory is not as it was."""
        ...

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
        """Return series, newest first.

        entities: any ids of whose they are. slots: of memories whose current revision gave points. text: in name or entity's name.
        """
        ...

    def points(
        self,
        series: int,
        *,
        start: int | None = None,
        end: int | None = None,
        limit: int | None = None,
        after: tuple[int, int] | None = None,
    ) -> list[PointRow]:
        """Return the current points of a series by rising time, in [start, end), after the (at, id) of a last one."""
        ...

    # -- places -------------------------------------------------------------------------------------------------------
    async def put_places(self, places: Sequence[NewPlace]) -> int:
        """Keep places; those of a memory's revision replace what it had. Returns how many are new or changed."""
        ...

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
        """Return places, the last given first: of the entities (any ids), of the memories, or in the cells.

        With none of these named, all of the dataset, or those given before the place `before_id`.
        """
        ...

    # -- pictures -----------------------------------------------------------------------------------------------------
    async def put_image(
        self, memory: NewMemory, image: NewImage, place: NewPlace | None = None
    ) -> tuple[Persisted, int]:
        """Commit a picture's memory, row and place together; returns what `persist` returns and the picture's number.

        A memory that was there already (same text, same picture) keeps its picture.
        """
        ...

    def image(self, image: int, *, thumbnail: bool = False) -> ImageRow | None:
        """Return one picture; None if its memory is forgotten."""
        ...

    def images_of(self, slots: Sequence[int]) -> dict[int, list[ImageRow]]:
        """Return the pictures of memories by slot."""
        ...

    def image_files(self) -> set[bytes]:
        """Return the fingerprints of all pictures, those of forgotten memories too: what has no other file is nobody's."""
        ...
