"""`mindlog reindex`. Owns its output; the work is `mindlog.reindex`."""

from __future__ import annotations

import asyncio

from mindlog.cli.output import print_json, print_line
from mindlog.cli.progress import progress
from mindlog.cli.target import DEFAULT_LOCAL, Local
from mindlog.embedded import load_settings
from mindlog.reindex import reindex as run

__all__ = ["reindex"]


def reindex(*, target: Local = DEFAULT_LOCAL) -> None:
    """Re-embed every memory that is not of the configured model; may be interrupted and run again.

    Args:
        target: The data directory, and the form of the output.
    """
    settings = load_settings(data=target.data)
    with progress("reindex", None) as step:
        done = asyncio.run(run(settings, progress=step))
    if target.json:
        print_json({"reindexed": done})
    else:
        print_line(f"{done} memories embedded again")
