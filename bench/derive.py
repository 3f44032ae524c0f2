"""derive: how many memories a second are derived without a language model, by patterns alone and with spaCy.

The floors are what no derivation can do without, bare and in the same run: reading the texts, and embedding the questions.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mindlog
from floor import embedding_rate
from material import sentences
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source
from mindlog.models.load import load_default
from mindlog.store.graphrows import QuestionRow
from report import Row, Run, main

TALKS = Path(__file__).parents[1] / "demo" / "lighthouse.jsonl"
BATCH = 500
EVERY = 2_000  # memories between two looks at the memory the process takes
SETTLE_SECONDS = 3600.0
LOOK_SECONDS = 0.05
SHORTEST_FLOOR = 400  # texts
_ENDS = re.compile(r"([.!?]+)(?=\s|$)")


@dataclass(frozen=True)
class Derived:
    """What one derivation of many memories took and left."""

    seconds: float
    processor: float
    resident: list[float]  # MiB, at the start and after every `EVERY`
    questions: list[str]
    counts: dict[str, int]


async def measure(run: Run) -> list[Row]:
    rows: list[Row] = []
    for name, classifier, count, least in (
        ("patterns", False, 400 if run.small else 20_000, 200.0),
        ("patterns and spaCy", True, 200 if run.small else 4_000, 60.0),
    ):
        reader = OfflineReader(classifier=classifier)
        if classifier and reader.skipped:
            print(f"{name}: not measured, {'; '.join(reader.skipped.values())}")
            continue
        rows += await _measured(run, name, reader, classifier, talks(count), least)
    return rows


async def _measured(
    run: Run, name: str, reader: OfflineReader, classifier: bool, items: list[dict[str, Any]], least: float
) -> list[Row]:
    directory = run.directory / name.replace(" ", "-")
    await keep(directory, items)
    sample = items[-SHORTEST_FLOOR:]
    _reading_rate(reader, sample[:20])  # the model is loaded, the words are known
    before = await asyncio.to_thread(_reading_rate, reader, sample)
    done = await derive(directory, classifier, len(items))
    after = await asyncio.to_thread(_reading_rate, reader, sample)
    count, title = len(items), f"derives, {name}"
    rate, reading = count / done.seconds, (before + after) / 2
    print(f"{title}: {done.counts}; resident MiB {', '.join(f'{each:.0f}' for each in done.resident)}")
    rows = [
        Row(
            name=f"{title}, {count:,} memories",
            value=rate,
            unit="/s",
            floor=reading,
            floor_is="reading alone",
            least=least,
        ),
        Row(name=f"{title}, processor time each", value=1000 * done.processor / count, unit="ms"),
        Row(name=f"{title}, memory grown over {count:,}", value=done.resident[-1] - done.resident[0], unit="MiB"),
    ]
    if done.questions:
        embedding = await _question_rate(done.questions)
        each = count / len(done.questions)
        of = f"embedding its {1 / each:.2f} questions each"
        rows.insert(
            1, Row(name=f"{title}, against the embedder", value=rate, unit="/s", floor=embedding * each, floor_is=of)
        )
    return rows


def talks(count: int) -> list[dict[str, Any]]:
    """So many memories: by turns one of the demo's talks, again and again in sessions of their own, and a made-up fact.

    No sentence occurs twice: what only repeats another memory would not be read.
    """
    lines = [json.loads(line) for line in TALKS.read_text(encoding="utf-8").splitlines()]
    facts = sentences(count // 2 + 1)
    items: list[dict[str, Any]] = []
    for number in range(count):
        half, is_fact = divmod(number, 2)
        turn, times = lines[half % len(lines)], half // len(lines)
        text = facts[half] if is_fact else _ENDS.sub(rf" in round {times}\1", turn["text"]) if times else turn["text"]
        items.append({**turn, "session": f"{turn['session']} {times}", "text": text})
    return items


async def keep(directory: Path, items: Sequence[dict[str, Any]]) -> None:
    """Keep the memories without deriving them."""
    async with mindlog.aopen(directory, derive=False) as db:
        for at in range(0, len(items), BATCH):
            outcomes = await db.encode_batch(items[at : at + BATCH])
            assert not any(isinstance(each, mindlog.MindlogError) for each in outcomes)
        assert await asyncio.to_thread(db.engine.indexes.settle, SETTLE_SECONDS)


async def derive(directory: Path, classifier: bool, count: int) -> Derived:
    """Derive all that waits in the directory; the clock runs from the opening of the engine, which begins at once."""
    resident = [_resident()]
    async with mindlog.aopen(directory, classifier=classifier) as db:
        start, cpu = time.perf_counter(), time.process_time()
        watch = asyncio.create_task(_watch(db, count, resident))
        assert await db.engine.settled(SETTLE_SECONDS)
        seconds, processor = time.perf_counter() - start, time.process_time() - cpu
        watch.cancel()
        resident.append(_resident())
        counts = dict(db.engine.store.run_counts().by_state)
        questions = await asyncio.to_thread(_questions, db, count)
    return Derived(seconds, processor, resident, questions, {state: n for state, n in counts.items() if n})


async def _watch(db: mindlog.AsyncMindlog, count: int, resident: list[float]) -> None:
    at = EVERY
    while at < count:
        await asyncio.sleep(LOOK_SECONDS)
        if count - db.engine.store.stats().pending_derivations >= at:
            resident.append(_resident())
            at += EVERY


def _questions(db: mindlog.AsyncMindlog, count: int) -> list[str]:
    found: list[QuestionRow] = []
    for at in range(1, count + BATCH, BATCH):
        found += db.engine.store.questions(range(at, at + BATCH))
    return [each.text for each in found]


def _reading_rate(reader: OfflineReader, items: Sequence[dict[str, Any]]) -> float:
    """Texts a second that the reader alone reads."""
    start = time.perf_counter()
    for item in items:
        reader.read(Source(text=item["text"], occurred_at=0, speaker=item["agent"]))
    return len(items) / (time.perf_counter() - start)


async def _question_rate(questions: Sequence[str]) -> float:
    """Questions a second that the embedder alone embeds, each as often as it was asked."""
    bare = load_default(cache_bytes=0)
    rate = await embedding_rate(bare, [f"{text} {number}" for number, text in enumerate(questions[:2_000])])
    await bare.aclose()
    return rate


def _resident() -> float:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main("derive", measure)
