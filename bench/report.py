"""How a bench is started and how it tells what it measured: a table, and last one line of JSON."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure, with the floor of the same run. The bounds are on the value, or on its ratio to the floor."""

    name: str
    value: float
    unit: str
    floor: float | None = None
    floor_is: str = ""
    most: float | None = None
    least: float | None = None
    by_ratio: bool = False

    @property
    def ratio(self) -> float | None:
        return None if not self.floor else self.value / self.floor

    @property
    def ok(self) -> bool | None:
        judged = self.ratio if self.by_ratio else self.value
        if judged is None or (self.most is None and self.least is None):
            return None
        return (self.most is None or judged <= self.most) and (self.least is None or judged >= self.least)

    @property
    def budget(self) -> str:
        bound = f"<= {self.most:g}" if self.most is not None else f">= {self.least:g}" if self.least is not None else ""
        return f"{bound} {'x' if self.by_ratio else self.unit}".rstrip() if bound else ""

    def cells(self) -> tuple[str, ...]:
        verdict = {True: "ok", False: "OVER", None: ""}[self.ok]
        floor = f"{_figure(self.floor)} {self.unit} ({self.floor_is})" if self.floor else ""
        ratio = f"{self.ratio:.2f}" if self.ratio is not None else ""
        return self.name, f"{_figure(self.value)} {self.unit}", floor, ratio, self.budget, verdict


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a bench gets: whether to be quick, and a directory of its own."""

    small: bool
    directory: Path


Measure = Callable[[Run], Awaitable[list[Row]]]

HEADINGS = ("figure", "measured", "floor", "ratio", "budget", "")


def show(rows: list[tuple[str, ...]]) -> None:
    table = [HEADINGS, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEADINGS))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def main(bench: str, measure: Measure) -> None:
    """Run a bench from the command line."""
    parser = argparse.ArgumentParser(description=f"mindlog bench: {bench}")
    parser.add_argument(
        "--small", action="store_true", help="fewer memories and rounds: for a quick look, not for figures"
    )
    parser.add_argument("--dir", type=Path, help="where to put the data; its disk is the one measured")
    options = parser.parse_args()
    with scratch(options.dir) as directory:
        rows = asyncio.run(_collect(measure, Run(small=options.small, directory=directory)))
    show([row.cells() for row in rows])
    print(
        json.dumps(
            {"bench": bench, "small": options.small, "machine": machine(), "rows": [_as_json(row) for row in rows]}
        )
    )
    sys.exit(1 if any(row.ok is False for row in rows) else 0)


async def _collect(measure: Measure, run: Run) -> list[Row]:
    return await measure(run)


def _as_json(row: Row) -> dict[str, object]:
    return asdict(row) | {"ratio": row.ratio, "ok": row.ok, "budget": row.budget}


def machine() -> dict[str, object]:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"cpus": os.cpu_count(), "python": platform.python_version(), "load": load}


@contextmanager
def scratch(parent: Path | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mindlog-bench-", dir=parent) as name:
        yield Path(name)
