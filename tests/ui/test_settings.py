"""Keys and datasets, and signing in: where the key is kept, and what each scope may do."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect


@pytest.fixture
def key_tab(new_tab: Callable[..., Tab], guarded: Served) -> Callable[[str], Tab]:
    """A tab on the server that wants a key, signed in with one."""

    def sign_in(name: str) -> Tab:
        tab = new_tab(guarded.url)
        tab.open("/settings")
        tab.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        tab.page.get_by_role("dialog").get_by_label("API key").fill(guarded.ids[name])
        tab.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
        expect(tab.page.get_by_role("banner").get_by_role("button", name="Sign out")).to_be_visible()
        tab.settle()
        tab.troubles.clear()  # what was refused before there was a key
        return tab

    return sign_in


def test_without_a_key_the_page_says_that_one_is_needed(new_tab: Callable[..., Tab], guarded: Served) -> None:
    page = new_tab(guarded.url).open("/runs")
    expect(page.get_by_role("alert").first).to_contain_text("A valid API key is needed")


def test_a_key_that_is_not_valid_is_refused_where_it_is_typed(new_tab: Callable[..., Tab], guarded: Served) -> None:
    page = new_tab(guarded.url).open("/")
    page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    page.get_by_role("dialog").get_by_label("API key").fill("ml_sk_wrong")
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("not a valid key")


def test_the_key_is_kept_in_the_tab_alone_and_gone_after_signing_out(
    key_tab: Callable[[str], Tab], guarded: Served
) -> None:
    tab = key_tab("admin")
    page, secret = tab.page, guarded.ids["admin"]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    tab.settle()
    expect(page.get_by_role("table", name="API keys")).to_contain_text("reader")
    assert not [url for url in [page.url, *asked] if secret in url]
    assert secret not in page.evaluate("JSON.stringify({...localStorage}) + document.cookie")
    assert secret in page.evaluate("JSON.stringify({...sessionStorage})")
    page.get_by_role("banner").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("alert").first).to_contain_text("A valid API key is needed")
    assert secret not in page.evaluate("JSON.stringify({...sessionStorage})")


def test_what_a_reader_may_not_do_is_refused_in_words(key_tab: Callable[[str], Tab], guarded: Served) -> None:
    tab = key_tab("reader")
    expect(tab.page.get_by_role("alert").first).to_contain_text("This key may not do that")
    page = tab.open(f"/memories/{guarded.ids['mine']}")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(page.get_by_role("alert").first).to_contain_text("write")
    expect(page.get_by_role("main")).to_contain_text("A note of mine.")


def test_a_key_of_one_dataset_sees_nothing_of_another(key_tab: Callable[[str], Tab], guarded: Served) -> None:
    tab = key_tab("narrow")
    page = tab.open("/runs")
    names = page.locator("main table.runs tbody td:first-of-type")
    expect(names.first).to_have_text("mine")
    assert set(names.all_inner_texts()) == {"mine"}
    assert page.get_by_role("combobox", name="Dataset").locator("option").all_inner_texts()[1:] == ["mine"]
    page = tab.open(f"/memories/{guarded.ids['theirs']}")
    expect(page.get_by_role("main")).to_contain_text("no such memory")
    expect(page.get_by_role("main")).not_to_contain_text("A note of theirs.")


def test_a_key_is_made_shown_once_and_revoked(key_tab: Callable[[str], Tab], guarded: Served) -> None:
    tab = key_tab("admin")
    page = tab.page
    page.get_by_label("What the key is for").fill("for a while")
    page.get_by_role("button", name="Create a key").click()
    secret = page.get_by_role("dialog").locator(".secret").inner_text()
    assert secret.startswith("ml_sk_")
    page.get_by_role("dialog").get_by_role("button", name="I have it").click()
    row = page.get_by_role("table", name="API keys").get_by_role("row").filter(has_text="for a while")
    expect(row).to_contain_text("active")
    assert secret not in page.content()
    row.get_by_role("button", name=re.compile("Revoke")).click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("revoked")
    refused = page.request.get(f"{guarded.url}/v1/datasets", headers={"Authorization": f"Bearer {secret}"})
    assert refused.status == 401
    assert tab.troubles == []


def test_a_dataset_is_made_and_given_a_zone(key_tab: Callable[[str], Tab]) -> None:
    tab = key_tab("admin")
    page = tab.page
    page.get_by_label("Dataset, new or not").fill("harbour")
    page.get_by_label("Time zone").fill("Europe/Lisbon")
    page.get_by_role("button", name="Save the dataset").click()
    row = page.get_by_role("table", name="Datasets").get_by_role("row").filter(has_text="harbour")
    expect(row).to_contain_text("Europe/Lisbon")
    page.get_by_label("Dataset, new or not").fill("not a name")
    page.get_by_role("button", name="Save the dataset").click()
    expect(page.get_by_role("alert").first).to_contain_text("name")


def test_a_key_of_some_datasets_never_becomes_one_of_all_by_accident(key_tab: Callable[[str], Tab]) -> None:
    page = key_tab("admin").page
    page.get_by_label("What the key is for").fill("narrow one")
    page.get_by_role("combobox", name="Datasets").select_option("some")
    expect(page.get_by_role("button", name="Create a key")).to_be_disabled()
    page.get_by_role("checkbox", name="mine").check()
    page.get_by_role("button", name="Create a key").click()
    page.get_by_role("dialog").get_by_role("button", name="I have it").click()
    keys = page.get_by_role("table", name="API keys")
    expect(keys.get_by_role("row").filter(has_text="narrow one")).to_contain_text("mine")
    expect(keys.get_by_role("row").filter(has_text="this tab's")).to_have_count(1)
