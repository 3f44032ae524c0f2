"""A fresh directory and an embedder without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import mindlog
from mindlog.testing.fakes import HashEmbedder


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def db(tmp_path: Path, embedder: HashEmbedder) -> Iterator[mindlog.Mindlog]:
    with mindlog.open(tmp_path / "data", embedder=embedder) as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a gazetteer: it takes ten seconds to be made, in every fresh directory."""
    monkeypatch.setattr("mindlog.background.LazyGazetteer", lambda folder: lambda: None)
