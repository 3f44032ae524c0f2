"""The writes of the store's contract for remember. The operations are in the modules named; knows no SQL."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mindlog.ids import MemoryId
from mindlog.records import MemoryEdit, NewMemory
from mindlog.store import documentversion, rememberclaims, rememberend, rememberstages, rememberstart, textwrites
from mindlog.store.documentrows import (
    ClaimedRemember,
    KeptText,
    NewRemember,
    NewText,
    RememberStarted,
    TextKey,
    TextWrite,
)
from mindlog.store.runrows import RunEnd, StageCommit
from mindlog.store.runwrites import chunks_of
from mindlog.store.writes import Writes

__all__ = ["DocumentWrites"]

# The memories that a new version of a document drops are forgotten in transactions of this many.
_FORGET_CHUNK = 500


class DocumentWrites(Writes):
    """The writing half for remember; the methods are those of `DocumentStore`."""

    # -- runs -------------------------------------------------------------------------------------------------------
    async def start_remember(self, new: NewRemember) -> RememberStarted:
        """Commit document, source and run; `IdempotencyConflict` for a request id that came with something else."""
        return await self._write(rememberstart.start_remember, new)

    async def claim_remember(self, owner: str, lease_us: int, busy: Collection[int]) -> ClaimedRemember | None:
        """Take the oldest run that is due and the first of its dataset, and count the attempt."""
        return await self._write(rememberclaims.claim_remember, owner, lease_us, busy)

    async def renew_remember(self, owner: str, runs: Sequence[int], lease_us: int) -> list[int]:
        """Hold the runs longer; returns those still held."""
        return await self._write(rememberclaims.renew_remember, owner, runs, lease_us)

    async def release_remember(self, owner: str | None = None) -> int:
        """Make the owner's runs due at once, everybody's if None; returns how many."""
        return await self._write(rememberclaims.release_remember, owner)

    async def start_remember_stage(self, run: int, owner: str, stage: str, at: int) -> None:
        """Record that a stage has begun; nothing if the run is no longer held."""
        await self._write(rememberstages.start_remember_stage, run, owner, stage, at)

    async def commit_remember_stage(self, commit: StageCommit) -> int:
        """Commit how a stage ended; returns the LSN of its event. Raises `LeaseLost`."""
        return await self._write(rememberstages.commit_remember_stage, commit)

    async def end_remember(self, end: RunEnd) -> int | None:
        """End the attempt; returns the LSN of a final end. Raises `LeaseLost`."""
        return await self._write(rememberend.end_remember, end)

    async def retry_remember(self, runs: Sequence[int]) -> list[int]:
        """Start ended runs again, a few a transaction; returns those that were."""
        restarted: list[int] = []
        for chunk in chunks_of(sorted(runs, reverse=True)):
            restarted += await self._write(rememberclaims.retry_remember, chunk)
        return sorted(restarted)

    async def cancel_remember(self, runs: Sequence[int]) -> list[int]:
        """End open runs, a few a transaction; returns those that were."""
        cancelled: list[int] = []
        for chunk in chunks_of(runs):
            cancelled += await self._write(rememberend.cancel_remember, chunk)
        return cancelled

    # -- texts ------------------------------------------------------------------------------------------------------
    async def keep_text(self, owner: str, memory: NewMemory, text: NewText) -> KeptText:
        """Commit a text with a new memory. Raises `LeaseLost`."""
        return await self._write(textwrites.keep_text, owner, memory, text)

    async def revise_text(self, owner: str, edit: MemoryEdit, text: NewText) -> KeptText:
        """Commit a text with the next revision of a memory. Raises `LeaseLost`, `VersionConflict` or `MemoryNotFound`."""
        return await self._write(textwrites.revise_text, owner, edit, text)

    async def adopt_text(self, owner: str, memory_id: MemoryId, text: NewText, like: TextKey) -> KeptText:
        """Commit a text with a memory as it is. Raises `LeaseLost`, or `RevisionGone` if it is not as it was."""
        return await self._write(textwrites.adopt_text, owner, memory_id, text, like)

    async def set_chunks(self, run: int, owner: str, chunks: int) -> None:
        """Record how many chunks there are. Raises `LeaseLost`."""
        await self._write(documentversion.set_chunks, run, owner, chunks)

    async def switch_document(self, run: int, owner: str) -> int:
        """Make the run's texts the document's; forgets what only earlier runs have, some a transaction. Raises `LeaseLost`."""
        forgotten = 0
        while True:
            count = await self._write(documentversion.switch_document, run, owner, _FORGET_CHUNK)
            forgotten += count
            if count < _FORGET_CHUNK:
                return forgotten

    async def put_reading(self, owner: str, key: TextKey, reading: str, error: str | None) -> None:
        """Keep what a text says. Raises `LeaseLost`, or `InvalidInput` for a text that is not there."""
        await self._write(textwrites.put_reading, owner, key, reading, error)

    async def put_summary(self, owner: str, key: TextKey, summary: str, error: str | None = None) -> None:
        """Keep a text's summary. Raises `LeaseLost`, or `InvalidInput` for a text that is not there."""
        await self._write(textwrites.put_summary, owner, key, summary, error)

    async def store_text(self, write: TextWrite) -> dict[str, int]:
        """Commit what a text says; returns how many rows of each sort are new. Raises `LeaseLost` or `RevisionGone`."""
        return await self._write(textwrites.store_text, write)
