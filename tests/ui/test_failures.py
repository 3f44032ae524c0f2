"""What a page shows when the server does not answer, refuses, has lost the thing, or sends very much."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect
from tests.ui.views import VIEWS


def hard(tab: Tab) -> list[str]:
    """The troubles that no refused call explains."""
    return [each for each in tab.troubles if each.startswith(("error", "dialog", "CSP"))]


def problem(status: int, code: str, detail: str) -> Any:
    body = json.dumps({"status": status, "code": code, "title": code, "detail": detail, "request_id": "req_1"})
    return lambda route: route.fulfill(status=status, content_type="application/problem+json", body=body)


API = re.compile(r"/v1/|/readyz|/metrics")


@pytest.mark.parametrize("name", VIEWS)
def test_a_server_that_cannot_be_reached_is_said_on_every_view(name: str, tab: Tab, served: Served) -> None:
    tab.page.route(API, lambda route: route.abort())
    page = tab.open(VIEWS[name].format(**served.ids))
    if name == "query":  # an address alone asks nothing
        page.get_by_role("button", name="Ask", exact=True).click()
    if name == "recall" or name == "query":
        tab.settle()
    expect(page.get_by_role("main")).to_contain_text(re.compile("cannot be reached|does not answer"))
    assert hard(tab) == []


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (401, "unauthorized", "A valid API key is needed"),
        (403, "forbidden", "This key may not do that"),
        (404, "not_found", "This is not here"),
        (500, "internal_error", "That did not work"),
        (503, "busy", "The server is busy"),
    ],
)
def test_a_refusal_is_told_in_words_with_its_request(
    status: int, code: str, said: str, tab: Tab, served: Served
) -> None:
    tab.page.route(re.compile("/v1/admin/api/remember-runs/"), problem(status, code, "no such luck"))
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    alert = page.get_by_role("alert").first
    for words in (said, "no such luck", "req_1"):
        expect(alert).to_contain_text(words)
    assert hard(tab) == []


def test_a_view_that_failed_is_whole_once_the_server_is_back(tab: Tab, served: Served) -> None:
    tab.page.route(API, lambda route: route.abort())
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    page.unroute(API)
    page.get_by_role("button", name="Try again").first.click()
    expect(page.get_by_role("region", name="Stages")).to_contain_text("extract_graph")


@pytest.mark.parametrize(
    "path", ["/runs/rem_0000000009999", "/runs/nonsense", "/documents/nothing", "/memories/mem_x", "/entities/ent_x", "/series/ser_x", "/nowhere"]
)  # fmt: skip
def test_what_is_not_there_is_said_and_the_way_back_stays(path: str, tab: Tab) -> None:
    page = tab.open(path)
    expect(page.get_by_role("main")).to_contain_text(
        re.compile("not here|not found|no such|no view|no id|is not a", re.IGNORECASE)
    )
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Runs").click()
    page.wait_for_url(re.compile("/admin/runs"))
    assert hard(tab) == []


def test_a_run_that_vanishes_while_it_is_followed_is_said_to_be_gone(tab: Tab, served: Served) -> None:
    path = f"/v1/admin/api/remember-runs/{served.ids['remember_run']}"
    run = tab.page.request.get(f"{served.url}{path}").json() | {
        "state": "running",
        "status": "started",
        "finished_at": None,
    }
    answers = iter([lambda route: route.fulfill(json=run)])
    gone = problem(404, "run_not_found", "there is no such run")
    tab.page.route(re.compile(f"{path}($|\\?)"), lambda route: next(answers, gone)(route))
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    expect(page.get_by_role("main")).to_contain_text(re.compile("not here|no such run|gone"), timeout=20_000)
    assert hard(tab) == []


def test_an_output_of_a_megabyte_is_shown_in_parts(tab: Tab, served: Served) -> None:
    large = {"outputs": {"chunk_text": {"text": "lamp " * 200_000, "list": [{"n": n} for n in range(20_000)]}}}
    tab.page.route(re.compile("/outputs$"), lambda route: route.fulfill(json=large))
    page = tab.open(f"/runs/{served.ids['remember_run']}")
    page.get_by_role("button", name="Show outputs").click()
    outputs = page.get_by_role("region", name="Outputs")
    outputs.get_by_role("button", name=re.compile("chunk_text")).click()
    expect(outputs).to_contain_text(re.compile("show all 1,?000,?000 characters"))
    outputs.get_by_role("button", name=re.compile("list of 20000")).click()
    expect(outputs).to_contain_text("show more of 19")
    assert page.evaluate("document.querySelectorAll('main *').length") < 5_000
    assert tab.overflow() <= 0
    assert tab.troubles == []


def test_a_view_whose_script_does_not_come_can_be_tried_again(tab: Tab) -> None:
    tab.open("/")
    tab.page.route(re.compile("assets/documents.js"), lambda route: route.abort())
    tab.page.get_by_role("navigation", name="Views").get_by_role("link", name="Documents").click()
    expect(tab.page.get_by_role("main")).to_contain_text("This view could not be loaded")
    tab.page.unroute(re.compile("assets/documents.js"))
    tab.page.get_by_role("button", name="Try again").click()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Documents")
