import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import Closed, EmbedderFailed, InvalidInput
from mindlog.models.cache import EmbeddingCache
from mindlog.models.cached_embedder import CachedEmbedder
from mindlog.models.embedder import TextEmbedding
from mindlog.testing.fakes import HashEmbedder


async def settle() -> None:
    """Let every task that can run now do so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_text_is_computed_once_and_then_found():
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    (first,) = await cached.embed(["the cat sat"])
    (second,) = await cached.embed(["the cat sat"])
    assert first is second
    assert inner.texts == ["the cat sat"]
    assert (cached.stats().hits, cached.stats().misses, cached.stats().entries) == (1, 1, 1)


async def test_equal_texts_of_one_call_are_computed_once_and_keep_their_order():
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    results = await cached.embed(["a", "b", "a", "c", "b"])
    assert sorted(inner.texts) == ["a", "b", "c"]
    for text, result in zip(["a", "b", "a", "c", "b"], results, strict=True):
        np.testing.assert_array_equal(result.vectors[0], inner.vector(text))


async def test_a_document_and_a_query_of_the_same_words_are_two_texts():
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed(["words"], "document")
    await cached.embed(["words"], "query")
    assert inner.calls == 2


async def test_callers_of_a_text_under_way_share_one_computation():
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    with inner.held() as entered:
        callers = [asyncio.create_task(cached.embed(["same", f"own {number}"])) for number in range(8)]
        await entered.wait()
        await settle()
    results = await asyncio.gather(*callers)
    assert inner.texts.count("same") == 1
    assert all(result[0] is results[0][0] for result in results)
    assert cached.stats().shared == 7


async def test_a_caller_that_leaves_does_not_end_what_another_waits_for():
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    with inner.held() as entered:
        first = asyncio.create_task(cached.embed(["shared"]))
        await entered.wait()
        second = asyncio.create_task(cached.embed(["shared"]))
        await settle()
        first.cancel()
        await settle()
    assert first.cancelled()
    assert len(await second) == 1
    assert inner.calls == 1


async def test_a_computation_that_nobody_waits_for_is_cancelled_and_leaves_nothing():
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    with inner.held() as entered:
        caller = asyncio.create_task(cached.embed(["unwanted"]))
        await entered.wait()
        caller.cancel()
        await settle()
        assert len(asyncio.all_tasks()) == 1
    assert cached.stats().entries == 0
    assert len(await cached.embed(["unwanted"])) == 1


async def test_one_callers_bad_text_does_not_fail_another_caller():
    inner = HashEmbedder()
    inner.fail_texts = {"bad"}
    cached = CachedEmbedder(inner)
    with inner.held() as entered:
        failing = asyncio.create_task(cached.embed(["bad", "good"]))
        await entered.wait()
        sharing = asyncio.create_task(cached.embed(["good"]))
        await settle()
    with pytest.raises(EmbedderFailed):
        await failing
    assert len(await sharing) == 1


@pytest.mark.parametrize("spoil", ["nan", "inf", "zero", "short", "wrong_dimensions"])
async def test_a_spoiled_answer_fails_and_is_not_kept(spoil):
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    inner.spoil = spoil
    with pytest.raises(EmbedderFailed):
        await cached.embed(["text"])
    inner.spoil = None
    assert cached.stats().entries == 0
    assert np.isfinite((await cached.embed(["text"]))[0].vectors).all()


async def test_a_forgotten_text_leaves_the_cache_as_document_and_as_query():
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed(["secret", "other"])
    await cached.embed(["secret"], "query")
    cached.forget(["secret"])
    assert cached.stats().entries == 1
    await cached.embed(["secret"])
    assert inner.texts.count("secret") == 3


@pytest.mark.parametrize("how", ["forget", "clear"])
async def test_a_text_forgotten_while_under_way_is_not_kept(how):
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    with inner.held() as entered:
        caller = asyncio.create_task(cached.embed(["secret"]))
        await entered.wait()
        cached.forget(["secret"]) if how == "forget" else cached.clear()
    assert len(await caller) == 1
    assert cached.stats().entries == 0


@pytest.mark.parametrize("text", ["", "\udfff"])
async def test_a_text_that_cannot_be_embedded_is_refused_before_the_model(text):
    inner = HashEmbedder()
    with pytest.raises(InvalidInput):
        await CachedEmbedder(inner).embed(["fine", text])
    assert inner.calls == 0


async def test_closing_waits_for_what_is_under_way_and_refuses_what_comes_after():
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    with inner.held() as entered:
        caller = asyncio.create_task(cached.embed(["last"]))
        await entered.wait()
        closing = asyncio.create_task(cached.aclose())
        await settle()
        assert not inner.closed
    await closing
    assert inner.closed
    assert len(await caller) == 1
    with pytest.raises(Closed):
        await cached.embed(["late"])


def entry(size: int) -> TextEmbedding:
    return TextEmbedding(vectors=np.zeros((1, size // 4), dtype=np.float32), windows=((0, 1),))


@given(
    steps=st.lists(st.tuples(st.sampled_from(["put", "get", "discard"]), st.integers(0, 30), st.integers(4, 3000))),
    capacity=st.integers(0, 40_000),
)
def test_the_cache_never_holds_more_than_its_capacity_and_counts_what_it_holds(steps, capacity):
    cache = EmbeddingCache(capacity)
    sizes: dict[bytes, int] = {}
    for action, number, size in steps:
        key = bytes([number])
        if action == "put":
            cache.put(key, entry(size))
            sizes[key] = size
        elif action == "discard":
            cache.discard(key)
        else:
            cache.get(key)
        entries, used = cache.size()
        held = [key for key in sizes if key in cache._entries]
        assert used <= capacity
        assert entries == len(held)
        assert used >= sum(cache._entries[key].vectors.nbytes for key in held)


def test_the_least_recently_used_entry_leaves_first():
    cache = EmbeddingCache(20_000)
    keys = [bytes([number]) for number in range(30)]
    for key in keys:
        cache.put(key, entry(400))
        cache.get(keys[0])
    assert cache.get(keys[0]) is not None
    assert cache.get(keys[1]) is None
    assert cache.get(keys[-1]) is not None


def test_an_entry_of_more_than_an_eighth_is_not_kept():
    cache = EmbeddingCache(8000)
    cache.put(b"large", entry(1200))
    assert cache.get(b"large") is None
