"""What did not go straight: contradictions, revised points, a merge and its undoing in the engine, what is forgotten."""

from __future__ import annotations

import re

from mindlog.views import EntityRequest
from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect


def test_statements_that_contradict_each_other_are_both_shown_and_said_to(tab: Tab, served: Served) -> None:
    page = tab.open(f"/entities/{served.ids['torn']}?status=contradicted")
    rows = page.get_by_role("table", name="Statements").locator("tbody tr")
    expect(rows).to_have_count(2)
    for town in ("Oslo", "Rome"):
        expect(rows.filter(has_text=town)).to_contain_text("contradicted")


def test_a_point_that_was_revised_shows_what_it_was(tab: Tab, served: Served) -> None:
    page = tab.open(f"/series/{served.ids['revised']}?dataset=ledger")
    expect(page.get_by_role("heading", level=1)).to_have_text("revenue")
    rows = page.get_by_role("table", name="Points").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("3,300,000")
    expect(rows.nth(0)).to_contain_text("3,100,000")


def test_two_entities_are_one_once_a_proposal_is_accepted_and_two_again_once_undone(tab: Tab, served: Served) -> None:
    def named(name: str) -> list[str]:
        found = served.do(served.engine.knowledge.entities(EntityRequest(limit=500))).data
        return [each.name for each in found if name in each.name]

    before = len(named("Okoro"))
    assert before >= 2
    page = tab.open("/proposals")
    page.get_by_role("button", name=re.compile("Accept: .*Okoro")).click()
    page.get_by_role("dialog").get_by_role("button", name="Accept", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("Accept: .*Okoro"))).to_have_count(0)
    assert len(named("Okoro")) == before - 1
    tab.open("/proposals?status=accepted")
    page.get_by_role("button", name=re.compile("Undo: .*Okoro")).click()
    page.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("Undo: .*Okoro"))).to_have_count(0)
    assert len(named("Okoro")) == before
    assert tab.troubles == []


def test_a_forgotten_memory_is_shown_nowhere(tab: Tab, served: Served) -> None:
    page = tab.open(f"/memories/{served.ids['forgotten']}")
    expect(page.get_by_role("main")).to_contain_text("There is no such memory, or it is forgotten")
    for path in (
        "/recall?dataset=ledger&cue=combination+of+the+safe",
        "/runs?dataset=ledger",
        "/documents?dataset=ledger",
    ):
        page = tab.open(path)
        expect(page.get_by_role("main")).not_to_contain_text("7-4-1")
