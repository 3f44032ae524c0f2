"""A fresh engine with a hash embedder for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mindlog.engine import Engine
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import opened


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
async def engine(tmp_path: Path, embedder: HashEmbedder) -> AsyncIterator[Engine]:
    async with opened(tmp_path, embedder) as made:
        yield made


@pytest.fixture(autouse=True)
def no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a gazetteer: it takes ten seconds to be made, in every fresh directory."""
    monkeypatch.setattr("mindlog.background.LazyGazetteer", lambda folder: lambda: None)
