"""Opening a data directory, for synchronous callers and for asyncio. Owns how arguments become settings."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from typing import Any

from pydantic import ValidationError

from mindlog.embedded.objects import AsyncMindlog, Mindlog
from mindlog.engine import Engine
from mindlog.errors import ConfigError
from mindlog.loopthread import LoopThread
from mindlog.models.embedder import Embedder
from mindlog.settings import Settings

__all__ = ["aopen", "load_settings", "open"]

Path = str | os.PathLike[str]


class _Opening:
    """What `aopen` returns: to be awaited, or entered."""

    def __init__(self, settings: Settings, embedder: Embedder | None) -> None:
        self._settings = settings
        self._embedder = embedder
        self._opened: AsyncMindlog | None = None

    def __await__(self) -> Generator[Any, None, AsyncMindlog]:
        return self.open().__await__()

    async def open(self) -> AsyncMindlog:
        """Open the engine."""
        return AsyncMindlog(await Engine.open(self._settings, embedder=self._embedder))

    async def __aenter__(self) -> AsyncMindlog:
        self._opened = await self.open()
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        if self._opened is not None:
            await self._opened.aclose()


def aopen(path: Path | None = None, *, embedder: Embedder | str | None = None, **settings: Any) -> _Opening:
    """Open a data directory on the running event loop; the result is to be entered with `async with`, or awaited.

    Arguments and errors are those of `open`.
    """
    own, loaded = _configured(path, embedder, settings)
    return _Opening(loaded, own)


def open(path: Path | None = None, *, embedder: Embedder | str | None = None, **settings: Any) -> Mindlog:  # noqa: A001
    """Open a data directory, creating it if needed.

    `path` is the directory (the setting `data` if None). `embedder` is a name as in the setting, or an `Embedder` of your
    own. Other settings by name; those not given come from `MINDLOG_*` variables and `mindlog.toml`.

    Raises:
        ConfigError: a setting is unknown or wrong.
        StoreLocked: another process has the directory open.
        MindlogError: whatever else keeps it from opening; the error says what to do.
    """
    own, loaded = _configured(path, embedder, settings)
    return Mindlog(LoopThread(_Opening(loaded, own).open, AsyncMindlog.aclose))


def load_settings(**values: Any) -> Settings:
    """Read the settings; None values count as not given. A wrong one is `ConfigError` in one line."""
    try:
        return Settings(**{name: value for name, value in values.items() if value is not None})
    except ValidationError as exc:
        first = exc.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{name}: {first['msg']}", field=name) from exc
    except (ValueError, OSError) as exc:
        raise ConfigError(f"mindlog.toml or a MINDLOG_* variable cannot be read: {exc}") from exc


def _configured(
    path: Path | None, embedder: Embedder | str | None, settings: Mapping[str, Any]
) -> tuple[Embedder | None, Settings]:
    named = embedder if isinstance(embedder, str) else None
    return None if named else embedder, load_settings(data=path, embedder=named, **settings)  # type: ignore[return-value]
