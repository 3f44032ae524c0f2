"""Checks of places, of entities and of memories, and of the pictures that memories have."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from mindlog.errors import IdempotencyConflict, InvalidInput, MindlogError
from mindlog.store.askingrows import ImageRow, NewImage, NewPlace, PlaceRow
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused, together
from mindlog.testing.conformance.knowing import Fact, Knowing

__all__ = ["CHECKS"]

LIVES: Fact = ("Anna", "lives_in", "Lisbon")


# -- places -------------------------------------------------------------------------------------------------------------
def _place(bench: Bench, name: str = "Lisbon", **facts: Any) -> NewPlace:
    values: dict[str, Any] = {"lat": 38.7, "lon": -9.1, "cell": 7, "source": "gazetteer", "confident": True} | facts
    return NewPlace(dataset=bench.number(), name=name, **values)


def _named(rows: list[PlaceRow]) -> list[str]:
    return [row.name for row in rows]


async def a_place_is_there_while_whose_it_is_can_be_seen(open_store: Opener) -> None:
    """An entity that a live memory names or states something of; a memory's revision that is live."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await knowing.learn("Anna lives in Lisbon", facts=[LIVES])
        number, lisbon = bench.number(), knowing.entities["Lisbon"]
        more: dict[str, Any] = {
            "country": "PT",
            "region": "Lisbon",
            "kind": "city",
            "population": 5,
            "reason": "largest",
        }
        of_entity = _place(bench, entity=lisbon, **more)
        of_memory = _place(bench, "Here", slot=1, version=1, source="text", confident=False, cell=8)
        assert await bench.store.put_places([of_entity, of_memory]) == 2
        assert await bench.store.put_places([of_entity, of_memory]) == 0
    async with opened(open_store) as bench:
        here, there = bench.store.places(number)
        assert (here.name, here.memory_id, here.entity, here.confident) == ("Here", bench.get(1).id, None, False)
        assert (there.name, there.entity, there.memory_id, there.confident) == ("Lisbon", lisbon, None, True)
        assert (there.country, there.region, there.kind, there.population) == ("PT", "Lisbon", "city", 5)
        assert (there.lat, there.lon, there.cell, there.source, there.reason) == (38.7, -9.1, 7, "gazetteer", "largest")
        await bench.store.edit(bench.edit(bench.get(1), "Anna has moved"))
        assert bench.store.places(number) == []
        await bench.store.put_places([replace(of_memory, version=2)])
        assert _named(bench.store.places(number)) == ["Here"]
        await bench.store.forget(number, [1])
        assert bench.store.places(number) == []
        await bench.store.restore(number, [1], 0)
        assert _named(bench.store.places(number)) == ["Here"]


async def places_are_found_by_whose_they_are_and_by_cells(open_store: Opener) -> None:
    """What is asked for is united; no cells are none."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await knowing.learn("Lisbon and Porto", ["Lisbon", "Porto"])
        number = bench.number()
        lisbon, porto = (knowing.entities[name] for name in ("Lisbon", "Porto"))
        places = [_place(bench, entity=lisbon), _place(bench, "Porto", entity=porto, cell=8)]
        await bench.store.put_places([*places, _place(bench, "Here", slot=1, version=1, cell=1 << 62)])
        asked: tuple[dict[str, Any], ...] = (
            {},
            {"entities": [porto]},
            {"slots": [1]},
            {"cells": [7, 1 << 62, 99]},
            {"cells": []},
            {"entities": [lisbon], "cells": [8]},
            {"limit": 2},
        )
        assert [_named(bench.store.places(number, **facts)) for facts in asked] == [
            ["Here", "Porto", "Lisbon"],
            ["Porto"],
            ["Here"],
            ["Here", "Lisbon"],
            [],
            ["Porto", "Lisbon"],
            ["Here", "Porto"],
        ]
        await bench.persist("text", dataset="other")
        assert bench.store.places(bench.number("other"), entities=[lisbon], cells=[7]) == []


async def an_entity_has_one_place_and_a_revision_its_last_ones(open_store: Opener) -> None:
    """The later takes the earlier's room, also in what was made one; what is not there or not live is passed over."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        await knowing.learn("Lisbon or Lisboa", ["Lisbon", "Lisboa"])
        number = bench.number()
        lisbon, lisboa = (knowing.entities[name] for name in ("Lisbon", "Lisboa"))
        await bench.store.put_places([_place(bench, "old", entity=lisbon), _place(bench, "new", entity=lisbon)])
        await bench.store.put_places([_place(bench, "other", entity=lisboa)])
        assert _named(bench.store.places(number, entities=[lisbon])) == ["new"]
        await bench.store.merge_entities(number, lisboa, lisbon, "same")
        rows = bench.store.places(number, entities=[lisbon])
        assert [(row.name, row.entity) for row in rows] == [("other", lisbon)]
        assert rows == bench.store.places(number, entities=[lisboa]) == bench.store.places(number, cells=[7])
        assert await bench.store.put_places([_place(bench, "new", entity=lisbon)]) == 1
        assert _named(bench.store.places(number)) == ["new"]
        await bench.store.unmerge_entity(number, lisboa)
        assert _named(bench.store.places(number)) == ["new", "other"]
        own = [_place(bench, name, slot=1, version=1) for name in ("a", "b", "b")]
        assert await bench.store.put_places(own) == 2
        assert await bench.store.put_places([own[0], _place(bench, "c", slot=1, version=1)]) == 1
        assert _named(bench.store.places(number, slots=[1])) == ["c", "a"]
        gone = [
            _place(bench, "x", entity=99),
            _place(bench, "y", slot=1, version=2),
            _place(bench, "z", slot=9, version=1),
        ]
        assert await bench.store.put_places(gone) == 0
        wrong: tuple[dict[str, Any], ...] = (
            {},
            {"entity": lisbon, "slot": 1, "version": 1},
            {"slot": 1},
            {"entity": lisbon, "lat": 91.0},
        )
        for facts in wrong:
            with refused(InvalidInput):
                await bench.store.put_places([_place(bench, "kept from it", slot=1, version=1), _place(bench, **facts)])
        with refused(InvalidInput):
            await bench.store.put_places([_place(bench, entity=lisbon, lon=float("nan"))])
        assert _named(bench.store.places(number, slots=[1])) == ["c", "a"]


# -- pictures -----------------------------------------------------------------------------------------------------------
def _image(slot: int, **facts: Any) -> NewImage:
    values: dict[str, Any] = {
        "fingerprint": b"f" * 32,
        "media_type": "image/png",
        "bytes": 100,
        "width": 4,
        "height": 3,
        "name": "é.png",
        "taken_at": 5,
        "lat": 38.7,
        "lon": -9.1,
        "caption": "a caption",
        "model_caption": None,
        "ocr_text": "words",
        "notes": ("no position",),
        "thumbnail": b"thumb",
        "thumbnail_type": "image/webp",
    } | facts
    return NewImage(dataset=0, slot=slot, **values)


def _found(bench: Bench, image: int, **facts: Any) -> ImageRow:
    row = bench.store.image(image, **facts)
    assert row is not None, f"there is no picture {image}"
    return row


async def a_picture_is_kept_with_its_memory_and_place(open_store: Opener) -> None:
    """In one commit, in a dataset that was not there; all of it is read back while the memory is live."""
    async with opened(open_store) as bench:
        memory = bench.new("a picture of Lisbon", dataset="pictures")
        place = NewPlace(dataset=0, name="Here", lat=38.7, lon=-9.1, cell=7, source="picture", confident=True)
        persisted, image = await bench.store.put_image(memory, _image(memory.slot), place)
        assert (persisted.id.slot, persisted.was_deduplicated) == (memory.slot, False)
        assert bench.get(memory.slot).text == "a picture of Lisbon"
    async with opened(open_store) as bench:
        row = _found(bench, image)
        assert (row.dataset, row.memory_id, row.fingerprint, row.media_type) == (
            "pictures",
            persisted.id,
            b"f" * 32,
            "image/png",
        )
        assert (row.bytes, row.width, row.height, row.name, row.taken_at, row.lat, row.lon) == (
            100,
            4,
            3,
            "é.png",
            5,
            38.7,
            -9.1,
        )
        assert (row.caption, row.model_caption, row.ocr_text, row.notes) == (
            "a caption",
            None,
            "words",
            ("no position",),
        )
        assert (row.thumbnail, row.thumbnail_type) == (None, "image/webp")
        assert _found(bench, image, thumbnail=True) == replace(row, thumbnail=b"thumb")
        assert bench.store.images_of([memory.slot, 99]) == {memory.slot: [row]}
        number = bench.number("pictures")
        assert [place.memory_id for place in bench.store.places(number, cells=[7])] == [persisted.id]
        await bench.store.edit(bench.edit(bench.get(memory.slot), metadata={"a": 1}))
        assert _found(bench, image).memory_id == bench.get(memory.slot).id
        await bench.store.forget(number, [memory.slot])
        assert (bench.store.image(image), bench.store.images_of([memory.slot])) == (None, {})
        await bench.store.restore(number, [memory.slot], 0)
        assert bench.store.image(image) is not None
        assert bench.store.image(image + 1) is None


async def a_picture_that_is_there_is_kept_once(open_store: Opener) -> None:
    """By the memory's dedup key or by the request; a memory may get another picture."""
    async with opened(open_store) as bench:
        first, second, third = (bench.new("a picture") for _ in range(3))
        kept = await bench.store.put_image(first, _image(first.slot))
        again, image = await bench.store.put_image(second, _image(second.slot, name="another.png"))
        assert (again.id, again.was_deduplicated, image) == (kept[0].id, True, kept[1])
        _, other = await bench.store.put_image(third, _image(third.slot, fingerprint=b"g" * 32))
        assert [row.id for row in bench.store.images_of([first.slot])[first.slot]] == [image, other]
        await bench.store.forget(bench.number(), [first.slot])
        assert bench.store.image_files() == {b"f" * 32, b"g" * 32}
        await bench.store.restore(bench.number(), [first.slot], 0)
        assert _found(bench, image).name == "é.png"
        asked = [bench.new("told", dedup=False, request=("r", "p")) for _ in range(2)]
        images = [(await bench.store.put_image(each, _image(each.slot)))[1] for each in asked]
        assert images[0] == images[1]
        conflict = bench.new("told", dedup=False, request=("r", "q"))
        with refused(IdempotencyConflict):
            await bench.store.put_image(conflict, _image(conflict.slot))


async def a_picture_that_cannot_be_kept_leaves_no_memory(open_store: Opener) -> None:
    """Nor does it touch what is written beside it."""
    async with opened(open_store) as bench:
        nowhere = NewPlace(dataset=0, name="x", lat=99.0, lon=0.0, cell=1, source="picture", confident=True)
        bad = [bench.new(text) for text in ("nowhere", "no words")]
        good = [bench.new(f"good {n}") for n in range(20)]
        puts = [
            bench.store.put_image(bad[0], _image(bad[0].slot), nowhere),
            bench.store.put_image(bad[1], _image(bad[1].slot, caption="\ud800")),
            *(bench.store.put_image(each, _image(each.slot)) for each in good),
        ]
        outcomes = await together(_refusal(put) for put in puts)
        assert outcomes == ["InvalidInput", "InvalidInput", *[""] * 20]
        assert [bench.store.memory(each.slot) for each in bad] == [None, None]
        assert bench.store.stats().memories == len(bench.store.images_of([each.slot for each in good])) == 20


async def _refusal(put: Awaitable[object]) -> str:
    try:
        await put
    except MindlogError as refusal:
        return type(refusal).__name__
    return ""


CHECKS: tuple[Check, ...] = (
    a_place_is_there_while_whose_it_is_can_be_seen,
    places_are_found_by_whose_they_are_and_by_cells,
    an_entity_has_one_place_and_a_revision_its_last_ones,
    a_picture_is_kept_with_its_memory_and_place,
    a_picture_that_is_there_is_kept_once,
    a_picture_that_cannot_be_kept_leaves_no_memory,
)
