"""What the checks of remember work with: documents, claims, texts and ends in a line each. Owns no check."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from mindlog.records import Memory
from mindlog.store.documentrows import (
    ClaimedRemember,
    KeptText,
    NewRemember,
    NewText,
    RememberRow,
    RememberStarted,
    TextKey,
    TextRow,
    TextWrite,
)
from mindlog.store.runrows import RunEnd
from mindlog.testing.conformance.bench import Bench, key_of
from mindlog.testing.conformance.knowing import Fact, Knowing
from mindlog.testing.conformance.work import LEASE_US, settle

__all__ = ["Papers", "document"]


def document(
    document_id: str = "doc_1", dataset: str = "default", *, request: tuple[str, str] | None = None, **facts: Any
) -> NewRemember:
    """Return a document ready to be remembered. `request` is a request id and what its parameters were."""
    new = NewRemember(
        dataset=dataset,
        document_id=document_id,
        title="On Anna",
        kind="text",
        name="anna.txt",
        url=None,
        characters=12,
        content=b"packed",
        params={"session": None, "occurred_at": 5},
        user="key_1",
        request_id=None if request is None else request[0],
        request_params=None if request is None else key_of(request[1]),
    )
    return replace(new, **facts)


@dataclass(slots=True)
class Papers:
    """Works on the documents of one open store as one owner."""

    bench: Bench
    owner: str = "w"
    knowing: Knowing = field(init=False)

    def __post_init__(self) -> None:
        """Know nothing yet."""
        self.knowing = Knowing(self.bench)

    async def start(self, document_id: str = "doc_1", dataset: str = "default", **facts: Any) -> RememberStarted:
        """Start a run."""
        return await self.bench.store.start_remember(document(document_id, dataset, **facts))

    async def claim(self, busy: tuple[int, ...] = (), lease_us: int = LEASE_US) -> ClaimedRemember | None:
        """Claim the next run; a lease of 0 is over at once."""
        return await self.bench.store.claim_remember(self.owner, lease_us, busy)

    async def begun(self, document_id: str = "doc_1", dataset: str = "default", **facts: Any) -> int:
        """Start a run and claim it, which must be the next; returns its number."""
        started = await self.start(document_id, dataset, **facts)
        claimed = await self.claim()
        assert claimed is not None
        assert claimed.id == started.run
        return claimed.id

    async def settle(self, run: int, stage: str, status: str = "succeeded", **facts: Any) -> int:
        """End a stage."""
        return await self.bench.store.commit_remember_stage(settle(run, stage, status, owner=self.owner, **facts))

    async def end(self, run: int, ended_as: str | None = "succeeded", **facts: Any) -> int | None:
        """End a run or its attempt."""
        return await self.bench.store.end_remember(RunEnd(run=run, owner=self.owner, ended_as=ended_as, **facts))

    def row(self, run: int) -> RememberRow:
        """Return the run's row, which must be there."""
        row = self.bench.store.remember_run(run)
        assert row is not None, f"there is no run {run}"
        return row

    # -- texts --------------------------------------------------------------------------------------------------------
    async def keep(self, run: int, position: int, words: str, origin: str = "chunk", **facts: Any) -> KeptText:
        """Keep a text with a new memory; `facts` are the text's."""
        text = NewText(key=TextKey(run=run, origin=origin, position=position), **facts)
        memory = self.bench.new(words, dedup=False, dataset=self.row(run).dataset)
        return await self.bench.store.keep_text(self.owner, memory, text)

    async def revise(self, run: int, position: int, memory: Memory, words: str) -> KeptText:
        """Keep a text with the next revision of a memory."""
        edit = self.bench.edit(memory, words, dedup_key=None)
        return await self.bench.store.revise_text(self.owner, edit, _chunk(run, position))

    async def adopt(self, run: int, position: int, like: TextRow) -> KeptText:
        """Keep a text with the memory of a text of an earlier run."""
        return await self.bench.store.adopt_text(self.owner, like.memory_id, _chunk(run, position), like.key)

    async def read(self, run: int, position: int, reading: str = "{}", error: str | None = None) -> None:
        """Keep what a chunk says."""
        await self.bench.store.put_reading(self.owner, _chunk(run, position).key, reading, error)

    async def store(self, run: int, position: int, *facts: Fact, **parts: Any) -> dict[str, int]:
        """Commit what a chunk says; without facts it says nothing. `parts`: of the write."""
        key = _chunk(run, position).key
        slot = self.text(run, position).memory_id.slot
        graph = self.knowing.write(slot, (), facts) if facts else None
        write = TextWrite(key=key, owner=self.owner, graph=graph)
        return dict(await self.bench.store.store_text(replace(write, **parts)))

    async def remembered(self, *words: str, document_id: str = "doc_1") -> int:
        """Remember a document of these chunks from start to end, every chunk stored; returns the run."""
        run = await self.begun(document_id)
        for position, each in enumerate(words):
            await self.keep(run, position, each)
        await self.bench.store.set_chunks(run, self.owner, len(words))
        await self.bench.store.switch_document(run, self.owner)
        for position in range(len(words)):
            await self.read(run, position)
            await self.store(run, position)
        await self.end(run)
        return run

    def text(self, run: int, position: int) -> TextRow:
        """Return a chunk with its reading; it must be there."""
        rows = self.bench.store.texts(run, "chunk", position - 1, 1, readings=True)
        assert [row.key.position for row in rows] == [position]
        return rows[0]

    def words(self, document_id: str = "doc_1") -> list[str]:
        """Return the texts that the document has now."""
        return [row.text for row in self.bench.store.document_texts(self.bench.number(), document_id)]


def _chunk(run: int, position: int) -> NewText:
    return NewText(key=TextKey(run=run, origin="chunk", position=position))
