"""Where model calls are kept: the store, behind the door that `models.inference` knows. Owns the form of the rows."""

from __future__ import annotations

from typing import Protocol

from mindlog.models.inference import InferenceRecord
from mindlog.store.runrows import InferenceRow

__all__ = ["InferenceSink", "StoredInferences"]


class InferenceSink(Protocol):
    """What this needs of a store."""

    async def add_inference(self, row: InferenceRow) -> None:
        """Keep a model call."""
        ...


class StoredInferences:
    """An `InferenceStore` over the store."""

    def __init__(self, store: InferenceSink) -> None:
        self._store = store

    async def add(self, record: InferenceRecord) -> None:
        """Commit one record. Raises what the store raises; the log of inferences counts it."""
        await self._store.add_inference(row_of(record))


def row_of(record: InferenceRecord) -> InferenceRow:
    """Return the record as a row, its prompt as (role, content) pairs."""
    facts = {name: getattr(record, name) for name in InferenceRecord.__dataclass_fields__ if name != "prompt"}
    prompt = None if record.prompt is None else tuple((each.role, each.content) for each in record.prompt)
    return InferenceRow(prompt=prompt, **facts)
