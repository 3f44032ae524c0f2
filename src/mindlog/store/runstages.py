"""The stages' columns of a run row, as SQL and as `StageRow`s. Owns what `run_columns` of the derive stages means.

Statements in `sql/runs.sql` have markers where these columns go; a stage's name gets into SQL from the table alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from mindlog.errors import InvalidInput
from mindlog.store.connect import Row
from mindlog.store.runrows import StageRow
from mindlog.store.stages import DERIVE_STAGES, StageInfo, run_columns

__all__ = ["NAMES", "checked", "each_stage", "stage_rows", "with_columns"]

NAMES = tuple(stage.name for stage in DERIVE_STAGES)

_BY_NAME = {stage.name: stage for stage in DERIVE_STAGES}


def checked(name: str, field: str = "stage") -> StageInfo:
    """Return the stage of the name. Raises `InvalidInput`."""
    stage = _BY_NAME.get(name)
    if stage is None:
        raise InvalidInput(f"{field}: {name!r} is no stage; there are {', '.join(NAMES)}", field=field)
    return stage


def each_stage(write: Callable[[StageInfo], str], stages: Iterable[StageInfo] = DERIVE_STAGES) -> str:
    """Return what `write` makes of every stage, with commas between."""
    return ", ".join(write(stage) for stage in stages)


def _unstarted(stage: StageInfo) -> str:
    column = f"{stage.name}_status"
    return f"{column} = iif({column} = 'started', 'not_started', {column})"


def _skipped(stage: StageInfo) -> str:
    column = f"{stage.name}_status"
    return f"{column} = iif({column} IN ('started', 'not_started'), 'skipped', {column})"


_MARKERS = {
    # every column of every stage, in the order that `stage_rows` reads
    "/*stages*/": ", ".join(name for name, _ in run_columns(DERIVE_STAGES)),
    "/*statuses*/": each_stage(lambda stage: f"{stage.name}_status"),
    # assignments: what was under way has not begun; what has not ended never will
    "/*unstarted*/": each_stage(_unstarted),
    "/*skipped*/": each_stage(_skipped),
}


def with_columns(sql: str) -> str:
    """Return the statement with the stages' columns in place of its markers."""
    for marker, columns in _MARKERS.items():
        sql = sql.replace(marker, columns)
    return sql


def stage_rows(values: Row) -> tuple[StageRow, ...]:
    """Return the stages of the columns that stand for `/*stages*/`."""
    rows: list[StageRow] = []
    at = 0
    for stage in DERIVE_STAGES:
        status, error, started_at, finished_at = values[at : at + 4]
        at += 4
        inference_ids: tuple[str, ...] = ()
        if stage.runs_model:
            inference_ids = tuple(json.loads(values[at] or "[]"))
            at += 1
        rows.append(
            StageRow(
                name=stage.name,
                status=status,
                error=error,
                started_at=started_at,
                finished_at=finished_at,
                inference_ids=inference_ids,
            )
        )
    return tuple(rows)
