"""The `runs` commands: what became of the derivation of each memory. Owns their options and output."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any

from cyclopts import App, Parameter

from mindlog.cli.output import print_json, print_line, print_table
from mindlog.cli.paging import walk
from mindlog.cli.sections import print_facts, print_section, when
from mindlog.cli.stagetable import print_stages
from mindlog.cli.target import DEFAULT, Target
from mindlog.errors import InvalidInput
from mindlog.views import Inference, Run
from mindlog.wire import to_json

__all__ = ["app"]

app = App(name="runs")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class RunFilter:
    """Which runs; every option holds."""

    dataset: Annotated[str | None, Parameter(help="Only this dataset.")] = None
    status: Annotated[str | None, Parameter(help="Only runs with this status.")] = None
    state: Annotated[str | None, Parameter(help="Only runs in this state, such as `quarantined`.")] = None
    stage: Annotated[str | None, Parameter(help="The stage that --stage-status is about.")] = None
    stage_status: Annotated[str | None, Parameter(help="Only runs with a stage of this status.")] = None
    text: Annotated[str | None, Parameter(help="Only runs with these words in the memory or in an error.")] = None
    memory: Annotated[str | None, Parameter(help="Only runs of this memory.")] = None

    def chosen(self) -> dict[str, Any]:
        """Return the options that were given, by the name the verbs have for them."""
        given = {
            "dataset": self.dataset,
            "status": self.status,
            "state": self.state,
            "stage": self.stage,
            "stage_status": self.stage_status,
            "text": self.text,
            "memory_id": self.memory,
        }
        return {name: value for name, value in given.items() if value is not None}


_EVERY = RunFilter()


@app.default
@app.command(name="list")
def list_(*, which: RunFilter = _EVERY, limit: int = 50, target: Target = DEFAULT) -> None:
    """List runs, newest first, with a column for each stage.

    Args:
        which: What to narrow by.
        limit: Most runs (50 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = walk(lambda size, cursor: db.runs(**which.chosen(), limit=size, cursor=cursor), limit)
        if target.json:
            for run in found:
                print_json(run)
            return
        _print_runs(found)


@app.command
def counts(*, target: Target = DEFAULT) -> None:
    """Count runs by state, and by dataset.

    Args:
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = db.run_counts()
    if target.json:
        print_json(found)
        return
    every = [("", state, number) for state, number in sorted(found["by_state"].items())]
    each = [(n, s, number) for n, states in sorted(found["by_dataset"].items()) for s, number in sorted(states.items())]
    print_table(("dataset", "state", "runs"), [*each, *every])
    if found["oldest_seconds"] is not None:
        print_line(f"\nThe oldest that waits is {found['oldest_seconds']:.1f} s old.")


@app.command
def show(run_id: str, /, *, outputs: bool = False, inferences: bool = False, target: Target = DEFAULT) -> None:
    """Show one run, stage by stage.

    Args:
        run_id: The run.
        outputs: Also what each stage produced, whole.
        inferences: Also its model calls.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        run = db.run(run_id)
        calls = (
            list(walk(lambda size, cursor: db.inferences(run_id=run_id, limit=size, cursor=cursor), 500))
            if inferences
            else []
        )
    if target.json:
        print_json(run, *calls)
        return
    _print_run(run)
    if outputs:
        _print_outputs(run)
    print_section(
        "Model calls",
        ("inference_id", "stage", "model", "mode", "tokens", "ms", "attempt", "error"),
        map(_call_row, calls),
    )


@app.command
def retry(
    *run_ids: str,
    stages: tuple[str, ...] = (),
    which: RunFilter = _EVERY,
    all: bool = False,  # noqa: A002 - the option's name
    target: Target = DEFAULT,
) -> None:
    """Start ended runs again: those named, or those the options find; what failed, if no status is asked for.

    Args:
        run_ids: The runs.
        stages: Run only this stage again; may be repeated. What has not succeeded if missing.
        which: What to narrow by.
        all: Every run that has failed.
        target: Where to work, and the form of the output.
    """
    asked = _asked(run_ids, which, all=all)
    with target.connect() as db:
        number = db.retry_runs(asked, stages=stages or None, **which.chosen())
    _say(number, "to start again", target)


@app.command
def cancel(
    *run_ids: str,
    which: RunFilter = _EVERY,
    all: bool = False,  # noqa: A002 - the option's name
    target: Target = DEFAULT,
) -> None:
    """End runs that have not ended: those named, or those the options find.

    Args:
        run_ids: The runs.
        which: What to narrow by.
        all: Every run that has not ended.
        target: Where to work, and the form of the output.
    """
    asked = _asked(run_ids, which, all=all)
    with target.connect() as db:
        number = db.cancel_runs(asked, **which.chosen())
    _say(number, "cancelled", target)


def _asked(run_ids: tuple[str, ...], which: RunFilter, *, all: bool) -> tuple[str, ...] | None:  # noqa: A002
    # A command without any choice must not change every run by mistake.
    if not run_ids and not which.chosen() and not all:
        raise InvalidInput("run_ids: name a run, give an option that chooses, or --all", field="run_ids")
    if run_ids and all:
        raise InvalidInput("all: either runs by id or --all, not both", field="all")
    return run_ids or None


def _say(number: int, became: str, target: Target) -> None:
    if target.json:
        print_json({"runs": number})
    else:
        print_line(f"{number} {'run is' if number == 1 else 'runs are'} {became}")


def _print_runs(found: Iterable[Run]) -> None:
    runs = iter(found)
    first = next(runs, None)
    stages = [stage.name for stage in first.stages] if first else []
    rows = (
        (*_run_facts(run), *(s.status for s in run.stages), run.error) for run in chain([first] if first else [], runs)
    )
    print_table(("run_id", "state", "created_at", "memory_id", *stages, "error"), rows)


def _run_facts(run: Run) -> tuple[object, ...]:
    return run.run_id, run.state, when(run.created_at), run.memory_id


def _print_run(run: Run) -> None:
    print_facts(
        {
            "run_id": run.run_id,
            "memory_id": run.memory_id,
            "dataset": run.dataset,
            "state": run.state,
            "status": run.status,
            "error": run.error,
            "attempts": run.attempts,
            "next attempt": when(run.next_attempt_at),
            "created_at": when(run.created_at),
            "finished_at": when(run.finished_at),
        }
    )
    print_stages("Stages", to_json(run)["stages"])


def _print_outputs(run: Run) -> None:
    for stage in run.stages:
        if stage.output is not None:
            shown = json.dumps(dict(stage.output), indent=2, ensure_ascii=False, default=str)
            print_line(f"\n{stage.name}: {stage.does}\n{shown}")


def _call_row(call: Inference) -> tuple[object, ...]:
    tokens = f"{call.input_tokens or 0} in, {call.output_tokens or 0} out"
    return (
        call.inference_id,
        call.stage,
        call.model,
        call.mode,
        tokens,
        f"{call.latency_us / 1000:.0f}",
        call.attempt,
        call.error,
    )
