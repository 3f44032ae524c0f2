"""Listing: every memory once, newest first, page by page, whatever is written meanwhile."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.cursor import listing_tag, read_cursor, write_cursor
from mindlog.engine import Engine
from mindlog.errors import DatasetNotFound, InvalidCursor, InvalidInput
from mindlog.filters import Filters, parse_filters
from tests.engine.made import everything, keep, keep_all


async def test_pages_hold_everything_once_in_order_while_others_write(engine: Engine) -> None:
    before = await keep_all(engine, [f"before {n}" for n in range(1500)], dataset="d")
    paging, seen = True, list[str]()

    async def write() -> int:
        number = 0
        while paging:
            await keep(engine, f"meanwhile {number}", dataset="d")
            number += 1
        return number

    writer = asyncio.create_task(write())
    cursor, sizes = None, list[int]()
    while True:
        page = await engine.list_memories("d", limit=97, cursor=cursor)
        seen += [str(memory.id) for memory in page.data]
        sizes.append(len(page.data))
        assert page.has_more is (page.next_cursor is not None)
        if (cursor := page.next_cursor) is None:
            break
    paging = False
    assert await writer > 0
    assert len(seen) == len(set(seen))
    assert seen == sorted(seen, reverse=True)
    assert set(before) <= set(seen)
    assert set(sizes[:-1]) == {97}


async def test_the_last_page_says_so_even_if_it_is_full(engine: Engine) -> None:
    await keep_all(engine, [f"m {n}" for n in range(6)])
    page = await engine.list_memories(limit=3)
    last = await engine.list_memories(limit=3, cursor=page.next_cursor)
    assert (len(last.data), last.has_more) == (3, False)


async def test_a_page_may_have_another_size_than_the_one_before(engine: Engine) -> None:
    await keep_all(engine, [f"m {n}" for n in range(10)])
    cursor = (await engine.list_memories(limit=4)).next_cursor
    assert [m.text for m in (await engine.list_memories(limit=100, cursor=cursor)).data] == [
        f"m {n}" for n in range(5, -1, -1)
    ]


async def test_a_filter_holds_on_every_page(engine: Engine) -> None:
    dice = random.Random(5)
    wanted = set()
    for n in range(200):
        colour = dice.choice(["red", "green", "blue"])
        memory_id = await keep(engine, f"m {n}", metadata={"colour": colour})
        if colour == "red":
            wanted.add(memory_id)
    filters, seen, cursor = parse_filters({"metadata": {"colour": "red"}}), list[str](), None
    while True:
        page = await engine.list_memories(filters=filters, limit=7, cursor=cursor)
        seen += [str(memory.id) for memory in page.data]
        if (cursor := page.next_cursor) is None:
            break
    assert sorted(seen) == sorted(wanted)


async def test_a_cursor_fits_only_the_listing_it_was_made_for(engine: Engine) -> None:
    for dataset in ("a", "b"):
        await keep_all(engine, [f"m {n}" for n in range(3)], dataset=dataset, session="s")
    cursor = (await engine.list_memories("a", limit=1)).next_cursor
    assert cursor is not None
    for dataset, filters in (("b", None), ("a", Filters(session=("s",)))):
        with pytest.raises(InvalidCursor):
            await engine.list_memories(dataset, filters=filters, limit=1, cursor=cursor)


BAD = ["", "x", "!!!!", "\ud800", "é", 5, b"abc", "MmZkMTNkYTM4MTZiLjEz", "a" * 10_000]


@pytest.mark.parametrize("cursor", BAD, ids=[ascii(str(bad))[:20] for bad in BAD])
async def test_what_is_no_cursor_is_refused(engine: Engine, cursor: Any) -> None:
    await keep(engine, "x")
    with pytest.raises(InvalidCursor) as refusal:
        await engine.list_memories(cursor=cursor)
    assert refusal.value.field == "cursor"


@given(st.text(max_size=40))
def test_only_the_exact_text_of_a_cursor_is_accepted(text: str) -> None:
    tag = listing_tag(1, Filters())
    try:
        position = read_cursor(text, tag)
    except InvalidCursor:
        return
    assert write_cursor(tag, position) == text


@given(st.integers(0, 2**48), st.integers(0, 30), st.sampled_from(["", "!", " ", "=", "A"]))
def test_a_cursor_comes_back_and_a_changed_one_does_not(position: int, at: int, added: str) -> None:
    tag = listing_tag("d", Filters())
    cursor = write_cursor(tag, position)
    assert read_cursor(cursor, tag) == position
    changed = cursor[:at] + added + cursor[at:]
    if changed != cursor:
        with pytest.raises(InvalidCursor):
            read_cursor(changed, tag)


@pytest.mark.parametrize("limit", [0, -1, 10_001, 2.5, "5", None])
async def test_a_limit_out_of_range_is_refused(engine: Engine, limit: Any) -> None:
    await keep(engine, "x")
    with pytest.raises(InvalidInput) as refusal:
        await engine.list_memories(limit=limit)
    assert (refusal.value.field, refusal.value.extra["limit"]) == ("limit", 10_000)


async def test_an_unknown_dataset_is_not_found_and_not_made(engine: Engine) -> None:
    with pytest.raises(DatasetNotFound):
        await engine.list_memories("nowhere")
    with pytest.raises(InvalidInput):
        await engine.list_memories("no where")
    assert "nowhere" not in {dataset.name for dataset in await engine.datasets()}
    await engine.put_dataset("empty")
    assert await everything(engine, "empty") == []


@pytest.mark.parametrize("at", [10**30, -(10**30), 253_402_300_800_000_000, 1.5, True])
def test_an_instant_that_no_memory_can_have_is_refused_in_filters(at: Any) -> None:
    for name in ("after", "before"):
        with pytest.raises(InvalidInput) as refusal:
            parse_filters({name: at})
        assert refusal.value.field == f"filters.{name}"
        with pytest.raises(InvalidInput):
            Filters(**{name: at})
