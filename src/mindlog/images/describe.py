"""All that is known of a picture as the text its memory gets, so that recall finds it, and as metadata to filter by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from mindlog.clock import from_iso, iso
from mindlog.images.exif import Position
from mindlog.images.plain import CUT, one_line

__all__ = ["MAX_DESCRIPTION", "Description", "describe"]

MAX_DESCRIPTION = 8000
"""Characters of the text."""

# A file name that counts, and the captions, leave the rest of the text to what was read from the picture.
_MAX_NAME = 200
_MAX_CAPTION = 3000
_JOINTS = re.compile(r"[_\-.+]+")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """text: 1 to `MAX_DESCRIPTION` characters. metadata: JSON values under flat keys; what is not known has none."""

    text: str
    metadata: dict[str, Any]


def describe(
    *,
    caption_by_caller: str | None = None,
    caption_by_model: str | None = None,
    ocr_text: str | None = None,
    taken_at: datetime | None = None,
    position: Position | None = None,
    place_name: str | None = None,
    camera: str | None = None,
    file_name: str | None = None,
) -> Description:
    """Write down what is known, the surest first: the caller's caption, the model's, when and where, then its text.

    taken_at: with a zone; the day is written as it was there. file_name: may hold a path, of which the end counts.
    """
    captions = _captions(caption_by_caller, caption_by_model)
    place, name = one_line(place_name, _MAX_NAME), _name(file_name)
    read = _lines(ocr_text)
    head = [*captions.values(), _circumstances(taken_at, position, place, camera), *_file(name)]
    text = "\n".join(line for line in head if line)
    return Description(
        text=_with_read(text, read),
        metadata=_without_none(
            media="image",
            caption_by=next(iter(captions), None),
            taken_at=None if taken_at is None else iso(from_iso(taken_at, field="taken_at")),
            latitude=None if position is None else position.latitude,
            longitude=None if position is None else position.longitude,
            place=place or None,
            camera=one_line(camera, _MAX_NAME) or None,
            file_name=name or None,
            has_text=bool(read),
        ),
    )


def _captions(by_caller: str | None, by_model: str | None) -> dict[str, str]:
    """The captions by whose they are; the model's is left out if it says what the caller's says."""
    told = {"caller": one_line(by_caller, _MAX_CAPTION), "model": one_line(by_model, _MAX_CAPTION)}
    if told["model"].casefold() == told["caller"].casefold():
        del told["model"]
    return {whose: caption for whose, caption in told.items() if caption}


def _circumstances(taken_at: datetime | None, position: Position | None, place: str, camera: str | None) -> str:
    parts = [*_when(taken_at), *_where(position, place)]
    device = one_line(camera, _MAX_NAME)
    parts += [f"with {device}"] if device else []
    return f"Picture taken {', '.join(parts)}." if parts else "A picture."


def _when(taken_at: datetime | None) -> Iterator[str]:
    """Yield the day in words, to be looked for, and the minute as it is read without doubt."""
    if taken_at is not None:
        minute = taken_at.isoformat(timespec="minutes")
        yield f"on {taken_at.day} {_MONTHS[taken_at.month - 1]} {taken_at.year} ({minute})"


def _where(position: Position | None, place: str) -> Iterator[str]:
    if place:
        yield f"in {place}"
    if position is not None:
        yield f"at {position.latitude:.5f}, {position.longitude:.5f}"


def _file(name: str) -> Iterator[str]:
    """Yield the file's name, and its words if they are joined: "beach_day.jpg" is looked for as "beach day".

    A sentence: a word and a colon would be read as somebody who speaks.
    """
    if name:
        stem = PurePosixPath(name).stem.strip()
        words = " ".join(_JOINTS.sub(" ", stem).split())
        yield f"Its file is {name}" + (f" ({words})." if words not in ("", stem) else ".")


def _with_read(text: str, read: str) -> str:
    """The text, and below it as much of what was read as there is room for, in whole lines."""
    if not read:
        return text
    whole = f"{text}\nText in the picture:\n{read}"
    if len(whole) <= MAX_DESCRIPTION:
        return whole
    kept = whole[: MAX_DESCRIPTION - len(CUT)]
    return kept[: max(kept.rfind("\n"), kept.rfind(" "))].rstrip() + CUT


def _name(file_name: str | None) -> str:
    return one_line(re.split(r"[/\\]", file_name)[-1], _MAX_NAME) if file_name else ""


def _lines(text: str | None) -> str:
    lines = (one_line(line, MAX_DESCRIPTION) for line in (text or "").splitlines())
    return "\n".join(line for line in lines if line)


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
