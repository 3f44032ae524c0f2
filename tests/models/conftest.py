from collections.abc import AsyncIterator

import pytest_asyncio

from mindlog.models.catalog import DEFAULT_FOLDER
from mindlog.models.onnx_embedder import OnnxEmbedder


@pytest_asyncio.fixture
async def embedder() -> AsyncIterator[OnnxEmbedder]:
    opened = OnnxEmbedder.open(DEFAULT_FOLDER)
    yield opened
    await opened.aclose()
