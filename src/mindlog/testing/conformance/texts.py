"""Checks of the texts of a remember: kept with their memories, read, stored, taken over by the next version of the document."""

from __future__ import annotations

from typing import Any

from mindlog.errors import InvalidInput, LeaseLost, RevisionGone, VersionConflict
from mindlog.ids import MemoryId, run_id
from mindlog.records import MemoryState
from mindlog.store.documentrows import NewPoint, NewSeries, SeriesWrite, TextKey
from mindlog.store.runrows import HELD_BACK, InferenceQuery, InferenceRow, RunQuery
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused, together
from mindlog.testing.conformance.graph import LIVES
from mindlog.testing.conformance.papers import Papers
from mindlog.testing.conformance.work import claim, pending, run_of

__all__ = ["CHECKS"]


def _derivation(bench: Bench, slot: int) -> int:
    """Return the run of the memory's current revision."""
    return bench.store.runs_of(slot)[0].id


def _call(run: str) -> InferenceRow:
    """Return a model call of the run."""
    return InferenceRow(
        id="inf_1",
        run_id=run,
        stage="store",
        dataset="default",
        provider="p",
        model="m",
        mode="chat",
        parameters={},
        prompt=(("user", "a secret"),),
        prompt_hash="h",
        output="a secret",
        output_hash="h",
        input_tokens=1,
        output_tokens=1,
        cost=None,
        started_at=1,
        finished_at=2,
        latency_us=1,
        attempt=1,
        error="Odd: a secret",
    )


# -- kept ---------------------------------------------------------------------------------------------------------------
async def a_text_is_there_once_its_memory_is(open_store: Opener) -> None:
    """Both in one commit, whatever else is written at the time; kept again nothing changes."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        run = await papers.begun()
        facts: dict[str, Any] = {"start": 3, "end": 8, "headings": ("A", "Ünder")}
        kept = await together(papers.keep(run, n, f"text {n}", **facts) for n in range(20))
        assert {(each.state, each.was_there) for each in kept} == {("kept", False)}
        lsn, count = bench.store.last_lsn, bench.store.stats().memories
        again = await together(papers.keep(run, 3, "other words") for _ in range(5))
        assert {(each.memory_id, each.state, each.was_there) for each in again} == {(kept[3].memory_id, "kept", True)}
        assert (bench.store.last_lsn, bench.store.stats().memories) == (lsn, count)
    async with opened(open_store) as bench:
        papers = Papers(bench)
        texts = bench.store.texts(run)
        assert [(text.key.position, text.text) for text in texts] == [(n, f"text {n}") for n in range(20)]
        first = texts[0]
        assert (first.memory_id, first.is_live, first.state, first.reading) == (kept[0].memory_id, True, "kept", None)
        assert (first.start, first.end, first.headings, first.source) == (3, 8, ("A", "Ünder"), None)
        assert [text.key.position for text in bench.store.texts(run, "chunk", 17)] == [18, 19]
        assert [text.key.position for text in bench.store.texts(run, "chunk", 3, 2)] == [4, 5]
        assert bench.store.texts(run, "web") == bench.store.texts(999) == []
        assert bench.store.text_of(kept[5].memory_id.slot) == texts[5]
        assert bench.store.text_of(999) is None


async def texts_of_one_group_that_are_the_same_make_one_memory(open_store: Opener) -> None:
    """Twenty callers that race for one text get the same memory."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        run = await papers.begun()
        kept = await together(papers.keep(run, 0, f"words {n}") for n in range(20))
        assert len({each.memory_id for each in kept}) == 1
        assert sorted(each.was_there for each in kept) == [False, *[True] * 19]
        assert bench.store.stats().memories == 1


# -- derivations wait ---------------------------------------------------------------------------------------------------
async def the_derivation_of_a_text_waits_until_it_is_stored(open_store: Opener) -> None:
    """It is work that is not done and yet nobody's to claim, also after a reopen; then it is due, and listeners hear."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        run = await papers.begun()
        slot = (await papers.keep(run, 0, "Anna lives in Berlin")).memory_id.slot
    async with opened(open_store) as bench:
        papers = Papers(bench)
        waiting = _derivation(bench, slot)
        assert (await claim(bench), bench.store.next_due(), pending(bench)) == ([], None, 1)
        row = run_of(bench, waiting)
        assert (row.state, row.due_at) == ("waiting", HELD_BACK)
        assert [each.id for each in bench.store.runs(RunQuery(state="waiting"))] == [waiting]
        counts = bench.store.run_counts()
        assert (counts.by_state["waiting"], counts.oldest_created_at) == (1, None)
        assert await bench.store.release_leases() == 0
        told: list[int] = []
        bench.store.on_commit(lambda changes: told.append(len(changes)))
        await papers.read(run, 0)
        assert told == []
        await papers.store(run, 0, LIVES)
        assert (told, bench.store.next_due()) == ([0], 0)
        assert [each.id for each in await claim(bench)] == [waiting]


async def the_end_of_a_run_lets_go_of_what_it_has_not_stored(open_store: Opener) -> None:
    """However it ends for good; an attempt that is to be made again does not."""
    async with opened(open_store) as bench:
        for how in ("succeeded", "quarantined", "cancelled"):
            papers = Papers(bench)
            run = await papers.begun(how, how)
            first = (await papers.keep(run, 0, "one")).memory_id
            await papers.keep(run, 1, "two")
            await papers.read(run, 1)
            await bench.store.edit(bench.edit(bench.get(first.slot), "by hand"))
            await papers.end(run, None, due_at=1)
            assert [each.slot for each in await claim(bench)] == [first.slot]
            claimed = await papers.claim()
            assert claimed is not None
            if how == "cancelled":
                await bench.store.cancel_remember([run])
            else:
                await papers.end(run, how)
            assert [each.slot for each in await claim(bench)] == [first.slot, first.slot + 1]
            assert [text.state for text in bench.store.texts(run)] == ["kept", "read"]


# -- read and stored ----------------------------------------------------------------------------------------------------
async def a_text_is_read_summarised_and_stored_with_what_it_says(open_store: Opener) -> None:
    """The graph, its series and its state in one commit; done again it changes nothing, and a retry can do it anew."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        run = await papers.begun()
        memory_id = (await papers.keep(run, 0, "Anna lives in Berlin")).memory_id
        await bench.store.set_chunks(run, "w", 1)
        await papers.read(run, 0, '{"claims": 1}', "E: refused")
        await bench.store.put_summary("w", TextKey(run=run, origin="chunk", position=0), "Where Anna lives")
        text = papers.text(run, 0)
        assert (text.state, text.reading, text.error) == ("read", '{"claims": 1}', "E: refused")
        assert (text.summary, bench.store.texts(run)[0].reading) == ("Where Anna lives", None)
        assert (papers.row(run).chunks, papers.row(run).read, papers.row(run).stored) == (1, 1, 0)
        points = (NewPoint(at=1, value=2.0, start=0, end=4),)
        series = NewSeries(entity=None, name="Weight", key="weight", unit="kg", dimension="mass", points=points)
        write = SeriesWrite(dataset=bench.number(), slot=memory_id.slot, version=1, series=(series,))
        added = await papers.store(run, 0, LIVES, series=write)
        assert (added["statements"], added["entities"], added["series"], added["points"]) == (1, 2, 1, 1)
        assert papers.knowing.known() != []
        entry = bench.store.log(1, 100)[-1]
        said = {"run": run_id(run, "remember"), "origin": "chunk", "position": 0, "of": 1}
        assert (entry.type, entry.slot, entry.version, entry.payload) == ("text_stored", memory_id.slot, 1, said)
        lsn = bench.store.last_lsn
        assert await papers.store(run, 0, LIVES) == {}
        await papers.read(run, 0, "{}")
        text = papers.text(run, 0)
        assert (text.state, text.reading, bench.store.last_lsn) == ("stored", '{"claims": 1}', lsn)
        assert (papers.row(run).read, papers.row(run).stored) == (1, 1)


async def a_text_is_stored_as_it_is_or_not_at_all(open_store: Opener) -> None:
    """Not for an owner who has lost the run, of another revision, of a memory that was edited or forgotten, nor in part."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        run = await papers.begun()
        edited = (await papers.keep(run, 0, "Anna lives in Berlin")).memory_id
        forgotten = (await papers.keep(run, 1, "Anna lives in Berlin")).memory_id
        await papers.keep(run, 2, "Anna lives in Berlin")
        bad = NewSeries(
            entity=None, name="n", key="n", unit=None, dimension=None, points=(NewPoint(at=1, value=float("nan")),)
        )
        with refused(LeaseLost):
            await papers.store(run, 2, owner="other")
        with refused(InvalidInput):
            await papers.store(run, 2, graph=papers.knowing.write(edited.slot, (), [LIVES]))
        with refused(InvalidInput):
            of = {"dataset": bench.number(), "slot": edited.slot + 2, "version": 1}
            await papers.store(run, 2, LIVES, series=SeriesWrite(series=(bad,), **of))
        with refused(InvalidInput):
            await papers.read(run, 9)
        await bench.store.edit(bench.edit(bench.get(edited.slot), "Anna left"))
        await bench.store.forget(bench.number(), [forgotten.slot])
        for position in (0, 1):
            with refused(RevisionGone):
                await papers.store(run, position)
        assert papers.knowing.known() == []
        assert [text.state for text in bench.store.texts(run)] == ["kept"] * 3


# -- the next version ---------------------------------------------------------------------------------------------------
async def a_new_version_adopts_revises_and_drops(open_store: Opener) -> None:
    """What is the same stays as it is, what changed is history, what is gone is forgotten; switching again changes nothing."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        old = await papers.remembered("same", "changed", "dropped", "mine")
        same, changed, dropped, mine = bench.store.texts(old)
        await bench.store.edit(bench.edit(bench.get(mine.memory_id.slot), "edited by hand"))
        run = await papers.begun(title="On Anna, again")
        adopted = await papers.adopt(run, 0, same)
        assert (adopted.memory_id, adopted.state, adopted.was_there) == (same.memory_id, "stored", False)
        revised = await papers.revise(run, 1, bench.get(changed.memory_id.slot), "it changed")
        assert (revised.memory_id, revised.state) == (MemoryId(0, changed.memory_id.slot, 2), "kept")
        assert run_of(bench, _derivation(bench, changed.memory_id.slot)).due_at == HELD_BACK
        await papers.keep(run, 2, "new")
        assert papers.words() == ["same", "dropped"]
        lsn = bench.store.last_lsn
        for again in (await papers.adopt(run, 0, same), await papers.revise(run, 1, bench.get(1), "else")):
            assert again.was_there
        assert bench.store.last_lsn == lsn
        assert await bench.store.switch_document(run, "w") == 1
        assert papers.words() == ["same", "it changed", "new"]
        lsn = bench.store.last_lsn
        assert (await bench.store.switch_document(run, "w"), bench.store.last_lsn) == (0, lsn)
        states = {slot: bench.get(slot).state for slot in (dropped.memory_id.slot, mine.memory_id.slot)}
        assert states == {dropped.memory_id.slot: MemoryState.FORGOTTEN, mine.memory_id.slot: MemoryState.LIVE}
        shown = bench.store.document(bench.number(), "doc_1")
        assert shown is not None
        assert (shown.run, shown.chunks, shown.title) == (run, 3, "On Anna, again")
        found = bench.store.text_of(same.memory_id.slot)
        assert found is not None
        assert (found.key.run, found.state) == (run, "stored")


async def a_memory_that_is_not_as_it_was_is_neither_adopted_nor_revised(open_store: Opener) -> None:
    """What a text's reading is worth depends on the revision it was read from."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        old = await papers.remembered("one", "two")
        one, two = bench.store.texts(old)
        before = bench.get(one.memory_id.slot)
        await bench.store.edit(bench.edit(before, "by hand"))
        await bench.store.forget(bench.number(), [two.memory_id.slot])
        run = await papers.begun()
        with refused(VersionConflict):
            await papers.revise(run, 0, before, "one and a half")
        for text in (one, two):
            with refused(RevisionGone):
                await papers.adopt(run, 0, text)
        assert bench.store.texts(run) == []


async def nothing_of_a_forgotten_text_is_shown(open_store: Opener) -> None:
    """Neither its words nor what was made of them, nor details of errors and outputs of a run that has ended with it."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        run = await papers.begun()
        memory_id = (await papers.keep(run, 0, "a secret", headings=("Secrets",))).memory_id
        await papers.keep(run, 1, "no secret")
        await bench.store.switch_document(run, "w")
        await papers.read(run, 0, '{"secret": 1}', "Odd: a secret")
        await bench.store.put_summary("w", TextKey(run=run, origin="chunk", position=0), "a secret")
        await papers.settle(run, "store", "failed", error="Odd: a secret", output={"secret": 1})
        await bench.store.add_inference(_call(run_id(run, "remember")))
        assert [call.output for call in bench.store.inferences(InferenceQuery())] == ["a secret"]
        await bench.store.forget(bench.number(), [memory_id.slot])
        (call,) = bench.store.inferences(InferenceQuery(run_id=run_id(run, "remember")))
        assert (call.prompt, call.output, call.error) == (None, None, "Odd")
        assert bench.store.remember_outputs(run) == {"store": {"secret": 1}}
        await papers.end(run, "failed", error="store failed: a secret")
        text = papers.text(run, 0)
        assert (text.is_live, text.text, text.headings, text.summary, text.reading) == (False, "", (), None, None)
        assert text.error == "Odd"
        row = papers.row(run)
        assert (row.error, [stage.error for stage in row.stages if stage.error]) == ("store failed", ["Odd"])
        assert row.is_hidden
        assert bench.store.remember_outputs(run) == {}
        assert bench.store.remember_runs(RunQuery(text="a secret")) == []
        assert papers.words() == ["no secret"]
        shown = bench.store.document(bench.number(), "doc_1")
        assert shown is not None
        assert shown.chunks == 1
        await bench.store.restore(bench.number(), [memory_id.slot], 0)
        assert (papers.text(run, 0).text, papers.row(run).error) == ("a secret", "store failed: a secret")
        assert not papers.row(run).is_hidden


#: The checks of this module.
CHECKS: tuple[Check, ...] = (
    a_text_is_there_once_its_memory_is,
    texts_of_one_group_that_are_the_same_make_one_memory,
    the_derivation_of_a_text_waits_until_it_is_stored,
    the_end_of_a_run_lets_go_of_what_it_has_not_stored,
    a_text_is_read_summarised_and_stored_with_what_it_says,
    a_text_is_stored_as_it_is_or_not_at_all,
    a_new_version_adopts_revises_and_drops,
    a_memory_that_is_not_as_it_was_is_neither_adopted_nor_revised,
    nothing_of_a_forgotten_text_is_shown,
)
