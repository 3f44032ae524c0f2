"""RECONCILE: what one text says meets what is known. Entities are resolved, statements added, confirmed, ended or contradicted.

The timeline of every group the text touches is computed anew from all live evidence, so the order in which memories come
does not matter, and doing it twice changes nothing: a memory's own earlier words count as replaced. Whoever runs the
steps holds the dataset's lock from before the first until what the last delivers is committed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mindlog.knowledge.changes import Groups, Revision, Told, counts, graph_write, tell, timelines
from mindlog.knowledge.doubts import NEAR, Near, decide, doubts, once, share_bonds
from mindlog.knowledge.extraction import SPEAKER, Rejection
from mindlog.knowledge.resolve import Resolved, resolve_exact
from mindlog.knowledge.stated import of_the_web, stated
from mindlog.knowledge.touched import load_groups
from mindlog.knowledge.undecided import settle_names, settle_order
from mindlog.pipeline import Stage, Steps
from mindlog.store.graphrows import GraphWrite, StatementQuery, Timeline

if TYPE_CHECKING:
    from mindlog.knowledge.extraction import Extraction
    from mindlog.knowledge.namevectors import NameVectors
    from mindlog.models.embedder import Embedder
    from mindlog.models.llm import LLM
    from mindlog.records import Dataset
    from mindlog.store.base import Store

__all__ = ["RECONCILE", "ReconcileJob", "load_candidates", "resolve_edges", "store"]

_NEAREST = 5  # names of nearly the same meaning that are looked at
_STATEMENTS = 10_000  # most statements one memory had before
_SMALL = 100  # statements whose timelines take about a millisecond


@dataclass(slots=True, kw_only=True)
class ReconcileJob:
    """One text on its way into the graph.

    trust: whose word it is; that of the web never ends what anybody else has said. names: the vectors of the dataset's
    names; without them nothing is proposed for its meaning. deliver: takes the write and returns when it is safe for the
    next one to go on. record: what was done, in numbers; with `judge_error`, why the model settled nothing.
    """

    store: Store
    embedder: Embedder
    dataset: Dataset
    slot: int
    version: int
    agent: str | None
    occurred_at: int
    text: str
    extraction: Extraction
    now: int
    deliver: Callable[[GraphWrite], Awaitable[None]]
    llm: LLM | None = None
    names: NameVectors | None = None
    trust: Literal["user", "web", "derived"] = "user"
    record: dict[str, Any] = field(default_factory=dict[str, Any])

    found: dict[str, Resolved] = field(default_factory=dict[str, Resolved])
    groups: Groups = field(default_factory=dict)
    before: frozenset[int] = frozenset()  # the statements it has made so far
    told: Sequence[Told] = ()
    write: GraphWrite | None = None

    def __post_init__(self) -> None:
        """Leave out of a web text what it cannot say."""
        if self.trust == "web":
            # "I" on a page is nobody who is known here; and a stranger's words persuade no model of who is who.
            claims = tuple(each for each in self.extraction.claims if SPEAKER not in (each.subject, each.object))
            self.count("rejected.nobody", len(self.extraction.claims) - len(claims))
            self.extraction = replace(self.extraction, claims=claims)
            self.llm = None

    @property
    def revision(self) -> Revision:
        """The memory that says it all."""
        return Revision(dataset=self.dataset.number, slot=self.slot, version=self.version, occurred_at=self.occurred_at)

    def count(self, what: str, number: int = 1) -> None:
        """Add to a number of the record."""
        self.record[what] = self.record.get(what, 0) + number


async def load_candidates(job: ReconcileJob) -> None:
    """Find the entities the text means or may mean, and what is known of the groups its claims touch."""
    job.found = await asyncio.to_thread(
        resolve_exact, job.store, job.dataset.number, job.text, job.extraction, job.agent
    )
    unknown = [each for each in once(job.found.values()) if each.is_open]
    embeddings = await job.embedder.embed([each.named.name for each in unknown]) if unknown else []
    for each, embedding in zip(unknown, embeddings, strict=True):
        each.vector = embedding.vectors[0]
    await asyncio.to_thread(_load, job, unknown)


def _load(job: ReconcileJob, unknown: Sequence[Resolved]) -> None:
    dataset = job.dataset.number
    doubts(job.store, dataset, job.found.values(), _near(job, unknown))
    if job.trust != "web":  # its words make nobody one with another
        share_bonds(job.store, dataset, job.found, job.extraction.claims, job.now)
    decide(job.found.values())
    query = StatementQuery(dataset=dataset, now=job.now, slot=job.slot, current=False, limit=_STATEMENTS)
    before = job.store.statements(query)
    job.before = frozenset(row.id for row in before)
    job.groups = load_groups(job.store, dataset, job.found, job.extraction.claims, before)


def _near(job: ReconcileJob, unknown: Sequence[Resolved]) -> dict[int, Near]:
    if not unknown:
        return {}
    vectors = np.stack([each.vector for each in unknown if each.vector is not None])
    near = None if job.names is None else job.names.near(job.store, job.dataset.number, vectors, NEAR, _NEAREST)
    if near is None:
        job.count("vectors_skipped", len(unknown))
        return {}
    return {id(each): found for each, found in zip(unknown, near, strict=True)}


async def resolve_edges(job: ReconcileJob) -> None:
    """Decide what every claim is: a new statement, more evidence for a known one, its end or its contradiction."""
    await settle_names(job)
    new = [each for each in once(job.found.values()) if each.row is None or each.is_merged]
    for each, number in zip(new, job.store.reserve_entities(len(new)) if new else (), strict=True):
        each.new = number
    rejected: Counter[Rejection] = Counter()
    said = stated(job.extraction.claims, job.found, job.occurred_at, rejected)
    if job.trust == "web":
        of_the_web(said)
    for reason, number in rejected.items():
        job.count(f"rejected.{reason}", number)
    job.told = tell(said, job.groups, job.store.reserve_statements)
    changed = await _timelines(job)
    if await settle_order(job, job.told, changed):
        changed = await _timelines(job)
    job.write = graph_write(job.found.values(), job.told, changed, job.revision)


async def _timelines(job: ReconcileJob) -> Sequence[Timeline]:
    """Compute what is believed of the touched groups from now on; of large ones beside the event loop."""
    known = job.told, job.groups, job.before, job.revision
    if sum(map(len, job.groups.values())) <= _SMALL:
        return timelines(*known)
    return await asyncio.to_thread(timelines, *known)


async def store(job: ReconcileJob) -> None:
    """Deliver everything as one write."""
    assert job.write is not None  # resolve_edges has made it
    for what, number in counts(job.found.values(), job.told, job.write, job.revision).items():
        job.count(what, number)
    await job.deliver(job.write)


RECONCILE: Steps[ReconcileJob] = (
    Stage("load_candidates", load_candidates),
    Stage("resolve_edges", resolve_edges),
    Stage("store", store),
)
