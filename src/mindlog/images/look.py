"""All that is found out about one picture before it is kept. What is advisory fails with a note; the picture is kept all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from mindlog.errors import MindlogError
from mindlog.images.caption import NO_VISION_MODEL, caption
from mindlog.images.exif import Exif, read_exif
from mindlog.images.ocr import NO_OCR, Reader
from mindlog.images.picture import Picture, read_picture
from mindlog.images.thumbnail import Copy, thumbnail
from mindlog.pipeline import describe

if TYPE_CHECKING:
    from mindlog.models.llm import LLM
    from mindlog.settings import Settings

__all__ = ["Eyes", "Seen"]

_AT_ONCE = 2  # decoding takes four bytes a pixel, and the reader of texts half a gigabyte
_NOTE_CHARS = 300

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A picture and what is known of it. notes: what was left out, and why."""

    picture: Picture
    exif: Exif
    thumbnail: Copy
    ocr_text: str | None
    caption: str | None
    notes: tuple[str, ...]


class Eyes:
    """Looks at pictures, a few at a time. llm: a vision model, if `Settings.vision_model` names one."""

    def __init__(self, settings: Settings, llm: LLM | None, reader: Reader | None) -> None:
        self._settings = settings
        self._llm = llm if settings.vision_model else None
        self._reader = reader
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def look(self, data: bytes, zone: str | None) -> Seen:
        """Find out what there is. zone: of a time that names none.

        Raises:
            InvalidInput: it is no picture that is read, damaged, or over a limit; field "image".
            MissingExtra: `mindlog[images]` is not installed.
        """
        notes: list[str] = []
        settings = self._settings
        async with self._turn:
            picture = await read_picture(data, max_bytes=settings.max_image_bytes, max_pixels=settings.max_image_pixels)
            exif = await read_exif(picture, zone=zone)
            small = await thumbnail(picture)
            text = await _advisory("text", self._read(picture, notes), notes)
        said = await _advisory("caption", self._caption(picture, notes), notes)
        return Seen(
            picture=picture,
            exif=exif,
            thumbnail=small,
            ocr_text=text or None,
            caption=said,
            notes=(*exif.notes, *notes),
        )

    async def _read(self, picture: Picture, notes: list[str]) -> str | None:
        if self._reader is None:
            notes.append(f"text: {NO_OCR}")
            return None
        read = await self._reader.read(picture)
        if read.unsure:
            notes.append(f"text: {read.unsure} lines were too uncertain")
        return read.text

    async def _caption(self, picture: Picture, notes: list[str]) -> str | None:
        if self._llm is None:
            notes.append(f"caption: {NO_VISION_MODEL}")
            return None
        return await caption(self._llm, picture, self._settings.vision_model)


async def _advisory(what: str, finding: Awaitable[Found | None], notes: list[str]) -> Found | None:
    try:
        return await finding
    except MindlogError as exc:
        notes.append(f"{what}: {describe(exc)[:_NOTE_CHARS]}")
        return None
