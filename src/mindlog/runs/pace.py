"""How the runs of one operation are worked on: how many at once, how long a claim holds, how often they are tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindlog.settings import Settings

__all__ = ["Pace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Numbers of a worker. backoff_seconds: the wait after the first failure, four times longer after each further one."""

    concurrency: int
    lease_seconds: float
    attempts: int
    backoff_seconds: float

    @classmethod
    def of_derive(cls, settings: Settings) -> Pace:
        """Return the pace of derivations."""
        return cls(
            concurrency=settings.derive_concurrency,
            lease_seconds=settings.derive_lease_seconds,
            attempts=settings.derive_attempts,
            backoff_seconds=settings.derive_backoff_seconds,
        )

    @classmethod
    def of_remember(cls, settings: Settings) -> Pace:
        """Return the pace of documents."""
        return cls(
            concurrency=settings.remember_concurrency,
            lease_seconds=settings.derive_lease_seconds,
            attempts=settings.remember_attempts,
            backoff_seconds=settings.derive_backoff_seconds,
        )
