"""Points from providers are added to the document's series with their address, beside what memories say and never over it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from mindlog.store.askingrows import PointRow
from mindlog.testing.web_answers import Misbehaviour
from mindlog.testing.web_server import FakeWeb
from tests.remember.enriched import World, stage, world

SAID = "The revenue of Acme was 3.1M in Q1 2023 and 3.4M in Q2 2023."
# What the user has said otherwise, what nobody has said, and what is after the document.
QUARTERS = [("2023-01-01", 9_000_000.0), ("2023-04-01", 3_400_000.0), ("2023-07-01", 3_900_000.0)]


def series_only(web: FakeWeb, *names: str) -> dict[str, Any]:
    chosen = {name: value for name, value in web.settings().items() if name.startswith(("series", "open_meteo"))}
    return {**chosen, "series_providers": list(names or ("csv_json",))}


def points(here: World, name: str) -> list[PointRow]:
    return here.store.points(here.series()[name].id)


async def test_points_are_added_with_source_and_address_where_no_memory_gives_one(tmp_path: Path) -> None:
    with FakeWeb() as web:
        web.data.series["revenue"] = list(QUARTERS)
        async with world(tmp_path, **series_only(web)) as here:
            row = await here.remember(SAID, fetch_series=True, occurred_at="2023-12-01T00:00:00Z")
            assert stage(row, "fetch_series") == ("succeeded", None)
            found = points(here, "revenue")
            assert [each.value for each in found] == [3_100_000, 3_400_000, 3_900_000]
            assert [each.was for each in found] == [(), (), ()]
            added = found[2]
            assert (added.source, added.memory_id) == ("csv_json", None)
            assert (added.source_url or "").startswith(web.url)
            # It is of a quarter, as those that are there.
            assert added.until is not None
            assert added.until - added.at == 92 * 86_400_000_000
            (shown,) = here.output(row, "fetch_series")["series"]
            assert (shown["fetched"], shown["points"], shown["said_by_memories"]) == (3, 1, 2)
            (text,) = here.texts(row, "series")
            assert "Q3 2023" in text.text
            fetched = next(each for each in row.stages if each.name == "fetch_series")
            assert len(fetched.inference_ids) == 1


async def test_done_again_nothing_is_added(tmp_path: Path) -> None:
    with FakeWeb() as web:
        web.data.series["revenue"] = list(QUARTERS)
        async with world(tmp_path, **series_only(web)) as here:
            await here.remember(SAID, fetch_series=True, document_id="d", occurred_at="2023-12-01T00:00:00Z")
            before = points(here, "revenue")
            await here.remember(f"{SAID} ", fetch_series=True, document_id="d", occurred_at="2023-12-01T00:00:00Z")
            assert [(p.at, p.value, p.was) for p in points(here, "revenue")] == [(p.at, p.value, p.was) for p in before]


@pytest.mark.parametrize(
    "lie", [Misbehaviour.NAN, Misbehaviour.WORDS, Misbehaviour.LENGTHS, Misbehaviour.TWICE, Misbehaviour.HTML]
)
async def test_a_provider_that_lies_fails_the_stage_and_nothing_of_the_lie_is_stored(
    tmp_path: Path, lie: Misbehaviour
) -> None:
    with FakeWeb() as web:
        web.data.series["revenue"] = list(QUARTERS)
        web.misbehave("series", lie)
        async with world(tmp_path, **series_only(web)) as here:
            row = await here.remember(SAID, fetch_series=True)
            status, error = stage(row, "fetch_series")
            assert status == "failed"
            assert "csv_json" in (error or "")
            assert [each.value for each in points(here, "revenue")] == [3_100_000, 3_400_000]
            assert row.status == "succeeded"
            assert stage(row, "observe_series")[0] == "succeeded"


async def test_a_provider_that_is_down_is_asked_once_and_the_next_one_goes_on(tmp_path: Path) -> None:
    with FakeWeb() as web:
        web.misbehave("series", Misbehaviour.RESET)
        async with world(tmp_path, **series_only(web)) as here:
            row = await here.remember(f"{SAID} The price of tea was $3 in 2021 and $5 in 2022.", fetch_series=True)
            assert len(here.series()) == 2
            assert stage(row, "fetch_series")[0] == "failed"
            assert len(web.visits) == 1


async def test_a_series_that_the_provider_does_not_have_is_no_failure(tmp_path: Path) -> None:
    with FakeWeb() as web:
        async with world(tmp_path, **series_only(web)) as here:
            row = await here.remember(SAID, fetch_series=True)
            assert stage(row, "fetch_series") == ("succeeded", None)
            assert here.output(row, "fetch_series")["series"] == []


async def test_another_unit_is_converted_and_one_of_another_kind_left_out(tmp_path: Path) -> None:
    text = "The length of the Long Tunnel was 2 km in 2020 and 3 km in 2021."
    for unit, wanted in (("m", [2.0, 3.0, 4.5]), ("kg", [2.0, 3.0])):
        with FakeWeb() as web:
            web.data.series["length"] = [("2022", 4500.0)]
            async with world(tmp_path / unit, series_unit=unit, **series_only(web)) as here:
                row = await here.remember(text, fetch_series=True)
                (name,) = here.series()
                web.data.series[name.lower()] = [("2022", 4500.0)]
                row = await here.remember(f"{text} Again.", fetch_series=True)
                assert [each.value for each in points(here, name)] == wanted
                if unit == "kg":
                    assert here.output(row, "fetch_series")["not_kept"][0]["other_unit"] == 1


async def test_weather_words_beside_a_place_fetch_its_weather_for_the_time_named(tmp_path: Path) -> None:
    text = (
        "Anna lives in Tharandt (50.9836, 13.5800). The weather in Tharandt was odd from 3 March 2023 to 5 March 2023."
    )
    with FakeWeb() as web:
        async with world(tmp_path, **series_only(web, "open_meteo")) as here:
            row = await here.remember(text, fetch_series=True, occurred_at="2023-06-01T00:00:00Z")
            assert stage(row, "fetch_series") == ("succeeded", None)
            assert {visit.query["daily"] for visit in web.visits} == {"temperature_2m_mean", "precipitation_sum"}
            heat = here.series()["temperature"]
            assert (heat.entity_name, heat.unit) == ("Tharandt", "°C")
            found = points(here, "temperature")
            assert [each.value for each in found] == [
                web.data.weather("temperature_2m_mean", date(2023, 3, day)) for day in (3, 4, 5)
            ]
            assert {each.until - each.at for each in found if each.until} == {86_400_000_000}
            assert any("Temperature of Tharandt" in each.text for each in here.texts(row, "series"))


async def test_weather_of_another_place_is_not_believed(tmp_path: Path) -> None:
    with FakeWeb() as web:
        web.misbehave("weather", Misbehaviour.PLACE)
        async with world(tmp_path, **series_only(web, "open_meteo")) as here:
            row = await here.remember(
                "Anna lives in Tharandt (50.9836, 13.5800). It rained in Tharandt.", fetch_series=True
            )
            status, error = stage(row, "fetch_series")
            assert status == "failed"
            assert "open_meteo" in (error or "")
            assert here.series() == {}


async def test_asked_for_without_a_provider_the_stage_fails_and_says_which_setting(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        row = await here.remember(SAID, fetch_series=True)
        status, error = stage(row, "fetch_series")
        assert status == "failed"
        assert "series_providers" in (error or "")


async def test_nothing_is_fetched_unless_it_is_asked_for(tmp_path: Path) -> None:
    with FakeWeb() as web:
        async with world(tmp_path, **series_only(web)) as here:
            assert stage(await here.remember(SAID), "fetch_series") == ("skipped", None)
            assert web.visits == []
