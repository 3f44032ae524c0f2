"""Checks of what is believed: timelines on both axes, contradictions, and the log's word of them."""

from __future__ import annotations

from typing import Any

from mindlog.ids import number_id
from mindlog.store.graphrows import GraphWrite, Interval, Timeline, ValidityRow
from mindlog.testing.conformance.bench import Check, Opener, opened
from mindlog.testing.conformance.knowing import ALWAYS, Fact, Knowing

__all__ = ["CHECKS"]

BONN: Fact = ("Anna", "lives_in", "Bonn")
BERLIN: Fact = ("Anna", "lives_in", "Berlin")


async def _moved(knowing: Knowing) -> Timeline:
    """Learn of two homes and return the timeline in which the second ends the first at 100."""
    await knowing.learn("Anna lives in Bonn", facts=[BONN])
    await knowing.learn("Anna lives in Berlin", facts=[BERLIN])
    intervals = {
        BONN: (Interval(valid_from=None, valid_to=100, superseded_by=knowing.statements[BERLIN]),),
        BERLIN: (Interval(valid_from=100, valid_to=None),),
    }
    return knowing.timeline(intervals, events=[("statement_superseded", BONN)])


def _apply(knowing: Knowing, *timelines: Timeline) -> Any:
    return knowing.bench.store.write_graph(GraphWrite(dataset=knowing.number, timelines=timelines))


async def a_timeline_is_believed_from_its_commit_on(open_store: Opener) -> None:
    """What was believed before stays to be asked for; what is equal is not recorded anew."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        timeline = await _moved(knowing)
        before = {fact: knowing.row(fact).validities[0] for fact in (BONN, BERLIN)}
        await _apply(knowing, timeline)
    async with opened(open_store) as bench:
        knowing.bench = bench
        after = {fact: knowing.row(fact).validities for fact in (BONN, BERLIN)}
        (bonn,), (berlin,) = after[BONN], after[BERLIN]
        assert (bonn.valid_to, bonn.superseded_by) == (100, knowing.statements[BERLIN])
        assert (berlin.valid_from, berlin.valid_to) == (100, None)
        then = bonn.recorded_at - 1
        assert knowing.row(BONN, known_at=then).validities == (
            ValidityRow(
                valid_from=None,
                valid_to=None,
                superseded_by=None,
                recorded_at=before[BONN].recorded_at,
                invalidated_at=bonn.recorded_at,
            ),
        )
        assert knowing.known(known_at=before[BONN].recorded_at - 1) == []
        lsn = bench.store.last_lsn
        await _apply(knowing, timeline)
        assert {fact: knowing.row(fact).validities for fact in (BONN, BERLIN)} == after
        assert bench.store.last_lsn == lsn


async def both_axes_are_asked_apart_and_together(open_store: Opener) -> None:
    """as_of asks the world, known_at the store; without them what holds now; superseded ones on demand."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await _apply(knowing, await _moved(knowing))
        then = knowing.row(BONN).validities[0].recorded_at - 1
        for query, expected in (
            ({}, [BERLIN]),
            ({"now": 99}, [BONN]),
            ({"now": 100}, [BERLIN]),
            ({"as_of": 99}, [BONN]),
            ({"as_of": 100}, [BERLIN]),
            ({"current": False}, [BERLIN, BONN]),
            ({"known_at": then}, [BERLIN, BONN]),
            ({"known_at": then, "as_of": 0}, [BERLIN, BONN]),
            ({"known_at": 1 << 60, "as_of": 0}, [BONN]),
            ({"known_at": 1 << 60}, [BERLIN]),
            ({"known_at": 0}, []),
        ):
            assert knowing.facts(**query) == expected, query
        later = Interval(valid_from=1 << 59, valid_to=None)
        await _apply(knowing, knowing.timeline({BONN: (later,), BERLIN: ()}))
        (validity,) = knowing.row(BONN).validities
        assert knowing.facts(now=1 << 60) == [BONN]
        assert knowing.facts(now=1 << 60, known_at=validity.recorded_at) == []


async def what_is_believed_no_longer_is_history(open_store: Opener) -> None:
    """An empty timeline takes a statement back: it is asked for by known_at alone."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await knowing.learn("Anna lives in Bonn", facts=[BONN])
        recorded_at = knowing.row(BONN).validities[0].recorded_at
        await _apply(knowing, knowing.timeline({BONN: ()}, events=[("statement_retracted", BONN)]))
        assert knowing.known(current=False) == []
        assert knowing.facts(known_at=recorded_at) == [BONN]
        (row,) = bench.store.group(knowing.number, knowing.entities["Anna"], "lives_in")
        assert (row.validities, row.evidence_count) == ((), 1)
        await _apply(knowing, knowing.timeline({BONN: (ALWAYS,)}, events=True))
        assert knowing.facts() == [BONN]


async def a_statement_may_hold_more_than_once(open_store: Opener) -> None:
    """Intervals given twice count once; each is kept, closed and opened by itself."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await knowing.learn("Anna lives in Bonn", facts=[BONN])
        early, late = Interval(valid_from=10, valid_to=20), Interval(valid_from=30, valid_to=None)
        await _apply(knowing, knowing.timeline({BONN: (early, late, early)}))
        first = knowing.row(BONN).validities
        assert [(each.valid_from, each.valid_to) for each in first] == [(10, 20), (30, None)]
        assert [knowing.facts(as_of=at) for at in (9, 10, 25, 30)] == [[], [BONN], [], [BONN]]
        assert [each.valid_from for each in knowing.row(BONN, as_of=35).validities] == [30]
        await _apply(knowing, knowing.timeline({BONN: (early, Interval(valid_from=40, valid_to=None))}))
        second = knowing.row(BONN).validities
        assert second[0] == first[0]
        assert (second[1].valid_from, second[1].recorded_at > first[1].recorded_at) == (40, True)


async def the_log_tells_what_changed_by_ids_alone(open_store: Opener) -> None:
    """Each event once, with what superseded the statement; of what stayed as it was it tells nothing."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        timeline = await _moved(knowing)
        start = bench.store.last_lsn + 1
        await _apply(knowing, timeline)
        (entry,) = bench.store.log(start, 9)
        ids = {fact: number_id("stm", number) for fact, number in knowing.statements.items()}
        assert (entry.type, entry.dataset, entry.slot) == ("statement_superseded", knowing.number, None)
        assert dict(entry.payload) == {
            "statement": ids[BONN],
            "subject": number_id("ent", knowing.entities["Anna"]),
            "predicate": "lives_in",
            "superseded_by": ids[BERLIN],
        }
        await _apply(knowing, knowing.timeline({BERLIN: (), BONN: (ALWAYS,)}, events=[("statement_retracted", BERLIN)]))
        (entry,) = bench.store.log(start + 1, 9)
        assert (entry.type, "superseded_by" in entry.payload) == ("statement_retracted", False)


async def contradictions_are_those_of_the_last_timeline(open_store: Opener) -> None:
    """A pair is told of by both its ends; a later timeline of the group replaces the pairs, another group's does not."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await _moved(knowing)
        likes: Fact = ("Anna", "likes", '"tea"')
        await knowing.learn("Anna likes tea", facts=[likes])
        bonn, berlin = knowing.statements[BONN], knowing.statements[BERLIN]
        both = {BONN: (ALWAYS,), BERLIN: (ALWAYS,)}
        told = [("statement_contradicted", BERLIN), ("statement_contradicted", BONN)]
        clash = knowing.timeline(both, events=told, contradictions=((berlin, bonn), (berlin, 999)))
        start = bench.store.last_lsn + 1
        await _apply(knowing, clash)
        await _apply(knowing, knowing.timeline({likes: (ALWAYS,)}))
        await _apply(knowing, clash)
        assert [entry.type for entry in bench.store.log(start, 9)] == ["statement_contradicted"] * 2
        assert (knowing.row(BONN).contradicts, knowing.row(BERLIN).contradicts) == ((berlin,), (bonn,))
        await _apply(knowing, knowing.timeline(both))
        assert (knowing.row(BONN).contradicts, knowing.row(BERLIN).contradicts) == ((), ())


async def what_is_not_there_supersedes_nothing(open_store: Opener) -> None:
    """Unknown statements in a timeline are passed over; one that is deleted later is named by nobody."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        timeline = await _moved(knowing)
        await _apply(knowing, timeline)
        slot = knowing.row(BERLIN).evidence[0].slot
        unknown = Timeline(subject=knowing.entities["Anna"], family="lives_in", intervals={999: (ALWAYS,)})
        await _apply(knowing, unknown)
        await bench.store.write_graph(GraphWrite(dataset=knowing.number, slot=slot, version=1))
        (validity,) = knowing.row(BONN).validities
        assert (validity.valid_to, validity.superseded_by) == (100, None)
        by_nobody = Interval(valid_from=None, valid_to=100, superseded_by=knowing.statements[BERLIN])
        await _apply(knowing, knowing.timeline({BONN: (by_nobody,)}))
        assert knowing.row(BONN).validities == (validity,)


CHECKS: tuple[Check, ...] = (
    a_timeline_is_believed_from_its_commit_on,
    both_axes_are_asked_apart_and_together,
    what_is_believed_no_longer_is_history,
    a_statement_may_hold_more_than_once,
    the_log_tells_what_changed_by_ids_alone,
    contradictions_are_those_of_the_last_timeline,
    what_is_not_there_supersedes_nothing,
)
