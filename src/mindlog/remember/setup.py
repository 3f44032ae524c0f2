"""What happens to a document before its ack: it is checked, got and read. What is refused here leaves no run."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blake3 import blake3

from mindlog.encode.validate import check_dataset_name, check_label, check_metadata, check_time
from mindlog.errors import InvalidInput
from mindlog.remember.address import FetchRules, fetch
from mindlog.remember.resume import packed
from mindlog.remember.source import read_source
from mindlog.runs.options import check_options
from mindlog.store.documentrows import NewRemember
from mindlog.store.stages import REMEMBER_STAGES

if TYPE_CHECKING:
    from mindlog.clock import Clock
    from mindlog.records import Dataset
    from mindlog.remember.marks import ReadDocument
    from mindlog.settings import Settings
    from mindlog.views import RememberRequest

__all__ = ["accept", "document_id_of"]

_SOURCES = ("text", "data", "url")
# Not part of what is asked for, so a retry may differ in them.
_NOT_PARAMETERS = frozenset({"request_id", "wait"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """A document as it was got: its bytes, and where from."""

    data: bytes
    name: str | None
    content_type: str | None
    url: str | None = None


async def accept(
    request: RememberRequest, dataset: Dataset | None, settings: Settings, clock: Clock, *, user: str | None = None
) -> NewRemember:
    """Return what is to be committed with the run. dataset: the request's, None if it is not there yet.

    Raises `InvalidInput` naming the field, `AddressRefused` or `FetchFailed` for a URL, and what `read_source` raises.
    """
    _check(request)
    metadata = check_metadata(request.metadata, limit=settings.max_metadata_bytes)
    options = check_options(request.options, REMEMBER_STAGES)
    occurred_at = clock.now()
    if request.occurred_at is not None:
        occurred_at = check_time(request.occurred_at, "occurred_at", None if dataset is None else dataset.timezone)
    given = await _given(request, settings)
    document = await read_source(
        given.data,
        given.name,
        given.content_type,
        limit=settings.max_document_bytes,
        seconds=settings.document_seconds,
    )
    params = {
        "session": request.session,
        "agent": request.agent,
        "occurred_at": occurred_at,
        "metadata": metadata,
        "options": options,
        "web_search": request.web_search,
        "fetch_series": request.fetch_series,
        "name": given.name,
        "url": given.url,
    }
    return NewRemember(
        dataset=request.dataset,
        document_id=request.document_id or document_id_of(document),
        title=_title(document, given.name),
        kind=document.kind,
        name=given.name,
        url=given.url,
        characters=len(document.text),
        content=await asyncio.to_thread(packed, document),
        params=params,
        user=user,
        request_id=request.request_id,
        request_params=None if request.request_id is None else await asyncio.to_thread(_params_hash, request),
    )


def document_id_of(document: ReadDocument) -> str:
    """Return the id of a document that nobody named: the same text is the same document."""
    return f"doc_{blake3(document.text.encode()).hexdigest(length=16)}"


def _check(request: RememberRequest) -> None:
    check_dataset_name(request.dataset)
    for name in ("agent", "session", "document_id", "request_id", "name", "content_type"):
        check_label(getattr(request, name), name)
    given = [source for source in _SOURCES if getattr(request, source) is not None]
    if len(given) != 1:
        said = " and ".join(given) or "none"
        raise InvalidInput(f"text: exactly one of {', '.join(_SOURCES)} is needed, there is {said}", field="text")
    for flag in ("web_search", "fetch_series"):
        if not isinstance(getattr(request, flag), bool):
            raise InvalidInput(f"{flag}: must be true or false", field=flag)
    if request.wait not in ("ack", "derived"):  # pyright: ignore[reportUnnecessaryContains]
        raise InvalidInput("wait: must be 'ack' or 'derived'", field="wait")


async def _given(request: RememberRequest, settings: Settings) -> _Given:
    if request.url is not None:
        rules = FetchRules(
            hosts=tuple(settings.remember_hosts), limit=settings.max_document_bytes, seconds=settings.fetch_seconds
        )
        got = await fetch(request.url, rules)
        return _Given(
            data=got.data,
            name=request.name or got.name,
            content_type=request.content_type or got.content_type,
            url=got.url,
        )
    if request.data is not None:
        return _Given(data=request.data, name=request.name, content_type=request.content_type)
    assert request.text is not None  # _check has seen to it
    try:
        data = request.text.encode()
    except UnicodeEncodeError as exc:
        raise InvalidInput(f"text: lone surrogate at character {exc.start} is not valid Unicode", field="text") from exc
    return _Given(data=data, name=request.name, content_type=request.content_type or "text/plain; charset=utf-8")


def _title(document: ReadDocument, name: str | None) -> str | None:
    title = document.title or name
    return None if title is None else title[:256]


def _params_hash(request: RememberRequest) -> bytes:
    """Return 16 bytes of BLAKE3 over everything that shapes the run."""
    given = {name: getattr(request, name) for name in request.__dataclass_fields__ if name not in _NOT_PARAMETERS}
    if request.data is not None:
        given["data"] = blake3(request.data).hexdigest()
    return blake3(json.dumps(given, sort_keys=True, default=dict).encode("utf-8", "surrogatepass")).digest(16)
