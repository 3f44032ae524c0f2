"""The searches mindlog knows: any JSON endpoint by address and paths, SearXNG, Brave, Tavily. Owns their formats."""

from __future__ import annotations

from mindlog.providers.addresses import fill
from mindlog.providers.http import WebCall, WebGetter
from mindlog.providers.search.endpoint import SearchEndpoint
from mindlog.providers.search.results import ResultPaths

__all__ = ["BRAVE_URL", "TAVILY_URL", "brave", "json_search", "searxng", "tavily"]

BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
TAVILY_URL = "https://api.tavily.com/search"

_BRAVE = ResultPaths(
    results="/web/results",
    texts=("/description", "/extra_snippets"),
    published="/page_age",
    may_lack_results=True,
)


def json_search(getter: WebGetter, template: str, paths: ResultPaths, key: str = "") -> SearchEndpoint:
    """Any endpoint that answers a GET with JSON. template: its address with {query}, and {limit} and {key} if it has them."""

    def asking(query: str, limit: int) -> WebCall:
        url = fill(template, {"query": query, "limit": str(limit), "key": key})
        return WebCall(asked=query, endpoint=template, url=url)

    return SearchEndpoint(getter, asking, paths)


def searxng(getter: WebGetter, base_url: str) -> SearchEndpoint:
    """An instance of SearXNG whose settings offer the format json; others answer 403."""
    url = base_url.rstrip("/") + "/search"

    def asking(query: str, limit: int) -> WebCall:
        return WebCall(asked=query, endpoint=url, url=url, params={"q": query, "format": "json"})

    return SearchEndpoint(getter, asking, ResultPaths(published="/publishedDate"))


def brave(getter: WebGetter, url: str = BRAVE_URL) -> SearchEndpoint:
    """Brave Search; its key goes into the getter's headers as `X-Subscription-Token`."""

    def asking(query: str, limit: int) -> WebCall:
        params = {"q": query, "count": str(limit), "text_decorations": "false", "result_filter": "web"}
        return WebCall(asked=query, endpoint=url, url=url, params=params)

    return SearchEndpoint(getter, asking, _BRAVE)


def tavily(getter: WebGetter, url: str = TAVILY_URL) -> SearchEndpoint:
    """Tavily; its key goes into the getter's headers as `Authorization: Bearer`."""

    def asking(query: str, limit: int) -> WebCall:
        body = {"query": query, "max_results": limit, "search_depth": "basic"}
        return WebCall(asked=query, endpoint=url, url=url, body=body)

    return SearchEndpoint(getter, asking, ResultPaths())
