"""Checks of what may be seen of derived knowledge when memories are forgotten, restored and edited, and what is stale then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mindlog.store.graphrows import (
    AliasRow,
    GraphWrite,
    Interval,
    MemoryEdges,
    MemoryQuestions,
    MemoryTerms,
    NewEdge,
)
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened
from mindlog.testing.conformance.knowing import ALWAYS, Fact, Knowing, listed, stage

__all__ = ["CHECKS"]

PARIS: Fact = ("Xenia", "lives_in", "Paris")
KNOWS: Fact = ("Xenia", "knows", "Anna")
LIKES: Fact = ("Anna", "likes", '"tea"')


async def _told(knowing: Knowing) -> int:
    """Write two memories about Anna, the second of which alone speaks of Xenia, whole; returns the second's slot."""
    bench, store = knowing.bench, knowing.bench.store
    first = await bench.persist("Anna likes tea")
    second = await bench.persist("Xenia lives in Paris, knows Anna, a.k.a. Annuschka")
    for run in await store.claim_runs("w", 9, 10**9):
        slot = run.slot
        write = knowing.write(slot, [], [LIKES] if slot == first.id.slot else [PARIS, KNOWS])
        other = first.id.slot if slot == second.id.slot else second.id.slot
        if slot == second.id.slot:
            also = AliasRow(entity=knowing.entities["Anna"], key="annuschka", name="Annuschka")
            proposal = knowing.proposal("Anna", "Xenia")
            write = replace(write, aliases=(*write.aliases, also), proposals=(proposal,))
        questions = MemoryQuestions(source="llm", texts=(f"Who {slot}?",), vectors=bench.vectors(f"Who {slot}?"))
        links = MemoryEdges(made_by="auto_edge", edges=(NewEdge(target=other, kind="similar_to", weight=0.9),))
        for name, results in (
            ("extractor", write),
            ("memory_text", MemoryTerms(terms=("x", str(slot)))),
            ("hype", questions),
            ("auto_edge", links),
        ):
            await store.commit_stage(stage(run.id, name, results))
    return second.id.slot


def _seen(bench: Bench) -> dict[str, Any]:
    """Return what every read says of it all."""
    store, number = bench.store, bench.number()
    keys = ["anna", "annuschka", "xenia", "paris"]
    rows = listed(bench)
    knowing = Knowing(bench)
    return {
        "entities": rows,
        "by_id": store.entities(number, range(1, 9)),
        "by_key": store.entities_by_key(number, keys),
        "alike": [store.entities_like(number, key, 9) for key in keys],
        "statements": knowing.known(current=False),
        "once": knowing.known(known_at=1 << 60, current=False),
        "evidence": [store.evidence(number, 9) for number in range(1, 9)],
        "in_time": store.evidence_in_time(number, 0, 1 << 60, 9),
        "mentions": store.mentions(range(1, 9)),
        "slots": store.mention_slots(number, range(1, 9), 9),
        "proposals": store.proposals(number, None, 9),
        "edges": store.edges(range(1, 9)),
        "terms": [store.terms(slot) for slot in range(1, 9)],
        "questions": store.questions(range(1, 9)),
        "vectors": [(number, slot) for number, slot, _, _ in store.question_vectors(0, 9)],
    }


async def a_forgotten_memory_leaves_no_trace_in_any_read(open_store: Opener) -> None:
    """Nothing tells of what it alone said, counts neither; a thing that others name stays; a restore brings all back."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slot = await _told(knowing)
        before = _seen(bench)
        assert [name in repr(before) for name in ("Xenia", "Paris", "Annuschka")] == [True] * 3
        assert (len(before["edges"]), len(before["proposals"]), before["entities"]["Anna"].mentions) == (1, 1, 2)
        await bench.store.forget(knowing.number, [slot])
    async with opened(open_store) as bench:
        after = _seen(bench)
        for trace in ("Xenia", "Paris", "Annuschka", f"slot={slot}", f"Who {slot}"):
            assert trace not in repr(after), trace
        assert (after["edges"], after["proposals"], after["once"]) == ([], [], after["statements"])
        anna = after["entities"]["Anna"]
        assert (anna.mentions, anna.statements, anna.aliases) == (1, 1, ("Anna",))
        assert [row.text for row in after["statements"]] == ['Anna likes "tea"']
        assert [row.slot for row in after["questions"]] == [each for _, each in after["vectors"]] == [slot - 1]
        await bench.store.restore(bench.number(), [slot], 0)
        assert _seen(bench) == before


async def an_entity_is_called_as_its_live_memories_call_it(open_store: Opener) -> None:
    """The name a forgotten memory gave is not shown, by the entity, its statements or a search; a merge changes nothing of that."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slot = (await knowing.learn("Anna Bloch is here", ["Anna Bloch"])).id.slot
        knowing.entities["Anna"] = knowing.entities["Anna Bloch"]
        await knowing.learn("Anna likes tea", facts=[LIKES])
        await knowing.learn("Ann is here", ["Ann"])
        assert listed(bench)["Anna Bloch"].aliases == ("Anna Bloch", "Anna")
        await bench.store.forget(knowing.number, [slot])
        assert (listed(bench)["Anna"].aliases, knowing.row(LIKES).subject_name) == (("Anna",), "Anna")
        assert bench.store.entities_by_key(knowing.number, ["anna bloch"]) == {"anna bloch": []}
        assert [row.name for row, _ in bench.store.entities_like(knowing.number, "anna bloch", 9)] == ["Anna", "Ann"]
        await bench.store.merge_entities(knowing.number, knowing.entities["Ann"], knowing.entities["Anna"], "one")
        assert [row.aliases for row in listed(bench).values()] == [("Anna", "Ann")]
        await bench.store.restore(knowing.number, [slot], 0)
        assert [row.aliases for row in listed(bench).values()] == [("Anna Bloch", "Anna", "Ann")]


async def an_edit_hides_what_the_former_revision_said(open_store: Opener) -> None:
    """At once, without waiting for anybody; it stays to be asked for by known_at, and its entities keep their ids."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slot = await _told(knowing)
        recorded_at = knowing.row(PARIS).validities[0].recorded_at
        await bench.store.edit(bench.edit(bench.get(slot), "Anna likes tea, says Xenia"))
        assert knowing.facts() == [LIKES]
        assert list(listed(bench)) == ["Anna"]
        assert bench.store.entities(knowing.number, [knowing.entities["Xenia"]]) == []
        assert bench.store.mentions([slot]) == {}
        (lives,) = bench.store.group(knowing.number, knowing.entities["Xenia"], "lives_in")
        assert (lives.evidence, lives.evidence_count, len(lives.validities)) == ((), 0, 1)
        assert (bench.store.terms(slot), bench.store.questions([slot])) == ((), [])
        assert [each for _, each, _, _ in bench.store.question_vectors(0, 9)] == [slot - 1]
        assert bench.store.edges([slot]) == []
        assert {*knowing.facts(known_at=recorded_at)} == {PARIS, KNOWS, LIKES}
        (then,) = knowing.known(known_at=recorded_at, ids=(knowing.statements[PARIS],))
        assert [(each.slot, each.version) for each in then.evidence] == [(slot, 1)]
        assert (then.subject_name, then.evidence_count) == ("Xenia", 1)
        (xenia,) = bench.store.entities_by_key(knowing.number, ["xenia"])["xenia"]
        assert (xenia.id, xenia.mentions, xenia.statements) == (knowing.entities["Xenia"], 0, 0)
        await bench.store.write_graph(knowing.write(slot, ["Xenia"], [LIKES]))
        assert listed(bench)["Xenia"].id == xenia.id
        assert knowing.row(LIKES).evidence_count == 2
        await bench.store.forget(knowing.number, [slot])
        assert knowing.facts(known_at=recorded_at) == [LIKES]


async def what_nobody_may_see_supersedes_and_contradicts_nobody(open_store: Opener) -> None:
    """The ids of hidden statements are not told either."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        tea: Fact = ("Anna", "drinks", '"tea"')
        milk: Fact = ("Anna", "drinks", '"milk"')
        await knowing.learn("Anna drinks tea", facts=[tea])
        slot = (await knowing.learn("Anna drinks milk", facts=[milk])).id.slot
        ended = Interval(valid_from=None, valid_to=9, superseded_by=knowing.statements[milk])
        pair = (knowing.statements[tea], knowing.statements[milk])
        timeline = knowing.timeline({tea: (ended,), milk: (ALWAYS,)}, contradictions=(pair,))
        await bench.store.write_graph(GraphWrite(dataset=knowing.number, timelines=(timeline,)))
        before = knowing.row(tea)
        assert (before.validities[0].superseded_by, before.contradicts) == (pair[1], (pair[1],))
        await bench.store.forget(knowing.number, [slot])
        after = knowing.row(tea)
        assert (after.validities[0].superseded_by, after.contradicts) == (None, ())
        await bench.store.restore(knowing.number, [slot], 0)
        assert knowing.row(tea) == before


async def what_changes_evidence_makes_its_groups_stale(open_store: Opener) -> None:
    """Edits, forgets and restores mark their groups in their own commit; a write settles what it has seen and no more."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slot = await _told(knowing)
        plain = (await bench.persist("says nothing")).id.slot
        number, store = knowing.number, bench.store
        await store.forget(number, [plain])
        await store.restore(number, [plain], 0)
        await store.edit(bench.edit(bench.get(plain), "says nothing still"))
        assert store.stale_groups(9) == []
        forgotten = await store.forget(number, [slot])
        xenia = knowing.entities["Xenia"]
        lives, knows = ((number, xenia, family, forgotten.lsn) for family in ("lives_in", "knows"))
        assert store.stale_groups(9) == [knows, lives]
        assert store.stale_groups(1) == [knows]
    async with opened(open_store) as bench:
        store = bench.store
        assert store.stale_groups(9) == [knows, lives]
        restored = await store.restore(number, [slot], 0)
        assert [group[3] > (forgotten.lsn or 0) for group in store.stale_groups(9)] == [True, True]
        settled = [(xenia, family, forgotten.lsn or 0) for family in ("knows", "lives_in")]
        await store.write_graph(GraphWrite(dataset=number, settled=tuple(settled)))
        assert len(store.stale_groups(9)) == 2
        newest = max(store.last_lsn, restored.lsn or 0)
        await store.write_graph(GraphWrite(dataset=number, settled=((xenia, "knows", newest),)))
        assert [group[:3] for group in store.stale_groups(9)] == [(number, xenia, "lives_in")]
        edited = await store.edit(bench.edit(bench.get(slot), "something else"))
        assert store.stale_groups(9) == [(number, xenia, family, edited.lsn) for family in ("knows", "lives_in")]


CHECKS: tuple[Check, ...] = (
    a_forgotten_memory_leaves_no_trace_in_any_read,
    an_entity_is_called_as_its_live_memories_call_it,
    an_edit_hides_what_the_former_revision_said,
    what_nobody_may_see_supersedes_and_contradicts_nobody,
    what_changes_evidence_makes_its_groups_stale,
)
