"""What every route does the same way: strict query parameters and JSON bodies, the call's context, how replies are sent.

Owns the route class. Knows no body of a particular route.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

from fastapi import APIRouter, Header, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response

from mindlog.access import Caller
from mindlog.api.replies import Shown
from mindlog.api.strict_json import read_json
from mindlog.errors import InvalidInput

if TYPE_CHECKING:
    from mindlog.api.metrics import Metrics
    from mindlog.engine import Engine

__all__ = ["Call", "IdempotencyKey", "call_of", "json_of", "new_router", "one_key", "rendered", "reply", "shown"]

Item = TypeVar("Item")
Model = TypeVar("Model", bound=BaseModel)
IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key", description="The same as `request_id` in the body.")
]
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

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
        handle, body = super().get_route_handler(), self.body_field
        known = dict(_parameters(self))

        async def strict(request: Request) -> Response:
            if request.scope["query_string"]:
                _check_query(request, known)
            if body is None:
                return await handle(request)
            return await handle(await _with_body(request, is_required=body.field_info.is_required()))

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


def one_key(request_id: str | None, header: str | None) -> str | None:
    """Return the idempotency key that body and header name. `InvalidInput` if they name two."""
    if header is None:
        return request_id
    # The header's draft standard has it quoted; most clients send it bare.
    key = header.strip().strip('"')
    if request_id not in (None, key):
        raise InvalidInput("Idempotency-Key: differs from request_id", field="idempotency-key")
    return key


async def rendered(build: Callable[[Sequence[Item]], BaseModel], items: Sequence[Item], status: int = 200) -> Response:
    """Return the response whose reply `build` makes of the items; large ones are made in a thread."""
    if len(items) <= _INLINE_ITEMS:
        return reply(build(items), status)
    return await asyncio.to_thread(lambda: reply(build(items), status))


async def shown(kind: type[Shown], record: object, status: int = 200, **headers: str) -> Response:
    """Return the response that shows a record; it may be large, so it is made in a thread. Headers as for `reply`."""
    return await asyncio.to_thread(lambda: reply(kind.of(record), status, **headers))


def _parameters(route: APIRoute) -> Iterable[tuple[str, bool]]:
    """Yield the name of each query parameter, and whether it may be given several times: a list does."""
    for parameter in route.dependant.query_params:
        kind = parameter.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from ((name, _is_list(field.annotation)) for name, field in kind.model_fields.items())
        else:
            yield parameter.alias, _is_list(kind)


def _is_list(kind: object) -> bool:
    return get_origin(kind) is list or any(map(_is_list, get_args(kind)))


def _check_query(request: Request, known: Mapping[str, bool]) -> None:
    for name, times in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known:
            raise InvalidInput(f"{name[:_MAX_NAME]}: unknown query parameter", field=name[:_MAX_NAME])
        if times > 1 and not known[name]:
            raise InvalidInput(f"{name}: given more than once", field=name)


async def _with_body(request: Request, *, is_required: bool) -> StrictRequest:
    if is_required:
        _check_content_type(request.headers.get("content-type", ""))
    strict = StrictRequest(request.scope, request.receive)
    # Read here, outside FastAPI's own reading, which would turn a limit or a disconnect into a 400.
    body = await strict.body()
    if body or is_required:
        strict.value = await json_of(strict)
    return strict


async def json_of(request: Request) -> Any:
    """Return the value of a request's JSON body. Raises `InvalidInput` for one that is not there, or not plain JSON."""
    _check_content_type(request.headers.get("content-type", ""))
    if not (body := await request.body()):
        raise InvalidInput("body: a JSON object is required", field="body")
    return await read_json(body)


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
