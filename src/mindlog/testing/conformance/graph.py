"""Checks of graph writes: read back whole, idempotent, replaced by the next, refused or cut where they cannot be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mindlog.errors import InvalidInput, RevisionGone
from mindlog.store.graphrows import AliasRow, EntityRow, EvidenceRow, GraphWrite, NewEdge, StatementRow, ValidityRow
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused
from mindlog.testing.conformance.knowing import Fact, Knowing, derived, listed

__all__ = ["CHECKS"]

LIVES: Fact = ("Anna", "lives_in", "Berlin")
LIKES: Fact = ("Anna", "likes", '"green tea"')


async def a_graph_write_is_read_back_whole(open_store: Opener) -> None:
    """Entities, names, mentions, statements, validities and evidence, after a reopen too."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slot = (await knowing.learn("Anna lives in Berlin", facts=[LIVES], occurred_at=77)).id.slot
        number = knowing.number
        recorded_at = knowing.row(LIVES).validities[0].recorded_at
    async with opened(open_store) as bench:
        knowing.bench = bench
        store = bench.store
        berlin, anna = store.entities(number, [2, 1, 2])
        assert [anna, berlin] == [_entity(knowing, name, recorded_at) for name in ("Anna", "Berlin")]
        expected = _lives(knowing, slot, recorded_at)
        assert knowing.known() == [expected]
        assert store.group(number, anna.id, "lives_in") == [expected]
        assert store.evidence(expected.id, 10) == list(expected.evidence)
        mentions = [knowing.mention("Anna lives in Berlin", name) for name in ("Anna", "Berlin")]
        assert store.mentions([slot, 99]) == {slot: mentions}
        assert store.mention_slots(number, [anna.id, berlin.id], 5) == [(anna.id, slot), (berlin.id, slot)]
        ids, vectors = store.entity_vectors(number)
        assert ids.tolist() == [1, 2]
        np.testing.assert_array_equal(vectors, [bench.vectors("Anna")[0], bench.vectors("Berlin")[0]])
        assert store.entity_vectors(number, 1)[0].tolist() == [2]
        entry = store.log(1, 100)[-1]
        assert (entry.type, entry.slot, entry.version) == ("statement_added", slot, 1)
        assert entry.payload["predicate"] == "lives_in"
        assert entry.payload.keys() == {"statement", "subject", "predicate"}


def _entity(knowing: Knowing, name: str, created_at: int) -> EntityRow:
    return EntityRow(
        id=knowing.entities[name],
        dataset=knowing.number,
        name=name,
        kind="person",
        is_speaker=False,
        aliases=(name,),
        merged=(),
        mentions=1,
        statements=1,
        created_at=created_at,
    )


def _lives(knowing: Knowing, slot: int, recorded_at: int) -> StatementRow:
    number = knowing.statements[LIVES]
    evidence = EvidenceRow(
        statement=number, slot=slot, version=1, start=0, end=20, confidence=0.5, tier="pattern", asserted_at=77
    )
    validity = ValidityRow(
        valid_from=None, valid_to=None, superseded_by=None, recorded_at=recorded_at, invalidated_at=None
    )
    return StatementRow(
        id=number,
        dataset=knowing.number,
        subject=knowing.entities["Anna"],
        subject_name="Anna",
        predicate="lives_in",
        family="lives_in",
        object=knowing.entities["Berlin"],
        object_name="Berlin",
        value=None,
        value_key="",
        value_type=None,
        text="Anna lives in Berlin",
        created_at=recorded_at,
        validities=(validity,),
        evidence=(evidence,),
        evidence_count=1,
    )


def seen(bench: Bench) -> Any:
    """Return everything that reads tell of the first memories' graph."""
    number, slots = bench.number(), list(range(1, 9))
    knowing = Knowing(bench)
    rows = knowing.known(current=False)
    return (
        listed(bench),
        rows,
        [bench.store.group(number, row.subject, row.family) for row in rows],
        bench.store.mentions(slots),
        bench.store.edges(slots),
        bench.store.proposals(number, None, 100),
        bench.store.stale_groups(100),
        bench.store.entities_by_key(number, ["anna", "berlin", "carl"]),
    )


async def a_write_applied_again_changes_nothing(open_store: Opener) -> None:
    """No doubled evidence, edge, name, validity, proposal or event; nothing is counted as added."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        other = await bench.persist("other")
        (run,) = await bench.store.claim_runs("w", 1, 0)
        await bench.store.cancel_runs([run.id])
        slot = (await bench.persist("Anna from Berlin likes green tea, Ann")).id.slot
        write = knowing.write(slot, ["Ann"], [("Anna", "likes", '"tea"'), ("Anna", "is_from", "Berlin")])
        fact = ("Anna", "is_from", "Berlin")
        write = replace(
            write,
            aliases=(*write.aliases, AliasRow(entity=knowing.entities["Anna"], key="annie", name="Annie")),
            proposals=(knowing.proposal("Anna", "Ann"),),
            edges=(NewEdge(target=other.id.slot, kind="references", weight=0.5),),
            settled=((knowing.entities["Anna"], fact[1], 10**6),),
        )
        added = await derived(bench, write)
        expected = {
            "entities": 3,
            "aliases": 4,
            "mentions": 3,
            "statements": 2,
            "evidence": 2,
            "edges": 1,
            "proposals": 1,
        }
        assert added == expected
        before = seen(bench)
        events = [entry.type for entry in bench.store.log(1, 100)]
        assert events.count("statement_added") == 2
        assert events.count("proposal_made") == 1
        lsn = bench.store.last_lsn
        assert await bench.store.write_graph(write) == lsn
        assert seen(bench) == before
        assert await derived(bench, write) == dict.fromkeys(expected, 0)
    async with opened(open_store) as bench:
        assert seen(bench) == before


async def a_revisions_next_write_replaces_what_it_said(open_store: Opener) -> None:
    """What it says no longer loses its evidence; a statement that rests on nothing goes with its validities."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        shared = await knowing.learn("Anna likes green tea", facts=[LIKES])
        slot = (await knowing.learn("Anna lives in Berlin, likes green tea", facts=[LIVES, LIKES])).id.slot
        assert knowing.row(LIKES).evidence_count == 2
        said = knowing.write(slot, [], [LIVES, LIKES])
        also = AliasRow(entity=knowing.entities["Anna"], key="annie", name="Annie")
        await bench.store.write_graph(replace(said, aliases=(*said.aliases, also)))
        assert listed(bench)["Anna"].aliases == ("Anna", "Annie")
        drank = ("Anna", "drinks", '"tea"')
        await bench.store.write_graph(knowing.write(slot, [], [drank]))
        assert knowing.facts() == [drank, LIKES]
        assert [each.slot for each in knowing.row(LIKES).evidence] == [shared.id.slot]
        assert knowing.known(ids=(knowing.statements[LIVES],), current=False, known_at=1 << 60) == []
        assert {name: row.aliases for name, row in listed(bench).items()} == {"Anna": ("Anna",)}
        moved = knowing.write(slot, [], [drank])
        moved = replace(moved, evidence=(replace(moved.evidence[0], confidence=0.9, time_phrase="today"),))
        await bench.store.write_graph(moved)
        assert knowing.row(drank).evidence == moved.evidence
        assert knowing.row(drank).confidence == 0.9


async def what_dangles_and_what_loops_is_left_out_and_counted(open_store: Opener) -> None:
    """Unknown and foreign entities, statements about themselves, evidence of nothing: the rest of the write stands."""
    async with opened(open_store) as bench:
        foreign = Knowing(bench, "other")
        await foreign.learn("Zoe", ["Zoe"])
        await bench.store.cancel_runs([row.id for row in await bench.store.claim_runs("w", 9, 0)])
        knowing = Knowing(bench)
        slot = (await bench.persist("Anna lives in Berlin")).id.slot
        write = knowing.write(slot, [], [LIVES])
        (statement,) = write.statements
        stranger = foreign.entities["Zoe"]
        loop, dangling = [replace(statement, id=number) for number in bench.store.reserve_statements(2)]
        write = replace(
            write,
            aliases=(*write.aliases, AliasRow(entity=stranger, key="anna", name="Anna")),
            mentions=(*write.mentions, replace(write.mentions[0], entity=stranger)),
            statements=(statement, replace(loop, object=loop.subject), replace(dangling, object=stranger)),
            evidence=(*write.evidence, replace(write.evidence[0], statement=loop.id)),
            proposals=(replace(knowing.proposal("Anna", "Berlin"), other=stranger),),
        )
        added = await derived(bench, write)
        assert (added["dangling"], added["self_loop"]) == (5, 1)
        assert (added["statements"], added["evidence"], added["mentions"]) == (1, 1, 2)
        assert knowing.facts() == [LIVES]
        assert bench.store.entities_by_key(foreign.number, ["anna"]) == {"anna": []}
        unfounded = replace(write, statements=(replace(statement, id=bench.store.reserve_statements(1)[0]),))
        assert (await derived(bench, unfounded))["statements"] == 0


async def a_write_that_contradicts_itself_is_refused_whole(open_store: Opener) -> None:
    """Wrong revision, foreign evidence, an unknown kind or event, a vector of another length, a forgotten memory."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slot = (await bench.persist("Anna lives in Berlin")).id.slot
        write = knowing.write(slot, [], [LIVES])
        (evidence,), (timeline,) = write.evidence, write.timelines
        long = replace(write.entities[0], vector=np.zeros(3, dtype=np.float32))
        both = replace(write.statements[0], value="x")
        for broken in (
            replace(write, slot=None, version=None),
            replace(write, evidence=(replace(evidence, version=2),)),
            replace(write, edges=(NewEdge(target=slot, kind="resembles", weight=1),)),
            replace(write, edges=(NewEdge(target=slot, kind="supports", weight=float("nan")),)),
            replace(write, timelines=(replace(timeline, events=(("statement_changed", 1),)),)),
            replace(write, entities=(long,)),
            replace(write, statements=(both,)),
        ):
            with refused(InvalidInput):
                await bench.store.write_graph(broken)
        with refused(RevisionGone):
            await bench.store.write_graph(replace(write, version=2, evidence=()))
        await bench.store.forget(knowing.number, [slot])
        with refused(RevisionGone):
            await bench.store.write_graph(write)
        await bench.store.restore(knowing.number, [slot], 0)
        assert (listed(bench), knowing.known(current=False)) == ({}, [])
        await bench.store.write_graph(write)
        assert knowing.facts() == [LIVES]


async def ids_are_handed_out_once(open_store: Opener) -> None:
    """Ranges do not overlap; after a reopen they go on above what was ever stored, deleted or not."""
    async with opened(open_store) as bench:
        taken = [bench.store.reserve_entities(3), bench.store.reserve_entities(2)]
        assert [list(each) for each in taken] == [[1, 2, 3], [4, 5]]
        knowing = Knowing(bench)
        slot = (await knowing.learn("Anna lives in Berlin", facts=[LIVES])).id.slot
        await bench.store.write_graph(GraphWrite(dataset=knowing.number, slot=slot, version=1))
    async with opened(open_store) as bench:
        assert bench.store.reserve_entities(1)[0] > knowing.entities["Berlin"]
        assert bench.store.reserve_statements(1)[0] > knowing.statements[LIVES]


CHECKS: tuple[Check, ...] = (
    a_graph_write_is_read_back_whole,
    a_write_applied_again_changes_nothing,
    a_revisions_next_write_replaces_what_it_said,
    what_dangles_and_what_loops_is_left_out_and_counted,
    a_write_that_contradicts_itself_is_refused_whole,
    ids_are_handed_out_once,
)
