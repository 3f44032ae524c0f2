"""The commands on what was understood: entities, statements, the graph. Owns their options and output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from cyclopts import Parameter

from mindlog.cli.inspecting import span
from mindlog.cli.output import print_json, print_line, print_table, warn
from mindlog.cli.paging import walk
from mindlog.cli.sections import print_facts, print_section, when
from mindlog.cli.target import DEFAULT, Target
from mindlog.views import Entity, Graph, Statement

__all__ = ["entities", "entity", "graph", "merge", "statements", "unmerge"]

_STATEMENT = ("statement_id", "statement", "status", "sure", "valid", "evidence", "words")
_ENTITY = ("entity_id", "name", "kind", "aliases", "memories", "statements")
_SHOWN_OF_ENTITY = 50


def entities(
    *,
    dataset: str = "default",
    name: str | None = None,
    kind: str | None = None,
    limit: int = 50,
    target: Target = DEFAULT,
) -> None:
    """List the things that memories name.

    Args:
        dataset: The collection (`default` if missing).
        name: The start of any of their names.
        kind: Only this kind, such as `person`.
        limit: Most entities (50 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = walk(lambda size, cursor: db.entities(dataset, name=name, kind=kind, limit=size, cursor=cursor), limit)
        _show_entities(found, target)


def entity(entity_id: str, /, *, target: Target = DEFAULT) -> None:
    """Show an entity and what is said of it.

    Args:
        entity_id: Its id; that of a merged one shows the entity it is one with.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = db.entity(entity_id)
        page = db.statements(found.dataset, entity=found.entity_id, include_superseded=True, limit=_SHOWN_OF_ENTITY)
    if target.json:
        print_json(found)
        return
    print_facts(
        {
            "entity_id": found.entity_id,
            "dataset": found.dataset,
            "name": found.name,
            "kind": found.kind,
            "speaker": "yes" if found.is_speaker else None,
            "aliases": ", ".join(f"{each.name} ({each.uses})" for each in found.names) or None,
            "merged": ", ".join(f"{each.name} ({each.entity_id})" for each in found.merged_entities) or None,
            "memories": found.memories,
            "statements": found.statements,
            "created_at": when(found.created_at),
        }
    )
    print_section("Statements", _STATEMENT, map(_statement_row, page.data))
    if page.has_more:
        warn(f"more than {_SHOWN_OF_ENTITY} statements; mindlog statements --entity {found.entity_id} lists them all")


def statements(
    *,
    dataset: str = "default",
    subject: str | None = None,
    object_: Annotated[str | None, Parameter(name="--object")] = None,
    entity_: Annotated[str | None, Parameter(name="--entity")] = None,
    predicate: str | None = None,
    memory: str | None = None,
    text: str | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
    include_superseded: bool = False,
    limit: int = 50,
    target: Target = DEFAULT,
) -> None:
    """List statements with the words they rest on, newest first.

    Args:
        dataset: The collection (`default` if missing).
        subject: Whom or what they are about: an entity's id or a name.
        object_: What they lead to: an entity's id or a name.
        entity_: Either of the two.
        predicate: Only this predicate, such as `lives_in`.
        memory: Only those that this memory carries.
        text: Only those with these words.
        as_of: What holds in the world at this time, RFC 3339.
        known_at: What the store believed at this time, RFC 3339.
        include_superseded: Also what has ended or is believed no longer.
        limit: Most statements (50 if missing).
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = walk(
            lambda size, cursor: db.statements(
                dataset,
                subject=subject,
                object=object_,
                entity=entity_,
                predicate=predicate,
                memory_id=memory,
                text=text,
                as_of=as_of,
                known_at=known_at,
                include_superseded=include_superseded,
                limit=size,
                cursor=cursor,
            ),
            limit,
        )
        if target.json:
            print_json(*found)
            return
        print_table(_STATEMENT, map(_statement_row, found))


def graph(
    of: str,
    /,
    *,
    dataset: str = "default",
    depth: int = 1,
    limit: int = 100,
    as_of: str | None = None,
    known_at: str | None = None,
    include_superseded: bool = False,
    target: Target = DEFAULT,
) -> None:
    """Show what is around an entity, and how it hangs together.

    Args:
        of: The entity: its id or a name.
        dataset: The collection (`default` if missing).
        depth: How many relations away (1 if missing).
        limit: Most entities (100 if missing).
        as_of: What holds in the world at this time, RFC 3339.
        known_at: What the store believed at this time, RFC 3339.
        include_superseded: Also relations that have ended.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        found = db.graph(
            of,
            dataset=dataset,
            depth=depth,
            limit=limit,
            as_of=as_of,
            known_at=known_at,
            include_superseded=include_superseded,
        )
    if target.json:
        print_json(found)
    else:
        _show_graph(found)


def merge(entity_id: str, into: str, /, *, target: Target = DEFAULT) -> None:
    """Make an entity one with another; `unmerge` takes it back.

    Args:
        entity_id: The entity.
        into: The one it is.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show_entities([db.merge_entities(entity_id, into)], target)


def unmerge(entity_id: str, /, *, target: Target = DEFAULT) -> None:
    """Take the merge of an entity back.

    Args:
        entity_id: The entity that was made one with another.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        _show_entities([db.unmerge_entity(entity_id)], target)


def _show_entities(found: Iterable[Entity], target: Target) -> None:
    if target.json:
        print_json(*found)
    else:
        print_table(_ENTITY, map(_entity_row, found))


def _show_graph(found: Graph) -> None:
    print_table(_ENTITY, map(_entity_row, found.entities))
    rows = [
        (each.subject.name, each.predicate, each.object.name if each.object else each.value, each.status, _valid(each))
        for each in found.relations
    ]
    print_section("Relations", ("from", "relation", "to", "status", "valid"), rows)
    if found.truncated:
        print_line("\nThere is more: the limit left some out.")


def _entity_row(each: Entity) -> tuple[object, ...]:
    aliases = ", ".join(alias for alias in each.aliases if alias != each.name)
    return each.entity_id, each.name, each.kind, aliases, each.memories, each.statements


def _statement_row(each: Statement) -> tuple[object, ...]:
    return (
        each.statement_id,
        each.text,
        each.status,
        f"{each.confidence:.2f}",
        _valid(each),
        each.evidence_count,
        each.evidence[0].quote if each.evidence else None,
    )


def _valid(statement: Statement) -> str:
    believed = [each for each in statement.validities if each.invalidated_at is None] or statement.validities
    return ", ".join(map(span, believed))
