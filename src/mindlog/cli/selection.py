"""What several commands take in: filters, values given as JSON, standard input. Owns how they become plain values."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Annotated, Any, BinaryIO

from cyclopts import Parameter

from mindlog.errors import InvalidInput

__all__ = ["ANYTHING", "NOTHING", "Narrowing", "Selection", "json_option", "piped_in", "stage_options"]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Narrowing:
    """What to narrow by, whatever the session; every option holds exactly."""

    agent: Annotated[tuple[str, ...], Parameter(help="Only this agent; may be repeated.")] = ()
    kind: Annotated[tuple[str, ...], Parameter(help="Only this kind; may be repeated.")] = ()
    document_id: Annotated[tuple[str, ...], Parameter(help="Only this document; may be repeated.")] = ()
    after: Annotated[str | None, Parameter(help="Only what happened at or after this time, RFC 3339.")] = None
    before: Annotated[str | None, Parameter(help="Only what happened before this time, RFC 3339.")] = None
    where: Annotated[str | None, Parameter(help='Conditions on metadata, JSON such as \'{"topic": "health"}\'.')] = None

    def filters(self) -> dict[str, Any] | None:
        """Return the filters in their JSON form; None if there are none."""
        return {name: value for name, value in self.chosen().items() if value not in (None, [])} or None

    def chosen(self) -> dict[str, Any]:
        """Return every filter in its JSON form, chosen or not."""
        return {
            "agent": list(self.agent),
            "kind": list(self.kind),
            "document_id": list(self.document_id),
            "after": self.after,
            "before": self.before,
            "metadata": json_option(self.where, "where"),
        }


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Selection(Narrowing):
    """The same, and by session."""

    session: Annotated[tuple[str, ...], Parameter(help="Only this session; may be repeated.")] = ()

    def chosen(self) -> dict[str, Any]:
        """Return every filter in its JSON form, chosen or not."""
        return {"session": list(self.session), **super().chosen()}


NOTHING = Selection()
ANYTHING = Narrowing()


def json_option(raw: str | None, field: str) -> Any:
    """Return the value of an option that holds JSON; `InvalidInput` on `field` if it does not."""
    try:
        return None if raw is None else json.loads(raw)
    except ValueError as exc:
        raise InvalidInput(f"{field}: not JSON: {exc}", field=field) from exc


def stage_options(given: tuple[str, ...]) -> dict[str, dict[str, str]] | None:
    """Return options of stages, each given as `stage.model=..` or `stage.reasoning=..`, by stage; None if there are none.

    `InvalidInput` on `option` for one of another form; the engine knows which stages and values there are.
    """
    options: dict[str, dict[str, str]] = {}
    for each in given:
        name, equals, value = each.partition("=")
        stage, dot, option = name.partition(".")
        if not (equals and dot and stage and option and value):
            raise InvalidInput(
                f"option: {each[:80]!r} is not of the form stage.model=.. or stage.reasoning=..", field="option"
            )
        options.setdefault(stage, {})[option] = value
    return options or None


def piped_in(field: str) -> BinaryIO:
    """Return standard input; `InvalidInput` on `field` if a person would have to type it."""
    if sys.stdin.isatty():
        raise InvalidInput(f"{field}: is missing; give it, or pipe it in", field=field)
    return sys.stdin.buffer
