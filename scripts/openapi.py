"""Writes the OpenAPI document that the admin UI's types are generated from: `python scripts/openapi.py FILE`."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from mindlog.api.app import create_app
from mindlog.engine import Engine
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder


async def _document() -> dict[str, object]:
    with tempfile.TemporaryDirectory() as directory:
        engine = await Engine.open(
            Settings(data=Path(directory), derive=False, remember=False), embedder=HashEmbedder()
        )
        try:
            return create_app(engine).openapi()
        finally:
            await engine.aclose()


if __name__ == "__main__":
    document = asyncio.run(_document())
    Path(sys.argv[1]).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
