"""The verbs of knowledge: entities, statements, the graph, links between memories, merges."""

from __future__ import annotations

from dataclasses import dataclass

from mindlog.records import DEFAULT_DATASET
from mindlog.verbs.forms import Time, time_of
from mindlog.views import EntityRequest, GraphRequest, StatementRequest

__all__ = [
    "Decision",
    "Link",
    "Merge",
    "ProposalPage",
    "decide_proposal",
    "entities",
    "entity",
    "graph",
    "link",
    "links",
    "merge_entities",
    "proposals",
    "statement",
    "statements",
    "undo_proposal",
    "unlink",
    "unmerge_entity",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link between two memories. `weight` is of no matter where it is to be taken away."""

    memory_id: str
    target: str
    kind: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """An entity that is to be one with another."""

    entity_id: str
    into: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPage:
    """Which page of which merge proposals; status None for all."""

    dataset: str
    status: str | None
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is decided of a merge proposal."""

    proposal_id: str
    status: str  # the proposal's after it


def entities(
    dataset: str = DEFAULT_DATASET,
    *,
    name: str | None = None,
    kind: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> EntityRequest:
    """Return one page of the things that live memories name; `name` is the start of any of their names.

    Raises:
        DatasetNotFound: there is no such dataset.
        InvalidInput: the kind is not known, or another value is refused.
    """
    return EntityRequest(dataset=dataset, name=name, kind=kind, limit=limit, cursor=cursor)


def entity(entity_id: str) -> str:
    """Return one entity; of a merged one, the entity it is one with.

    Raises:
        EntityNotFound: there is none that a live memory names.
    """
    return entity_id


def statements(
    dataset: str = DEFAULT_DATASET,
    *,
    subject: str | None = None,
    object: str | None = None,  # noqa: A002 - what the statement calls it
    entity: str | None = None,
    predicate: str | None = None,
    memory_id: str | None = None,
    text: str | None = None,
    as_of: Time | None = None,
    known_at: Time | None = None,
    include_superseded: bool = False,
    limit: int = 50,
    cursor: str | None = None,
) -> StatementRequest:
    """Return one page of the statements that hold, newest first, with the words they rest on.

    `subject`, `object` and `entity` (either of both) are entity ids or names. `as_of`: what holds in the world at that
    instant; `known_at`: as the store believed then. `include_superseded` lists what has ended too.

    Raises:
        EntityNotFound: nothing has that id or name.
        DatasetNotFound: there is no such dataset.
        InvalidInput: a value is refused.
    """
    return StatementRequest(
        dataset=dataset,
        subject=subject,
        object=object,
        entity=entity,
        predicate=predicate,
        memory_id=memory_id,
        text=text,
        as_of=time_of(as_of),
        known_at=time_of(known_at),
        include_superseded=include_superseded,
        limit=limit,
        cursor=cursor,
    )


def statement(statement_id: str) -> str:
    """Return one statement, whether it holds now or did.

    Raises:
        StatementNotFound: there is none that a live memory carries.
    """
    return statement_id


def graph(
    entity: str,
    *,
    dataset: str = DEFAULT_DATASET,
    depth: int = 1,
    limit: int = 100,
    as_of: Time | None = None,
    known_at: Time | None = None,
    include_superseded: bool = False,
) -> GraphRequest:
    """Return the entities up to `depth` relations away from one (an id or a name), and the relations between them.

    `include_superseded`: those too that have ended; `status` tells. It goes without `as_of`.

    Raises:
        EntityNotFound: nothing has that id or name.
        InvalidInput: a value is refused.
    """
    return GraphRequest(
        entity=entity,
        dataset=dataset,
        depth=depth,
        limit=limit,
        as_of=time_of(as_of),
        known_at=time_of(known_at),
        include_superseded=include_superseded,
    )


def links(memory_id: str) -> str:
    """Return the links from and to a memory, strongest first.

    Raises:
        MemoryNotFound: there is none, or it is forgotten.
    """
    return memory_id


def link(memory_id: str, target: str, *, kind: str, weight: float = 1.0) -> Link:
    """Link two memories of one dataset; the same link again changes its weight, above 0 and at most 1.

    Raises:
        MemoryNotFound: one of them does not exist, or not in that dataset.
        InvalidInput: the kind is not known, or another value is refused.
    """
    return Link(memory_id=memory_id, target=target, kind=kind, weight=weight)


def unlink(memory_id: str, target: str, *, kind: str) -> Link:
    """Take a link away, whoever made it.

    Raises:
        LinkNotFound: there is none of that kind between them.
    """
    return Link(memory_id=memory_id, target=target, kind=kind)


def merge_entities(entity_id: str, into: str) -> Merge:
    """Make an entity one with another and return that; `unmerge_entity` takes it back.

    Raises:
        EntityNotFound: one of them does not exist, or they are of two datasets.
    """
    return Merge(entity_id=entity_id, into=into)


def unmerge_entity(entity_id: str) -> str:
    """Take the merge of an entity back and return it.

    Raises:
        EntityNotFound: there is none, or it was not merged.
    """
    return entity_id


def proposals(
    dataset: str = DEFAULT_DATASET, *, status: str | None = "open", limit: int = 50, cursor: str | None = None
) -> ProposalPage:
    """Return one page of the proposals to make one entity of two, newest first.

    `status` is `open`, `accepted`, `refused` or `undone` (its merge was taken back); None for all.
    """
    return ProposalPage(dataset=dataset, status=status, limit=limit, cursor=cursor)


def decide_proposal(proposal_id: str, *, accept: bool) -> Decision:
    """Accept a proposal, which merges its two entities, or refuse it; returns it.

    Raises:
        ProposalNotFound: there is none.
        Conflict: it is to be refused, and was accepted.
    """
    return Decision(proposal_id=proposal_id, status="accepted" if accept else "refused")


def undo_proposal(proposal_id: str) -> Decision:
    """Take the merge of an accepted proposal back and return it; it is not proposed again.

    Raises:
        ProposalNotFound: there is none.
        Conflict: it was not accepted, or other merges make the two one.
    """
    return Decision(proposal_id=proposal_id, status="undone")
