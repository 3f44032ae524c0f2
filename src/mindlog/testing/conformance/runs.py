"""Checks of derivation runs: claims and leases, how attempts and runs end, fresh starts."""

from __future__ import annotations

from mindlog.errors import LeaseLost
from mindlog.ids import number_id
from mindlog.store.runrows import RunEnd, StageRow
from mindlog.testing.conformance.bench import Check, Opener, opened, refused, together
from mindlog.testing.conformance.work import LEASE_US, STAGES, claim, ended, lived, pending, run_of, settle, stage_of

__all__ = ["CHECKS"]


# -- claims and leases --------------------------------------------------------------------------------------------------
async def every_revision_has_a_run_of_its_own(open_store: Opener) -> None:
    """Its id is the revision's LSN; it waits, with no stage begun, and survives a reopen."""
    async with opened(open_store) as bench:
        first = await bench.persist("one")
        second = await bench.store.edit(bench.edit(bench.get(first.id.slot), "two"))
    async with opened(open_store) as bench:
        rows = bench.store.runs_of(first.id.slot)
        assert [(row.id, row.slot, row.version) for row in rows] == [
            (second.lsn, first.id.slot, 2),
            (first.lsn, first.id.slot, 1),
        ]
        assert bench.store.runs_of(first.id.slot, 1) == rows[1:]
        assert bench.store.run(second.lsn) == rows[0]
        assert {(row.status, row.state, row.attempts, row.dataset) for row in rows} == {
            ("started", "waiting", 0, "default")
        }
        assert [(stage.name, stage.status) for stage in rows[0].stages] == [(name, "not_started") for name in STAGES]
        assert (pending(bench), bench.store.next_due()) == (2, 0)
        assert bench.store.run(999) is None
        assert bench.store.runs_of(999) == []


async def runs_are_claimed_in_the_order_they_were_written(open_store: Opener) -> None:
    """A claim takes no more than asked for, counts the attempt and is not given to another."""
    async with opened(open_store) as bench:
        lsns = [persisted.lsn for persisted in await bench.fill(f"text {n}" for n in range(7))]
        first = await claim(bench, "a", 3)
        second = await claim(bench, "b", 100)
        assert [run.id for run in first] == lsns[:3]
        assert [run.id for run in second] == lsns[3:]
        assert await claim(bench, "c") == []
        assert {run.attempts for run in first} == {1}
        row = run_of(bench, lsns[0])
        assert (row.state, row.attempts, row.created_at) == ("running", 1, first[0].created_at)
        assert (first[0].slot, first[0].version, first[0].dataset) == (row.slot, row.version, bench.number())
        assert bench.store.next_due() == min(run_of(bench, lsn).due_at for lsn in lsns)
    async with opened(open_store) as bench:
        assert await claim(bench, "d") == []
        assert (pending(bench), run_of(bench, lsns[-1]).state) == (7, "running")


async def racing_workers_never_hold_the_same_run(open_store: Opener) -> None:
    """Twenty claims at once share out what there is."""
    async with opened(open_store) as bench:
        lsns = [persisted.lsn for persisted in await bench.fill(f"text {n}" for n in range(50))]
        shares = await together(claim(bench, f"w{n}", 4) for n in range(20))
        assert sorted(run.id for share in shares for run in share) == lsns


async def new_runs_go_before_those_that_are_tried_again(open_store: Opener) -> None:
    """Among these the one that is due the longest is first; what is not due is not claimed."""
    async with opened(open_store) as bench:
        lsns = [persisted.lsn for persisted in await bench.fill(["a", "b", "c"])]
        now = (await claim(bench))[0].created_at
        for lsn, due_at in zip(lsns, (now - 5, now - 9, now + LEASE_US), strict=True):
            await ended(bench, lsn, None, due_at=due_at, error="E: why")
        new = (await bench.persist("d")).lsn
        assert [run_of(bench, lsn).state for lsn in lsns] == ["retrying"] * 3
        assert bench.store.next_due() == 0
        assert [run.id for run in await claim(bench)] == [new, lsns[1], lsns[0]]


async def a_lease_that_is_over_can_be_claimed_by_another(open_store: Opener) -> None:
    """Then the first one can commit nothing more, and the attempt is counted again."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        (run,) = await claim(bench, "a", lease_us=0)
        await bench.store.commit_stage(settle(run.id, "memory_text", owner="a"))
        (again,) = await claim(bench, "b")
        assert (again.id, again.attempts, stage_of(again, "memory_text").status) == (run.id, 2, "succeeded")
        with refused(LeaseLost):
            await bench.store.commit_stage(settle(run.id, "hype", owner="a"))
        with refused(LeaseLost):
            await ended(bench, run.id, owner="a")
        assert await bench.store.renew_leases("a", [run.id], LEASE_US) == []
        assert stage_of(run_of(bench, run.id), "hype").status == "not_started"


async def leases_are_renewed_and_released(open_store: Opener) -> None:
    """Renewing holds on to what is still one's own; releasing makes runs due at once, for one owner or for all."""
    async with opened(open_store) as bench:
        lsns = [persisted.lsn for persisted in await bench.fill(["a", "b", "c", "d"])]
        await claim(bench, "a", 2, lease_us=0)
        await claim(bench, "b", 2)
        assert await bench.store.renew_leases("a", [lsns[1], lsns[0], lsns[2], 999], LEASE_US) == [lsns[1], lsns[0]]
        assert await claim(bench, "c") == []
        await bench.store.start_stage(lsns[0], "a", "hype", 5)
        assert await bench.store.release_leases("a") == 2
        assert stage_of(run_of(bench, lsns[0]), "hype").status == "not_started"
        assert [run.id for run in await claim(bench, "c")] == lsns[:2]
        assert await bench.store.release_leases() == 4
        assert await bench.store.release_leases() == 0
        assert [run.attempts for run in await claim(bench, "d")] == [3, 3, 2, 2]


# -- ends ---------------------------------------------------------------------------------------------------------------
async def a_run_ends_once_and_says_how(open_store: Opener) -> None:
    """Every final end has its status, state, event and count; after it the run is nobody's."""
    async with opened(open_store) as bench:
        ends = ("succeeded", "failed", "quarantined", "cancelled", "superseded")
        await bench.fill(ends)
        for number, (run, how) in enumerate(zip(await claim(bench), ends, strict=True), start=1):
            await bench.store.commit_stage(settle(run.id, "auto_edge", "failed", error="E: x"))
            await bench.store.start_stage(run.id, "w", "hype", 1)
            lsn = await bench.store.end_run(RunEnd(run=run.id, owner="w", ended_as=how, error="auto_edge: E: x"))
            row = run_of(bench, run.id)
            status = "succeeded" if how == "succeeded" else "failed"
            assert (row.status, row.state, row.error) == (status, how, "auto_edge: E: x")
            assert row.finished_at is not None
            broken_off = how in ("cancelled", "superseded")
            assert stage_of(row, "extractor").status == ("skipped" if broken_off else "not_started")
            assert (stage_of(row, "hype").status == "skipped") is broken_off
            assert lsn is not None
            assert lsn == bench.store.last_lsn
            entry = bench.store.log(lsn, 1)[0]
            said = {"run": number_id("enc", run.id), "operation": "encode", "status": status, "state": how}
            said |= {"error": "auto_edge"}
            assert (entry.type, entry.payload) == ("run_finished", said | {"failed_stages": ["auto_edge"]})
            assert pending(bench) == len(ends) - number
            with refused(LeaseLost):
                await ended(bench, run.id)
            with refused(LeaseLost):
                await bench.store.commit_stage(settle(run.id, "hype"))
        assert bench.store.next_due() is None
    async with opened(open_store) as bench:
        assert (pending(bench), await claim(bench)) == (0, [])
        assert [row.state for row in map(bench.store.runs_of, range(1, 6)) for row in row] == list(ends)


async def an_attempt_that_goes_on_later_keeps_the_run_open(open_store: Opener) -> None:
    """No event, the error shown, the attempt counted or given back."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        (run,) = await claim(bench)
        lsn = bench.store.last_lsn
        end = RunEnd(run=run.id, owner="w", ended_as=None, error="E: later", due_at=run.created_at + LEASE_US)
        assert await bench.store.end_run(end) is None
        row = run_of(bench, run.id)
        assert (row.status, row.state, row.attempts, row.error) == ("started", "retrying", 1, "E: later")
        assert (row.due_at, bench.store.next_due()) == (end.due_at, end.due_at)
        assert (bench.store.last_lsn, pending(bench), await claim(bench)) == (lsn, 1, [])
        await bench.store.cancel_runs([run.id])
        await bench.store.retry_runs([run.id])
        await claim(bench)
        await ended(bench, run.id, None, counted=False)
        assert (run_of(bench, run.id).state, run_of(bench, run.id).attempts) == ("waiting", 0)


async def a_cancelled_run_is_lost_to_its_worker(open_store: Opener) -> None:
    """Waiting, held and retrying runs can be cancelled, ended ones cannot; the stages left are skipped."""
    async with opened(open_store) as bench:
        done = await lived(bench, "done")
        held, waiting = await bench.fill(["held", "waiting"])
        (run,) = await claim(bench, limit=1)
        await bench.store.commit_stage(settle(run.id, "auto_edge"))
        assert await bench.store.cancel_runs([done.lsn, waiting.lsn, held.lsn, 999]) == [held.lsn, waiting.lsn]
        assert await bench.store.cancel_runs([held.lsn]) == []
        with refused(LeaseLost):
            await bench.store.commit_stage(settle(run.id, "hype"))
        row = run_of(bench, held.lsn)
        assert (row.state, row.status, pending(bench)) == ("cancelled", "failed", 0)
        assert [stage.status for stage in row.stages] == ["succeeded", *["skipped"] * (len(STAGES) - 1)]
        assert [entry.type for entry in bench.store.log(bench.store.last_lsn - 1, 2)] == ["run_finished"] * 2


# -- fresh starts -------------------------------------------------------------------------------------------------------
async def a_run_that_failed_is_started_again_where_it_stood(open_store: Opener) -> None:
    """What succeeded stays; the rest, its outputs and the attempts are forgotten; the count is right in another life."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        (run,) = await claim(bench)
        await bench.store.commit_stage(settle(run.id, "auto_edge", output={"n": 1}))
        await bench.store.commit_stage(
            settle(run.id, "hype", "failed", error="E: x", inference_ids=("i",), output={"n": 2})
        )
        await ended(bench, run.id, "quarantined", error="hype: E")
        assert await bench.store.retry_runs([run.id, 999]) == [run.id]
        assert await bench.store.retry_runs([run.id]) == []
        entry = bench.store.log(bench.store.last_lsn, 1)[0]
        assert (entry.type, entry.payload["run"]) == ("run_restarted", number_id("enc", run.id))
    async with opened(open_store) as bench:
        row = run_of(bench, run.id)
        assert (row.state, row.attempts, row.error, row.finished_at) == ("waiting", 0, None, None)
        assert stage_of(row, "auto_edge").status == "succeeded"
        blank = StageRow(
            name="hype", status="not_started", error=None, started_at=None, finished_at=None, inference_ids=()
        )
        assert stage_of(row, "hype") == blank
        assert (bench.store.run_outputs(run.id), pending(bench)) == ({"auto_edge": {"n": 1}}, 1)
        assert [claimed.attempts for claimed in await claim(bench)] == [1]


async def a_run_that_succeeded_is_started_again_for_the_stages_named(open_store: Opener) -> None:
    """Without a stage named there is nothing to do; a stage named is done again though it succeeded."""
    async with opened(open_store) as bench:
        done = await lived(bench)
        assert await bench.store.retry_runs([done.lsn]) == []
        assert (run_of(bench, done.lsn).state, pending(bench)) == ("succeeded", 0)
        assert await bench.store.retry_runs([done.lsn], ["hype", "hype"]) == [done.lsn]
        row = run_of(bench, done.lsn)
        assert [stage.name for stage in row.stages if stage.status == "not_started"] == ["hype"]
        assert (row.state, pending(bench)) == ("waiting", 1)


async def a_run_whose_revision_is_gone_is_not_started_again(open_store: Opener) -> None:
    """Neither after an edit nor while the memory is forgotten."""
    async with opened(open_store) as bench:
        edited = await lived(bench, "edited", "failed")
        forgotten = await lived(bench, "forgotten", "failed")
        await bench.store.edit(bench.edit(bench.get(edited.id.slot), "anew"))
        await bench.store.forget(bench.number(), [forgotten.id.slot])
        assert await bench.store.retry_runs([edited.lsn, forgotten.lsn]) == []
        assert pending(bench) == 1
        await bench.store.restore(bench.number(), [forgotten.id.slot], 0)
        assert await bench.store.retry_runs([edited.lsn, forgotten.lsn]) == [forgotten.lsn]


async def a_restored_memory_has_its_given_up_run_started_again(open_store: Opener) -> None:
    """A run that was superseded by the forget goes on; one that ended otherwise is left alone."""
    async with opened(open_store) as bench:
        done = await lived(bench, "done")
        persisted = await bench.persist("text")
        (run,) = await claim(bench)
        await bench.store.commit_stage(settle(run.id, "auto_edge"))
        await bench.store.forget(bench.number(), [persisted.id.slot, done.id.slot])
        await ended(bench, run.id, "superseded")
        assert pending(bench) == 0
        await bench.store.restore(bench.number(), [persisted.id.slot, done.id.slot], 0)
        row = run_of(bench, run.id)
        assert (row.state, pending(bench), run_of(bench, done.lsn).state) == ("waiting", 1, "succeeded")
        assert [stage.status for stage in row.stages] == ["succeeded", *["not_started"] * (len(STAGES) - 1)]
        assert [claimed.id for claimed in await claim(bench)] == [run.id]


CHECKS: tuple[Check, ...] = (
    every_revision_has_a_run_of_its_own,
    runs_are_claimed_in_the_order_they_were_written,
    racing_workers_never_hold_the_same_run,
    new_runs_go_before_those_that_are_tried_again,
    a_lease_that_is_over_can_be_claimed_by_another,
    leases_are_renewed_and_released,
    a_run_ends_once_and_says_how,
    an_attempt_that_goes_on_later_keeps_the_run_open,
    a_cancelled_run_is_lost_to_its_worker,
    a_run_that_failed_is_started_again_where_it_stood,
    a_run_that_succeeded_is_started_again_for_the_stages_named,
    a_run_whose_revision_is_gone_is_not_started_again,
    a_restored_memory_has_its_given_up_run_started_again,
)
