"""`mindlog doctor`. Owns its output; the checks are `mindlog.checkup`."""

from __future__ import annotations

import asyncio
import sys

from mindlog.checkup import Finding, examine
from mindlog.cli.output import print_json, print_line
from mindlog.cli.target import DEFAULT_LOCAL, Local
from mindlog.embedded import load_settings

__all__ = ["doctor"]


def doctor(*, target: Local = DEFAULT_LOCAL) -> int:
    """Check a data directory: files, disk, model, lock, schema, database, and whether the indexes agree with the store.

    Exits with 1 if something is wrong. No other process may have the directory open.

    Args:
        target: The data directory, and the form of the output.
    """
    return asyncio.run(_doctor(target))


async def _doctor(target: Local) -> int:
    troubles = 0
    async for finding in examine(load_settings(data=target.data)):
        troubles += not finding.ok
        _show(finding, target)
    return 1 if troubles else 0


def _show(finding: Finding, target: Local) -> None:
    if target.json:
        print_json(finding)
    else:
        print_line(f"{'ok' if finding.ok else 'TROUBLE':<8}{finding.check:<11}{finding.detail}")
    sys.stdout.flush()
