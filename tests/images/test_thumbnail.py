"""A thumbnail is upright, small, without metadata, the same each time, and transparent where the picture is."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from mindlog.images import pixels
from mindlog.images.exif import parse_exif
from mindlog.images.picture import Picture
from mindlog.images.thumbnail import Copy, copy_of, make_copy, thumbnail
from tests.images.made import BLUE, RED, camera, halves, picture


def shown(copy: Copy) -> Image.Image:
    image = Image.open(BytesIO(copy.data))
    image.load()
    assert (image.width, image.height) == (copy.width, copy.height)
    assert copy.media_type == f"image/{image.format.lower()}"
    return image


def near(pixel, colour) -> bool:
    return all(abs(one - other) < 40 for one, other in zip(pixel[:3], colour, strict=True))


@pytest.mark.parametrize(
    ("size", "made"),
    [
        ((1000, 500), (320, 160)),
        ((500, 1000), (160, 320)),
        ((320, 320), (320, 320)),
        ((80, 40), (80, 40)),
        ((3000, 1), (320, 1)),
    ],
)
@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
async def test_the_longer_side_is_320_at_most_and_nothing_is_enlarged(size, made, kind):
    copy = await thumbnail(picture(halves(*size), kind))
    assert (copy.width, copy.height) == made
    assert shown(copy).format == "JPEG"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_it_is_upright_whatever_way_the_camera_was_held(kind, orientation):
    upright = halves(400, 200)
    # How the pixels lie in the file, for each orientation: the inverse of the turn that the viewer makes.
    lie = {
        1: upright,
        2: upright.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
        3: upright.transpose(Image.Transpose.ROTATE_180),
        4: upright.transpose(Image.Transpose.FLIP_TOP_BOTTOM),
        5: upright.transpose(Image.Transpose.TRANSPOSE),
        6: upright.transpose(Image.Transpose.ROTATE_90),
        7: upright.transpose(Image.Transpose.TRANSVERSE),
        8: upright.transpose(Image.Transpose.ROTATE_270),
    }[orientation]
    made = shown(make_copy(picture(lie, kind, exif=camera({0x0112: orientation})), longest=320))
    assert made.size == (320, 160)
    assert near(made.getpixel((20, 80)), RED)
    assert near(made.getpixel((300, 80)), BLUE)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "GIF"])
def test_what_is_transparent_stays_so_in_a_png(kind):
    image = halves(600, 300).convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, 150, 300))
    options = {"WEBP": {"lossless": True}}.get(kind, {})
    made = shown(make_copy(picture(image, kind, **options), longest=320))
    assert (made.format, made.mode) == ("PNG", "RGBA")
    assert made.getpixel((10, 80))[3] == 0
    assert made.getpixel((300, 80))[3] == 255
    assert near(made.getpixel((300, 80)), BLUE)


def test_a_picture_with_a_full_alpha_channel_is_a_jpeg():
    assert make_copy(picture(halves(600, 300).convert("RGBA")), longest=320).media_type == "image/jpeg"


async def test_the_copy_for_a_model_is_on_white_where_the_picture_is_transparent():
    clear = Image.new("RGBA", (300, 300), (0, 0, 0, 0))
    copy = await copy_of(picture(clear), longest=200)
    assert (copy.media_type, copy.width) == ("image/jpeg", 200)
    assert near(shown(copy).getpixel((100, 100)), (255, 255, 255))


def with_metadata() -> list[Picture]:
    block = camera({0x010F: "Canon", 0x0112: 1}, {0x9003: "2025:05:03 14:05:59"}, {1: "N", 2: (43.0, 1.0, 2.0)})
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Author", "secret name")
    image, clear = halves(400, 200), halves(400, 200).convert("RGBA")
    clear.putpixel((0, 0), (0, 0, 0, 0))
    profile = b"secret profile" * 20
    return [
        picture(image, "JPEG", exif=block, comment=b"secret name", icc_profile=profile, dpi=(71, 71)),
        picture(clear, "PNG", exif=block, pnginfo=texts, icc_profile=profile),
        picture(image, "GIF", comment=b"secret name"),
    ]


@pytest.mark.parametrize("source", with_metadata(), ids=["jpeg", "png", "gif"])
def test_no_metadata_of_the_picture_is_in_it(source):
    assert b"secret" in source.data
    copy = make_copy(source, longest=320)
    made = shown(copy)
    assert b"secret" not in copy.data
    assert b"Canon" not in copy.data
    assert not {"exif", "icc_profile", "comment", "dpi", "Author"} & set(made.info)
    assert parse_exif(Picture(format=made.format.lower(), width=1, height=1, data=copy.data)).camera is None


def test_the_same_picture_gives_the_same_bytes():
    noise = Image.effect_noise((900, 700), 80).convert("RGB")
    for source in (picture(noise, "JPEG"), picture(noise, "PNG"), picture(noise.convert("P"), "GIF")):
        assert make_copy(source, longest=320) == make_copy(source, longest=320)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "CMYK", "YCbCr", "I;16", "I", "F"])
def test_every_kind_of_pixel_is_shown(mode):
    ramp = np.linspace(0, 1, 200, dtype=np.float32)[None, :].repeat(100, 0)
    values = {
        "I;16": (ramp * 40_000).astype(np.uint16),
        "I": (ramp * 1_000_000).astype(np.int32),
        "F": ramp * 7.5,
    }
    image = (
        Image.fromarray(values[mode])
        if mode in values
        else Image.fromarray((ramp * 255).astype(np.uint8)).convert(mode)
    )
    assert image.mode == mode
    made = shown(make_copy(picture(image, "TIFF"), longest=100)).convert("L")
    assert made.getpixel((2, 25)) < 60
    assert made.getpixel((97, 25)) > 195


def test_a_huge_jpeg_is_decoded_at_a_fraction_of_its_size(monkeypatch):
    sizes = []
    real = pixels._plain
    monkeypatch.setattr(pixels, "_plain", lambda image: sizes.append(image.size) or real(image))
    made = make_copy(picture(Image.new("RGB", (4000, 2000), RED), "JPEG"), longest=320)
    assert (made.width, made.height) == (320, 160)
    assert sizes == [(1000, 500)]
