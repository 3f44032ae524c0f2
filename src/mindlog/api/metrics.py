"""What the server counts: requests, operations, stages, and how the store and its indexes are.

Owns the names of the metrics. Times are kept in plain lists, since the write path tells of every stage; a scrape turns them
into Prometheus families. Labels are routes, operations, stages and statuses, never callers.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from mindlog.api.activity import Activity
from mindlog.api.callcounts import Tally, call_families
from mindlog.errors import MindlogError

if TYPE_CHECKING:
    from mindlog.records import Health

__all__ = ["Metrics", "Times"]

# Seconds: from a fraction of a stage (50 µs) to a call that hangs.
BOUNDS = (
    0.00005,
    0.0001,
    0.00025,
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
)
_LABELS = [*map(str, BOUNDS), "+Inf"]

_STORE_GAUGES = {
    "memories": ("mindlog_memories", "Memories that reads see."),
    "forgotten": ("mindlog_memories_forgotten", "Memories hidden by a forget."),
    "datasets": ("mindlog_datasets", "Datasets."),
    "last_lsn": ("mindlog_last_lsn", "LSN of the last commit."),
    "pending_derivations": ("mindlog_pending_derivations", "Memories with stages still to be derived."),
    "queue": ("mindlog_write_queue", "Writes waiting for the writer."),
    "file_bytes": ("mindlog_store_bytes", "Size of the database file."),
    "wal_bytes": ("mindlog_wal_bytes", "Size of the write-ahead log."),
}

_DERIVE_GAUGES = {
    "pending": ("mindlog_derive_pending", "Derivations that have not ended."),
    "quarantined": ("mindlog_derive_quarantined", "Derivations given up after all their attempts."),
    "failed": ("mindlog_derive_failed", "Derivations that failed and are not tried again by themselves."),
    "oldest_seconds": ("mindlog_derive_lag_seconds", "Age of the oldest derivation that has not ended."),
}

_STATES = frozenset({"waiting", "running", "retrying", "succeeded", "failed", "quarantined"})


_RUNS = frozenset({"derive", "remember"})  # what goes on behind the calls


class Times:
    """A histogram of seconds under labels."""

    def __init__(self, name: str, help_text: str, *labels: str) -> None:
        self._name, self._help, self._labels = name, help_text, labels
        self._counts: dict[tuple[str, ...], list[int]] = {}
        self._sums: dict[tuple[str, ...], float] = {}
        self._lock = Lock()

    def add(self, seconds: float, *labels: str) -> None:
        """Count one duration; from any thread."""
        bucket = bisect_left(BOUNDS, seconds)
        with self._lock:
            counts = self._counts.get(labels)
            if counts is None:
                counts = self._counts[labels] = [0] * (len(BOUNDS) + 1)
                self._sums[labels] = 0.0
            counts[bucket] += 1
            self._sums[labels] += seconds

    def family(self) -> HistogramMetricFamily:
        """Return the counts as Prometheus has them."""
        family = HistogramMetricFamily(self._name, self._help, labels=self._labels)
        with self._lock:
            found = [(labels, list(counts), self._sums[labels]) for labels, counts in self._counts.items()]
        for labels, counts, total in found:
            buckets = list(zip(_LABELS, map(float, accumulate(counts)), strict=True))
            family.add_metric(labels, buckets=buckets, sum_value=total)
        return family


class StageTimes:
    """An observer that times the stages of one operation. Runs may interleave: each has its own task or thread."""

    __slots__ = ("_operation", "_started", "_times")

    def __init__(self, operation: str, times: Times) -> None:
        self._operation, self._times = operation, times
        self._started: dict[tuple[int, str], float] = {}

    def start(self, *stages: str) -> None:
        """Note when the stages began."""
        now, run = time.perf_counter(), _this_run()
        for stage in stages:
            self._started[run, stage] = now

    def done(self, error: BaseException | None, /, *stages: str) -> None:
        """Count how long the stages took."""
        now, run = time.perf_counter(), _this_run()
        status = "succeeded" if error is None else "failed"
        for stage in stages:
            self._times.add(now - self._started.pop((run, stage), now), self._operation, stage, status)

    def skip(self, *stages: str) -> None:
        """A skipped stage takes no time."""

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        """Inferences are on record elsewhere."""


def _this_run() -> int:
    try:
        return id(asyncio.current_task())
    except RuntimeError:  # no loop here: the run has this thread for itself
        return get_ident()


class Metrics(Collector):
    """The metrics of one server, in a registry of their own."""

    def __init__(self) -> None:
        self.activity = Activity()
        self.requests = Times("mindlog_http_request_seconds", "HTTP requests by route.", "route", "method", "status")
        self._operations = Times("mindlog_operation_seconds", "Calls of the engine.", "operation", "status")
        self._queries = Times("mindlog_query_seconds", "Questions, by what answered them.", "answered_by")
        self._stages = Times("mindlog_stage_seconds", "Stages of operations.", "operation", "stage", "status")
        self._health: Health | None = None
        self._subscribers = 0
        self._calls: Tally = {}
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def observe(self, operation: str) -> StageTimes:
        """Return the observer of one run; to be given to `Engine.open(observe=...)`."""
        if operation in _RUNS:
            self.activity.begun()
        return StageTimes(operation, self._stages)

    @contextmanager
    def operation(self, name: str) -> Generator[None]:
        """Count and time one call of the engine."""
        started, status = time.perf_counter(), "failed"
        try:
            yield
            status = "succeeded"
        except MindlogError as exc:
            status = exc.code
            raise
        finally:
            self._operations.add(time.perf_counter() - started, name, status)
            self.activity.called(name)

    @contextmanager
    def question(self) -> Generator[Callable[[str], None]]:
        """Count and time one question; what answered it is to be told. One that nothing did is `failed`."""
        started, answered_by = time.perf_counter(), "failed"

        def tell(by: str) -> None:
            nonlocal answered_by
            answered_by = by

        try:
            yield tell
        finally:
            self._queries.add(time.perf_counter() - started, answered_by)

    def scrape(self, health: Health, *, subscribers: int, calls: Tally) -> bytes:
        """Return everything in the text format of Prometheus. subscribers: streams that are open; calls: model calls."""
        self._health, self._subscribers, self._calls = health, subscribers, calls
        return generate_latest(self._registry)

    def collect(self) -> Iterable[Metric]:
        """Yield the families, as the registry asks for them."""
        yield self.requests.family()
        yield self._operations.family()
        yield self._queries.family()
        yield self._stages.family()
        if self._health is not None:
            yield from _gauges(self._health)
            yield from _derive_gauges(self._health)
            yield from _run_gauges(self._health)
        yield GaugeMetricFamily("mindlog_subscribers", "Event streams that are open.", value=float(self._subscribers))
        yield from call_families(self._calls)


def _gauges(health: Health) -> Iterator[Metric]:
    yield GaugeMetricFamily("mindlog_ready", "1 if writes and recall work.", value=float(health.ready))
    for field, (name, help_text) in _STORE_GAUGES.items():
        if field in health.store:
            yield GaugeMetricFamily(name, help_text, value=float(health.store[field]))
    numbers: dict[str, dict[str, float]] = {}
    for index in health.indexes:
        for field, value in _numbers(index):
            numbers.setdefault(field, {})[str(index["name"])] = value
    for field, by_index in numbers.items():
        family = GaugeMetricFamily(f"mindlog_index_{field}", f"{field} of an index.", labels=["index"])
        for name, value in by_index.items():
            family.add_metric([name], value)
        yield family


def _derive_gauges(health: Health) -> Iterator[Metric]:
    for field, (name, help_text) in _DERIVE_GAUGES.items():
        if field in health.derive:
            # No run that waits is no lag.
            yield GaugeMetricFamily(name, help_text, value=float(health.derive[field] or 0))


def _run_gauges(health: Health) -> Iterator[Metric]:
    for what, counts in (("remember", health.remember), ("query", health.query)):
        family = GaugeMetricFamily(f"mindlog_{what}_runs", f"Runs of {what} by state.", labels=["state"])
        for state in _STATES & counts.keys():
            family.add_metric([state], float(counts[state]))
        yield family
    # No run that waits is no lag.
    lag = float(health.remember.get("oldest_seconds") or 0)
    yield GaugeMetricFamily("mindlog_remember_lag_seconds", "Age of the oldest run that has not ended.", value=lag)


def _numbers(index: Any) -> Iterator[tuple[str, float]]:
    for field, value in index.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield field, float(value)
