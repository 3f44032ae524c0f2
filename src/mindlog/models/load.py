"""Opens the embedder the settings name, behind a cache. Runtimes are imported only for the model that is opened."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from mindlog.errors import ConfigError
from mindlog.models.cached_embedder import CachedEmbedder
from mindlog.models.catalog import DEFAULT_FOLDER, DEFAULT_NAME
from mindlog.models.runtime import check_runtime

if TYPE_CHECKING:
    from mindlog.models.embedder import Embedder
    from mindlog.models.openai_embedder import OpenAIEmbedder
    from mindlog.settings import Settings

__all__ = ["load_default", "load_embedder"]

_ENDPOINT = "openai"


def load_embedder(settings: Settings) -> CachedEmbedder:
    """Open the embedder of the settings. Blocks: for files and imports about 0.2 s, for an endpoint one request.

    Must be called where no event loop runs, such as by `asyncio.to_thread`.

    Raises:
        ModelMissing, ModelDamaged, InvalidInput: see `OnnxEmbedder.open`.
        ModelError: see `check_runtime`.
        ConfigError: an endpoint without address or model name.
        EmbedderFailed: the endpoint was asked for its dimensions and gave no embedding.
    """
    inner = _endpoint(settings) if settings.embedder == _ENDPOINT else _local(settings)
    return CachedEmbedder(inner, capacity_bytes=settings.embedder_cache_mb << 20)


def load_default(
    *, threads: int = 2, window: int | None = None, overlap: int | None = None, cache_bytes: int = 32 << 20
) -> CachedEmbedder:
    """Open the built-in model; blocks for about 0.2 s, mostly imports.

    Raises:
        ModelMissing, ModelDamaged, InvalidInput: see `OnnxEmbedder.open`.
        ModelError: see `check_runtime`.
    """
    inner = _open_folder(DEFAULT_FOLDER, threads=threads, window=window, overlap=overlap)
    return CachedEmbedder(inner, capacity_bytes=cache_bytes)


def _local(settings: Settings) -> Embedder:
    folder = DEFAULT_FOLDER if settings.embedder == DEFAULT_NAME else Path(settings.embedder)
    return _open_folder(folder, threads=settings.embedder_threads, window=settings.embedder_window)


def _open_folder(folder: Path, *, threads: int, window: int | None, overlap: int | None = None) -> Embedder:
    # On whatever thread: what matters is what was loaded before.
    check_runtime()
    from mindlog.models.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder.open(folder, threads=threads, window=window, overlap=overlap)


def _endpoint(settings: Settings) -> Embedder:
    from mindlog.models.openai_embedder import OpenAIEmbedder

    url, model, key = settings.embedder_url, settings.embedder_model, settings.embedder_api_key
    if not url or not model:
        raise ConfigError("embedder 'openai' needs embedder_url and embedder_model", field="embedder_url")
    secret = key.get_secret_value() if key else None
    asked = settings.embedder_dimensions
    # The probe has a loop and connections of its own: those of the embedder must belong to the engine's loop.
    known = asked or asyncio.run(_probe(OpenAIEmbedder(url, model, api_key=secret)))
    return OpenAIEmbedder(url, model, api_key=secret, dimensions=known, ask_dimensions=asked is not None)


async def _probe(embedder: OpenAIEmbedder) -> int:
    try:
        return await embedder.learn_dimensions()
    finally:
        await embedder.aclose()
