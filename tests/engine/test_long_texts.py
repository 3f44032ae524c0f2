"""A text far beyond the model's window: stored whole, in windows, and its last sentence is found."""

from __future__ import annotations

import json
import random
from pathlib import Path

from mindlog.engine import Engine
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import found, hit_of, keep, keep_all, needs_model, opened, recall

LAST = "In the end the lighthouse keeper gave the pocket watch to his granddaughter Marit."
WORDS = [
    "harbour",
    "weather",
    "plank",
    "rope",
    "canvas",
    "barrel",
    "anchor",
    "winter",
    "meadow",
    "bridge",
    "market",
    "engine",
    "garden",
    "window",
    "paper",
    "stone",
]
DEMO = Path(__file__).parents[2] / "demo" / "lighthouse.jsonl"


def filler(size: int, seed: int) -> str:
    """Sentences of common words, `size` bytes."""
    dice = random.Random(seed)
    parts: list[str] = []
    length = 0
    while length < size:
        sentence = " ".join(dice.choices(WORDS, k=12)) + ". "
        parts.append(sentence[: size - length])
        length += len(parts[-1])
    return "".join(parts)


async def test_a_megabyte_is_stored_whole_and_its_last_sentence_is_found(tmp_path: Path) -> None:
    embedder = HashEmbedder(dimensions=32, window_words=512)
    text = filler((1 << 20) - len(LAST) - 1, 1) + " " + LAST
    assert len(text.encode()) == 1 << 20
    async with opened(tmp_path, embedder) as engine:
        await keep_all(engine, [filler(300, seed) for seed in range(2, 102)])
        memory_id = await keep(engine, text)
        assert (await engine.get(memory_id)).text == text
        hit = hit_of(await recall(engine, LAST), memory_id)
        assert hit.lanes["lexical"].rank == 1
        assert len(engine.store.vectors([hit.memory.id.slot])[hit.memory.id.slot]) > 200
        assert memory_id in await found(engine, "pocket watch", limit=5)
    async with opened(tmp_path, embedder) as engine:
        assert (await engine.get(memory_id)).text == text
        assert memory_id in await found(engine, "pocket watch", limit=5)


@needs_model
async def test_the_last_sentence_of_a_long_text_is_found_by_its_meaning(tmp_path: Path) -> None:
    turns = [json.loads(line)["text"] for line in DEMO.read_text(encoding="utf-8").splitlines()]
    others = [text for text in turns if not {"watch", "keeper"} & set(text.lower().replace(".", " ").split())]
    async with await Engine.open(Settings(data=tmp_path / "data")) as engine:
        await keep_all(engine, others[:60], allow_duplicates=True)
        memory_id = await keep(engine, " ".join(others[60:]) + " " + LAST)
        for cue in (
            "To whom did the lighthouse keeper leave his clock?",
            "Which relative received the keeper's watch?",
        ):
            assert hit_of(await recall(engine, cue), memory_id).lanes["semantic"].rank == 1
        assert memory_id in await found(engine, "Who got the pocket watch in the end?", limit=5)
