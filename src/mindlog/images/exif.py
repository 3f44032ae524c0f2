"""What a camera wrote into a picture: when, where, with what, and which way up. Bad values are absent, with a note.

The tags are those of Exif 2.32. A time is believed only with a zone: its own offset, the caller's, or the satellites' clock.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, SupportsFloat, TypeVar, cast

from mindlog.clock import zone as zone_of
from mindlog.errors import InvalidInput
from mindlog.images.picture import BROKEN, Picture, opened

__all__ = ["Exif", "Position", "parse_exif", "read_exif"]

_MAKE, _MODEL, _ORIENTATION, _PHOTO, _GPS = 0x010F, 0x0110, 0x0112, 0x8769, 0x8825
_TAKEN, _OFFSET, _SUBSECONDS = 0x9003, 0x9011, 0x9291
_LATITUDE, _LONGITUDE = (1, 2, "NS", 90.0), (3, 4, "EW", 180.0)
_GPS_TIME, _GPS_DATE = 7, 29
# The year of the first photograph; an earlier one is a clock that was never set.
_FIRST_YEAR = 1826
_CAMERA_CHARS = 100
_TIME = re.compile(r"(\d{4})[:\-/](\d\d)[:\-/](\d\d)[ T](\d\d):(\d\d):(\d\d)")
_ZONE = re.compile(r"([+-])(\d\d):?(\d\d)")

Tags = Mapping[int, Any]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A point on the earth, WGS 84. latitude: degrees, north positive. longitude: degrees, east positive."""

    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Exif:
    """What is known. taken_at: in the zone it was taken in. notes: what was there and not believed.

    orientation: 1 to 8, how the pixels must still be turned once they are decoded.
    """

    taken_at: datetime | None = None
    position: Position | None = None
    camera: str | None = None
    orientation: int = 1
    notes: tuple[str, ...] = ()


async def read_exif(picture: Picture, *, zone: str | None = None) -> Exif:
    """Read what the camera wrote on a thread, see `parse_exif`."""
    return await asyncio.to_thread(parse_exif, picture, zone=zone)


def parse_exif(picture: Picture, *, zone: str | None = None) -> Exif:
    """Return what the camera wrote. zone: the IANA zone of a time that names none.

    Raises:
        InvalidInput: `zone` is no zone; nothing in the picture raises.
        MissingExtra: Pillow is not installed.
    """
    default = None if zone is None else zone_of(zone)
    notes: list[str] = []
    tags, photo, gps = _noted(notes, "exif", lambda: _tags(picture)) or ({}, {}, {})
    return Exif(
        taken_at=_noted(notes, "time", lambda: _taken_at(photo, gps, default)),
        position=_noted(notes, "position", lambda: _position(gps)),
        camera=_noted(notes, "camera", lambda: _camera(tags)),
        # Pillow turns a TIFF while it decodes it.
        orientation=1 if picture.format == "tiff" else _noted(notes, "orientation", lambda: _orientation(tags)) or 1,
        notes=tuple(notes),
    )


def _noted(notes: list[str], what: str, read: Callable[[], Value | None]) -> Value | None:
    """Read one thing; if it is not to be believed, it is absent and a note says why."""
    try:
        return read()
    except (InvalidInput, *BROKEN) as exc:
        notes.append(f"{what}: {exc}" if isinstance(exc, _Unbelieved) else f"{what}: it cannot be read")
        return None


class _Unbelieved(ValueError):
    """A value that is there and cannot be true."""


def _tags(picture: Picture) -> tuple[Tags, Tags, Tags]:
    """The tags of the picture, of the photograph and of its position."""
    with opened(picture.format, picture.data) as image:
        exif = image.getexif()
        unread = image.info.get("exif") and not exif
        found = dict(exif), dict(exif.get_ifd(_PHOTO)), dict(exif.get_ifd(_GPS))
    if unread:
        raise _Unbelieved("it cannot be read")
    return found


def _taken_at(photo: Tags, gps: Tags, default: tzinfo | None) -> datetime | None:
    written = _text(photo.get(_TAKEN))
    if not written.strip(" :0"):
        return None
    found = _TIME.match(written)
    if found is None:
        raise _Unbelieved(f"{written[:40]!r} is no time")
    year, month, day, hour, minute, second = (int(each) for each in found.groups())
    # A leap second has no place in a datetime.
    local = datetime(year, month, day, hour, minute, min(second, 59), _microseconds(photo))
    if local.year < _FIRST_YEAR:
        raise _Unbelieved(f"{written!r} is before there were photographs")
    return _zoned(local, photo, gps, default)


def _zoned(local: datetime, photo: Tags, gps: Tags, default: tzinfo | None) -> datetime:
    offset = _ZONE.match(_text(photo.get(_OFFSET)))
    if offset is not None:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return local.replace(tzinfo=timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes)))
    if default is not None:
        return local.replace(tzinfo=default)
    satellites = _satellite_time(gps)
    if satellites is None:
        raise _Unbelieved(f"{local.isoformat(sep=' ')} has no zone")
    return satellites


def _satellite_time(gps: Tags) -> datetime | None:
    """The time of the position, which is always in UTC and given to the second."""
    date, clock = _text(gps.get(_GPS_DATE)), gps.get(_GPS_TIME)
    if not date or clock is None:
        return None
    hours, minutes, seconds = (_number(each) for each in clock)
    day = datetime.strptime(date[:10].replace("-", ":"), "%Y:%m:%d").replace(tzinfo=UTC)
    return day + timedelta(hours=hours, minutes=minutes, seconds=int(seconds))


def _microseconds(photo: Tags) -> int:
    digits = _text(photo.get(_SUBSECONDS)).strip()
    return int(digits[:6].ljust(6, "0")) if digits.isascii() and digits.isdecimal() else 0


def _position(gps: Tags) -> Position | None:
    if _LATITUDE[1] not in gps and _LONGITUDE[1] not in gps:
        return None
    place = Position(latitude=_degrees(gps, *_LATITUDE), longitude=_degrees(gps, *_LONGITUDE))
    if place.latitude == 0 and place.longitude == 0:
        raise _Unbelieved("0, 0 is what a device without a position writes")
    return place


def _degrees(gps: Tags, side_tag: int, tag: int, sides: str, most: float) -> float:
    side = _text(gps.get(side_tag)).strip().upper()
    if side not in tuple(sides):
        raise _Unbelieved(f"{side[:10]!r} is none of {sides[0]} and {sides[1]}")
    parts = [_number(each) for each in gps[tag]]
    if len(parts) != 3 or not all(math.isfinite(each) and each >= 0 for each in parts):
        raise _Unbelieved("degrees, minutes and seconds are not three numbers")
    degrees, minutes, seconds = parts
    # A rounded-up 60 is written by many.
    if minutes > 60 or seconds > 60:
        raise _Unbelieved(f"{minutes:g} minutes {seconds:g} seconds are no part of a degree")
    value = degrees + minutes / 60 + seconds / 3600
    if value > most:
        raise _Unbelieved(f"{value:g} degrees {side} is not on the earth")
    # Seven digits are a centimetre.
    return round(-value if side in "SW" else value, 7) or 0.0


def _number(value: Any) -> float:
    return float(cast("SupportsFloat", value))


def _camera(tags: Tags) -> str | None:
    make, model = _words(tags.get(_MAKE)), _words(tags.get(_MODEL))
    told = model if model.lower().startswith(make.lower()) else f"{make} {model}"
    return told.strip()[:_CAMERA_CHARS] or None


def _words(value: Any) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in _text(value)).split())


def _orientation(tags: Tags) -> int | None:
    value = tags.get(_ORIENTATION)
    if value is None:
        return None
    if value not in range(1, 9):
        raise _Unbelieved(f"{str(value)[:20]!r} is none of 1 to 8")
    return int(value)


def _text(value: Any) -> str:
    """The text of a tag, up to its NUL; empty if it has none."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return value.split("\0")[0] if isinstance(value, str) else ""
