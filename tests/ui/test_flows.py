"""Flows of a map, of a document's forgetting, of the menu on a telephone, and of a key of one dataset."""

from __future__ import annotations

import re
from collections.abc import Callable

from mindlog.views import RememberRequest
from tests.ui.conftest import PHONE, Served, Tab
from tests.ui.test_runs import expect


def test_the_map_is_moved_by_keys_and_pointer_and_shows_what_is_near(tab: Tab, served: Served) -> None:
    page = tab.open("/places")
    page.locator(".sea").focus()
    ground = page.locator(".sea svg > g").first
    whole = ground.get_attribute("transform")
    page.keyboard.press("+")
    closer = ground.get_attribute("transform")
    assert closer != whole
    page.keyboard.press("ArrowLeft")
    assert ground.get_attribute("transform") != closer
    page.keyboard.press("0")
    assert ground.get_attribute("transform") == whole
    page.get_by_role("region", name="Map").get_by_role("button", name=re.compile("Tharandt")).press("Enter")
    page.wait_for_url(re.compile("place="))
    page.get_by_role("button", name="Near here").click()
    page.wait_for_url(re.compile("near="))
    expect(page.get_by_role("heading", name=re.compile("Within 100 km"))).to_be_visible()
    expect(page.get_by_role("columnheader", name="Distance")).to_be_visible()
    expect(page.locator(".ring")).to_have_count(1)
    page.get_by_label("Radius").select_option("10")
    page.wait_for_url(re.compile("km=10"))
    before = ground.get_attribute("transform")
    drag(tab)
    assert ground.get_attribute("transform") != before
    assert tab.troubles == []


def drag(tab: Tab) -> None:
    box = tab.page.locator(".sea svg").bounding_box()
    tab.page.mouse.move(box["x"] + 100, box["y"] + 100)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 160, box["y"] + 130)
    tab.page.mouse.up()


def test_a_document_is_forgotten_text_by_text_and_brought_back(tab: Tab, served: Served) -> None:
    text = "# Shed\n\nBen Adler lives in Ghent.\n"
    served.do(served.engine.remember(RememberRequest(text=text, document_id="shed", name="shed.md", wait="derived")))
    page = tab.open("/documents/shed")
    expect(page.get_by_role("main")).to_contain_text("Ben Adler lives in Ghent")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Forget 1 text")).click()
    expect(page.get_by_role("main")).to_contain_text("1 text forgotten")
    expect(page.get_by_role("main")).not_to_contain_text("Ben Adler lives in Ghent")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("main")).to_contain_text("Ben Adler lives in Ghent")
    assert tab.troubles == []


def test_the_views_are_behind_a_menu_on_a_telephone(new_tab: Callable[..., Tab]) -> None:
    tab = new_tab(viewport=PHONE)
    page = tab.open("/series")
    link = page.get_by_role("navigation", name="Views").get_by_role("link", name="Places")
    menu = page.get_by_role("button", name=re.compile("Menu"))
    expect(link).to_have_count(0)
    menu.click()
    expect(link).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).to_have_count(0)
    expect(menu).to_be_focused()
    menu.click()
    link.click()
    page.wait_for_url(re.compile("/places"))
    expect(page.get_by_role("button", name="Menu: Places")).to_be_visible()
    page.get_by_role("combobox", name="Dataset").select_option("hostile")
    page.wait_for_url(re.compile("dataset=hostile"))
    assert tab.troubles == []
