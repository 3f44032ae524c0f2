"""Lines are read as a person reads them: rows from the top, columns of running text one after the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mindlog.images.readingorder import Box, in_reading_order


def box(left: float, top: float, text: str, *, width: float | None = None, height: float = 20) -> Box:
    right = left + (10 * len(text) if width is None else width)
    return Box(text=text, confidence=1, left=left, top=top, right=right, bottom=top + height)


def test_nothing_found_is_nothing_read():
    assert in_reading_order([]) == []


def test_rows_go_from_the_top_and_from_the_left_however_they_were_found():
    found = [
        box(300, 51, "12.50"),
        box(0, 100, "Total"),
        box(0, 50, "Coffee"),
        box(310, 98, "14.00"),
        box(0, 0, "Café Iruña"),
    ]
    assert in_reading_order(found) == ["Café Iruña", "Coffee 12.50", "Total 14.00"]


def test_boxes_of_one_row_may_stand_a_little_higher_or_lower():
    assert in_reading_order([box(200, 8, "right"), box(0, 0, "left"), box(100, 4, "and")]) == ["left and right"]
    assert in_reading_order([box(0, 0, "one"), box(0, 12, "two")]) == ["one", "two"]


def column(left: float, name: str, lines: int) -> list[Box]:
    return [box(left, 30 * at, f"{name} column with its line {at}") for at in range(lines)]


def test_two_columns_of_running_text_are_read_one_after_the_other():
    left, right = column(0, "first", 5), column(400, "second", 4)
    mixed = sorted([*left, *right], key=lambda each: (each.top, each.left))
    assert in_reading_order(mixed) == [each.text for each in (*left, *right)]


def test_a_heading_across_the_page_keeps_columns_together_row_by_row():
    heading = box(0, 0, "A heading that goes across both of the columns here", width=700)
    found = in_reading_order([heading, box(0, 30, "left"), box(400, 30, "right")])
    assert found == [heading.text, "left right"]


def test_a_short_right_column_is_read_across():
    names = [box(0, 30 * at, f"A long description of item {at}") for at in range(4)]
    prices = [box(600, 30 * at, f"{at}.50") for at in range(4)]
    assert in_reading_order([*prices, *names]) == [f"A long description of item {at} {at}.50" for at in range(4)]


boxes = st.builds(
    box, st.floats(0, 2000), st.floats(0, 2000), st.text("abc ", min_size=1, max_size=40), height=st.floats(1, 90)
)


@given(st.lists(boxes, max_size=40))
def test_every_word_is_read_once_and_the_order_found_in_does_not_matter(found):
    read = in_reading_order(found)
    assert sorted("".join(read).replace(" ", "")) == sorted("".join(each.text for each in found).replace(" ", ""))
    assert len(read) <= len(found)
