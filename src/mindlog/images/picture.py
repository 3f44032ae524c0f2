"""What counts as a picture: the bytes of one, checked whole before anything else looks at them. Owns types and limits.

The type is told by the content, never by a name. Knows no metadata.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from mindlog.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = [
    "BROKEN",
    "MAX_IMAGE_BYTES",
    "MAX_IMAGE_PIXELS",
    "Format",
    "Picture",
    "opened",
    "parse_picture",
    "read_picture",
]

Format = Literal["png", "jpeg", "webp", "gif", "bmp", "tiff"]

MAX_IMAGE_BYTES = 20 << 20
MAX_IMAGE_PIXELS = 50_000_000

BROKEN = (
    *(ArithmeticError, EOFError, LookupError, OSError, RuntimeError, SyntaxError, TypeError, ValueError),
    *(Warning, struct.error, zlib.error),
)
"""What Pillow raises on bytes that are not what they seem. Warnings are among them: where they are errors, they say it."""

_SIGNATURES: tuple[tuple[bytes, Format], ...] = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"BM", "bmp"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
)
# Told apart only to say what was sent.
_REFUSED = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"8BPS", "a Photoshop document"),
    (b"\xff\x0a", "a JPEG XL picture"),
    (b"\x00\x00\x00\x0cJXL ", "a JPEG XL picture"),
    (b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture"),
    (b"%!PS", "a PostScript document"),
)
_BRANDS = {b"heic": "HEIC", b"heix": "HEIC", b"mif1": "HEIF", b"msf1": "HEIF", b"avif": "AVIF", b"avis": "AVIF"}
_READ = "png, jpeg, webp, gif, bmp and tiff are read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that can be decoded. width, height: pixels of the first frame, before it is turned as its Exif says."""

    format: Format
    width: int
    height: int
    data: bytes = field(repr=False)

    @property
    def media_type(self) -> str:
        """The type as HTTP names it."""
        return f"image/{self.format}"


async def read_picture(data: bytes, *, max_bytes: int = MAX_IMAGE_BYTES, max_pixels: int = MAX_IMAGE_PIXELS) -> Picture:
    """Check a picture on a thread, see `parse_picture`. Decoding takes up to four bytes of memory a pixel."""
    return await asyncio.to_thread(parse_picture, data, max_bytes=max_bytes, max_pixels=max_pixels)


def parse_picture(data: bytes, *, max_bytes: int = MAX_IMAGE_BYTES, max_pixels: int = MAX_IMAGE_PIXELS) -> Picture:
    """Return the picture after decoding its first frame whole: a truncated or damaged file is found here.

    Raises:
        InvalidInput: empty, too large, of no type that is read, damaged, or more than `max_pixels`; field "image".
        MissingExtra: Pillow is not installed.
    """
    if not data:
        raise _invalid("it is empty")
    if len(data) > max_bytes:
        raise _invalid(f"{len(data)} bytes is over the limit of {max_bytes}", limit=max_bytes)
    kind = _format_of(data)
    with opened(kind, data) as image:
        _check_size(image.size, max_pixels)
        image.load()
        # The frame of a GIF may reach beyond the size that its head gives.
        _check_size(image.size, max_pixels)
        return Picture(format=kind, width=image.width, height=image.height, data=data)


@contextmanager
def opened(kind: Format, data: bytes) -> Generator[Image]:
    """Open the picture as this type, not decoded yet; what goes wrong with it inside is the picture's fault.

    Raises:
        InvalidInput: it is damaged, truncated or too large to be decoded at all; field "image".
        MissingExtra: Pillow is not installed.
    """
    try:
        import PIL.Image
    except ImportError as exc:
        raise MissingExtra("pictures need Pillow: pip install 'mindlog[images]'") from exc
    try:
        with PIL.Image.open(BytesIO(data), formats=(kind.upper(),)) as image:
            yield image
    except (PIL.Image.DecompressionBombError, PIL.Image.DecompressionBombWarning) as exc:
        raise _invalid("it has more pixels than are ever decoded") from exc
    except BROKEN as exc:
        raise _invalid(f"the {kind} file is damaged or truncated") from exc


def _format_of(data: bytes) -> Format:
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    raise _invalid(f"{_refused_type(data)} is not read; {_READ}")


def _refused_type(data: bytes) -> str:
    for signature, name in _REFUSED:
        if data.startswith(signature):
            return name
    if data[4:8] == b"ftyp":
        return f"an {_BRANDS[data[8:12]]} picture" if data[8:12] in _BRANDS else "a video"
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith(b"<"):
        return "an SVG drawing" if b"<svg" in head else "an HTML or XML text"
    return "this type"


def _check_size(size: tuple[int, int], most: int) -> None:
    width, height = size
    if width < 1 or height < 1:
        raise _invalid("it has no pixels")
    if width * height > most:
        raise _invalid(f"{width} x {height} pixels is over the limit of {most}", limit=most)


def _invalid(why: str, limit: int | None = None) -> InvalidInput:
    facts: dict[str, Any] = {} if limit is None else {"limit": limit}
    return InvalidInput(f"image: {why}", field="image", **facts)
