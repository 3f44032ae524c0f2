"""The desk for pictures: keep one, show what is known of it, hand out the file and the small copy.

Owns the caller's checks. Another dataset's picture is one that does not exist.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mindlog.access import LOCAL, Caller
from mindlog.encode.validate import check_dataset_name
from mindlog.errors import ImageNotFound
from mindlog.ids import number_id, parse_number_id
from mindlog.images.keep import ImageTools, keep_image
from mindlog.pipeline import Observer
from mindlog.records import Scope
from mindlog.store.askingrows import ImageRow
from mindlog.views import Image, ImageRequest

__all__ = ["ImageDesk"]

_PREFIX = "img"


class ImageDesk:
    """What callers can do with pictures."""

    def __init__(self, tools: ImageTools, observe: Callable[[str], Observer]) -> None:
        self._tools = tools
        self._observe = observe

    async def keep(self, request: ImageRequest, *, caller: Caller = LOCAL) -> Image:
        """Keep a picture; returns when file, memory and row are durable. The same picture given again is kept once.

        Raises `InvalidInput` on the field and, without `mindlog[images]`, `MissingExtra`.
        """
        caller.require(Scope.WRITE, check_dataset_name(request.dataset))
        persisted, number = await keep_image(request, self._tools, self._observe("encode"))
        row = await asyncio.to_thread(self._tools.store.image, number)
        if row is None:
            raise ImageNotFound(f"the picture's memory {persisted.id} was forgotten meanwhile", field="image_id")
        return _shown(row, was_deduplicated=persisted.was_deduplicated)

    async def image(self, image_id: str, *, caller: Caller = LOCAL) -> Image:
        """Return what is known of a picture. `ImageNotFound`."""
        return _shown(await self._row(image_id, caller))

    async def data(self, image_id: str, *, caller: Caller = LOCAL) -> tuple[str, bytes]:
        """Return the picture as it was given: its media type and its bytes. `ImageNotFound`, `StoreDamaged`."""
        row = await self._row(image_id, caller)
        return row.media_type, await asyncio.to_thread(self._tools.blobs.get, row.fingerprint)

    async def thumbnail(self, image_id: str, *, caller: Caller = LOCAL) -> tuple[str, bytes]:
        """Return the small copy: its media type and its bytes. `ImageNotFound`."""
        row = await self._row(image_id, caller, thumbnail=True)
        assert row.thumbnail is not None  # it was asked for
        return row.thumbnail_type, row.thumbnail

    async def _row(self, image_id: str, caller: Caller, *, thumbnail: bool = False) -> ImageRow:
        caller.require(Scope.READ)
        number = parse_number_id(_PREFIX, image_id, "image_id")
        row = await asyncio.to_thread(lambda: self._tools.store.image(number, thumbnail=thumbnail))
        if row is None or not caller.sees(row.dataset):
            raise ImageNotFound(f"image_id: there is no picture {image_id}", field="image_id")
        return row


def _shown(row: ImageRow, *, was_deduplicated: bool = False) -> Image:
    return Image(
        image_id=number_id(_PREFIX, row.id),
        dataset=row.dataset,
        memory_id=str(row.memory_id),
        media_type=row.media_type,
        bytes=row.bytes,
        width=row.width,
        height=row.height,
        name=row.name,
        taken_at=row.taken_at,
        lat=row.lat,
        lon=row.lon,
        caption=row.caption,
        model_caption=row.model_caption,
        ocr_text=row.ocr_text,
        notes=row.notes,
        created_at=row.created_at,
        was_deduplicated=was_deduplicated,
    )
