"""derive_ack: whether an ack takes longer while memories are derived and the language model hangs, than with derivation off.

Both engines are open at once and asked in alternating blocks, so that a noisy moment hits both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import mindlog
from floor import percentile
from material import sentences
from mindlog.testing.llm_answers import hang
from mindlog.testing.llm_server import FakeLLM
from report import Row, Run, main

BLOCK = 50  # writes
WARM_UP = 1  # blocks
MOST = 1.3
# Longer than the bench: nothing is given up, nothing is paused.
LLM_SECONDS = 3600.0


async def measure(run: Run) -> list[Row]:
    blocks = 4 if run.small else 40
    texts = sentences(2 * BLOCK * (blocks + WARM_UP))
    with FakeLLM(lambda _: hang()) as server:
        async with (
            mindlog.aopen(run.directory / "off", derive=False) as off,
            mindlog.aopen(run.directory / "on", **_hanging(server)) as on,
        ):
            await on.encode("My friend Ana lives in Oslo.")
            assert await asyncio.to_thread(server.wait_for, 1, timeout=60.0)
            took = await _in_blocks((off, on), texts)
            waiting = on.engine.store.stats().pending_derivations
            assert not server.gone, "the model was given up"
    print(f"{waiting:,} memories wait behind {len(server.requests)} calls that hang")
    without, with_ = ([s for block in each[WARM_UP:] for s in block] for each in took)
    return [_row(percent, with_, without) for percent in (50, 99)]


def _hanging(server: FakeLLM) -> dict[str, Any]:
    return {
        "llm": "openai",
        "llm_url": server.url,
        "llm_model": "fake-model",
        "llm_api_key": "any",
        "llm_timeout": LLM_SECONDS,
    }


async def _in_blocks(engines: Sequence[mindlog.AsyncMindlog], texts: Sequence[str]) -> list[list[list[float]]]:
    """Seconds of every ack, by engine and block; who begins changes with every round."""
    took: list[list[list[float]]] = [[] for _ in engines]
    parts = [texts[at : at + BLOCK] for at in range(0, len(texts), BLOCK)]
    for number in range(0, len(parts), len(engines)):
        places = range(len(engines)) if number % 4 else reversed(range(len(engines)))
        for place in places:
            took[place].append(await _block(engines[place], parts[number + place]))
    return took


async def _block(db: mindlog.AsyncMindlog, texts: Sequence[str]) -> list[float]:
    took: list[float] = []
    for text in texts:
        start = time.perf_counter()
        await db.encode(text)
        took.append(time.perf_counter() - start)
    return took


def _row(percent: int, with_: list[float], without: list[float]) -> Row:
    value, floor = (1000 * percentile(each, percent) for each in (with_, without))
    return Row(
        name=f"ack, text, deriving and the model hangs, p{percent}",
        value=value,
        unit="ms",
        floor=floor,
        floor_is="derivation off",
        most=MOST,
        by_ratio=True,
    )


if __name__ == "__main__":
    main("derive_ack", measure)
