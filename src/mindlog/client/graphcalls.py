"""Each verb of knowledge as one HTTP call. Knows no HTTP library."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

from mindlog import verbs, wire
from mindlog.client.calls import Call, given, memory_path, page_call, part, read_call, time_text
from mindlog.views import (
    Edge,
    Entity,
    EntityDetail,
    EntityRequest,
    Graph,
    GraphRequest,
    Page,
    Proposal,
    Statement,
    StatementRequest,
)

__all__ = [
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
    "unlink",
    "unmerge_entity",
]


def entities(asked: EntityRequest) -> Call[Page[Entity]]:
    """GET /v1/entities."""
    return page_call(Entity, "/v1/entities", asdict(asked))


def entity(entity_id: str) -> Call[EntityDetail]:
    """GET /v1/entities/{id}."""
    return read_call(EntityDetail, f"/v1/entities/{part(entity_id)}")


def merge_entities(asked: verbs.Merge) -> Call[EntityDetail]:
    """POST /v1/entities/{id}/merge."""
    path = f"/v1/entities/{part(asked.entity_id)}/merge"
    return Call(method="POST", path=path, body={"into": asked.into}, read=partial(wire.record, EntityDetail))


def unmerge_entity(entity_id: str) -> Call[EntityDetail]:
    """POST /v1/entities/{id}/unmerge."""
    return Call(method="POST", path=f"/v1/entities/{part(entity_id)}/unmerge", read=partial(wire.record, EntityDetail))


def statements(asked: StatementRequest) -> Call[Page[Statement]]:
    """GET /v1/statements."""
    return page_call(Statement, "/v1/statements", _of_time(asked))


def statement(statement_id: str) -> Call[Statement]:
    """GET /v1/statements/{id}."""
    return read_call(Statement, f"/v1/statements/{part(statement_id)}")


def graph(asked: GraphRequest) -> Call[Graph]:
    """GET /v1/graph."""
    query = given(_of_time(asked))
    return Call(method="GET", path="/v1/graph", query=query, read=partial(wire.record, Graph), repeatable=True)


def links(memory_id: str) -> Call[list[Edge]]:
    """GET /v1/memories/{id}/links."""

    def read(body: Any) -> list[Edge]:
        return [wire.record(Edge, each) for each in body["data"]]

    return Call(method="GET", path=memory_path(memory_id) + "/links", read=read, repeatable=True)


def link(asked: verbs.Link) -> Call[Edge]:
    """POST /v1/memories/{id}/links."""
    body = {"target": asked.target, "kind": asked.kind, "weight": asked.weight}
    path = memory_path(asked.memory_id) + "/links"
    return Call(method="POST", path=path, body=body, read=partial(wire.record, Edge), repeatable=True)


def unlink(asked: verbs.Link) -> Call[None]:
    """DELETE /v1/memories/{id}/links."""

    def read(body: Any) -> None:
        """There is none."""

    query = {"target": asked.target, "kind": asked.kind}
    return Call(method="DELETE", path=memory_path(asked.memory_id) + "/links", query=query, read=read)


def proposals(asked: verbs.ProposalPage) -> Call[Page[Proposal]]:
    """GET /v1/proposals."""
    return page_call(Proposal, "/v1/proposals", asdict(asked) | {"status": asked.status or "all"})


def decide_proposal(asked: verbs.Decision) -> Call[Proposal]:
    """POST /v1/proposals/{id}."""
    path = f"/v1/proposals/{part(asked.proposal_id)}"
    return Call(method="POST", path=path, body={"decision": asked.status}, read=partial(wire.record, Proposal))


def _of_time(asked: StatementRequest | GraphRequest) -> dict[str, Any]:
    times = {"as_of": time_text(asked.as_of), "known_at": time_text(asked.known_at)}
    return asdict(asked) | times | {"include_superseded": "true" if asked.include_superseded else None}
