"""The fake web answers as told: each service well or badly, whatever the others do, and keeps what came in."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request

import pytest

from mindlog.settings import Settings
from mindlog.testing.web_answers import FakePage, FakePlace, Misbehaviour
from mindlog.testing.web_server import FakeWeb

PATHS = {
    "search": "/search?q=tea",
    "geocoder": "/geocode?q=Berlin",
    "series": "/rows/Sales",
    "weather": "/archive?latitude=1&longitude=2&daily=temperature_2m_max&start_date=2024-01-01&end_date=2024-01-02",
}


@pytest.fixture
def web():
    with FakeWeb() as served:
        served.data.pages.append(FakePage(title="Tea", url="https://example.org/", text="A drink."))
        served.data.places["berlin"] = [FakePlace(name="Berlin", lat=52.5, lon=13.4)]
        served.data.series["sales"] = [("2024-01-01", 1.0)]
        yield served


def get(web: FakeWeb, path: str):
    with urllib.request.urlopen(web.url + path, timeout=10) as response:
        return json.loads(response.read())


def test_every_service_answers_in_its_format_and_keeps_what_came_in(web):
    assert get(web, PATHS["search"])["results"][0]["content"] == "A drink."
    assert get(web, PATHS["geocoder"])[0]["lat"] == "52.5"
    assert get(web, PATHS["series"]) == {"data": {"points": [{"date": "2024-01-01", "value": 1.0}]}}
    assert len(get(web, PATHS["weather"])["daily"]["temperature_2m_max"]) == 2
    assert [visit.service for visit in web.visits] == list(PATHS)


@pytest.mark.parametrize("service", list(PATHS))
def test_one_service_misbehaves_and_is_put_right_while_the_others_answer(web, service):
    web.misbehave(service, Misbehaviour.ERROR)
    for each, path in PATHS.items():
        if each == service:
            with pytest.raises(urllib.error.HTTPError) as failure:
                get(web, path)
            assert failure.value.code == 500
        else:
            assert get(web, path)
    web.misbehave(service, None)
    assert get(web, PATHS[service])


@pytest.mark.parametrize("path", ["/nowhere", "/rows/unknown"])
def test_what_it_does_not_have_is_404(web, path):
    with pytest.raises(urllib.error.HTTPError) as failure:
        get(web, path)
    assert failure.value.code == 404


def test_an_answer_held_back_goes_out_on_release(web):
    web.misbehave("search", Misbehaviour.HANG)
    answers = []
    asking = threading.Thread(target=lambda: answers.append(get(web, PATHS["search"])))
    asking.start()
    assert web.wait_for(1)
    assert not answers
    web.release()
    asking.join(10)
    assert answers[0]["results"]


def test_its_settings_are_settings_of_mindlog(web):
    for search in ("json", "searxng", "brave", "tavily"):
        assert Settings(**web.settings(search)).web_search == search


def test_it_stops_while_clients_are_connected_and_a_second_time_does_nothing(web):
    get(web, PATHS["search"])
    web.stop()
    web.stop()
    with pytest.raises(RuntimeError):
        _ = web.port
