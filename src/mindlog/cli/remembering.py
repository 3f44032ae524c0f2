"""`mindlog remember`: documents given to be read, and how far the reading is. Owns its options and output."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from mindlog.cli.following import ended, heard_to_end
from mindlog.cli.output import one_line, print_json, print_line, print_table, warn
from mindlog.cli.runtable import progress_words
from mindlog.cli.selection import json_option, piped_in, stage_options
from mindlog.cli.stagetable import HEADINGS, stage_row
from mindlog.cli.target import DEFAULT, Target
from mindlog.errors import Forbidden, InvalidInput, MindlogError
from mindlog.wire import to_json

if TYPE_CHECKING:
    from mindlog.client import Client
    from mindlog.embedded import Mindlog
    from mindlog.views import RememberResult

__all__ = ["remember"]

_STDIN = "-"
_ADDRESSES = ("http://", "https://")


def remember(
    *sources: Annotated[str, Parameter(allow_leading_hyphen=True)],
    name: str | None = None,
    dataset: str = "default",
    document_id: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    occurred_at: str | None = None,
    metadata: str | None = None,
    option: tuple[str, ...] = (),
    web_search: bool = False,
    fetch_series: bool = False,
    request_id: str | None = None,
    wait: bool = False,
    target: Target = DEFAULT,
) -> int:
    """Remember documents; prints the id of each one's run once it is on disk.

    Args:
        sources: Files (text, Markdown, HTML, PDF, Word), `-` for standard input, or addresses that begin with https://.
        name: What a document is called, such as `notes.md`, where it comes without a name; its ending tells its type.
        dataset: The isolated collection they belong to (`default` if missing).
        document_id: The document; one that is there gets a new version. Made from the text if missing.
        session: The conversation they belong to.
        agent: Who gave them.
        occurred_at: When they say what they say, RFC 3339; now if missing.
        metadata: A JSON object.
        option: A model for a stage, as `extract_graph.model=..`, or how much it thinks, `.reasoning=..`; may be repeated.
        web_search: Look up what they leave open.
        fetch_series: Get points from a provider for the series they speak of.
        request_id: Makes the command safe to repeat for 24 hours.
        wait: Return when they are read; shows how far that is. Exits with 1 if one could not be.
        target: Where to work, and the form of the output.
    """
    named = _checked(sources, name=name, document_id=document_id, request_id=request_id)
    options: dict[str, Any] = {
        "name": name,
        "dataset": dataset,
        "document_id": document_id,
        "session": session,
        "agent": agent,
        "occurred_at": occurred_at,
        "metadata": json_option(metadata, "metadata"),
        "options": stage_options(option),
        "web_search": web_search,
        "fetch_series": fetch_series,
        "request_id": request_id,
    }
    with target.connect() as db:
        given = [(each, _given(db, each, options, is_only=len(named) == 1)) for each in named]
        taken = [(each, ack) for each, ack in given if ack is not None]
        if not (wait and target.json):
            for source, ack in taken:
                _show_ack(source, ack, target)
        read = [_read(db, source, dataset, ack, target) for source, ack in taken] if wait else []
    return 0 if len(taken) == len(named) and all(read) else 1


def _checked(sources: tuple[str, ...], **of_one: str | None) -> tuple[str, ...]:
    """Return the sources, standard input if there are none. `InvalidInput` for what can only go with one of them."""
    for each in sources:
        if each.startswith("-") and each != _STDIN:
            raise InvalidInput(
                f"sources: unknown option {each[:80]}; a file of that name is ./{each[:80]}", field="sources"
            )
    for name, value in of_one.items():
        if value is not None and len(sources) > 1:
            raise InvalidInput(f"{name}: goes with one document, not {len(sources)}", field=name)
    return sources or (_STDIN,)


def _given(db: Mindlog | Client, source: str, options: dict[str, Any], *, is_only: bool) -> RememberResult | None:
    """Return the ack of one document. One of several that is refused is named on stderr, and the others go on: None."""
    try:
        return db.remember(**_where(source), **options)
    except MindlogError as exc:
        if is_only:
            raise
        warn(f"{source}: {exc.code}: {exc.detail}")
        return None


def _where(source: str) -> dict[str, Any]:
    if source == _STDIN:
        return {"data": piped_in("sources").read()}
    return {"url": source} if source.lower().startswith(_ADDRESSES) else {"path": source}


def _show_ack(source: str, ack: RememberResult, target: Target) -> None:
    if target.json:
        print_json(ack)
        return
    there = "  already there" if ack.was_replayed else ""
    print_line(f"{ack.remember_run_id}  {ack.document_id}  lsn {ack.lsn}  {one_line(source)}{there}")


def _read(db: Mindlog | Client, source: str, dataset: str, ack: RememberResult, target: Target) -> bool:
    """Wait for the run, show how it went, and say whether it succeeded."""
    try:
        run = ended(db, ack.remember_run_id, source)
    except Forbidden:
        # Runs are for admins; whoever may read hears at least how it ended.
        state = heard_to_end(db, dataset, ack)
        _show_end(replace(ack, status="succeeded" if state == "succeeded" else "failed"), state, target)
        return state == "succeeded"
    how_far = progress_words(run)
    words = [run.state, *([how_far] if how_far else []), *run.flags, *([run.error] if run.error else [])]
    _show_end(replace(ack, status=run.status, run=run), ", ".join(words), target)
    return run.status == "succeeded"


def _show_end(result: RememberResult, words: str, target: Target) -> None:
    if target.json:
        print_json(result)
        return
    print_line(f"\nRun {result.remember_run_id}: {words}")
    if result.run is not None:
        print_table(HEADINGS, map(stage_row, to_json(result.run)["stages"]))
