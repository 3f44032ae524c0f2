"""Pictures made for tests: drawn, saved in any type, with whatever a camera writes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from mindlog.images.picture import Picture, parse_picture

PHOTO, GPS = 0x8769, 0x8825
RED, BLUE, WHITE = (220, 20, 20), (20, 20, 220), (255, 255, 255)


def halves(width: int = 80, height: int = 40) -> Image.Image:
    """The left half red, the right half blue."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    return image


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def picture(image: Image.Image, kind: str = "PNG", **options: Any) -> Picture:
    return parse_picture(saved(image, kind, **options))


def camera(
    tags: Mapping[int, Any] | None = None,
    photo: Mapping[int, Any] | None = None,
    gps: Mapping[int, Any] | None = None,
) -> bytes:
    """An EXIF block with these tags of the picture, the photograph and the position."""
    exif = Image.Exif()
    exif.update(tags or {})
    exif.get_ifd(PHOTO).update(photo or {})
    exif.get_ifd(GPS).update(gps or {})
    # Pillow writes a directory that was only read from it if it is set as a tag as well.
    if photo:
        exif[PHOTO] = dict(photo)
    if gps:
        exif[GPS] = dict(gps)
    return exif.tobytes()


def written(lines: list[tuple[int, int, str]], size: tuple[int, int] = (900, 420), points: int = 34) -> Image.Image:
    """Black words on white at (x, y)."""
    image = Image.new("RGB", size, WHITE)
    draw = ImageDraw.Draw(image)
    for x, y, text in lines:
        draw.text((x, y), text, fill="black", font=ImageFont.load_default(points))
    return image


def png_claiming(width: int, height: int) -> bytes:
    """A PNG whose head claims this size; its data is a few bytes."""
    data = bytearray(saved(Image.new("L", (8, 8))))
    data[16:24] = struct.pack(">II", width, height)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    return bytes(data)


def webp_claiming(width: int, height: int) -> bytes:
    """A lossless WebP in an extended file whose canvas claims this size."""
    plain = saved(Image.new("RGB", (8, 8)), "WEBP", lossless=True)
    canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBP" + b"VP8X" + struct.pack("<I", 10) + b"\0\0\0\0" + canvas + plain[12:]
    return b"RIFF" + struct.pack("<I", len(body)) + body
