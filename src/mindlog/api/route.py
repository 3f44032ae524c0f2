"""What every route does the same way: strict query parameters and JSON bodies, the call's context, how replies are sent.

Owns the route class. Knows no body of a particular route.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response

from mindlog.access import Caller
from mindlog.api.strict_json import read_json
from mindlog.errors import InvalidInput

if TYPE_CHECKING:
    from mindlog.api.metrics import Metrics
    from mindlog.engine import Engine

__all__ = ["Call", "call_of", "new_router", "rendered", "reply"]

Item = TypeVar("Item")
Model = TypeVar("Model", bound=BaseModel)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

# Parameters that may be given several times: any of the values.
_REPEATABLE = frozenset({"session", "agent", "kind", "document_id"})
# Building this many replies takes about a millisecond; more is done beside the event loop.
_INLINE_ITEMS = 50
_MAX_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Who asks whom: the caller of this request and the engine that answers."""

    engine: Engine
    caller: Caller
    metrics: Metrics

    def timed(self, operation: str) -> AbstractContextManager[None]:
        """Count what happens inside as one call of the engine."""
        return self.metrics.operation(operation)


def call_of(request: Request) -> Call:
    """Return the context of a request that has passed the gate."""
    state = request.app.state
    return Call(engine=state.engine, caller=request.scope["state"]["caller"], metrics=state.metrics)


class StrictRequest(Request):
    """A request whose JSON body has been read without leniency."""

    value: Any = None

    async def json(self) -> Any:
        """Return the body's value."""
        return self.value


class StrictRoute(APIRoute):
    """A route that refuses unknown and repeated query parameters, bodies that are not JSON, and JSON that is not plain."""

    def get_route_handler(self) -> Handler:
        """Return the handler with the checks before it."""
        handle, takes_body = super().get_route_handler(), self.body_field is not None
        known = frozenset(_parameter_names(self))

        async def strict(request: Request) -> Response:
            if request.scope["query_string"]:
                _check_query(request, known)
            return await handle(await _with_body(request) if takes_body else request)

        return strict


def new_router(tag: str) -> APIRouter:
    """Return a router of strict routes."""
    return APIRouter(route_class=StrictRoute, tags=[tag], generate_unique_id_function=_operation_id)


def _operation_id(route: APIRoute) -> str:
    return route.name


def reply(body: BaseModel, status: int = 200, **headers: str) -> Response:
    """Return the response that carries a reply; header names are given with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(body.model_dump_json(), status_code=status, media_type="application/json", headers=named)


async def rendered(build: Callable[[Sequence[Item]], BaseModel], items: Sequence[Item], status: int = 200) -> Response:
    """Return the response whose reply `build` makes of the items; large ones are made in a thread."""
    if len(items) <= _INLINE_ITEMS:
        return reply(build(items), status)
    return await asyncio.to_thread(lambda: reply(build(items), status))


def _parameter_names(route: APIRoute) -> Iterable[str]:
    for parameter in route.dependant.query_params:
        model = parameter.field_info.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            yield from model.model_fields
        else:
            yield parameter.alias


def _check_query(request: Request, known: frozenset[str]) -> None:
    for name, times in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known:
            raise InvalidInput(f"{name[:_MAX_NAME]}: unknown query parameter", field=name[:_MAX_NAME])
        if times > 1 and name not in _REPEATABLE:
            raise InvalidInput(f"{name}: given more than once", field=name)


async def _with_body(request: Request) -> StrictRequest:
    _check_content_type(request.headers.get("content-type", ""))
    strict = StrictRequest(request.scope, request.receive)
    # Read here, outside FastAPI's own reading, which would turn a limit or a disconnect into a 400.
    body = await strict.body()
    if not body:
        raise InvalidInput("body: a JSON object is required", field="body")
    strict.value = await read_json(body)
    return strict


def _check_content_type(header: str) -> None:
    # A browser sends other types across sites without asking first, so this is a guard as well as a check.
    media_type, *parameters = (part.strip().lower() for part in header.split(";"))
    if media_type != "application/json" and not (
        media_type.startswith("application/") and media_type.endswith("+json")
    ):
        raise InvalidInput("content-type: must be application/json", field="content-type")
    for parameter in parameters:
        if parameter.startswith("charset=") and parameter[8:].strip('"') not in ("utf-8", "utf8"):
            raise InvalidInput("content-type: the charset must be utf-8", field="content-type")
