"""The catalog's storage: one NumPy column per fact of a revision, with names as numbers.

Owns the columns' types and how catalog rows become arrays; knows no visibility and no filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from mindlog.index.columns import Codes, grown
from mindlog.store.base import CatalogRow

__all__ = ["Columns", "Names"]

LIVE = np.uint32(0xFFFFFFFF)
ALWAYS_HIDDEN = np.uint32(0)


@dataclass(frozen=True, slots=True)
class Names:
    """The numbers of the strings in the columns."""

    agents: Codes = field(default_factory=Codes)
    sessions: Codes = field(default_factory=Codes)
    kinds: Codes = field(default_factory=Codes)
    documents: Codes = field(default_factory=Codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """One array per fact, all of the same capacity: 62 bytes a row.

    `hidden_at` is the publication that hid the row: `LIVE` if none did, `ALWAYS_HIDDEN` before the first that shows it.
    """

    slot: NDArray[np.int64]
    version: NDArray[np.uint32]
    lsn: NDArray[np.int64]
    dataset: NDArray[np.int32]
    agent: NDArray[np.int32]
    session: NDArray[np.int32]
    kind: NDArray[np.int8]
    document: NDArray[np.int32]
    occurred_at: NDArray[np.int64]
    created_at: NDArray[np.int64]
    salience: NDArray[np.float32]
    asks: NDArray[np.bool_]
    hidden_at: NDArray[np.uint32]

    @classmethod
    def empty(cls) -> Columns:
        """Return columns without rows."""
        return cls.of([], Names())

    @classmethod
    def of(cls, rows: Sequence[CatalogRow], names: Names) -> Columns:
        """Return columns of exactly these rows, all hidden."""
        agent, session, kind, document = (
            names.agents.code,
            names.sessions.code,
            names.kinds.code,
            names.documents.code,
        )
        return cls(
            slot=np.array([row.slot for row in rows], np.int64),
            version=np.array([row.version for row in rows], np.uint32),
            lsn=np.array([row.lsn for row in rows], np.int64),
            dataset=np.array([row.dataset for row in rows], np.int32),
            agent=np.array([agent(row.agent) for row in rows], np.int32),
            session=np.array([session(row.session) for row in rows], np.int32),
            kind=np.array([kind(row.kind) for row in rows], np.int8),
            document=np.array([document(row.document_id) for row in rows], np.int32),
            occurred_at=np.array([row.occurred_at for row in rows], np.int64),
            created_at=np.array([row.created_at for row in rows], np.int64),
            salience=np.array([row.salience for row in rows], np.float32),
            asks=np.array([row.asks for row in rows], np.bool_),
            hidden_at=np.full(len(rows), ALWAYS_HIDDEN, np.uint32),
        )

    def joined(self, start: int, more: Columns) -> Columns:
        """Return columns whose rows from `start` on are `more`: these themselves if there is room."""
        end = start + len(more.slot)
        whole = self if end <= len(self.slot) else Columns(**{name: grown(getattr(self, name), end) for name in _NAMES})
        for name in _NAMES:
            getattr(whole, name)[start:end] = getattr(more, name)
        return whole


_NAMES = tuple(f.name for f in fields(Columns))
