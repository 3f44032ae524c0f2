"""Each verb of runs and model calls as one HTTP call. Knows no HTTP library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from mindlog import verbs
from mindlog.client.calls import Call, given, page_call, part, read_call, time_text
from mindlog.ids import Operation, operation_of
from mindlog.views import Inference, Page, Run, RunRequest

__all__ = ["cancel_runs", "inference", "inferences", "retry_runs", "run", "run_counts", "run_outputs", "runs"]

_CALLS = "/v1/admin/api/inferences"


def runs(asked: verbs.RunPage) -> Call[Page[Run]]:
    """GET /v1/admin/api/{encode,remember,query}-runs."""
    return page_call(Run, _log(asked.operation), _filters(asked.request))


def run_counts(operation: Operation) -> Call[dict[str, Any]]:
    """GET /v1/admin/api/{encode,remember,query}-runs/counts."""
    return Call(method="GET", path=_log(operation) + "/counts", read=dict, repeatable=True)


def run(asked: verbs.OneRun) -> Call[Run]:
    """GET /v1/admin/api/{encode,remember,query}-runs/{id}."""
    return replace(read_call(Run, _run_path(asked.run_id)), query={} if asked.outputs else {"outputs": "false"})


def run_outputs(run_id: str) -> Call[dict[str, Mapping[str, Any]]]:
    """GET /v1/admin/api/{encode,remember,query}-runs/{id}/outputs."""

    def read(body: Any) -> dict[str, Mapping[str, Any]]:
        return dict(body["outputs"])

    return Call(method="GET", path=_run_path(run_id) + "/outputs", read=read, repeatable=True)


def retry_runs(asked: verbs.RunChange) -> Call[int]:
    """POST /v1/admin/api/{encode,remember}-runs/retry. Sent twice it would start again what has failed meanwhile."""
    return _change("retry", asked)


def cancel_runs(asked: verbs.RunChange) -> Call[int]:
    """POST /v1/admin/api/{encode,remember}-runs/cancel. Sent twice it would say that nothing was cancelled."""
    return _change("cancel", asked)


def inferences(asked: verbs.InferencePage) -> Call[Page[Inference]]:
    """GET /v1/admin/api/inferences."""
    failed = None if asked.failed is None else str(asked.failed).lower()
    return page_call(Inference, _CALLS, asdict(asked) | {"failed": failed})


def inference(inference_id: str) -> Call[Inference]:
    """GET /v1/admin/api/inferences/{id}."""
    return read_call(Inference, f"{_CALLS}/{part(inference_id)}")


def _change(what: str, asked: verbs.RunChange) -> Call[int]:
    def read(body: Any) -> int:
        return body["runs"]

    filters = _filters(asked.request)
    del filters["limit"]
    body = filters | {
        "run_ids": None if asked.run_ids is None else list(asked.run_ids),
        "stages": None if asked.stages is None else list(asked.stages),
    }
    return Call(method="POST", path=f"{_log(asked.operation)}/{what}", body=given(body), read=read)


def _log(operation: Operation) -> str:
    return f"/v1/admin/api/{operation}-runs"


def _run_path(run_id: str) -> str:
    return f"{_log(operation_of(run_id))}/{part(run_id)}"


def _filters(asked: RunRequest) -> dict[str, Any]:
    times = {"created_from": time_text(asked.created_from), "created_to": time_text(asked.created_to)}
    return asdict(asked) | times
