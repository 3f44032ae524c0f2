"""The parts of a longer answer: named facts, and tables under a heading. Owns their look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mindlog.cli.output import clean, print_line, print_table
from mindlog.clock import iso

__all__ = ["day", "print_facts", "print_section", "when"]


def print_facts(facts: Mapping[str, object]) -> None:
    """Print one `name: value` a line, without those that are None."""
    for name, value in facts.items():
        if value is not None:
            print_line(f"{name + ':':<12} {clean(str(value))}")


def print_section(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print an empty line, a heading and a table; nothing if there are no rows."""
    shown = list(rows)
    if shown:
        print_line(f"\n{title}")
        print_table(headings, shown)


def when(at: int | None) -> str | None:
    """Return an instant as text, None for None."""
    return None if at is None else iso(at)


def day(at: int | None) -> str:
    """Return an instant's day, or its whole text if it is not a midnight; `..` for an open end."""
    return ".." if at is None else iso(at).removesuffix("T00:00:00Z")
