"""What is known of a picture becomes one bounded text, the surest first, and flat metadata; recall finds it by both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.clock import from_iso
from mindlog.encode.validate import check_metadata
from mindlog.images.describe import MAX_DESCRIPTION, describe
from mindlog.images.exif import Position
from mindlog.index.analyzer import analyze, analyze_query
from mindlog.knowledge.extract.reading import OfflineReader
from mindlog.knowledge.extract.source import Source

TAKEN = datetime(2025, 5, 3, 0, 5, tzinfo=timezone(timedelta(hours=2)))
BILBAO = Position(latitude=43.263, longitude=-2.935)


def everything(**changes):
    known = {
        "caption_by_caller": "Our first evening in the old town",
        "caption_by_model": "A narrow street at night with lamps and two dogs.",
        "ocr_text": "Café Iruña\nmenú del día 14,90",
        "taken_at": TAKEN,
        "position": BILBAO,
        "place_name": "Bilbao",
        "camera": "Fujifilm X100V",
        "file_name": "C:\\photos\\old_town-night.JPG",
    }
    return describe(**{**known, **changes})


def test_everything_that_is_known_is_written_the_surest_first():
    assert everything().text == (
        "Our first evening in the old town\n"
        "A narrow street at night with lamps and two dogs.\n"
        "Picture taken on 3 May 2025 (2025-05-03T00:05+02:00), in Bilbao, at 43.26300, -2.93500, with Fujifilm X100V.\n"
        "Its file is old_town-night.JPG (old town night).\n"
        "Text in the picture:\n"
        "Café Iruña\n"
        "menú del día 14,90"
    )


def test_the_metadata_is_flat_in_utc_and_accepted_by_the_write_path():
    metadata = everything().metadata
    assert metadata == {
        "media": "image",
        "caption_by": "caller",
        "taken_at": "2025-05-02T22:05:00Z",
        "latitude": 43.263,
        "longitude": -2.935,
        "place": "Bilbao",
        "camera": "Fujifilm X100V",
        "file_name": "old_town-night.JPG",
        "has_text": True,
    }
    assert check_metadata(metadata, limit=16 << 10) == metadata


def test_of_what_is_not_known_nothing_is_said():
    found = describe()
    assert found.text == "A picture."
    assert found.metadata == {"media": "image", "has_text": False}
    assert describe(taken_at=TAKEN.astimezone(UTC)).text == "Picture taken on 2 May 2025 (2025-05-02T22:05+00:00)."
    assert describe(place_name="Bilbao").text == "Picture taken in Bilbao."
    assert describe(position=BILBAO).metadata["latitude"] == 43.263
    assert describe(caption_by_model="A dog.").metadata["caption_by"] == "model"


def test_a_caption_of_the_model_that_says_the_same_is_not_written_twice():
    found = describe(caption_by_caller="A red car", caption_by_model="a RED car ")
    assert found.text == "A red car\nA picture."
    assert found.metadata["caption_by"] == "caller"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("IMG_1234.jpg", "Its file is IMG_1234.jpg (IMG 1234)."),
        ("/tmp/../etc/beach.png", "Its file is beach.png."),
        ("kitchen plan.png", "Its file is kitchen plan.png."),
        ("a\x00b\n.png", "Its file is a b .png."),
        ("dir/", None),
    ],
)
def test_of_a_file_name_the_end_counts_and_its_joined_words_are_told(name, line):
    assert describe(file_name=name).text == "\n".join(["A picture.", *([line] if line else [])])


def test_a_long_text_in_the_picture_is_cut_and_nothing_else_is():
    found = everything(ocr_text="many words stand here\n" * 2000)
    assert MAX_DESCRIPTION - 30 < len(found.text) <= MAX_DESCRIPTION
    assert found.text.endswith(" …")
    assert "(old town night)" in found.text
    assert found.text.rstrip(" …").endswith(("many", "words", "stand", "here"))


@pytest.mark.parametrize(
    "cue",
    [
        "evening in the old town",
        "lamps and dogs",
        "Café Iruña",
        "menú 14,90",
        "May 2025",
        "Bilbao",
        "Fujifilm",
        "town night",
    ],
)
def test_every_word_that_somebody_may_look_for_is_a_term_of_the_text(cue):
    terms = set(analyze(everything().text))
    assert set(analyze_query(cue)) <= terms


def test_derivation_reads_names_and_times_in_it_and_no_claim():
    told = OfflineReader(classifier=False).read(Source(text=everything(file_name="old_town.jpg").text, occurred_at=0))
    assert not told.claims
    assert "Bilbao" in {each.name for each in told.mentions}
    assert not {"File", "UTC", "Picture"} & {each.name for each in told.mentions}
    assert {each.start for each in told.dates} == {
        from_iso(TAKEN, field="at"),
        from_iso("2025-05-03T00:00Z", field="at"),
    }


texts = st.none() | st.text(max_size=9000)


@given(texts, texts, texts, texts, texts, texts)
def test_whatever_comes_in_the_text_is_bounded_valid_and_never_empty(caller, model, read, place, camera, name):
    found = describe(
        caption_by_caller=caller,
        caption_by_model=model,
        ocr_text=read,
        place_name=place,
        camera=camera,
        file_name=name,
    )
    assert 1 <= len(found.text) <= MAX_DESCRIPTION
    assert "\0" not in found.text
    found.text.encode()
    assert check_metadata(found.metadata, limit=16 << 10) == found.metadata
