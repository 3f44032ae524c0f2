"""The routes of series, places and pictures."""

from __future__ import annotations

import asyncio
import base64
import binascii
from typing import Annotated, Any

from fastapi import Path, Query, Request
from starlette.responses import Response

from mindlog.api.documentreplies import (
    ImageReply,
    NearReply,
    PlacePageReply,
    PointPageReply,
    SeriesPageReply,
    SeriesReply,
)
from mindlog.api.documentschemas import ImageBody, ImageForm, NearQuery, PlaceQuery, PointQuery, SeriesQuery
from mindlog.api.problems import problems
from mindlog.api.route import call_of, new_router, reply, shown
from mindlog.api.upload import read_upload, request_body
from mindlog.errors import InvalidInput
from mindlog.views import ImageRequest

router = new_router("series, places and pictures")

SeriesName = Annotated[
    str, Path(description="The id of a series.", json_schema_extra={"pattern": "^ser_[0-9A-Za-z]{13}$"})
]
ImageName = Annotated[
    str, Path(description="The id of a picture.", json_schema_extra={"pattern": "^img_[0-9A-Za-z]{13}$"})
]

_OCTETS = "application/octet-stream"
# What callers gave is handed back as a picture and as nothing else, whatever is in it.
_PICTURES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp", "image/tiff"})
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"image/*": {"schema": {"type": "string", "format": "binary"}}},
        "description": "The picture, with its own media type.",
    }
}
_KEPT: dict[int | str, dict[str, Any]] = {
    200: {"model": ImageReply, "description": "The same picture was there already; this is that one."}
}


@router.get("/v1/series", response_model=SeriesPageReply, responses=problems(401, 404), summary="List series")
async def series(query: Annotated[SeriesQuery, Query()], request: Request) -> Response:
    """What has a value over time: whose it is, its unit, how many points there are."""
    call = call_of(request)
    return await shown(SeriesPageReply, await call.engine.knowledge.series(**dict(query), caller=call.caller))


@router.get("/v1/series/{series_id}", response_model=SeriesReply, responses=problems(401, 404), summary="Read a series")
async def one_series(series_id: SeriesName, request: Request) -> Response:
    """Whose it is, its unit, how many points there are."""
    call = call_of(request)
    return reply(SeriesReply.of(await call.engine.knowledge.one_series(series_id, caller=call.caller)))


@router.get(
    "/v1/series/{series_id}/points",
    response_model=PointPageReply,
    responses=problems(401, 404),
    summary="List a series' points",
)
async def series_points(series_id: SeriesName, query: Annotated[PointQuery, Query()], request: Request) -> Response:
    """Oldest first, each with the memory or the address it comes from."""
    call = call_of(request)
    page = await call.engine.knowledge.series_points(series_id, **dict(query), caller=call.caller)
    return await shown(PointPageReply, page)


@router.get("/v1/places", response_model=PlacePageReply, responses=problems(401, 404), summary="List places")
async def places(query: Annotated[PlaceQuery, Query()], request: Request) -> Response:
    """Each entity and each memory that has one, the last given first; several may be at one place."""
    call = call_of(request)
    return await shown(PlacePageReply, await call.engine.knowledge.places(**dict(query), caller=call.caller))


@router.get("/v1/places/near", response_model=NearReply, responses=problems(401, 404), summary="Look around a place")
async def near(query: Annotated[NearQuery, Query()], request: Request) -> Response:
    """The places at most `km` away, nearest first, with the entities and memories there."""
    call = call_of(request)
    with call.timed("near"):
        found = await call.engine.knowledge.near(
            query.dataset, query.lat, query.lon, query.km, limit=query.limit, caller=call.caller
        )
    return await shown(NearReply, {"data": found})


@router.post(
    "/v1/images",
    status_code=201,
    response_model=ImageReply,
    responses=_KEPT | problems(401, 413, 502, 507),
    openapi_extra=request_body(ImageBody, ImageForm),
    summary="Keep a picture",
)
async def keep_image(request: Request) -> Response:
    """With its time and place, what is written in it and what it shows. As a form with the file, or as JSON with it in base64."""
    call = call_of(request)
    body = await read_upload(request, ImageBody, ImageForm)
    fields = dict(body)
    if isinstance(body, ImageForm):
        data = fields.pop("image")
    else:
        data = await asyncio.to_thread(_octets, fields.pop("data"))
    with call.timed("keep_image"):
        kept = await call.engine.keep_image(ImageRequest(data=data, **fields), caller=call.caller)
    return await shown(ImageReply, kept, 200 if kept.was_deduplicated else 201, Location=f"/v1/images/{kept.image_id}")


@router.get(
    "/v1/images/{image_id}",
    response_model=ImageReply,
    responses=problems(401, 404),
    summary="Read what is known of a picture",
)
async def image(image_id: ImageName, request: Request) -> Response:
    """Its size, time and place, what is written in it."""
    call = call_of(request)
    return reply(ImageReply.of(await call.engine.image(image_id, caller=call.caller)))


@router.get(
    "/v1/images/{image_id}/data",
    response_class=Response,
    responses=_FILE | problems(401, 404),
    summary="Read a picture",
)
async def image_data(image_id: ImageName, request: Request) -> Response:
    """The file as it was kept."""
    call = call_of(request)
    return _picture(*await call.engine.image_data(image_id, caller=call.caller))


@router.get(
    "/v1/images/{image_id}/thumbnail",
    response_class=Response,
    responses=_FILE | problems(401, 404),
    summary="Read a small version of a picture",
)
async def thumbnail(image_id: ImageName, request: Request) -> Response:
    """Made when it was kept."""
    call = call_of(request)
    return _picture(*await call.engine.thumbnail(image_id, caller=call.caller))


def _picture(media_type: str, data: bytes) -> Response:
    return Response(data, media_type=media_type if media_type in _PICTURES else _OCTETS, headers=_SAFE)


def _octets(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise InvalidInput("data: not valid base64", field="data") from exc
