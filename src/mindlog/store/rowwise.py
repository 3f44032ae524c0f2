"""Adds many rows by few statements. Knows no table.

Every step of a statement lets go of the interpreter, and under load each of these costs a switch of threads: one
statement for 64 rows is one step instead of 64.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain

import apsw

from mindlog.store.connect import Row

__all__ = ["insert_rows"]

# Few sizes, so that their statements stay prepared; 64 rows of 17 values are far below SQLite's limit of variables.
_SIZES = (64, 8, 1)


def insert_rows(connection: apsw.Connection, sql: str, rows: Sequence[Row]) -> None:
    """Add the rows, in order; `sql` inserts one and ends with its `VALUES (..)`."""
    at = 0
    for size in _SIZES:
        while len(rows) - at >= size:
            connection.execute(_of_many(sql, size), tuple(chain.from_iterable(rows[at : at + size])))
            at += size


@cache
def _of_many(sql: str, size: int) -> str:
    head, _, values = sql.rstrip().rstrip(";").rpartition("VALUES ")
    return f"{head}VALUES {', '.join([values] * size)}"
