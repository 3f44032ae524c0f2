"""What admins send about the runs of the three logs and model calls: bodies and query parameters. They check shapes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from mindlog.api.schemas import Body, DatasetName, Label, MemoryName, TimeText
from mindlog.store.stages import DERIVE_STAGES, QUERY_STAGES, REMEMBER_STAGES

__all__ = [
    "CallQuery",
    "CancelBody",
    "CancelRememberBody",
    "InferenceQuery",
    "OneRunQuery",
    "QueryRunQuery",
    "RememberRunQuery",
    "RetryBody",
    "RetryRememberBody",
    "RetryStagesBody",
    "RunQuery",
]

_NAMES: dict[str, list[JsonValue]] = {
    table: [stage.name for stage in stages]
    for table, stages in {"encode": DERIVE_STAGES, "remember": REMEMBER_STAGES, "query": QUERY_STAGES}.items()
}
_STAGE = "The stage that `stage_status` is about; any if unset."

RunName = Annotated[str, Field(json_schema_extra={"pattern": "^enc_[0-9A-Za-z]{13}$"})]
RememberRunName = Annotated[str, Field(json_schema_extra={"pattern": "^rem_[0-9A-Za-z]{13}$"})]
AnyRunName = Annotated[str, Field(json_schema_extra={"pattern": "^(enc|rem|qry)_[0-9A-Za-z]{13}$"})]
StageName = Annotated[str, Field(json_schema_extra={"enum": _NAMES["encode"]})]
RememberStageName = Annotated[str, Field(json_schema_extra={"enum": _NAMES["remember"]})]
QueryStageName = Annotated[str, Field(json_schema_extra={"enum": _NAMES["query"]})]
AnyStageName = Annotated[str, Field(json_schema_extra={"enum": [name for names in _NAMES.values() for name in names]})]
Limit = Annotated[int, Field(ge=1, description="Most rows of a page, up to 10 000.")]
Cursor = Annotated[str | None, Field(description="`next_cursor` of the page before.")]


class _Filters(BaseModel):
    dataset: DatasetName | None = Field(None, description="Only of this dataset.")
    status: str | None = Field(None, description="`started`, `succeeded` or `failed`.")
    stage_status: str | None = Field(None, description="`not_started`, `started`, `succeeded`, `failed` or `skipped`.")
    created_from: TimeText | None = Field(None, description="Only of what was written or asked at or after this time.")
    created_to: TimeText | None = Field(None, description="Only of what was written or asked before this time.")


class _RunFilters(_Filters):
    state: str | None = Field(
        None,
        description="`waiting`, `running`, `retrying`, `succeeded`, `failed`, `quarantined`, `cancelled` or `superseded`.",
    )
    stage: StageName | None = Field(None, description=_STAGE)
    text: str | None = Field(None, description="Only where this is in the memory's text or in an error.")
    memory_id: MemoryName | None = Field(None, description="Only of this memory.")


class _RememberFilters(_Filters):
    state: str | None = Field(
        None,
        description="`waiting`, `running`, `retrying`, `succeeded`, `failed`, `quarantined` or `cancelled`.",
    )
    stage: RememberStageName | None = Field(None, description=_STAGE)
    text: str | None = Field(None, description="Only where this is in title, id, parameters or an error.")
    document_id: Label | None = Field(None, description="Only of this document.")


class RunQuery(_RunFilters):
    """Query parameters of a listing of derivation runs."""

    model_config = ConfigDict(extra="forbid")

    limit: Limit = 50
    cursor: Cursor = None


class RememberRunQuery(_RememberFilters):
    """Query parameters of a listing of the runs that remember documents."""

    model_config = ConfigDict(extra="forbid")

    limit: Limit = 50
    cursor: Cursor = None


class QueryRunQuery(_Filters):
    """Query parameters of a listing of the questions that were asked."""

    model_config = ConfigDict(extra="forbid")

    state: str | None = Field(None, description="`running`, `succeeded` or `failed`.")
    stage: QueryStageName | None = Field(None, description=_STAGE)
    text: str | None = Field(None, description="Only where this is in the question, the answer or an error.")
    session: Label | None = Field(None, description="Only of this session.")
    limit: Limit = 50
    cursor: Cursor = None


class CancelBody(_RunFilters, Body):
    """Which runs to cancel: `run_ids`, or all that the filters find."""

    run_ids: list[RunName] | None = Field(None, description="These runs; without filters then.")


class RetryBody(CancelBody):
    """Which runs to start again: `run_ids`, or all that the filters find; those that failed if no status is given."""

    stages: list[StageName] | None = Field(None, description="Only these stages; what has not succeeded if unset.")


class CancelRememberBody(_RememberFilters, Body):
    """Which runs to cancel: `run_ids`, or all that the filters find."""

    run_ids: list[RememberRunName] | None = Field(None, description="These runs; without filters then.")


class RetryRememberBody(CancelRememberBody):
    """Which runs to start again: `run_ids`, or all that the filters find; those that failed if no status is given."""


class RetryStagesBody(Body):
    """What to run again."""

    stages: list[StageName] | None = Field(None, description="Only these stages; what has not succeeded if unset.")


class OneRunQuery(BaseModel):
    """Query parameters of a single run."""

    model_config = ConfigDict(extra="forbid")

    outputs: bool = Field(
        True, description="Whether to show what each stage produced; of a long document that is much."
    )


class CallQuery(BaseModel):
    """Query parameters of a listing of one run's model calls."""

    model_config = ConfigDict(extra="forbid")

    stage: AnyStageName | None = Field(None, description="Only of this stage.")
    failed: bool | None = Field(None, description="Only those that failed, or only those that did not.")
    limit: Limit = 50
    cursor: Cursor = None


class InferenceQuery(CallQuery):
    """Query parameters of a listing of model calls."""

    run_id: AnyRunName | None = Field(None, description="Only of this run, of any log.")
