"""How the verbs of documents, questions, series, places and pictures become calls of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from mindlog import verbs
from mindlog.embedded.perform import filters_of, zone_of
from mindlog.engine import Engine
from mindlog.verbs.files import Upload
from mindlog.views import (
    AnswerPart,
    Document,
    DocumentText,
    Image,
    ImageRequest,
    NearPlace,
    Page,
    Place,
    Point,
    QueryRequest,
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
    "keep_image",
    "near",
    "places",
    "query",
    "query_stream",
    "remember",
    "series",
    "series_points",
]


async def remember(engine: Engine, asked: Upload[RememberRequest]) -> RememberResult:
    """Remember a document."""
    return await engine.remember(await asyncio.to_thread(asked.read, engine.settings.max_document_bytes))


async def documents(engine: Engine, asked: verbs.DocumentPage) -> Page[Document]:
    """List documents."""
    return await engine.documents(asked.dataset, limit=asked.limit, cursor=asked.cursor)


async def document(engine: Engine, asked: verbs.OneDocument) -> Document:
    """Return one document."""
    return await engine.document(asked.document_id, asked.dataset)


async def document_texts(engine: Engine, asked: verbs.TextPage) -> Page[DocumentText]:
    """List a document's texts."""
    return await engine.document_texts(asked.document_id, asked.dataset, limit=asked.limit, cursor=asked.cursor)


async def query(engine: Engine, asked: verbs.Query) -> QueryResult:
    """Answer a question."""
    return await engine.query(_request(engine, asked))


async def query_stream(engine: Engine, asked: verbs.Query) -> AsyncGenerator[AnswerPart]:
    """Yield the parts of an answer as they come."""
    parts = engine.query_stream(_request(engine, asked))
    try:
        async for part in parts:
            yield part
    finally:
        await parts.aclose()


async def series(engine: Engine, asked: verbs.SeriesPage) -> Page[Series]:
    """List series."""
    return await engine.knowledge.series(
        asked.dataset, entity=asked.entity, text=asked.text, limit=asked.limit, cursor=asked.cursor
    )


async def get_series(engine: Engine, series_id: str) -> Series:
    """Return one series."""
    return await engine.knowledge.one_series(series_id)


async def series_points(engine: Engine, asked: verbs.PointPage) -> Page[Point]:
    """List a series' points."""
    return await engine.knowledge.series_points(
        asked.series_id, start=asked.start, end=asked.end, limit=asked.limit, cursor=asked.cursor
    )


async def places(engine: Engine, asked: verbs.PlacePage) -> Page[Place]:
    """List places."""
    return await engine.knowledge.places(asked.dataset, limit=asked.limit, cursor=asked.cursor)


async def near(engine: Engine, asked: verbs.Near) -> tuple[NearPlace, ...]:
    """Return what is near a point."""
    return await engine.knowledge.near(asked.dataset, asked.lat, asked.lon, asked.km, limit=asked.limit)


async def keep_image(engine: Engine, asked: Upload[ImageRequest]) -> Image:
    """Keep a picture."""
    return await engine.keep_image(await asyncio.to_thread(asked.read, engine.settings.max_image_bytes))


def _request(engine: Engine, asked: verbs.Query) -> QueryRequest:
    return QueryRequest(
        question=asked.question,
        dataset=asked.dataset,
        session=asked.session,
        as_of=asked.as_of,
        limit=asked.limit,
        filters=filters_of(asked.filters, zone_of(engine, asked.dataset)),
        options=asked.options,
    )
