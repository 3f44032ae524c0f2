"""A picture decoded for use: its first frame, upright, no larger than wanted, 8 bits a channel, and nothing but pixels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mindlog.images.exif import parse_exif
from mindlog.images.picture import Picture, opened

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["flattened", "upright"]

# Modes with more than 8 bits in their one channel.
_DEEP = frozenset({"I", "F", "I;16", "I;16B", "I;16L", "I;16N"})
_WHITE = (255, 255, 255)


def upright(picture: Picture, longest: int) -> Image:
    """Decode as "RGB", or as "RGBA" if any of it is transparent, at most `longest` pixels a side; never enlarged.

    Blocks. The result has no metadata, colour profile or comment. Raises what `opened` raises.
    """
    turn = parse_exif(picture).orientation
    with opened(picture.format, picture.data) as image:
        # A JPEG is decoded at a fraction of its size: two times what is wanted, so that the rest is filtered well.
        share = 2 * longest / max(image.size)
        image.draft(None, (math.ceil(image.width * share), math.ceil(image.height * share)))
        image.load()
        plain = _plain(image)
    plain.thumbnail((longest, longest), _resampling().LANCZOS, reducing_gap=None)
    return _turned(plain, turn)


def flattened(image: Image) -> Image:
    """The image on white, where it is transparent."""
    import PIL.Image

    if image.mode != "RGBA":
        return image
    paper = PIL.Image.new("RGB", image.size, _WHITE)
    paper.paste(image, mask=image.getchannel("A"))
    return paper


def _plain(image: Image) -> Image:
    if image.mode in _DEEP:
        image = _eight_bits(image)
    plain = image.convert("RGBA" if image.has_transparency_data else "RGB")
    if plain.mode == "RGBA" and _is_opaque(plain):
        plain = plain.convert("RGB")
    # Some of it would be written into every file made of the pixels.
    plain.info.clear()
    return plain


def _is_opaque(image: Image) -> bool:
    return image.getchannel("A").getextrema() == (255, 255)


def _eight_bits(image: Image) -> Image:
    """One deep channel stretched over 8 bits, from its least to its most value: what those stand for is not told."""
    import PIL.Image

    values = np.nan_to_num(np.asarray(image, dtype=np.float32), posinf=0, neginf=0)
    least, most = float(values.min()), float(values.max())
    scaled = (values - least) * (255 / (most - least) if most > least else 0)
    return PIL.Image.fromarray(scaled.round().astype(np.uint8))


def _turned(image: Image, orientation: int) -> Image:
    """Return the image upright: how it must be turned for each orientation that Exif knows."""
    from PIL.Image import Transpose

    turns: dict[int, Any] = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    return image.transpose(turns[orientation]) if orientation in turns else image


def _resampling() -> Any:
    from PIL.Image import Resampling

    return Resampling
