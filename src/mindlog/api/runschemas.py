"""What admins send about derivation runs and model calls: bodies and query parameters. They check shapes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from mindlog.api.schemas import Body, DatasetName, MemoryName, TimeText
from mindlog.store.stages import DERIVE_STAGES

__all__ = ["CallQuery", "CancelBody", "InferenceQuery", "RetryBody", "RetryStagesBody", "RunQuery"]

RunName = Annotated[str, Field(json_schema_extra={"pattern": "^enc_[0-9A-Za-z]{13}$"})]
StageName = Annotated[str, Field(json_schema_extra={"enum": [stage.name for stage in DERIVE_STAGES]})]
Limit = Annotated[int, Field(ge=1, description="Most rows of a page, up to 10 000.")]
Cursor = Annotated[str | None, Field(description="`next_cursor` of the page before.")]


class _RunFilters(BaseModel):
    dataset: DatasetName | None = Field(None, description="Only of this dataset.")
    status: str | None = Field(None, description="`started`, `succeeded` or `failed`.")
    state: str | None = Field(
        None,
        description="`waiting`, `running`, `retrying`, `succeeded`, `failed`, `quarantined`, `cancelled` or `superseded`.",
    )
    stage: StageName | None = Field(None, description="The stage that `stage_status` is about; any if unset.")
    stage_status: str | None = Field(None, description="`not_started`, `started`, `succeeded`, `failed` or `skipped`.")
    text: str | None = Field(None, description="Only where this is in the memory's text or in an error.")
    memory_id: MemoryName | None = Field(None, description="Only of this memory.")
    created_from: TimeText | None = Field(None, description="Only of memories written at or after this time.")
    created_to: TimeText | None = Field(None, description="Only of memories written before this time.")


class RunQuery(_RunFilters):
    """Query parameters of a listing of runs."""

    model_config = ConfigDict(extra="forbid")

    limit: Limit = 50
    cursor: Cursor = None


class CancelBody(_RunFilters, Body):
    """Which runs to cancel: `run_ids`, or all that the filters find."""

    run_ids: list[RunName] | None = Field(None, description="These runs; without filters then.")


class RetryBody(CancelBody):
    """Which runs to start again: `run_ids`, or all that the filters find; those that failed if no status is given."""

    stages: list[StageName] | None = Field(None, description="Only these stages; what has not succeeded if unset.")


class RetryStagesBody(Body):
    """What to run again."""

    stages: list[StageName] | None = Field(None, description="Only these stages; what has not succeeded if unset.")


class CallQuery(BaseModel):
    """Query parameters of a listing of one run's model calls."""

    model_config = ConfigDict(extra="forbid")

    stage: StageName | None = Field(None, description="Only of this stage.")
    failed: bool | None = Field(None, description="Only those that failed, or only those that did not.")
    limit: Limit = 50
    cursor: Cursor = None


class InferenceQuery(CallQuery):
    """Query parameters of a listing of model calls."""

    run_id: RunName | None = Field(None, description="Only of this run.")
