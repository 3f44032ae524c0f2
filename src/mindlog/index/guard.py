"""Containment: a fault inside an index must not reach the store's writer, whose commit is done already.

Owns the decision of what is contained and how it is told; knows no index.
"""

from __future__ import annotations

import logging
from types import TracebackType

from mindlog.errors import Closed

__all__ = ["Guard"]

log = logging.getLogger(__name__)


class Guard:
    """A context that any fault inside ends without spreading. `fault` then says what it was; the caller reacts."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self.fault: str | None = None

    def __enter__(self) -> Guard:
        """Begin with no fault."""
        self.fault = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Keep a fault, whatever its class: native code raises many. An interrupt or exit goes on."""
        if not isinstance(error, Exception):
            return False
        self.fault = f"{type(error).__name__}: {error}"
        if isinstance(error, Closed):
            return True  # the store is closing; the next run goes on from here
        log.error("%s failed", self._doing, exc_info=error)
        return True
