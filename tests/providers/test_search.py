"""Searches ask each endpoint in its own way and give clean, bounded results that can be named; lies are failures."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mindlog.errors import InvalidInput, ProviderFailed
from mindlog.providers.configured import search_of
from mindlog.providers.search.provider import WebResult
from mindlog.providers.search.results import published
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.web_answers import FakePage, Misbehaviour
from tests.providers.made import KEY, closing, settings

VENDORS = ["json", "searxng", "brave", "tavily"]
TEA = WebResult(
    title="Tea",
    url="https://example.org/tea",
    text="Tea is a drink.",
    published_at=datetime(2024, 1, 3, 10, tzinfo=UTC),
)


async def search(web, vendor="searxng", query="what is tea", limit=10, **given) -> list[WebResult]:
    opened = search_of(settings(web, web_search=vendor, **given))
    assert opened is not None
    async with closing(opened) as engine:
        return await engine.search(query, limit)


def page(text="Tea.", url="https://example.org/tea", title="Tea", published=None) -> FakePage:
    return FakePage(title=title, url=url, text=text, published=published)


@pytest.mark.parametrize("vendor", VENDORS)
async def test_every_format_gives_the_same_results(web, vendor):
    results = await search(web, vendor)
    assert results[0] == TEA
    assert [(each.url, each.published_at) for each in results[1:]] == [("https://example.org/more", None)]
    assert web.visits[0].key == KEY


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_search_that_finds_nothing_is_no_failure(web, vendor):
    web.data.pages = []
    assert await search(web, vendor) == []


async def test_each_vendor_is_asked_in_its_own_way(web):
    for vendor in VENDORS:
        await search(web, vendor, limit=3)
    json, searxng, brave, tavily = web.visits
    assert (json.path, json.query) == ("/find", {"q": "what is tea", "n": "3"})
    assert (searxng.path, searxng.query) == ("/search", {"q": "what is tea", "format": "json"})
    assert brave.headers["x-subscription-token"] == KEY
    assert (brave.query["q"], brave.query["count"]) == ("what is tea", "3")
    assert (tavily.method, tavily.headers["authorization"]) == ("POST", f"Bearer {KEY}")
    assert tavily.query == {"query": "what is tea", "max_results": 3, "search_depth": "basic"}


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_search_is_on_record_as_one_of_the_web(web, vendor):
    store = HeldInferences()
    opened = search_of(settings(web, web_search=vendor), inferences=store)
    assert opened is not None
    async with closing(opened) as engine:
        assert engine.name == vendor
        await engine.search("what is tea")
    (record,) = store.records
    assert (record.provider, record.model, record.prompt[0].content) == ("web", vendor, "what is tea")
    assert "Tea is a drink." in record.output
    assert "tea" not in repr(record.parameters)


@pytest.mark.parametrize(
    "lie",
    [
        Misbehaviour.RESET,
        Misbehaviour.ERROR,
        Misbehaviour.UNAUTHORIZED,
        Misbehaviour.LIMITED,
        Misbehaviour.HTML,
        Misbehaviour.HUGE,
        Misbehaviour.BROKEN,
        Misbehaviour.SHAPE,
        Misbehaviour.DEEP,
        Misbehaviour.REDIRECT,
    ],
)
@pytest.mark.parametrize("vendor", ["json", "searxng", "tavily"])
async def test_an_endpoint_that_misbehaves_is_a_failure_and_names_the_provider(web, vendor, lie):
    web.misbehave("search", lie)
    with pytest.raises(ProviderFailed) as failure:
        await search(web, vendor)
    assert failure.value.extra["provider"] == vendor
    assert KEY not in failure.value.detail
    assert len(web.visits) == 1


async def test_a_search_that_hangs_is_left_in_time(web):
    web.misbehave("search", Misbehaviour.HANG)
    with pytest.raises(ProviderFailed, match=r"within 0\.2 s"):
        await search(web, provider_seconds=0.2)


async def test_after_a_fault_the_same_search_works_again(web):
    opened = search_of(settings(web))
    assert opened is not None
    async with closing(opened) as engine:
        for lie in (Misbehaviour.RESET, Misbehaviour.HUGE, Misbehaviour.CUT):
            web.misbehave("search", lie)
            with pytest.raises(ProviderFailed):
                await engine.search("tea")
        web.misbehave("search", None)
        assert (await engine.search("tea"))[0] == TEA


async def test_paths_that_fit_no_result_are_a_failure_and_not_an_empty_search(web):
    with pytest.raises(ProviderFailed, match="no result has an address at /wrong"):
        await search(web, "json", web_search_link="/wrong")
    with pytest.raises(ProviderFailed, match="nothing at /found/nowhere"):
        await search(web, "json", web_search_results="/found/nowhere")
    with pytest.raises(ProviderFailed, match="no list of results at /found"):
        await search(web, "json", web_search_results="found")


async def test_markup_scripts_and_hidden_characters_do_not_get_through(web):
    web.data.pages = [
        page(
            "<p>Green &amp; <b>black</b></p><script>steal()</script>&lt;script&gt;x&lt;/script&gt;\x00\u202eend\U000e0041",
            title="<em>Tea</em>\n\x07now",
        )
    ]
    (result,) = await search(web)
    assert result.title == "Tea now"
    assert result.text == "Green & black\nend"


async def test_at_most_ten_results_of_two_thousand_characters_are_given(web):
    web.data.pages = [page("tea " * 2000, f"https://example.org/{number}") for number in range(30)]
    results = await search(web, limit=500)
    assert len(results) == 10
    assert {len(each.text) for each in results} == {2000}
    assert all(each.text.endswith("…") for each in results)
    assert len(await search(web, limit=3)) == 3


async def test_results_without_an_address_that_may_be_named_are_left_out(web):
    bad = [
        "javascript:alert(1)",
        "ftp://example.org/",
        "https://user:password@example.org/",
        "https://user@example.org/",
        "//example.org/",
        "https:///path",
        "https://example.org/a b",
        "https://example.org/\nX",
        "https://example.org:99999/",
        "http://[::1",
        "https://example.org/" + "a" * 2100,
        "",
    ]
    web.data.pages = [*(page(url=each) for each in bad), page(url="http://ok.example/ünï?q=1")]
    assert [each.url for each in await search(web)] == ["http://ok.example/ünï?q=1"]


async def test_an_address_is_given_once_whatever_its_fragment_or_spelling_of_the_host(web):
    urls = ["https://example.org/a", "https://Example.ORG/a#part", "https://example.org/A", "https://example.org/a"]
    web.data.pages = [page(f"text {number}", url) for number, url in enumerate(urls)]
    assert [(each.url, each.text) for each in await search(web)] == [
        ("https://example.org/a", "text 0"),
        ("https://example.org/A", "text 2"),
    ]


async def test_a_result_without_a_text_has_its_title_for_one_and_one_without_both_is_left_out(web):
    web.data.pages = [page("", "https://example.org/1"), page("<br>", "https://example.org/2", title=" ")]
    assert [each.text for each in await search(web)] == ["Tea"]


async def test_of_a_long_query_the_beginning_is_asked_for_and_an_empty_one_is_refused(web):
    await search(web, query="tea\n" + "word " * 500)
    asked = web.visits[0].query["q"]
    assert asked.startswith("tea word")
    assert len(asked) <= 400
    assert len(asked.split()) == 50
    for empty in ("", " \n\x00", "<br>"):
        with pytest.raises(InvalidInput) as failure:
            await search(web, query=empty)
        assert failure.value.field == "query"


async def test_a_query_cannot_leave_its_place_in_the_address(web):
    await search(web, "json", query="tea&n=9#x/../{key} 茶")
    assert web.visits[0].query == {"q": "tea&n=9#x/../{key} 茶", "n": "10"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-01-03", datetime(2024, 1, 3, tzinfo=UTC)),
        ("2024-01-03T10:00:00", datetime(2024, 1, 3, 10, tzinfo=UTC)),
        ("2024-01-03T10:00:00+02:00", datetime(2024, 1, 3, 8, tzinfo=UTC)),
        ("Wed, 03 Jan 2024 10:00:00 GMT", datetime(2024, 1, 3, 10, tzinfo=UTC)),
        ("Wed, 03 Jan 2024 10:00:00 -0000", datetime(2024, 1, 3, 10, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("3 days ago", None),
        ("", None),
        (1704276000, None),
        (None, None),
    ],
)
def test_times_of_publication_are_read_or_left_out(written, read):
    assert published(written) == read
