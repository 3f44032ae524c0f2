"""`mindlog inspect`: everything there is to know of a memory, on one page. Owns the page."""

from __future__ import annotations

import json
from collections.abc import Iterable

from mindlog.cli.marks import marked
from mindlog.cli.output import print_json, print_line
from mindlog.cli.sections import day, print_facts, print_section, when
from mindlog.cli.stagetable import print_stages
from mindlog.cli.target import DEFAULT, Target
from mindlog.records import Memory, Revision
from mindlog.views import Edge, Evidence, Inspection, Run, Statement, Validity
from mindlog.wire import to_json

__all__ = ["inspect", "memory_facts", "span"]


def inspect(memory_id: str, /, *, target: Target = DEFAULT) -> None:
    """Show a memory with all that was derived from it: statements, entities, links, questions, runs.

    The words a statement rests on stand in brackets with the statement's number behind: `[I live in Bonn]1`.

    Args:
        memory_id: Its id; that of an older revision shows the older revision.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = db.inspect(memory_id)
    if target.json:
        print_json(found)
    else:
        _show(found)


def memory_facts(memory: Memory) -> dict[str, object]:
    """Return what is known of a memory besides its text, by name; None where there is nothing."""
    return {
        "memory_id": memory.id if memory.is_current else f"{memory.id} (an older revision)",
        "dataset": memory.dataset,
        "agent": memory.agent,
        "session": memory.session,
        "kind": memory.kind,
        "salience": memory.salience,
        "occurred_at": when(memory.occurred_at),
        "recorded_at": when(memory.recorded_at),
        "document_id": memory.document_id,
        "metadata": json.dumps(dict(memory.metadata), ensure_ascii=False) if memory.metadata else None,
    }


def span(validity: Validity) -> str:
    """Return when a statement holds in the world, such as `2025-01-05T10:00:00Z to ..`."""
    return f"{day(validity.valid_from)} to {day(validity.valid_to)}"


def _show(found: Inspection) -> None:
    memory = found.memory
    vector = f"{found.vector['windows']} x {found.vector['dimensions']} {found.vector['model']}"
    print_facts({**memory_facts(memory), "vector": vector})
    numbered = list(enumerate(found.statements, start=1))
    spans = [(each.start, each.end, number) for number, one in numbered for each in _own(one, memory)]
    print_line("\n" + marked(memory.text, spans))
    print_section(
        "Statements",
        ("", "statement_id", "statement", "status", "sure", "valid", "time phrase"),
        [_statement_row(number, one, memory) for number, one in numbered],
    )
    print_section(
        "Entities",
        ("entity_id", "name", "kind", "words"),
        [
            (each.entity.entity_id, each.entity.name, each.kind, _words(memory.text, each.spans))
            for each in found.entities
        ],
    )
    print_section("Links", ("from", "kind", "to", "weight", "made by"), map(_edge_row, found.edges))
    print_section(
        "Questions it answers", ("question", "made by"), [(each.text, each.source) for each in found.questions]
    )
    if found.terms:
        print_line(f"\nTerms\n{' '.join(found.terms)}")
    if len(found.versions) > 1:
        rows = [(each.id, when(each.recorded_at), _opening(each)) for each in found.versions]
        print_section("Revisions", ("memory_id", "recorded_at", "text"), rows)
    for run in found.runs:
        print_stages(f"Run {run.run_id}: {_state(run)}", to_json(run)["stages"])


def _opening(revision: Revision) -> str:
    return f"{revision.text} .. ({revision.characters} characters)" if revision.is_cut else revision.text


def _own(statement: Statement, memory: Memory) -> Iterable[Evidence]:
    return (each for each in statement.evidence if each.memory_id == str(memory.id))


def _statement_row(number: int, statement: Statement, memory: Memory) -> tuple[object, ...]:
    phrases = dict.fromkeys(each.time_phrase for each in _own(statement, memory) if each.time_phrase)
    valid = ", ".join(span(each) for each in statement.validities if each.invalidated_at is None)
    return (
        number,
        statement.statement_id,
        statement.text,
        statement.status,
        f"{statement.confidence:.2f}",
        valid,
        ", ".join(phrases),
    )


def _words(text: str, spans: Iterable[tuple[int, int]]) -> str:
    return ", ".join(dict.fromkeys(text[start:end] for start, end in spans))


def _edge_row(edge: Edge) -> tuple[object, ...]:
    return edge.source, edge.kind, edge.target, f"{edge.weight:.2f}", edge.made_by


def _state(run: Run) -> str:
    attempts = f", {run.attempts} attempts" if run.attempts > 1 else ""
    return f"{run.state}{attempts}" + (f", {run.error}" if run.error else "")
