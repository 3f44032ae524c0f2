"""`mindlog bench recall`: encodes conversations, asks their questions, and scores what comes back.

Owns the run: one dataset a conversation, through the public embedded API alone. Reading and scoring are elsewhere.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from cyclopts import App

from mindlog import embedded
from mindlog.cli.conversations import Conversation, Turn, read_conversations
from mindlog.cli.output import print_json
from mindlog.cli.progress import progress
from mindlog.cli.scoring import ALL, DEPTHS, Score, percentile, score
from mindlog.cli.target import DEFAULT_LOCAL, Local
from mindlog.embedded import Mindlog
from mindlog.errors import InvalidInput, MindlogError

__all__ = ["app"]

app = App(name="bench")

_BATCH = 256
_TURN = "turn"
_TURN_SECONDS = 5.0


@dataclass(slots=True)
class _Run:
    """What was measured. Times in seconds."""

    encoded: int = 0
    encode_seconds: float = 0.0
    latencies: list[float] = field(default_factory=list[float])
    ranked: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


@app.command(name="recall")
def bench_recall(
    data_file: Path, /, *, ranked: Path | None = None, limit: int = 50, target: Local = DEFAULT_LOCAL
) -> None:
    """Encode and derive each conversation in its own dataset, ask its questions, and print how much evidence is found.

    Nothing is derived with MINDLOG_DERIVE=false.

    Works in a temporary directory unless --data names one; a directory of an earlier run of the same file is used as it
    is, without encoding again.

    Args:
        data_file: One conversation a line, with its turns and questions.
        ranked: Also write the ranking: a question a line, with the ids of the turns found for it.
        limit: Hits to ask for (50 if missing).
        target: The data directory, and the form of the output.
    """
    conversations = read_conversations(data_file)
    run = _Run()
    total = sum(len(each.turns) + len(each.questions) for each in conversations)
    with _directory(target) as db, _writing(ranked) as out, progress("bench", total) as step:
        for number, conversation in enumerate(conversations):
            _encode(db, conversation, _dataset(number, conversation), run)
            _derive(db)
            step(len(conversation.turns))
            _ask(db, conversation, _dataset(number, conversation), limit, run, out)
            step(len(conversation.questions))
    _report(conversations, run, target)


@contextmanager
def _directory(target: Local) -> Generator[Mindlog]:
    if target.data is not None:
        with target.open() as db:
            yield db
        return
    with TemporaryDirectory(prefix="mindlog-bench-") as scratch, embedded.open(scratch) as db:
        yield db


@contextmanager
def _writing(path: Path | None) -> Generator[TextIO | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as exc:
        raise InvalidInput(f"ranked: {path}: {exc.strerror}", field="ranked") from exc
    with file:
        yield file


def _dataset(number: int, conversation: Conversation) -> str:
    return f"bench-{number}-{re.sub('[^A-Za-z0-9_.-]', '-', conversation.id)[:64]}"


def _encode(db: Mindlog, conversation: Conversation, dataset: str, run: _Run) -> None:
    if _is_there(db, conversation, dataset):
        return
    start = time.perf_counter()
    for at in range(0, len(conversation.turns), _BATCH):
        items = [_item(turn, dataset) for turn in conversation.turns[at : at + _BATCH]]
        for outcome in db.encode_batch(items):
            if isinstance(outcome, MindlogError):
                raise outcome
    run.encode_seconds += time.perf_counter() - start
    run.encoded += len(conversation.turns)


def _derive(db: Mindlog) -> None:
    """Wait until all is derived, unless this process does not derive."""
    while not db.settled(_TURN_SECONDS) and not db.health().derive["paused"]:
        continue


def _is_there(db: Mindlog, conversation: Conversation, dataset: str) -> bool:
    if all(known.name != dataset for known in db.datasets()):
        return False
    kept = {str(memory.metadata.get(_TURN)) for memory in db.iterate(dataset)}
    if kept and kept != {turn.id for turn in conversation.turns}:
        raise InvalidInput(f"data: dataset {dataset} holds something else; use another directory", field="data")
    return bool(kept)


def _item(turn: Turn, dataset: str) -> dict[str, Any]:
    return {
        "text": turn.text,
        "dataset": dataset,
        "agent": turn.speaker,
        "session": turn.session,
        "occurred_at": turn.occurred_at,
        "metadata": {_TURN: turn.id},
        # Two turns may say the same; each is evidence of its own.
        "allow_duplicates": True,
    }


def _ask(db: Mindlog, conversation: Conversation, dataset: str, limit: int, run: _Run, out: TextIO | None) -> None:
    for question in conversation.questions:
        start = time.perf_counter()
        found = db.recall(question.text, dataset=dataset, limit=limit)
        run.latencies.append(time.perf_counter() - start)
        turns = [str(hit.memory.metadata[_TURN]) for hit in found.hits]
        run.ranked[question.id] = turns
        if out is not None:
            out.write(json.dumps({"question_id": question.id, "ranked": turns}) + "\n")


def _report(conversations: Sequence[Conversation], run: _Run, target: Local) -> None:
    tables = _scores(conversations, run)
    speed = _speed(run)
    if target.json:
        scores = {name: {key: each.as_json() for key, each in table.items()} for name, table in tables.items()}
        print_json({**scores, **speed})
        return
    _print_scores(tables)
    ingest = f"{speed['encodes_per_second']:.0f}/s ({run.encoded} turns)" if run.encoded else "none: they were there"
    sys.stdout.write(
        f"\nencodes    {ingest}\n"
        f"questions  {speed['questions_per_second']:.1f}/s\n"
        f"latency    p50 {speed['p50_ms']:.1f} ms   p95 {speed['p95_ms']:.1f} ms   p99 {speed['p99_ms']:.1f} ms\n"
    )


def _scores(conversations: Sequence[Conversation], run: _Run) -> dict[str, dict[str, Score]]:
    middle = (len(conversations) + 1) // 2
    parts = {"all": conversations, "first_half": conversations[:middle], "second_half": conversations[middle:]}
    return {
        name: score((question for each in part for question in each.questions), run.ranked)
        for name, part in parts.items()
    }


def _speed(run: _Run) -> dict[str, float]:
    ordered, asking = sorted(run.latencies), sum(run.latencies)
    return {
        "encodes_per_second": run.encoded / run.encode_seconds if run.encode_seconds else 0.0,
        "questions_per_second": len(ordered) / asking if asking else 0.0,
        **{f"p{percent}_ms": 1000 * percentile(ordered, percent) for percent in (50, 95, 99)},
    }


def _print_scores(tables: dict[str, dict[str, Score]]) -> None:
    heading = "".join(f"{f'frac@{k}':>9}{f'any@{k}':>8}" for k in DEPTHS)
    sys.stdout.write(f"{'category':<24}{'n':>6}{heading}\n")
    rows = [*tables["all"].items(), *((name, tables[name].get(ALL, Score())) for name in ("first_half", "second_half"))]
    for name, each in rows:
        figures = "".join(f"{each.frac(k):>9.1f}{each.any(k):>8.1f}" for k in DEPTHS)
        sys.stdout.write(f"{name[:24]:<24}{each.questions:>6}{figures}\n")
