"""Errors as RFC 9457 problems: what is said of each, and in which form. Owns the words for what pydantic refuses.

Nothing of an unexpected error's own text reaches the caller.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from mindlog import errors
from mindlog.errors import InvalidInput, MindlogError, NotFound

__all__ = ["HANDLERS", "ProblemResponse", "as_invalid_input", "catalogue", "problem_of", "problems", "request_id_of"]

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_RETRY_AFTER_SECONDS = "1"
_MAX_DETAIL = 1000
_MAX_NAME = 200
_MAX_METHOD = 20
_MAX_FAULTS = 20

_SAID_OF = {
    400: "The request has a value that is not accepted.",
    401: "A valid API key is required.",
    403: "The caller may not do this.",
    404: "There is no such thing here.",
    409: "The request conflicts with what is stored.",
    410: "The log begins later; `oldest` names its first LSN.",
    413: "The body, or the file in it, is larger than the limit.",
    415: "The document is of no type that is read.",
    500: "The server failed.",
    502: "A model failed, or an address gave nothing.",
    503: "The server is busy or closing; try again.",
    507: "The disk is full or cannot be written.",
}

# What pydantic calls a fault, in the words of this API. Placeholders are the fault's own context.
_FAULTS = {
    "missing": "is required",
    "extra_forbidden": "unknown field",
    "string_type": "must be a string",
    "int_type": "must be an integer",
    "int_parsing": "must be an integer",
    "int_from_float": "must be an integer",
    "int_parsing_size": "must be a smaller integer",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length} items",
    "too_long": "must have at most {max_length} items",
}
_LIMITS = ("ge", "le", "min_length", "max_length")


class ProblemResponse(Response):
    """An answer that says what went wrong."""

    media_type = MEDIA_TYPE

    def __init__(self, status: int, code: str, detail: str, request_id: str, **facts: Any) -> None:
        body = {
            "type": f"/docs#{code}",
            "title": facts.pop("title", HTTPStatus(status).phrase),
            "status": status,
            "detail": detail[:_MAX_DETAIL],
            "code": code,
            "request_id": request_id,
            "retryable": facts.pop("retryable", False),
        }
        headers = facts.pop("headers", None) or {}
        if status in (429, 503):
            headers["Retry-After"] = _RETRY_AFTER_SECONDS
        # ASCII, so that not even an echoed lone surrogate can make an error of this.
        content = json.dumps(body | facts, default=str).encode()
        super().__init__(content, status_code=status, headers=headers)


def problem_of(error: MindlogError, request_id: str) -> ProblemResponse:
    """Return the problem a mindlog error is."""
    facts = {name: value for name, value in error.extra.items() if value is not None}
    if error.field is not None:
        facts["field"] = error.field[:_MAX_NAME]
    title = (type(error).__doc__ or type(error).__name__).strip().removesuffix(".")
    headers = {"WWW-Authenticate": "Bearer"} if error.status == HTTPStatus.UNAUTHORIZED else None
    return ProblemResponse(
        error.status,
        error.code,
        error.detail,
        request_id,
        **facts,
        title=title,
        retryable=error.retryable,
        headers=headers,
    )


def request_id_of(scope: Mapping[str, Any]) -> str:
    """Return the id of the request."""
    return scope["state"]["request_id"]


def as_invalid_input(faults: Sequence[Any]) -> InvalidInput:
    """Return what pydantic found at fault as one error: the first in its detail, all of them in `errors`."""
    named = [_fault(fault) for fault in faults[:_MAX_FAULTS]]
    field, detail, limit = named[0]
    extra: dict[str, Any] = {"limit": limit} if limit is not None else {}
    if len(named) > 1:
        extra["errors"] = [{"field": name, "detail": sentence} for name, sentence, _ in named]
    return InvalidInput(detail, field=field, **extra)


def _fault(fault: Mapping[str, Any]) -> tuple[str, str, Any]:
    where = [str(part) for part in fault["loc"]]
    # The first part says where the value came from, unless the value is the whole body.
    field = (".".join(where[1:]) or "body")[:_MAX_NAME]
    context: Mapping[str, Any] = fault.get("ctx") or {}
    words = _FAULTS.get(fault["type"])
    said = words.format_map(context) if words else str(fault["msg"])
    limit = next((context[name] for name in _LIMITS if name in context), None)
    return field, f"{field}: {said}", limit


async def _on_mindlog_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, MindlogError)  # as registered
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log(request, error)
    return problem_of(error, request_id_of(request.scope))


def _log(request: Request, error: MindlogError) -> None:
    # What passes by itself is no bug of ours, and under load there may be much of it: a line without a traceback.
    level, trace = (logging.WARNING, None) if error.retryable else (logging.ERROR, error)
    facts = {"action": "request_failed", "code": error.code}
    logger.log(level, "%s %s failed: %s", request.method, request.url.path, error.detail, exc_info=trace, extra=facts)


async def _on_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # as registered
    return problem_of(as_invalid_input(error.errors()), request_id_of(request.scope))


async def _on_routing_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # as registered
    request_id = request_id_of(request.scope)
    if error.status_code == HTTPStatus.NOT_FOUND:
        return problem_of(NotFound("path: there is nothing at this address", field="path"), request_id)
    status = HTTPStatus(error.status_code)
    code = status.phrase.lower().replace(" ", "_")
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = ", ".join(_allowed(request))
        detail = f"{request.method[:_MAX_METHOD]} is not possible here; {allowed} is"
        return ProblemResponse(status, code, detail, request_id, headers={"Allow": allowed})
    return ProblemResponse(status, code, status.description, request_id)


def _allowed(request: Request) -> list[str]:
    # The router names only the methods of the first route with this path.
    route = getattr(request.scope.get("route"), "path", "")
    methods = request.app.openapi()["paths"].get(route, {"get": {}})
    return [method.upper() for method in methods]


HANDLERS: Any = {
    MindlogError: _on_mindlog_error,
    RequestValidationError: _on_validation_error,
    HTTPException: _on_routing_error,
}
"""How the app answers each kind of error."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI entries of a route's problem responses; every route may also answer 400, 403, 500 and 503."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": _SAID_OF[status], "content": content}
        for status in sorted({400, 403, 500, 503, *statuses})
    }


def catalogue() -> list[type[MindlogError]]:
    """Return every error a problem may name, by status and code."""
    kinds = [kind for name in errors.__all__ if issubclass(kind := getattr(errors, name), MindlogError)]
    return sorted(kinds, key=lambda kind: (kind.status, kind.code))
