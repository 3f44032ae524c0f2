"""Time: one injectable clock, and RFC 3339 in and out. Owns the microsecond integers that records and tables hold.

Inside mindlog an instant is an int of microseconds since 1970-01-01T00:00:00Z; text appears only at the edges.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mindlog.errors import InvalidInput

__all__ = ["Clock", "SystemClock", "check_instant", "from_iso", "iso", "zone"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
# Years 1 to 9999, the range RFC 3339 can write.
_EARLIEST, _LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999


class Clock(Protocol):
    """Where "now" comes from."""

    def now(self) -> int:
        """Return microseconds since the epoch."""
        ...


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> int:
        """Return microseconds since the epoch."""
        return time.time_ns() // 1000


def iso(at: int) -> str:
    """Return the instant as RFC 3339 in UTC, with `Z` and only as many fraction digits as it needs (0, 3 or 6)."""
    moment = _EPOCH + at * _MICRO
    digits = "seconds" if at % 1_000_000 == 0 else "milliseconds" if at % 1000 == 0 else "microseconds"
    return moment.replace(tzinfo=None).isoformat(timespec=digits) + "Z"


def zone(name: str, field: str = "timezone") -> ZoneInfo:
    """Return the IANA zone; an unknown name is `InvalidInput` on `field`."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError) as exc:
        raise InvalidInput(f"{field}: {name!r} is not an IANA time zone", field=field) from exc


def check_instant(at: int, field: str) -> int:
    """Return the instant if RFC 3339 can write it, `InvalidInput` on `field` otherwise."""
    if isinstance(at, bool) or not isinstance(at, int):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"{field}: must be an RFC 3339 time", field=field)
    if not _EARLIEST <= at <= _LATEST:
        raise InvalidInput(f"{field}: the time is outside years 1 to 9999", field=field)
    return at


def from_iso(value: str | datetime, *, field: str, default_zone: str | None = None) -> int:
    """Return the instant a text or datetime names.

    A naive time is taken in `default_zone` (the dataset's) and refused without one. Raises `InvalidInput` on `field`.
    """
    moment = value if isinstance(value, datetime) else _parse(value, field)
    if moment.tzinfo is None:
        if default_zone is None:
            raise InvalidInput(
                f"{field}: {moment.isoformat()} has no time zone; add one (for example Z) or give the dataset a timezone",
                field=field,
            )
        moment = moment.replace(tzinfo=zone(default_zone))
    try:
        return (moment.astimezone(UTC) - _EPOCH) // _MICRO
    except OverflowError as exc:
        raise InvalidInput(f"{field}: the time is outside years 1 to 9999", field=field) from exc


def _parse(value: str, field: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except ValueError as exc:
        raise InvalidInput(f"{field}: {value[:64]!r} is not an RFC 3339 time", field=field) from exc
