"""The page of one memory: its words and what rests on them, the runs that made it, forgetting and its undoing."""

from __future__ import annotations

import re

from mindlog.records import EncodeRequest
from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect


def test_a_memory_is_traced_to_the_run_that_made_it_and_back(tab: Tab, served: Served) -> None:
    page = tab.open(f"/memories/{served.ids['memory']}")
    page.locator("main a[href*='/runs/enc_']").first.click()
    page.wait_for_url(re.compile("/runs/enc_"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("enc_")
    page.get_by_role("main").get_by_role("link", name=re.compile(served.ids["memory"])).first.click()
    page.wait_for_url(re.compile(f"/memories/{served.ids['memory']}"))
    assert tab.troubles == []


def test_the_words_a_statement_rests_on_are_marked_in_the_text(tab: Tab, served: Served) -> None:
    page = tab.open(f"/memories/{served.ids['memory']}")
    marked = " ".join(page.locator("main a.evidence").all_inner_texts())
    assert "allergic to walnuts" in marked
    expect(page.get_by_role("main")).to_contain_text("Mara Voss is allergic to walnuts")


def test_the_revisions_of_a_memory_are_shown_with_what_they_said(tab: Tab, served: Served) -> None:
    page = tab.open(f"/memories/{served.ids['edited']}")
    for words in ("drawer three", "drawer four"):
        expect(page.get_by_role("main")).to_contain_text(words)


def test_forgetting_asks_first_and_can_be_undone(tab: Tab, served: Served) -> None:
    memory = str(served.do(served.engine.encode(EncodeRequest(text="To be forgotten.", wait="derived"))).memory_id)
    page = tab.open(f"/memories/{memory}")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("main")).to_contain_text("To be forgotten.")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(page.get_by_role("main")).to_contain_text("This memory is forgotten")
    page.get_by_role("button", name="Undo the forgetting").click()
    expect(page.get_by_role("main")).to_contain_text("To be forgotten.")
    assert [each for each in tab.troubles if "404" not in each] == []
