"""The desk for knowledge: entities, statements, the graph around a thing, links between memories, merges.

Owns how requests become queries and pages. Every read runs in a thread.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from functools import partial

from mindlog.access import LOCAL, Caller
from mindlog.clock import Clock
from mindlog.cursor import check_limit, listing_tag, read_cursor, write_cursor
from mindlog.errors import (
    EntityNotFound,
    InvalidInput,
    LinkNotFound,
    MemoryNotFound,
    ProposalNotFound,
    StatementNotFound,
)
from mindlog.ids import parse_number_id
from mindlog.knowledge.around import around
from mindlog.knowledge.asking import Asking, instant
from mindlog.knowledge.extraction import EntityKind, name_key
from mindlog.knowledge.placesdesk import near_places, places_page
from mindlog.knowledge.seriesdesk import one_series, points_page, series_page
from mindlog.knowledge.shown import shown_detail, shown_edges, shown_entity, shown_proposal, shown_statements
from mindlog.records import DEFAULT_DATASET, Dataset, Scope
from mindlog.settings import Settings
from mindlog.store.base import Store
from mindlog.store.graphrows import EDGE_KINDS, EntityQuery, ProposalRow, StatementQuery
from mindlog.views import (
    Edge,
    Entity,
    EntityDetail,
    EntityRequest,
    Graph,
    GraphRequest,
    NearPlace,
    Page,
    Place,
    Point,
    Proposal,
    Series,
    Statement,
    StatementRequest,
)

__all__ = ["KnowledgeDesk"]

_MOST_ENTITIES = 500  # of one graph
_MOST_STEPS = 4
_MOST_TEXT = 1000  # characters of a filter
_DECISIONS = ("accepted", "refused", "undone")
_STATUSES = ("open", *_DECISIONS)
_BY_HAND = "by hand"


class KnowledgeDesk:
    """What callers can ask of knowledge and do with it. Another dataset's id is one that does not exist."""

    def __init__(self, store: Store, clock: Clock, settings: Settings) -> None:
        self._store = store
        self._clock = clock
        self._max_limit = settings.max_limit

    # -- entities -----------------------------------------------------------------------------------------------------
    async def entities(self, request: EntityRequest, *, caller: Caller = LOCAL) -> Page[Entity]:
        """Return a page of the entities of a dataset, those known longest first."""
        return await asyncio.to_thread(self._entities, request, Asking(self._store, caller, Scope.READ))

    async def entity(self, entity_id: str, *, caller: Caller = LOCAL) -> EntityDetail:
        """Return one entity, under its root if it was merged. `EntityNotFound`."""
        return await asyncio.to_thread(self._entity, entity_id, Asking(self._store, caller, Scope.READ))

    async def meant(self, entity: str, dataset: str, *, caller: Caller = LOCAL) -> tuple[int, ...]:
        """Return the numbers of the entities of the dataset that an id or a name stands for. `EntityNotFound`."""
        asking = Asking(self._store, caller, Scope.READ)
        return await asyncio.to_thread(lambda: asking.roots(asking.dataset(dataset), entity, "entity"))

    async def merge(self, entity_id: str, into: str, *, caller: Caller = LOCAL) -> EntityDetail:
        """Make one entity of two of one dataset and return it; `unmerge` takes it back. `EntityNotFound`."""
        asking = Asking(self._store, caller, Scope.WRITE)
        dataset, one = await asyncio.to_thread(asking.entity, entity_id)
        home, other = await asyncio.to_thread(asking.entity, into, "into")
        if home.number != dataset.number:
            raise EntityNotFound(f"into: there is no entity {into} in dataset {dataset.name!r}", field="into")
        await self._store.merge_entities(dataset.number, one.id, other.id, _BY_HAND)
        return await self.entity(into, caller=caller)

    async def unmerge(self, entity_id: str, *, caller: Caller = LOCAL) -> EntityDetail:
        """Take the last merge of an entity back and return it. `EntityNotFound` if it was not merged."""
        number = parse_number_id("ent", entity_id, "entity_id")
        dataset, _ = await asyncio.to_thread(Asking(self._store, caller, Scope.WRITE).entity, entity_id)
        await self._store.unmerge_entity(dataset.number, number)
        return await self.entity(entity_id, caller=caller)

    def _entity(self, entity_id: str, asking: Asking) -> EntityDetail:
        dataset, row = asking.entity(entity_id)
        return shown_detail(row, self._store.entity_names(dataset.number, row.id), dataset.name)

    def _entities(self, request: EntityRequest, asking: Asking) -> Page[Entity]:
        dataset = asking.dataset(request.dataset)
        limit = check_limit(request.limit, self._max_limit)
        if request.kind is not None and request.kind not in list(EntityKind):
            raise InvalidInput(f"kind: must be one of {', '.join(EntityKind)}", field="kind")
        tag = listing_tag("entities", replace(request, limit=0, cursor=None))
        query = EntityQuery(
            dataset=dataset.number,
            key=None if request.name is None else name_key(_filter(request.name, "name")),
            kind=request.kind,
            limit=limit + 1,  # one more tells whether there is a next page
            after_id=0 if request.cursor is None else read_cursor(request.cursor, tag),
        )
        rows = self._store.list_entities(query)
        cursor = write_cursor(tag, rows[limit - 1].id) if len(rows) > limit else None
        return Page(data=tuple(shown_entity(row, dataset.name) for row in rows[:limit]), next_cursor=cursor)

    # -- statements ---------------------------------------------------------------------------------------------------
    async def statements(self, request: StatementRequest, *, caller: Caller = LOCAL) -> Page[Statement]:
        """Return a page of statements, newest first: those that hold now, or at the instants asked for.

        `EntityNotFound` for a name or id nobody has, `InvalidInput` for a time that is none.
        """
        return await asyncio.to_thread(self._statements, request, Asking(self._store, caller, Scope.READ))

    async def statement(self, statement_id: str, *, caller: Caller = LOCAL) -> Statement:
        """Return one statement that is believed, whether it holds now or did. `StatementNotFound`."""
        return await asyncio.to_thread(self._statement, statement_id, Asking(self._store, caller, Scope.READ))

    def _statements(self, request: StatementRequest, asking: Asking) -> Page[Statement]:
        dataset = asking.dataset(request.dataset)
        limit = check_limit(request.limit, self._max_limit)
        tag = listing_tag("statements", replace(request, limit=0, cursor=None))
        query = self._query(request, dataset, asking)
        before = None if request.cursor is None else read_cursor(request.cursor, tag)
        rows = self._store.statements(replace(query, limit=limit + 1, before_id=before))
        cursor = write_cursor(tag, rows[limit - 1].id) if len(rows) > limit else None
        return Page(data=shown_statements(rows[:limit], self._store, _moment(query)), next_cursor=cursor)

    def _query(self, request: StatementRequest, dataset: Dataset, asking: Asking) -> StatementQuery:
        _check_superseded(request)
        sides = (("subject", request.subject), ("object", request.object), ("entity", request.entity))
        subjects, objects, either = (
            () if given is None else asking.roots(dataset, given, field) for field, given in sides
        )
        return StatementQuery(
            dataset=dataset.number,
            now=self._clock.now(),
            subjects=subjects,
            objects=objects,
            either=either,
            predicate=None if request.predicate is None else _filter(request.predicate, "predicate"),
            slot=None if request.memory_id is None else _slot(asking, request.memory_id, dataset),
            text=None if request.text is None else _filter(request.text, "text"),
            as_of=instant(request.as_of, "as_of", dataset),
            known_at=instant(request.known_at, "known_at", dataset),
            current=not request.include_superseded,
        )

    def _statement(self, statement_id: str, asking: Asking) -> Statement:
        number = parse_number_id("stm", statement_id, "statement_id")
        now = self._clock.now()
        for dataset in asking.datasets():
            query = StatementQuery(dataset=dataset.number, now=now, ids=(number,), current=False)
            for row in shown_statements(self._store.statements(query), self._store, now):
                return row
        raise StatementNotFound(f"statement_id: there is no statement {statement_id}", field="statement_id")

    # -- graph --------------------------------------------------------------------------------------------------------
    async def graph(self, request: GraphRequest, *, caller: Caller = LOCAL) -> Graph:
        """Return what is around an entity, and the relations that hold between what is shown, or did if the request asks for it."""
        return await asyncio.to_thread(self._graph, request, Asking(self._store, caller, Scope.READ))

    def _graph(self, request: GraphRequest, asking: Asking) -> Graph:
        dataset = asking.dataset(request.dataset)
        limit = check_limit(request.limit, _MOST_ENTITIES)
        steps = check_limit(request.depth, _MOST_STEPS, "depth")
        _check_superseded(request)
        query = StatementQuery(
            dataset=dataset.number,
            now=self._clock.now(),
            as_of=instant(request.as_of, "as_of", dataset),
            known_at=instant(request.known_at, "known_at", dataset),
            current=not request.include_superseded,
        )
        found = around(self._store, asking.roots(dataset, request.entity, "entity"), query, steps, limit)
        rows = self._store.entities(dataset.number, found.entities)
        seen = {row.id for row in rows}
        relations = [row for row in found.relations.values() if {row.subject, row.object} <= seen]
        return Graph(
            entities=tuple(shown_entity(row, dataset.name) for row in rows),
            relations=shown_statements(relations, self._store, _moment(query)),
            truncated=found.truncated,
        )

    # -- series and places --------------------------------------------------------------------------------------------
    async def series(
        self,
        dataset: str = DEFAULT_DATASET,
        *,
        entity: str | None = None,
        text: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        caller: Caller = LOCAL,
    ) -> Page[Series]:
        """Return a page of series, newest first; see `seriesdesk.series_page`."""
        asking = Asking(self._store, caller, Scope.READ)
        asked = partial(series_page, entity=entity, text=text, limit=limit, cursor=cursor, most=self._max_limit)
        return await asyncio.to_thread(asked, self._store, asking, dataset)

    async def one_series(self, series_id: str, *, caller: Caller = LOCAL) -> Series:
        """Return one series. `SeriesNotFound`."""
        asking = Asking(self._store, caller, Scope.READ)
        return await asyncio.to_thread(one_series, self._store, asking, series_id)

    async def series_points(
        self,
        series_id: str,
        *,
        start: str | int | None = None,
        end: str | int | None = None,
        limit: int = 500,
        cursor: str | None = None,
        caller: Caller = LOCAL,
    ) -> Page[Point]:
        """Return a page of the points of a series, oldest first; see `seriesdesk.points_page`."""
        asking = Asking(self._store, caller, Scope.READ)
        asked = partial(points_page, start=start, end=end, limit=limit, cursor=cursor, most=self._max_limit)
        return await asyncio.to_thread(asked, self._store, asking, series_id)

    async def places(
        self, dataset: str, *, limit: int = 50, cursor: str | None = None, caller: Caller = LOCAL
    ) -> Page[Place]:
        """Return a page of the places of a dataset; see `placesdesk.places_page`."""
        asking = Asking(self._store, caller, Scope.READ)
        return await asyncio.to_thread(
            lambda: places_page(self._store, asking, dataset, limit=limit, cursor=cursor, most=self._max_limit)
        )

    async def near(
        self,
        dataset: str,
        lat: float,
        lon: float,
        km: float,
        *,
        limit: int = 50,
        caller: Caller = LOCAL,
    ) -> tuple[NearPlace, ...]:
        """Return what is at most `km` kilometres from a point, nearest first; see `placesdesk.near_places`."""
        asking = Asking(self._store, caller, Scope.READ)
        asked = self._store, asking, dataset, lat, lon, km, limit, self._max_limit
        return await asyncio.to_thread(near_places, *asked)

    # -- links --------------------------------------------------------------------------------------------------------
    async def links(self, memory_id: str, *, caller: Caller = LOCAL) -> tuple[Edge, ...]:
        """Return the links from and to a memory, strongest first. `MemoryNotFound`."""
        memory = await asyncio.to_thread(Asking(self._store, caller, Scope.READ).memory, memory_id)
        return await asyncio.to_thread(lambda: shown_edges(self._store.edges([memory.id.slot]), self._store))

    async def link(
        self, memory_id: str, target: str, kind: str, *, weight: float = 1.0, caller: Caller = LOCAL
    ) -> Edge:
        """Link two memories of one dataset by hand; again with another weight changes it. `MemoryNotFound`."""
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("weight: must be a number", field="weight")
        if not 0 < weight <= 1:
            raise InvalidInput("weight: must be above 0 and at most 1", field="weight", limit=1)
        dataset, ends = await asyncio.to_thread(self._ends, memory_id, target, kind, caller)
        row = await self._store.put_link(dataset, *ends, kind, float(weight))
        (edge,) = await asyncio.to_thread(shown_edges, [row], self._store)
        return edge

    async def unlink(self, memory_id: str, target: str, kind: str, *, caller: Caller = LOCAL) -> None:
        """Take a link away, whoever made it. `LinkNotFound` if there is none."""
        dataset, ends = await asyncio.to_thread(self._ends, memory_id, target, kind, caller)
        if not await self._store.delete_link(dataset, *ends, kind):
            raise LinkNotFound(f"target: there is no link {kind} from {memory_id} to {target}", field="target")

    def _ends(self, memory_id: str, target: str, kind: str, caller: Caller) -> tuple[int, tuple[int, int]]:
        if kind not in EDGE_KINDS:
            raise InvalidInput(f"kind: must be one of {', '.join(EDGE_KINDS)}", field="kind")
        asking = Asking(self._store, caller, Scope.WRITE)
        source, other = asking.memory(memory_id), asking.memory(target, "target")
        if source.id.slot == other.id.slot:
            raise InvalidInput("target: a memory is not linked to itself", field="target")
        if source.dataset != other.dataset:
            raise MemoryNotFound(f"target: there is no memory {target} in dataset {source.dataset!r}", field="target")
        return asking.dataset(source.dataset).number, (source.id.slot, other.id.slot)

    # -- proposals ----------------------------------------------------------------------------------------------------
    async def proposals(
        self,
        dataset: str = DEFAULT_DATASET,
        *,
        status: str | None = "open",
        limit: int = 50,
        cursor: str | None = None,
        caller: Caller = LOCAL,
    ) -> Page[Proposal]:
        """Return a page of merge proposals, newest first; status None for all."""
        asking = Asking(self._store, caller, Scope.READ)
        return await asyncio.to_thread(self._proposals, dataset, status, limit, cursor, asking)

    async def decide(self, proposal_id: str, status: str, *, caller: Caller = LOCAL) -> Proposal:
        """Accept a proposal, which merges `other` into `entity`, refuse it, or take its merge back (undone).

        `ProposalNotFound`; `Conflict` for refusing what is one, and for undoing what was not accepted or what other merges make one.
        """
        if status not in _DECISIONS:
            raise InvalidInput(f"status: must be one of {', '.join(_DECISIONS)}", field="status")
        number = parse_number_id("prp", proposal_id, "proposal_id")
        asking = Asking(self._store, caller, Scope.WRITE)
        dataset = await asyncio.to_thread(self._home_of, number, asking)
        if dataset is None:
            raise ProposalNotFound(f"proposal_id: there is no proposal {proposal_id}", field="proposal_id")
        return shown_proposal(await self._store.decide_proposal(number, status), dataset.name)

    def _proposals(
        self, name: str, status: str | None, limit: int, cursor: str | None, asking: Asking
    ) -> Page[Proposal]:
        dataset = asking.dataset(name)
        check_limit(limit, self._max_limit)
        if status is not None and status not in _STATUSES:
            raise InvalidInput(f"status: must be one of {', '.join(_STATUSES)}", field="status")
        tag = listing_tag("proposals", dataset.number, status)
        before = None if cursor is None else read_cursor(cursor, tag)
        rows = self._store.proposals(dataset.number, status, limit + 1, before)
        following = write_cursor(tag, rows[limit - 1].id) if len(rows) > limit else None
        return Page(data=tuple(shown_proposal(row, dataset.name) for row in rows[:limit]), next_cursor=following)

    def _home_of(self, proposal: int, asking: Asking) -> Dataset | None:
        for dataset in asking.datasets():
            rows: list[ProposalRow] = self._store.proposals(dataset.number, None, 1, proposal + 1)
            if rows and rows[0].id == proposal:
                return dataset
        return None


def _moment(query: StatementQuery) -> int:
    """Return the instant of the world that a query asks about."""
    return next(at for at in (query.as_of, query.known_at, query.now) if at is not None)


def _check_superseded(request: StatementRequest | GraphRequest) -> None:
    if request.as_of is not None and request.include_superseded:
        raise InvalidInput("include_superseded: as_of asks for one instant", field="include_superseded")


def _slot(asking: Asking, memory_id: str, dataset: Dataset) -> int:
    memory = asking.memory(memory_id)
    if memory.dataset != dataset.name:
        raise MemoryNotFound(
            f"memory_id: there is no memory {memory_id} in dataset {dataset.name!r}", field="memory_id"
        )
    return memory.id.slot


def _filter(text: str, field: str) -> str:
    if not isinstance(text, str) or not 1 <= len(text) <= _MOST_TEXT:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"{field}: must be a text of 1 to {_MOST_TEXT} characters", field=field, limit=_MOST_TEXT)
    return text
