"""What is added to a document once its chunks are in the graph: places, texts from the web, points of series, what these show."""

from __future__ import annotations

from mindlog.remember.enrich.fetch import fetch_series
from mindlog.remember.enrich.geo import resolve_geo
from mindlog.remember.enrich.observe import observe_series
from mindlog.remember.enrich.web import web_search

__all__ = ["fetch_series", "observe_series", "resolve_geo", "web_search"]
