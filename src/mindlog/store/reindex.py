"""The operations that put vectors of another model in place of those stored. Resumable: each vector names its model.

From the first replaced vector to `finish` the store belongs to neither model and refuses to open for either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindlog.errors import StoreError
from mindlog.store.base import ModelStamp
from mindlog.store.connect import fetch
from mindlog.store.queries import q
from mindlog.store.rows import checked_states, checked_vectors, to_json
from mindlog.store.transaction import Transaction
from mindlog.testing.faults import fault

__all__ = ["REINDEXING", "Replacement", "finish", "replace_questions", "replace_vectors"]

#: The name under which `meta` holds the id of the model a reindex is going to.
REINDEXING = "reindexing_to"

#: slot, version, vectors, token states
Replacement = tuple[int, int, NDArray[np.float32], NDArray[np.int8] | None]


def model_id(tx: Transaction, model: ModelStamp) -> int:
    """Return the model's id, adding it if it is new."""
    for number, _, fingerprint, _ in fetch(tx.connection, q.load_models):
        if fingerprint == model.fingerprint:
            return number
    tx.connection.execute(q.insert_model, (model.name, model.fingerprint, model.dimensions))
    number = tx.connection.last_insert_rowid()
    tx.new_models[number] = model.dimensions
    return number


def replace_vectors(tx: Transaction, replacements: Sequence[Replacement], model: ModelStamp) -> int:
    """Store the new vectors of revisions that are still current; returns how many."""
    tx.flush()
    checked = [
        (slot, version, checked_vectors(vectors, model.dimensions), None if states is None else checked_states(states))
        for slot, version, vectors, states in replacements
    ]
    number = model_id(tx, model)
    tx.connection.execute(q.put_meta, (REINDEXING, number))
    replaced = 0
    for slot, version, vectors, states in checked:
        width = None if states is None else states.shape[1]
        tx.connection.execute(q.replace_embedding, (number, width, vectors, states, slot, version))
        replaced += tx.connection.changes()
    fault("in_reindex")
    return replaced


def replace_questions(
    tx: Transaction, replacements: Sequence[tuple[int, NDArray[np.float32]]], model: ModelStamp
) -> None:
    """Store the new vectors of questions, given by id; those that are gone are passed over."""
    tx.flush()
    vectors = [checked_vectors(vector.reshape(1, -1), model.dimensions) for _, vector in replacements]
    number = model_id(tx, model)
    tx.connection.execute(q.put_meta, (REINDEXING, number))
    for (question, _), vector in zip(replacements, vectors, strict=True):
        tx.connection.execute(q.replace_question, (number, vector, question))
    fault("in_reindex")


def finish(tx: Transaction, model: ModelStamp) -> None:
    """Make the store the model's. Raises `StoreError` while any memory's vectors are of another; questions that are go."""
    tx.flush()
    number = model_id(tx, model)
    if fetch(tx.connection, q.stale_vectors, (number, -1, 1)):
        raise StoreError("vectors of another model remain: the reindex is not complete")
    tx.connection.execute(q.put_meta, ("model", number))
    tx.connection.execute(q.delete_meta, (REINDEXING,))
    tx.connection.execute(q.drop_old_vectors, (number,))
    tx.connection.execute(q.drop_other_questions, (number,))
    tx.connection.execute(q.drop_name_vectors)
    tx.connection.execute(q.delete_models, (number,))
    facts = {"from": tx.known.model.fingerprint, "to": model.fingerprint, "dimensions": model.dimensions}
    tx.add_log("model_changed", None, None, None, to_json(facts))
    tx.model = (number, model)
