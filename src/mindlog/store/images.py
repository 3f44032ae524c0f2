"""Pictures: the operation that keeps one with its memory, and reads on a connection. Knows no file and no pixels."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import apsw

from mindlog.ids import MemoryId
from mindlog.records import NewMemory, Persisted
from mindlog.store.askingrows import ImageRow, NewImage, NewPlace
from mindlog.store.connect import Row, fetch
from mindlog.store.persist import persist
from mindlog.store.placewrites import check_place, put_places
from mindlog.store.queries import q
from mindlog.store.transaction import Transaction

__all__ = ["image", "images_of", "put_image"]


def put_image(tx: Transaction, memory: NewMemory, image: NewImage, place: NewPlace | None) -> tuple[Persisted, int]:
    """Commit memory, picture and place together; see `AskingStore.put_image`. Of the last two, whose they are is known here."""
    if place is not None:
        check_place(replace(place, slot=memory.slot, version=1, entity=None))
    persisted = persist(tx, memory)
    tx.flush()  # the row refers to the memory's
    identity = persisted.id
    for (number,) in fetch(tx.connection, q.image_of_memory, (identity.slot, image.fingerprint)):
        return persisted, number
    dataset = tx.dataset(memory.dataset)
    assert dataset is not None  # the memory has been written to it
    tx.connection.execute(q.insert_image, (dataset.number, identity.slot, *_facts(image), tx.at))
    number = tx.connection.last_insert_rowid()
    if place is not None:
        whose = {"dataset": dataset.number, "slot": identity.slot, "version": identity.version}
        put_places(tx, [replace(place, entity=None, **whose)])
    return persisted, number


def _facts(image: NewImage) -> Row:
    file = (image.fingerprint, image.media_type, image.bytes, image.width, image.height, image.name)
    taken = (image.taken_at, image.lat, image.lon)
    notes = json.dumps(image.notes, ensure_ascii=False)
    said = (image.caption, image.model_caption, image.ocr_text, notes)
    return (*file, *taken, *said, image.thumbnail, image.thumbnail_type)


# -- reads --------------------------------------------------------------------------------------------------------------
def image(connection: apsw.Connection, number: int, *, thumbnail: bool) -> ImageRow | None:
    """Return one picture of a live memory."""
    for row in fetch(connection, q.find_image, (thumbnail, number)):
        return _image(row)
    return None


def images_of(connection: apsw.Connection, slots: Iterable[int]) -> dict[int, list[ImageRow]]:
    """Return the pictures of live memories by slot, in the order in which they came."""
    found: dict[int, list[ImageRow]] = {}
    for row in fetch(connection, q.images_of, (json.dumps(sorted(set(slots))),)):
        found.setdefault(row[2], []).append(_image(row))
    return found


def _image(row: Row) -> ImageRow:
    number, dataset, slot, version, fingerprint, media_type, size, width, height, name, taken_at, lat, lon = row[:13]
    caption, model_caption, ocr_text, notes, created_at, thumbnail_type, thumbnail = row[13:]
    return ImageRow(
        id=number,
        dataset=dataset,
        memory_id=MemoryId(0, slot, version),
        fingerprint=fingerprint,
        media_type=media_type,
        bytes=size,
        width=width,
        height=height,
        name=name,
        taken_at=taken_at,
        lat=lat,
        lon=lon,
        caption=caption,
        model_caption=model_caption,
        ocr_text=ocr_text,
        notes=tuple(json.loads(notes)),
        created_at=created_at,
        thumbnail=thumbnail,
        thumbnail_type=thumbnail_type,
    )
