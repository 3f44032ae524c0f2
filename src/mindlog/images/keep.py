"""Keeps a picture: its memory through encode, its row and place in the same commit, its file before that.

Owns what makes two pictures one: the same bytes given by the same agent in the same session with the same caption and name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from mindlog.clock import from_iso
from mindlog.encode.dedup import dedup_key
from mindlog.encode.pipeline import prepare
from mindlog.encode.validate import check_label, check_metadata, check_text, check_time
from mindlog.errors import InvalidInput
from mindlog.images.blobs import Blobs
from mindlog.images.describe import describe
from mindlog.images.look import Eyes, Seen
from mindlog.knowledge.places.cells import cell_of
from mindlog.records import EncodeRequest, NewMemory, Persisted
from mindlog.store.askingrows import NewImage, NewPlace

if TYPE_CHECKING:
    from mindlog.encode.job import EncodeTools
    from mindlog.pipeline import Observer
    from mindlog.settings import Settings
    from mindlog.store.base import Store
    from mindlog.views import ImageRequest

__all__ = ["ImageTools", "keep_image"]

_MOST_CAPTION = 3000  # characters; as many as the memory's text has room for


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageTools:
    """What a picture is kept with."""

    store: Store
    encode: EncodeTools
    settings: Settings
    eyes: Eyes
    blobs: Blobs


async def keep_image(request: ImageRequest, tools: ImageTools, observer: Observer) -> tuple[Persisted, int]:
    """Keep a picture; returns after the commit with its memory and its number, which may have been there already.

    Raises `InvalidInput` on the field, what `Eyes.look` raises, and what a write raises.
    """
    dataset = tools.store.dataset(request.dataset)
    zone = None if dataset is None else dataset.timezone
    metadata, occurred_at = _checked(request, tools.settings, zone)
    fingerprint = await asyncio.to_thread(lambda: blake3(request.data).digest())
    key = _identity(request, fingerprint)
    there = tools.store.peek(request.dataset, None, key)
    if there is not None:
        number = await asyncio.to_thread(_number, tools.store, there, fingerprint)
        if number is not None:
            return there, number
    seen = await tools.eyes.look(request.data, zone)
    memory = await prepare(_written(request, seen, metadata, occurred_at), tools.encode, observer)
    assert isinstance(memory, NewMemory)  # it may be a duplicate of a text, so nothing is there already
    await asyncio.to_thread(tools.blobs.put, fingerprint, request.data)
    return await tools.store.put_image(
        replace(memory, dedup_key=key), _image(request, seen, fingerprint, memory.slot), _place(seen, memory.slot)
    )


def _checked(request: ImageRequest, settings: Settings, zone: str | None) -> tuple[dict[str, Any], int | None]:
    """Check what is cheap to check before the picture is looked at; return the metadata and the time."""
    for name in ("agent", "session", "name"):
        check_label(getattr(request, name), name)
    if request.caption is not None:
        check_text(request.caption, limit=settings.max_text_bytes, field="caption")
        if len(request.caption) > _MOST_CAPTION:
            limit = _MOST_CAPTION
            raise InvalidInput(f"caption: at most {limit} characters", field="caption", limit=limit)
    metadata = check_metadata(request.metadata, limit=settings.max_metadata_bytes)
    occurred_at = request.occurred_at
    return metadata, None if occurred_at is None else check_time(occurred_at, "occurred_at", zone)


def _identity(request: ImageRequest, fingerprint: bytes) -> bytes:
    said = f"\0{request.caption or ''}\0{request.name or ''}".encode()
    return dedup_key(request.dataset, request.agent, request.session, blake3(fingerprint + said).digest())


def _number(store: Store, there: Persisted, fingerprint: bytes) -> int | None:
    rows = store.images_of([there.id.slot]).get(there.id.slot, [])
    return next((row.id for row in rows if row.fingerprint == fingerprint), None)


def _written(request: ImageRequest, seen: Seen, metadata: Mapping[str, Any], occurred_at: int | None) -> EncodeRequest:
    """Return the memory that the picture is found by. What the caller says of it counts before what was found out."""
    told = describe(
        caption_by_caller=request.caption,
        caption_by_model=seen.caption,
        ocr_text=seen.ocr_text,
        taken_at=seen.exif.taken_at,
        position=seen.exif.position,
        camera=seen.exif.camera,
        file_name=request.name,
    )
    return EncodeRequest(
        text=told.text,
        dataset=request.dataset,
        agent=request.agent,
        session=request.session,
        occurred_at=_taken_at(seen) if occurred_at is None else occurred_at,
        metadata={**told.metadata, **metadata},
        allow_duplicates=True,
    )


def _taken_at(seen: Seen) -> int | None:
    return None if seen.exif.taken_at is None else from_iso(seen.exif.taken_at, field="taken_at")


def _image(request: ImageRequest, seen: Seen, fingerprint: bytes, slot: int) -> NewImage:
    picture, position, small = seen.picture, seen.exif.position, seen.thumbnail
    return NewImage(
        dataset=0,  # the store knows, once the memory has been written
        slot=slot,
        fingerprint=fingerprint,
        media_type=picture.media_type,
        bytes=len(picture.data),
        width=picture.width,
        height=picture.height,
        name=request.name,
        taken_at=_taken_at(seen),
        lat=None if position is None else position.latitude,
        lon=None if position is None else position.longitude,
        caption=request.caption,
        model_caption=seen.caption,
        ocr_text=seen.ocr_text,
        notes=seen.notes,
        thumbnail=small.data,
        thumbnail_type=small.media_type,
    )


def _place(seen: Seen, slot: int) -> NewPlace | None:
    position = seen.exif.position
    if position is None:
        return None
    return NewPlace(
        dataset=0,
        name=f"{position.latitude:.5f}, {position.longitude:.5f}",
        lat=position.latitude,
        lon=position.longitude,
        cell=cell_of(position.latitude, position.longitude),
        source="picture",
        confident=True,
        slot=slot,
        version=1,
    )
