"""The store's contract for derivation runs, stage commits, inferences and the log: the row types. Knows no SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mindlog.store.graphrows import GraphWrite, MemoryEdges, MemoryQuestions, MemoryTerms

__all__ = [
    "HELD_BACK",
    "OPEN_STATES",
    "RUN_ENDS",
    "RUN_STATES",
    "RUN_STATUSES",
    "STAGE_STATUSES",
    "CallSums",
    "ClaimedRun",
    "EventRow",
    "InferenceQuery",
    "InferenceRow",
    "LogQuery",
    "RunCounts",
    "RunEnd",
    "RunQuery",
    "RunRow",
    "StageCommit",
    "StageOutcome",
    "StageResults",
    "StageRow",
]

RUN_STATUSES = ("started", "succeeded", "failed")
STAGE_STATUSES = ("not_started", "started", "succeeded", "failed", "skipped")

#: How a run ends; all but the first have the status failed.
RUN_ENDS = ("succeeded", "failed", "quarantined", "cancelled", "superseded")
#: A started run waits for its first attempt, is held by a worker, or waits for another attempt.
OPEN_STATES = ("waiting", "running", "retrying")
RUN_STATES = (*OPEN_STATES, *RUN_ENDS)

#: The `due_at` of a derivation that waits until the document that its memory is of has been read; it is nobody's to claim.
HELD_BACK = 1 << 62

StageResults = MemoryEdges | MemoryTerms | MemoryQuestions | GraphWrite


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRow:
    """What a run row says of one stage. Status words: not_started started succeeded failed skipped."""

    name: str
    status: str
    error: str | None
    started_at: int | None
    finished_at: int | None
    inference_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRun:
    """A run a worker holds. `attempts` counts this one. `stages`: what earlier attempts have settled."""

    id: int
    dataset: int
    slot: int
    version: int
    attempts: int
    created_at: int
    stages: tuple[StageRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCommit:
    """A stage's end: its results, its status and its event, committed together.

    `status` is succeeded, failed or skipped. A failed one may carry results too: what the tiers that worked have found.
    Applied again it changes nothing more: the results of one stage for one revision replace those it had.
    """

    run: int
    owner: str
    stage: str
    status: str
    error: str | None
    started_at: int | None
    finished_at: int | None
    inference_ids: tuple[str, ...] = ()
    output: Mapping[str, Any] | None = None
    results: StageResults | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOutcome:
    """What a stage commit did: the LSN of its event and how many rows of each sort it added."""

    lsn: int
    added: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """How an attempt ended.

    `ended_as`: succeeded; failed (gave up at once); quarantined (gave up after the last attempt); cancelled; superseded (the revision is no
    longer current or is forgotten); or None to try again at `due_at`. `counted` False gives the attempt back.
    """

    run: int
    owner: str
    ended_as: str | None
    error: str | None = None
    due_at: int = 0
    counted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One row of the derivation log.

    Of a forgotten memory's errors (`Kind: details`), the run's and its stages', only the kind is given; is_hidden says so.
    """

    id: int
    dataset: str
    slot: int
    version: int
    status: str  # of RUN_STATUSES
    state: str  # of RUN_STATES
    error: str | None
    attempts: int
    due_at: int
    created_at: int
    finished_at: int | None
    stages: tuple[StageRow, ...]
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunQuery:
    """Which runs to list, newest first, below `before_id`. None does not narrow.

    A word that is not known is `InvalidInput`, and so is `stage` without `stage_status`.
    """

    dataset: int | None = None
    status: str | None = None
    state: str | None = None
    stage: str | None = None
    stage_status: str | None = None  # of `stage`, or of any stage if that is None
    text: str | None = None  # in the memory's text or in an error, case-insensitive
    slot: int | None = None
    document_id: str | None = None  # of remember
    session: str | None = None  # of queries
    created_from: int | None = None
    created_to: int | None = None
    limit: int = 50
    before_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCounts:
    """How many runs there are: by every state, and by dataset and the states it has; since when the oldest of them waits."""

    by_state: Mapping[str, int]
    by_dataset: Mapping[str, Mapping[str, int]]
    oldest_created_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceRow:
    """One model call as it is kept; the fields are those of `models.inference.InferenceRecord`, prompt as JSON pairs.

    Of a forgotten memory's run it has no prompt and no output, and of the error only what comes before its details; is_hidden says so.
    """

    id: str
    run_id: str | None
    stage: str | None
    dataset: str | None
    provider: str
    model: str
    mode: str
    parameters: Mapping[str, Any]
    prompt: tuple[tuple[str, str], ...] | None
    prompt_hash: str
    output: str | None
    output_hash: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    started_at: int
    finished_at: int
    latency_us: int
    attempt: int
    error: str | None
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSums:
    """How many model calls a run has made, and what they came to: the sum of what is known, None if nothing is."""

    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceQuery:
    """Which inferences to list, newest first: those kept before `before_id`, none if that is unknown."""

    run_id: str | None = None
    stage: str | None = None
    failed: bool | None = None
    limit: int = 50
    before_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """One log entry with what subscribers filter by. A forgotten memory's session and kind stay; its content is never in the log."""

    lsn: int
    at: int
    type: str
    dataset: int | None
    slot: int | None
    version: int | None
    session: str | None
    kind: str | None
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuery:
    """Which log entries to read, from `from_lsn` on in LSN order. None does not narrow, nor do empty `types`.

    `datasets` leaves out what is of no dataset; an empty one matches nothing.
    """

    from_lsn: int
    limit: int
    to_lsn: int | None = None
    datasets: tuple[int, ...] | None = None
    types: tuple[str, ...] = field(default_factory=tuple)
    slot: int | None = None
    session: str | None = None
    kind: str | None = None
