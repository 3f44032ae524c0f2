"""The writer: one thread that owns the write connection and commits writes in groups. Knows no operation's meaning.

A group is one transaction without savepoints. If anything in it fails it is rolled back and done again in halves, so
that in the end a bad write fails alone and every other is committed once, whole, in order.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import apsw

from mindlog.clock import Clock
from mindlog.errors import MindlogError, StoreError
from mindlog.store.base import Change
from mindlog.store.checkpoint import Checkpointer
from mindlog.store.connect import translate
from mindlog.store.graphrows import QuestionsChange
from mindlog.store.handover import Port, Queue, Ticket, Write
from mindlog.store.known import Known
from mindlog.store.transaction import Transaction
from mindlog.testing.faults import fault

__all__ = ["Listener", "LogListener", "QuestionsListener", "Writer"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

Listener = Callable[[Sequence[Change]], None]
QuestionsListener = Callable[[Sequence[QuestionsChange]], None]
LogListener = Callable[[int], None]

_IDLE_SECONDS = 1.0


class Writer:
    """Commits what the queue brings until it is closed."""

    def __init__(
        self, connection: apsw.Connection, known: Known, queue: Queue, clock: Clock, group: int, directory: Path
    ) -> None:
        self._connection = connection
        self._known = known
        self._queue = queue
        self._clock = clock
        self._group = group
        self._directory = directory
        self._checkpointer = Checkpointer(connection)
        self._thread = threading.Thread(target=self._run, name="mindlog-writer", daemon=True)
        self._taken: list[Write] = []
        self.listeners: list[Listener] = []
        self.question_listeners: list[QuestionsListener] = []
        self.log_listeners: list[LogListener] = []

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Accept no more writes, finish those that are queued and end the thread. Safe to call twice."""
        self._queue.close()
        self._thread.join()

    def close(self) -> None:
        """Fold the log and close the connection; the thread has ended and no reader is left."""
        try:
            self._checkpointer.truncate()
        except apsw.Error as exc:
            _log.warning("The write-ahead log is kept: %s", exc, extra={"action": "checkpoint_failed"})
        self._connection.close()

    def truncate_log(self) -> None:
        """Fold the write-ahead log and cut it; an operation to be run alone."""
        self._checkpointer.truncate()

    def _run(self) -> None:
        try:
            while (writes := self._next()) is not None:
                self._taken = writes
                for alone, group in groupby(writes, key=_is_alone):
                    self._do(list(group), alone=alone)
                self._fold(idle=not writes)
        finally:
            self._abandon()

    def _next(self) -> list[Write] | None:
        return self._queue.take(self._group, _IDLE_SECONDS if self._checkpointer.wants_to_fold else -1)

    def _do(self, writes: Sequence[Write], *, alone: bool) -> None:
        if alone:
            self._do_alone(writes)
        else:
            self._commit(writes)

    # -- one group ------------------------------------------------------------------------------------------------------
    def _commit(self, group: Sequence[Write]) -> None:
        outcomes: list[Any] = []
        committed: list[Transaction] = []
        lsn = self._known.last_lsn
        error = _caught(lambda: self._transact(group, outcomes, committed))
        if error is None:
            fault("after_commit_before_listeners")
            (transaction,) = committed
            if transaction.changes or transaction.made_due:
                self._tell(self.listeners, transaction.changes)
            if transaction.questions:
                self._tell(self.question_listeners, transaction.questions)
            self._known.told_lsn = self._known.last_lsn
            if self._known.last_lsn > lsn:
                self._tell(self.log_listeners, self._known.last_lsn)
            fault("after_commit_before_ack")
            self._acknowledge(zip(group, outcomes, strict=True))
        elif len(group) > 1:
            half = len(group) // 2
            self._commit(group[:half])
            self._commit(group[half:])
        else:
            self._acknowledge([(group[0], translate(error, self._directory))])

    def _transact(self, group: Sequence[Write], outcomes: list[Any], committed: list[Transaction]) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            transaction = Transaction(connection, self._known, self._clock.now())
            outcomes += [_outcome(write, transaction) for write in group]
            transaction.flush()
            fault("in_transaction")
            connection.execute("COMMIT")
        finally:
            # A full disk may have ended the transaction already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        transaction.publish()
        committed.append(transaction)

    def _tell(self, listeners: Sequence[Callable[[T], None]], news: T) -> None:
        for listener in listeners:
            error = _caught(partial(listener, news))
            if error is not None:
                # The commit is a fact already; a listener cannot undo it, and its owner must hear of it.
                _log.error("A commit listener failed", exc_info=error, extra={"action": "listener_failed"})

    def _acknowledge(self, results: Iterable[tuple[Write, Any]]) -> None:
        done: dict[Port, list[Ticket]] = {}
        for write, outcome in results:
            ticket = write.ticket
            ticket.outcomes[write.index] = outcome
            ticket.missing -= 1
            if not ticket.missing:
                done.setdefault(ticket.port, []).append(ticket)
        for port, tickets in done.items():
            try:
                port.loop.call_soon_threadsafe(port.settle, tickets)
            except RuntimeError:  # the caller's loop is closed: nobody is waiting
                continue

    # -- between groups ---------------------------------------------------------------------------------------------------
    def _do_alone(self, writes: Iterable[Write]) -> None:
        for write in writes:
            error = _caught(write.operation)
            self._acknowledge([(write, None if error is None else translate(error, self._directory))])

    def _fold(self, *, idle: bool) -> None:
        try:
            self._checkpointer.fold(idle=idle)
        except apsw.Error as exc:
            # Nothing is lost: the log holds every commit, and the next commit or checkpoint says what is wrong.
            _log.warning("The write-ahead log could not be folded: %s", exc, extra={"action": "checkpoint_failed"})

    # -- the end ----------------------------------------------------------------------------------------------------------
    def _abandon(self) -> None:
        """Fail what is left: something only if the thread is ending by an error."""
        self._queue.close()
        left = [write for write in self._taken if write.ticket.missing]
        while writes := self._queue.take(self._group, 0):
            left += writes
        self._acknowledge([(write, StoreError("the writer has stopped")) for write in left])


class _Caught:
    """A context that keeps what is raised in it."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> _Caught:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return True


def _caught(action: Callable[[], object]) -> BaseException | None:
    """Run the action and return what it raised: an error belongs to the caller who waits for the write."""
    with _Caught() as caught:
        action()
    return caught.error


def _is_alone(write: Write) -> bool:
    return write.alone


def _outcome(write: Write, transaction: Transaction) -> Any:
    try:
        return write.operation(transaction)
    except MindlogError as refusal:
        return refusal
