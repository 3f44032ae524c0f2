"""The verbs of documents: remember them, look at them, and ask questions of what is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mindlog.errors import InvalidInput
from mindlog.records import DEFAULT_DATASET
from mindlog.verbs.files import Path, Upload, octets
from mindlog.verbs.forms import FilterForm, Time, Wait, plain, time_of
from mindlog.views import RememberRequest

__all__ = [
    "DocumentPage",
    "OneDocument",
    "Options",
    "Query",
    "TextPage",
    "document",
    "document_texts",
    "documents",
    "query",
    "remember",
]

Options = Mapping[str, Mapping[str, Any]]
"""By stage: `model` and `reasoning`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """Which page of a dataset's documents."""

    dataset: str
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OneDocument:
    """Which document."""

    document_id: str
    dataset: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPage:
    """Which page of a document's texts."""

    document_id: str
    dataset: str
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question before its filters are read, which needs the dataset's zone."""

    question: str
    dataset: str
    session: str | None
    as_of: str | int | None
    limit: int | None
    filters: FilterForm | None
    options: Options | None


def remember(
    text: str | None = None,
    *,
    data: bytes | None = None,
    url: str | None = None,
    path: Path | None = None,
    name: str | None = None,
    content_type: str | None = None,
    dataset: str = DEFAULT_DATASET,
    document_id: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    occurred_at: Time | None = None,
    metadata: Mapping[str, Any] | None = None,
    options: Options | None = None,
    web_search: bool = False,
    fetch_series: bool = False,
    request_id: str | None = None,
    wait: Wait = "ack",
) -> Upload[RememberRequest]:
    """Remember a document of any length; returns when it and the run that reads it are committed and fsynced.

    Exactly one of `text`, `data` (a file's bytes, best with its `name` or `content_type`), `path` (a file of this machine)
    and `url` (of a host the operator allows). A `document_id` that is there gets a new version. `options` gives stages
    another `model` or `reasoning`. `wait="derived"` returns when the run is over, or at the end of the drain window.

    Raises:
        DocumentUnreadable: there is no text in it, it is of no type that is read, or it is damaged.
        DocumentTooLarge: it is over the limit.
        AddressRefused: the address may not be fetched.
        FetchFailed: there was no document at the address.
        IdempotencyConflict: the request id was used with other parameters.
        InvalidInput: another value is refused; the error names its field.
    """
    given = sum(each is not None for each in (text, data, url, path))
    if given != 1:
        raise InvalidInput(f"text: exactly one of text, data, url, path is needed, there are {given}", field="text")
    request = RememberRequest(
        text=text,
        data=octets(data),
        url=url,
        name=name,
        content_type=content_type,
        dataset=dataset,
        document_id=document_id,
        session=session,
        agent=agent,
        occurred_at=time_of(occurred_at),
        metadata=metadata,
        options=options,
        web_search=web_search,
        fetch_series=fetch_series,
        request_id=request_id,
        wait=wait,
    )
    return Upload(request=request, path=path)


def documents(dataset: str = DEFAULT_DATASET, *, limit: int = 50, cursor: str | None = None) -> DocumentPage:
    """Return one page of remembered documents, newest first.

    Raises:
        DatasetNotFound: there is no such dataset.
        InvalidInput: a value is refused.
    """
    return DocumentPage(dataset=dataset, limit=limit, cursor=cursor)


def document(document_id: str, dataset: str = DEFAULT_DATASET) -> OneDocument:
    """Return one remembered document.

    Raises:
        DocumentNotFound: there is none.
        DatasetNotFound: there is no such dataset.
    """
    return OneDocument(document_id=document_id, dataset=dataset)


def document_texts(
    document_id: str, dataset: str = DEFAULT_DATASET, *, limit: int = 50, cursor: str | None = None
) -> TextPage:
    """Return one page of the texts of a document's current version: its chunks in order, then what was added to them.

    Raises:
        DocumentNotFound: there is none.
        DatasetNotFound: there is no such dataset.
        InvalidInput: a value is refused.
    """
    return TextPage(document_id=document_id, dataset=dataset, limit=limit, cursor=cursor)


def query(
    question: str,
    *,
    dataset: str = DEFAULT_DATASET,
    session: str | None = None,
    as_of: Time | None = None,
    limit: int | None = None,
    filters: FilterForm | None = None,
    options: Options | None = None,
) -> Query:
    """Answer a question from what is remembered, with citations `[n]` of the memories it rests on.

    `session`: earlier questions of the same session are understood. `as_of`: as the store stood at that instant. `limit`:
    most memories to answer from. `filters` as for `recall`. `options` gives stages another `model` or `reasoning`.

    Raises:
        DatasetNotFound: there is no such dataset.
        UnknownFilter: a filter or operator is not known.
        InvalidInput: a value is refused.
    """
    return Query(
        question=question,
        dataset=dataset,
        session=session,
        as_of=time_of(as_of),
        limit=limit,
        filters=plain(filters),
        options=options,
    )
