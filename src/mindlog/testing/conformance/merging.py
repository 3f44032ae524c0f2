"""Checks of merges, what undoes them, and what proposes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mindlog.errors import Conflict, EntityNotFound, InvalidInput, ProposalNotFound
from mindlog.ids import number_id
from mindlog.store.graphrows import AliasRow, EntityNames, GraphWrite, Merge
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused
from mindlog.testing.conformance.knowing import Fact, Knowing, listed

__all__ = ["CHECKS"]

WORKS: Fact = ("Ann", "works_at", "Acme")
LIKES: Fact = ("Anna", "likes", '"tea"')
KNOWS: Fact = ("Bert", "knows", "Ann")
LOOP: Fact = ("Anna", "knows", "Ann")


async def _people(bench: Bench) -> Knowing:
    knowing = Knowing(bench)
    await knowing.learn("Ann works at Acme", facts=[WORKS])
    await knowing.learn("Anna likes tea", facts=[LIKES])
    await knowing.learn("Bert knows Ann", facts=[KNOWS])
    return knowing


def _seen(knowing: Knowing) -> Any:
    store, number = knowing.bench.store, knowing.number
    ids = sorted(knowing.entities.values())
    return (
        listed(knowing.bench),
        store.entities(number, ids),
        [knowing.known(**{side: (each,)}) for each in ids for side in ("subjects", "objects", "either")],
        [store.group(number, each, family) for each in ids for family in ("knows", "works_at", "likes")],
        store.mentions(range(1, 9)),
        store.mention_slots(number, ids, 9),
        store.entities_by_key(number, ["ann", "anna", "annie"]),
    )


async def merged_entities_read_as_one_and_come_apart_as_they_were(open_store: Opener) -> None:
    """By the root, under either id, with both names and all statements; undone, every read is what it was."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        ann, anna = knowing.entities["Ann"], knowing.entities["Anna"]
        before = _seen(knowing)
        lsn = await bench.store.merge_entities(knowing.number, ann, anna, "one person")
        entry = bench.store.log(lsn, 1)[0]
        assert (entry.type, dict(entry.payload)) == (
            "entity_merged",
            {"entity": number_id("ent", ann), "into": number_id("ent", anna)},
        )
    async with opened(open_store) as bench:
        knowing.bench = bench
        (row,) = [row for row in listed(bench).values() if row.id == anna]
        assert (row.aliases, row.merged, row.mentions, row.statements) == (("Anna", "Ann"), (ann,), 3, 3)
        assert bench.store.entities(knowing.number, [ann, anna]) == [row]
        for each in (ann, anna):
            assert knowing.facts(either=(each,)) == [KNOWS, LIKES, WORKS]
            assert knowing.facts(subjects=(each,)) == [LIKES, WORKS]
            assert [each.subject for each in bench.store.group(knowing.number, each, "works_at")] == [anna]
        assert (knowing.row(WORKS).subject_name, knowing.row(KNOWS).object) == ("Anna", anna)
        assert bench.store.mention_slots(knowing.number, [ann], 9) == [(anna, slot) for slot in (3, 2, 1)]
        assert {each.entity for each in bench.store.mentions([1])[1]} == {anna, knowing.entities["Acme"]}
        lsn = await bench.store.unmerge_entity(knowing.number, ann)
        assert bench.store.log(lsn, 1)[0].type == "entity_unmerged"
        assert _seen(knowing) == before


async def a_merge_makes_every_group_of_both_stale(open_store: Opener) -> None:
    """Those they are the object of too, for who is meant has changed; undoing it as well."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        ann, anna, bert = (knowing.entities[name] for name in ("Ann", "Anna", "Bert"))
        number, store = knowing.number, bench.store
        lsn = await store.merge_entities(number, ann, anna, "")
        expected = [(anna, "likes"), (anna, "works_at"), (bert, "knows")]
        assert sorted(store.stale_groups(9)) == [(number, *group, lsn) for group in expected]
        settled = tuple((*group, lsn) for group in expected)
        await store.write_graph(GraphWrite(dataset=number, settled=settled))
        assert store.stale_groups(9) == []
        lsn = await store.unmerge_entity(number, ann)
        expected = [(ann, "works_at"), (anna, "likes"), (bert, "knows")]
        assert sorted(store.stale_groups(9)) == [(number, *group, lsn) for group in expected]


async def merges_chain_and_are_undone_in_any_order(open_store: Opener) -> None:
    """The root is the end of the chain; taking one link out leaves what the others say."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        names = ["A", "B", "C", "D"]
        await knowing.learn("A B C D", names)
        number, store = knowing.number, bench.store
        a, b, c, d = (knowing.entities[name] for name in names)

        def roots() -> list[int]:
            return [store.entities(number, [each])[0].id for each in (a, b, c, d)]

        await store.merge_entities(number, a, b, "")
        await store.merge_entities(number, a, c, "")
        assert roots() == [c, c, c, d]
        await store.merge_entities(number, d, b, "")
        assert roots() == [c, c, c, c]
        await store.unmerge_entity(number, a)
        assert roots() == [b, b, c, b]
        await store.unmerge_entity(number, a)
        assert roots() == [a, b, c, b]
        with refused(EntityNotFound):
            await store.unmerge_entity(number, a)
        await store.merge_entities(number, d, a, "")
        assert roots() == [a, a, c, a]
        await store.unmerge_entity(number, b)
        assert roots() == [a, b, c, b]
        await store.unmerge_entity(number, d)
        assert roots() == [a, b, c, d]


async def merges_that_cannot_be_are_refused(open_store: Opener) -> None:
    """With itself, with what it is one with, with what is not there, hidden or of another dataset."""
    async with opened(open_store) as bench:
        knowing, other = await _people(bench), Knowing(bench, "other")
        slot = (await knowing.learn("Zoe", ["Zoe"])).id.slot
        await bench.store.forget(knowing.number, [slot])
        await other.learn("Ann", ["Ann"])
        ann, anna, zoe = (knowing.entities[name] for name in ("Ann", "Anna", "Zoe"))
        lsn = bench.store.last_lsn
        for pair in ((ann, 999), (999, ann), (ann, zoe), (zoe, ann), (ann, other.entities["Ann"])):
            with refused(EntityNotFound):
                await bench.store.merge_entities(knowing.number, *pair, "")
        with refused(InvalidInput):
            await bench.store.merge_entities(knowing.number, ann, ann, "")
        assert bench.store.last_lsn == lsn
        await bench.store.merge_entities(knowing.number, ann, anna, "")
        for pair in ((ann, anna), (anna, ann)):
            with refused(InvalidInput):
                await bench.store.merge_entities(knowing.number, *pair, "")
        for number, entity in ((knowing.number, anna), (other.number, ann), (knowing.number, 999)):
            with refused(EntityNotFound):
                await bench.store.unmerge_entity(number, entity)


async def what_a_merge_makes_a_statement_about_itself_is_not_told(open_store: Opener) -> None:
    """Until the merge is undone; who makes the timelines sees it."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        await knowing.learn("Anna knows Ann", facts=[LOOP])
        ann, anna = knowing.entities["Ann"], knowing.entities["Anna"]
        await bench.store.merge_entities(knowing.number, ann, anna, "")
        assert LOOP not in knowing.facts(current=False)
        assert listed(bench)["Anna"].statements == 3
        assert [row.subject == row.object for row in bench.store.group(knowing.number, ann, "knows")] == [True]
        await bench.store.unmerge_entity(knowing.number, ann)
        assert knowing.facts(objects=(ann,)) == [LOOP, KNOWS]


async def a_merged_entity_that_is_hidden_does_not_show(open_store: Opener) -> None:
    """Neither its id nor its name, be it the root or not."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slots = [(await knowing.learn(name, [name])).id.slot for name in ("Ann", "Anna")]
        ann, anna = knowing.entities["Ann"], knowing.entities["Anna"]
        await bench.store.merge_entities(knowing.number, ann, anna, "")
        for hidden, name, merged in ((slots[0], "Anna", ()), (slots[1], "Ann", (ann,))):
            await bench.store.forget(knowing.number, [hidden])
            (row,) = listed(bench).values()
            assert (row.id, row.name, row.aliases, row.merged, row.mentions) == (anna, name, (name,), merged, 1)
            await bench.store.restore(knowing.number, [hidden], 0)
        await bench.store.forget(knowing.number, slots)
        assert listed(bench) == {}


async def proposals_are_made_once_and_decided(open_store: Opener) -> None:
    """Accepting merges in the same commit, refusing does not; one that is decided is not made again."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        number, store = knowing.number, bench.store
        pairs = [("Ann", "Anna"), ("Bert", "Anna"), ("Ann", "Bert")]
        write = GraphWrite(dataset=number, proposals=tuple(knowing.proposal(*pair) for pair in pairs))
        await store.write_graph(write)
        await store.write_graph(write)
        third, second, first = store.proposals(number, "open", 9)
        assert (first.entity_name, first.other_name, first.score, first.reason) == ("Ann", "Anna", 0.7, "part")
        assert [row.id for row in store.proposals(number, None, 2)] == [third.id, second.id]
        assert store.proposals(number, None, 9, before_id=second.id) == [first]
        refusal = await store.decide_proposal(second.id, "refused")
        assert (refusal.status, refusal.decided_at is None) == ("refused", False)
        lsn = store.last_lsn
        assert await store.decide_proposal(second.id, "refused") == refusal
        assert store.last_lsn == lsn
        accepted = await store.decide_proposal(first.id, "accepted")
        assert (accepted.status, accepted.entity_name, accepted.other_name) == ("accepted", "Ann", "Anna")
        assert [entry.type for entry in store.log(lsn + 1, 9)] == ["entity_merged", "proposal_decided"]
        ann, anna = knowing.entities["Ann"], knowing.entities["Anna"]
        assert [row.id for row in store.entities(number, [anna])] == [ann]
        await store.write_graph(write)
        assert store.proposals(number, "open", 9) == [third]
        with refused(Conflict):
            await store.decide_proposal(first.id, "refused")
        await store.unmerge_entity(number, anna)
        assert [row.id for row in store.proposals(number, "undone", 9)] == [first.id]
        assert (await store.decide_proposal(first.id, "refused")).status == "refused"
        with refused(InvalidInput):
            await store.decide_proposal(third.id, "open")
        with refused(ProposalNotFound):
            await store.decide_proposal(999, "accepted")


async def a_proposal_whose_merge_is_taken_back_is_undone(open_store: Opener) -> None:
    """By the proposal or by the entity, in the same commit; both ends have their own names; it can be accepted again."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        number, store = knowing.number, bench.store
        pairs = [("Ann", "Anna"), ("Ann", "Bert")]
        await store.write_graph(GraphWrite(dataset=number, proposals=tuple(knowing.proposal(*pair) for pair in pairs)))
        other, one = store.proposals(number, "open", 9)
        with refused(Conflict):
            await store.decide_proposal(one.id, "undone")
        await store.decide_proposal(one.id, "refused")
        with refused(Conflict):
            await store.decide_proposal(one.id, "undone")
        await store.decide_proposal(one.id, "accepted")
        await store.decide_proposal(other.id, "accepted")
        lsn = store.last_lsn
        undone = await store.decide_proposal(one.id, "undone")
        assert (undone.status, undone.entity_name, undone.other_name) == ("undone", "Ann", "Anna")
        assert [(entry.type, entry.payload.get("status")) for entry in store.log(lsn + 1, 9)] == [
            ("entity_unmerged", None),
            ("proposal_decided", "undone"),
        ]
        assert [row.id for row in store.entities(number, [knowing.entities["Anna"]])] == [knowing.entities["Anna"]]
        lsn = store.last_lsn
        assert await store.decide_proposal(one.id, "undone") == undone
        assert store.last_lsn == lsn
        assert [row.id for row in store.proposals(number, "accepted", 9)] == [other.id]
        assert (await store.decide_proposal(one.id, "accepted")).status == "accepted"
        await store.unmerge_entity(number, knowing.entities["Bert"])
        assert [row.id for row in store.proposals(number, "undone", 9)] == [other.id]


async def what_other_merges_make_one_no_proposal_undoes(open_store: Opener) -> None:
    """They are taken back themselves; then the proposal is undone with them."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        number, store = knowing.number, bench.store
        ann, anna, bert = (knowing.entities[name] for name in ("Ann", "Anna", "Bert"))
        await store.write_graph(GraphWrite(dataset=number, proposals=(knowing.proposal("Ann", "Bert"),)))
        (proposal,) = store.proposals(number, "open", 9)
        await store.merge_entities(number, ann, anna, "")
        await store.merge_entities(number, bert, anna, "")
        assert (await store.decide_proposal(proposal.id, "accepted")).status == "accepted"
        with refused(Conflict):
            await store.decide_proposal(proposal.id, "undone")
        await store.unmerge_entity(number, bert)
        (undone,) = store.proposals(number, None, 9)
        assert (undone.status, undone.entity_name, undone.other_name) == ("undone", "Ann", "Bert")


async def what_was_proposed_between_two_is_not_proposed_again_under_other_ids(open_store: Opener) -> None:
    """Not of what has become one with either of them, whatever was decided; apart from that, it is another pair."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        number, store = knowing.number, bench.store
        await store.write_graph(GraphWrite(dataset=number, proposals=(knowing.proposal("Ann", "Bert"),)))
        (proposal,) = store.proposals(number, "open", 9)
        await store.decide_proposal(proposal.id, "refused")
        ann, anna = knowing.entities["Ann"], knowing.entities["Anna"]
        await store.merge_entities(number, ann, anna, "")
        again = GraphWrite(dataset=number, proposals=(knowing.proposal("Bert", "Anna"),))
        await store.write_graph(again)
        assert [row.id for row in store.proposals(number, None, 9)] == [proposal.id]
        await store.unmerge_entity(number, ann)
        await store.write_graph(again)
        assert [row.id == proposal.id for row in store.proposals(number, None, 9)] == [False, True]


async def what_a_person_told_apart_a_memory_does_not_make_one(open_store: Opener) -> None:
    """By a merge taken back or a proposal refused, of them or of what is one with either; known by any name, hidden ones too."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        number, store = knowing.number, bench.store
        ann, anna, bert = (knowing.entities[name] for name in ("Ann", "Anna", "Bert"))
        slot = (await knowing.learn("Zoe", ["Zoe"])).id.slot

        async def told(*pair: str) -> bool:
            """Whether a memory that says that the two are one makes them one."""
            one, other = (knowing.entities[name] for name in pair)
            merge = Merge(entity=one, into=other, reason="same bond")
            lsn = store.last_lsn
            await store.write_graph(knowing.write(slot, ["Zoe"], merges=(merge,)))
            return "entity_merged" in {entry.type for entry in store.log(lsn + 1, 9)}

        assert store.names_apart(number, ["ann", "anna", "bert", "nobody"]) == set()
        assert await told("Ann", "Anna")
        await store.unmerge_entity(number, ann)
        assert (store.names_apart(number, ["ann"]), store.names_apart(number, ["anna", "zoe"])) == ({anna}, {ann})
        assert not await told("Ann", "Anna")
        assert not await told("Anna", "Ann")
        await store.merge_entities(number, anna, bert, "")
        assert store.names_apart(number, ["ann"]) == {bert}
        assert store.names_apart(number, ["bert"]) == {ann}
        assert not await told("Ann", "Bert")
        await store.merge_entities(number, ann, bert, "")
        assert store.names_apart(number, ["ann", "anna", "bert"]) == set()
        await store.write_graph(GraphWrite(dataset=number, proposals=(knowing.proposal("Ann", "Zoe"),)))
        (proposal,) = store.proposals(number, "open", 9)
        await store.decide_proposal(proposal.id, "refused")
        await store.forget(number, [1, 2, 3])
        assert store.names_apart(number, ["bert"]) == {knowing.entities["Zoe"]}
        assert not await told("Ann", "Zoe")
        assert store.names_apart(number + 1, ["ann", "bert"]) == set()


async def names_are_counted_by_the_memories_that_use_them(open_store: Opener) -> None:
    """Each memory once a name, live ones in their current revisions; of what is one together, and by their own names apart."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slots = [(await knowing.learn(f"Ann {n} Ann", ["Ann"])).id.slot for n in range(3)]
        slots.append((await knowing.learn("Anna", ["Anna"])).id.slot)
        ann, anna = knowing.entities["Ann"], knowing.entities["Anna"]
        also = knowing.write(slots[3], ["Anna"])
        await bench.store.write_graph(
            replace(also, aliases=(*also.aliases, AliasRow(entity=ann, key="annie", name="Annie")))
        )
        assert bench.store.entity_names(knowing.number, ann) == EntityNames(
            uses={"Ann": 3, "Annie": 1}, own={ann: "Ann"}
        )
        await bench.store.merge_entities(knowing.number, anna, ann, "")
        for each in (ann, anna):
            found = bench.store.entity_names(knowing.number, each)
            assert (found.uses, found.own) == ({"Ann": 3, "Anna": 1, "Annie": 1}, {ann: "Ann", anna: "Anna"})
        await bench.store.edit(bench.edit(bench.get(slots[0]), "nobody"))
        await bench.store.forget(knowing.number, slots[1:2])
        assert bench.store.entity_names(knowing.number, ann).uses == {"Ann": 1, "Anna": 1, "Annie": 1}
        await bench.store.forget(knowing.number, slots[2:])
        assert bench.store.entity_names(knowing.number, ann) == EntityNames(uses={"Ann": 0}, own={ann: "Ann"})
        assert bench.store.entity_names(knowing.number + 1, ann) == EntityNames(uses={}, own={})


async def what_is_one_already_is_nothing_to_decide(open_store: Opener) -> None:
    """An open proposal between merged entities is not listed, and is again when they come apart."""
    async with opened(open_store) as bench:
        knowing = await _people(bench)
        number, store = knowing.number, bench.store
        ann, anna = knowing.entities["Ann"], knowing.entities["Anna"]
        await store.write_graph(GraphWrite(dataset=number, proposals=(knowing.proposal("Ann", "Anna"),)))
        await store.merge_entities(number, ann, anna, "")
        assert store.proposals(number, None, 9) == []
        await store.unmerge_entity(number, ann)
        assert len(store.proposals(number, "open", 9)) == 1


CHECKS: tuple[Check, ...] = (
    merged_entities_read_as_one_and_come_apart_as_they_were,
    a_merge_makes_every_group_of_both_stale,
    merges_chain_and_are_undone_in_any_order,
    merges_that_cannot_be_are_refused,
    what_a_merge_makes_a_statement_about_itself_is_not_told,
    a_merged_entity_that_is_hidden_does_not_show,
    proposals_are_made_once_and_decided,
    a_proposal_whose_merge_is_taken_back_is_undone,
    what_other_merges_make_one_no_proposal_undoes,
    what_was_proposed_between_two_is_not_proposed_again_under_other_ids,
    what_a_person_told_apart_a_memory_does_not_make_one,
    names_are_counted_by_the_memories_that_use_them,
    what_is_one_already_is_nothing_to_decide,
)
