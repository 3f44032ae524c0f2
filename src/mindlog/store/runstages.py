"""The run tables: the columns of their stages, as SQL and as `StageRow`s. Owns what `run_columns` of the stages means.

Statements in `sql/runs.sql` have markers where these columns go; a stage's name gets into SQL from its table alone. They are
written for `encode_runs`: one that uses only columns that another run table has too is that table's by `RunTable.sql`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from mindlog.errors import InvalidInput
from mindlog.ids import Operation, run_id
from mindlog.store.connect import Row
from mindlog.store.queries import q
from mindlog.store.rows import to_json
from mindlog.store.runrows import HELD_BACK, StageRow
from mindlog.store.stages import DERIVE_STAGES, QUERY_STAGES, REMEMBER_STAGES, StageInfo, run_columns

__all__ = [
    "DERIVE",
    "NAMES",
    "QUERY",
    "REMEMBER",
    "RunTable",
    "checked",
    "each_stage",
    "stage_rows",
    "with_columns",
]


def each_stage(write: Callable[[StageInfo], str], stages: Iterable[StageInfo] = DERIVE_STAGES) -> str:
    """Return what `write` makes of every stage, with commas between."""
    return ", ".join(write(stage) for stage in stages)


def _unstarted(stage: StageInfo) -> str:
    column = f"{stage.name}_status"
    return f"{column} = iif({column} = 'started', 'not_started', {column})"


def _skipped(stage: StageInfo) -> str:
    column = f"{stage.name}_status"
    return f"{column} = iif({column} IN ('started', 'not_started'), 'skipped', {column})"


@dataclass(frozen=True)
class RunTable:
    """The log of one operation. outputs: the table of what its stages produced; "" if it has none."""

    operation: Operation
    name: str
    outputs: str
    stages: tuple[StageInfo, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The stages' names, in order."""
        return tuple(stage.name for stage in self.stages)

    def checked(self, name: str, field: str = "stage") -> StageInfo:
        """Return the stage of the name. Raises `InvalidInput`."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise InvalidInput(f"{field}: {name!r} is no stage; there are {', '.join(self.names)}", field=field)

    # -- as SQL -----------------------------------------------------------------------------------------------------
    @cached_property
    def _markers(self) -> Mapping[str, str]:
        return {
            # every column of every stage, in the order that `rows` reads
            "/*stages*/": ", ".join(name for name, _ in run_columns(self.stages)),
            "/*statuses*/": self._each(lambda stage: f"{stage.name}_status"),
            "/*errors*/": self._each(lambda stage: f"r.{stage.name}_error"),
            # assignments: what was under way has not begun; what has not ended never will; what is to be done again (a
            # numbered truth value each) is as if it had never been
            "/*unstarted*/": self._each(_unstarted),
            "/*skipped*/": self._each(_skipped),
            "/*reset*/": self._each(self._reset),
            "/*held_back*/": str(HELD_BACK),
        }

    def _each(self, write: Callable[[StageInfo], str]) -> str:
        return each_stage(write, self.stages)

    def _reset(self, stage: StageInfo) -> str:
        number = self.stages.index(stage) + 1
        kept = ["error", "started_at", "finished_at", *(["inference_ids"] if stage.runs_model else [])]
        columns = [(f"{stage.name}_status", "'not_started'"), *((f"{stage.name}_{each}", "NULL") for each in kept)]
        return ", ".join(f"{column} = iif(?{number}, {value}, {column})" for column, value in columns)

    def with_columns(self, sql: str) -> str:
        """Return the statement with the stages' columns in place of its markers."""
        for marker, columns in self._markers.items():
            sql = sql.replace(marker, columns)
        return sql

    def sql(self, statement: str) -> str:
        """Return a statement written for `encode_runs` as one of this table, with the stages' columns."""
        named = statement.replace("encode_runs", self.name).replace("encode_run_outputs", self.outputs)
        return self.with_columns(named)

    def of_stage(self, statement: str, stage: StageInfo) -> str:
        """Return such a statement about one stage, which stands for the marker `/*stage*/`."""
        return self.sql(statement.replace("/*stage*/", stage.name))

    @cached_property
    def put_output(self) -> str:
        """The statement that keeps what a stage produced."""
        return self.sql(q.put_output)

    @cached_property
    def delete_output(self) -> str:
        """The statement that drops what a stage produced."""
        return self.sql(q.delete_output)

    # -- as rows ----------------------------------------------------------------------------------------------------
    def rows(self, values: Row) -> tuple[StageRow, ...]:
        """Return the stages of the columns that stand for `/*stages*/`."""
        rows: list[StageRow] = []
        at = 0
        for stage in self.stages:
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

    def payload(self, run: int, **facts: object) -> str:
        """Return the payload of a log entry about a run; facts that are None are left out."""
        named = {name: fact for name, fact in facts.items() if fact is not None}
        return to_json({"run": run_id(run, self.operation)} | named)


DERIVE = RunTable("encode", "encode_runs", "encode_run_outputs", DERIVE_STAGES)
REMEMBER = RunTable("remember", "remember_runs", "remember_run_stage_outputs", REMEMBER_STAGES)
QUERY = RunTable("query", "query_runs", "", QUERY_STAGES)

NAMES = DERIVE.names
checked = DERIVE.checked
with_columns = DERIVE.with_columns
stage_rows = DERIVE.rows
