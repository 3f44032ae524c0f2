"""The HTTP surface: an application over an engine, and the server that runs it. Needs `mindlog[server]`.

Owns the API's bodies, problems, access rules and metrics. Must not know what is behind the engine.
"""

from __future__ import annotations

from mindlog.api.app import create_app
from mindlog.api.metrics import Metrics

__all__ = ["Metrics", "create_app"]
