"""Checks of stage commits: what is on record of a stage, and when nothing of it is."""

from __future__ import annotations

from typing import Any

from mindlog.errors import InvalidInput, RevisionGone
from mindlog.ids import number_id
from mindlog.store.runrows import StageRow
from mindlog.testing.conformance.bench import Check, Opener, opened, refused
from mindlog.testing.conformance.work import claim, ended, pending, run_of, settle, stage_of

__all__ = ["CHECKS"]


async def a_stage_is_on_record_with_all_there_is_to_say(open_store: Opener) -> None:
    """Status, error, times, model calls and output are read back after a reopen, and the log tells of it."""
    async with opened(open_store) as bench:
        persisted = await bench.persist("text")
        (run,) = await claim(bench)
        await bench.store.start_stage(run.id, "w", "extractor", 70)
        begun = stage_of(run_of(bench, run.id), "extractor")
        assert (begun.status, begun.started_at, begun.finished_at) == ("started", 70, None)
        facts: dict[str, Any] = {"started_at": 71, "finished_at": 75, "inference_ids": ("inf_1", "inf_2")}
        failed = settle(run.id, "extractor", "failed", error="LlmFailed: secret é", output={"tiers": ["é"]}, **facts)
        outcome = await bench.store.commit_stage(failed)
        assert (outcome.lsn, dict(outcome.added)) == (bench.store.last_lsn, {})
        await bench.store.commit_stage(settle(run.id, "hype", "skipped", started_at=None, finished_at=None))
    async with opened(open_store) as bench:
        row = run_of(bench, run.id)
        assert stage_of(row, "extractor") == StageRow(
            name="extractor", status="failed", error="LlmFailed: secret é", **facts
        )
        hype = stage_of(row, "hype")
        assert (hype.status, hype.started_at, hype.inference_ids) == ("skipped", None, ())
        assert bench.store.run_outputs(run.id) == {"extractor": {"tiers": ["é"]}}
        entry = bench.store.log(outcome.lsn, 1)[0]
        assert (entry.type, entry.slot, entry.version) == ("stage_completed", persisted.id.slot, 1)
        said = {"run": number_id("enc", run.id), "stage": "extractor", "status": "failed", "error": "LlmFailed"}
        assert entry.payload == said


async def a_stage_done_again_replaces_its_record(open_store: Opener) -> None:
    """A second attempt finds what is settled; the later end of a stage is the one on record, its output too."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        (run,) = await claim(bench)
        await bench.store.commit_stage(settle(run.id, "auto_edge", output={"n": 1}))
        await bench.store.commit_stage(settle(run.id, "hype", "failed", error="E: no", output={"n": 2}))
        await ended(bench, run.id, None, error="hype: E")
        (again,) = await claim(bench)
        assert [(stage.name, stage.status) for stage in again.stages if stage.status != "not_started"] == [
            ("auto_edge", "succeeded"),
            ("hype", "failed"),
        ]
        await bench.store.start_stage(run.id, "w", "auto_edge", 99)
        await bench.store.commit_stage(settle(run.id, "hype"))
        row = run_of(bench, run.id)
        assert (stage_of(row, "hype").status, stage_of(row, "hype").error) == ("succeeded", None)
        assert stage_of(row, "auto_edge").status == "succeeded"
        assert bench.store.run_outputs(run.id) == {"auto_edge": {"n": 1}}


async def a_stage_of_a_revision_that_is_gone_is_refused(open_store: Opener) -> None:
    """An edit or a forget is found out by the commit, which then changes nothing; the run can be ended all the same."""
    async with opened(open_store) as bench:
        edited, forgotten = await bench.fill(["edited", "forgotten"])
        runs = await claim(bench)
        await bench.store.edit(bench.edit(bench.get(edited.id.slot), "anew"))
        await bench.store.forget(bench.number(), [forgotten.id.slot])
        lsn = bench.store.last_lsn
        for run in runs:
            with refused(RevisionGone):
                await bench.store.commit_stage(settle(run.id, "auto_edge", output={"a": 1}))
            assert stage_of(run_of(bench, run.id), "auto_edge").status == "not_started"
        assert (bench.store.last_lsn, bench.store.run_outputs(edited.lsn)) == (lsn, {})
        for run in runs:
            await ended(bench, run.id, "superseded")
            assert (run_of(bench, run.id).state, pending(bench)) == ("superseded", 2 if run is runs[0] else 1)


async def unknown_words_and_bad_values_are_refused_before_anything_changes(open_store: Opener) -> None:
    """Stages, statuses, ends, and outputs that JSON cannot carry; nothing of a name gets into a statement."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        (run,) = await claim(bench)
        before = run_of(bench, run.id)
        for commit in (
            settle(run.id, "hype_status = 'x' --"),
            settle(run.id, "hype", "not_started"),
            settle(run.id, "auto_edge", inference_ids=("inf_1",)),
            settle(run.id, "hype", output={"x": object()}),
        ):
            with refused(InvalidInput):
                await bench.store.commit_stage(commit)
        with refused(InvalidInput):
            await bench.store.start_stage(run.id, "w", "nothing", 1)
        with refused(InvalidInput):
            await bench.store.retry_runs([run.id], ["nothing"])
        with refused(InvalidInput):
            await ended(bench, run.id, "exploded")
        assert run_of(bench, run.id) == before


async def an_error_of_any_text_can_be_recorded(open_store: Opener) -> None:
    """Half a surrogate pair, NUL and endless text do not lose the record."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        (run,) = await claim(bench)
        error = "E: \ud800 \0 " + "x" * 1_000_000
        await bench.store.commit_stage(settle(run.id, "hype", "failed", error=error, output={"said": "\udfff"}))
        await ended(bench, run.id, "failed", error=error)
        row = run_of(bench, run.id)
        for kept in (row.error, stage_of(row, "hype").error):
            assert kept is not None
            assert kept.startswith("E: ? \0 xxx")
            assert len(kept) <= 10_000


CHECKS: tuple[Check, ...] = (
    a_stage_is_on_record_with_all_there_is_to_say,
    a_stage_done_again_replaces_its_record,
    a_stage_of_a_revision_that_is_gone_is_refused,
    unknown_words_and_bad_values_are_refused_before_anything_changes,
    an_error_of_any_text_can_be_recorded,
)
