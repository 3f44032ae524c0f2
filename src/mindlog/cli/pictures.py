"""`mindlog image`: keep a picture. Owns its options and output."""

from __future__ import annotations

from pathlib import Path

from mindlog.cli.output import print_json, print_line, warn
from mindlog.cli.sections import print_facts, when
from mindlog.cli.selection import json_option
from mindlog.cli.target import DEFAULT, Target
from mindlog.views import Image

__all__ = ["image"]


def image(
    file: Path,
    /,
    *,
    caption: str | None = None,
    dataset: str = "default",
    agent: str | None = None,
    session: str | None = None,
    occurred_at: str | None = None,
    metadata: str | None = None,
    target: Target = DEFAULT,
) -> None:
    """Keep a picture with what can be read in it; recall finds it by that.

    Args:
        file: The picture.
        caption: What it shows, in your words.
        dataset: The collection it belongs to (`default` if missing).
        agent: Who took or saw it.
        session: The conversation it belongs to.
        occurred_at: When it was taken, RFC 3339; the picture's own time if missing.
        metadata: A JSON object.
        target: Where to work, and the form of the output.
    """
    with target.connect() as db:
        kept = db.keep_image(
            path=file,
            caption=caption,
            dataset=dataset,
            agent=agent,
            session=session,
            occurred_at=occurred_at,
            metadata=json_option(metadata, "metadata"),
        )
    if target.json:
        print_json(kept)
        return
    _show(kept)


def _show(kept: Image) -> None:
    there = "  already there" if kept.was_deduplicated else ""
    print_line(f"{kept.image_id}  {kept.memory_id}  {kept.media_type} {kept.width} x {kept.height}{there}")
    print_facts(
        {
            "taken_at": when(kept.taken_at),
            "position": None if kept.lat is None or kept.lon is None else f"{kept.lat:.5f}, {kept.lon:.5f}",
            "caption": kept.caption,
            "described": kept.model_caption,
            "reads": kept.ocr_text,
        }
    )
    for note in kept.notes:
        warn(f"note: {note}")
