"""What opening reads: the model stamp and the state the store keeps in memory. Knows no thread."""

from __future__ import annotations

from pathlib import Path

import apsw

from mindlog.errors import ModelMismatch, StoreDamaged
from mindlog.records import Dataset
from mindlog.store.base import ModelStamp
from mindlog.store.connect import DATABASE, fetch, open_reader, translated
from mindlog.store.known import Counts, Known
from mindlog.store.numbers import Numbers
from mindlog.store.queries import q
from mindlog.store.reindex import REINDEXING
from mindlog.store.rows import api_key

__all__ = ["NEXT_SLOT", "check_model", "inspect_model", "load_known", "stamp_fresh"]

#: The name under which `meta` holds the lowest slot that may be handed out, whatever rows there are.
NEXT_SLOT = "next_slot"


def stamp_fresh(connection: apsw.Connection, model: ModelStamp) -> None:
    """Make a store without a model the model's."""
    if _model(connection) is None:
        with connection:
            connection.execute(q.insert_model, (model.name, model.fingerprint, model.dimensions))
            connection.execute(q.put_meta, ("model", connection.last_insert_rowid()))


def _meta(connection: apsw.Connection) -> dict[str, int]:
    return dict(fetch(connection, q.load_meta))


def _model(connection: apsw.Connection, name: str = "model") -> tuple[int, ModelStamp] | None:
    number = _meta(connection).get(name)
    for identity, title, fingerprint, dimensions in fetch(connection, q.load_models):
        if identity == number:
            return identity, ModelStamp(name=title, fingerprint=fingerprint, dimensions=dimensions)
    return None


def check_model(connection: apsw.Connection, model: ModelStamp, directory: Path) -> None:
    """Raise `ModelMismatch` unless every vector of the store is of the model."""
    stored = _model(connection)
    assert stored is not None  # stamp_fresh has run
    going_to = _model(connection, REINDEXING)
    command = f"mindlog reindex --data {directory}"
    if going_to is not None:
        raise ModelMismatch(
            f"a reindex from {_shown(stored[1])} to {_shown(going_to[1])} was interrupted; go on with: {command}",
            stored=stored[1].fingerprint,
            given=model.fingerprint,
        )
    if (stored[1].fingerprint, stored[1].dimensions) != (model.fingerprint, model.dimensions):
        raise ModelMismatch(
            f"the store's vectors are of {_shown(stored[1])}, the embedder is {_shown(model)}; to embed again: {command}",
            stored=stored[1].fingerprint,
            given=model.fingerprint,
        )


def _shown(model: ModelStamp) -> str:
    return f"{model.name} ({model.fingerprint}, {model.dimensions} numbers)"


def inspect_model(directory: Path) -> ModelStamp | None:
    """Return the model of the store in the directory without opening it for writing; None if there is no store."""
    path = directory / DATABASE
    if not path.exists():
        return None
    connection = open_reader(path)
    try:
        with translated(directory):
            if not fetch(connection, q.has_table, ("models",))[0][0]:
                return None
            found = _model(connection)
            return None if found is None else found[1]
    finally:
        connection.close()


def _next_slot(connection: apsw.Connection) -> int:
    # The rows say which slots are taken: a number of its own would cost every commit a page. Only who deletes the row of
    # the highest slot must write that number down, so that the slot is not handed out again.
    return max(_meta(connection).get(NEXT_SLOT, 1), fetch(connection, q.last_slot)[0][0] + 1)


def load_known(connection: apsw.Connection) -> Known:
    """Read the state that is kept in memory. Raises `StoreDamaged` if the store has no model."""
    stored = _model(connection)
    if stored is None:
        raise StoreDamaged("the database names no embedding model")
    memories, forgotten, pending = fetch(connection, q.load_counts)[0]
    datasets = [
        Dataset(number=number, name=name, timezone=timezone, created_at=created_at)
        for number, name, timezone, created_at in fetch(connection, q.load_datasets)
    ]
    last_lsn = fetch(connection, q.last_lsn)[0][0]
    return Known(
        model_id=stored[0],
        model=stored[1],
        last_lsn=last_lsn,
        oldest_lsn=fetch(connection, q.oldest_lsn)[0][0],
        told_lsn=last_lsn,
        next_slot=_next_slot(connection),
        datasets={dataset.name: dataset for dataset in datasets},
        owners=dict(fetch(connection, q.load_owners)),
        keys={row[0]: api_key(row[1:]) for row in fetch(connection, q.load_keys)},
        dimensions={row[0]: row[3] for row in fetch(connection, q.load_models)},
        counts=Counts(memories=memories, forgotten=forgotten, pending=pending),
        entities=Numbers(fetch(connection, q.last_entity)[0][0] + 1),
        statements=Numbers(fetch(connection, q.last_statement)[0][0] + 1),
    )
