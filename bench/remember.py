"""remember: a text of 200 pages without a language model, and what is held up by it: time, memory, the first chunk.

The text is the documentation of Python's language that every Python carries. The floor is what no reading can do without: embedding every
chunk and reading it with the offline tiers, bare and in the same run.
"""

from __future__ import annotations

import asyncio
import resource
import time
from pydoc_data.topics import topics

import mindlog
from floor import embedding_rate
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source
from mindlog.models.counting import token_counter
from mindlog.models.load import load_default
from mindlog.remember.chunk import chunks
from mindlog.remember.marks import ReadDocument, mark_text
from mindlog.settings import Settings
from report import Row, Run, main

WORDS = 60_000
FEW_WORDS = 3_000
LOOK_SECONDS = 0.02
LONGEST_SECONDS = 1800.0


def document(words: int) -> str:
    """Return a text of so many words: the topics by name, again from the first when they are at an end, each time under another part."""
    parts: list[str] = []
    count = number = 0
    while count < words:
        number += 1
        for name, text in sorted(topics.items()):
            parts.append(f"Part {number}: {name}\n\n{text}")
            count += len(text.split())
            if count >= words:
                break
    return "\n\n".join(parts)


async def measure(run: Run) -> list[Row]:
    text = document(FEW_WORDS if run.small else WORDS)
    floor = await _floor(text)
    async with await mindlog.aopen(run.directory / "data") as memory:
        await memory.encode("The engine is warm.", wait="derived")
        start = time.perf_counter()
        started = await memory.remember(text=text, document_id="python")
        acked = time.perf_counter() - start
        first = await _first_chunk(memory, start)
        while True:
            seen = await memory.run(started.remember_run_id)
            if seen.status != "started":
                break
            if time.perf_counter() - start > LONGEST_SECONDS:
                raise SystemExit("the run did not end")
            await asyncio.sleep(10 * LOOK_SECONDS)
        taken = time.perf_counter() - start
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        stages = ", ".join(
            f"{stage.name} {(stage.finished_at - stage.started_at) / 1e6:.1f} s"
            for stage in seen.stages
            if stage.started_at is not None and stage.finished_at is not None
        )
        print(f"{seen.status}, {len(text.split()):,} words, {seen.progress}; {stages}")
        if seen.status != "succeeded":
            raise SystemExit(f"the run ended as {seen.state}: {seen.error}")
    return [
        Row(name="remember, ack", value=acked, unit="s"),
        Row(name="first chunk can be recalled", value=first, unit="s", most=2.0),
        Row(
            name=f"remember, {len(text.split()):,} words",
            value=taken,
            unit="s",
            floor=floor,
            floor_is="embed and read alone",
            most=60.0,
        ),
        Row(name="most memory (RSS), interpreter and bench included", value=rss, unit="MiB", most=600.0),
    ]


async def _first_chunk(memory: mindlog.AsyncMindlog, start: float) -> float:
    while not any(hit.memory.document_id == "python" for hit in (await memory.recall("assert statement")).hits):
        if time.perf_counter() - start > LONGEST_SECONDS:
            raise SystemExit("no chunk came")
        await asyncio.sleep(LOOK_SECONDS)
    return time.perf_counter() - start


async def _floor(text: str) -> float:
    """Return the seconds of embedding and reading the chunks, one after the other as one core does them."""
    found = chunks(ReadDocument(None, "text", text, mark_text(text, "text")), token_counter(Settings()))
    reader = OfflineReader()
    texts = [chunk.text for chunk in found]
    reader.read(Source(text=texts[0], occurred_at=0))  # the model is loaded
    embedder = load_default()
    sample = texts[:: max(1, len(texts) // 100)]
    rate = await embedding_rate(embedder, sample)
    await embedder.aclose()
    start = time.perf_counter()
    for each in sample:
        reader.read(Source(text=each, occurred_at=0))
    return len(texts) / rate + (time.perf_counter() - start) * len(texts) / len(sample)


if __name__ == "__main__":
    main("remember", measure)
