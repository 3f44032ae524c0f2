"""What a camera wrote: believed where it can be true, absent with a note where it cannot, and never an error."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone

import pytest
from PIL.TiffImagePlugin import IFDRational

from mindlog.errors import InvalidInput
from mindlog.images.exif import Exif, Position, parse_exif, read_exif
from mindlog.images.picture import Picture
from tests.images.made import camera, halves, picture

TAKEN, OFFSET, SUBSECONDS = 0x9003, 0x9011, 0x9291
BILBAO = {1: "N", 2: (43.0, 15.0, 46.8), 3: "W", 4: (2.0, 56.0, 6.0)}


def read(*, zone: str | None = None, kind: str = "JPEG", **blocks) -> Exif:
    return parse_exif(picture(halves(), kind, exif=camera(**blocks)), zone=zone)


def test_a_picture_without_exif_has_nothing_and_no_note():
    for kind in ("JPEG", "PNG", "GIF", "BMP", "WEBP", "TIFF"):
        assert parse_exif(picture(halves(), kind)) == Exif()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
async def test_everything_a_camera_wrote_is_read_from_each_type_that_carries_it(kind):
    block = camera(
        {0x010F: "Fujifilm", 0x0110: "X100V", 0x0112: 6},
        {TAKEN: "2025:05:03 14:05:59", OFFSET: "+02:00", SUBSECONDS: "125"},
        BILBAO,
    )
    found = await read_exif(picture(halves(), kind, exif=block), zone="America/New_York")
    taken = datetime(2025, 5, 3, 14, 5, 59, 125_000, tzinfo=timezone(timedelta(hours=2)))
    assert found.taken_at == taken
    assert found.taken_at.utcoffset() == timedelta(hours=2)
    assert found.position == Position(latitude=43.263, longitude=-2.935)
    assert (found.camera, found.orientation, found.notes) == ("Fujifilm X100V", 6, ())


@pytest.mark.parametrize(
    ("photo", "gps", "zone", "taken"),
    [
        ({TAKEN: "2025:01:03 14:05:59", OFFSET: "-0530"}, {}, None, datetime(2025, 1, 3, 19, 35, 59, tzinfo=UTC)),
        ({TAKEN: "2025:01:03 14:05:59"}, {}, "Europe/Madrid", datetime(2025, 1, 3, 13, 5, 59, tzinfo=UTC)),
        ({TAKEN: "2025:07:03 14:05:59"}, {}, "Europe/Madrid", datetime(2025, 7, 3, 12, 5, 59, tzinfo=UTC)),
        ({TAKEN: "2025:01:03 14:05:60", OFFSET: "+00:00"}, {}, None, datetime(2025, 1, 3, 14, 5, 59, tzinfo=UTC)),
        ({TAKEN: "2025-01-03 14:05:59", OFFSET: "Z"}, {}, "UTC", datetime(2025, 1, 3, 14, 5, 59, tzinfo=UTC)),
        (
            {TAKEN: "2025:01:03 14:05:59"},
            {29: "2025:01:03", 7: (12.0, 5.0, 58.5)},
            None,
            datetime(2025, 1, 3, 12, 5, 58, tzinfo=UTC),
        ),
    ],
    ids=["offset", "zone", "summer", "leap", "dashes", "satellites"],
)
def test_a_time_has_its_own_zone_the_callers_or_the_satellites(photo, gps, zone, taken):
    found = read(photo=photo, gps=gps, zone=zone)
    assert found.taken_at == taken
    assert found.notes == ()


@pytest.mark.parametrize(
    ("photo", "note"),
    [
        ({TAKEN: "2025:01:03 14:05:59"}, "time: 2025-01-03 14:05:59 has no zone"),
        ({TAKEN: "yesterday"}, "time: 'yesterday' is no time"),
        ({TAKEN: "2025:13:03 14:05:59", OFFSET: "+00:00"}, "time: it cannot be read"),
        ({TAKEN: "2025:02:30 14:05:59", OFFSET: "+00:00"}, "time: it cannot be read"),
        ({TAKEN: "2025:01:03 14:05:59", OFFSET: "+99:00"}, "time: it cannot be read"),
        ({TAKEN: "0001:01:01 00:00:00", OFFSET: "+00:00"}, "time: '0001:01:01 00:00:00' is before"),
    ],
)
def test_a_time_that_cannot_be_one_is_absent_with_a_note(photo, note):
    found = read(tags={0x0110: "X100V"}, photo=photo)
    assert found.taken_at is None
    (told,) = found.notes
    assert told.startswith(note)
    assert found.camera == "X100V"


@pytest.mark.parametrize("unset", ["0000:00:00 00:00:00", "    :  :     :  :  ", ""])
def test_a_time_that_was_never_set_is_absent_without_a_note(unset):
    assert read(photo={TAKEN: unset, OFFSET: "+00:00"}) == Exif()


@pytest.mark.parametrize(
    ("change", "position"),
    [
        ({}, Position(latitude=43.263, longitude=-2.935)),
        ({1: "S", 3: "E"}, Position(latitude=-43.263, longitude=2.935)),
        ({1: "s"}, Position(latitude=-43.263, longitude=-2.935)),
        ({2: (43.0, 15.78, 0.0)}, Position(latitude=43.263, longitude=-2.935)),
        ({2: (90.0, 0.0, 0.0), 4: (180.0, 0.0, 0.0)}, Position(latitude=90.0, longitude=-180.0)),
        ({2: (0.0, 0.0, 0.0)}, Position(latitude=0.0, longitude=-2.935)),
        ({2: (43.0, 15.0, 60.0)}, Position(latitude=43.2666667, longitude=-2.935)),
    ],
)
def test_a_position_is_in_degrees_north_and_east(change, position):
    found = read(gps={**BILBAO, **change})
    assert found.position == position
    assert found.notes == ()


@pytest.mark.parametrize(
    "change",
    [
        {1: "X"},
        {1: ""},
        {3: "N"},
        {2: (91.0, 0.0, 0.0)},
        {4: (180.0, 0.0, 1.0)},
        {2: (43.0, 61.0, 0.0)},
        {2: (43.0, 0.0, 61.0)},
        {2: (IFDRational(1, 0), IFDRational(0, 0), IFDRational(0, 0))},
        {2: (43.0, 15.0)},
        {2: (43.0,)},
        {2: (0.0, 0.0, 0.0), 4: (0.0, 0.0, 0.0)},
    ],
    ids=str,
)
def test_a_position_that_is_none_is_absent_with_a_note(change):
    found = read(gps={**BILBAO, **change})
    assert found.position is None
    assert len(found.notes) == 1
    assert found.notes[0].startswith("position: ")


@pytest.mark.parametrize("absent", [1, 2, 3, 4])
def test_half_a_position_is_none(absent):
    found = read(gps={tag: value for tag, value in BILBAO.items() if tag != absent})
    assert found.position is None
    assert len(found.notes) == 1


@pytest.mark.parametrize(
    ("make", "model", "name"),
    [
        ("Canon", "Canon EOS 5D", "Canon EOS 5D"),
        ("NIKON CORPORATION", "Z 6", "NIKON CORPORATION Z 6"),
        ("Apple", None, "Apple"),
        (None, "Pixel 9\0junk", "Pixel 9"),
        ("  Sony \n", " ", "Sony"),
        ("\x01\x02", None, None),
        ("x" * 500, None, "x" * 100),
    ],
)
def test_a_camera_is_its_maker_and_model_in_plain_words(make, model, name):
    tags = {tag: value for tag, value in ((0x010F, make), (0x0110, model)) if value is not None}
    assert read(tags=tags).camera == name


@pytest.mark.parametrize("wrong", [0, 9, 65535])
def test_an_orientation_that_is_none_counts_as_upright_with_a_note(wrong):
    found = read(tags={0x0112: wrong})
    assert found.orientation == 1
    assert found.notes == (f"orientation: '{wrong}' is none of 1 to 8",)


def test_a_zone_that_is_none_is_the_callers_error():
    with pytest.raises(InvalidInput):
        parse_exif(picture(halves()), zone="Mars/Olympus")


@pytest.mark.parametrize("warnings", ["error", "default"])
def test_exif_damaged_anywhere_is_never_an_error(warnings, request):
    request.applymarker(pytest.mark.filterwarnings(warnings))
    block = camera({0x010F: "Canon", 0x0112: 6}, {TAKEN: "2025:05:03 14:05:59", OFFSET: "+02:00"}, BILBAO)
    whole = picture(halves(), "JPEG", exif=block)
    start = whole.data.index(b"Exif\0\0")
    chance, damaged = random.Random(3), 0
    for _ in range(400):
        data = bytearray(whole.data)
        for _ in range(chance.choice([1, 5, 30])):
            data[start + 6 + chance.randrange(len(block) - 6)] = chance.randrange(256)
        found = parse_exif(Picture(format="jpeg", width=80, height=40, data=bytes(data)))
        damaged += bool(found.notes)
        assert found.position is None or abs(found.position.latitude) <= 90
        assert 1 <= found.orientation <= 8
    assert damaged > 20


def test_junk_in_the_place_of_exif_is_absent_with_a_note():
    made = parse_exif(picture(halves(), "JPEG", exif=b"Exif\0\0junk junk junk"))
    assert (made.taken_at, made.position, made.orientation) == (None, None, 1)
    assert made.notes == ("exif: it cannot be read",)
