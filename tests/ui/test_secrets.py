"""What becomes of a key in the browser: kept nowhere if wrong, in no other tab, and of no use once revoked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindlog.records import Scope
from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect


def sign_in(tab: Tab, secret: str) -> Any:
    page = tab.open("/settings")
    page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    page.get_by_placeholder("ml_sk_").fill(secret)
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    return page


def test_a_wrong_key_is_kept_nowhere(new_tab: Callable[..., Tab], guarded: Served) -> None:
    page = sign_in(new_tab(guarded.url), "ml_sk_wrong")
    expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    assert "ml_sk_wrong" not in page.evaluate(
        "JSON.stringify({...sessionStorage}) + JSON.stringify({...localStorage}) + document.cookie + location.href"
    )


def test_a_key_of_one_tab_is_not_in_another(new_tab: Callable[..., Tab], guarded: Served) -> None:
    tab = new_tab(guarded.url)
    sign_in(tab, guarded.ids["admin"])
    expect(tab.page.get_by_role("banner").get_by_role("button", name="Sign out")).to_be_visible()
    other = tab.context.new_page()
    other.goto("/admin/settings")
    expect(other.get_by_role("alert").first).to_contain_text("A valid API key is needed")


def test_a_key_that_is_revoked_while_a_page_is_open_is_said_at_the_next_call(
    new_tab: Callable[..., Tab], guarded: Served
) -> None:
    key, secret = guarded.do(guarded.engine.create_key("brief", scopes=[Scope.ADMIN]))
    tab = new_tab(guarded.url)
    page = sign_in(tab, secret)
    expect(page.get_by_role("table", name="API keys")).to_contain_text("brief")
    guarded.do(guarded.engine.revoke_key(key.id))
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Documents").click()
    expect(page.get_by_role("alert").first).to_contain_text("A valid API key is needed")
