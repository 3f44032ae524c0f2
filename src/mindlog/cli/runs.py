"""The `runs` commands: what became of every derivation, every remember and every query. Owns their options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import App, Parameter

from mindlog.cli.output import print_json, print_line, print_table, warn
from mindlog.cli.paging import walk
from mindlog.cli.runtable import print_calls, print_outputs, print_run, print_runs
from mindlog.cli.target import DEFAULT, Target
from mindlog.errors import InvalidInput
from mindlog.ids import Operation

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
    text: Annotated[
        str | None, Parameter(help="Only runs with these words in the memory, title or question, or in an error.")
    ] = None
    memory: Annotated[str | None, Parameter(help="Only derivations of this memory.")] = None
    document: Annotated[str | None, Parameter(help="Only remembers of this document.")] = None
    session: Annotated[str | None, Parameter(help="Only queries of this session.")] = None
    after: Annotated[str | None, Parameter(help="Only runs made at or after this time, RFC 3339.")] = None
    before: Annotated[str | None, Parameter(help="Only runs made before this time, RFC 3339.")] = None

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
            "document_id": self.document,
            "session": self.session,
            "created_from": self.after,
            "created_to": self.before,
        }
        return {name: value for name, value in given.items() if value is not None}


_EVERY = RunFilter()


@app.default
@app.command(name="list")
def list_(
    *, operation: Operation = "encode", which: RunFilter = _EVERY, limit: int = 50, target: Target = DEFAULT
) -> None:
    """List runs, newest first, with how each stage went.

    Args:
        operation: `encode` (derivations, if missing), `remember` or `query`.
        which: What to narrow by.
        limit: Most runs (50 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = walk(
            lambda size, cursor: db.runs(operation=operation, **which.chosen(), limit=size, cursor=cursor), limit
        )
        if target.json:
            for run in found:
                print_json(run)
            return
        print_runs(operation, found)


@app.command
def counts(*, operation: Operation = "encode", target: Target = DEFAULT) -> None:
    """Count runs by state, and by dataset.

    Args:
        operation: `encode` (derivations, if missing), `remember` or `query`.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = db.run_counts(operation)
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
    print_run(run)
    if outputs:
        print_outputs(run)
    print_calls(calls)


@app.command
def retry(
    *run_ids: str,
    stages: tuple[str, ...] = (),
    operation: Operation = "encode",
    which: RunFilter = _EVERY,
    all: bool = False,  # noqa: A002 - the option's name
    target: Target = DEFAULT,
) -> int:
    """Start ended runs again: those named, or those the options find; what failed, if no status is asked for.

    Exits with 1 if of those named none could be: they have not ended, or have nothing to do again.

    Args:
        run_ids: The runs.
        stages: Run only this stage of a derivation again; may be repeated. What has not succeeded if missing.
        operation: Without ids: `encode` (derivations, if missing) or `remember`. A query is not run again.
        which: What to narrow by.
        all: Every run that has failed.
        target: Where to work, and the form of the output.
    """
    asked = _asked(run_ids, which, all=all)
    with target.connect() as db:
        number = db.retry_runs(asked, stages=stages or None, operation=operation, **which.chosen())
        left = [f"{each} ({db.run(each).state})" for each in run_ids] if number == 0 else []
    _say(number, "to start again", target)
    return _left(left, "nothing to start again")


@app.command
def cancel(
    *run_ids: str,
    operation: Operation = "encode",
    which: RunFilter = _EVERY,
    all: bool = False,  # noqa: A002 - the option's name
    target: Target = DEFAULT,
) -> int:
    """End runs that have not ended: those named, or those the options find. What a remember kept stays.

    Exits with 1 if those named have all ended otherwise.

    Args:
        run_ids: The runs.
        operation: Without ids: `encode` (derivations, if missing) or `remember`.
        which: What to narrow by.
        all: Every run that has not ended.
        target: Where to work, and the form of the output.
    """
    asked = _asked(run_ids, which, all=all)
    with target.connect() as db:
        number = db.cancel_runs(asked, operation=operation, **which.chosen())
        states = {each: db.run(each).state for each in run_ids} if number == 0 else {}
    _say(number, "cancelled", target)
    return _left([f"{each} ({how})" for each, how in states.items() if how != "cancelled"], "nothing to cancel")


def _asked(run_ids: tuple[str, ...], which: RunFilter, *, all: bool) -> tuple[str, ...] | None:  # noqa: A002
    # A command without any choice must not change every run by mistake.
    if not run_ids and not which.chosen() and not all:
        raise InvalidInput("run_ids: name a run, give an option that chooses, or --all", field="run_ids")
    if which.session is not None:
        raise InvalidInput("session: is of queries, which are neither run again nor cancelled", field="session")
    if run_ids and all:
        raise InvalidInput("all: either runs by id or --all, not both", field="all")
    return run_ids or None


def _say(number: int, became: str, target: Target) -> None:
    if target.json:
        print_json({"runs": number})
    else:
        print_line(f"{number} {'run is' if number == 1 else 'runs are'} {became}")


def _left(states: Sequence[str], why: str) -> int:
    """Tell of runs that stay as they are, and return the exit code."""
    if states:
        warn(f"{why}: {', '.join(states)}")
    return 1 if states else 0
