"""Each verb of documents, questions, series, places and pictures as one HTTP call. Knows no HTTP library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from mindlog import verbs, wire
from mindlog.client.calls import Call, Part, filters_json, given, json_text, page_call, part, read_call, time_text
from mindlog.ids import new_id
from mindlog.views import (
    Document,
    DocumentText,
    Image,
    ImageRequest,
    NearPlace,
    Page,
    Place,
    Point,
    QueryResult,
    RememberRequest,
    RememberResult,
    Series,
)

__all__ = [
    "document",
    "document_texts",
    "documents",
    "get_series",
    "image",
    "image_data",
    "keep_image",
    "near",
    "places",
    "query",
    "query_body",
    "remember",
    "series",
    "series_points",
    "thumbnail",
]

_REMEMBER = ("name", "content_type", "dataset", "document_id", "session", "agent", "metadata", "options", "request_id")
_IMAGE = ("name", "caption", "dataset", "agent", "session", "metadata")


def remember(request: RememberRequest) -> Call[RememberResult]:
    """POST /v1/remember: JSON, or a form if there is a file to send."""
    if request.request_id is None:
        # So that a second try after a lost answer cannot start a second run.
        request = replace(request, request_id=new_id("req"))
    fields = {name: getattr(request, name) for name in _REMEMBER} | {"occurred_at": time_text(request.occurred_at)}
    fields |= {name: getattr(request, name) or None for name in ("web_search", "fetch_series")}
    fields["wait"] = None if request.wait == "ack" else request.wait
    read = partial(wire.record, RememberResult)
    call = Call(method="POST", path="/v1/remember", read=read, repeatable=True)
    if request.data is None:
        return replace(call, body=given(fields | {"text": request.text, "url": request.url}))
    return replace(call, form=_form(fields), part=Part(name="document", data=request.data))


def documents(asked: verbs.DocumentPage) -> Call[Page[Document]]:
    """GET /v1/documents."""
    return page_call(Document, "/v1/documents", asdict(asked))


def document(asked: verbs.OneDocument) -> Call[Document]:
    """GET /v1/documents/{id}."""
    return replace(read_call(Document, _document_path(asked.document_id)), query={"dataset": asked.dataset})


def document_texts(asked: verbs.TextPage) -> Call[Page[DocumentText]]:
    """GET /v1/documents/{id}/texts."""
    query = asdict(asked)
    return page_call(DocumentText, _document_path(query.pop("document_id")) + "/texts", query)


def query(asked: verbs.Query) -> Call[QueryResult]:
    """POST /v1/query. Not repeated: the first may still be answered, and put on record."""
    return Call(method="POST", path="/v1/query", body=query_body(asked), read=partial(wire.record, QueryResult))


def query_body(asked: verbs.Query) -> dict[str, Any]:
    """Return the body of a question."""
    body = {name: getattr(asked, name) for name in ("question", "dataset", "session", "limit", "options")}
    return given(body | {"as_of": time_text(asked.as_of), "filters": filters_json(asked.filters)})


def series(asked: verbs.SeriesPage) -> Call[Page[Series]]:
    """GET /v1/series."""
    return page_call(Series, "/v1/series", asdict(asked))


def get_series(series_id: str) -> Call[Series]:
    """GET /v1/series/{id}."""
    return read_call(Series, _series_path(series_id))


def series_points(asked: verbs.PointPage) -> Call[Page[Point]]:
    """GET /v1/series/{id}/points."""
    query = {"start": time_text(asked.start), "end": time_text(asked.end), "limit": asked.limit, "cursor": asked.cursor}
    return page_call(Point, _series_path(asked.series_id) + "/points", query)


def places(asked: verbs.PlacePage) -> Call[Page[Place]]:
    """GET /v1/places."""
    return page_call(Place, "/v1/places", asdict(asked))


def near(asked: verbs.Near) -> Call[tuple[NearPlace, ...]]:
    """GET /v1/places/near."""

    def read(body: Any) -> tuple[NearPlace, ...]:
        return tuple(wire.record(NearPlace, each) for each in body["data"])

    return Call(method="GET", path="/v1/places/near", query=given(asdict(asked)), read=read, repeatable=True)


def keep_image(request: ImageRequest) -> Call[Image]:
    """POST /v1/images, as a form. The same picture is kept once, so that it may be sent again."""
    fields = {name: getattr(request, name) for name in _IMAGE} | {"occurred_at": time_text(request.occurred_at)}
    return Call(
        method="POST",
        path="/v1/images",
        form=_form(fields),
        part=Part(name="image", data=request.data),
        read=partial(wire.record, Image),
        repeatable=True,
    )


def image(image_id: str) -> Call[Image]:
    """GET /v1/images/{id}."""
    return read_call(Image, _image_path(image_id))


def image_data(image_id: str) -> Call[tuple[str, bytes]]:
    """GET /v1/images/{id}/data."""
    return _octets(_image_path(image_id) + "/data")


def thumbnail(image_id: str) -> Call[tuple[str, bytes]]:
    """GET /v1/images/{id}/thumbnail."""
    return _octets(_image_path(image_id) + "/thumbnail")


def _octets(path: str) -> Call[tuple[str, bytes]]:
    def read(body: Any) -> tuple[str, bytes]:
        media_type, data = body
        return media_type, data

    return Call(method="GET", path=path, read=read, is_octets=True, repeatable=True)


def _document_path(document_id: str) -> str:
    return f"/v1/documents/{part(document_id)}"


def _series_path(series_id: str) -> str:
    return f"/v1/series/{part(series_id)}"


def _image_path(image_id: str) -> str:
    return f"/v1/images/{part(image_id)}"


def _form(fields: Mapping[str, Any]) -> dict[str, str]:
    return {name: value if isinstance(value, str) else json_text(value) for name, value in given(fields).items()}
