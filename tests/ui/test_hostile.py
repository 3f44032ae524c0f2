"""Hostile text in the address, in what a click unfolds, and in a question: only words, everywhere."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.ui.conftest import DESK, Served, Tab
from tests.ui.made import LONG, MARKUP
from tests.ui.test_runs import expect


def harmless(tab: Tab) -> None:
    page = tab.page
    assert page.evaluate("window.ran") is None
    assert page.locator("img[src=x], svg[onload], main script, a[href^='javascript:']").count() == 0
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert tab.overflow() <= 0
    assert [each for each in tab.troubles if not re.match(r"4\d\d |Failed to load", each)] == []


@pytest.mark.parametrize("text", [MARKUP, LONG], ids=["markup", "long"])
@pytest.mark.parametrize(
    "path",
    [
        "/runs?text={}", "/runs?operation=query&session={}", "/runs?memory_id={}", "/runs?dataset={}", "/runs/{}",
        "/memories/{}", "/entities/{}", "/recall?cue={}&agent={}&explain={}", "/query?question={}", "/graph?entity={}",
        "/documents/{}", "/places?dataset={}&place={}", "/series/{}", "/series?text={}", "/{}",
    ],
)  # fmt: skip
def test_a_hostile_address_runs_nothing_and_breaks_nothing(path: str, text: str, tab: Tab) -> None:
    tab.open(path.replace("{}", quote(text[:200], "")))
    harmless(tab)


@pytest.mark.parametrize("name", ["hostile_markup", "hostile_long", "hostile_rtl"])
def test_what_a_click_unfolds_of_a_hostile_run_is_harmless_too(name: str, tab: Tab, served: Served) -> None:
    page = tab.open(f"/runs/{served.ids[name]}")
    page.get_by_role("button", name="Show outputs").click()
    closed = page.locator(".tree button[aria-expanded=false], .tree button.plain")
    closed.first.wait_for()
    for _ in range(12):  # what opens has more that is closed
        if closed.count() == 0:
            break
        closed.first.click()
    harmless(tab)
    page.set_viewport_size(DESK)
    page.get_by_role("button", name=re.compile("model call")).first.click()
    page.get_by_role("dialog").wait_for()
    for each in page.get_by_role("dialog").locator("summary").all():
        each.click()
    harmless(tab)


def test_a_hostile_question_and_its_answer_are_only_words(tab: Tab) -> None:
    page = tab.open("/query?dataset=hostile")
    page.get_by_role("textbox", name="Question").fill(f"What is {MARKUP}?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("region", name=re.compile("Answer")).first).to_be_visible()
    harmless(tab)
    tab.open(f"/recall?dataset=hostile&cue={quote(MARKUP, '')}")
    for each in page.locator("main summary").all():
        each.click()
    harmless(tab)
