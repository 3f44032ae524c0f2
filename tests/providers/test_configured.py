"""The settings name the providers; those that can never work are refused when opened, by the name of the setting."""

from __future__ import annotations

import sys

import pytest
from pydantic import ValidationError

from mindlog.errors import ConfigError, MissingExtra
from mindlog.providers.configured import geocoder_of, search_of, series_of
from mindlog.providers.search.vendors import BRAVE_URL, TAVILY_URL
from mindlog.settings import Settings
from tests.providers.made import KEY, closing

LOCAL = "http://127.0.0.1:9"


def test_without_settings_there_are_no_providers_and_that_is_no_error():
    settings = Settings()
    assert (search_of(settings), geocoder_of(settings), series_of(settings)) == (None, None, [])


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"web_search": "json"}, "web_search_url"),
        ({"web_search": "searxng"}, "web_search_url"),
        ({"web_search": "brave"}, "web_search_api_key"),
        ({"web_search": "tavily"}, "web_search_api_key"),
        ({"web_search": "brave", "web_search_api_key": "line\nbreak"}, "web_search_api_key"),
        ({"web_search": "brave", "web_search_api_key": "käse"}, "web_search_api_key"),
        ({"web_search": "brave", "web_search_api_key": "k", "web_search_url": "search.example"}, "web_search_url"),
        ({"web_search": "searxng", "web_search_url": "ftp://example.org"}, "web_search_url"),
        ({"web_search": "searxng", "web_search_url": "http://"}, "web_search_url"),
        ({"web_search": "searxng", "web_search_url": "http://user:pw@example.org"}, "web_search_url"),
        ({"web_search": "searxng", "web_search_url": "http://example.org:port"}, "web_search_url"),
        ({"web_search": "searxng", "web_search_url": "http://example.org/a b"}, "web_search_url"),
        ({"web_search": "json", "web_search_url": f"{LOCAL}/find"}, "web_search_url"),
        ({"web_search": "json", "web_search_url": f"{LOCAL}/{{query}}/{{odd}}"}, "web_search_url"),
        ({"web_search": "json", "web_search_url": f"{LOCAL}/{{query}}/}}"}, "web_search_url"),
        ({"web_search": "json", "web_search_url": "http://{query}.example.org/"}, "web_search_url"),
        ({"web_search": "json", "web_search_url": f"{LOCAL}/{{query}}?k={{key}}"}, "web_search_api_key"),
        ({"web_search": "searxng", "web_search_url": LOCAL, "web_search_headers": {"X A": "b"}}, "web_search_headers"),
        (
            {"web_search": "searxng", "web_search_url": LOCAL, "web_search_headers": {"X": "b\r\nY: c"}},
            "web_search_headers",
        ),
        ({"geocoder_url": "example.org"}, "geocoder_url"),
        ({"geocoder_url": f"{LOCAL}/?q={{query}}"}, "geocoder_url"),
        ({"geocoder_url": f"{LOCAL}/?key={{key}}"}, "geocoder_api_key"),
        ({"series_providers": ["csv_json"]}, "series_url"),
        ({"series_providers": ["csv_json"], "series_url": f"{LOCAL}/{{who}}"}, "series_url"),
        ({"series_providers": ["csv_json"], "series_url": LOCAL, "series_value": ""}, "series_value"),
        ({"series_providers": ["csv_json"], "series_url": LOCAL, "series_time": ""}, "series_time"),
        ({"series_providers": ["csv_json"], "series_url": LOCAL, "series_headers": {"": "b"}}, "series_headers"),
        ({"series_providers": ["open_meteo"], "open_meteo_url": "archive"}, "open_meteo_url"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name_and_without_a_secret(given, field):
    settings = Settings(**given)
    with pytest.raises(ConfigError) as failure:
        (search_of(settings), geocoder_of(settings), series_of(settings))
    assert failure.value.field == field
    assert failure.value.detail.startswith(field)
    assert "break" not in failure.value.detail
    assert "Y: c" not in failure.value.detail


@pytest.mark.parametrize("given", [{"web_search": "other"}, {"series_providers": ["other"]}, {"provider_seconds": 0}])
def test_values_nobody_knows_are_refused_by_the_settings_themselves(given):
    with pytest.raises(ValidationError):
        Settings(**given)


def test_settings_come_from_the_environment_and_hide_their_secrets(monkeypatch):
    monkeypatch.setenv("MINDLOG_SERIES_PROVIDERS", '["open_meteo", "csv_json"]')
    monkeypatch.setenv("MINDLOG_SERIES_HEADERS", f'{{"X-Key": "{KEY}"}}')
    monkeypatch.setenv("MINDLOG_WEB_SEARCH_API_KEY", KEY)
    settings = Settings()
    assert settings.series_providers == ["open_meteo", "csv_json"]
    assert settings.series_headers["X-Key"].get_secret_value() == KEY
    assert KEY not in repr(settings)


async def test_series_are_in_the_order_of_the_setting_and_each_once():
    settings = Settings(series_providers=["open_meteo", "csv_json", "open_meteo"], series_url=LOCAL)
    providers = series_of(settings)
    for each in providers:
        async with closing(each):
            pass
    assert [each.name for each in providers] == ["open_meteo", "csv_json"]


async def test_vendors_have_their_own_address_unless_another_is_set():
    assert BRAVE_URL.startswith("https://")
    assert TAVILY_URL.startswith("https://")
    for vendor in ("brave", "tavily"):
        opened = search_of(Settings(web_search=vendor, web_search_api_key=KEY))
        assert opened is not None
        async with closing(opened):
            assert opened.name == vendor


@pytest.mark.parametrize(
    "open_it",
    [
        lambda: search_of(Settings(web_search="searxng", web_search_url=LOCAL)),
        lambda: geocoder_of(Settings(geocoder_url=LOCAL)),
        lambda: series_of(Settings(series_providers=["open_meteo"])),
    ],
)
def test_a_missing_client_is_named_with_the_command_that_installs_it(open_it, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtra, match=r"pip install 'mindlog\[client\]'"):
        open_it()
