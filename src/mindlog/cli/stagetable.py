"""The stages of a run as a table. Owns its columns and what a stage's output is in a few words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mindlog.cli.sections import print_section
from mindlog.clock import from_iso

__all__ = ["HEADINGS", "brief", "print_stages", "stage_row"]

HEADINGS = ("stage", "status", "ms", "calls", "what it did")


def print_stages(title: str, stages: Iterable[Mapping[str, Any]]) -> None:
    """Print stages in their JSON form: name, status, times, how many model calls, and the error or the output."""
    print_section(title, HEADINGS, map(stage_row, stages))


def stage_row(stage: Mapping[str, Any]) -> tuple[object, ...]:
    """Return one row; `calls` is the number of model calls on record."""
    said = stage["error"] or brief(stage["output"] or {})
    return stage["name"], stage["status"], _milliseconds(stage), stage["calls"] or None, said


def brief(output: Mapping[str, Any]) -> str:
    """Return an output as `name=value` words, in the order the stage wrote them, without what is empty or zero."""
    return " ".join(f"{name}={_word(value)}" for name, value in _flat(output).items() if value)


def _flat(output: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in output.items():
        flat.update(_flat(value) if isinstance(value, Mapping) else {name: value})
    return flat


def _word(value: object) -> str:
    if isinstance(value, list):
        return str(len(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _milliseconds(stage: Mapping[str, Any]) -> str | None:
    began, ended = stage["started_at"], stage["finished_at"]
    if began is None or ended is None:
        return None
    return f"{(from_iso(ended, field='finished_at') - from_iso(began, field='started_at')) / 1000:.1f}"
