"""What the server answers about the runs of the three logs and model calls. The fields are those of the records in `mindlog.views`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from mindlog.api.replies import Instant, MemoryName, Shown
from mindlog.ids import Operation

__all__ = [
    "InferencePageReply",
    "InferenceReply",
    "OutputsReply",
    "RunCountsReply",
    "RunPageReply",
    "RunReply",
    "RunsChangedReply",
    "StageInfoReply",
    "StagesReply",
]

RunName = Annotated[str, Field(json_schema_extra={"examples": ["enc_0000000000001"]})]


class RunStageReply(Shown):
    """One stage of a run."""

    name: str
    does: str = Field(description="What the stage does, in a sentence.")
    status: str = Field(description="`not_started`, `started`, `succeeded`, `failed` or `skipped`.")
    error: str | None
    started_at: Instant | None
    finished_at: Instant | None
    calls: int = Field(description="How many model calls of it are on record.")
    inference_ids: list[str] = Field(
        description="The first of its model calls: at most 20 in a listing, at most 200 of a single run. `calls` says how many "
        "there are; all of them are listed by the run's `/inferences?stage=`."
    )
    output: dict[str, Any] | None = Field(None, description="What it produced, where a single run is shown.")


class RunReply(Shown):
    """One run of an operation. What its log does not have is null."""

    run_id: RunName
    operation: Operation
    dataset: str
    status: str
    state: str = Field(
        description="`waiting`, `running`, `retrying`, `succeeded`, `failed`, `quarantined`, `cancelled` or `superseded`."
    )
    error: str | None
    attempts: int
    next_attempt_at: Instant | None
    created_at: Instant = Field(description="When it was asked for; it may have waited before its first stage began.")
    started_at: Instant | None = Field(description="When its first stage began.")
    finished_at: Instant | None
    has_failed_stage: bool
    stages: list[RunStageReply]
    memory_id: MemoryName | None = Field(description="Whose derivation it is.")
    document_id: str | None
    title: str | None = Field(description="Of the document.")
    progress: dict[str, int | None] | None = Field(
        description="Of a remember: `chunks`, and how many are `read`, `stored`."
    )
    question: str | None
    session: str | None
    answer: str | None
    answered_by: str | None
    user: str | None = Field(description="The key it was asked for with.")
    parameters: dict[str, Any] = Field(description="What was asked for.")
    flags: list[str] = Field(description="What is to be looked at though it succeeded.")
    calls: int = Field(description="How many model calls it has made.")
    input_tokens: int | None = Field(description="Of its model calls, as far as they say; null if none says.")
    output_tokens: int | None = Field(description="Of its model calls, as far as they say; null if none says.")
    cost: float | None = Field(description="Of its model calls, as far as they say; null if none says.")
    is_hidden: bool = Field(
        description="Whether answer, outputs and what errors say are left out: a memory it is of or rests on is forgotten."
    )


class RunPageReply(Shown):
    """One page of runs, newest first."""

    data: list[RunReply]
    has_more: bool
    next_cursor: str | None


class RunCountsReply(Shown):
    """How many runs there are."""

    by_state: dict[str, int]
    by_dataset: dict[str, dict[str, int]]
    oldest_seconds: float | None = Field(description="Age of the oldest run that waits; for keys of every dataset.")


class OutputsReply(BaseModel):
    """What the stages of a run produced, by name."""

    outputs: dict[str, dict[str, Any]]


class RunsChangedReply(BaseModel):
    """How many runs were changed."""

    runs: int


class InferenceReply(Shown):
    """One model call."""

    inference_id: str
    run_id: str | None
    stage: str | None
    dataset: str | None
    provider: str
    model: str
    mode: str
    parameters: dict[str, Any]
    prompt: list[dict[str, str]] | None = Field(
        description="The messages; null if only their hash is kept, or if they are hidden."
    )
    prompt_hash: str
    output: str | None
    output_hash: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    started_at: Instant
    finished_at: Instant
    latency_us: int
    attempt: int
    error: str | None
    is_hidden: bool = Field(
        description="Whether prompt, output and what the error says are left out, of what is forgotten."
    )


class InferencePageReply(Shown):
    """One page of model calls, newest first. A page may hold fewer than asked for and not be the last."""

    data: list[InferenceReply]
    has_more: bool
    next_cursor: str | None


class StageInfoReply(BaseModel):
    """A stage of an operation."""

    name: str
    does: str
    runs_model: bool = Field(description="Whether it runs a model, so that its calls are on record.")


class StagesReply(BaseModel):
    """The stages of each operation, in their order."""

    encode: list[StageInfoReply]
    derive: list[StageInfoReply]
    remember: list[StageInfoReply]
    query: list[StageInfoReply]
