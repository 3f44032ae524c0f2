"""The embedded API: an engine in this process, for synchronous callers (`open`) and for asyncio (`aopen`).

Owns the objects users hold and how verbs become engine calls. The verbs' options are those of `mindlog.verbs`.
"""

from __future__ import annotations

from mindlog.embedded.events import AsyncEvents, Events
from mindlog.embedded.objects import AsyncMindlog, Mindlog
from mindlog.embedded.opening import aopen, load_settings, open  # noqa: A004

__all__ = ["AsyncEvents", "AsyncMindlog", "Events", "Mindlog", "aopen", "load_settings", "open"]
