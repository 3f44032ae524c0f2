"""The `proposals` commands: two entities that may be one. Owns their options and output."""

from __future__ import annotations

from collections.abc import Iterable

from cyclopts import App

from mindlog.cli.output import print_json, print_table
from mindlog.cli.paging import walk
from mindlog.cli.target import DEFAULT, Target
from mindlog.clock import iso
from mindlog.views import Proposal

__all__ = ["app"]

app = App(name="proposals")


@app.default
@app.command(name="list")
def list_(
    *,
    dataset: str = "default",
    status: str = "open",
    all: bool = False,  # noqa: A002 - the option's name
    limit: int = 50,
    target: Target = DEFAULT,
) -> None:
    """List proposals, newest first.

    Args:
        dataset: The collection (`default` if missing).
        status: `open` (if missing), `accepted`, `refused` or `undone`.
        all: Whatever their status.
        limit: Most proposals (50 if missing).
        target: Where to work, and the form of the output.
    """
    chosen = None if all else status
    with target.connect() as db:
        found = walk(lambda size, cursor: db.proposals(dataset, status=chosen, limit=size, cursor=cursor), limit)
        _show(found, target)


@app.command
def accept(proposal_id: str, /, *, target: Target = DEFAULT) -> None:
    """Make the two entities one; `mindlog proposals undo` takes it back.

    Args:
        proposal_id: The proposal.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show([db.decide_proposal(proposal_id, accept=True)], target)


@app.command
def refuse(proposal_id: str, /, *, target: Target = DEFAULT) -> None:
    """Say that they are two; it is not proposed again.

    Args:
        proposal_id: The proposal.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show([db.decide_proposal(proposal_id, accept=False)], target)


@app.command
def undo(proposal_id: str, /, *, target: Target = DEFAULT) -> None:
    """Take the merge of an accepted proposal back; it is not proposed again.

    Args:
        proposal_id: The proposal.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show([db.undo_proposal(proposal_id)], target)


def _show(found: Iterable[Proposal], target: Target) -> None:
    if target.json:
        print_json(*found)
        return
    headings = ("proposal_id", "entity", "other", "score", "reason", "status", "created_at")
    print_table(headings, map(_row, found))


def _row(each: Proposal) -> tuple[object, ...]:
    return (
        each.proposal_id,
        f"{each.entity.name} ({each.entity.entity_id})",
        f"{each.other.name} ({each.other.entity_id})",
        f"{each.score:.2f}",
        each.reason,
        each.status,
        iso(each.created_at),
    )
