"""Pictures through the engine: kept with a memory that they are found by, once, durably, whatever else can be found out."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image as Pillow

from mindlog.access import Caller
from mindlog.engine import Engine
from mindlog.errors import Forbidden, ImageNotFound, InvalidInput, StoreDamaged
from mindlog.images import blobs
from mindlog.images.ocr import ReadText
from mindlog.images.picture import Picture
from mindlog.records import Scope
from mindlog.testing.llm_answers import refuse, say
from mindlog.testing.llm_server import FakeLLM
from mindlog.testing.llm_wire import FakeRequest
from mindlog.views import Image, ImageRequest
from tests.engine.made import everything, found, opened

READER = Caller(scopes=frozenset({Scope.READ}))
ELSEWHERE = Caller(scopes=frozenset(Scope), datasets=frozenset({"elsewhere"}))


def picture(colour: str = "red", size: tuple[int, int] = (64, 48), *, taken: bool = False) -> bytes:
    """A JPEG; `taken` in Lisbon in the summer of 2023."""
    image = Pillow.new("RGB", size, colour)
    exif = Pillow.Exif()
    if taken:
        exif.get_ifd(0x8769).update({0x9003: "2023:07:14 18:30:00", 0x9011: "+01:00"})
        exif.get_ifd(0x8825).update({1: "N", 2: (38.0, 43.0, 30.0), 3: "W", 4: (9.0, 8.0, 24.0)})
    out = BytesIO()
    image.save(out, "JPEG", exif=exif)
    return out.getvalue()


async def keep(engine: Engine, data: bytes, **more: object) -> Image:
    return await engine.keep_image(ImageRequest(data=data, **more))  # type: ignore[arg-type]


class Reads:
    """A reader of texts with a chosen answer."""

    def __init__(self, *lines: str) -> None:
        self._lines = lines

    async def read(self, picture: Picture) -> ReadText:
        return ReadText(lines=self._lines)


@pytest.fixture(autouse=True)
def reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model that reads pictures takes seconds to load: these read what they are told."""
    monkeypatch.setattr("mindlog.background.open_reader", lambda: Reads("Pastelaria", "aberto"))


def files(path: Path) -> list[str]:
    folder = path / "data" / "blobs"
    return sorted(each.name for each in folder.iterdir()) if folder.exists() else []


async def test_a_picture_is_found_by_caption_words_in_it_day_and_file_and_is_given_back_as_it_was(
    tmp_path: Path,
) -> None:
    data = picture(taken=True)
    async with opened(tmp_path) as engine:
        kept = await keep(engine, data, caption="Our bakery", name="trip/beach_day.jpg", agent="Ines", session="s")
        assert (kept.media_type, kept.bytes, kept.width, kept.height) == ("image/jpeg", len(data), 64, 48)
        assert (kept.caption, kept.ocr_text, kept.was_deduplicated) == ("Our bakery", "Pastelaria\naberto", False)
        assert (kept.lat, kept.lon) == (pytest.approx(38.725), pytest.approx(-9.14))
        memory = await engine.get(kept.memory_id)
        assert memory.occurred_at == kept.taken_at == 1_689_355_800_000_000
        assert (memory.agent, memory.session) == ("Ines", "s")
        assert memory.metadata["media"] == "image"
        for cue in ("bakery", "pastelaria", "14 July 2023", "beach day"):
            assert await found(engine, cue) == [kept.memory_id], cue
        assert await engine.image(kept.image_id) == kept
        assert await engine.image_data(kept.image_id) == ("image/jpeg", data)
        media_type, small = await engine.thumbnail(kept.image_id)
        assert media_type == "image/jpeg"
        assert Pillow.open(BytesIO(small)).size == (64, 48)
        (place,) = engine.store.places(engine.store.dataset("default").number)  # type: ignore[union-attr]
        assert (place.source, str(place.memory_id), place.confident) == ("picture", kept.memory_id, True)
    async with opened(tmp_path) as engine:
        assert await engine.image_data(kept.image_id) == ("image/jpeg", data)


async def test_the_same_picture_is_kept_once_and_other_ones_are_not_mistaken_for_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        first = await keep(engine, picture("red"))
        again = await keep(engine, picture("red"))
        assert (again.image_id, again.memory_id, again.was_deduplicated) == (first.image_id, first.memory_id, True)
        # Nothing is known of either, so their texts are equal: they are two pictures all the same.
        other = await keep(engine, picture("blue"))
        assert other.memory_id != first.memory_id
        captioned = await keep(engine, picture("red"), caption="A wall")
        assert captioned.memory_id != first.memory_id
        assert len(await everything(engine)) == 3
        assert len(files(tmp_path)) == 2


async def test_a_vision_model_captions_and_its_failure_is_a_note(tmp_path: Path) -> None:
    def rule(request: FakeRequest) -> object:
        return say({"caption": "A tram in the sun"}) if request.images else refuse()

    with FakeLLM(rule) as server:  # type: ignore[arg-type]
        at = {"llm": "openai", "llm_url": server.url, "llm_model": "text-model", "llm_api_key": "sk-any"}
        async with opened(tmp_path, **at, vision_model="sees") as engine:
            kept = await keep(engine, picture("red"))
            assert kept.model_caption == "A tram in the sun"
            assert [request.model for request in server.requests] == ["sees"]
            assert await found(engine, "tram in the sun") == [kept.memory_id]
            server.rule = lambda request: refuse("no faces")
            other = await keep(engine, picture("blue"))
            assert other.model_caption is None
            assert any(note.startswith("caption: ") and "no faces" in note for note in other.notes)
        async with opened(tmp_path, **at) as engine:
            plain = await keep(engine, picture("green"))
            assert "caption: no vision model configured" in plain.notes


async def test_without_a_reader_of_texts_the_picture_is_kept_and_a_note_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindlog.background.open_reader", lambda: None)
    async with opened(tmp_path) as engine:
        kept = await keep(engine, picture())
        assert "text: mindlog[ocr] is not installed" in kept.notes


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"data": b""}, "image"),
        ({"data": b"<svg xmlns='http://www.w3.org/2000/svg'/>"}, "image"),
        ({"data": picture()[:200]}, "image"),
        ({"caption": " "}, "caption"),
        ({"name": "x" * 300}, "name"),
        ({"metadata": {"$no": 1}}, "metadata"),
        ({"occurred_at": "yesterday"}, "occurred_at"),
        ({"dataset": "no good"}, "dataset"),
    ],
)
async def test_what_is_refused_leaves_no_memory_and_no_file(
    tmp_path: Path, given: dict[str, object], field: str
) -> None:
    async with opened(tmp_path) as engine:
        before = engine.store.last_lsn
        with pytest.raises(InvalidInput) as failure:
            await engine.keep_image(ImageRequest(**{"data": picture(), **given}))  # type: ignore[arg-type]
        assert failure.value.field == field
        assert engine.store.last_lsn == before
        assert files(tmp_path) == []


async def test_a_forgotten_picture_is_gone_from_sight_and_back_when_it_is_restored(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        kept = await keep(engine, picture())
        await engine.forget([kept.memory_id])
        for look in (engine.image, engine.image_data, engine.thumbnail):
            with pytest.raises(ImageNotFound):
                await look(kept.image_id)
    # Its file is no orphan: it may be restored.
    async with opened(tmp_path) as engine:
        await engine.restore(kept.memory_id)
        assert (await engine.image_data(kept.image_id))[1] == picture()


async def test_another_datasets_picture_does_not_exist_and_readers_keep_none(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        kept = await keep(engine, picture())
        assert (await engine.image(kept.image_id, caller=READER)).image_id == kept.image_id
        with pytest.raises(ImageNotFound):
            await engine.image_data(kept.image_id, caller=ELSEWHERE)
        with pytest.raises(Forbidden):
            await engine.keep_image(ImageRequest(data=picture()), caller=READER)
        with pytest.raises(Forbidden):
            await engine.keep_image(ImageRequest(data=picture()), caller=ELSEWHERE)


async def test_a_file_that_was_written_before_a_crash_is_swept_and_one_that_is_lost_is_an_error(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        kept = await keep(engine, picture())
        commit = engine.store.put_image

        async def lost(*_: object) -> object:
            raise ConnectionAbortedError("the process ended here")

        engine.store.put_image = lost  # type: ignore[method-assign, assignment]
        with pytest.raises(ConnectionAbortedError):
            await keep(engine, picture("blue"))
        engine.store.put_image = commit  # type: ignore[method-assign]
        assert len(files(tmp_path)) == 2
    (tmp_path / "data" / "blobs" / "half.part").write_bytes(b"half")
    async with opened(tmp_path) as engine:
        assert len(files(tmp_path)) == 1
        assert (await engine.image_data(kept.image_id))[1] == picture()
        (tmp_path / "data" / "blobs" / files(tmp_path)[0]).unlink()
        with pytest.raises(StoreDamaged):
            await engine.image_data(kept.image_id)


async def test_a_file_is_durable_before_its_row_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    sync = blobs._sync
    monkeypatch.setattr(blobs, "_sync", lambda folder: (sync(folder), order.append("file")))
    async with opened(tmp_path) as engine:
        commit = engine.store.put_image

        async def noted(*given: object) -> object:
            order.append("row")
            return await commit(*given)  # type: ignore[arg-type]

        engine.store.put_image = noted  # type: ignore[method-assign, assignment]
        await keep(engine, picture())
        assert order[-1] == "row"
        assert "file" in order[:-1]
