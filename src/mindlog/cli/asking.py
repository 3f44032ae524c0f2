"""`mindlog query`: a question, its answer, and what each part of the answer rests on. Owns its options and output."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from mindlog.cli.output import clean, one_line, print_json, print_line, warn
from mindlog.cli.sections import when
from mindlog.cli.selection import ANYTHING, Narrowing, stage_options
from mindlog.cli.target import DEFAULT, Target
from mindlog.views import AnswerPart, Citation, QueryResult

__all__ = ["query"]

_QUOTE = 300


def query(
    question: str,
    /,
    *,
    dataset: str = "default",
    session: str | None = None,
    as_of: str | None = None,
    limit: int | None = None,
    narrowing: Narrowing = ANYTHING,
    option: tuple[str, ...] = (),
    stream: bool = False,
    target: Target = DEFAULT,
) -> None:
    """Answer a question from what is remembered, and show what the answer rests on.

    Args:
        question: The question, in any words.
        dataset: The collection to look in (`default` if missing).
        session: The conversation of questions it belongs to: what it leaves out is taken from those before.
        as_of: Answer as the store stood at this time, RFC 3339.
        limit: Most memories to answer from.
        narrowing: What to narrow by.
        option: A model for the stage `query`, as `query.model=..`, or how much it thinks, `query.reasoning=..`.
        stream: Print the answer while it is made.
        target: Where to work, and the form of the output.
    """
    options: dict[str, Any] = {
        "dataset": dataset,
        "session": session,
        "as_of": as_of,
        "limit": limit,
        "filters": narrowing.filters(),
        "options": stage_options(option),
    }
    with target.connect() as db:
        if stream:
            _show_parts(db.query_stream(question, **options), target)
            return
        found = db.query(question, **options)
    if target.json:
        print_json(found)
        return
    print_line(found.answer)
    _show_grounds(found)


def _show_parts(parts: Iterable[AnswerPart], target: Target) -> None:
    said = ""
    for part in parts:
        if target.json:
            print_json(part)
        elif part.result is None:
            said += part.text
            sys.stdout.write(clean(part.text))
        else:
            _end(said, part.result)
        sys.stdout.flush()  # the pieces are shown as they come


def _end(said: str, found: QueryResult) -> None:
    """Show the checked answer where it is another than what was said on the way, and what it rests on."""
    if said:
        print_line("")
    if found.answer != said:
        print_line(f"\nChecked: {found.answer}" if said else found.answer)
    _show_grounds(found)


def _show_grounds(found: QueryResult) -> None:
    if found.citations:
        print_line("")
    for each in found.citations:
        print_line(f"[{each.n}] {_source(each)}\n    {one_line(each.quote, _QUOTE)!r}  {each.memory_id}")
    for removed in found.removed:
        warn(f"removed: {' '.join(f'{name}={value}' for name, value in removed.items())}")
    for note in found.notes:
        warn(f"note: {note}")
    print_line(f"\nanswered by {found.answered_by}  {found.query_run_id or 'not on record'}")


def _source(citation: Citation) -> str:
    """Return who said it, when and where, and what is to be known of it."""
    who = citation.agent or citation.source or citation.document_id or "somebody"
    facts = [
        who,
        when(citation.occurred_at),
        f"document {citation.document_id}" if citation.document_id and citation.document_id != who else None,
        f"from {citation.source}" if citation.source and citation.source != who else None,
        citation.trust if citation.trust != "user" else None,
        *citation.flags,
    ]
    return ", ".join(clean(fact) for fact in facts if fact)
