"""How many model calls there were since the server began, with their tokens, by stage and model.

Read from the record of calls at each scrape, newest first down to the last one counted, so that counting costs a call nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, Metric

from mindlog.store.runrows import InferenceQuery, InferenceRow

if TYPE_CHECKING:
    from mindlog.store.derivation import DerivationStore

__all__ = ["CallCounts", "Tally", "call_families"]

_PAGE = 500
_LABELS = ["stage", "model", "status"]


@dataclass(slots=True)
class Counts:
    """Calls of one stage, model and status."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


Tally = dict[tuple[str, str, str], Counts]
"""By stage, model and status (`succeeded` or `failed`)."""


class CallCounts:
    """Counts what is recorded after it was made."""

    def __init__(self, store: DerivationStore) -> None:
        self._store = store
        self._lock = Lock()
        self._tally: Tally = {}
        self._last = next((row.id for row in store.inferences(InferenceQuery(limit=1))), None)

    def up_to_now(self) -> Tally:
        """Return the counts. Reads the store."""
        with self._lock:
            newest: str | None = None
            for row in self._new():
                newest = newest or row.id
                self._count(row)
            self._last = newest or self._last
            return self._tally

    def _new(self) -> Iterable[InferenceRow]:
        before: str | None = None
        while True:
            page = self._store.inferences(InferenceQuery(limit=_PAGE, before_id=before))
            for row in page:
                if row.id == self._last:
                    return
                yield row
            if len(page) < _PAGE:
                return
            before = page[-1].id

    def _count(self, row: InferenceRow) -> None:
        labels = (row.stage or "none", row.model, "succeeded" if row.error is None else "failed")
        counts = self._tally.setdefault(labels, Counts())
        counts.calls += 1
        counts.input_tokens += row.input_tokens or 0
        counts.output_tokens += row.output_tokens or 0


def call_families(tally: Tally) -> Iterator[Metric]:
    """Yield the counts as Prometheus has them."""
    calls = CounterMetricFamily("mindlog_inferences", "Model calls.", labels=_LABELS)
    tokens = CounterMetricFamily("mindlog_inference_tokens", "Tokens of model calls.", labels=[*_LABELS, "direction"])
    for labels, counts in list(tally.items()):
        calls.add_metric(labels, counts.calls)
        tokens.add_metric([*labels, "input"], counts.input_tokens)
        tokens.add_metric([*labels, "output"], counts.output_tokens)
    yield calls
    yield tokens
