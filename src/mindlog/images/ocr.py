"""Text read from pictures by a local model, behind a protocol; the extra `mindlog[ocr]` brings it with its weights.

Nothing is fetched: a weight that its package does not hold is an error. One picture is read at a time.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import importlib.util
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from mindlog.errors import ModelMissing, OcrFailed
from mindlog.images.picture import BROKEN, Picture
from mindlog.images.pixels import flattened, upright
from mindlog.images.readingorder import Box, in_reading_order

__all__ = ["NO_OCR", "LocalReader", "ReadText", "Reader", "missing", "open_reader"]

NO_OCR = "mindlog[ocr] is not installed"
"""Why no text is read from pictures where the extra is absent."""

# A line the model is less sure of is more often a texture than a text.
_FLOOR = 0.6
# A page of A4 at 1600 pixels has letters of 12; more takes memory by the square (0.6 GB here, 1.1 GB at 2000).
_LONGEST = 1600
_DETECTED_AT = 1280
_ROLES = {"Det": "*_det_*.onnx", "Cls": "*_cls_*.onnx", "Rec": "*_rec_*.onnx"}

# The library keeps a picture's sizes in itself while it reads, and loads twice if two threads ask it to.
_in_use = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """What was read. lines: in reading order, none empty. confidence: the least of any line, 1 where there is none.

    unsure: how many lines were left out for being too uncertain.
    """

    lines: tuple[str, ...]
    confidence: float = 1.0
    unsure: int = 0

    @property
    def text(self) -> str:
        """The lines, one below the other."""
        return "\n".join(self.lines)


class Reader(Protocol):
    """Reads the text in a picture."""

    async def read(self, picture: Picture) -> ReadText:
        """Read it without holding up the loop; no lines if there is no text.

        Raises:
            InvalidInput: the picture cannot be decoded.
            OcrFailed: the model failed on it.
        """
        ...


Engine = Callable[..., Any]


class LocalReader:
    """The reader of `mindlog[ocr]`. Its model is loaded with the first picture, once a process."""

    def __init__(self, *, floor: float = _FLOOR, threads: int = 1, models: Path | None = None) -> None:
        """floor: least confidence of a line, 0 to 1. threads: of the model. models: a folder, if not the package's."""
        self._floor = floor
        self._threads = threads
        self._models = models
        self._turn = asyncio.Lock()

    async def read(self, picture: Picture) -> ReadText:
        """See `Reader.read`. Also raises `ModelMissing` if a weight is not there.

        A caller that is cancelled goes at once; the next picture waits until the thread has let go of this one.
        """
        await self._turn.acquire()
        task = asyncio.create_task(asyncio.to_thread(self._read, picture))
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[ReadText]) -> None:
        self._turn.release()
        if not task.cancelled():
            # Looked at, so that the error of a picture nobody waits for is not reported as forgotten.
            task.exception()

    def _read(self, picture: Picture) -> ReadText:
        # The model's colours are blue, green, red.
        pixels = np.ascontiguousarray(np.asarray(flattened(upright(picture, _LONGEST)))[:, :, ::-1])
        with _in_use:
            boxes = _found(_load(self._threads, self._models or _package_models()), pixels)
        kept = [box for box in boxes if box.confidence >= self._floor]
        return ReadText(
            lines=tuple(in_reading_order(kept)),
            confidence=min((box.confidence for box in kept), default=1.0),
            unsure=len(boxes) - len(kept),
        )


def missing() -> str | None:
    """Return why no text can be read from pictures, None if it can."""
    needed = ("rapidocr", "PIL", "onnxruntime")
    return None if all(importlib.util.find_spec(each) is not None for each in needed) else NO_OCR


def open_reader(*, floor: float = _FLOOR, threads: int = 1) -> LocalReader | None:
    """The local reader, or None where `missing` says why. Loads nothing yet."""
    return None if missing() else LocalReader(floor=floor, threads=threads)


@functools.lru_cache(maxsize=1)
def _load(threads: int, models: Path) -> Engine:
    library = importlib.import_module("rapidocr")
    weights = {f"{role}.model_path": str(_weight(models, pattern)) for role, pattern in _ROLES.items()}
    settings = {
        "Global.log_level": "critical",
        # What is unsure is counted here, so nothing is dropped there.
        "Global.text_score": 0.0,
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        "Det.limit_type": "max",
        "Det.limit_side_len": _DETECTED_AT,
    }
    return cast("Engine", library.RapidOCR(params={**settings, **weights}))


def _package_models() -> Path:
    found = importlib.util.find_spec("rapidocr")
    if found is None or found.origin is None:
        raise ModelMissing(f"{NO_OCR}: pip install 'mindlog[ocr]'")
    return Path(found.origin).parent / "models"


def _weight(folder: Path, pattern: str) -> Path:
    """The newest of one kind of weight. A path that is given is loaded; without one the library would fetch it."""
    found = sorted(folder.glob(pattern))
    if not found:
        raise ModelMissing(f"the model that reads pictures lacks {pattern} in {folder.name}; install mindlog[ocr] anew")
    return found[-1]


def _found(engine: Engine, pixels: np.ndarray[Any, Any]) -> list[Box]:
    faults = (*BROKEN, *_library_errors())
    try:
        result = engine(pixels)
    except faults as exc:
        raise OcrFailed(f"the text in the picture could not be read: {str(exc).strip()[-200:]}") from exc
    if result.txts is None or result.boxes is None:
        return []
    found = zip(result.boxes, result.txts, result.scores, strict=True)
    return [_box(corners, text, score) for corners, text, score in found if text.strip()]


def _library_errors() -> tuple[type[Exception], ...]:
    names = {"cv2": "error", "rapidocr.inference_engine.onnxruntime.main": "ONNXRuntimeError"}
    return tuple(getattr(importlib.import_module(module), name) for module, name in names.items())


def _box(corners: Any, text: str, score: float) -> Box:
    """corners: (4, 2) pixels."""
    (left, top), (right, bottom) = np.min(corners, axis=0), np.max(corners, axis=0)
    place = {"left": float(left), "top": float(top), "right": float(right), "bottom": float(bottom)}
    return Box(text=" ".join(text.split()), confidence=float(score), **place)
