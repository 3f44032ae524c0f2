"""The recall playground and the query view: what is found and why, what is answered and what it rests on."""

from __future__ import annotations

import re

from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect


def test_a_cue_is_in_the_address_and_its_hits_show_rank_and_score_of_each_lane(tab: Tab) -> None:
    page = tab.open("/recall")
    page.get_by_label("Cue").fill("allergic to walnuts")
    page.get_by_label("Cue").press("Enter")
    page.wait_for_url(re.compile(r"cue=allergic(\+|%20)to(\+|%20)walnuts"))
    hits = page.locator("main li, main article").filter(has_text="walnuts")
    expect(hits.first).to_contain_text("lexical")
    expect(hits.first.locator(".bar").first).to_be_visible()
    page.reload()
    expect(page.locator("main li, main article").filter(has_text="walnuts").first).to_be_visible()
    assert tab.troubles == []


def test_a_filter_drops_memories_and_the_page_says_how_many(tab: Tab) -> None:
    page = tab.open("/recall?cue=lamp&agent=nobody")
    expect(page.get_by_role("main")).to_contain_text(
        re.compile(r"None of the \d+ memories of the dataset passes the filters")
    )
    expect(page.get_by_role("main")).to_contain_text("Dropped by agent")
    page = tab.open("/recall?cue=sailing&agent=Archive")
    expect(page.get_by_role("main")).to_contain_text("likes sailing")


def test_why_a_memory_is_not_a_hit_is_said_in_words(tab: Tab, served: Served) -> None:
    page = tab.open("/recall?cue=Where+do+the+tide+tables+lie%3F&limit=1")
    page.get_by_label(re.compile("Memory ids?")).fill(served.ids["memory"])
    page.get_by_role("button", name="Explain").click()
    page.wait_for_url(re.compile("explain="))
    expect(page.get_by_role("main")).to_contain_text(served.ids["memory"])
    expect(page.get_by_role("main")).to_contain_text(re.compile("rank|candidate|below|beyond|cut", re.IGNORECASE))
    assert tab.troubles == []


def test_an_answer_leads_to_the_memories_it_rests_on_and_to_its_run(tab: Tab) -> None:
    page = tab.open("/query")
    page.get_by_role("textbox", name="Question").fill("Where does Tom Weber work?")
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.get_by_role("region", name=re.compile("Answer"))
    expect(answer).to_contain_text("[1]")
    expect(page.locator("main a[href*='/runs/qry_']").first).to_be_visible()
    page.locator("main a[href*='/memories/mem_']").first.click()
    page.wait_for_url(re.compile("/memories/mem_"))
    expect(page.get_by_role("main")).to_contain_text("Tom Weber")
    assert tab.troubles == []


def test_the_cue_can_be_asked_as_a_question_beside_its_hits(tab: Tab) -> None:
    page = tab.open("/recall?cue=Where+does+Tom+Weber+work%3F")
    page.get_by_role("button", name=re.compile("Ask it as a question")).click()
    expect(page.get_by_role("main")).to_contain_text("[1]")
    expect(page.get_by_role("main")).to_contain_text(re.compile("cited", re.IGNORECASE))
    assert tab.troubles == []


def test_a_value_that_is_refused_is_told_beside_its_field(tab: Tab) -> None:
    page = tab.open("/recall?cue=x&metadata=%7Bnot+json")
    expect(page.get_by_role("main")).to_contain_text(re.compile("metadata", re.IGNORECASE))
    expect(page.get_by_role("alert").first).to_be_visible()
