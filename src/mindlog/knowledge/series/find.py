"""find_series: the series a text holds, in its tables, its lists of dated readings and its sentences. Needs no model."""

from __future__ import annotations

import re
from datetime import UTC, tzinfo

from mindlog.knowledge.extraction import Span
from mindlog.knowledge.series.collect import Reading, gather
from mindlog.knowledge.series.found import Found
from mindlog.knowledge.series.grid import grids, lines_of
from mindlog.knowledge.series.lists import read_lists
from mindlog.knowledge.series.page import Page
from mindlog.knowledge.series.prose import read_prose
from mindlog.knowledge.series.tables import read_table

__all__ = ["find_series"]

_DIGIT = re.compile(r"\d")


def find_series(
    text: str, occurred_at: int, title: str | None = None, heading: str | None = None, zone: tzinfo = UTC
) -> Found:
    """Return the series of a text, each point with the characters it rests on, and a count of what was left out.

    `occurred_at`: when it was written, microseconds UTC, what "last month" and a Q1 without a year count from. `title`,
    `heading`: of the document and of the section, which may name what is measured, whose it is and its year. `zone`: the
    one its days are meant in. Accepts any string; linear in its length.
    """
    found = Found()
    if not _DIGIT.search(text):
        return found
    gather(_readings(Page(text, occurred_at, title, heading, zone), found), found)
    return found


def _readings(page: Page, found: Found) -> list[Reading]:
    lines = lines_of(page.text)
    readings, taken = list[Reading](), list[Span]()
    for grid in grids(lines):
        inside = Found()
        of_table = read_table(page, grid, inside)
        some = list(of_table or ())
        # Lines with a comma each look like a table; they are one if its cells are numbers.
        if some or (of_table is not None and grid.is_ruled):
            readings += some
            taken.append(grid.span)
            found.add(inside)
    for span, some in list(read_lists(page, lines, taken, found)):
        readings += some
        taken.append(span)
    page.take(taken)
    readings += read_prose(page, found)
    return sorted(readings, key=lambda reading: reading.start)
