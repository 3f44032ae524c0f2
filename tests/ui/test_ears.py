"""What a page does wrong is heard: the other tests rest on it. And the theme that a person picks."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect


def test_an_error_a_refused_script_and_a_failed_call_are_each_heard(tab: Tab) -> None:
    page = tab.open("/")
    page.evaluate("setTimeout(() => { throw new Error('aloud') })")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = true'}))")
    page.evaluate("fetch('/v1/nothing').then((got) => got.text())")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    said = " ".join(tab.troubles)
    for each in ("error: aloud", "CSP script-src", "404"):
        assert each in said
    assert page.evaluate("window.ran") is None


def test_the_theme_that_is_picked_is_kept_and_clean(new_tab: Callable[..., Tab], served: Served) -> None:
    tab = new_tab(color_scheme="light")
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    button = page.get_by_role("button", name=re.compile("^Theme"))
    while "change to dark" not in (button.get_attribute("aria-label") or ""):
        button.click()
    button.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    tab.settle()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != light
    assert tab.violations() == []


def test_a_page_that_asks_another_server_is_heard(tab: Tab) -> None:
    page = tab.open("/")
    page.evaluate("fetch('http://127.0.0.1:9/').catch(() => null)")
    page.evaluate("void open('http://127.0.0.1:9/', '_self')")
    page.wait_for_event("requestfailed", predicate=lambda asked: ":9/" in asked.url)
    said = " ".join(tab.troubles)
    assert "CSP connect-src" in said
    assert "left: http://127.0.0.1:9/" in said
