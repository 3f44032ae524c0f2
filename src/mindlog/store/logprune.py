"""The operation that drops the beginning of the log. Knows no thread and no queue."""

from __future__ import annotations

from itertools import takewhile

from mindlog.store.connect import fetch
from mindlog.store.queries import q
from mindlog.store.transaction import Transaction

__all__ = ["prune_log"]


def prune_log(tx: Transaction, before: int, keep_lsn: int, limit: int) -> int:
    """Drop up to `limit` entries that are older than the instant, up to `keep_lsn`; returns how many.

    From the beginning without a gap, and never the last one: it says which LSN comes next.
    """
    last = min(keep_lsn, tx.known.last_lsn - 1)
    oldest = fetch(tx.connection, q.oldest_log_rows, (limit,))
    dropped = [lsn for lsn, _ in takewhile(lambda row: row[0] <= last and row[1] < before, oldest)]
    if dropped:
        tx.connection.execute(q.prune_log, (dropped[-1],))
        tx.oldest_lsn = dropped[-1] + 1
    return len(dropped)
