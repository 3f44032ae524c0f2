"""Each verb as one HTTP call: method, path, body, and how its answer is read. Knows no HTTP library, but how ours takes a body."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from mindlog import verbs, wire
from mindlog.client.problems import error_of
from mindlog.clock import iso
from mindlog.errors import InvalidInput, MindlogError, UnknownFilter
from mindlog.filters import Filters
from mindlog.ids import new_id
from mindlog.records import (
    ApiKey,
    Dataset,
    EditRequest,
    EncodeRequest,
    EncodeResult,
    ForgetReceipt,
    Health,
    Memory,
    MemoryPage,
    RecallResult,
)
from mindlog.views import Inspection, Page

__all__ = [
    "Call",
    "Part",
    "create_key",
    "datasets",
    "edit",
    "encode",
    "encode_batch",
    "filters_json",
    "forget",
    "get",
    "given",
    "health",
    "inspect",
    "json_text",
    "keys",
    "list_page",
    "memory_path",
    "page_call",
    "part",
    "put_dataset",
    "read_call",
    "recall",
    "restore",
    "revoke_key",
    "settled",
    "time_text",
]

R = TypeVar("R")

_OPTIONS = ("dataset", "agent", "session", "kind", "salience", "metadata", "document_id", "request_id")
_JSON = {"Content-Type": "application/json"}
_FILTERS = frozenset(f.name for f in fields(Filters))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The file of a form. What it is called and of what type it is stands in fields of the form, where any name can stand."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[R]):
    """One request, with a JSON body or a form. `repeatable`: sending it twice does no more than sending it once."""

    method: str
    path: str
    read: Callable[[Any], R]
    body: Any = None
    form: Mapping[str, str] | None = None
    part: Part | None = None
    query: Mapping[str, Any] | None = None
    repeatable: bool = False
    accepts: frozenset[int] = frozenset()  # statuses that are answers although they are not 2xx
    is_octets: bool = False  # `read` gets media type and bytes instead of JSON

    @property
    def target(self) -> str:
        """The path with its query."""
        return f"{self.path}?{urlencode(self.query, doseq=True, errors='replace')}" if self.query else self.path

    @property
    def payload(self) -> dict[str, Any]:
        """The body and its type, as the HTTP library takes them; `InvalidInput` if they cannot carry a value."""
        if self.part is not None:
            file = (self.part.name, self.part.data, "application/octet-stream")
            return {"data": _sendable(self.form or {}), "files": {self.part.name: file}}
        content = None if self.body is None else json_text(self.body).encode("ascii")
        return {"content": content, "headers": _JSON}


def encode(request: EncodeRequest) -> Call[EncodeResult]:
    """POST /v1/memories, or /v1/memories/vector for a request that brings its vector."""
    request = _identified(request)
    path = "/v1/memories" if request.vector is None else "/v1/memories/vector"
    return Call(method="POST", path=path, body=_encode_body(request), read=_encode_result, repeatable=True)


def encode_batch(batch: verbs.Batch) -> Call[list[EncodeResult | MindlogError]]:
    """POST /v1/memories/batch."""
    bodies = [_encode_body(_identified(request)) for request in batch.requests]

    def read(body: Any) -> list[EncodeResult | MindlogError]:
        return batch.outcomes(_outcome(result) for result in body["results"])

    return Call(method="POST", path="/v1/memories/batch", body={"items": bodies}, read=read, repeatable=True)


def recall(asked: verbs.Recall) -> Call[RecallResult]:
    """POST /v1/recall."""
    body = {
        "cue": asked.cue,
        "dataset": asked.dataset,
        "limit": asked.limit,
        "filters": filters_json(asked.filters),
        "as_of": time_text(asked.as_of),
        "budget_tokens": asked.budget_tokens,
        "trace": asked.trace or None,
        "explain_ids": list(asked.explain_ids) or None,
    }
    return Call(method="POST", path="/v1/recall", body=given(body), read=wire.recall_result, repeatable=True)


def get(memory_id: str) -> Call[Memory]:
    """GET /v1/memories/{id}."""
    return read_call(Memory, memory_path(memory_id))


def inspect(memory_id: str) -> Call[Inspection]:
    """GET /v1/memories/{id}/inspect."""
    return read_call(Inspection, memory_path(memory_id) + "/inspect")


def list_page(asked: verbs.ListPage) -> Call[MemoryPage]:
    """GET /v1/memories."""
    where = {name: getattr(asked, name) for name in ("dataset", "entity", "limit", "cursor")}
    query = _filter_query(asked.filters) | where
    return Call(method="GET", path="/v1/memories", query=given(query), read=wire.page, repeatable=True)


def edit(request: EditRequest) -> Call[EncodeResult]:
    """PATCH /v1/memories/{id}."""
    body = {name: getattr(request, name) for name in ("text", "kind", "salience", "metadata")}
    body["occurred_at"] = time_text(request.occurred_at)
    return Call(method="PATCH", path=memory_path(request.memory_id), body=given(body), read=_encode_result)


def forget(asked: verbs.Forget) -> Call[ForgetReceipt]:
    """DELETE /v1/memories/{id}."""

    def read(body: Any) -> ForgetReceipt:
        return wire.record(ForgetReceipt, body["receipt"])

    return Call(method="DELETE", path=memory_path(asked.memory_id), query={"mode": asked.mode}, read=read)


def restore(memory_id: str) -> Call[Memory]:
    """POST /v1/memories/{id}/restore."""
    return Call(method="POST", path=memory_path(memory_id) + "/restore", read=_memory_of)


def datasets(sizes: bool) -> Call[list[Dataset]]:
    """GET /v1/datasets."""

    def read(body: Any) -> list[Dataset]:
        return [wire.record(Dataset, each) for each in body["data"]]

    return Call(method="GET", path="/v1/datasets", query={"sizes": True} if sizes else {}, read=read, repeatable=True)


def put_dataset(asked: verbs.PutDataset) -> Call[Dataset]:
    """POST /v1/datasets."""
    body = {"name": asked.name, "timezone": asked.timezone}

    def read(body: Any) -> Dataset:
        return wire.record(Dataset, body)

    return Call(method="POST", path="/v1/datasets", body=given(body), read=read, repeatable=True)


def create_key(asked: verbs.NewKey) -> Call[tuple[ApiKey, str]]:
    """POST /v1/keys."""
    body = {"name": asked.name, "scopes": list(asked.scopes), "datasets": asked.datasets and list(asked.datasets)}

    def read(body: Any) -> tuple[ApiKey, str]:
        return wire.record(ApiKey, body), body["secret"]

    return Call(method="POST", path="/v1/keys", body=given(body), read=read)


def keys(_: None) -> Call[list[ApiKey]]:
    """GET /v1/keys."""

    def read(body: Any) -> list[ApiKey]:
        return [wire.record(ApiKey, each) for each in body["data"]]

    return Call(method="GET", path="/v1/keys", read=read, repeatable=True)


def revoke_key(key_id: str) -> Call[ApiKey]:
    """DELETE /v1/keys/{id}."""

    def read(body: Any) -> ApiKey:
        return wire.record(ApiKey, body)

    return Call(method="DELETE", path=f"/v1/keys/{part(key_id)}", read=read, repeatable=True)


def health(_: None) -> Call[Health]:
    """GET /readyz; not ready is an answer, and worth no second try."""

    def read(body: Any) -> Health:
        return wire.record(Health, body)

    return Call(method="GET", path="/readyz", read=read, accepts=frozenset({503}))


def settled(seconds: float) -> Call[tuple[bool, bool]]:
    """GET /v1/settled: whether it is, and whether asking again may help."""

    def read(body: Any) -> tuple[bool, bool]:
        return body["settled"], body["derives"]

    return Call(method="GET", path="/v1/settled", query={"timeout": seconds}, read=read, repeatable=True)


def part(name: str) -> str:
    """Return an id as a part of a path."""
    return quote(name, safe="", errors="replace")


def memory_path(memory_id: str) -> str:
    """Return the path of a memory."""
    return f"/v1/memories/{part(memory_id)}"


def read_call(kind: type[R], path: str) -> Call[R]:
    """Return the call that reads one record."""
    return Call(method="GET", path=path, read=partial(wire.record, kind), repeatable=True)


def page_call(kind: type[R], path: str, query: Mapping[str, Any]) -> Call[Page[R]]:
    """Return the call that reads a page of records."""
    return Call(method="GET", path=path, query=given(query), read=partial(wire.page_of, kind), repeatable=True)


def json_text(value: Any) -> str:
    """Return a value as JSON; `InvalidInput` if it holds what JSON cannot carry."""
    try:
        # ASCII, so that a lone surrogate reaches the server, which says what is wrong with it.
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as exc:
        raise InvalidInput(f"a value cannot be sent as JSON: {exc}") from exc


def _sendable(form: Mapping[str, str]) -> dict[str, str]:
    for name, value in form.items():
        try:
            value.encode()
        except UnicodeEncodeError as exc:
            raise InvalidInput(
                f"{name}: lone surrogate at character {exc.start} is not valid Unicode", field=name
            ) from exc
    return dict(form)


def _memory_of(body: Any) -> Memory:
    return wire.record(Memory, body)


def _encode_result(body: Any) -> EncodeResult:
    return wire.record(EncodeResult, body)


def _outcome(result: Mapping[str, Any]) -> EncodeResult | MindlogError:
    error = result.get("error")
    return _encode_result(result) if error is None else error_of(error, result.get("status", 500))


def _identified(request: EncodeRequest) -> EncodeRequest:
    # One id for the call, so that a second try after a lost answer cannot make a second memory.
    return request if request.request_id is not None else replace(request, request_id=new_id("req"))


def _encode_body(request: EncodeRequest) -> dict[str, Any]:
    body = {name: getattr(request, name) for name in _OPTIONS}
    body |= {"text": request.text, "occurred_at": time_text(request.occurred_at)}
    # An older server knows no other than ack, and needs no telling.
    body["wait"] = None if request.wait == "ack" else request.wait
    if request.vector is not None:
        body |= {"vector": _numbers(request.vector), "embedding_model": request.embedding_model}
        body["deduplicate"] = request.deduplicate or None
    else:
        body["allow_duplicates"] = request.allow_duplicates or None
    return given(body)


def _numbers(vector: Any) -> Any:
    tolist = getattr(vector, "tolist", None)
    return tolist() if tolist is not None else list(vector)


def filters_json(filters: verbs.FilterForm | None) -> Any:
    """Return filters in the form of a body, None if there are none."""
    return wire.filters_to_json(filters) or None if isinstance(filters, Filters) else filters


def _filter_query(filters: verbs.FilterForm | None) -> dict[str, Any]:
    form = dict(filters_json(filters) or {})
    if unknown := form.keys() - _FILTERS:
        name = min(map(str, unknown))
        raise UnknownFilter(
            f"filters.{name}: unknown filter; known are {', '.join(sorted(_FILTERS))}", field=f"filters.{name}"
        )
    if form.get("metadata") is not None:
        form["metadata"] = json.dumps(form["metadata"])
    return form


def time_text(value: str | int | None) -> str | None:
    """Return an instant as text."""
    return iso(value) if isinstance(value, int) else value


def given(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is not None."""
    return {name: value for name, value in body.items() if value is not None}
