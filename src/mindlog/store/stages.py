"""The stages of every operation, as data. Run-log columns, `pending_stages` and API texts are made from these tables.

A test keeps each equal to `names()` of the pipeline it describes. Adding a stage is one entry here and one line there.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DERIVE_STAGES", "ENCODE_STAGES", "QUERY_STAGES", "REMEMBER_STAGES", "StageInfo", "run_columns"]


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

REMEMBER_STAGES = (
    StageInfo(
        name="classify_complexity",
        does="Tells how to read the document: simple or complex, its language, what it holds.",
        runs_model=True,
    ),
    StageInfo(
        name="chunk_text",
        does="Cuts the document along its structure and keeps every chunk as a memory; what an older version of the "
        "document says and this one does not is taken out of sight.",
        runs_model=True,
    ),
    StageInfo(
        name="extract_graph",
        does="Reads entities, statements, dates, places and series out of every chunk.",
        runs_model=True,
    ),
    StageInfo(name="summarize_chunk", does="Writes a short summary of every chunk.", runs_model=True),
    StageInfo(
        name="load_candidates",
        does="Finds, for one chunk after the other, the known entities and statements that it may speak of.",
        runs_model=True,
    ),
    StageInfo(
        name="resolve_edges",
        does="Decides for every new statement: new, known already, an update, or a contradiction.",
        runs_model=True,
    ),
    StageInfo(name="store", does="Commits what a chunk says to the graph, in one transaction a chunk."),
    StageInfo(name="store_series", does="Commits the series whose points stand in the document."),
    StageInfo(
        name="resolve_geo",
        does="Finds coordinates for the places that the document names.",
        runs_model=True,
    ),
    StageInfo(
        name="web_search",
        does="Looks up what the document leaves open and reconciles what was found, with its source.",
        runs_model=True,
    ),
    StageInfo(
        name="fetch_series",
        does="Gets points from a provider for the series that the document refers to.",
        runs_model=True,
    ),
    StageInfo(
        name="observe_series",
        does="Says in words what the series show, and reconciles it.",
        runs_model=True,
    ),
)

QUERY_STAGES = (
    StageInfo(
        name="retrieve_graph",
        does="Finds the memories and statements that the question is about.",
        runs_model=True,
    ),
    StageInfo(name="detect_geo", does="Finds places and coordinates in the question.", runs_model=True),
    StageInfo(name="nearby_geo", does="Adds what is near those places.", runs_model=True),
    StageInfo(
        name="query",
        does="Answers from what was found, and checks every citation against it.",
        runs_model=True,
    ),
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
