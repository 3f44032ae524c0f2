"""Which models there are, where they live and whether they are whole. Loads no runtime and opens no model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mindlog.errors import ModelDamaged, ModelMissing
from mindlog.models.folder import MANIFEST, ModelManifest, read_spec

__all__ = [
    "BASIS_FILE",
    "DEFAULT_FOLDER",
    "DEFAULT_NAME",
    "ModelInfo",
    "ModelState",
    "describe_models",
]

DEFAULT_NAME = "all-minilm-l6-v2"
DEFAULT_FOLDER = Path(__file__).with_name("data") / DEFAULT_NAME
BASIS_FILE = Path(__file__).with_name("state_basis.npy")


class ModelState(StrEnum):
    """Whether a model can be opened."""

    BUILT = "built"
    MISSING = "missing"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """A model for people. Sizes and fingerprint are None if it cannot be opened; problem says why and what to do."""

    name: str
    path: Path
    state: ModelState
    dimensions: int | None = None
    state_dimensions: int | None = None
    window: int | None = None
    fingerprint: str | None = None
    size_bytes: int | None = None
    licence: str | None = None
    source: str | None = None
    problem: str | None = None


def describe_models(folders: tuple[Path, ...] = (DEFAULT_FOLDER,)) -> list[ModelInfo]:
    """What is in each folder. Reads and checks every file, loads no runtime."""
    return [_describe(folder) for folder in folders]


def _describe(folder: Path) -> ModelInfo:
    try:
        spec = read_spec(folder)
    except ModelMissing as exc:
        return ModelInfo(name=folder.name, path=folder, state=ModelState.MISSING, problem=exc.detail)
    except ModelDamaged as exc:
        return ModelInfo(name=folder.name, path=folder, state=ModelState.DAMAGED, problem=exc.detail)
    manifest = _manifest(folder)
    return ModelInfo(
        name=spec.name,
        path=folder,
        state=ModelState.BUILT,
        dimensions=spec.dimensions,
        state_dimensions=manifest.state_dimensions if manifest else None,
        window=spec.window,
        fingerprint=spec.fingerprint,
        size_bytes=spec.graph.stat().st_size,
        licence=manifest.licence if manifest else None,
        source=manifest.source if manifest else None,
    )


def _manifest(folder: Path) -> ModelManifest | None:
    path = folder / MANIFEST
    return ModelManifest.model_validate_json(path.read_bytes()) if path.is_file() else None
