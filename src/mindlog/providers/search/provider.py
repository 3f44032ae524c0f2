"""What a web search is to the rest of mindlog: a question in, texts with their sources out. Knows no format."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

__all__ = ["MAX_RESULTS", "MAX_RESULT_CHARS", "WebResult", "WebSearch"]

MAX_RESULTS = 10
MAX_RESULT_CHARS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class WebResult:
    """A page and what it says, as plain text: someone's words, never instructions.

    title: one line, may be empty. url: http or https, without credentials. text: 1 to `MAX_RESULT_CHARS` characters.
    published_at: with a zone; None where the endpoint does not say.
    """

    title: str
    url: str
    text: str
    published_at: datetime | None


class WebSearch(Protocol):
    """A search engine."""

    @property
    def name(self) -> str:
        """The provider's name, in errors and records."""
        ...

    async def search(self, query: str, limit: int = MAX_RESULTS) -> list[WebResult]:
        """At most `limit` results, and never over `MAX_RESULTS`, best first, each address once.

        Raises:
            ProviderFailed: no usable answer.
            InvalidInput: nothing to search for.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
