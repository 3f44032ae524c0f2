"""A mindlog server on loopback, in a thread of this process, over a fresh directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .loopback import LoopbackServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LoopbackServer]:
    running = LoopbackServer(tmp_path / "served")
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a gazetteer: it takes ten seconds to be made, in every fresh directory."""
    monkeypatch.setattr("mindlog.background.LazyGazetteer", lambda folder: lambda: None)
