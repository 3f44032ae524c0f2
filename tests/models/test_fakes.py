import asyncio

import numpy as np
import pytest

from mindlog.errors import EmbedderFailed
from mindlog.models.embedder import check_embeddings
from mindlog.testing.fakes import HashEmbedder


async def test_shared_words_make_texts_similar_and_other_words_do_not():
    fake = HashEmbedder()
    cat, cats, treaty = (fake.vector(text) for text in ["the grey cat sat", "grey cat sat here", "signed in 1648"])
    assert cat @ cats > 0.6
    assert abs(cat @ treaty) < 0.5
    np.testing.assert_array_equal(HashEmbedder().vector("the grey cat sat"), cat)


@pytest.mark.parametrize("text", ["word", "...", "\ud800", "many words " * 300, "字"])
async def test_every_text_has_unit_vectors_over_windows_that_cover_it(text):
    fake = HashEmbedder(state_dimensions=16)
    (embedding,) = await fake.embed([text])
    check_embeddings([embedding], count=1, dimensions=64)
    assert embedding.windows[0][0] == 0
    assert embedding.windows[-1][1] == len(text)
    assert embedding.states is not None
    assert embedding.states.shape[1] == 16


async def test_calls_wait_while_held_and_are_counted():
    fake = HashEmbedder()
    with fake.held() as entered:
        waiting = asyncio.create_task(fake.embed(["a", "b"]))
        await entered.wait()
        assert not waiting.done()
    assert len(await waiting) == 2
    assert (fake.calls, fake.texts) == (1, ["a", "b"])


async def test_chosen_calls_and_texts_fail():
    fake = HashEmbedder()
    fake.fail_calls = {2}
    fake.fail_texts = {"poison"}
    await fake.embed(["a"])
    with pytest.raises(EmbedderFailed):
        await fake.embed(["a"])
    await fake.embed(["a"])
    with pytest.raises(EmbedderFailed):
        await fake.embed(["a", "poison"])


@pytest.mark.parametrize("spoil", ["nan", "inf", "zero", "short", "wrong_dimensions"])
async def test_spoiled_answers_are_seen_by_the_check(spoil):
    fake = HashEmbedder()
    fake.spoil = spoil
    embeddings = await fake.embed(["a", "b"])
    with pytest.raises(EmbedderFailed):
        check_embeddings(embeddings, count=2, dimensions=64)


async def test_other_sizes_are_another_model():
    assert len({HashEmbedder().fingerprint, HashEmbedder(dimensions=32).fingerprint}) == 2
    fake = HashEmbedder()
    await fake.aclose()
    assert fake.closed
