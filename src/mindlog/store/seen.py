"""Conditions by which what is not one memory's alone is there for others to see, as SQL. Knows no table of its own."""

from __future__ import annotations

from typing import Final

__all__ = ["ENTITY_IS_SEEN"]

ENTITY_IS_SEEN: Final = """(EXISTS (
    SELECT 1 FROM entities AS o CROSS JOIN mentions AS v ON v.entity = o.id
    CROSS JOIN memories AS m ON m.slot = v.slot AND m.version = v.version
    WHERE o.dataset = e.dataset AND o.root = e.root AND m.forgotten_at IS NULL
) OR EXISTS (
    SELECT 1 FROM entities AS o CROSS JOIN statements AS t ON t.subject = o.id CROSS JOIN evidence AS v ON v.statement = t.id
    CROSS JOIN memories AS m ON m.slot = v.slot AND m.version = v.version
    WHERE o.dataset = e.dataset AND o.root = e.root AND m.forgotten_at IS NULL
) OR EXISTS (
    SELECT 1 FROM entities AS o CROSS JOIN statements AS t ON t.object = o.id CROSS JOIN evidence AS v ON v.statement = t.id
    CROSS JOIN memories AS m ON m.slot = v.slot AND m.version = v.version
    WHERE o.dataset = e.dataset AND o.root = e.root AND m.forgotten_at IS NULL
))"""
"""Whether a live memory names what is one with `entities AS e`, or states something of it."""
