"""`mindlog link`, `unlink` and `links`: links between memories. Owns their options and output."""

from __future__ import annotations

from collections.abc import Iterable

from mindlog.cli.output import print_json, print_line, print_table
from mindlog.cli.target import DEFAULT, Target
from mindlog.clock import iso
from mindlog.views import Edge

__all__ = ["link", "links", "unlink"]


def links(memory_id: str, /, *, target: Target = DEFAULT) -> None:
    """List the links from and to a memory, strongest first.

    Args:
        memory_id: The memory.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show(db.links(memory_id), target)


def link(memory_id: str, to: str, /, *, kind: str, weight: float = 1.0, target: Target = DEFAULT) -> None:
    """Link two memories; the same link again changes its weight.

    Args:
        memory_id: Where it starts.
        to: Where it leads.
        kind: Its kind, such as `references`, `supports` or `caused`.
        weight: How strong it is, above 0 and at most 1 (1 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show([db.link(memory_id, to, kind=kind, weight=weight)], target)


def unlink(memory_id: str, to: str, /, *, kind: str, target: Target = DEFAULT) -> None:
    """Take a link away.

    Args:
        memory_id: Where it starts.
        to: Where it leads.
        kind: Its kind.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        db.unlink(memory_id, to, kind=kind)
    if target.json:
        print_json({"source": memory_id, "target": to, "kind": kind, "removed": True})
    else:
        print_line(f"{memory_id}  {kind}  {to}  removed")


def _show(edges: Iterable[Edge], target: Target) -> None:
    if target.json:
        print_json(*edges)
        return
    rows = [(e.source, e.kind, e.target, f"{e.weight:.2f}", e.made_by, iso(e.created_at)) for e in edges]
    print_table(("from", "kind", "to", "weight", "made_by", "created_at"), rows)
