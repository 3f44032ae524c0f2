"""The event stream: every entry once, in order, from wherever one begins; slow readers cost nothing and are told where to resume."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import mindlog.store
from mindlog.access import LOCAL, Caller
from mindlog.errors import Busy, DatasetNotFound, InvalidInput, LsnGone, StoreFull
from mindlog.records import MemoryKind, Scope
from mindlog.runs.events import EventHub, Lagged, Subscription
from mindlog.runs.eventtypes import EVENT_TYPES
from mindlog.runs.interest import SharedEvent
from mindlog.store.timelines import EVENTS
from mindlog.views import Event, SubscribeRequest
from tests.runs.made import BOUND, House, Stages, house


@asynccontextmanager
async def hub_on(path: Path, *, limit: int = 100, **more: int) -> AsyncGenerator[tuple[House, EventHub]]:
    async with house(path) as home:
        await home.store.put_dataset("default", None)
        hub = EventHub(home.store, limit=limit, **more)
        try:
            yield home, hub
        finally:
            await asyncio.wait_for(hub.aclose(), BOUND)


def listen(hub: EventHub, caller: Caller = LOCAL, **request: Any) -> Subscription:
    return hub.subscribe(SubscribeRequest(**request), caller)


async def take(subscription: Subscription, count: int) -> list[Event]:
    """At least so many events."""
    events: list[Event] = []
    async with asyncio.timeout(BOUND):
        while len(events) < count:
            delivery = await anext(subscription)
            assert not isinstance(delivery, Lagged)
            events += [each.event for each in delivery]
    return events


async def up_to(subscription: Subscription, lsn: int) -> list[Event]:
    """All events up to the LSN, which is one of them."""
    events: list[Event] = []
    async with asyncio.timeout(BOUND):
        while not events or events[-1].lsn < lsn:
            delivery = await anext(subscription)
            assert not isinstance(delivery, Lagged)
            events += [each.event for each in delivery]
    return events


def lsns(events: list[Event]) -> list[int]:
    return [event.lsn for event in events]


async def test_from_now_on_one_hears_what_comes_and_not_what_was(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        await home.keep("before")
        async with listen(hub) as heard:
            (lsn,) = await home.keep("after", session="s", kind=MemoryKind.SEMANTIC)
            (event,) = await take(heard, 1)
        memory = home.store.memories([2])[0]
        assert (event.lsn, event.type, event.dataset, event.session, event.kind) == (
            lsn,
            "memory_encoded",
            "default",
            "s",
            "semantic",
        )
        assert event.memory_id == str(memory.id)
        assert event.at == memory.recorded_at


async def test_from_an_lsn_on_one_hears_everything_once_and_then_what_comes(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        first, *_ = await home.keep(*(f"old {n}" for n in range(50)))
        async with listen(hub, from_lsn=first) as heard:
            replayed = await up_to(heard, home.store.last_lsn)
            assert lsns(replayed) == list(range(first, first + 50))
            (lsn,) = await home.keep("new")
            assert lsns(await up_to(heard, lsn)) == [lsn]


async def test_nothing_is_missed_or_doubled_where_the_replay_meets_the_present(tmp_path: Path) -> None:
    async with hub_on(tmp_path, kept=50) as (home, hub):
        first, *_ = await home.keep(*(f"old {n}" for n in range(2500)))

        async def write() -> None:
            for n in range(300):
                await home.keep(f"new {n}")

        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(write())
            starts = [1, first, first + 1200, home.store.last_lsn, None]
            subscriptions = [listen(hub, from_lsn=start) for start in starts]
            began = [subscription.position for subscription in subscriptions]
            following = [tasks.create_task(_until_written(s, writing, home)) for s in subscriptions]
        for start, events in zip(began, following, strict=True):
            assert lsns(events.result()) == list(range(start, home.store.last_lsn + 1))


async def _until_written(subscription: Subscription, writing: asyncio.Task[None], home: House) -> list[Event]:
    events: list[Event] = []
    while not writing.done() or not events or events[-1].lsn < home.store.last_lsn:
        events += await take(subscription, 1)
    return events


async def test_a_wait_that_is_given_up_loses_nothing(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        first, *_ = await home.keep(*(f"old {n}" for n in range(30)))
        heard = listen(hub, from_lsn=first)
        seen: list[int] = []

        async def write() -> None:
            for n in range(100):
                await home.keep(f"new {n}")

        writing = asyncio.create_task(write())
        async with asyncio.timeout(BOUND):
            while not writing.done() or seen[-1] < home.store.last_lsn:
                try:
                    delivery = await asyncio.wait_for(anext(heard), 0.0005)
                except TimeoutError:
                    continue
                assert not isinstance(delivery, Lagged)
                seen += [each.event.lsn for each in delivery]
        assert seen == list(range(first, home.store.last_lsn + 1))


FILTERS: dict[str, tuple[dict[str, Any], Callable[[Event], bool]]] = {
    "dataset": ({"dataset": "other"}, lambda event: event.dataset == "other"),
    "session": ({"session": "s1"}, lambda event: event.session == "s1"),
    "kind": ({"kind": "semantic"}, lambda event: event.kind == "semantic"),
    "types": (
        {"types": ("run_finished", "memory_forgotten")},
        lambda event: event.type in ("run_finished", "memory_forgotten"),
    ),
    "several": (
        {"session": "s1", "types": ("stage_completed",)},
        lambda event: event.session == "s1" and event.type == "stage_completed",
    ),
}


@pytest.mark.parametrize("name", FILTERS)
async def test_one_hears_exactly_what_one_asked_for_replayed_and_live(tmp_path: Path, name: str) -> None:
    request, wanted = FILTERS[name]
    async with hub_on(tmp_path, kept=20) as (home, hub):
        await home.store.put_dataset("other", None)
        async with listen(hub, from_lsn=1) as everything, listen(hub, from_lsn=1, **request) as live:
            await _some_life(home)
            last = home.store.last_lsn
            heard = await up_to(everything, last)
            expected = [event for event in heard if wanted(event)]
            assert expected
            assert await take(live, len(expected)) == expected
            async with listen(hub, from_lsn=1, **request) as replayed:
                assert await take(replayed, len(expected)) == expected


async def _some_life(home: House) -> None:
    async with home.working(Stages(home.store)):
        for n in range(4):
            runs = await home.keep(f"a {n}", session=f"s{n % 2}", dataset="default")
            runs += await home.keep(f"b {n}", kind=MemoryKind.SEMANTIC, dataset="other")
            await home.ended(*runs)
    await home.store.forget(1, [1])


async def test_one_memory_can_be_followed_through_its_revisions(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        runs = await home.keep("one", "two")
        memory = home.store.memory(home.row(runs[0]).slot)
        assert memory is not None
        async with listen(hub, from_lsn=1, memory_id=str(memory.id)) as heard:
            edited = await home.store.edit(home.bench.edit(memory, "another"))
            assert lsns(await up_to(heard, edited.lsn)) == [runs[0], edited.lsn]


async def test_a_caller_hears_of_its_own_datasets_only_even_of_those_that_come_later(tmp_path: Path) -> None:
    caller = Caller(scopes=frozenset({Scope.READ}), datasets=frozenset({"mine", "later"}))
    async with hub_on(tmp_path) as (home, hub):
        await home.keep("theirs")
        async with listen(hub, caller, from_lsn=1) as heard, listen(hub, from_lsn=1) as all_of_it:
            await home.keep("mine", dataset="mine")
            await home.keep("theirs too")
            (last,) = await home.keep("later", dataset="later")
            seen = await up_to(heard, last)
            assert {event.dataset for event in seen} == {"mine", "later"}
            everything = await up_to(all_of_it, last)
            assert [event for event in everything if event.dataset in ("mine", "later")] == seen
            assert len(everything) > len(seen)


async def test_a_caller_without_any_dataset_yet_hears_nothing_of_others(tmp_path: Path) -> None:
    caller = Caller(scopes=frozenset({Scope.READ}), datasets=frozenset({"none_yet"}))
    async with hub_on(tmp_path) as (home, hub):
        await home.keep("theirs")
        async with listen(hub, caller, from_lsn=1) as heard:
            (lsn,) = await home.keep("first", dataset="none_yet")
            events = await up_to(heard, lsn)
            assert {event.dataset for event in events} == {"none_yet"}


async def test_what_cannot_be_asked_for_is_refused_by_name(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        (last,) = await home.keep("tea")
        refused: list[tuple[dict[str, Any], str]] = [
            ({"types": ("memory_encoded", "memory_exploded")}, "types"),
            ({"kind": "sad"}, "kind"),
            ({"memory_id": "mem_?"}, "memory_id"),
            ({"from_lsn": -1}, "from_lsn"),
            ({"from_lsn": last + 2}, "from_lsn"),
            ({"from_lsn": True}, "from_lsn"),
        ]
        for request, field in refused:
            with pytest.raises(InvalidInput) as caught:
                listen(hub, **request)
            assert caught.value.field == field
        with pytest.raises(InvalidInput, match=r"memory_exploded.*memory_encoded"):
            listen(hub, types=("memory_exploded",))
        with pytest.raises(DatasetNotFound):
            listen(hub, dataset="nowhere")
        assert hub.subscribers == 0
        for start in (0, 1, last, last + 1):
            await listen(hub, from_lsn=start).aclose()


async def test_an_lsn_that_is_gone_names_the_oldest(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        runs = await home.keep(*(f"text {n}" for n in range(10)))
        assert await home.store.prune_log(2**60, runs[4])
        oldest = home.store.oldest_lsn
        with pytest.raises(LsnGone, match=str(oldest)) as caught:
            listen(hub, from_lsn=oldest - 1)
        assert caught.value.extra == {"oldest": oldest}
        async with listen(hub, from_lsn=oldest) as heard:
            assert lsns(await up_to(heard, runs[-1])) == list(range(oldest, runs[-1] + 1))


async def test_a_reader_whose_next_entry_is_pruned_is_told_so_and_not_given_a_gap(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        runs = await home.keep(*(f"text {n}" for n in range(10)))
        heard = listen(hub, from_lsn=1)
        await home.store.prune_log(2**60, runs[4])
        with pytest.raises(LsnGone):
            await asyncio.wait_for(anext(heard), BOUND)
        with pytest.raises(StopAsyncIteration):
            await anext(heard)
        assert hub.subscribers == 0


async def test_a_slow_reader_goes_on_from_the_store(tmp_path: Path) -> None:
    async with hub_on(tmp_path, kept=10) as (home, hub):
        slow, quick = listen(hub), listen(hub)
        start = slow.position
        (lsn,) = await home.keep("first")
        await up_to(slow, lsn)
        for n in range(60):
            (lsn,) = await home.keep(f"text {n}")
            await up_to(quick, lsn)
        assert lsns(await up_to(slow, lsn)) == list(range(start + 1, lsn + 1))


async def test_a_reader_that_falls_too_far_behind_is_told_where_to_resume(tmp_path: Path) -> None:
    async with hub_on(tmp_path, kept=10, lag=30) as (home, hub):
        slow, quick = listen(hub), listen(hub)
        (lsn,) = await home.keep("first")
        await up_to(slow, lsn)
        for n in range(60):
            (last,) = await home.keep(f"text {n}")
            await up_to(quick, last)
        delivery = await asyncio.wait_for(anext(slow), BOUND)
        assert delivery == Lagged(resume_from=lsn + 1)
        with pytest.raises(StopAsyncIteration):
            await anext(slow)
        assert hub.subscribers == 1
        async with listen(hub, from_lsn=lsn + 1) as again:
            assert lsns(await up_to(again, last)) == list(range(lsn + 1, last + 1))


async def test_a_long_replay_is_no_lag(tmp_path: Path) -> None:
    async with hub_on(tmp_path, kept=10, lag=30) as (home, hub):
        await home.keep(*(f"text {n}" for n in range(1500)))
        async with listen(hub, from_lsn=1) as heard:
            assert lsns(await up_to(heard, home.store.last_lsn)) == list(range(1, home.store.last_lsn + 1))


async def test_there_are_no_more_subscribers_than_there_may_be(tmp_path: Path) -> None:
    async with hub_on(tmp_path, limit=2) as (_, hub):
        first = listen(hub)
        second = listen(hub)
        with pytest.raises(Busy):
            listen(hub)
        await first.aclose()
        await first.aclose()
        third = listen(hub)
        del second  # one that nobody holds is none
        await asyncio.sleep(0)
        fourth = listen(hub)
        assert hub.subscribers == 2
        await third.aclose()
        await fourth.aclose()


async def test_subscribers_share_events_and_their_texts(tmp_path: Path) -> None:
    encoded = 0

    def encode(event: Event) -> bytes:
        nonlocal encoded
        encoded += 1
        return f"{event.lsn}".encode()

    async with hub_on(tmp_path) as (home, hub):
        subscriptions = [listen(hub) for _ in range(20)] + [listen(hub, types=("memory_encoded",)) for _ in range(20)]
        (lsn,) = await home.keep("tea")
        heard: list[SharedEvent] = []
        for subscription in subscriptions:
            delivery = await asyncio.wait_for(anext(subscription), BOUND)
            assert not isinstance(delivery, Lagged)
            heard += delivery
        assert len(set(map(id, heard))) == 1
        assert {each.encoded(encode) for each in heard} == {str(lsn).encode()}
        assert encoded == 1


async def test_one_read_serves_all_that_are_up_to_date(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        reads = 0
        read = home.store.read_log

        def counting(query: Any) -> Any:
            nonlocal reads
            reads += 1
            return read(query)

        home.store.read_log = counting  # type: ignore[method-assign]
        subscriptions = [listen(hub) for _ in range(50)]
        runs = await home.keep(*(f"text {n}" for n in range(100)))
        heard = await asyncio.gather(*(up_to(subscription, runs[-1]) for subscription in subscriptions))
        assert all(lsns(events) == runs for events in heard)
        assert reads == 1


async def test_who_comes_after_the_last_has_left_waits_and_hears_what_comes(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        async with listen(hub):
            await home.keep("heard by the first")
        await home.keep("heard by nobody")
        tail = hub._tail
        assert tail is not None
        await asyncio.wait_for(tail, BOUND)  # with nobody there the reader ends
        async with listen(hub) as heard:
            waiting = asyncio.create_task(take(heard, 1))
            (lsn,) = await home.keep("heard by the second")
            assert lsns(await waiting) == [lsn]


async def test_closing_ends_every_subscription(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        waiting = [asyncio.create_task(_drained(listen(hub))) for _ in range(3)]
        await home.keep("tea")
        await asyncio.sleep(0)
        await hub.aclose()
        await asyncio.wait_for(asyncio.gather(*waiting), BOUND)


async def _drained(subscription: Subscription) -> None:
    async for _ in subscription:
        pass


async def test_a_read_that_fails_is_tried_again_and_nothing_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with hub_on(tmp_path) as (home, hub):
        read = home.store.read_log
        failures = [StoreFull(), StoreFull()]

        def failing(query: Any) -> Any:
            if failures:
                raise failures.pop()
            return read(query)

        home.store.read_log = failing  # type: ignore[method-assign]
        async with listen(hub) as heard:
            (lsn,) = await home.keep("tea")
            assert lsns(await up_to(heard, lsn)) == [lsn]
    assert caplog.text.count("The event log could not be read") == 1


async def test_a_reader_that_breaks_off_is_no_silence(tmp_path: Path) -> None:
    async with hub_on(tmp_path) as (home, hub):
        read = home.store.read_log

        def broken(query: Any) -> Any:
            raise ZeroDivisionError("a bug")

        home.store.read_log = broken  # type: ignore[method-assign]
        heard = listen(hub)
        (lsn,) = await home.keep("tea")
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(anext(heard), BOUND)
        home.store.read_log = read  # type: ignore[method-assign]
        async with listen(hub, from_lsn=lsn) as again:
            assert lsns(await up_to(again, lsn)) == [lsn]


def test_every_type_that_the_store_writes_can_be_asked_for_and_no_other() -> None:
    source = Path(mindlog.store.__file__).parent
    written = {
        name
        for path in source.glob("*.py")
        for name in re.findall(
            r'(?:_log\((?:tx, )?\s*|\blog\.append\(\(\w+, tx\.at, )"(\w+)"', path.read_text(encoding="utf-8")
        )
    }
    assert written | set(EVENTS) == set(EVENT_TYPES)


def test_every_type_is_told_of_in_a_sentence() -> None:
    assert all(text.endswith(".") and text[0].isupper() for text in EVENT_TYPES.values())
