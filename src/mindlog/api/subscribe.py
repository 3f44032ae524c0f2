"""The route of the event stream. Turns its parameters into a subscription; the stream itself is another's."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from mindlog.api.problems import problems
from mindlog.api.route import call_of, new_router
from mindlog.api.schemas import DatasetName, MemoryName
from mindlog.api.stream import EventStream
from mindlog.errors import InvalidInput
from mindlog.views import SubscribeRequest

router = new_router("events")

LastEventId = Annotated[
    str | None, Header(alias="Last-Event-ID", description="The last event that was heard; goes on after it.")
]
_MOST_DIGITS = 19


class SubscribeQuery(BaseModel):
    """What to hear of. What is not given does not narrow."""

    model_config = ConfigDict(extra="forbid")

    dataset: DatasetName | None = Field(None, description="Only of this dataset.")
    from_lsn: int | None = Field(None, ge=0, description="The first log entry to hear of; from now on if unset.")
    types: str | None = Field(
        None, description="Only of these types, separated by commas.", examples=["memory_encoded,run_finished"]
    )
    session: str | None = Field(None, description="Only of this session.")
    kind: str | None = Field(None, description="Only of memories of this kind.")
    memory_id: MemoryName | None = Field(None, description="Only of this memory.")


@router.get(
    "/v1/subscribe",
    response_class=Response,
    responses={
        200: {
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
            "description": "Events, as they happen.",
        }
    }
    | problems(401, 404, 410),
    summary="Hear of everything that happens",
)
async def subscribe(
    query: Annotated[SubscribeQuery, Query()], request: Request, last_event_id: LastEventId = None
) -> Response:
    """Server-sent events: `id` is the LSN, `event` the type, `data` one line of JSON. Each comes once, in order."""
    call = call_of(request)
    wanted = SubscribeRequest(
        dataset=query.dataset,
        from_lsn=query.from_lsn if last_event_id is None else _after(last_event_id),
        session=query.session,
        kind=query.kind,
        types=() if query.types is None else tuple(each.strip() for each in query.types.split(",")),
        memory_id=query.memory_id,
    )
    subscription = call.engine.subscribe(wanted, caller=call.caller)
    return EventStream(subscription, request.app.state.streams, request.scope["state"]["check"])


def _after(last_event_id: str) -> int:
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= _MOST_DIGITS):
        raise InvalidInput("Last-Event-ID: must be the id of an event", field="last-event-id")
    return int(last_event_id) + 1
