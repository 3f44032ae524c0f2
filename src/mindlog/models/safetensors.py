"""Reads the safetensors weight format: a JSON header, then raw little-endian arrays.

Owns that format alone (https://github.com/huggingface/safetensors, "Format"); knows no model.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from mindlog.errors import ModelDamaged

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_tensors"]

_DTYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Every tensor of the file by name, as read-only arrays over one copy of its bytes.

    Raises:
        ModelDamaged: the file is cut off, is not safetensors, or holds a type that is not read here.
    """
    raw = path.read_bytes()
    try:
        (length,) = struct.unpack_from("<Q", raw)
        header = json.loads(raw[8 : 8 + length])
        body = memoryview(raw)[8 + length :]
        return {name: _tensor(entry, body) for name, entry in header.items() if name != "__metadata__"}
    except (struct.error, ValueError, KeyError, TypeError) as exc:
        raise ModelDamaged(f"{path.name} is not a readable safetensors file: {exc}") from exc


def _tensor(entry: dict[str, Any], body: memoryview) -> NDArray[Any]:
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= len(body):
        raise ValueError(f"a tensor lies at {start}..{end} of {len(body)} bytes")
    return np.frombuffer(body[start:end], dtype=_DTYPES[entry["dtype"]]).reshape(entry["shape"])
