"""The gazetteer of one engine, opened when somebody first asks for it and once for all."""

from __future__ import annotations

import threading
from pathlib import Path

from mindlog.knowledge.places.gazetteer import Gazetteer, open_gazetteer

__all__ = ["LazyGazetteer"]


class LazyGazetteer:
    """Calling it returns the gazetteer, None without the extra that has it. Blocks the first time: call it on a thread.

    Raises what `open_gazetteer` raises, and tries again when it is asked again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opening = threading.Lock()
        self._is_open = False
        self._gazetteer: Gazetteer | None = None

    def __call__(self) -> Gazetteer | None:
        """Return it; who asks while it is being opened waits."""
        if not self._is_open:
            with self._opening:
                if not self._is_open:
                    self._gazetteer = open_gazetteer(self._folder)
                    self._is_open = True
        return self._gazetteer
