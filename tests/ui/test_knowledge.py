"""Graph, entities, merge proposals, places, series and documents in the browser."""

from __future__ import annotations

import re

from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect


def test_the_graph_is_drawn_listed_and_moved_in_time(tab: Tab, served: Served) -> None:
    page = tab.open(f"/graph?entity={served.ids['entity']}&depth=2")
    expect(page.locator("canvas")).to_be_visible()
    for name in ("Mara Voss", "Jonas Reil", "Tidewater Group"):
        expect(page.get_by_role("main")).to_contain_text(name)
    page = tab.open(f"/graph?entity={served.ids['entity']}&as_of=2020-01-01T00:00:00Z")
    expect(page.get_by_role("main")).to_contain_text("Harbor Labs")
    expect(page.get_by_role("main")).not_to_contain_text("Jonas Reil")
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("main")).to_contain_text("Jonas Reil")
    assert tab.troubles == []


def test_an_entity_shows_what_holds_and_what_held(tab: Tab, served: Served) -> None:
    page = tab.open(f"/entities/{served.ids['entity']}")
    table = page.get_by_role("table", name="Statements")
    expect(table.get_by_role("row").filter(has_text="Vienna")).to_contain_text("current")
    expect(table.get_by_role("row").filter(has_text=re.compile("lives in Porto"))).to_contain_text("superseded")
    expect(page.locator("main a[href*='/memories/mem_']").first).to_be_visible()


def test_a_proposal_is_accepted_undone_and_refused_each_after_a_question(tab: Tab, served: Served) -> None:
    page = tab.open("/proposals")
    decide(tab, "Accept", "Alice")
    page = tab.open("/proposals?status=accepted")
    decide(tab, "Undo", "Alice")
    tab.open("/proposals?status=undone")
    expect(page.get_by_role("main")).to_contain_text("Alice")
    tab.open("/proposals")
    decide(tab, "Refuse", "Lind")
    tab.open("/proposals?status=refused")
    expect(page.get_by_role("main")).to_contain_text("Eva Lind")
    assert tab.troubles == []


def decide(tab: Tab, verb: str, name: str) -> None:
    page = tab.page
    page.get_by_role("button", name=re.compile(f"{verb}: .*{name}")).click()
    page.get_by_role("dialog").get_by_role("button", name=verb, exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile(f"{verb}: .*{name}"))).to_have_count(0)


def test_a_place_is_on_the_map_and_leads_to_its_memories(tab: Tab) -> None:
    page = tab.open("/places")
    expect(page.get_by_role("region", name="Map").locator("svg")).to_be_visible()
    page.get_by_role("button", name=re.compile("Tharandt")).first.click()
    page.wait_for_url(re.compile("place="))
    page.locator("main a[href*='/memories/mem_']").first.click()
    page.wait_for_url(re.compile("/memories/mem_"))
    assert tab.troubles == []


def test_a_series_is_drawn_with_its_points_and_their_sources(tab: Tab, served: Served) -> None:
    page = tab.open("/series")
    page.get_by_role("main").get_by_role("link", name="revenue").first.click()
    page.wait_for_url(re.compile(served.ids["series"]))
    expect(page.get_by_role("region", name="Chart").get_by_role("img")).to_have_attribute("aria-label", re.compile("4"))
    expect(page.get_by_role("table", name="Points").locator("tbody tr")).to_have_count(4)
    expect(page.get_by_role("table", name="Points").locator("a[href*='/memories/mem_']").first).to_be_visible()


def test_a_document_shows_its_texts_and_runs(tab: Tab, served: Served) -> None:
    page = tab.open("/documents")
    page.get_by_role("main").get_by_role("link", name=re.compile("house")).first.click()
    page.wait_for_url(re.compile("/documents/house"))
    expect(page.get_by_role("main")).to_contain_text("Tom Weber works at Acme")
    expect(page.locator("main a[href*='/runs/rem_']").first).to_be_visible()
    assert tab.troubles == []
