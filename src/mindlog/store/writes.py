"""How the writing halves of a store reach the writer thread: one operation, one call, its outcome or its error.

Knows no operation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mindlog.store.handover import Door
from mindlog.store.transaction import Transaction

__all__ = ["Writes", "result"]


class Writes:
    """What every writing half is made from; the store that is made of them opens the door."""

    _door: Door

    async def _write(self, operation: Callable[..., Any], *arguments: Any) -> Any:
        """Run `operation(tx, *arguments)` in a transaction and return what it returns, or raise what it raises."""
        return result(await self._door.submit([_Call(operation, arguments)]))


@dataclass(frozen=True, slots=True)
class _Call:
    """An operation with its arguments, waiting for a transaction."""

    operation: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __call__(self, tx: Transaction) -> Any:
        return self.operation(tx, *self.arguments)


def result(outcomes: list[Any]) -> Any:
    """Return the only outcome, or raise it if it is an error."""
    outcome = outcomes[0]
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
