"""The writes of the store's contract for the graph."""

from __future__ import annotations

from mindlog.store import links, merges
from mindlog.store.graphrows import EdgeRow, GraphWrite, ProposalRow
from mindlog.store.graphwrite import write_graph
from mindlog.store.known import Known
from mindlog.store.writer import QuestionsListener, Writer
from mindlog.store.writes import Writes

__all__ = ["GraphWrites"]


class GraphWrites(Writes):
    """The writing half for knowledge; the methods are those of `GraphStore`."""

    _known: Known
    _writer: Writer

    def reserve_entities(self, count: int) -> range:
        """Hand out entity ids; from any thread."""
        return self._known.entities.take(count)

    def reserve_statements(self, count: int) -> range:
        """Hand out statement ids; from any thread."""
        return self._known.statements.take(count)

    async def write_graph(self, write: GraphWrite) -> int:
        """Apply a graph write outside a stage; returns the last LSN. `RevisionGone` if the memory is not as it was."""
        return await self._write(write_graph, write)

    async def merge_entities(self, dataset: int, entity: int, into: int, reason: str) -> int:
        """Make one entity of two; `EntityNotFound`, or `InvalidInput` if they are one."""
        return await self._write(merges.merge_entities, dataset, entity, into, reason)

    async def unmerge_entity(self, dataset: int, entity: int) -> int:
        """Take the last standing merge of the entity back; `EntityNotFound` if there is none."""
        return await self._write(merges.unmerge_entity, dataset, entity)

    async def decide_proposal(self, proposal: int, status: str) -> ProposalRow:
        """Accept or refuse a proposal, or take its merge back; `ProposalNotFound`, `Conflict`."""
        return await self._write(merges.decide_proposal, proposal, status)

    async def put_link(self, dataset: int, source: int, target: int, kind: str, weight: float) -> EdgeRow:
        """Link two live memories by hand; `MemoryNotFound`, or `InvalidInput` for what is no link."""
        return await self._write(links.put_link, dataset, source, target, kind, weight)

    async def delete_link(self, dataset: int, source: int, target: int, kind: str) -> bool:
        """Take a link away; whether there was one."""
        return await self._write(links.delete_link, dataset, source, target, kind)

    def on_questions(self, listener: QuestionsListener) -> None:
        """Call the listener on the writer's thread after every commit of questions and before its acks."""
        self._writer.question_listeners.append(listener)
