"""The checks behind `mindlog doctor`: what is wrong with a data directory, one finding a check.

Owns the order of the checks and their words. Changes nothing but what opening the directory changes.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from mindlog.engine import Engine
from mindlog.errors import MigrationChanged, MindlogError, ModelError, StoreLocked, StoreNewer
from mindlog.models.embedder import Embedder
from mindlog.models.load import load_embedder
from mindlog.settings import Settings
from mindlog.store.connect import DATABASE, open_reader, translated

__all__ = ["Finding", "examine"]

_SETTLE_SECONDS = 300.0
_LEAST_FREE = 256 << 20
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found."""

    check: str
    ok: bool
    detail: str


async def examine(settings: Settings, *, embedder: Embedder | None = None) -> AsyncIterator[Finding]:
    """Check the directory, the disk, the model, then the open store and its indexes; stop where nothing more can be told."""
    directory = _directory(settings.data)
    yield directory
    if not directory.ok:
        return
    yield _free_space(settings.data)
    try:
        embedder = embedder or await asyncio.to_thread(load_embedder, settings)
    except MindlogError as exc:
        yield Finding(check="model", ok=False, detail=_said(exc))
        return
    yield Finding(check="model", ok=True, detail=f"{embedder.name} {embedder.fingerprint}")
    try:
        engine = await Engine.open(settings, embedder=embedder)
    except MindlogError as exc:
        await embedder.aclose()
        yield Finding(check=_blamed(exc), ok=False, detail=_said(exc))
        return
    async with engine:
        yield Finding(check="lock", ok=True, detail="no other process has the directory open")
        async for finding in _of_open_engine(engine):
            yield finding


async def _of_open_engine(engine: Engine) -> AsyncIterator[Finding]:
    yield Finding(check="schema", ok=True, detail="every migration is applied and unchanged")
    yield await asyncio.to_thread(_database, engine.settings.data / DATABASE)
    settled = await asyncio.to_thread(engine.indexes.settle, _SETTLE_SECONDS)
    health = await engine.health()
    yield Finding(check="health", ok=health.status == "ok", detail="; ".join(health.reasons) or "ready")
    if not settled:
        yield Finding(check="indexes", ok=False, detail="still being rebuilt; recall works from what is there")
        return
    differences = await asyncio.to_thread(engine.indexes.audit, engine.store)
    memories = engine.store.stats().memories
    yield Finding(
        check="indexes", ok=not differences, detail=_some(differences) or f"agree with the store on {memories} memories"
    )


def _directory(path: Path) -> Finding:
    if not path.is_dir():
        return Finding(check="directory", ok=False, detail=f"{path} is not a directory")
    if not (path / DATABASE).is_file():
        return Finding(check="directory", ok=False, detail=f"{path} holds no store: {DATABASE} is not there")
    if not os.access(path, os.W_OK | os.X_OK):
        return Finding(check="directory", ok=False, detail=f"{path} cannot be written")
    return Finding(check="directory", ok=True, detail=str(path))


def _free_space(path: Path) -> Finding:
    free = shutil.disk_usage(path).free
    return Finding(check="disk", ok=free >= _LEAST_FREE, detail=f"{free / 1e9:.1f} GB free")


def _database(path: Path) -> Finding:
    connection = open_reader(path)
    try:
        with translated(path.parent):
            said = [str(row[0]) for row in connection.execute("PRAGMA quick_check")]
    finally:
        connection.close()
    return Finding(check="database", ok=said == ["ok"], detail="whole" if said == ["ok"] else _some(said))


def _blamed(error: MindlogError) -> str:
    if isinstance(error, StoreLocked):
        return "lock"
    if isinstance(error, StoreNewer | MigrationChanged):
        return "schema"
    return "model" if isinstance(error, ModelError) else "database"


def _some(sentences: list[str]) -> str:
    more = f" and {len(sentences) - _SHOWN} more" if len(sentences) > _SHOWN else ""
    return "; ".join(sentences[:_SHOWN]) + more


def _said(error: MindlogError) -> str:
    return f"{error.code}: {error.detail}"
