"""Where the focus is: seen, kept in a dialog, and given back."""

from __future__ import annotations

import pytest

from tests.ui.conftest import Served, Tab
from tests.ui.test_runs import expect
from tests.ui.views import VIEWS

# The browser draws a ring of its own around the parts of a field for a time.
FOCUSED = """(() => {
  const e = document.activeElement, s = getComputedStyle(e);
  const seen = s.outlineStyle !== 'none' || s.boxShadow !== 'none' || e.type === 'datetime-local';
  return [e.outerHTML.slice(0, 120), e === document.body || seen];
})()"""
INSIDE = "document.activeElement === document.body || document.activeElement.closest('dialog, [role=dialog]') !== null"


def test_the_focus_stays_in_a_dialog_and_goes_back_to_what_opened_it(tab: Tab, served: Served) -> None:
    page = tab.open(f"/memories/{served.ids['memory']}")
    opener = page.get_by_role("button", name="Forget")
    opener.focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate(INSIDE)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(opener).to_be_focused()


@pytest.mark.parametrize("name", ["overview", "runs", "run", "memory", "recall", "settings", "proposals"])
def test_what_the_tab_key_reaches_is_seen_and_named(name: str, tab: Tab, served: Served) -> None:
    page = tab.open(VIEWS[name].format(**served.ids))
    for _ in range(30):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        assert found[1], found[0]
