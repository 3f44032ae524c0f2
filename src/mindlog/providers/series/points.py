"""Times and values of a provider's answer as points. Owns what of them is believed: one doubtful value spoils them all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from mindlog.providers.answers import BadAnswer, number, shown
from mindlog.providers.series.provider import SeriesRequest

__all__ = ["instant", "read_points"]

_YEAR = re.compile(r"[12]\d{3}", re.ASCII)
_MONTH = re.compile(r"([12]\d{3})-(0[1-9]|1[0-2])", re.ASCII)
_QUARTER = re.compile(r"([12]\d{3})[- ]?Q([1-4])", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?", re.ASCII | re.DOTALL)
# As seconds 1973 to 5138, as milliseconds the same: no number is both.
_SECONDS, _MILLISECONDS = (1e8, 1e11), (1e11, 1e14)


def read_points(
    pairs: Iterable[tuple[Any, Any]], request: SeriesRequest, at: Callable[[Any], datetime] | None = None
) -> tuple[tuple[datetime, float], ...]:
    """Points of (time, value) pairs within the request: in order, each time once, the latest `limit`.

    Missing values are left out. at: how a time is read, `instant` if None.

    Raises:
        BadAnswer: a time or value that cannot be read, or one time with two values.
    """
    found: dict[datetime, float] = {}
    for written, said in pairs:
        moment, value = (at or instant)(written), number(said)
        if value is None:
            continue
        if found.setdefault(moment, value) != value:
            raise BadAnswer(f"there are two values for {shown(written)}")
    within = sorted((moment, value) for moment, value in found.items() if request.start <= moment <= request.end)
    return tuple(within[-request.limit :])


def instant(written: Any) -> datetime:
    """The beginning, in UTC, of a year, quarter, month, day or time in ISO form, or of a Unix time in seconds or ms.

    A time without a zone is one in UTC. Raises `BadAnswer` for anything else: 03/04/2024 is two days.
    """
    try:
        is_number = isinstance(written, int | float) and not isinstance(written, bool)
        moment = _from_number(written) if is_number else _from_text(written)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as exc:
        raise BadAnswer(f"{shown(written)} is not a time") from exc


def _from_number(written: float) -> datetime:
    if isinstance(written, int) and 1000 <= written < 3000:
        return datetime(written, 1, 1, tzinfo=UTC)
    for (least, most), unit in ((_SECONDS, 1), (_MILLISECONDS, 1000)):
        if least <= written < most:
            return datetime.fromtimestamp(written / unit, UTC)
    raise ValueError(written)


def _from_text(written: Any) -> datetime:
    text = written.strip() if isinstance(written, str) else ""
    if _YEAR.fullmatch(text):
        return datetime(int(text), 1, 1, tzinfo=UTC)
    if found := _MONTH.fullmatch(text):
        return datetime(int(found[1]), int(found[2]), 1, tzinfo=UTC)
    if found := _QUARTER.fullmatch(text):
        return datetime(int(found[1]), 3 * int(found[2]) - 2, 1, tzinfo=UTC)
    if not _DAY.fullmatch(text):
        raise ValueError(written)
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
