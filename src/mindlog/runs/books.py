"""The log of each operation by the same words: its runs as rows, how they are shown, and what may be done with them.

Owns which operation's log a run's id belongs to. Who may look is the desks' affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from mindlog.errors import InvalidInput
from mindlog.ids import Operation, parse_run_id
from mindlog.runs.shown import Outputs, shown_query, shown_remember, shown_run
from mindlog.store.askingrows import QueryRow
from mindlog.store.base import Store
from mindlog.store.documentrows import RememberRow
from mindlog.store.runrows import RunCounts, RunQuery, RunRow
from mindlog.store.stages import DERIVE_STAGES, QUERY_STAGES, REMEMBER_STAGES, StageInfo
from mindlog.views import Run

__all__ = ["DerivationBook", "LogRow", "QueryBook", "RememberBook", "RunBook", "WorkBook", "dataset_of_run"]


class LogRow(Protocol):
    """What every log's row has."""

    @property
    def id(self) -> int:
        """The run's number."""
        ...

    @property
    def dataset(self) -> str:
        """Whose run it is."""
        ...

    @property
    def status(self) -> str:
        """`started` until it has ended."""
        ...


Row = TypeVar("Row", bound=LogRow)


class RunBook(Protocol[Row]):
    """The log of one operation. narrows: fields of a `RunRequest` that only this log knows."""

    operation: ClassVar[Operation]
    stages: ClassVar[tuple[StageInfo, ...]]
    narrows: ClassVar[frozenset[str]]

    def run(self, run: int) -> Row | None:
        """Return one row."""
        ...

    def runs(self, query: RunQuery) -> list[Row]:
        """Return the rows of a query, newest first."""
        ...

    def counts(self) -> RunCounts:
        """Count the rows by state and dataset."""
        ...

    def outputs(self, run: int) -> Outputs:
        """Return what each stage produced, by stage."""
        ...

    def shown(self, row: Row, outputs: Outputs | None = None) -> Run:
        """Return the run of a row."""
        ...


class WorkBook(RunBook[Row], Protocol[Row]):
    """The log of an operation whose runs a worker performs."""

    async def retry(self, runs: Sequence[int], stages: Sequence[str] | None) -> list[int]:
        """Start ended runs again; returns those that were."""
        ...

    async def cancel(self, runs: Sequence[int]) -> list[int]:
        """End runs that have not; returns those ended."""
        ...


class DerivationBook:
    """The derivations of memories."""

    operation: ClassVar[Operation] = "encode"
    stages: ClassVar = DERIVE_STAGES
    narrows: ClassVar = frozenset({"memory_id"})

    def __init__(self, store: Store) -> None:
        self._store = store

    def run(self, run: int) -> RunRow | None:
        """Return one row."""
        return self._store.run(run)

    def runs(self, query: RunQuery) -> list[RunRow]:
        """Return the rows of a query, newest first."""
        return self._store.runs(query)

    def counts(self) -> RunCounts:
        """Count the rows by state and dataset."""
        return self._store.run_counts()

    def outputs(self, run: int) -> Outputs:
        """Return what each stage produced, by stage."""
        return self._store.run_outputs(run)

    def shown(self, row: RunRow, outputs: Outputs | None = None) -> Run:
        """Return the run of a row."""
        return shown_run(row, outputs)

    async def retry(self, runs: Sequence[int], stages: Sequence[str] | None) -> list[int]:
        """Start ended runs again: what has not succeeded, or the stages named."""
        return await self._store.retry_runs(runs, stages)

    async def cancel(self, runs: Sequence[int]) -> list[int]:
        """End runs that have not."""
        return await self._store.cancel_runs(runs)


class RememberBook:
    """The documents that were given to be remembered."""

    operation: ClassVar[Operation] = "remember"
    stages: ClassVar = REMEMBER_STAGES
    narrows: ClassVar = frozenset({"document_id"})

    def __init__(self, store: Store) -> None:
        self._store = store

    def run(self, run: int) -> RememberRow | None:
        """Return one row."""
        return self._store.remember_run(run)

    def runs(self, query: RunQuery) -> list[RememberRow]:
        """Return the rows of a query, newest first."""
        return self._store.remember_runs(query)

    def counts(self) -> RunCounts:
        """Count the rows by state and dataset."""
        return self._store.remember_counts()

    def outputs(self, run: int) -> Outputs:
        """Return what each stage produced, by stage."""
        return self._store.remember_outputs(run)

    def shown(self, row: RememberRow, outputs: Outputs | None = None) -> Run:
        """Return the run of a row."""
        return shown_remember(row, outputs)

    async def retry(self, runs: Sequence[int], stages: Sequence[str] | None) -> list[int]:
        """Start ended runs again with what did not succeed; which stages, nobody can choose."""
        if stages is not None:
            raise InvalidInput("stages: of a remember, all that did not succeed is done again", field="stages")
        return await self._store.retry_remember(runs)

    async def cancel(self, runs: Sequence[int]) -> list[int]:
        """End runs that have not; what they kept stays."""
        return await self._store.cancel_remember(runs)


class QueryBook:
    """The questions that were asked. Nobody waits for one that has ended, so none is started again."""

    operation: ClassVar[Operation] = "query"
    stages: ClassVar = QUERY_STAGES
    narrows: ClassVar = frozenset({"session"})

    def __init__(self, store: Store) -> None:
        self._store = store

    def run(self, run: int) -> QueryRow | None:
        """Return one row."""
        return self._store.query_run(run)

    def runs(self, query: RunQuery) -> list[QueryRow]:
        """Return the rows of a query, newest first."""
        return self._store.query_runs(query)

    def counts(self) -> RunCounts:
        """Count the rows by state and dataset."""
        return self._store.query_counts()

    def outputs(self, run: int) -> Outputs:
        """Return nothing: the answer is in the row."""
        return {}

    def shown(self, row: QueryRow, outputs: Outputs | None = None) -> Run:
        """Return the run of a row."""
        return shown_query(row)


_READS: dict[str, tuple[Operation, type[Any]]] = {
    "enc": ("encode", DerivationBook),
    "rem": ("remember", RememberBook),
    "qry": ("query", QueryBook),
}


def dataset_of_run(store: Store, run_id: str, field: str) -> str | None:
    """Return the dataset of a run of any operation, None if there is no such run. `InvalidInput` for what is no run's id."""
    operation, book = _READS.get(run_id[:3], _READS["enc"])
    row = book(store).run(parse_run_id(run_id, field, operation))
    return None if row is None else row.dataset
