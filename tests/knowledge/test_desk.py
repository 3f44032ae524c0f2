"""What callers can ask of knowledge: pages, instants, graphs, links and merges; and nothing of what is not theirs."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from mindlog.access import LOCAL, Caller
from mindlog.clock import iso
from mindlog.errors import (
    Conflict,
    DatasetNotFound,
    EntityNotFound,
    Forbidden,
    InvalidCursor,
    InvalidInput,
    LinkNotFound,
    MemoryNotFound,
    MindlogError,
    ProposalNotFound,
    StatementNotFound,
)
from mindlog.ids import number_id
from mindlog.knowledge.desk import KnowledgeDesk
from mindlog.knowledge.extraction import SPEAKER, EntityKind
from mindlog.records import Scope
from mindlog.settings import Settings
from mindlog.views import Entity, EntityRequest, GraphRequest, Statement, StatementRequest
from tests.knowledge.graph import Graph, at, opened, said

S = SPEAKER
PERSON, PLACE, FIRM = EntityKind.PERSON, EntityKind.PLACE, EntityKind.ORGANIZATION
READER = Caller(scopes=frozenset({Scope.READ}), datasets=frozenset({"default"}))
STRANGER = Caller(scopes=frozenset(Scope), datasets=frozenset({"other"}))


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncGenerator[Graph]:
    async with opened(tmp_path / "data") as graph:
        await story(graph)
        yield graph


@pytest.fixture
def desk(graph: Graph) -> KnowledgeDesk:
    return KnowledgeDesk(graph.store, graph.clock, Settings(max_limit=100))


async def story(graph: Graph) -> None:
    await graph.say("I live in Bonn.", (S, "lives_in", "Bonn"), day="2024-03-01", kinds={"Bonn": PLACE})
    await graph.say("I live in Berlin.", (S, "lives_in", "Berlin"), day="2024-06-01", kinds={"Berlin": PLACE})
    text = "My friend Jonas works at Globex."
    await graph.say(
        text, ("Jonas", "friend_of", S), ("Jonas", "works_at", "Globex"), day="2024-04-01", kinds={"Globex": FIRM}
    )
    await graph.say("Globex is in Oslo.", ("Globex", "located_in", "Oslo"), kinds={"Globex": FIRM, "Oslo": PLACE})


async def texts(desk: KnowledgeDesk, **asked: Any) -> list[str]:
    return [each.text for each in (await desk.statements(StatementRequest(**asked))).data]


# -- statements ---------------------------------------------------------------------------------------------------------
async def test_statements_are_those_that_hold_now_newest_first(desk: KnowledgeDesk) -> None:
    assert await texts(desk, subject="user") == ["user lives in Berlin"]
    assert await texts(desk) == [
        "Globex located in Oslo".replace("located", "is located"),
        "Jonas works at Globex",
        "Jonas is friend of user",
        "user lives in Berlin",
    ]


async def test_a_statement_shows_its_words_its_times_and_what_ended_it(desk: KnowledgeDesk) -> None:
    page = await desk.statements(StatementRequest(subject="user", include_superseded=True))
    berlin, bonn = page.data
    assert (berlin.status, bonn.status) == ("current", "superseded")
    (validity,) = bonn.validities
    assert (validity.valid_from, validity.valid_to) == (at("2024-03-01"), at("2024-06-01"))
    assert validity.superseded_by == berlin.statement_id
    assert bonn.subject.name == "user"
    assert bonn.object is not None
    assert bonn.object.name == "Bonn"
    (evidence,) = bonn.evidence
    assert (evidence.quote, evidence.start, evidence.end) == ("I live in Bonn.", 0, 15)
    assert evidence.memory_id.startswith("mem_")
    assert bonn.confidence == 0.9
    assert await desk.statement(bonn.statement_id) == bonn


async def test_before_and_after_are_asked_for_by_the_instant(desk: KnowledgeDesk) -> None:
    for may in ("2024-05-01T00:00:00Z", "2024-05-01T02:00:00+02:00", at("2024-05-01"), str(at("2024-05-01"))):
        assert await texts(desk, subject="user", predicate="lives_in", as_of=may) == ["user lives in Bonn"]
    (statement,) = (await desk.statements(StatementRequest(subject="user", as_of="2024-05-01T00:00:00Z"))).data
    assert statement.status == "current"
    assert await texts(desk, subject="user", as_of="2023-01-01T00:00:00Z") == []


async def test_what_was_believed_is_asked_for_by_when_it_was_known(desk: KnowledgeDesk, graph: Graph) -> None:
    bonn, berlin = sorted((row for row in graph.rows(predicate="lives_in", current=False)), key=lambda row: row.id)
    learned = berlin.created_at
    july = "2024-07-01T00:00:00Z"
    assert await texts(desk, predicate="lives_in", as_of=july, known_at=learned - 1) == [bonn.text]
    assert await texts(desk, predicate="lives_in", as_of=july, known_at=iso(learned)) == [berlin.text]


async def test_a_time_without_a_zone_is_the_datasets_or_refused(desk: KnowledgeDesk, graph: Graph) -> None:
    with pytest.raises(InvalidInput) as refused:
        await desk.statements(StatementRequest(as_of="2024-05-01T00:00:00"))
    assert refused.value.field == "as_of"
    await graph.store.put_dataset("default", "Europe/Berlin")
    assert await texts(desk, subject="user", as_of="2024-05-01T00:00:00") == ["user lives in Bonn"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"as_of": "yesterday"}, "as_of"),
        ({"known_at": "2024-13-01T00:00:00Z"}, "known_at"),
        ({"as_of": 1 << 70}, "as_of"),
        ({"as_of": True}, "as_of"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"limit": True}, "limit"),
        ({"subject": ""}, "subject"),
        ({"entity": "ent_nonsense"}, "entity"),
        ({"memory_id": "mem_nonsense"}, "memory_id"),
        ({"text": "x" * 1001}, "text"),
        ({"as_of": 5, "include_superseded": True}, "include_superseded"),
        ({"cursor": "made-up"}, "cursor"),
    ],
)
async def test_what_cannot_be_asked_names_its_field(desk: KnowledgeDesk, asked: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await desk.statements(StatementRequest(**asked))
    assert refused.value.field == field


async def test_statements_are_narrowed_by_every_side(desk: KnowledgeDesk, graph: Graph) -> None:
    assert await texts(desk, object="Oslo") == ["Globex is located in Oslo"]
    assert await texts(desk, entity="GLOBEX") == ["Globex is located in Oslo", "Jonas works at Globex"]
    assert await texts(desk, entity=number_id("ent", graph.entities()["Jonas"].id), predicate="works_at") == [
        "Jonas works at Globex"
    ]
    assert await texts(desk, text="OSLO") == ["Globex is located in Oslo"]
    memory = graph.bench.get(graph.rows(text="Bonn", current=False)[0].evidence[0].slot)
    assert await texts(desk, memory_id=str(memory.id), include_superseded=True) == ["user lives in Bonn"]


async def test_pages_follow_each_other_and_a_cursor_fits_its_listing(desk: KnowledgeDesk) -> None:
    found: list[Statement] = []
    cursor = None
    for expected in (True, True, False):
        page = await desk.statements(StatementRequest(include_superseded=True, limit=2, cursor=cursor))
        found += page.data
        cursor = page.next_cursor
        assert page.has_more is expected
    assert len({each.statement_id for each in found}) == len(found) == 5
    first = await desk.statements(StatementRequest(limit=2))
    with pytest.raises(InvalidCursor):
        await desk.statements(StatementRequest(subject="user", cursor=first.next_cursor))


@pytest.mark.parametrize("side", ["subject", "object", "entity"])
async def test_a_name_or_id_nobody_has_is_not_found(desk: KnowledgeDesk, side: str) -> None:
    for given in ("Nobody", number_id("ent", 9999)):
        with pytest.raises(EntityNotFound) as missing:
            await desk.statements(StatementRequest(**{side: given}))
        assert missing.value.field == side


async def test_contradicted_future_and_ended_are_said(desk: KnowledgeDesk, graph: Graph) -> None:
    for town in ("Bonn", "Rome"):
        await graph.say(f"I was born in {town}.", (S, "born_in", town), kinds={town: PLACE})
    await graph.say("Jonas speaks Dutch.", ("Jonas", "speaks", "=Dutch"), valid_from=at("2030-01-01"))
    await graph.say(
        "Jonas plays chess.", ("Jonas", "plays", "=chess"), valid_from=at("2020-01-01"), valid_to=at("2021-01-01")
    )
    page = await desk.statements(StatementRequest(include_superseded=True))
    status = {each.text: each.status for each in page.data}
    assert status["user was born in Rome"] == "contradicted"
    assert status["Jonas speaks Dutch"] == "future"
    assert status["Jonas plays chess"] == "ended"
    rome = next(each for each in page.data if each.text == "user was born in Rome")
    assert len(rome.contradicts) == 1


# -- entities -----------------------------------------------------------------------------------------------------------
async def test_entities_are_listed_by_name_and_kind(desk: KnowledgeDesk) -> None:
    page = await desk.entities(EntityRequest())
    assert [each.name for each in page.data] == ["user", "Bonn", "Berlin", "Globex", "Jonas", "Oslo"]
    assert [each.name for each in (await desk.entities(EntityRequest(name="be"))).data] == ["Berlin"]
    assert [each.name for each in (await desk.entities(EntityRequest(kind="person"))).data] == ["user", "Jonas"]
    (globex,) = (await desk.entities(EntityRequest(name="GLOBEX"))).data
    assert (globex.memories, globex.statements, globex.kind, globex.dataset) == (2, 2, "organization", "default")
    alone = await desk.entity(globex.entity_id)
    assert {name: getattr(alone, name) for name in Entity.__dataclass_fields__} == asdict(globex)
    assert [(each.name, each.uses) for each in alone.names] == [("Globex", 2)]
    first = await desk.entities(EntityRequest(limit=4))
    rest = await desk.entities(EntityRequest(limit=4, cursor=first.next_cursor))
    assert [each.name for each in (*first.data, *rest.data)] == [each.name for each in page.data]
    assert (first.has_more, rest.has_more) == (True, False)


@pytest.mark.parametrize("asked", [{"kind": "thing"}, {"limit": 0}, {"name": ""}, {"name": 7}])
async def test_entities_of_no_kind_or_name_are_refused(desk: KnowledgeDesk, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        await desk.entities(EntityRequest(**asked))
    assert refused.value.field == next(iter(asked))


# -- graph --------------------------------------------------------------------------------------------------------------
async def test_the_graph_around_a_thing_grows_with_its_depth(desk: KnowledgeDesk) -> None:
    reached = {
        depth: [each.name for each in (await desk.graph(GraphRequest(entity="user", depth=depth))).entities]
        for depth in (1, 2, 3, 4)
    }
    assert reached[1] == ["user", "Jonas", "Berlin"]
    assert reached[2] == ["user", "Jonas", "Berlin", "Globex"]
    assert reached[3] == reached[4] == ["user", "Jonas", "Berlin", "Globex", "Oslo"]
    graph = await desk.graph(GraphRequest(entity="Globex"))
    assert {each.text for each in graph.relations} == {"Globex is located in Oslo", "Jonas works at Globex"}
    assert not graph.truncated


async def test_the_graph_is_of_its_instant_and_shows_what_holds_between_what_it_shows(
    desk: KnowledgeDesk, graph: Graph
) -> None:
    may = await desk.graph(GraphRequest(entity="user", as_of="2024-05-01T00:00:00Z"))
    assert [each.name for each in may.entities] == ["user", "Jonas", "Bonn"]
    await graph.say("Jonas loves Berlin.", ("Jonas", "likes", "Berlin"), kinds={"Berlin": PLACE})
    now = await desk.graph(GraphRequest(entity="user"))
    assert "Jonas likes Berlin" in {each.text for each in now.relations}


async def test_a_graph_that_is_cut_says_so(desk: KnowledgeDesk) -> None:
    graph = await desk.graph(GraphRequest(entity="user", depth=4, limit=2))
    assert [each.name for each in graph.entities] == ["user", "Jonas"]
    assert [each.text for each in graph.relations] == ["Jonas is friend of user"]
    assert graph.truncated


@pytest.mark.parametrize(
    ("asked", "field"),
    [({"depth": 5}, "depth"), ({"depth": 0}, "depth"), ({"limit": 501}, "limit"), ({"as_of": "x"}, "as_of")],
)
async def test_a_graph_out_of_bounds_names_its_field(desk: KnowledgeDesk, asked: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await desk.graph(GraphRequest(entity="user", **asked))
    assert refused.value.field == field


# -- links --------------------------------------------------------------------------------------------------------------
async def test_memories_are_linked_and_unlinked_by_hand(desk: KnowledgeDesk, graph: Graph) -> None:
    one, other = str(await graph.keep("one")), str(await graph.keep("other"))
    edge = await desk.link(one, other, "supports", weight=0.5)
    assert (edge.source, edge.target, edge.kind, edge.weight, edge.made_by) == (one, other, "supports", 0.5, "user")
    assert await desk.links(one) == await desk.links(other) == (edge,)
    await desk.unlink(one, other, "supports")
    assert await desk.links(one) == ()
    with pytest.raises(LinkNotFound):
        await desk.unlink(one, other, "supports")


async def test_what_cannot_be_linked_is_refused(desk: KnowledgeDesk, graph: Graph) -> None:
    one, far = str(await graph.keep("one")), str(await graph.keep("far", dataset="other"))
    for arguments, field in ((("likes",), "kind"), (("supports",), "target")):
        with pytest.raises(InvalidInput) as refused:
            await desk.link(one, one, *arguments)
        assert refused.value.field == field
    for weight in (0, 1.5, float("nan"), True, "much"):
        with pytest.raises(InvalidInput):
            await desk.link(one, one, "supports", weight=weight)  # type: ignore[arg-type]
    with pytest.raises(MemoryNotFound) as missing:
        await desk.link(one, far, "supports")
    assert missing.value.field == "target"


# -- merges -------------------------------------------------------------------------------------------------------------
async def test_entities_are_made_one_and_two_again(desk: KnowledgeDesk, graph: Graph) -> None:
    ids = {name: number_id("ent", row.id) for name, row in graph.entities().items()}
    merged = await desk.merge(ids["Oslo"], ids["Bonn"])
    assert (merged.entity_id, merged.name, merged.merged) == (ids["Bonn"], "Bonn", (ids["Oslo"],))
    assert set(merged.aliases) == {"Bonn", "Oslo"}
    assert await desk.entity(ids["Oslo"]) == merged
    assert await texts(desk, object="Bonn", text="Globex") == ["Globex is located in Oslo"]
    alone = await desk.unmerge(ids["Oslo"])
    assert (alone.entity_id, alone.name, alone.merged) == (ids["Oslo"], "Oslo", ())
    with pytest.raises(EntityNotFound):
        await desk.unmerge(ids["Oslo"])
    with pytest.raises(InvalidInput):
        await desk.merge(ids["Oslo"], ids["Oslo"])


async def test_proposals_are_decided_and_taken_back(desk: KnowledgeDesk, graph: Graph) -> None:
    for name in ("Alice Chen", "Alice C"):
        await graph.tell(f"{name} came.", extraction=said(f"{name} came.", kinds={name: PERSON}))
    (proposal,) = (await desk.proposals()).data
    assert (proposal.entity.name, proposal.other.name, proposal.status) == ("Alice Chen", "Alice C", "open")
    accepted = await desk.decide(proposal.proposal_id, "accepted")
    assert accepted.status == "accepted"
    assert (await desk.proposals()).data == ()
    assert set((await desk.entity(proposal.entity.entity_id)).aliases) == {"Alice Chen", "Alice C"}
    with pytest.raises(Conflict):
        await desk.decide(proposal.proposal_id, "refused")
    await desk.unmerge(proposal.other.entity_id)
    assert (await desk.entity(proposal.other.entity_id)).name == "Alice C"
    (undone,) = (await desk.proposals(status="undone")).data
    assert (undone.entity, undone.other) == (proposal.entity, proposal.other)
    await desk.decide(proposal.proposal_id, "accepted")
    assert (await desk.decide(proposal.proposal_id, "undone")).status == "undone"
    assert (await desk.entity(proposal.other.entity_id)).name == "Alice C"
    await graph.tell("Alice C went.", extraction=said("Alice C went.", kinds={"Alice C": PERSON}))
    assert [each.status for each in (await desk.proposals(status=None)).data] == ["undone"]
    with pytest.raises(ProposalNotFound):
        await desk.decide(number_id("prp", 99), "refused")
    with pytest.raises(InvalidInput):
        await desk.decide(proposal.proposal_id, "maybe")


# -- callers ------------------------------------------------------------------------------------------------------------
Ask = Callable[[KnowledgeDesk, dict[str, str], Caller], Awaitable[Any]]
BY_ID: dict[str, Ask] = {
    "entity": lambda desk, ids, caller: desk.entity(ids["entity"], caller=caller),
    "merge": lambda desk, ids, caller: desk.merge(ids["entity"], ids["other"], caller=caller),
    "unmerge": lambda desk, ids, caller: desk.unmerge(ids["entity"], caller=caller),
    "statement": lambda desk, ids, caller: desk.statement(ids["statement"], caller=caller),
    "links": lambda desk, ids, caller: desk.links(ids["memory"], caller=caller),
    "link": lambda desk, ids, caller: desk.link(ids["memory"], ids["memory"], "supports", caller=caller),
    "unlink": lambda desk, ids, caller: desk.unlink(ids["memory"], ids["memory"], "supports", caller=caller),
    "decide": lambda desk, ids, caller: desk.decide(ids["proposal"], "refused", caller=caller),
}
BY_DATASET: dict[str, Ask] = {
    "entities": lambda desk, ids, caller: desk.entities(EntityRequest(), caller=caller),
    "statements": lambda desk, ids, caller: desk.statements(StatementRequest(), caller=caller),
    "graph": lambda desk, ids, caller: desk.graph(GraphRequest(entity="user"), caller=caller),
    "proposals": lambda desk, ids, caller: desk.proposals(caller=caller),
}


async def ids_of(graph: Graph) -> dict[str, str]:
    for name in ("Alice Chen", "Alice C"):
        await graph.tell(f"{name} came.", extraction=said(f"{name} came.", kinds={name: PERSON}))
    entities = graph.entities()
    (row, *_) = graph.rows()
    return {
        "entity": number_id("ent", entities["Oslo"].id),
        "other": number_id("ent", entities["Bonn"].id),
        "statement": number_id("stm", row.id),
        "memory": str(graph.bench.get(row.evidence[0].slot).id),
        "proposal": number_id("prp", graph.proposals()[0].id),
    }


@pytest.mark.parametrize("verb", BY_ID)
async def test_another_datasets_id_does_not_exist(desk: KnowledgeDesk, graph: Graph, verb: str) -> None:
    ids = await ids_of(graph)
    with pytest.raises(MindlogError) as refused:
        await BY_ID[verb](desk, ids, STRANGER)
    assert refused.value.status == 404
    assert isinstance(refused.value, EntityNotFound | StatementNotFound | MemoryNotFound | ProposalNotFound)


@pytest.mark.parametrize("verb", BY_DATASET)
async def test_another_dataset_is_out_of_reach(desk: KnowledgeDesk, graph: Graph, verb: str) -> None:
    with pytest.raises(Forbidden):
        await BY_DATASET[verb](desk, {}, STRANGER)


@pytest.mark.parametrize("verb", ["merge", "unmerge", "link", "unlink", "decide"])
async def test_a_reader_changes_nothing(desk: KnowledgeDesk, graph: Graph, verb: str) -> None:
    with pytest.raises(Forbidden):
        await BY_ID[verb](desk, await ids_of(graph), READER)


@pytest.mark.parametrize("verb", [*BY_DATASET, "entity", "statement", "links"])
async def test_a_reader_reads(desk: KnowledgeDesk, graph: Graph, verb: str) -> None:
    assert await {**BY_ID, **BY_DATASET}[verb](desk, await ids_of(graph), READER) is not None


async def test_who_may_only_write_may_not_read(desk: KnowledgeDesk) -> None:
    with pytest.raises(Forbidden):
        await desk.entities(EntityRequest(), caller=Caller(scopes=frozenset({Scope.WRITE})))


async def test_a_dataset_that_is_not_there_is_not_found(desk: KnowledgeDesk) -> None:
    with pytest.raises(DatasetNotFound):
        await desk.entities(EntityRequest(dataset="nowhere"), caller=LOCAL)
