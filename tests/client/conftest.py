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
