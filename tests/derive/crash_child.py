"""Writes a few memories, derives them, and kills itself at the n-th pass of a crash window, or after some milliseconds.

What earlier children left undone is derived too. It says "settled" and ends well if it gets that far.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

from mindlog.engine import Engine
from mindlog.records import EncodeRequest
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.faults import arm, kill

T = 1_700_000_000_000_000
MINUTE, DAY = 60_000_000, 86_400_000_000
CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Coimbra")
SISTERS = ("Anna", "Clara", "Beatriz")
SECONDS = 60.0  # a child lives no longer, whatever happens


def texts_of(loop: int) -> list[str]:
    """What is said in one conversation: a move, people, a pronoun, a quotation, likes, and nothing in particular."""
    sister = SISTERS[loop % len(SISTERS)]
    return [
        f"I live in {CITIES[loop % len(CITIES)]} near the old harbour.",
        f"My sister {sister} works at Acme Corp.",
        "She lives in Berlin.",
        f"You said in talk {loop}: My sister {SISTERS[(loop + 2) % len(SISTERS)]} works at Acme Corp.",
        f"I like green tea more than coffee, says note {loop}.",
        f"Well, and so it goes, for the {loop}th time.",
        f"Well, and so it goes, for the {loop}th time again.",
    ]


def requests_of(loop: int) -> list[EncodeRequest]:
    return [
        EncodeRequest(
            text=text,
            dataset="crash",
            agent="Ines",
            session=f"talk {loop}",
            occurred_at=T + loop * DAY + number * MINUTE,
            request_id=f"{loop}-{number}",
        )
        for number, text in enumerate(texts_of(loop))
    ]


def settings_of(directory: Path) -> Settings:
    return Settings(data=directory, classifier=False, derive_backoff_seconds=0.01)


def kill_at(window: str, passes: int) -> None:
    """Kill at the n-th pass of the window, or after so many milliseconds if it is called "any"."""
    left = [passes]

    def count() -> None:
        left[0] -= 1
        if left[0] <= 0:
            kill()

    if window == "any":
        threading.Timer(passes / 1000, kill).start()
    else:
        arm(window, count)


async def derived(engine: Engine, loops: int) -> None:
    """Write what of the first so many conversations was not yet written, in order, and wait until all of it is derived."""
    requests = [request for loop in range(loops) for request in requests_of(loop)]
    for request in requests:
        await engine.encode(request)
    ends = await asyncio.gather(*(engine.encode(replace(request, wait="derived")) for request in requests))
    assert not any(end.pending_stages for end in ends)


async def main(directory: str, loop: int, window: str, passes: int) -> None:
    kill_at(window, passes)
    async with await Engine.open(settings_of(Path(directory)), embedder=HashEmbedder()) as engine:
        await derived(engine, loop + 1)
        os.write(1, b"settled\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
