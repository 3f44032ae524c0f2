"""What a model folder says of itself: the project's own `model.json`, or the files of a sentence-transformers model.

Owns those file formats and the check that every file is there and whole. Knows no runtime.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mindlog.errors import InvalidInput, ModelDamaged, ModelMissing
from mindlog.models.fingerprint import digest_file, fingerprint

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BUILD_COMMAND", "MANIFEST", "ModelManifest", "ModelSpec", "Pooling", "read_spec"]

BUILD_COMMAND = "`make model` (or `mindlog models build`)"
MANIFEST = "model.json"
MIN_WINDOW = 8
DEFAULT_OVERLAP = 16

Pooling = Literal["graph", "mean", "cls"]
Parsed = TypeVar("Parsed", bound=BaseModel)


class ModelManifest(BaseModel):
    """`model.json` of a built model. `files` maps each file to the hex BLAKE3 of its bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    name: str
    licence: str
    source: str
    dimensions: int = Field(ge=1)
    max_tokens: int = Field(ge=MIN_WINDOW)
    window: int = Field(ge=MIN_WINDOW)
    overlap: int = Field(ge=0)
    pooling: Pooling = "graph"
    state_dimensions: int = Field(ge=1)
    files: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """All an embedder needs to know of a model folder. Windows and overlap in tokens, specials counted in `window`."""

    name: str
    folder: Path
    graph: Path
    tokenizer: Path
    basis: Path | None
    dimensions: int
    window: int
    overlap: int
    pooling: Pooling
    document_prefix: str
    query_prefix: str
    fingerprint: str


class _Config(BaseModel):
    hidden_size: int = Field(ge=1)
    max_position_embeddings: int = 512
    model_type: str = "model"


class _PoolingConfig(BaseModel):
    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = True


class _SentenceConfig(BaseModel):
    prompts: dict[str, str] = {}


class _LengthConfig(BaseModel):
    max_seq_length: int | None = None


def read_spec(folder: Path, *, window: int | None = None, overlap: int | None = None) -> ModelSpec:
    """Read and check a model folder; window and overlap replace the model's own.

    Raises:
        ModelMissing: there is no model in the folder.
        ModelDamaged: a file is missing, or is not what the manifest says it is.
        InvalidInput: the window does not fit the model.
    """
    if (folder / MANIFEST).is_file():
        return _built_spec(folder, window, overlap)
    if (folder / "config.json").is_file():
        return _foreign_spec(folder, window, overlap)
    raise ModelMissing(f"there is no model in {folder}: build the default one with {BUILD_COMMAND}")


def _built_spec(folder: Path, window: int | None, overlap: int | None) -> ModelSpec:
    manifest = _parse(folder / MANIFEST, ModelManifest)
    for name, digest in manifest.files.items():
        if _digest(folder / name) != digest:
            raise ModelDamaged(f"{name} in {folder} is damaged: build the model again with {BUILD_COMMAND}")
    fitted = _window(window, manifest.window, manifest.max_tokens)
    return _spec(
        folder,
        name=manifest.name,
        graph=folder / "model.onnx",
        basis=folder / "state_basis.npy",
        dimensions=manifest.dimensions,
        window=fitted,
        overlap=_overlap(overlap, manifest.overlap, fitted),
        pooling=manifest.pooling,
        prompts={},
        digests=manifest.files,
    )


def _foreign_spec(folder: Path, window: int | None, overlap: int | None) -> ModelSpec:
    config = _parse(folder / "config.json", _Config)
    pooling = _parse_optional(folder / "1_Pooling" / "config.json", _PoolingConfig)
    prompts = _parse_optional(folder / "config_sentence_transformers.json", _SentenceConfig).prompts
    length = _parse_optional(folder / "sentence_bert_config.json", _LengthConfig).max_seq_length
    graph = _graph_file(folder)
    longest = config.max_position_embeddings
    fitted = _window(window, min(length or longest, longest), longest)
    return _spec(
        folder,
        name=folder.name,
        graph=graph,
        basis=None,
        dimensions=config.hidden_size,
        window=fitted,
        overlap=_overlap(overlap, DEFAULT_OVERLAP, fitted),
        pooling=_pooling(folder, pooling),
        prompts=prompts,
        digests={file.name: _digest(file) for file in (graph, folder / "tokenizer.json")},
    )


def _spec(
    folder: Path,
    *,
    name: str,
    graph: Path,
    basis: Path | None,
    dimensions: int,
    window: int,
    overlap: int,
    pooling: Pooling,
    prompts: dict[str, str],
    digests: dict[str, str],
) -> ModelSpec:
    document = prompts.get("document", prompts.get("passage", ""))
    query = prompts.get("query", "")
    facts: dict[str, str | int | None] = {f"file:{file}": digest for file, digest in digests.items()}
    facts |= {"pooling": pooling, "window": window, "overlap": overlap, "document": document, "query": query}
    return ModelSpec(
        name=name,
        folder=folder,
        graph=graph,
        tokenizer=folder / "tokenizer.json",
        basis=basis,
        dimensions=dimensions,
        window=window,
        overlap=overlap,
        pooling=pooling,
        document_prefix=document,
        query_prefix=query,
        fingerprint=fingerprint(facts),
    )


def _window(asked: int | None, own: int, longest: int) -> int:
    window = own if asked is None else asked
    if not MIN_WINDOW <= window <= longest:
        raise InvalidInput(f"the model takes windows of {MIN_WINDOW} to {longest} tokens, not {window}", field="window")
    return window


def _overlap(asked: int | None, own: int, window: int) -> int:
    overlap = min(own, window // 8) if asked is None else asked
    if not 0 <= overlap < window // 2:
        raise InvalidInput(f"an overlap of {overlap} tokens does not fit a window of {window}", field="overlap")
    return overlap


def _graph_file(folder: Path) -> Path:
    for candidate in (folder / "onnx" / "model.onnx", folder / "model.onnx"):
        if candidate.is_file():
            return candidate
    raise ModelMissing(f"{folder} holds no model.onnx or onnx/model.onnx")


def _pooling(folder: Path, config: _PoolingConfig) -> Pooling:
    if config.pooling_mode_cls_token:
        return "cls"
    if config.pooling_mode_mean_tokens:
        return "mean"
    raise ModelDamaged(f"1_Pooling/config.json in {folder} asks for a pooling that is neither mean nor cls")


def _digest(path: Path) -> str:
    if not path.is_file():
        raise ModelDamaged(f"{path.name} is missing in {path.parent}: build the model again with {BUILD_COMMAND}")
    return digest_file(path)


def _parse_optional(path: Path, kind: type[Parsed]) -> Parsed:
    return _parse(path, kind) if path.is_file() else kind()


def _parse(path: Path, kind: type[Parsed]) -> Parsed:
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ModelDamaged(f"{path.name} in {path.parent} is not readable: {where}: {first['msg']}") from exc
