"""Runs every bench in a process of its own and prints one table of all their figures with budgets and verdicts.

python bench/run.py [--small] [--dir DIR] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from report import Row, machine, show

HERE = Path(__file__).parent
NAMES = (
    "ack",
    "encodes",
    "recall",
    "growth",
    "open",
    "derive",
    "derive_ack",
    "subscribe",
    "backlog",
    "remember",
    "query",
    "ui",
)


def main() -> int:
    """Return 1 if a figure is over its budget or a bench failed."""
    parser = argparse.ArgumentParser(description="Run the mindlog benches.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(NAMES)}; all if missing")
    parser.add_argument(
        "--small", action="store_true", help="fewer memories and rounds: for a quick look, not for figures"
    )
    parser.add_argument("--dir", help="where to put the data; its disk is the one measured")
    options = parser.parse_args()
    arguments = [*(["--small"] if options.small else []), *(["--dir", options.dir] if options.dir else [])]
    reports = {name: _run(name, arguments) for name in options.names or NAMES}
    rows = [_row(row) for report in reports.values() if report for row in report["rows"]]
    failed = [name for name, report in reports.items() if report is None]
    print("\nAll figures" + (" (small mode: not comparable)" if options.small else ""))
    show([row.cells() for row in rows])
    for name in failed:
        print(f"{name}: failed")
    over = [row.name for row in rows if row.ok is False]
    print(json.dumps({"bench": "all", "small": options.small, "machine": machine(), "over": over, "failed": failed}))
    return 1 if over or failed else 0


def _run(name: str, arguments: list[str]) -> dict[str, Any] | None:
    print(f"\n{name}", flush=True)
    done = subprocess.run(
        [sys.executable, str(HERE / f"{name}.py"), *arguments], stdout=subprocess.PIPE, text=True, check=False
    )
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if lines and lines[-1].startswith("{") else None


def _row(raw: dict[str, Any]) -> Row:
    return Row(**{name: value for name, value in raw.items() if name in Row.__dataclass_fields__})


if __name__ == "__main__":
    sys.exit(main())
