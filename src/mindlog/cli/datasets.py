"""The `datasets` commands. Owns their options and output."""

from __future__ import annotations

from cyclopts import App

from mindlog.cli.output import print_json, print_table
from mindlog.cli.target import DEFAULT, Target
from mindlog.clock import iso
from mindlog.records import Dataset

__all__ = ["app"]

app = App(name="datasets")


@app.default
@app.command(name="list")
def list_(*, target: Target = DEFAULT) -> None:
    """List the datasets."""
    with target.connect() as db:
        _show(db.datasets(), target)


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
    else:
        print_table(("dataset", "timezone", "created_at"), [(d.name, d.timezone, iso(d.created_at)) for d in datasets])
