"""Series come from CSV, JSON and the weather archive as dated numbers; one doubtful value and none is given."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import InvalidInput, ProviderFailed
from mindlog.providers.answers import BadAnswer
from mindlog.providers.configured import series_of
from mindlog.providers.series.open_meteo import weather_variable
from mindlog.providers.series.points import instant, read_points
from mindlog.providers.series.provider import FetchedSeries, SeriesProvider
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.web_answers import Misbehaviour, sample_weather
from tests.providers.made import BERLIN, KEY, ManualClock, closing, settings, wanted

FORMS = {
    "rows": {},
    "columns": {"series_items": None, "series_time": "/times", "series_value": "/values"},
    "table": {"series_format": "csv"},
}
POINTS = ((datetime(2024, 1, 1, tzinfo=UTC), 3.1), (datetime(2024, 3, 1, tzinfo=UTC), -450.0))
DAY = timedelta(days=1)

any_form = pytest.mark.parametrize("form", list(FORMS))


def opened(web, form="rows", *, store=None, clock=None, **given) -> list[SeriesProvider]:
    url = web.url + f"/{form}" + "/{name}?start={start}&end={end}"
    return series_of(settings(web, **{"series_url": url, **FORMS[form], **given}), inferences=store, clock=clock)


async def fetch(web, form="rows", request=None, **given) -> FetchedSeries:
    async with closing(opened(web, form, **given)[0]) as provider:
        return await provider.fetch(request or wanted())


async def weather(web, request=None, clock=None, **given) -> FetchedSeries:
    providers = opened(web, series_providers=["open_meteo"], clock=clock or ManualClock(), **given)
    async with closing(providers[0]) as provider:
        return await provider.fetch(request or wanted("temperature", place=BERLIN))


@any_form
async def test_every_form_gives_the_same_points_and_leaves_out_what_is_missing(web, form):
    url = f"{web.url}/{form}/{{name}}?entity={{entity}}&start={{start}}&end={{end}}"
    fetched = await fetch(web, form, wanted("Revenue", entity="Acme & Co"), series_url=url, series_unit="EUR")
    assert (fetched.name, fetched.entity, fetched.unit, fetched.points) == ("Revenue", "Acme & Co", "EUR", POINTS)
    assert fetched.source_url.startswith(f"{web.url}/{form}/Revenue?")
    assert web.visits[0].query == {"entity": "Acme & Co", "start": "2024-01-01", "end": "2024-05-31"}


@any_form
@pytest.mark.parametrize(
    "lie",
    [
        Misbehaviour.RESET,
        Misbehaviour.ERROR,
        Misbehaviour.HTML,
        Misbehaviour.HUGE,
        Misbehaviour.SHAPE,
        Misbehaviour.REDIRECT,
        Misbehaviour.NAN,
        Misbehaviour.WORDS,
        Misbehaviour.VAST,
        Misbehaviour.LENGTHS,
        Misbehaviour.TWICE,
    ],
)
async def test_an_endpoint_that_misbehaves_or_lies_gives_a_failure_and_no_point(web, form, lie):
    web.misbehave("series", lie)
    with pytest.raises(ProviderFailed) as failure:
        await fetch(web, form)
    assert failure.value.extra["provider"] == "csv_json"
    assert len(web.visits) == 1


@pytest.mark.parametrize("form", ["rows", "columns"])
async def test_half_an_answer_is_a_failure(web, form):
    web.misbehave("series", Misbehaviour.BROKEN)
    with pytest.raises(ProviderFailed, match="not JSON"):
        await fetch(web, form)


async def test_a_series_nobody_has_is_a_failure_that_no_retry_helps(web):
    with pytest.raises(ProviderFailed, match="answered 404") as failure:
        await fetch(web, request=wanted("profit"))
    assert not failure.value.retryable


async def test_a_provider_that_hangs_is_left_in_time(web):
    web.misbehave("series", Misbehaviour.HANG)
    with pytest.raises(ProviderFailed, match=r"within 0\.2 s"):
        await fetch(web, provider_seconds=0.2)


async def test_a_large_table_is_read_whole_and_one_wrong_value_in_it_spoils_it(web):
    points = [((datetime(2000, 1, 1) + number * DAY).date().isoformat(), float(number)) for number in range(9000)]
    web.data.series["long"] = points
    request = wanted("long", start=datetime(2000, 1, 1, tzinfo=UTC), limit=100_000)
    fetched = await fetch(web, "table", request)
    assert [value for _, value in fetched.points] == [value for at, value in points if at <= "2024-05-31"]
    web.data.series["long"] = [*points[:7000], ("2019-03-02", "1,234"), *points[7001:]]
    with pytest.raises(ProviderFailed, match="'1,234' is not a number"):
        await fetch(web, "table", request)


async def test_points_outside_the_request_are_left_out_and_of_too_many_the_latest_are_given(web):
    web.data.series["revenue"] = [
        ("2024-03-01", 3),
        ("2023-12-31", 9),
        ("2024-01-01", 1),
        ("2024-02-01", 2),
        ("2025", 8),
    ]
    assert [value for _, value in (await fetch(web)).points] == [1, 2, 3]
    assert [value for _, value in (await fetch(web, request=wanted(limit=2))).points] == [2, 3]


async def test_a_fetch_is_on_record_and_no_key_is_shown(web):
    store = HeldInferences()
    url = web.url + "/rows/{name}?key={key}"
    fetched = await fetch(web, store=store, series_url=url, series_api_key=KEY, series_headers={"X-Other": f"B {KEY}2"})
    (record,) = store.records
    assert (record.provider, record.model, record.error) == ("series", "csv_json", None)
    assert record.prompt[0].content == "revenue, 2024-01-01 to 2024-05-31"
    assert record.parameters == {"endpoint": url}
    assert fetched.source_url == f"{web.url}/rows/revenue?key=(key)"
    assert web.visits[0].key == KEY
    assert web.visits[0].headers["x-other"] == f"B {KEY}2"
    assert KEY not in repr(record)


async def test_a_name_cannot_leave_its_place_in_the_address(web):
    with pytest.raises(ProviderFailed):
        await fetch(web, request=wanted("../table/revenue?x=1#y"))
    assert web.visits[0].path == "/rows/..%2Ftable%2Frevenue%3Fx%3D1%23y"
    with pytest.raises(InvalidInput):
        await fetch(web, request=wanted(".."))


async def test_an_address_that_names_an_entity_serves_no_series_without_one(web):
    async with closing(opened(web, series_url=web.url + "/rows/{entity}")[0]) as provider:
        assert provider.serves(wanted(entity="Acme"))
        assert not provider.serves(wanted())
        assert not provider.serves(wanted(entity="\x00"))
        with pytest.raises(ProviderFailed, match="needs an entity"):
            await provider.fetch(wanted())
    assert web.visits == []


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": " "}, "name"),
        ({"start": datetime(2024, 1, 1)}, "start"),
        ({"end": datetime(2023, 1, 1, tzinfo=UTC)}, "end"),
        ({"limit": 0}, "limit"),
    ],
)
def test_a_request_that_nobody_can_answer_is_refused(given, field):
    with pytest.raises(InvalidInput) as failure:
        wanted(**given)
    assert failure.value.field == field


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        (2024, datetime(2024, 1, 1, tzinfo=UTC)),
        ("2024-03", datetime(2024, 3, 1, tzinfo=UTC)),
        ("2024Q3", datetime(2024, 7, 1, tzinfo=UTC)),
        ("2024-Q1", datetime(2024, 1, 1, tzinfo=UTC)),
        (" 2024-03-05 ", datetime(2024, 3, 5, tzinfo=UTC)),
        ("2024-03-05T01:30", datetime(2024, 3, 5, 1, 30, tzinfo=UTC)),
        ("2024-03-05T01:30:00Z", datetime(2024, 3, 5, 1, 30, tzinfo=UTC)),
        ("2024-03-05 01:30:00+02:00", datetime(2024, 3, 4, 23, 30, tzinfo=UTC)),
        (1704067200, datetime(2024, 1, 1, tzinfo=UTC)),
        (1704067200000, datetime(2024, 1, 1, tzinfo=UTC)),
    ],
)
def test_times_in_plain_notations_are_read(written, read):
    assert instant(written) == read


@pytest.mark.parametrize(
    "written",
    [
        *("03/04/2024", "2024-13", "2024-02-30", "Q1 2024", "20240305", "1704067200", "", "2024-03-05T99:00"),
        *(12, -5, 1e20, True, None, [], float("nan"), "0001-01-01T00:00+14:00"),
    ],
)
def test_times_that_may_be_another_are_not_read(written):
    with pytest.raises(BadAnswer):
        instant(written)


DAYS = st.dates(min_value=date(1000, 1, 1))
VALUES = st.floats(allow_nan=False, allow_infinity=False) | st.integers()


@given(st.lists(st.tuples(DAYS, VALUES), max_size=30))
def test_points_come_out_as_they_went_in_ordered_or_not_at_all(pairs):
    request = wanted(start=datetime(1, 1, 1, tzinfo=UTC), end=datetime(9999, 12, 31, tzinfo=UTC))
    values: dict[date, set[float]] = {}
    for day, value in pairs:
        values.setdefault(day, set()).add(float(value))
    written = [(day.isoformat(), value) for day, value in pairs]
    if any(len(each) > 1 for each in values.values()):
        with pytest.raises(BadAnswer):
            read_points(written, request)
        return
    points = read_points(written, request)
    assert [(at.date(), {value}) for at, value in points] == sorted(values.items())


async def test_weather_is_one_value_a_day_at_the_place(web):
    fetched = await weather(web, wanted("Daily maximum temperature", place=BERLIN, entity="Berlin", unit="°F"))
    days = [at for at, _ in fetched.points]
    assert days == [datetime(2024, 1, 1, tzinfo=UTC) + number * DAY for number in range(152)]
    assert fetched.points[5][1] == sample_weather("temperature_2m_max", days[5].date())
    assert (fetched.unit, fetched.entity) == ("°C", "Berlin")
    query = web.visits[0].query
    assert (query["latitude"], query["longitude"], query["daily"]) == ("52.52000", "13.41000", "temperature_2m_max")
    assert (query["start_date"], query["end_date"], query["timezone"]) == ("2024-01-01", "2024-05-31", "GMT")


async def test_days_the_archive_has_no_value_for_are_left_out(web):
    web.data.weather = lambda variable, day: None if day.day > 10 else 1.0
    fetched = await weather(web, wanted("rainfall", place=BERLIN))
    assert {at.day for at, _ in fetched.points} == set(range(1, 11))
    assert fetched.unit == "mm"


@pytest.mark.parametrize(
    "lie",
    [
        Misbehaviour.RESET,
        Misbehaviour.ERROR,
        Misbehaviour.HTML,
        Misbehaviour.HUGE,
        Misbehaviour.SHAPE,
        Misbehaviour.REDIRECT,
        Misbehaviour.NAN,
        Misbehaviour.WORDS,
        Misbehaviour.VAST,
        Misbehaviour.LENGTHS,
        Misbehaviour.TWICE,
        Misbehaviour.PLACE,
        Misbehaviour.UNITS,
        Misbehaviour.ZONE,
        Misbehaviour.DAYS,
    ],
)
async def test_an_archive_that_misbehaves_or_lies_gives_a_failure_and_no_point(web, lie):
    web.misbehave("weather", lie)
    with pytest.raises(ProviderFailed) as failure:
        await weather(web)
    assert failure.value.extra["provider"] == "open_meteo"
    assert len(web.visits) == 1


async def test_only_days_are_asked_for_that_can_be_there(web):
    far = wanted(
        "rain",
        place=BERLIN,
        start=datetime(1900, 1, 1, tzinfo=UTC),
        end=datetime(2100, 1, 1, tzinfo=UTC),
        limit=1_000_000,
    )
    await weather(web, far)
    assert (web.visits[0].query["start_date"], web.visits[0].query["end_date"]) == ("1940-01-01", "2024-06-01")
    noon = wanted("rain", place=BERLIN, start=datetime(2024, 1, 1, 12, tzinfo=UTC), limit=3)
    assert len((await weather(web, noon)).points) == 3
    assert web.visits[1].query["start_date"] == "2024-05-29"


@pytest.mark.parametrize(
    "given",
    [
        {"name": "revenue"},
        {"name": "body temperature"},
        {"name": "sea surface temperature"},
        {"place": None},
        {"start": datetime(2025, 1, 1, tzinfo=UTC), "end": datetime(2026, 1, 1, tzinfo=UTC)},
        {"start": datetime(1930, 1, 1, tzinfo=UTC), "end": datetime(1939, 1, 1, tzinfo=UTC)},
        {"start": datetime(2024, 1, 1, 1, tzinfo=UTC), "end": datetime(2024, 1, 1, 23, tzinfo=UTC)},
        {"start": datetime.max.replace(tzinfo=UTC), "end": datetime.max.replace(tzinfo=UTC)},
    ],
)
async def test_what_the_archive_cannot_have_is_not_asked_for(web, given):
    request = wanted(**{"name": "temperature", "place": BERLIN, **given})
    async with closing(opened(web, series_providers=["open_meteo"], clock=ManualClock())[0]) as provider:
        assert not provider.serves(request)
        with pytest.raises(ProviderFailed) as failure:
            await provider.fetch(request)
    assert not failure.value.retryable
    assert web.visits == []


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("temperature", "temperature_2m_mean"),
        ("Average daily air temperature", "temperature_2m_mean"),
        ("max temperature", "temperature_2m_max"),
        ("lowest temperatures of the day", "temperature_2m_min"),
        ("temperature_2m_max", "temperature_2m_max"),
        ("total rainfall", "precipitation_sum"),
        ("precipitation_sum", "precipitation_sum"),
        ("maximum and minimum temperature", None),
        ("max min temperature", None),
        ("room temperature", None),
        ("maximum rain", None),
        ("rain temperature", None),
        ("", None),
    ],
)
def test_only_names_that_can_mean_nothing_else_ask_for_weather(name, variable):
    assert weather_variable(name) == variable
