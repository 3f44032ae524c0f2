"""`mindlog watch` and `mindlog drain`: what goes on behind writes, as it happens. Owns their options and output."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from mindlog.cli.output import one_line, print_json, print_line, warn
from mindlog.cli.progress import progress
from mindlog.cli.target import DEFAULT, Target
from mindlog.clock import iso
from mindlog.errors import InvalidInput
from mindlog.views import Event

if TYPE_CHECKING:
    from mindlog.client import Client
    from mindlog.embedded import Mindlog

__all__ = ["drain", "watch"]

_TURN_SECONDS = 1.0
_OPEN_STATES = ("waiting", "running", "retrying")


def watch(
    *,
    from_lsn: Annotated[int | None, Parameter(name="--from")] = None,
    types: tuple[str, ...] = (),
    dataset: str | None = None,
    session: str | None = None,
    kind: str | None = None,
    memory: str | None = None,
    limit: int | None = None,
    target: Target = DEFAULT,
) -> None:
    """Print events as they happen, one a line, until Ctrl-C.

    Args:
        from_lsn: Begin with the event at this position of the log, 1 for the first; with the next one if missing.
        types: Only these types of event, joined by commas; may be repeated.
        dataset: Only this dataset.
        session: Only memories of this session.
        kind: Only memories of this kind.
        memory: Only this memory, by the id of any revision.
        limit: End after so many events.
        target: Where to work, and the form of the output.
    """
    if limit is not None and limit < 1:
        raise InvalidInput("limit: must be at least 1", field="limit")
    chosen = [name for each in types for name in each.split(",") if name]
    with (
        target.connect() as db,
        db.subscribe(dataset, from_lsn=from_lsn, types=chosen, session=session, kind=kind, memory_id=memory) as events,
    ):
        for event in islice(events, limit):
            _show(event, target)


def drain(*, timeout: float | None = None, target: Target = DEFAULT) -> int:
    """Wait until every memory is derived and every document read; exits with 1 if the time is over before.

    What has failed or waits for a later attempt is not waited for; `mindlog runs` shows it.

    Args:
        timeout: Most seconds to wait; as long as it takes if missing.
        target: Where to work, and the form of the output.
    """
    end = None if timeout is None else time.monotonic() + timeout
    with target.connect() as db:
        why_not = _wait(db, end)
        left = _open(db)
    if target.json:
        print_json({"settled": why_not is None, "open_runs": left})
    else:
        print_line("settled" if why_not is None else f"not settled: {left} open: {why_not}")
    return 0 if why_not is None else 1


def _wait(db: Mindlog | Client, end: float | None) -> str | None:
    """Return why it is not settled; None if it is."""
    left = total = _open(db)
    with progress("drain", total or None) as step:
        while True:
            turn = _TURN_SECONDS if end is None else max(min(_TURN_SECONDS, end - time.monotonic()), 0.0)
            if db.settled(turn):
                return None
            if end is not None and time.monotonic() >= end:
                return "the time is over"
            # A process that does not derive says no at once, and asking again would go on for ever.
            if paused := _paused(db):
                return paused
            before, left = left, _open(db)
            step(before - left)
            if left != before and not sys.stderr.isatty():
                warn(f"drain: {left} open")


def _paused(db: Mindlog | Client) -> str | None:
    """Return why what is open stays open; None if somebody is at it."""
    health = db.health()
    works = (health.derive, health.remember)
    whys = [work["paused"] for work in works if work["pending"]] or [work["paused"] for work in works]
    return "; ".join(dict.fromkeys(map(str, whys))) if all(whys) else None


def _open(db: Mindlog | Client) -> int:
    counts: list[Mapping[str, int]] = [db.run_counts(operation)["by_state"] for operation in ("encode", "remember")]
    return sum(by_state.get(state, 0) for by_state in counts for state in _OPEN_STATES)


def _show(event: Event, target: Target) -> None:
    if target.json:
        print_json(event)
    else:
        words = [f"{event.lsn:>6}", iso(event.at), f"{event.type:<22}", event.dataset, event.memory_id, *_facts(event)]
        print_line("  ".join(word for word in words if word))
    sys.stdout.flush()  # whoever reads through a pipe waits for this line


def _facts(event: Event) -> list[str]:
    facts: dict[str, Any] = {"session": event.session, "kind": event.kind, **event.data}
    return [f"{name}={_plain(value)}" for name, value in facts.items() if value not in (None, "", [], {})]


def _plain(value: object) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
