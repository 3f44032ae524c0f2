"""When a failed model call is tried again, and after how long. Owns that policy; knows no transport."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from mindlog.errors import MindlogError

__all__ = ["RetryPolicy", "retry_after"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """attempts: calls in all. base, longest: seconds; the n-th wait is about base × 2ⁿ, never over `longest`."""

    attempts: int = 4
    base: float = 0.5
    longest: float = 30.0

    def delays(self) -> Iterator[float]:
        """Seconds to wait after each attempt but the last, with jitter of half so that callers do not march in step."""
        for number in range(self.attempts - 1):
            yield min(self.base * 2**number, self.longest) * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret

    def pause(self, delay: float, error: MindlogError) -> float | None:
        """Seconds to wait after this error; None: do not try again.

        The error's `retry_after` is obeyed; if it is over `longest`, waiting is left to the caller.
        """
        asked: float = error.extra.get("retry_after") or 0.0
        return max(delay, asked) if error.retryable and asked <= self.longest else None


def retry_after(header: str | None) -> float | None:
    """Seconds that a `Retry-After` header asks for, as a number or an HTTP date (RFC 9110 §10.2.3); None if none."""
    if not header:
        return None
    try:
        return max(float(header), 0.0)
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max((at.astimezone(UTC) - datetime.now(UTC)).total_seconds(), 0.0)
