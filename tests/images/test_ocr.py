"""Text in pictures is read locally, in reading order, one picture at a time, and without a network."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest
from PIL import Image

from mindlog.errors import InvalidInput, ModelMissing, OcrFailed
from mindlog.images import ocr
from mindlog.images.ocr import NO_OCR, LocalReader, Reader, ReadText, missing, open_reader
from mindlog.images.picture import Picture
from tests.images.made import camera, picture, written

BOUND = 60
RECEIPT = [(40, 30, "Cafe Iruna"), (40, 120, "Coffee"), (600, 122, "2.40"), (40, 190, "Total"), (600, 188, "14.90 EUR")]
needs_extra = pytest.mark.skipif(missing() is not None, reason="mindlog[ocr] is not installed")


@pytest.fixture
def reader() -> Reader:
    opened = open_reader()
    assert opened is not None
    return opened


@needs_extra
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
async def test_a_receipt_is_read_row_by_row(reader, kind):
    found = await reader.read(picture(written(RECEIPT), kind))
    assert found.lines == ("Cafe Iruna", "Coffee 2.40", "Total 14.90 EUR")
    assert found.text == "Cafe Iruna\nCoffee 2.40\nTotal 14.90 EUR"
    assert 0.6 <= found.confidence <= 1


@needs_extra
async def test_a_picture_is_read_upright_and_on_white(reader):
    page = written(RECEIPT)
    lying = picture(page.transpose(Image.Transpose.ROTATE_90), "JPEG", exif=camera({0x0112: 6}))
    assert "Coffee 2.40" in (await reader.read(lying)).lines
    ink = Image.new("RGBA", page.size, (0, 0, 0, 0))
    ink.paste((0, 0, 0, 255), mask=page.convert("L").point(lambda value: 255 - value))
    assert "Coffee 2.40" in (await reader.read(picture(ink))).lines


@needs_extra
async def test_a_picture_without_text_has_no_lines(reader):
    assert await reader.read(picture(Image.new("RGB", (300, 200), "white"))) == ReadText(lines=())
    assert (await reader.read(picture(Image.new("RGB", (1, 1)), "PNG"))).lines == ()


@needs_extra
async def test_lines_under_the_floor_are_left_out_and_counted():
    strict = LocalReader(floor=1.01)
    found = await strict.read(picture(written(RECEIPT)))
    assert (found.lines, found.confidence) == ((), 1.0)
    assert found.unsure == len(RECEIPT)


@needs_extra
def test_no_network_is_touched_and_no_torch_loaded(tmp_path):
    path = tmp_path / "receipt.png"
    written(RECEIPT).save(path)
    code = f"""
import asyncio, socket, sys
def refuse(*args, **kwargs): raise AssertionError("the network was touched")
from mindlog.images.ocr import open_reader
from mindlog.images.picture import parse_picture
picture = parse_picture(open({str(path)!r}, "rb").read())
async def read():
    socket.socket.connect = socket.getaddrinfo = refuse
    return await open_reader().read(picture)
print(asyncio.run(read()).lines[0], "torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Cafe Iruna False\n"
    assert done.stderr == ""


@needs_extra
async def test_a_weight_that_is_not_there_is_a_clear_error_and_not_fetched(tmp_path):
    with pytest.raises(ModelMissing, match=r"lacks \*_det_\*.onnx"):
        await LocalReader(models=tmp_path).read(picture(written(RECEIPT)))
    assert list(tmp_path.iterdir()) == []


async def test_without_the_extra_there_is_no_reader_and_the_reason_says_so(monkeypatch):
    monkeypatch.setattr(ocr.importlib.util, "find_spec", lambda name: None)
    assert missing() == NO_OCR == "mindlog[ocr] is not installed"
    assert open_reader() is None
    with pytest.raises(ModelMissing, match=r"pip install 'mindlog\[ocr\]'"):
        await LocalReader().read(picture(Image.new("RGB", (20, 20))))


@needs_extra
async def test_a_picture_that_cannot_be_decoded_is_the_pictures_fault(reader):
    with pytest.raises(InvalidInput):
        await reader.read(Picture(format="png", width=1, height=1, data=b"\x89PNG\r\n\x1a\nnothing"))


@needs_extra
async def test_a_model_that_fails_is_an_error_of_ours_and_the_next_picture_is_read(monkeypatch, reader):
    def broken(*_):
        raise RuntimeError("the session died")

    with monkeypatch.context() as patch:
        patch.setattr(ocr, "_load", lambda threads, models: broken)
        with pytest.raises(OcrFailed, match="the session died"):
            await reader.read(picture(written(RECEIPT)))
    assert (await reader.read(picture(written(RECEIPT)))).lines[0] == "Cafe Iruna"


class Held:
    """An engine that says when it is entered and goes on when it is let."""

    def __init__(self) -> None:
        self.entered, self.go = threading.Semaphore(0), threading.Semaphore(0)
        self.inside = self.most = self.calls = 0

    def __call__(self, *_):
        self.inside += 1
        self.calls += 1
        self.most = max(self.most, self.inside)
        self.entered.release()
        assert self.go.acquire(timeout=BOUND)
        self.inside -= 1
        return type("Result", (), {"txts": None, "boxes": None, "scores": None})()


@needs_extra
async def test_one_picture_is_read_at_a_time_also_when_a_caller_has_gone(monkeypatch, reader):
    engine = Held()
    monkeypatch.setattr(ocr, "_load", lambda threads, models: engine)
    small = picture(Image.new("RGB", (40, 40)))
    async with asyncio.timeout(BOUND):
        first, second, third = (asyncio.create_task(reader.read(small)) for _ in range(3))
        await asyncio.to_thread(engine.entered.acquire)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert engine.calls == 1
        engine.go.release()
        await asyncio.to_thread(engine.entered.acquire)
        engine.go.release()
        assert (await third).lines == ()
    assert (engine.most, engine.calls) == (1, 2)


@needs_extra
async def test_the_model_is_loaded_once_a_process():
    ocr._load.cache_clear()
    readers = [LocalReader(), LocalReader()]
    await asyncio.gather(*(each.read(picture(written(RECEIPT))) for each in readers))
    await readers[0].read(picture(written(RECEIPT)))
    assert ocr._load.cache_info().misses == 1
