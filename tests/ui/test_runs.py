"""The list of runs: filters in the address, live, from the overview to an error, by the keyboard."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mindlog.records import EncodeRequest
from tests.ui.conftest import Served, Tab


def expect(of: Any) -> Any:
    from playwright.sync_api import expect as playwrights

    return playwrights(of)


def ids(page: Any) -> list[str]:
    """The ids of the runs that are listed."""
    return page.locator("main table.runs tbody th code").all_inner_texts()


def narrow(page: Any, control: str, value: str) -> None:
    if control in ("State", "Stage", "Stage status"):
        page.get_by_role("combobox", name=control, exact=True).select_option(value)
    else:
        page.get_by_label(control, exact=True).fill(value)
        page.get_by_label(control, exact=True).press("Enter")


@pytest.mark.parametrize(
    ("operation", "control", "value", "address"),
    [
        ("remember", "Stage", "extract_graph", r"stage=extract_graph&stage_status=failed|stage_status=failed&stage=extract_graph"),
        ("query", "State", "failed", r"status=failed"),
        ("query", "Text", "Tom Weber", r"text=Tom(\+|%20)Weber"),
        ("remember", "Text", "house", r"text=house"),
        ("encode", "From", "2999-01-01T00:00", r"after=2999"),
    ],
)  # fmt: skip
def test_a_filter_is_in_the_address_narrows_survives_a_reload_and_is_left_by_going_back(
    operation: str, control: str, value: str, address: str, tab: Tab
) -> None:
    page = tab.open(f"/runs?operation={operation}")
    expect(page.locator("main table.runs tbody tr")).not_to_have_count(0)
    whole = ids(page)
    narrow(page, control, value)
    page.wait_for_url(re.compile(address))
    expect(page.locator("main table.runs tbody tr")).not_to_have_count(len(whole))
    narrowed = ids(tab.settle())
    assert set(narrowed) < set(whole)
    assert (narrowed == []) == (control == "From")
    page.reload()
    assert ids(tab.settle()) == narrowed
    page.go_back()
    expect(page.locator("main table.runs tbody tr")).to_have_count(len(whole))
    assert tab.troubles == []


def test_a_tile_counts_a_state_and_filters_by_it(tab: Tab) -> None:
    page = tab.open("/runs?operation=query")
    tile = page.get_by_role("region", name="Runs by state").get_by_role("button", name=re.compile("failed"))
    count = int(tile.locator(".count").inner_text())
    assert count >= 1
    tile.click()
    page.wait_for_url(re.compile("status=failed"))
    expect(page.locator("main table.runs tbody tr")).to_have_count(count)
    expect(tile).to_have_attribute("aria-pressed", "true")


def test_the_picked_dataset_is_in_the_address_and_shows_its_runs_alone(tab: Tab) -> None:
    page = tab.open("/runs?operation=remember")
    page.get_by_role("combobox", name="Dataset").select_option("hostile")
    page.wait_for_url(re.compile("dataset=hostile"))
    names = page.locator("main table.runs tbody td:first-of-type")
    expect(names.first).to_have_text("hostile")
    assert set(names.all_inner_texts()) == {"hostile"}


def test_more_runs_are_loaded_when_they_are_asked_for(tab: Tab) -> None:
    page = tab.open("/runs")
    rows = page.locator("main table.runs tbody tr")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Load more").click()
    expect(rows).not_to_have_count(50)
    shown = ids(page)
    assert len(shown) == len(set(shown)) > 50


def test_a_failed_stage_is_found_in_three_clicks_from_the_overview(tab: Tab, served: Served) -> None:
    page = tab.open("/")
    page.get_by_role("main").get_by_role("link", name="remember runs with a failed stage").click()  # one
    page.get_by_role("link", name=served.ids["remember_run"]).click()  # two
    failed = page.get_by_role("row").filter(has_text="extract_graph")
    expect(failed).to_contain_text(
        "LlmRefused: the model declined: I cannot help with that.".replace("that", "the vault")
    )
    failed.get_by_role("button").first.click()  # three: what the model was told and said
    expect(page.get_by_role("dialog")).to_contain_text("extract_graph")
    assert tab.troubles == []


def test_a_new_run_appears_by_itself_unless_the_reader_has_paused(tab: Tab, served: Served) -> None:
    page = tab.open("/runs")
    expect(page.locator(".live")).to_have_attribute("data-state", "open")
    first = served.do(served.engine.encode(EncodeRequest(text="The list is live.", wait="derived")))
    run = served.do(served.engine.inspect(str(first.memory_id))).runs[0].run_id
    expect(page.get_by_role("link", name=run)).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".live")).to_have_attribute("data-state", "paused")
    second = served.do(served.engine.encode(EncodeRequest(text="The list is paused.", wait="derived")))
    later = served.do(served.engine.inspect(str(second.memory_id))).runs[0].run_id
    page.get_by_role("button", name=re.compile("Resume|Go on")).click()
    expect(page.get_by_role("link", name=later)).to_be_visible()


def test_the_keys_go_through_the_rows_open_one_and_find_the_search_and_the_help(tab: Tab) -> None:
    page = tab.open("/runs?operation=query")
    first, second = page.locator("main table.runs tbody a").all()[:2]
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(second).to_be_focused()
    page.keyboard.press("k")
    expect(first).to_be_focused()
    assert first.evaluate("(link) => getComputedStyle(link).outlineStyle") != "none"
    page.keyboard.press("/")
    expect(page.get_by_label("Text", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next row")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/qry_"))
