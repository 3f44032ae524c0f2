"""A web search over one JSON endpoint: how it is asked and where its answer holds what are values. Owns no format."""

from __future__ import annotations

from collections.abc import Callable

from mindlog.errors import InvalidInput
from mindlog.providers.http import WebCall, WebGetter
from mindlog.providers.plaintext import line
from mindlog.providers.search.provider import MAX_RESULTS, WebResult
from mindlog.providers.search.results import ResultPaths, read_results

__all__ = ["SearchEndpoint"]

# The tightest of the vendors' limits.
_QUERY_CHARS = 400
_QUERY_WORDS = 50


class SearchEndpoint:
    """A `WebSearch`."""

    def __init__(self, getter: WebGetter, asking: Callable[[str, int], WebCall], paths: ResultPaths) -> None:
        """asking: the request for a query and a number of results."""
        self._getter = getter
        self._asking = asking
        self._paths = paths

    @property
    def name(self) -> str:
        """The provider's name, in errors and records."""
        return self._getter.provider

    async def search(self, query: str, limit: int = MAX_RESULTS) -> list[WebResult]:
        """See `WebSearch.search`. Of a long query the first 50 words and 400 characters are asked for."""
        # The mark of a cut is no word to search for.
        asked = " ".join(line(query, _QUERY_CHARS).rstrip("…").split()[:_QUERY_WORDS])
        if not asked:
            raise InvalidInput("query: there is nothing to search for", field="query")
        count = max(1, min(limit, MAX_RESULTS))
        return await self._getter.ask(self._asking(asked, count), lambda reply: read_results(reply, self._paths, count))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._getter.aclose()
