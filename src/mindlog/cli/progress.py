"""A progress bar on stderr, on a terminal only. Owns nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["Step", "progress"]

Step = Callable[[int], None]
"""Says that so much more of the total is done."""


@contextmanager
def progress(title: str, total: int | None) -> Generator[Step]:
    """Show a bar that goes to `total` (a pulse if None) while the context lasts."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.advance(task, done)
