"""Which entity a name means: what is sure is made, what is likely is proposed, what is different stays apart."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mindlog.ids import MemoryId
from mindlog.knowledge.extraction import SPEAKER, EntityKind, Mention, Span, Tier
from mindlog.knowledge.named import things
from mindlog.knowledge.namevectors import NameVectors
from mindlog.knowledge.naming import Likeness, can_be_one, likeness, may_be_misspelt, name_words, title_before
from mindlog.models.embedder import EmbedKind, TextEmbedding
from mindlog.testing.fakes import HashEmbedder
from tests.knowledge.graph import Graph, opened, said

S = SPEAKER
PERSON, PLACE, FIRM, OTHER = EntityKind.PERSON, EntityKind.PLACE, EntityKind.ORGANIZATION, EntityKind.OTHER


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncGenerator[Graph]:
    async with opened(tmp_path / "data") as graph:
        yield graph


async def name(graph: Graph, text: str, **kinds: EntityKind) -> MemoryId:
    """Tell a text that names these, underscores for blanks, and says nothing of them."""
    named = {key.replace("_", " "): kind for key, kind in kinds.items()}
    return await graph.tell(text, extraction=said(text, kinds=named))


# -- names alone --------------------------------------------------------------------------------------------------------
def test_titles_and_a_trailing_number_are_no_part_of_a_persons_name() -> None:
    assert name_words("Prof. Dr. Alice Chen", PERSON) == ("alice", "chen")
    assert name_words("Dr.", PERSON) == ("dr",)
    assert name_words("Yan 7", PERSON) == ("yan",)
    assert name_words("Formula 1", OTHER) == ("formula", "1")


def test_titles_are_found_before_a_name() -> None:
    text = "I saw Prof. Dr. Chen and Chen."
    assert text[title_before(text, text.index("Chen")) :].startswith("Prof. Dr. Chen")
    assert title_before(text, text.rindex("Chen")) == text.rindex("Chen")
    assert title_before("Then Chen came", 5) == 5


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("alice c", "alice chen", Likeness.INITIALS),
        ("a chen", "alice chen", Likeness.INITIALS),
        ("a c", "alice chen", None),
        ("alice brown", "alice chen", None),
        ("alice", "alice chen", Likeness.PART),
        ("chen", "alice chen", Likeness.PART),
        ("chen", "chen", None),
        ("chen alice", "alice chen", Likeness.ORDER),
        ("анна к", "анна каренина", Likeness.INITIALS),
    ],
)
def test_names_of_people_are_alike_by_initials_parts_or_order(one: str, other: str, expected: Likeness | None) -> None:
    left, right = tuple(one.split()), tuple(other.split())
    assert likeness(left, right) is likeness(right, left) is expected


def test_what_is_numbered_differently_or_short_is_not_misspelt() -> None:
    assert may_be_misspelt("jon smith", "john smith")
    assert not may_be_misspelt("marathon 2023", "marathon 2024")
    assert not may_be_misspelt("dgia", "dgib")


def test_kinds_that_cannot_be_one() -> None:
    assert can_be_one(PERSON, OTHER)
    assert can_be_one(FIRM, EntityKind.PRODUCT)
    assert not can_be_one(PERSON, PLACE)
    assert not can_be_one(OTHER, EntityKind.CONTACT)


# -- one text -----------------------------------------------------------------------------------------------------------
def test_the_names_of_one_person_in_one_text_are_one() -> None:
    text = "Alice Chen came. Dr. Chen likes tea. Alice left."
    found = things(text, said(text, kinds={"Alice Chen": PERSON, "Chen": PERSON, "Alice": PERSON}))
    (one,) = {id(each): each for each in found.values()}.values()
    assert one.name == "Alice Chen"
    assert set(found) == {"alice chen", "chen", "alice"}


def test_a_family_name_of_two_people_in_the_text_is_neither() -> None:
    text = "Alice Chen and Bob Chen. Mr. Chen slept, Chen too."
    found = things(text, said(text, kinds={"Alice Chen": PERSON, "Bob Chen": PERSON}))
    span = Span(text.index("Chen slept"), text.index("Chen slept") + 4)
    chen = Mention(name="Chen", kind=PERSON, spans=(span,), confidence=0.9, tier=Tier.PATTERN)
    extraction = said(text, kinds={"Alice Chen": PERSON, "Bob Chen": PERSON})
    found = things(text, replace(extraction, mentions=(*extraction.mentions, chen)))
    assert len({id(each) for each in found.values()}) == 3
    assert found["chen"].has_title


def test_a_name_in_brackets_belongs_to_the_one_before_it() -> None:
    text = "Dr. Chen (Alice) works for International Business Machines (IBM), Bonn (Rhine)."
    kinds = {
        "Chen": PERSON,
        "Alice": PERSON,
        "International Business Machines": FIRM,
        "IBM": FIRM,
        "Bonn": PLACE,
        "Rhine": PLACE,
    }
    found = things(text, said(text, kinds=kinds))
    assert found["chen"] is found["alice"]
    assert found["chen"].forms[:2] == (("alice", "chen"), ("chen", "alice"))
    assert found["ibm"] is found["international business machines"]
    assert found["bonn"] is not found["rhine"]
    assert set(found["chen"].aliases.values()) == {"Dr. Chen", "Alice"}


# -- exact --------------------------------------------------------------------------------------------------------------
async def test_an_acronym_said_four_times_is_one_entity(graph: Graph) -> None:
    for number in range(4):
        await graph.tell(f"DGIA met team {number}")
    assert [name for name in graph.names_of() if "DGIA" in name] == ["DGIA"]
    assert graph.entities()["DGIA"].mentions == 4
    assert graph.proposals() == []


async def test_twenty_memories_at_once_make_one_zed_and_one_yan(graph: Graph) -> None:
    await asyncio.gather(*(graph.tell(f"Zed met Yan {number}") for number in range(20)))
    assert graph.names_of() == ["Yan", "Zed"]
    assert graph.entities()["Zed"].mentions == 20


async def test_case_accents_and_width_do_not_make_another_entity(graph: Graph) -> None:
    for spelling in ("Łódź", "Lodz", "LODZ", "ｌｏｄｚ"):
        await name(graph, f"See {spelling}.", **{spelling: PLACE})
    assert graph.names_of() == ["Łódź"]


async def test_names_of_any_script_are_entities_and_different_ones_never_merge(graph: Graph) -> None:
    names = ["Иванов", "Петров", "Иванова", "محمد", "أحمد", "東京", "京都", "김민준", "김민지", "Szabó", "Nagy"]
    for each in [*names, *names]:
        await name(graph, f"«{each}»", **{each: PERSON})
    assert graph.names_of() == sorted(names)
    assert all(row.mentions == 2 and row.aliases == (row.name,) for row in graph.entities().values())


async def test_a_person_and_a_place_of_one_name_are_two(graph: Graph) -> None:
    for kind in (PLACE, PERSON, PLACE, PERSON):
        await name(graph, "About Paris.", Paris=kind)
    rows = graph.store.entities_by_key(graph.number(), ["paris"])["paris"]
    assert sorted((row.kind, row.mentions) for row in rows) == [("person", 2), ("place", 2)]
    assert graph.proposals() == []


async def test_datasets_know_nothing_of_each_other(graph: Graph) -> None:
    for dataset in ("one", "two"):
        text = "About Paris."
        await graph.tell(text, dataset=dataset, extraction=said(text, kinds={"Paris": PLACE}))
    assert graph.names_of("one") == graph.names_of("two") == ["Paris"]
    ids = [graph.entities(dataset)["Paris"].id for dataset in ("one", "two")]
    assert len(set(ids)) == 2


async def test_the_speaker_is_the_agent_or_the_user(graph: Graph) -> None:
    text = "I like tea."
    for agent in (None, None, "Helper 1", "helper-1"):
        await graph.tell(text, agent=agent, extraction=said(text, (S, "likes", "=tea")))
    assert {name: row.is_speaker for name, row in graph.entities().items()} == {"user": True, "Helper 1": True}


async def test_a_contact_is_an_entity_that_nothing_is_alike(graph: Graph) -> None:
    for address in ("anna.b@example.com", "anna.c@example.com"):
        await name(graph, f"Mail {address} now", **{address: EntityKind.CONTACT})
    assert graph.names_of() == ["anna.b@example.com", "anna.c@example.com"]
    assert graph.proposals() == []


# -- people -------------------------------------------------------------------------------------------------------------
WORK = {"Initech": FIRM}
T25 = [
    ("Alice Chen works at Initech.", {"Alice Chen": PERSON}),
    ("Alice C. works at Initech.", {"Alice C": PERSON}),
    ("Dr. Chen (Alice) works at Initech.", {"Chen": PERSON, "Alice": PERSON}),
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_a_shared_employer_makes_one_of_a_name_its_initials_and_its_parts(
    graph: Graph, order: tuple[int, ...]
) -> None:
    for text, people in (T25[index] for index in order):
        await graph.tell(
            text, extraction=said(text, (next(iter(people)), "works_at", "Initech"), kinds={**people, **WORK})
        )
    people = [row for row in graph.entities().values() if row.kind == "person"]
    assert len(people) == 1
    assert people[0].mentions == 3
    assert {"Alice Chen", "Alice C", "Dr. Chen"} <= set(people[0].aliases)
    assert len(graph.rows()) == 1


async def test_the_same_as_the_offline_tiers_read_it(graph: Graph) -> None:
    for text, _ in T25:
        await graph.tell(text)
    people = [row for row in graph.entities().values() if row.kind == "person"]
    assert len(people) == 1 or graph.proposals()


async def test_without_a_shared_bond_the_same_names_are_proposed_and_not_made(graph: Graph) -> None:
    await name(graph, "Alice Chen came.", Alice_Chen=PERSON)
    await name(graph, "Alice C. came.", Alice_C=PERSON)
    assert graph.names_of() == ["Alice C", "Alice Chen"]
    (proposal,) = graph.proposals()
    assert (proposal.reason, proposal.status, proposal.score) == ("initials", "open", 0.8)


async def test_two_candidates_with_the_same_bond_are_both_only_proposed(graph: Graph) -> None:
    for full in ("Alice Chen", "Alice Cole"):
        text = f"{full} works at Initech."
        await graph.tell(text, extraction=said(text, (full, "works_at", "Initech"), kinds={full: PERSON, **WORK}))
    text = "Alice C. works at Initech."
    await graph.tell(text, extraction=said(text, ("Alice C", "works_at", "Initech"), kinds={"Alice C": PERSON, **WORK}))
    assert graph.names_of() == ["Alice C", "Alice Chen", "Alice Cole", "Initech"]
    assert graph.proposed() == {frozenset(("Alice C", "Alice Chen")), frozenset(("Alice C", "Alice Cole"))}


async def test_a_first_name_means_the_only_person_who_has_it(graph: Graph) -> None:
    await name(graph, "Alice Chen came.", Alice_Chen=PERSON)
    await name(graph, "Alice left.", Alice=PERSON)
    assert set(graph.entities()["Alice Chen"].aliases) == {"Alice Chen", "Alice"}


async def test_a_first_name_of_two_people_is_a_third_until_somebody_decides(graph: Graph) -> None:
    await name(graph, "Alice Chen came.", Alice_Chen=PERSON)
    await name(graph, "Alice left.", Alice=PERSON)
    await name(graph, "Alice Brown came.", Alice_Brown=PERSON)
    for _ in range(2):
        await name(graph, "Alice left again.", Alice=PERSON)
    assert graph.names_of() == ["Alice", "Alice Brown", "Alice Chen"]
    assert graph.proposed() == {frozenset(("Alice", "Alice Chen")), frozenset(("Alice", "Alice Brown"))}
    assert graph.entities()["Alice"].mentions == 2


async def test_a_family_name_of_two_people_is_no_longer_the_first_ones(graph: Graph) -> None:
    await name(graph, "Alice Chen came, Chen left.", Alice_Chen=PERSON)
    text = "Alice Chen came, then Chen left."
    chen = Mention(name="Chen", kind=PERSON, spans=(Span(22, 26),), confidence=0.9, tier=Tier.PATTERN)
    found = said(text, kinds={"Alice Chen": PERSON})
    await graph.tell(text, extraction=replace(found, mentions=(*found.mentions, chen)))
    await name(graph, "Chen slept.", Chen=PERSON)
    assert graph.names_of() == ["Alice Chen"]
    await name(graph, "Bob Chen came.", Bob_Chen=PERSON)
    await name(graph, "Chen slept again.", Chen=PERSON)
    assert graph.names_of() == ["Alice Chen", "Bob Chen", "Chen"]
    assert graph.proposed() == {frozenset(("Chen", "Alice Chen")), frozenset(("Chen", "Bob Chen"))}


async def test_a_family_name_that_nobody_was_called_by_is_proposed(graph: Graph) -> None:
    await name(graph, "Alice Chen came.", Alice_Chen=PERSON)
    await name(graph, "Chen slept.", Chen=PERSON)
    assert graph.proposed() == {frozenset(("Chen", "Alice Chen"))}


async def test_a_titled_family_name_alone_is_proposed(graph: Graph) -> None:
    await name(graph, "Alice Chen came.", Alice_Chen=PERSON)
    await name(graph, "Then Dr. Chen left.", Chen=PERSON)
    assert graph.names_of() == ["Alice Chen", "Chen"]
    assert graph.proposed() == {frozenset(("Chen", "Alice Chen"))}
    assert set(graph.entities()["Chen"].aliases) == {"Chen", "Dr. Chen"}


async def test_a_full_name_after_a_first_name_is_proposed_and_a_bond_decides(graph: Graph) -> None:
    await name(graph, "Tom slept.", Tom=PERSON)
    await name(graph, "Tom Berg slept.", Tom_Berg=PERSON)
    assert graph.proposed() == {frozenset(("Tom", "Tom Berg"))}
    for text, who in (("My sister Anna came.", "Anna"), ("Anna Berg, my sister, came.", "Anna Berg")):
        await graph.tell(text, extraction=said(text, (who, "sister_of", S), kinds={who: PERSON}))
    assert set(graph.entities()["Anna"].aliases) == {"Anna", "Anna Berg"}


NAMES = [("Alice Chen", "A. Chen"), ("Alice Chen", "Chen Alice"), ("Alice Chen", "Dr. Chen"), ("Alice", "Alice Chen")]


async def works(graph: Graph, who: str, text: str = "{} works at Initech.") -> MemoryId:
    return await graph.say(text.format(who), (who, "works_at", "Initech"), kinds={who: PERSON, **WORK})


def merged_into(graph: Graph, name: str) -> tuple[int, ...]:
    return graph.entities()[name].merged


@pytest.mark.parametrize(("known", "new"), NAMES)
async def test_a_merge_that_a_person_took_back_is_not_made_again_by_what_memories_say(
    graph: Graph, known: str, new: str
) -> None:
    await works(graph, known)
    memory = await works(graph, new)
    (merged,) = merged_into(graph, known)
    await graph.store.unmerge_entity(graph.number(), merged)
    await graph.regroup()
    another = await works(graph, new, "So {} works at Initech.")
    await graph.read(memory)  # the same again
    assert merged_into(graph, known) == ()
    # And where nobody remembers who was taken apart: the name comes as a new one.
    for each in (memory, another):
        await graph.forget(each)
    await works(graph, new, "Indeed {} works at Initech.")
    assert merged_into(graph, known) == ()
    assert len(graph.names_of()) == 3
    assert graph.proposals() == []


@pytest.mark.parametrize("decisions", [["refused"], ["accepted", "undone"]])
async def test_a_proposal_that_a_person_refused_is_not_decided_by_a_bond(graph: Graph, decisions: list[str]) -> None:
    await name(graph, "Alice Chen came.", Alice_Chen=PERSON)
    memory = await name(graph, "Alice C. came.", Alice_C=PERSON)
    (proposal,) = graph.proposals()
    for decision in decisions:
        await graph.store.decide_proposal(proposal.id, decision)
    await graph.forget(memory)
    await works(graph, "Alice Chen")
    await works(graph, "Alice C")
    assert merged_into(graph, "Alice Chen") == ()
    assert graph.names_of() == ["Alice C", "Alice Chen", "Initech"]


async def test_what_a_person_made_one_again_is_one_by_a_bond_too(graph: Graph) -> None:
    await works(graph, "Alice Chen")
    memory = await works(graph, "A. Chen")
    (merged,) = merged_into(graph, "Alice Chen")
    root = graph.entities()["Alice Chen"].id
    await graph.store.unmerge_entity(graph.number(), merged)
    await graph.store.merge_entities(graph.number(), merged, root, "by hand")
    await graph.regroup()
    await graph.forget(memory)
    await works(graph, "A. Chen", "So {} works at Initech.")
    assert set(graph.entities()["Alice Chen"].aliases) == {"Alice Chen", "A. Chen"}


async def test_two_names_in_one_text_are_not_proposed_to_be_one(graph: Graph) -> None:
    await name(graph, "Katherine Johnson came.", Katherine_Johnson=PERSON)
    await name(graph, "Katherine Johnson met Katharine Johnson.", Katherine_Johnson=PERSON, Katharine_Johnson=PERSON)
    assert graph.proposals() == []
    await name(graph, "Kathrine Johnson came.", Kathrine_Johnson=PERSON)
    assert {proposal.reason for proposal in graph.proposals()} == {"spelling"}
    assert len(graph.proposals()) == 2


# -- things that belong to somebody -------------------------------------------------------------------------------------
async def test_my_car_is_mine_and_annas_is_hers(graph: Graph) -> None:
    for agent, colour in (("Tom", "red"), ("Anna", "green"), ("Tom", "blue")):
        text = f"My car is {colour}."
        kinds = {"car": EntityKind.PRODUCT}
        await graph.tell(
            text, agent=agent, extraction=said(text, (S, "has", "car"), ("car", "colour", f"={colour}"), kinds=kinds)
        )
    text = "Anna's car is great."
    await graph.tell(
        text, agent="Tom", extraction=said(text, ("Anna", "has", "car"), kinds={"Anna": PERSON, "car": OTHER})
    )
    assert graph.names_of() == ["Anna", "Anna's car", "Tom", "Tom's car"]
    assert graph.entities()["Anna's car"].mentions == 2
    assert {row.text for row in graph.rows(predicate="has")} == {"Tom has car", "Anna has car"}


async def test_a_thing_without_its_owner_is_the_speakers_own_or_the_only_one(graph: Graph) -> None:
    text = "My car is red."
    await graph.tell(text, agent="Tom", extraction=said(text, (S, "has", "car"), kinds={"car": EntityKind.PRODUCT}))
    for agent in ("Tom", "Anna"):
        await graph.tell("The car broke.", agent=agent, extraction=said("The car broke.", kinds={"car": OTHER}))
    assert graph.entities()["Tom's car"].mentions == 3


async def test_the_car_of_a_person_of_two_names_is_one_and_a_sisters_car_is_hers(graph: Graph) -> None:
    for text, who in (("Alice C. works at Initech.", "Alice C"), ("Alice Chen works at Initech.", "Alice Chen")):
        await graph.tell(text, extraction=said(text, (who, "works_at", "Initech"), kinds={who: PERSON, **WORK}))
    for who in ("Alice C", "Alice Chen"):
        text = f"{who}'s car is red."
        kinds = {who: PERSON, "car": EntityKind.PRODUCT}
        await graph.tell(text, extraction=said(text, (who, "has", "car"), ("car", "colour", "=red"), kinds=kinds))
    text = "My sister has a car."
    kinds = {"My sister": PERSON, "car": EntityKind.PRODUCT}
    await graph.tell(
        text, extraction=said(text, ("My sister", "has", "car"), ("My sister", "sister_of", S), kinds=kinds)
    )
    cars = [name for name in graph.names_of() if "car" in name]
    assert cars == ["Alice C's car", "user's sister's car"]


async def test_what_is_said_of_a_name_tells_its_kind(graph: Graph) -> None:
    text = "Zed works at Initrode in Ghent."
    claims = (("Zed", "works_at", "Initrode"), ("Zed", "lives_in", "Ghent"))
    await graph.tell(text, extraction=said(text, *claims, kinds=dict.fromkeys(["Zed", "Initrode", "Ghent"], OTHER)))
    assert {name: row.kind for name, row in graph.entities().items()} == {
        "Zed": "person",
        "Initrode": "organization",
        "Ghent": "place",
    }


async def test_my_sister_is_mine(graph: Graph) -> None:
    for agent in ("Tom", "Anna", "Tom"):
        text = "My sister came."
        await graph.tell(
            text, agent=agent, extraction=said(text, ("My sister", "sister_of", S), kinds={"My sister": PERSON})
        )
    assert graph.names_of() == ["Anna", "Anna's sister", "Tom", "Tom's sister"]


# -- meaning ------------------------------------------------------------------------------------------------------------
class Meaning(HashEmbedder):
    """Gives these names vectors of these angles in degrees, and others their own."""

    def __init__(self, angles: dict[str, float]) -> None:
        super().__init__()
        self.angles = angles

    async def embed(self, texts: list[str], kind: EmbedKind = "document") -> list[TextEmbedding]:  # type: ignore[override]
        made = await super().embed(texts, kind)
        return [
            replace(each, vectors=turned(self.angles[text], self.dimensions)) if text in self.angles else each
            for text, each in zip(texts, made, strict=True)
        ]


def turned(angle: float, dimensions: int) -> np.ndarray:
    vector = np.zeros((1, dimensions), dtype=np.float32)
    vector[0, :2] = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return vector


async def test_names_that_mean_nearly_the_same_are_proposed(tmp_path: Path) -> None:
    embedder = Meaning({"NYC": 0, "New York": 20, "Boston": 60, "Marathon 2023": 90, "Marathon 2024": 91})
    async with opened(tmp_path / "data", embedder) as graph:
        for each in embedder.angles:
            await name(graph, f"See {each}.", **{each: PLACE})
        assert graph.proposed() == {frozenset(("NYC", "New York"))}
        (proposal,) = graph.proposals()
        assert (proposal.reason, round(proposal.score, 2)) == ("meaning", 0.94)
        assert embedder.calls == 5
        await name(graph, "See NYC and Boston.", NYC=PLACE, Boston=PLACE)
        assert embedder.calls == 5


async def test_a_dataset_with_too_many_names_is_not_searched_by_meaning_and_says_so(graph: Graph) -> None:
    graph.names = NameVectors(most=2)
    for each in ("Rome", "Oslo", "Bonn", "Wien"):
        await name(graph, f"See {each}.", **{each: PLACE})
    assert graph.record["vectors_skipped"] == 1
    assert graph.names_of() == ["Bonn", "Oslo", "Rome", "Wien"]
