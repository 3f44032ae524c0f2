"""A small copy of a picture to show in a list, and the copy a model is shown: upright, without any metadata."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from mindlog.images.picture import Picture
from mindlog.images.pixels import flattened, upright

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["THUMBNAIL_PIXELS", "Copy", "copy_of", "make_copy", "thumbnail"]

THUMBNAIL_PIXELS = 320
_QUALITY = 82


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A file made of a picture. width, height: pixels. The same picture gives the same bytes in one installation."""

    media_type: Literal["image/jpeg", "image/png"]
    width: int
    height: int
    data: bytes = field(repr=False)


async def thumbnail(picture: Picture, *, longest: int = THUMBNAIL_PIXELS) -> Copy:
    """Make a copy of at most `longest` pixels a side on a thread: JPEG, or PNG where some of it is transparent."""
    return await asyncio.to_thread(make_copy, picture, longest=longest)


async def copy_of(picture: Picture, *, longest: int) -> Copy:
    """Make a JPEG of at most `longest` pixels a side on a thread, on white where the picture is transparent."""
    return await asyncio.to_thread(make_copy, picture, longest=longest, opaque=True)


def make_copy(picture: Picture, *, longest: int, opaque: bool = False) -> Copy:
    """Make a copy. Blocks; raises what `upright` raises."""
    image = upright(picture, longest)
    image = flattened(image) if opaque else image
    if image.mode == "RGBA":
        return Copy(media_type="image/png", width=image.width, height=image.height, data=_png(image))
    return Copy(media_type="image/jpeg", width=image.width, height=image.height, data=_jpeg(image))


def _png(image: Image) -> bytes:
    out = BytesIO()
    image.save(out, "PNG", compress_level=6)
    return out.getvalue()


def _jpeg(image: Image) -> bytes:
    out = BytesIO()
    image.save(out, "JPEG", quality=_QUALITY, optimize=True)
    return out.getvalue()
