"""Reads texts with the offline tiers on a thread of its own, and remembers whom the last ones named.

The tiers compute in Python for milliseconds to seconds: on the event loop they would hold up every ack. One thread is
enough, since the interpreter lets one run at a time; spaCy is loaded there by the first text that needs it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from mindlog.errors import Closed
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import EntityKind, Extraction, Mention, Tier

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from mindlog.ids import MemoryId
    from mindlog.knowledge.extract.reading import OfflineReader
    from mindlog.records import Memory

__all__ = ["Reading"]

_REMEMBERED = 1024  # texts
_TAIL = 2000  # characters of an earlier text: who was named last is near its end
_NO_REFERENTS = frozenset({EntityKind.CONTACT, EntityKind.IDENTIFIER})


class Reading:
    """The offline reader behind its thread. Used on one event loop; end it with `aclose`."""

    def __init__(self, reader: OfflineReader) -> None:
        self._reader = reader
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="mindlog-reading")
        self._named: OrderedDict[MemoryId, tuple[Mention, ...]] = OrderedDict()

    @property
    def skipped(self) -> Mapping[Tier, str]:
        """Why an offline tier does not run."""
        return self._reader.skipped

    async def read(self, source: Source) -> Extraction:
        """Return what the tiers find in the text. `Closed` after `aclose`."""
        try:
            future = self._thread.submit(self._reader.read, source)
        except RuntimeError as exc:
            raise Closed("the reader is closed") from exc
        return await asyncio.wrap_future(future)

    async def named(self, memory: Memory, zone: tzinfo) -> tuple[Mention, ...]:
        """Return whom and what a memory names, the last first: remembered, or read out of the end of its text."""
        known = self._named.get(memory.id)
        if known is not None:
            return known
        source = Source(text=memory.text[-_TAIL:], occurred_at=memory.occurred_at, zone=zone, speaker=memory.agent)
        return self.remember(memory.id, await self.read(source))

    def remember(self, memory_id: MemoryId, extraction: Extraction) -> tuple[Mention, ...]:
        """Keep whom and what a text named, for the texts that follow it; returns it, the last first."""
        named = [mention for mention in extraction.mentions if mention.kind not in _NO_REFERENTS]
        named.sort(key=lambda mention: mention.spans[-1], reverse=True)
        self._named[memory_id] = tuple(named)
        self._named.move_to_end(memory_id)
        if len(self._named) > _REMEMBERED:
            self._named.popitem(last=False)
        return self._named[memory_id]

    async def aclose(self) -> None:
        """Finish the text under way and end the thread. Safe to call twice."""
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)
