"""How a server says it is. The same facts as the engine's own report, for a process that has no engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Health"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """`ready` is false only if writes or recall fail; everything else is a number or a reason."""

    ready: bool
    status: Literal["ok", "degraded", "failed"]
    reasons: tuple[str, ...]
    store: Mapping[str, Any]
    indexes: tuple[Mapping[str, Any], ...]
    embedder: Mapping[str, Any]
