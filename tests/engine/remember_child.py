"""Takes a document in and reads it until a crash window ends the process; says on standard output what was acknowledged."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import mindlog.background
from mindlog.engine import Engine
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.faults import arm, kill
from mindlog.views import RememberRequest
from tests.engine.remembering import SMALL, document

PARTS = 20


async def main(directory: str, window: str) -> None:
    # Which places there are is not what this is about, and finding out takes ten seconds.
    mindlog.background.LazyGazetteer = lambda folder: lambda: None  # type: ignore[assignment, misc]
    settings = Settings(data=Path(directory), derive=False, classifier=False, **SMALL)  # type: ignore[arg-type]
    engine = await Engine.open(settings, embedder=HashEmbedder())
    if window != "after_ack":
        arm(window, kill)
    text = document(range(PARTS))
    ack = await engine.remember(RememberRequest(text=text, content_type="text/markdown", request_id="once"))
    os.write(1, f"{ack.remember_run_id}\n".encode())
    if window == "after_ack":
        kill()
    await asyncio.sleep(60)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
