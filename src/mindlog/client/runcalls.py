"""Each verb of runs and model calls as one HTTP call. Knows no HTTP library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mindlog import verbs
from mindlog.client.calls import Call, given, page_call, part, read_call, time_text
from mindlog.views import Inference, Page, Run, RunRequest

__all__ = ["cancel_runs", "inference", "inferences", "retry_runs", "run", "run_counts", "run_outputs", "runs"]

_RUNS = "/v1/admin/api/encode-runs"
_CALLS = "/v1/admin/api/inferences"


def runs(asked: RunRequest) -> Call[Page[Run]]:
    """GET /v1/admin/api/encode-runs."""
    return page_call(Run, _RUNS, _filters(asked))


def run_counts(_: None) -> Call[dict[str, Any]]:
    """GET /v1/admin/api/encode-runs/counts."""
    return Call(method="GET", path=f"{_RUNS}/counts", read=dict, repeatable=True)


def run(run_id: str) -> Call[Run]:
    """GET /v1/admin/api/encode-runs/{id}."""
    return read_call(Run, f"{_RUNS}/{part(run_id)}")


def run_outputs(run_id: str) -> Call[dict[str, Mapping[str, Any]]]:
    """GET /v1/admin/api/encode-runs/{id}/outputs."""

    def read(body: Any) -> dict[str, Mapping[str, Any]]:
        return dict(body["outputs"])

    return Call(method="GET", path=f"{_RUNS}/{part(run_id)}/outputs", read=read, repeatable=True)


def retry_runs(asked: verbs.RunChange) -> Call[int]:
    """POST /v1/admin/api/encode-runs/retry. Sent twice it would start again what has failed meanwhile."""
    return _change("retry", asked)


def cancel_runs(asked: verbs.RunChange) -> Call[int]:
    """POST /v1/admin/api/encode-runs/cancel. Sent twice it would say that nothing was cancelled."""
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
    return Call(method="POST", path=f"{_RUNS}/{what}", body=given(body), read=read)


def _filters(asked: RunRequest) -> dict[str, Any]:
    times = {"created_from": time_text(asked.created_from), "created_to": time_text(asked.created_to)}
    return asdict(asked) | times
