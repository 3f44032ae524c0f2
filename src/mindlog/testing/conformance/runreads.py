"""Checks of what is read of derivation: run lists and counts, outputs, model calls, the log."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from mindlog.errors import InvalidInput
from mindlog.ids import number_id
from mindlog.store.runrows import RUN_STATES, CallSums, InferenceQuery, InferenceRow, LogQuery, RunQuery
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused
from mindlog.testing.conformance.work import LEASE_US, claim, ended, lived, settle

__all__ = ["CHECKS"]


# -- runs ---------------------------------------------------------------------------------------------------------------
async def _one_of_each(bench: Bench) -> dict[str, int]:
    """Make a run of every state; returns their ids by state."""
    made: dict[str, int] = {}
    for state in ("succeeded", "failed", "quarantined", "cancelled", "superseded"):
        made[state] = (await lived(bench, f"Text of {state}", state)).lsn
    made["retrying"] = (await bench.persist("Text of retrying")).lsn
    await claim(bench)
    await ended(bench, made["retrying"], None, due_at=2**60, error="Odd: ÄRGER")
    made["running"] = (await bench.persist("Text of running", dataset="other")).lsn
    await claim(bench)
    made["waiting"] = (await bench.persist("Text of waiting", dataset="other")).lsn
    return made


def _found(bench: Bench, **facts: Any) -> list[int]:
    return [row.id for row in bench.store.runs(RunQuery(**facts))]


async def runs_are_listed_by_state_and_counted(open_store: Opener) -> None:
    """Each state finds its own; the counts are those of the lists, also by dataset and after a reopen."""
    async with opened(open_store) as bench:
        made = await _one_of_each(bench)
    async with opened(open_store) as bench:
        assert {state: _found(bench, state=state) for state in RUN_STATES} == {s: [made[s]] for s in RUN_STATES}
        for status, count in (("started", 3), ("succeeded", 1), ("failed", 4)):
            rows = bench.store.runs(RunQuery(status=status))
            assert [row.status for row in rows] == [status] * count
        counts = bench.store.run_counts()
        assert counts.by_state == dict.fromkeys(RUN_STATES, 1)
        assert counts.by_dataset["other"] == {"running": 1, "waiting": 1}
        assert sum(counts.by_dataset["default"].values()) == 6
        waits = [row.created_at for row in bench.store.runs(RunQuery()) if row.state in ("waiting", "retrying")]
        assert counts.oldest_created_at == min(waits)
        assert bench.store.stats().pending_derivations == 3


async def an_empty_store_has_no_runs(open_store: Opener) -> None:
    """Counts are zero, nothing is due, the log begins at 1."""
    async with opened(open_store) as bench:
        counts = bench.store.run_counts()
        assert (set(counts.by_state.values()), counts.by_dataset, counts.oldest_created_at) == ({0}, {}, None)
        assert (bench.store.next_due(), bench.store.oldest_lsn, _found(bench)) == (None, 1, [])
        assert await claim(bench) == []


async def runs_are_narrowed_and_paged(open_store: Opener) -> None:
    """By dataset, memory, stage, time and text in any case; pages are newest first and meet."""
    async with opened(open_store) as bench:
        made = await _one_of_each(bench)
        ids = sorted(made.values(), reverse=True)
        assert _found(bench) == ids
        assert _found(bench, limit=3) + _found(bench, limit=100, before_id=ids[2]) == ids
        assert _found(bench, dataset=bench.number("other")) == ids[:2]
        assert _found(bench, text="TEXT OF RUN") == [made["running"]]
        assert _found(bench, text="odd: ärger") == [made["retrying"]]
        assert _found(bench, text="%") == []
        assert _found(bench, stage="hype", stage_status="succeeded") == ids[3:]
        assert _found(bench, stage_status="not_started") == ids[:3]
        slot = bench.store.runs(RunQuery(state="failed"))[0].slot
        await bench.store.edit(bench.edit(bench.get(slot), "Another"))
        newest = bench.store.last_lsn
        assert _found(bench, slot=slot) == [newest, made["failed"]]
        assert _found(bench, slot=slot, state="failed", dataset=bench.number()) == [made["failed"]]
        assert _found(bench, text="of failed") == [made["failed"]]
        created_at = bench.store.runs(RunQuery(slot=slot))[0].created_at
        assert newest in _found(bench, created_from=created_at)
        assert newest not in _found(bench, created_to=created_at)


async def an_unknown_word_in_a_query_is_an_error(open_store: Opener) -> None:
    """A status, a state, a stage that there is not; a stage without a status."""
    async with opened(open_store) as bench:
        for facts in (
            {"status": "done"},
            {"state": "started"},
            {"stage_status": "ok"},
            {"stage": "hype"},
            {"stage": "hype_status) --", "stage_status": "failed"},
        ):
            with refused(InvalidInput):
                _found(bench, **facts)


async def what_a_forgotten_memory_left_in_its_runs_is_hidden(open_store: Opener) -> None:
    """No output, no search by its text, of errors and model calls no words; all is back after a restore."""
    async with opened(open_store) as bench:
        persisted = await bench.persist("secret")
        (run,) = await claim(bench)
        failed = settle(run.id, "extractor", "failed", error="LlmRefused: secret", output={"raw": "secret"})
        await bench.store.commit_stage(failed)
        await ended(bench, run.id, "failed", error="extractor: secret")
        call = _call("inf_1", run_id=number_id("enc", run.id), error="the model declined: secret")
        await bench.store.add_inference(call)
        shown = bench.store.run(run.id), bench.store.run_outputs(run.id), bench.store.inference("inf_1")
        assert shown[1:] == ({"extractor": {"raw": "secret"}}, call)
        await bench.store.forget(bench.number(), [persisted.id.slot])
        hidden = replace(call, prompt=None, output=None, error="the model declined", is_hidden=True)
        assert bench.store.inference("inf_1") == hidden
        assert bench.store.inferences(InferenceQuery(run_id=call.run_id)) == [hidden]
        assert (bench.store.run_outputs(run.id), _found(bench, text="secret")) == ({}, [])
        row = bench.store.run(run.id)
        assert row is not None
        assert "secret" not in repr(row)
        assert (row.error, row.is_hidden) == ("extractor", True)
        assert "secret" not in repr(bench.store.read_log(LogQuery(from_lsn=1, limit=100)))
        await bench.store.restore(bench.number(), [persisted.id.slot], 0)
        again = bench.store.run(run.id), bench.store.run_outputs(run.id), bench.store.inference("inf_1")
        assert again == shown


# -- model calls --------------------------------------------------------------------------------------------------------
def _call(identity: str, **facts: Any) -> InferenceRow:
    call = InferenceRow(
        id=identity,
        run_id=None,
        stage="extractor",
        dataset="default",
        provider="p",
        model="m",
        mode="json_schema",
        parameters={"temperature": 0.5},
        prompt=(("system", "say"), ("user", "é")),
        prompt_hash="a" * 64,
        output='{"a": 1}',
        output_hash="b" * 64,
        input_tokens=10,
        output_tokens=5,
        cost=0.25,
        started_at=1000,
        finished_at=1010,
        latency_us=10,
        attempt=1,
        error=None,
    )
    return replace(call, **facts)


async def a_model_call_is_kept_whole(open_store: Opener) -> None:
    """With and without texts, tokens and a run; the same one again changes nothing."""
    async with opened(open_store) as bench:
        full = _call("inf_1", run_id="other_1")
        bare = _call("inf_2", prompt=None, output=None, output_hash=None, input_tokens=None, cost=None, stage=None)
        odd = _call("inf_3", output="\ud800", error="x")
        for call in (full, bare, odd, replace(full, error="again")):
            await bench.store.add_inference(call)
        with refused(InvalidInput):
            await bench.store.add_inference(_call("inf_4", run_id="enc_what"))
    async with opened(open_store) as bench:
        assert [bench.store.inference(identity) for identity in ("inf_1", "inf_2")] == [full, bare]
        assert bench.store.inference("inf_4") is None
        assert bench.store.inferences(InferenceQuery()) == [replace(odd, output="?"), bare, full]


async def model_calls_are_narrowed_paged_and_summed(open_store: Opener) -> None:
    """By run, stage and failure; tokens and cost since an instant, unknown ones counting nothing."""
    async with opened(open_store) as bench:
        calls = [
            _call(
                f"inf_{n}",
                run_id=f"run_{n % 2}",
                stage=("extractor", "hype")[n % 2],
                started_at=1000 + n,
                error="E: x" if n == 4 else None,
                cost=None if n == 5 else 0.25,
                output_tokens=None if n == 5 else 5,
            )
            for n in range(6)
        ]
        for call in calls:
            await bench.store.add_inference(call)

        def found(**facts: Any) -> list[str]:
            return [row.id for row in bench.store.inferences(InferenceQuery(**facts))]

        assert found(run_id="run_1") == found(stage="hype") == ["inf_5", "inf_3", "inf_1"]
        assert found(failed=True) == ["inf_4"]
        assert found(failed=False, limit=2) == ["inf_5", "inf_3"]
        assert found(before_id="inf_3", run_id="run_0") == ["inf_2", "inf_0"]
        assert found(before_id="unknown") == []
        assert bench.store.spent_since(1003) == (15 + 15 + 10, 0.5)
        assert bench.store.spent_since(2000) == (0, 0.0)


async def the_model_calls_of_runs_are_summed_by_run(open_store: Opener) -> None:
    """What is unknown adds nothing; where nothing is known there is no sum; a run without calls is not there."""
    async with opened(open_store) as bench:
        for call in (
            _call("inf_1", run_id="run_1", input_tokens=10, output_tokens=5, cost=0.25),
            _call("inf_2", run_id="run_1", input_tokens=1, output_tokens=None, cost=None, error="E: x"),
            _call("inf_3", run_id="run_2", input_tokens=None, output_tokens=7, cost=None),
            _call("inf_4", run_id=None),
        ):
            await bench.store.add_inference(call)
        one = CallSums(calls=2, input_tokens=11, output_tokens=5, cost=0.25)
        other = CallSums(calls=1, input_tokens=None, output_tokens=7, cost=None)
        assert bench.store.call_sums(["run_2", "run_1", "run_0"]) == {"run_1": one, "run_2": other}
        assert bench.store.call_sums(["run_2"]) == {"run_2": other}
        assert bench.store.call_sums([]) == {}


# -- the log ------------------------------------------------------------------------------------------------------------
async def the_log_is_read_by_dataset_type_memory_session_and_kind(open_store: Opener) -> None:
    """Every filter holds exactly, also for events about a run; pages meet; a bound is a bound."""
    async with opened(open_store) as bench:
        one = await bench.persist("one", session="s1")
        two = await bench.persist("two", session="s2", dataset="other")
        await bench.store.forget(bench.number(), [one.id.slot])
        (first, _) = await claim(bench)
        await ended(bench, first.id, "superseded")
        last = bench.store.last_lsn

        def lsns(from_lsn: int = 1, limit: int = 100, **facts: Any) -> list[int]:
            return [row.lsn for row in bench.store.read_log(LogQuery(from_lsn=from_lsn, limit=limit, **facts))]

        everything = list(range(1, last + 1))
        assert lsns() == everything
        assert lsns(limit=2) + lsns(3) == everything
        assert lsns(2, to_lsn=3) == [2, 3]
        assert lsns(datasets=(bench.number("other"),)) == [two.lsn - 1, two.lsn]
        assert lsns(datasets=(bench.number("other"), bench.number())) == everything
        assert lsns(datasets=()) == []
        assert lsns(types=("memory_forgotten", "run_finished")) == [last - 1, last]
        assert lsns(slot=one.id.slot) == lsns(session="s1") == [one.lsn, last - 1, last]
        assert lsns(kind="semantic") == []
        assert lsns(kind="episodic", datasets=(bench.number("other"),)) == [two.lsn]
        row = bench.store.read_log(LogQuery(from_lsn=last, limit=1))[0]
        assert (row.type, row.slot, row.version, row.session, row.kind) == (
            "run_finished",
            one.id.slot,
            1,
            "s1",
            "episodic",
        )
        assert row.payload["state"] == "superseded"


async def the_log_is_pruned_from_its_beginning(open_store: Opener) -> None:
    """Only what is old and may go, never the last entry; the beginning is known, and LSNs go on, after a reopen too."""
    async with opened(open_store) as bench:
        persisted = await bench.fill(f"text {n}" for n in range(1200))
        last = bench.store.last_lsn
        at = persisted[0].persisted_at
        assert await bench.store.prune_log(at, last) == 0
        assert await bench.store.prune_log(at + LEASE_US, 3) == 3
        assert bench.store.oldest_lsn == 4
        assert bench.store.read_log(LogQuery(from_lsn=1, limit=1))[0].lsn == 4
        assert await bench.store.prune_log(at + LEASE_US, 10**12) == last - 4
        assert bench.store.oldest_lsn == last
    async with opened(open_store) as bench:
        assert (bench.store.oldest_lsn, bench.store.last_lsn) == (last, last)
        assert (await bench.persist("more")).lsn == last + 1
        assert len(bench.store.runs(RunQuery(limit=2000))) == 1201


async def log_listeners_hear_of_every_entry(open_store: Opener) -> None:
    """Before the ack, with the last LSN, whatever sort of write it was; a write without an entry is not told of."""
    async with opened(open_store) as bench:
        heard: list[int] = []
        threads: set[int] = set()

        def listen(lsn: int) -> None:
            threads.add(threading.get_ident())
            heard.append(lsn)

        bench.store.on_log(listen)
        persisted = await bench.persist("text")
        assert heard == [persisted.lsn]
        (run,) = await claim(bench)
        assert heard == [persisted.lsn]
        outcome = await bench.store.commit_stage(settle(run.id, "hype"))
        assert heard == [persisted.lsn, outcome.lsn]
        await bench.store.put_dataset("another", None)
        assert heard[2:] == [bench.store.last_lsn]
        assert threads.isdisjoint({threading.get_ident()})


CHECKS: tuple[Check, ...] = (
    runs_are_listed_by_state_and_counted,
    an_empty_store_has_no_runs,
    runs_are_narrowed_and_paged,
    an_unknown_word_in_a_query_is_an_error,
    what_a_forgotten_memory_left_in_its_runs_is_hidden,
    a_model_call_is_kept_whole,
    model_calls_are_narrowed_paged_and_summed,
    the_model_calls_of_runs_are_summed_by_run,
    the_log_is_read_by_dataset_type_memory_session_and_kind,
    the_log_is_pruned_from_its_beginning,
    log_listeners_hear_of_every_entry,
)
