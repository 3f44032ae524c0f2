"""The page of one run: its stages in the server's words, what they made and asked, and what can be done about it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from mindlog.views import RememberRequest
from tests.ui.conftest import Served, Tab
from tests.ui.made import HELD
from tests.ui.test_runs import expect


def api(tab: Tab, path: str) -> Any:
    return tab.page.request.get(path).json()


def test_every_stage_is_there_with_what_the_server_says_it_does(tab: Tab, served: Served) -> None:
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    run = api(tab, f"/v1/admin/api/remember-runs/{served.ids['remember_run']}")
    table = page.get_by_role("region", name="Stages")
    assert len(run["stages"]) == 12
    for stage in run["stages"]:
        row = table.get_by_role("row").filter(
            has=page.locator("summary", has_text=re.compile(rf"^{stage['name']}\b(?!_)"))
        )
        expect(row).to_contain_text(stage["status"].replace("_", " "))
        row.locator("summary").click()
        expect(row).to_contain_text(stage["does"])
        expect(page.locator(".timeline")).to_contain_text(stage["name"])


def test_an_advisory_failure_a_skip_and_a_success_look_different_without_colour(tab: Tab, served: Served) -> None:
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    for kind in ("advisory", "skipped", "succeeded"):
        expect(page.locator(f".timeline .span.{kind}").first).to_be_visible()
    assert page.locator(".timeline .span.skipped").first.evaluate("(e) => getComputedStyle(e).borderStyle") == "solid"
    expect(page.get_by_role("row").filter(has_text="resolve_geo")).to_contain_text("advisory")
    expect(page.locator(".flag").first).to_contain_text("failed stage")


def test_outputs_are_asked_for_when_somebody_wants_to_see_them(tab: Tab, served: Served) -> None:
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url))
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    assert not [url for url in asked if url.endswith("/outputs")]
    page.get_by_role("button", name="Show outputs").click()
    outputs = page.get_by_role("region", name="Outputs")
    outputs.get_by_role("button", name=re.compile("chunk_text")).click()
    expect(outputs).to_contain_text("chunks")
    assert [url for url in asked if url.endswith("/outputs")]


def test_a_model_call_is_shown_with_what_was_said_and_what_it_took(tab: Tab, served: Served) -> None:
    page = tab.open(f"/runs/{served.ids['query_run']}")
    page.get_by_role("button", name=re.compile("model call")).first.click()
    drawer = page.get_by_role("dialog")
    drawer.get_by_role("button", name=re.compile("Show all")).first.click()
    for words in ("Model", "Tokens", "Latency", "Attempt", "Prompt", "Where does Tom Weber work?", "Output"):
        expect(drawer).to_contain_text(words)
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)


def test_a_query_shows_its_question_and_session_and_a_document_its_name(tab: Tab, served: Served) -> None:
    page = tab.open(f"/runs/{served.ids['query_run']}")
    expect(page.get_by_role("main")).to_contain_text("Where does Tom Weber work?")
    expect(page.get_by_role("region", name="Facts")).to_contain_text("Session")
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    expect(page.get_by_role("region", name="Facts").get_by_role("link", name=re.compile("house"))).to_be_visible()


def test_the_ways_beside_a_run_keep_to_the_filter(tab: Tab) -> None:
    page = tab.open("/runs?operation=remember&dataset=hostile")
    listed = page.locator("main table.runs tbody th code").all_inner_texts()
    page.get_by_role("link", name=listed[0]).click()
    others = page.get_by_role("navigation", name="Other runs")
    for expected in listed[1:]:
        others.get_by_role("link", name=re.compile("Older")).click()
        page.wait_for_url(re.compile(expected))
        expect(page.get_by_role("heading", level=1)).to_contain_text(expected)
    expect(others.get_by_role("link", name=re.compile("Older"))).to_have_count(0)
    others.get_by_role("link", name=re.compile("All runs|Back")).click()
    page.wait_for_url(re.compile("dataset=hostile"))


def test_the_json_of_a_run_is_one_click_away(tab: Tab, served: Served) -> None:
    page = tab.open(f"/runs/{served.ids['query_run']}")
    with tab.context.expect_page() as opened:
        page.get_by_role("link", name="JSON").first.click()
    opened.value.wait_for_url(re.compile("^blob:"))
    assert json.loads(opened.value.locator("pre").inner_text())["run_id"] == served.ids["query_run"]


@pytest.fixture
def held(served: Served) -> Any:
    """A run that waits for its model until the test is over."""
    served.full.gate.clear()
    request = RememberRequest(text=f"Anna climbed {HELD} in 2024.", name="held.md")
    yield served.do(served.engine.remember(request)).remember_run_id
    served.full.gate.set()
    assert served.do(served.engine.settled(60))


def test_a_run_under_way_is_followed_can_be_cancelled_and_started_again(tab: Tab, served: Served, held: str) -> None:
    page = tab.open(f"/runs/{held}")
    expect(page.get_by_role("row").filter(has=page.locator("summary", has_text="extract_graph"))).to_contain_text(
        "started"
    )
    page.get_by_role("button", name="Cancel run").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
    expect(page.locator("header .status").last).to_contain_text("cancelled")
    served.full.gate.set()
    page.get_by_role("button", name="Retry").click()
    page.get_by_role("dialog").get_by_role("button", name="Retry").click()
    expect(page.locator("header .status").last).to_contain_text("succeeded", timeout=20_000)
    assert tab.troubles == []
