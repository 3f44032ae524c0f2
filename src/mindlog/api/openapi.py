"""The published API description: FastAPI's own, made truthful where FastAPI cannot know better.

Errors are problems, never 422; every response carries its request id; the bearer key is described once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from mindlog.api.documentschemas import ImageBody, ImageForm, RememberBody, RememberForm
from mindlog.api.replies import Problem

__all__ = ["DESCRIPTION", "describe", "operations"]

DESCRIPTION = (
    "A memory engine for AI agents. A write is answered when it is committed and on disk; recall asks no language model. "
    "Errors are RFC 9457 problems with a `code`. Times are RFC 3339, in UTC when they come from the server. "
    "From a loopback address no key is needed until the first one is made; any other caller needs "
    "`Authorization: Bearer ml_sk_...`."
)

# What no parameter of a route names: what all answer with, and bodies that come as JSON or as a form.
_UNNAMED: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
    (Problem, "serialization"),
    (RememberBody, "validation"),
    (RememberForm, "validation"),
    (ImageBody, "validation"),
    (ImageForm, "validation"),
]
_METHODS = ("get", "post", "put", "patch", "delete")
_UNUSED = ("HTTPValidationError", "ValidationError")


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document; made once."""
    if app.openapi_schema is None:
        app.openapi_schema = _describe(app)
    return app.openapi_schema


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (path, method, operation) in the document's order."""
    for path, methods in document["paths"].items():
        yield from ((path, method, methods[method]) for method in _METHODS if method in methods)


def _describe(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    _, more = models_json_schema(_UNNAMED, ref_template="#/components/schemas/{model}")
    components = document["components"]
    components["schemas"] |= more["$defs"]
    for name in _UNUSED:
        components["schemas"].pop(name, None)
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "An API key."}}
    for path, _, operation in operations(document):
        operation["responses"].pop("422", None)
        for response in operation["responses"].values():
            if response["description"] == "Successful Response":
                response["description"] = "Done."
            response.setdefault("headers", {})["X-Request-Id"] = {"schema": {"type": "string"}}
        if path.startswith("/v1/"):
            operation["security"] = [{"key": []}, {}]
    return document
