import asyncio
from collections.abc import Iterator
from contextlib import asynccontextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindlog.errors import Busy, Closed, ConfigError, EmbedderFailed
from mindlog.models.batching import Batcher
from mindlog.models.openai_embedder import OpenAIEmbedder
from mindlog.models.retry import RetryPolicy
from tests.models.endpoint import Endpoint, serve, vector

QUICK = RetryPolicy(attempts=2, base=0.001)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serve() as served:
        yield served


@asynccontextmanager
async def opened(endpoint, **options):
    embedder = OpenAIEmbedder(endpoint.url, "some-model", **{"dimensions": 8, "retry": QUICK, **options})
    try:
        yield embedder
    finally:
        endpoint.release.set()
        await embedder.aclose()


def sent(endpoint):
    return [body["input"] for body in endpoint.bodies]


def assert_is_of(embedding, text):
    expected = np.array(vector(text, 8)) / np.linalg.norm(vector(text, 8))
    np.testing.assert_allclose(embedding.vectors, [expected], atol=1e-6)


async def each_alone(embedder, texts):
    return await asyncio.gather(*(embedder.embed([text]) for text in texts), return_exceptions=True)


@pytest.mark.parametrize(("batch_size", "posts"), [(64, 1), (50, 1), (16, 4), (1, 50)])
async def test_texts_of_one_turn_share_as_few_requests_as_hold_them(endpoint, batch_size, posts):
    texts = ["x" * length for length in range(1, 51)]
    async with opened(endpoint, batch_size=batch_size) as embedder:
        embeddings = await each_alone(embedder, texts)
    assert len(endpoint.bodies) == posts
    assert sorted(text for body in sent(endpoint) for text in body) == sorted(texts)
    for text, (embedding,) in zip(texts, embeddings, strict=True):
        assert_is_of(embedding, text)


async def test_texts_that_come_while_every_request_is_under_way_go_together_in_the_next(endpoint):
    endpoint.hang()
    async with opened(endpoint, max_in_flight=1) as embedder:
        first = asyncio.create_task(embedder.embed(["first"]))
        assert await asyncio.to_thread(endpoint.arrived.wait, 10)
        rest = []
        for text in ("a", "bb", "ccc"):
            rest.append(asyncio.create_task(embedder.embed([text])))
            await asyncio.sleep(0)
        endpoint.release.set()
        await asyncio.gather(first, *rest)
    assert sent(endpoint) == [["first"], ["a", "bb", "ccc"]]


async def test_calls_one_after_the_other_are_one_request_each(endpoint):
    async with opened(endpoint) as embedder:
        for text in ("a", "bb", "ccc"):
            (embedding,) = await embedder.embed([text])
            assert_is_of(embedding, text)
    assert sent(endpoint) == [["a"], ["bb"], ["ccc"]]


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_text_that_is_refused_fails_alone(endpoint, status):
    endpoint.refuse("bad", status)
    texts = [f"text {number}" for number in range(20)]
    async with opened(endpoint) as embedder:
        good, bad = await asyncio.gather(
            each_alone(embedder, texts),
            asyncio.gather(embedder.embed(["bad"]), embedder.embed(["good", "bad"]), return_exceptions=True),
        )
    for text, (embedding,) in zip(texts, good, strict=True):
        assert_is_of(embedding, text)
    assert all(isinstance(error, EmbedderFailed) and not error.retryable for error in bad)
    assert len(endpoint.bodies) <= 2 * 22 - 1


async def test_an_answer_that_holds_no_vector_for_one_text_fails_it_alone(endpoint):
    endpoint.say_vectors("[1,1,1,1,1,1,1,1]", "[NaN,1,1,1,1,1,1,1]")
    async with opened(endpoint) as embedder:
        answers = await each_alone(embedder, ["a", "b"])
    assert [len(answer) for answer in answers] == [1, 1]
    assert sorted(sent(endpoint)) == [["a"], ["a", "b"], ["b"]]


@pytest.mark.parametrize(("status", "attempts"), [(401, 1), (404, 1), (503, QUICK.attempts)])
async def test_a_fault_of_the_endpoint_fails_all_that_shared_the_request_and_is_not_multiplied(
    endpoint, status, attempts
):
    for _ in range(attempts):
        endpoint.say(status)
    async with opened(endpoint) as embedder:
        errors = await each_alone(embedder, ["a", "b", "c"])
    assert all(isinstance(error, EmbedderFailed) and f"{status}" in str(error) for error in errors)
    assert sent(endpoint) == [["a", "b", "c"]] * attempts


async def test_a_caller_that_is_cancelled_leaves_the_others_of_its_request_alone(endpoint):
    endpoint.hang()
    async with opened(endpoint) as embedder:
        gone, stays = (asyncio.create_task(embedder.embed([text])) for text in ("a", "bb"))
        assert await asyncio.to_thread(endpoint.arrived.wait, 10)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        endpoint.release.set()
        assert_is_of((await stays)[0], "bb")
    assert sent(endpoint) == [["a", "bb"]]


async def test_a_text_whose_caller_was_cancelled_before_its_turn_is_not_sent(endpoint):
    endpoint.hang()
    async with opened(endpoint, max_in_flight=1) as embedder:
        first = asyncio.create_task(embedder.embed(["first"]))
        assert await asyncio.to_thread(endpoint.arrived.wait, 10)
        gone, stays = (asyncio.create_task(embedder.embed([text])) for text in ("gone", "stays"))
        await asyncio.sleep(0)
        gone.cancel()
        endpoint.release.set()
        await asyncio.gather(first, stays)
    assert sent(endpoint) == [["first"], ["stays"]]


async def test_a_request_nobody_waits_for_makes_room_for_the_next(endpoint):
    endpoint.hang()
    async with opened(endpoint, max_in_flight=1) as embedder:
        gone = asyncio.create_task(embedder.embed(["gone"]))
        assert await asyncio.to_thread(endpoint.arrived.wait, 10)
        gone.cancel()
        assert len(await asyncio.wait_for(embedder.embed(["next"]), 10)) == 1
        assert not endpoint.release.is_set()


async def test_a_refusal_that_a_cancelled_caller_earned_does_not_fail_the_one_beside_it(endpoint):
    endpoint.refuse("bad", 400, wait=True)
    async with opened(endpoint) as embedder:
        gone, stays = (asyncio.create_task(embedder.embed([text])) for text in ("bad", "good"))
        assert await asyncio.to_thread(endpoint.arrived.wait, 10)
        gone.cancel()
        endpoint.release.set()
        assert_is_of((await stays)[0], "good")
    assert sent(endpoint) == [["bad", "good"], ["good"]]


async def test_closing_finishes_what_was_asked_and_refuses_the_rest(endpoint):
    async with opened(endpoint, max_in_flight=1, batch_size=1) as embedder:
        asked = [asyncio.create_task(embedder.embed([text])) for text in ("a", "bb", "ccc")]
        await asyncio.sleep(0)
        await embedder.aclose()
        assert [len(task.result()) for task in asked] == [1, 1, 1]
        with pytest.raises(Closed):
            await embedder.embed(["late"])


async def test_an_address_that_is_none_fails_every_caller_with_the_same_error():
    embedder = OpenAIEmbedder("nonsense", "model", dimensions=8, retry=QUICK)
    errors = await each_alone(embedder, ["a", "b"])
    assert [type(error) for error in errors] == [ConfigError, ConfigError]


async def test_calls_are_refused_while_as_many_values_wait_as_may():
    released = asyncio.Event()

    async def send(values: list[int]) -> list[int]:
        await released.wait()
        return values

    batcher = Batcher(send, size=1, max_in_flight=1, max_waiting=2, is_values_fault=lambda _: False)
    under_way = asyncio.create_task(batcher.run([1]))
    for _ in range(3):
        await asyncio.sleep(0)
    waiting = asyncio.create_task(batcher.run([2, 3]))
    await asyncio.sleep(0)
    with pytest.raises(Busy):
        await batcher.run([4])
    released.set()
    assert await asyncio.gather(under_way, waiting) == [[1], [2, 3]]
    assert await batcher.run([4]) == [4]
    assert await batcher.run([]) == []


CALLS = st.lists(st.tuples(st.lists(st.integers(-3, 30), max_size=5), st.integers(0, 3), st.booleans()), max_size=12)


@settings(max_examples=60, deadline=None)
@given(calls=CALLS, size=st.integers(1, 6), max_in_flight=st.integers(1, 3))
def test_every_caller_gets_its_own_outcome_whatever_the_others_are_and_do(calls, size, max_in_flight):
    """A call: its values (a negative one is refused), the turns before it, and whether it is cancelled."""
    under_way = peak = 0

    async def send(values: list[int]) -> list[int]:
        nonlocal under_way, peak
        assert 0 < len(values) <= size
        under_way += 1
        peak = max(peak, under_way)
        try:
            await asyncio.sleep(0)
        finally:
            under_way -= 1
        if min(values) < 0:
            raise EmbedderFailed("negative", retryable=False)
        return [value * 10 for value in values]

    async def play():
        batcher = Batcher(
            send,
            size=size,
            max_in_flight=max_in_flight,
            max_waiting=1000,
            is_values_fault=lambda error: isinstance(error, EmbedderFailed),
        )
        tasks = []
        for values, turns, cancelled in calls:
            tasks.append(asyncio.create_task(batcher.run(values)))
            for _ in range(turns):
                await asyncio.sleep(0)
            if cancelled:
                tasks[-1].cancel()
        outcomes = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 30)
        await batcher.aclose()
        return outcomes

    for (values, _, cancelled), outcome in zip(calls, asyncio.run(play()), strict=True):
        if cancelled and isinstance(outcome, asyncio.CancelledError):
            continue
        if min(values, default=0) < 0:
            assert isinstance(outcome, EmbedderFailed)
        else:
            assert outcome == [value * 10 for value in values]
    assert peak <= max_in_flight
    assert under_way == 0
