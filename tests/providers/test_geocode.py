"""A geocoder gives places that can be; what cannot be is a failure, not a wrong place."""

from __future__ import annotations

import pytest

from mindlog.errors import InvalidInput, ProviderFailed
from mindlog.providers.configured import geocoder_of
from mindlog.providers.geocode.provider import GeocodedPlace
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.web_answers import FakePlace, Misbehaviour
from tests.providers.made import KEY, closing, settings

BERLIN = GeocodedPlace(name="Berlin", lat=52.517, lon=13.389, country="DE", kind="city", importance=0.9)


async def locate(web, *asked, store=None, **given) -> list[GeocodedPlace]:
    opened = geocoder_of(settings(web, **given), inferences=store)
    assert opened is not None
    async with closing(opened) as geocoder:
        return await geocoder.locate(*asked)


async def test_a_name_gives_its_places_the_likeliest_first(web):
    places = await locate(web, "Berlin")
    assert places[0] == BERLIN
    assert [each.country for each in places] == ["DE", "US"]


async def test_a_country_by_its_letters_keeps_other_countries_out_even_if_the_endpoint_ignores_it(web):
    assert [each.country for each in await locate(web, "Berlin", "us")] == ["US"]
    assert web.visits[0].query["countrycodes"] == "us"
    web.misbehave("geocoder", Misbehaviour.ABROAD)
    assert await locate(web, "Berlin", "DE") == [BERLIN]


async def test_a_country_by_its_name_and_the_context_are_asked_for_in_words(web):
    await locate(web, "Berlin", "Germany", "Brandenburg")
    assert web.visits[0].query["q"] == "Berlin, Brandenburg, Germany"
    assert "countrycodes" not in web.visits[0].query


async def test_a_name_nobody_knows_has_no_places(web):
    assert await locate(web, "Nowhere") == []


async def test_a_call_is_on_record_as_one_of_a_geocoder(web):
    store = HeldInferences()
    await locate(web, "Berlin", "DE", store=store)
    (record,) = store.records
    assert (record.provider, record.model, record.error) == ("geocode", "geocoder", None)
    assert record.prompt[0].content == "Berlin (DE)"
    assert record.parameters == {"endpoint": f"{web.url}/geocode"}


async def test_a_key_goes_into_the_address_where_it_has_a_place_and_is_a_bearer_token_otherwise(web):
    store = HeldInferences()
    await locate(web, "Berlin", store=store, geocoder_url=web.url + "/geocode?key={key}", geocoder_api_key=KEY)
    await locate(web, "Berlin", geocoder_api_key=KEY)
    await locate(web, "Berlin")
    assert [each.key for each in web.visits] == [KEY, KEY, None]
    assert web.visits[0].query["q"] == "Berlin"
    assert "authorization" not in web.visits[0].headers
    assert KEY not in repr(store.records)


@pytest.mark.parametrize(
    "lie",
    [
        Misbehaviour.RESET,
        Misbehaviour.ERROR,
        Misbehaviour.HTML,
        Misbehaviour.HUGE,
        Misbehaviour.BROKEN,
        Misbehaviour.SHAPE,
        Misbehaviour.REDIRECT,
        Misbehaviour.NAN,
        Misbehaviour.WORDS,
        Misbehaviour.VAST,
        Misbehaviour.PLACE,
    ],
)
async def test_an_endpoint_that_misbehaves_or_lies_gives_a_failure_and_no_place(web, lie):
    web.misbehave("geocoder", lie)
    with pytest.raises(ProviderFailed) as failure:
        await locate(web, "Berlin")
    assert failure.value.extra["provider"] == "geocoder"
    assert len(web.visits) == 1


async def test_a_geocoder_that_hangs_is_left_in_time(web):
    web.misbehave("geocoder", Misbehaviour.HANG)
    with pytest.raises(ProviderFailed, match=r"within 0\.2 s"):
        await locate(web, "Berlin", provider_seconds=0.2)


async def test_names_are_cleaned_and_what_orders_them_is_never_believed_too_far(web):
    web.data.places["x"] = [
        FakePlace(name="<b>X</b>\x00\u202e", lat=-90, lon=180, kind="k" * 99, importance=1e300),
        FakePlace(name="Y", lat=0, lon=0, country="not a country", kind="", importance=-1),
    ]
    first, second = await locate(web, "X")
    assert (first.name, first.lat, first.lon, first.importance) == ("X", -90, 180, 1.0)
    assert len(first.kind or "") <= 40
    assert (second.country, second.kind, second.importance) == (None, "administrative", 0.0)


async def test_nothing_is_asked_for_no_name(web):
    with pytest.raises(InvalidInput):
        await locate(web, " \n")
    assert web.visits == []
