"""The list of runs is that of the API, filter by filter, and stays as it is while it is paused."""

from __future__ import annotations

import pytest

from mindlog.records import EncodeRequest
from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect, ids

ROWS = "main table.runs tbody tr"
LOGS = {"encode": "encode-runs", "remember": "remember-runs", "query": "query-runs"}


@pytest.mark.parametrize(
    ("operation", "address", "asked"),
    [
        ("encode", "dataset=ledger", "dataset=ledger"),
        ("encode", "memory_id={memory}", "memory_id={memory}"),
        ("encode", "stage_status=failed", "stage_status=failed"),
        ("encode", "text=cello", "text=cello"),
        ("remember", "document_id=house", "document_id=house"),
        ("remember", "stage=resolve_geo&stage_status=failed", "stage=resolve_geo&stage_status=failed"),
        ("remember", "stage_status=skipped", "stage_status=skipped"),
        ("query", "session=s", "session=s"),
        ("query", "status=failed", "state=failed"),
        ("query", "text=Weber", "text=Weber"),
        ("query", "before=2000-01-01T00:00:00Z", "created_to=2000-01-01T00:00:00Z"),
    ],
)
def test_the_runs_of_an_address_are_those_of_the_api(
    operation: str, address: str, asked: str, tab: Tab, served: Served
) -> None:
    page = tab.open(f"/runs?operation={operation}&{address.format(**served.ids)}")
    got = page.request.get(f"/v1/admin/api/{LOGS[operation]}?limit=50&{asked.format(**served.ids)}").json()
    everything = page.request.get(f"/v1/admin/api/{LOGS[operation]}?limit=500").json()
    expect(page.locator(ROWS)).to_have_count(len(got["data"]))
    assert ids(page) == [each["run_id"] for each in got["data"]]
    assert len(got["data"]) < len(everything["data"])
    assert tab.troubles == []


def test_clearing_the_filters_shows_all_again_and_keeps_the_log(tab: Tab) -> None:
    page = tab.open("/runs?operation=query&status=failed&text=embed")
    few = len(ids(page))
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(ROWS)).not_to_have_count(few)
    assert "status" not in page.url
    assert "text" not in page.url
    assert "operation=query" in page.url


def test_a_paused_list_stays_as_it_is_until_it_goes_on(tab: Tab, served: Served) -> None:
    page = tab.open("/runs")
    watching = tab.context.new_page()
    watching.goto("/admin/runs")
    for each in (page, watching):
        expect(each.locator(".live")).to_have_attribute("data-state", "open")
    page.get_by_role("button", name="Pause").click()
    held = ids(page)
    ack = served.do(served.engine.encode(EncodeRequest(text="Not to be seen yet.", wait="derived")))
    run = served.do(served.engine.inspect(str(ack.memory_id))).runs[0].run_id
    expect(watching.get_by_role("link", name=run)).to_be_visible()  # as long as a list that is not paused takes
    assert ids(page) == held
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("link", name=run)).to_be_visible()


def test_a_quarantined_run_is_counted_listed_and_says_why(tab: Tab, served: Served) -> None:
    page = tab.open("/runs?operation=remember&status=quarantined")
    expect(page.locator(ROWS)).to_have_count(1)
    page.locator(f"{ROWS} a").first.click()
    expect(page.get_by_role("main")).to_contain_text("EmbedderFailed")
    expect(page.get_by_role("button", name="Retry")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel run")).to_have_count(0)
