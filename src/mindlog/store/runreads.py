"""The reads of the store's contract for derivation: runs, what they made, model calls, the log. Knows no writer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from mindlog.clock import Clock
from mindlog.store import inferences, logreads, runquery
from mindlog.store.connect import Row, fetch
from mindlog.store.queries import q
from mindlog.store.reads import Reads
from mindlog.store.rows import from_json
from mindlog.store.runrows import (
    RUN_STATES,
    CallSums,
    EventRow,
    InferenceQuery,
    InferenceRow,
    LogQuery,
    RunCounts,
    RunQuery,
    RunRow,
)

__all__ = ["DerivationReads", "counted"]


class DerivationReads(Reads):
    """The reading half for workers and for who watches them; the methods are those of `DerivationStore`."""

    _clock: Clock

    # -- runs -------------------------------------------------------------------------------------------------------
    def next_due(self) -> int | None:
        """Return when the next run is due, 0 for at once; a lease counts as due when it ends."""
        return self._peek.next_due()

    def runs(self, query: RunQuery) -> list[RunRow]:
        """Return run rows, newest first."""
        return self._runs(*runquery.compile_query(query, self._clock.now()))

    def run(self, run: int) -> RunRow | None:
        """Return one run row."""
        found = self._runs(*runquery.of_run(run, self._clock.now()))
        return found[0] if found else None

    def runs_of(self, slot: int, version: int | None = None) -> list[RunRow]:
        """Return the runs of a memory, newest revision first."""
        return self._runs(*runquery.of_slot(slot, version, self._clock.now()))

    def _runs(self, sql: str, values: list[Any]) -> list[RunRow]:
        return [runquery.run_row(row) for row in self._all(sql, values)]

    def run_counts(self) -> RunCounts:
        """Count the runs by state and dataset."""
        with self._pool.connection() as connection:
            started = fetch(connection, runquery.COUNT_STARTED, (self._clock.now(),))
            return counted(started, fetch(connection, q.count_failed_runs) + fetch(connection, q.count_succeeded_runs))

    def run_outputs(self, run: int) -> dict[str, Mapping[str, Any]]:
        """Return what each stage of a run produced, by stage."""
        return {stage: from_json(output) for stage, output in self._all(q.run_outputs, (run,))}

    # -- model calls --------------------------------------------------------------------------------------------------
    def inferences(self, query: InferenceQuery) -> list[InferenceRow]:
        """Return model calls, newest first."""
        with self._snapshot() as connection:
            return inferences.read_inferences(connection, *inferences.compile_query(query))

    def inference(self, inference_id: str) -> InferenceRow | None:
        """Return one model call."""
        with self._snapshot() as connection:
            found = inferences.read_inferences(connection, *inferences.of_id(inference_id))
        return found[0] if found else None

    def call_sums(self, run_ids: Collection[str]) -> dict[str, CallSums]:
        """Return what the model calls of runs came to, by the ids of those that have made any."""
        return {row[0]: inferences.call_sums(row) for row in self._all(q.call_sums, (json.dumps(list(run_ids)),))}

    def spent_since(self, at: int) -> tuple[int, float]:
        """Return tokens and cost of the model calls started at or after the instant."""
        tokens, cost = self._all(q.spent_since, (at,))[0]
        return tokens, cost

    # -- the log --------------------------------------------------------------------------------------------------------
    def read_log(self, query: LogQuery) -> list[EventRow]:
        """Return the log entries of the query in LSN order."""
        return [logreads.event_row(row) for row in self._all(*logreads.compile_query(query))]

    @property
    def oldest_lsn(self) -> int:
        """The LSN of the oldest entry still in the log; from memory."""
        return self._known.oldest_lsn


def counted(started: Sequence[Row], ended: Iterable[Row]) -> RunCounts:
    """Return the counts of the rows of `count_started_runs` and of those that count runs that have ended."""
    by_state: dict[str, int] = dict.fromkeys(RUN_STATES, 0)
    by_dataset: dict[str, dict[str, int]] = {}
    for dataset, state, count in (*(row[:3] for row in started), *ended):
        by_state[state] += count
        by_dataset.setdefault(dataset, {})[state] = count
    waiting = [oldest for _, state, _, oldest in started if state != "running" and oldest is not None]
    return RunCounts(by_state=by_state, by_dataset=by_dataset, oldest_created_at=min(waiting, default=None))
