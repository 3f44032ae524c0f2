"""What counts as a picture: six types told by content, whole, within the limits; everything else is a clear error."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading

import pytest
from PIL import Image

from mindlog.errors import InvalidInput
from mindlog.images import picture as picture_module
from mindlog.images.picture import parse_picture, read_picture
from mindlog.settings import Settings
from tests.images.made import halves, png_claiming, saved, webp_claiming

TYPES = ["png", "jpeg", "webp", "gif", "bmp", "tiff"]


@pytest.mark.parametrize("kind", TYPES)
async def test_a_picture_of_each_type_is_told_by_its_content_with_its_size(kind):
    data = saved(halves(80, 40), kind.upper())
    found = await read_picture(data)
    assert (found.format, found.width, found.height) == (kind, 80, 40)
    assert found.media_type == f"image/{kind}"
    assert found.data is data


async def test_a_picture_is_decoded_on_another_thread(monkeypatch):
    threads = []
    real = picture_module.opened
    monkeypatch.setattr(picture_module, "opened", lambda *args: threads.append(threading.get_ident()) or real(*args))
    await read_picture(saved(halves()))
    assert threads
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_of_an_animation_the_first_frame_counts(kind):
    later = [Image.new("RGB", (80, 40), colour) for colour in ("green", "white")]
    found = parse_picture(saved(halves(80, 40), kind, save_all=True, append_images=later))
    assert (found.width, found.height) == (80, 40)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_truncated_file_is_said_to_be_damaged(kind, part):
    noise = Image.effect_noise((90, 70), 80).convert("RGB")
    data = saved(noise, kind.upper())
    with pytest.raises(InvalidInput, match=f"the {kind} file is damaged or truncated") as caught:
        parse_picture(data[: int(len(data) * part)])
    assert caught.value.field == "image"


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b'<?xml version="1.0"?>\n<svg xmlns="x"><script/></svg>', "an SVG drawing"),
        (b"\xef\xbb\xbf  <svg/>", "an SVG drawing"),
        (b"<!doctype html><p>", "an HTML or XML text"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00", "an HEIC picture"),
        (b"\x00\x00\x00\x18ftypavif\x00\x00", "an AVIF picture"),
        (b"\x00\x00\x00\x18ftypmp42\x00\x00", "a video"),
        (b"PK\x03\x04...", "a ZIP archive or an office document"),
        (b"RIFF\x00\x00\x00\x00AVI ", "this type"),
        (b"hello, I am a text", "this type"),
        (b"\x00", "this type"),
    ],
)
def test_another_type_is_refused_with_its_name_and_with_what_is_read(data, named):
    with pytest.raises(InvalidInput, match=f"image: {named} is not read; png, jpeg, webp, gif, bmp and tiff") as caught:
        parse_picture(data)
    assert caught.value.field == "image"


def test_a_file_that_only_begins_like_a_picture_is_damaged():
    for head in (
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"GIF89a",
        b"BM",
        b"II*\x00",
        b"MM\x00*",
        b"RIFF\x00\x00\x00\x00WEBP",
    ):
        with pytest.raises(InvalidInput, match="damaged or truncated"):
            parse_picture(head + b"nothing of it")


def test_empty_and_too_large_files_are_refused_by_their_size():
    with pytest.raises(InvalidInput, match="it is empty"):
        parse_picture(b"")
    data = saved(halves())
    with pytest.raises(InvalidInput, match=f"{len(data)} bytes is over the limit of {len(data) - 1}") as caught:
        parse_picture(data, max_bytes=len(data) - 1)
    assert caught.value.extra == {"limit": len(data) - 1}
    assert parse_picture(data, max_bytes=len(data)).width == 80


def test_more_pixels_than_the_limit_are_refused_before_they_are_decoded():
    with pytest.raises(InvalidInput, match="9000 x 9000 pixels is over the limit of 50000000") as caught:
        parse_picture(png_claiming(9000, 9000))
    assert caught.value.extra == {"limit": 50_000_000}
    assert parse_picture(saved(Image.new("1", (100, 50))), max_pixels=5000).width == 100
    with pytest.raises(InvalidInput, match="100 x 50 pixels"):
        parse_picture(saved(Image.new("1", (100, 50))), max_pixels=4999)


@pytest.mark.parametrize("bomb", [png_claiming(60_000, 60_000), webp_claiming(16_000, 16_000)], ids=["png", "webp"])
def test_a_bomb_is_refused_whatever_the_warnings_are_set_to(bomb):
    with pytest.raises(InvalidInput, match="pixels") as caught:
        parse_picture(bomb)
    assert caught.value.field == "image"
    code = "import sys; from mindlog.images.picture import parse_picture; parse_picture(sys.stdin.buffer.read())"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], input=bomb, capture_output=True, check=False)
    assert b"InvalidInput" in done.stderr
    assert b"pixels" in done.stderr


def test_a_bomb_takes_no_memory():
    code = """
import resource, sys
from mindlog.errors import InvalidInput
from mindlog.images.picture import parse_picture
from tests.images.made import png_claiming, webp_claiming, saved, halves
parse_picture(saved(halves(), "WEBP"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for bomb in (png_claiming(9400, 9400), webp_claiming(16000, 16000)):
    try:
        parse_picture(bomb)
    except InvalidInput:
        continue
    sys.exit("taken")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 40


def test_damage_anywhere_gives_a_picture_or_the_one_error(capfd):
    chance = random.Random(7)
    noise = Image.effect_noise((60, 40), 60).convert("RGB")
    sources = [saved(noise, kind.upper()) for kind in TYPES] + [saved(noise, "TIFF", compression="tiff_lzw")]
    outcomes = {"read": 0, "refused": 0}
    for _ in range(700):
        data = bytearray(chance.choice(sources))
        for _ in range(chance.choice([1, 4, 20])):
            data[chance.randrange(chance.choice([60, len(data)]))] = chance.randrange(256)
        try:
            parse_picture(bytes(data))
            outcomes["read"] += 1
        except InvalidInput as exc:
            outcomes["refused"] += exc.field == "image"
    assert sum(outcomes.values()) == 700
    assert min(outcomes.values()) > 50
    capfd.readouterr()


async def test_many_pictures_at_once_are_all_read():
    data = saved(halves(200, 100), "JPEG")
    found = await asyncio.gather(*(read_picture(data) for _ in range(20)))
    assert {each.width for each in found} == {200}


def test_the_limits_are_settings():
    settings = Settings(_env_file=None)
    assert (settings.max_image_bytes, settings.max_image_pixels) == (20 << 20, 50_000_000)
    assert settings.vision_model is None


def test_without_pillow_the_error_names_the_extra_and_what_needs_no_decoding_is_still_refused():
    code = """
import sys
sys.modules["PIL"] = None
from mindlog.errors import InvalidInput, MissingExtra
from mindlog.images.picture import parse_picture
for data, error in ((b"<svg/>", InvalidInput), (bytes([255, 216, 255]), MissingExtra)):
    try:
        parse_picture(data)
    except error as exc:
        print(exc.detail)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    svg, missing = done.stdout.splitlines()
    assert svg.startswith("image: an SVG drawing is not read")
    assert missing == "pictures need Pillow: pip install 'mindlog[images]'"


def test_importing_the_package_loads_no_pillow_and_no_reader():
    code = (
        "import sys; import mindlog.images.ocr, mindlog.images.caption, mindlog.images.describe, mindlog.images.thumbnail;"
        "print(sorted({'PIL', 'rapidocr', 'cv2', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
