"""The commands on memories: encode, recall, get, list, edit, forget, restore. Owns their options and their output."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any, Literal

from mindlog.cli.inspecting import memory_facts
from mindlog.cli.output import print_json, print_line, print_table
from mindlog.cli.sections import print_facts
from mindlog.cli.selection import NOTHING, Selection, json_option, piped_in
from mindlog.cli.stagetable import print_stages
from mindlog.cli.target import DEFAULT, Target
from mindlog.clock import iso
from mindlog.errors import InvalidInput
from mindlog.records import EncodeResult, Hit, Memory, RecallResult

__all__ = ["edit", "encode", "forget", "get", "list_", "recall", "restore"]

_LARGEST_PAGE = 500


def encode(
    text: str | None = None,
    /,
    *,
    dataset: str = "default",
    agent: str | None = None,
    session: str | None = None,
    occurred_at: str | None = None,
    kind: str | None = None,
    salience: float | None = None,
    metadata: str | None = None,
    document_id: str | None = None,
    request_id: str | None = None,
    allow_duplicates: bool = False,
    wait: Literal["ack", "derived"] = "ack",
    target: Target = DEFAULT,
) -> None:
    """Keep a text; prints its id once it is on disk.

    Args:
        text: The text; read from standard input if it is missing.
        dataset: The isolated collection it belongs to (`default` if missing).
        agent: Who said or saw it.
        session: The conversation it belongs to.
        occurred_at: When it happened, RFC 3339.
        kind: `episodic`, `semantic` or `consolidated`; chosen by rule if missing.
        salience: How much it matters, 0 to 1; chosen by rule if missing.
        metadata: A JSON object.
        document_id: The source document, if it is a piece of one.
        request_id: Makes the command safe to repeat for 24 hours.
        allow_duplicates: Keep the text even if the same one is there already.
        wait: `derived` waits until the memory is derived too, and prints what each stage did.
        target: Where to work, and the form of the output.
    """
    options: dict[str, Any] = {
        "dataset": dataset,
        "agent": agent,
        "session": session,
        "occurred_at": occurred_at,
        "kind": kind,
        "salience": salience,
        "metadata": json_option(metadata, "metadata"),
        "document_id": document_id,
        "request_id": request_id,
        "allow_duplicates": allow_duplicates,
        "wait": wait,
    }
    content = _read_text(text)
    with target.connect() as db:
        _show_result(db.encode(content, **options), target)


def recall(
    cue: str,
    /,
    *,
    dataset: str = "default",
    limit: int = 10,
    selection: Selection = NOTHING,
    as_of: str | None = None,
    budget_tokens: int | None = None,
    trace: bool = False,
    explain: tuple[str, ...] = (),
    target: Target = DEFAULT,
) -> None:
    """Find memories by meaning and by word, best first.

    Args:
        cue: What to look for, in any words.
        dataset: The collection to look in (`default` if missing).
        limit: Most hits (10 if missing).
        selection: What to narrow by.
        as_of: Answer as the store stood at this time, RFC 3339.
        budget_tokens: Also print a context block of at most this many tokens.
        trace: Also print what each lane found and how the hits were ranked.
        explain: A memory whose absence the trace is to explain; may be repeated.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = db.recall(
            cue,
            dataset=dataset,
            limit=limit,
            filters=selection.filters(),
            as_of=as_of,
            budget_tokens=budget_tokens,
            trace=trace or bool(explain),
            explain_ids=explain,
        )
    _show_recall(found, target)


def get(memory_id: str, /, *, target: Target = DEFAULT) -> None:
    """Show a memory.

    Args:
        memory_id: Its id; that of an older revision shows the older revision.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show_memory(db.get(memory_id), target)


def list_(
    *,
    dataset: str = "default",
    limit: int = 50,
    all: bool = False,  # noqa: A002 - the option's name
    entity: str | None = None,
    selection: Selection = NOTHING,
    target: Target = DEFAULT,
) -> None:
    """List memories, newest first.

    Args:
        dataset: The collection to list (`default` if missing).
        limit: Most memories (50 if missing).
        all: Every memory, however many there are.
        entity: Only what names this entity: its id or a name.
        selection: What to narrow by.
        target: Where to work, and the form of the output.
    """
    if limit < 1:
        raise InvalidInput("limit: must be at least 1", field="limit")
    with target.connect() as db:
        walk = db.iterate(
            dataset,
            filters=selection.filters(),
            entity=entity,
            page_size=_LARGEST_PAGE if all else min(limit, _LARGEST_PAGE),
        )
        found = walk if all else islice(walk, limit)
        if target.json:
            for memory in found:
                print_json(memory)
            return
        print_table(("memory_id", "occurred_at", "session", "agent", "text"), map(_row, found))


def edit(
    memory_id: str,
    /,
    *,
    text: str | None = None,
    kind: str | None = None,
    salience: float | None = None,
    occurred_at: str | None = None,
    metadata: str | None = None,
    target: Target = DEFAULT,
) -> None:
    """Change a memory and print its new id; what is not given stays.

    Args:
        memory_id: The current revision.
        text: The new text.
        kind: `episodic`, `semantic` or `consolidated`.
        salience: How much it matters, 0 to 1.
        occurred_at: When it happened, RFC 3339.
        metadata: A JSON merge patch: null removes a key.
        target: Where to work, and the form of the output.
    """
    patch = json_option(metadata, "metadata")
    with target.connect() as db:
        result = db.edit(memory_id, text=text, kind=kind, salience=salience, occurred_at=occurred_at, metadata=patch)
    _show_result(result, target)


def forget(
    *memory_ids: str,
    undo: bool = False,
    target: Target = DEFAULT,
) -> None:
    """Hide memories from every read, or undo that within the grace period.

    Args:
        memory_ids: The memories.
        undo: Bring them back.
        target: Where to work, and the form of the output.
    """
    if not memory_ids:
        raise InvalidInput("memory_ids: name at least one memory", field="memory_ids")
    if undo:
        restore(*memory_ids, target=target)
        return
    with target.connect() as db:
        for memory_id in memory_ids:
            receipt = db.forget(memory_id)
            if target.json:
                print_json(receipt)
            else:
                print_line(
                    f"{', '.join(receipt.memory_ids)}  forgotten, can be restored until {iso(receipt.restorable_until)}"
                )


def restore(*memory_ids: str, target: Target = DEFAULT) -> None:
    """Undo a forget within the grace period.

    Args:
        memory_ids: The forgotten memories.
        target: Where to work, and the form of the output.
    """
    if not memory_ids:
        raise InvalidInput("memory_ids: name at least one memory", field="memory_ids")
    with target.connect() as db:
        for memory_id in memory_ids:
            memory = db.restore(memory_id)
            if target.json:
                print_json(memory)
            else:
                print_line(f"{memory.id}  restored")


def _read_text(text: str | None) -> str:
    if text is not None:
        return text
    try:
        return piped_in("text").read().decode().removesuffix("\n")
    except UnicodeDecodeError as exc:
        raise InvalidInput(f"text: standard input is not UTF-8 at byte {exc.start}", field="text") from exc


def _show_result(result: EncodeResult, target: Target) -> None:
    if target.json:
        print_json(result)
        return
    there = "  already there" if result.was_deduplicated or result.was_replayed else ""
    print_line(f"{result.memory_id}  {result.kind}  salience {result.salience:g}  lsn {result.lsn}{there}")
    if result.trace is not None:
        state = "" if result.trace["settled"] else f", not settled after {result.trace['window_seconds']:g} s"
        print_stages(f"Run {result.trace['run_id']}{state}", result.trace["stages"])


def _show_recall(found: RecallResult, target: Target) -> None:
    more = {name: value for name, value in (("context", found.context), ("trace", found.trace)) if value is not None}
    if target.json:
        print_json(*found.hits, *([more] if more else []))
        return
    print_table(("memory_id", "score", "occurred_at", "session", "agent", "text"), map(_hit_row, found.hits))
    if found.context is not None:
        print_line("\n" + found.context)
    if found.trace is not None:
        print_line("\n" + json.dumps(found.trace, indent=2, ensure_ascii=False, default=str))


def _show_memory(memory: Memory, target: Target) -> None:
    if target.json:
        print_json(memory)
        return
    print_facts(memory_facts(memory))
    print_line("\n" + memory.text)


def _row(memory: Memory) -> tuple[object, ...]:
    return memory.id, iso(memory.occurred_at), memory.session, memory.agent, memory.text


def _hit_row(hit: Hit) -> tuple[object, ...]:
    memory = hit.memory
    return memory.id, f"{hit.score:.3f}", iso(memory.occurred_at), memory.session, memory.agent, memory.text
