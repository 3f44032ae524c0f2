"""`mindlog documents` and `document`: what was remembered, and what it is kept as. Owns their options and output."""

from __future__ import annotations

from mindlog.cli.output import one_line, print_json, print_table
from mindlog.cli.paging import walk
from mindlog.cli.sections import print_facts, print_section, when
from mindlog.cli.target import DEFAULT, Target
from mindlog.views import Document, DocumentText

__all__ = ["document", "documents"]

_DOCUMENT = ("document_id", "title", "kind", "chunks", "characters", "updated_at", "run")
_TEXT = ("memory_id", "origin", "#", "state", "under", "text", "summary", "source", "error")
_SUMMARY = 60


def documents(*, dataset: str = "default", limit: int = 50, target: Target = DEFAULT) -> None:
    """List remembered documents, newest first.

    Args:
        dataset: The collection (`default` if missing).
        limit: Most documents (50 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = walk(lambda size, cursor: db.documents(dataset, limit=size, cursor=cursor), limit)
        if target.json:
            print_json(*found)
            return
        print_table(_DOCUMENT, map(_document_row, found))


def document(
    document_id: str, /, *, dataset: str = "default", texts: bool = False, limit: int = 500, target: Target = DEFAULT
) -> None:
    """Show a remembered document.

    Args:
        document_id: The document.
        dataset: The collection (`default` if missing).
        texts: Also what its current version is kept as: its chunks in order, then what was added to them.
        limit: Most of these texts (500 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = db.document(document_id, dataset)
        kept = list(
            walk(lambda size, cursor: db.document_texts(document_id, dataset, limit=size, cursor=cursor), limit)
            if texts
            else ()
        )
    if target.json:
        print_json(found, *kept)
        return
    print_facts(
        {
            "document_id": found.document_id,
            "dataset": found.dataset,
            "title": found.title,
            "kind": found.kind,
            "name": found.name,
            "url": found.url,
            "characters": found.characters,
            "chunks": found.chunks,
            "run": found.remember_run_id,
            "created_at": when(found.created_at),
            "updated_at": when(found.updated_at),
        }
    )
    print_section("Texts", _TEXT, map(_text_row, kept))


def _document_row(each: Document) -> tuple[object, ...]:
    return (
        each.document_id,
        each.title,
        each.kind,
        each.chunks,
        each.characters,
        when(each.updated_at),
        each.remember_run_id,
    )


def _text_row(each: DocumentText) -> tuple[object, ...]:
    summary = None if each.summary is None else one_line(each.summary, _SUMMARY)
    return (
        each.memory_id,
        each.origin,
        each.position,
        each.state,
        " > ".join(each.headings),
        each.text,
        summary,
        each.source,
        each.error,
    )
