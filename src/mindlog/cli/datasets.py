"""The `datasets` commands. Owns their options and output."""

from __future__ import annotations

from dataclasses import fields

from cyclopts import App

from mindlog.cli.output import print_json, print_table
from mindlog.cli.target import DEFAULT, Target
from mindlog.clock import iso
from mindlog.records import Dataset, DatasetSize

__all__ = ["app"]

app = App(name="datasets")


@app.default
@app.command(name="list")
def list_(*, sizes: bool = False, target: Target = DEFAULT) -> None:
    """List the datasets.

    Args:
        sizes: Count what each holds.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show(db.datasets(sizes=sizes), target)


@app.command
def put(name: str, /, *, timezone: str | None = None, target: Target = DEFAULT) -> None:
    """Create a dataset, or set the zone its naive times are taken in.

    Args:
        name: The dataset.
        timezone: An IANA zone such as `Europe/Lisbon`.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show([db.put_dataset(name, timezone=timezone)], target)


def _show(datasets: list[Dataset], target: Target) -> None:
    if target.json:
        print_json(*datasets)
        return
    counts = [each.name for each in fields(DatasetSize)] if any(each.size for each in datasets) else []
    rows = [
        (each.name, each.timezone, iso(each.created_at), *(getattr(each.size, count) for count in counts))
        for each in datasets
    ]
    print_table(("dataset", "timezone", "created_at", *counts), rows)
