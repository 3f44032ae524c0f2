"""Results of a search read out of an endpoint's JSON: cleaned, bounded, each address once. Knows no connection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import SplitResult, urlsplit

from mindlog.providers.answers import BadAnswer, WebReply, at_path, json_answer, shown
from mindlog.providers.plaintext import line, plain
from mindlog.providers.search.provider import MAX_RESULT_CHARS, WebResult

__all__ = ["ResultPaths", "published", "read_results", "source_address"]

_TITLE_CHARS = 300
_URL_CHARS = 2048
_NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f-\x9f\"<>\\^`{|}\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPaths:
    """Where an answer holds what: JSON pointers, `results` from the root and the others from one result.

    texts: texts or lists of texts, joined. may_lack_results: an answer without the list is one without results.
    """

    results: str = "/results"
    title: str = "/title"
    url: str = "/url"
    texts: tuple[str, ...] = ("/content",)
    published: str = "/published_date"
    may_lack_results: bool = False


def read_results(reply: WebReply, paths: ResultPaths, limit: int) -> list[WebResult]:
    """The first `limit` results that have an address that may be named and a text or a title.

    Raises:
        BadAnswer: the answer is not JSON, has no list of objects, or none of them has an address at all.
    """
    items = _items(json_answer(reply), paths)
    if items and not any(isinstance(_optional(each, paths.url), str) for each in items):
        raise BadAnswer(f"no result has an address at {paths.url}")
    found: dict[str, WebResult] = {}
    for key, result in _results(items, paths):
        if len(found) == limit:
            break
        found.setdefault(key, result)
    return list(found.values())


def source_address(url: Any) -> SplitResult | None:
    """The parts of an address that may be named as a source; None for any other: no http, a password, odd characters."""
    if not isinstance(url, str) or len(url) > _URL_CHARS or _NOT_IN_URLS.search(url):
        return None
    try:
        parts = urlsplit(url)
        is_open = parts.username is None and parts.password is None and parts.port != 0
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname and is_open else None


def published(value: Any) -> datetime | None:
    """The time a result was published, from ISO 8601 (UTC if it names no zone) or RFC 5322; None if it is neither."""
    if not isinstance(value, str):
        return None
    for reading in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = reading(value.strip())
            return (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def _items(answer: Any, paths: ResultPaths) -> list[dict[str, Any]]:
    items = _optional(answer, paths.results) if paths.may_lack_results else at_path(answer, paths.results)
    if items is None and paths.may_lack_results and isinstance(answer, dict):
        return []
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise BadAnswer(f"there is no list of results at {paths.results or 'the root'} but {shown(items)}")
    return items


def _results(items: list[dict[str, Any]], paths: ResultPaths) -> Iterator[tuple[str, WebResult]]:
    """Each result that can be used, with what its address is told from others by: not by where on the page it leads."""
    for item in items:
        url = _optional(item, paths.url)
        parts = source_address(url)
        title = line(_words(_optional(item, paths.title)), _TITLE_CHARS)
        said = "\n".join(_words(_optional(item, path)) for path in paths.texts)
        text = plain(said, MAX_RESULT_CHARS) or title
        if parts is None or not text:
            continue
        key = parts._replace(fragment="", netloc=parts.netloc.lower()).geturl()
        yield key, WebResult(title=title, url=url, text=text, published_at=published(_optional(item, paths.published)))


def _optional(value: Any, path: str) -> Any:
    try:
        return at_path(value, path)
    except BadAnswer:
        return None


def _words(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""
