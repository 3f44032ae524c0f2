"""The providers the settings name. Owns which setting means which, and refuses settings that can never work."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindlog.errors import ConfigError
from mindlog.models.inference import InferenceLog, InferenceStore, TextPolicy
from mindlog.providers.addresses import check_address, check_headers, pointer
from mindlog.providers.geocode.nominatim import NominatimGeocoder
from mindlog.providers.http import CallLimits, ProviderKind, WebGetter
from mindlog.providers.search.results import ResultPaths
from mindlog.providers.search.vendors import BRAVE_URL, TAVILY_URL, brave, json_search, searxng, tavily
from mindlog.providers.series.csv_json import EndpointSeries, PointFields
from mindlog.providers.series.open_meteo import OpenMeteoSeries

if TYPE_CHECKING:
    from pydantic import SecretStr

    from mindlog.clock import Clock
    from mindlog.providers.geocode.provider import Geocoder
    from mindlog.providers.search.provider import WebSearch
    from mindlog.providers.series.provider import SeriesProvider
    from mindlog.settings import Settings

__all__ = ["geocoder_of", "search_of", "series_of"]

_SEARCH_NAMES = ("query", "limit", "key")
_SERIES_NAMES = ("name", "entity", "start", "end", "key")


def search_of(
    settings: Settings, *, inferences: InferenceStore | None = None, clock: Clock | None = None
) -> WebSearch | None:
    """The web search of the settings, or None (a normal mode). Sends nothing.

    Blocks for an import and the certificates, as the others here do: call them by `asyncio.to_thread`.

    Raises:
        ConfigError: a setting is missing or cannot work; `field` names it.
        MissingExtra: httpx2 is not installed.
    """
    vendor = settings.web_search
    if vendor == "none":
        return None
    opener = _Opener(settings, "web_search", inferences, clock)
    if vendor == "brave":
        getter = opener.getter(vendor, "web", {"X-Subscription-Token": opener.needed_key()})
        return brave(getter, opener.address() or BRAVE_URL)
    if vendor == "tavily":
        getter = opener.getter(vendor, "web", {"Authorization": f"Bearer {opener.needed_key()}"})
        return tavily(getter, opener.address() or TAVILY_URL)
    if vendor == "searxng":
        url = opener.needed_address()
        return searxng(opener.getter(vendor, "web", opener.bearer(url)), url)
    template = opener.needed_address(_SEARCH_NAMES, needs=["query"])
    getter = opener.getter(vendor, "web", opener.bearer(template))
    return json_search(getter, template, _result_paths(settings), opener.key)


def geocoder_of(
    settings: Settings, *, inferences: InferenceStore | None = None, clock: Clock | None = None
) -> Geocoder | None:
    """The geocoder of the settings, or None (a normal mode). Raises what `search_of` raises."""
    opener = _Opener(settings, "geocoder", inferences, clock)
    template = opener.address(("key",))
    if template is None:
        return None
    return NominatimGeocoder(opener.getter("geocoder", "geocode", opener.bearer(template)), template, opener.key)


def series_of(
    settings: Settings, *, inferences: InferenceStore | None = None, clock: Clock | None = None
) -> list[SeriesProvider]:
    """The providers of series of the settings, in the order they are to be asked. Raises what `search_of` raises."""
    opener = _Opener(settings, "series", inferences, clock)
    named = dict.fromkeys(settings.series_providers)
    return [_weather(opener) if name == "open_meteo" else _endpoint(opener) for name in named]


@dataclass(frozen=True, slots=True)
class _Opener:
    """Reads the settings that begin with `prefix` and names them in its errors."""

    settings: Settings
    prefix: str
    inferences: InferenceStore | None
    clock: Clock | None

    @property
    def key(self) -> str:
        """The key, empty without one."""
        secret: SecretStr | None = getattr(self.settings, f"{self.prefix}_api_key")
        return secret.get_secret_value() if secret else ""

    def needed_key(self) -> str:
        """The key."""
        if not self.key:
            raise self._missing("api_key")
        return self.key

    def address(self, names: Collection[str] = (), needs: Collection[str] = ()) -> str | None:
        """The address, checked, or None."""
        url: str | None = getattr(self.settings, f"{self.prefix}_url")
        if url is None:
            return None
        check_address(url, f"{self.prefix}_url", names=names, needs=needs)
        if "{key}" in url and not self.key:
            raise self._missing("api_key")
        return url

    def needed_address(self, names: Collection[str] = (), needs: Collection[str] = ()) -> str:
        """The address, checked."""
        url = self.address(names, needs)
        if url is None:
            raise self._missing("url")
        return url

    def bearer(self, template: str) -> dict[str, str]:
        """The key as a header, if there is one and the address has no place for it."""
        return {"Authorization": f"Bearer {self.key}"} if self.key and "{key}" not in template else {}

    def getter(self, name: str, kind: ProviderKind, key_header: Mapping[str, str] | None = None) -> WebGetter:
        """A getter with the key's header and the further ones."""
        further: dict[str, SecretStr] = getattr(self.settings, f"{self.prefix}_headers")
        headers = {each: secret.get_secret_value() for each, secret in further.items()}
        check_headers(key_header or {}, f"{self.prefix}_api_key")
        check_headers(headers, f"{self.prefix}_headers")
        # Of "Bearer abc" an answer may repeat the last word alone.
        secrets = [self.key, *headers.values(), *(value.rpartition(" ")[2] for value in headers.values())]
        return self.open(name, kind, {**(key_header or {}), **headers}, secrets)

    def open(self, name: str, kind: ProviderKind, headers: Mapping[str, str], secrets: list[str]) -> WebGetter:
        """A getter with these headers."""
        settings = self.settings
        return WebGetter(
            name,
            kind,
            limits=CallLimits(
                seconds=settings.provider_seconds,
                max_bytes=settings.provider_max_bytes,
                at_once=settings.provider_concurrency,
            ),
            headers=headers,
            secrets=secrets,
            inferences=InferenceLog(self.inferences, texts=TextPolicy(settings.llm_texts)),
            clock=self.clock,
        )

    def _missing(self, what: str) -> ConfigError:
        field = f"{self.prefix}_{what}"
        return ConfigError(f"{field} must be set for the provider that is asked for", field=field)


def _result_paths(settings: Settings) -> ResultPaths:
    return ResultPaths(
        results=pointer(settings.web_search_results),
        title=pointer(settings.web_search_title),
        url=pointer(settings.web_search_link),
        texts=(pointer(settings.web_search_text),),
        published=pointer(settings.web_search_time),
    )


def _weather(opener: _Opener) -> OpenMeteoSeries:
    url = check_address(opener.settings.open_meteo_url, "open_meteo_url")
    return OpenMeteoSeries(opener.open("open_meteo", "series", {}, []), url, clock=opener.clock)


def _endpoint(opener: _Opener) -> EndpointSeries:
    settings = opener.settings
    template = opener.needed_address(_SERIES_NAMES)
    getter = opener.getter("csv_json", "series", opener.bearer(template))
    return EndpointSeries(getter, template, _point_fields(settings), unit=settings.series_unit, key=opener.key)


def _point_fields(settings: Settings) -> PointFields:
    if not settings.series_time or not settings.series_value:
        field = "series_value" if settings.series_time else "series_time"
        raise ConfigError(f"{field} must name where it is", field=field)
    if settings.series_format == "csv":
        return PointFields(form="csv", time=settings.series_time, value=settings.series_value)
    return PointFields(
        items=None if settings.series_items is None else pointer(settings.series_items),
        time=pointer(settings.series_time),
        value=pointer(settings.series_value),
    )
