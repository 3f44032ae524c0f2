"""The stages of every operation, as data. Run-log columns, `pending_stages` and API texts are made from these tables.

A test keeps each equal to `names()` of the pipeline it describes. Adding a stage is one entry here and one line there.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DERIVE_STAGES", "ENCODE_STAGES", "StageInfo", "run_columns"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageInfo:
    """A stage's name, what it does in a sentence, and whether it runs a model (then its inferences are on record)."""

    name: str
    does: str
    runs_model: bool = False


ENCODE_STAGES = (
    StageInfo(
        name="validate",
        does="Checks limits, times and metadata, stamps kind and salience, looks for an earlier answer.",
    ),
    StageInfo(name="embed", does="Turns the text into vectors with the local embedder.", runs_model=True),
    StageInfo(name="reserve", does="Takes the slot that becomes the memory's id."),
    StageInfo(name="persist", does="Commits the memory and everything it owes in one fsynced transaction."),
)

DERIVE_STAGES = (
    StageInfo(name="auto_edge", does="Links the memory to its nearest ones."),
    StageInfo(name="temporal_edge", does="Links the memory to the one before it in its session."),
    StageInfo(name="memory_text", does="Records its lexical terms."),
    StageInfo(name="extractor", does="Reads entities, statements and relations out of the text.", runs_model=True),
    StageInfo(name="hype", does="Makes questions that the memory answers.", runs_model=True),
)


def run_columns(stages: tuple[StageInfo, ...]) -> tuple[tuple[str, str], ...]:
    """Return the (name, SQL type) of the run-log columns that the stages add."""
    columns: list[tuple[str, str]] = []
    for stage in stages:
        columns += [
            (f"{stage.name}_status", "TEXT NOT NULL DEFAULT 'not_started'"),
            (f"{stage.name}_error", "TEXT"),
            (f"{stage.name}_started_at", "INTEGER"),
            (f"{stage.name}_finished_at", "INTEGER"),
        ]
        if stage.runs_model:
            columns.append((f"{stage.name}_inference_ids", "TEXT"))
    return tuple(columns)
