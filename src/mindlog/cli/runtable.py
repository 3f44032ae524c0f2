"""Runs of the three logs as commands show them: a row each, or one on a page of its own. Owns their columns and facts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from mindlog.cli.output import one_line, print_line, print_table
from mindlog.cli.sections import print_facts, print_section, when
from mindlog.cli.stagetable import brief, print_stages
from mindlog.ids import Operation
from mindlog.views import Inference, Run, RunStage
from mindlog.wire import to_json

__all__ = ["print_calls", "print_outputs", "print_run", "print_runs", "progress_words"]

_SUBJECTS: Mapping[Operation, tuple[str, ...]] = {
    "encode": ("memory_id",),
    "remember": ("document_id", "title", "stored"),
    "query": ("session", "question", "answered_by"),
}
_LONGEST = 500
_CALL = ("inference_id", "stage", "model", "mode", "tokens", "ms", "attempt", "error")


def print_runs(operation: Operation, found: Iterable[Run]) -> None:
    """Print runs as a table: what each is of, and how every stage went. The many stages of a remember are counted."""
    runs = iter(found)
    first = next(runs, None)
    shown = chain([first] if first else [], runs)
    stages = ["stages"] if operation == "remember" else [stage.name for stage in first.stages] if first else []
    headings = ("run_id", "state", "created_at", *_SUBJECTS[operation], *stages, "error")
    print_table(headings, (_run_row(operation, run) for run in shown))


def print_run(run: Run) -> None:
    """Print one run, stage by stage."""
    print_facts(
        {
            "run_id": run.run_id,
            "memory_id": run.memory_id,
            "document_id": run.document_id,
            "title": _short(run.title),
            "session": run.session,
            "question": _short(run.question),
            "answer": _short(run.answer),
            "answered by": run.answered_by,
            "dataset": run.dataset,
            "state": run.state,
            "status": run.status,
            "flags": ", ".join(run.flags) or None,
            "error": run.error,
            "progress": progress_words(run),
            "asked for": brief(run.parameters) or None,
            "key": run.user,
            "model calls": _spent(run),
            "attempts": run.attempts,
            "next attempt": when(run.next_attempt_at),
            "created_at": when(run.created_at),
            "finished_at": when(run.finished_at),
        }
    )
    print_stages("Stages", to_json(run)["stages"])


def print_outputs(run: Run) -> None:
    """Print what each stage of a run produced, whole."""
    for stage in run.stages:
        if stage.output is not None:
            shown = json.dumps(to_json(stage.output), indent=2, ensure_ascii=False, default=str)
            print_line(f"\n{stage.name}: {stage.does}\n{shown}")


def print_calls(calls: Iterable[Inference]) -> None:
    """Print model calls, if there are any."""
    print_section("Model calls", _CALL, map(_call_row, calls))


def progress_words(run: Run) -> str | None:
    """Return how far a remember has come, such as `12 chunks, 12 read, 5 stored`; None before it has chunks."""
    done = run.progress or {}
    if done.get("chunks") is None:
        return None
    return ", ".join(f"{done.get(name) or 0} {name}" for name in ("chunks", "read", "stored"))


def _spent(run: Run) -> str | None:
    """Return how many model calls there were and what they came to; None if there were none."""
    if not run.calls:
        return None
    sums = (("tokens in", run.input_tokens), ("tokens out", run.output_tokens), ("in cost", run.cost))
    return ", ".join([str(run.calls), *(f"{total:g} {name}" for name, total in sums if total is not None)])


def _short(text: str | None) -> str | None:
    return None if text is None else one_line(text, _LONGEST)


def _run_row(operation: Operation, run: Run) -> tuple[object, ...]:
    stages = [_counted(run.stages)] if operation == "remember" else [stage.status for stage in run.stages]
    subjects = (_subject(run, name) for name in _SUBJECTS[operation])
    return run.run_id, run.state, when(run.created_at), *subjects, *stages, run.error


def _subject(run: Run, name: str) -> object:
    if name != "stored":
        return getattr(run, name)
    done = run.progress or {}
    return None if done.get("chunks") is None else f"{done.get('stored') or 0}/{done['chunks']}"


def _counted(stages: Iterable[RunStage]) -> str:
    """Return how many stages there are of each status, those that failed or are under way by name."""
    counts = Counter(stage.status for stage in stages)
    named = [f"{stage.name} {stage.status}" for stage in stages if stage.status in ("failed", "started")]
    rest = [f"{counts[status]} {status}" for status in ("succeeded", "skipped", "not_started") if counts[status]]
    return ", ".join([*named, *rest])


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
