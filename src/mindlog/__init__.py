"""mindlog: a durable memory engine for AI agents.

Owns the public names. They are imported when first used, so that `import mindlog` loads no model, index or server.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindlog.embedded import AsyncMindlog, Mindlog, aopen, open  # noqa: A004
    from mindlog.engine import Engine
    from mindlog.errors import MindlogError
    from mindlog.filters import Filters, parse_filters
    from mindlog.ids import MemoryId
    from mindlog.records import (
        ApiKey,
        Dataset,
        EncodeRequest,
        EncodeResult,
        ForgetReceipt,
        Health,
        Hit,
        LaneScore,
        Memory,
        MemoryKind,
        MemoryPage,
        MemoryState,
        RecallResult,
        Scope,
    )
    from mindlog.settings import Settings

__version__ = "0.1.0"

__all__ = [
    "ApiKey",
    "AsyncMindlog",
    "Dataset",
    "EncodeRequest",
    "EncodeResult",
    "Engine",
    "Filters",
    "ForgetReceipt",
    "Health",
    "Hit",
    "LaneScore",
    "Memory",
    "MemoryId",
    "MemoryKind",
    "MemoryPage",
    "MemoryState",
    "Mindlog",
    "MindlogError",
    "RecallResult",
    "Scope",
    "Settings",
    "__version__",
    "aopen",
    "open",
    "parse_filters",
]

_HOMES = {
    "embedded": ("AsyncMindlog", "Mindlog", "aopen", "open"),
    "engine": ("Engine",),
    "errors": ("MindlogError",),
    "filters": ("Filters", "parse_filters"),
    "ids": ("MemoryId",),
    "settings": ("Settings",),
    "records": (
        "ApiKey",
        "Dataset",
        "EncodeRequest",
        "EncodeResult",
        "ForgetReceipt",
        "Health",
        "Hit",
        "LaneScore",
        "Memory",
        "MemoryKind",
        "MemoryPage",
        "MemoryState",
        "RecallResult",
        "Scope",
    ),
}
_MODULE_OF = {name: f"mindlog.{module}" for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'mindlog' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
