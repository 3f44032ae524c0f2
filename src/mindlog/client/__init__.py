"""The HTTP client: `Client` and `AsyncClient`, with the methods and results of the embedded API.

Owns nothing itself. Needs `mindlog[client]`; imports no engine, store, index or model.
"""

from __future__ import annotations

from mindlog.client.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
