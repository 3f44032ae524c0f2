"""The `doctor` commands. Owns their output; the checks are `mindlog.checkup` and `mindlog.models.providers`."""

from __future__ import annotations

import asyncio
import sys

from cyclopts import App

from mindlog.checkup import Finding, examine
from mindlog.cli.output import print_json, print_line, print_table
from mindlog.cli.target import DEFAULT_LOCAL, Format, Local
from mindlog.embedded import load_settings
from mindlog.models.providers import ProbeReport
from mindlog.models.providers import doctor as probe
from mindlog.wire import to_json

__all__ = ["app"]

app = App(name="doctor")
_PLAIN = Format()


@app.default
def doctor(*, target: Local = DEFAULT_LOCAL) -> int:
    """Check a data directory: files, disk, model, lock, schema, database, and whether the indexes agree with the store.

    Exits with 1 if something is wrong. No other process may have the directory open.

    Args:
        target: The data directory, and the form of the output.
    """
    return asyncio.run(_doctor(target))


@app.command
def llm(*, form: Format = _PLAIN) -> int:
    """Ask the configured language model one small question in every structured mode; shows which ones work.

    Exits with 1 if none does. The questions cost what they cost.

    Args:
        form: The form of the output.
    """
    report = asyncio.run(probe(load_settings()))
    _show_probe(report, form)
    return 0 if report.best else 1


def _show_probe(report: ProbeReport, form: Format) -> None:
    if form.json:
        print_json({**to_json(report), "best": report.best})
        return
    print_line(f"provider: {report.provider}\nmodel:    {report.model}\nbest:     {report.best or 'no mode works'}\n")
    rows = [(each.mode, each.outcome, f"{each.seconds:.2f}", each.detail) for each in report.modes]
    print_table(("mode", "outcome", "seconds", "detail"), rows)


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
