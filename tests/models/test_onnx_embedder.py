import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest

from mindlog.errors import Closed, InvalidInput
from mindlog.models.catalog import DEFAULT_FOLDER
from mindlog.models.embedder import check_embeddings
from mindlog.models.onnx_embedder import OnnxEmbedder
from tests.models.sentences import SENTENCES
from tests.models.tiny import write_tiny_model

LONG = " ".join(f"Paragraph {number} tells how the harbour was rebuilt in spring." for number in range(60))


async def test_vectors_agree_with_the_float32_model(embedder):
    reference = np.load(Path(__file__).with_name("reference_float32.npy")).astype(np.float32)
    vectors = np.concatenate([each.vectors for each in await embedder.embed(SENTENCES)])
    cosines = (vectors * reference).sum(axis=1) / np.linalg.norm(reference, axis=1)
    assert cosines.mean() > 0.99
    assert cosines.min() > 0.96


async def test_an_embedding_keeps_the_contract(embedder):
    embeddings = await embedder.embed([*SENTENCES, LONG])
    check_embeddings(embeddings, count=len(SENTENCES) + 1, dimensions=embedder.dimensions)
    for embedding in embeddings:
        assert embedding.vectors.dtype == np.float32
        assert embedding.vectors.flags.c_contiguous
        assert not embedding.vectors.flags.writeable
        assert embedding.states is not None
        assert embedding.states.dtype == np.int8
        assert embedding.states.shape[1] == embedder.state_dimensions
        lengths = np.linalg.norm(embedding.states.astype(np.float64), axis=1)
        assert np.abs(lengths / 127 - 1).max() < 0.03


async def test_a_vector_is_the_same_bytes_alone_in_a_batch_and_under_eight_callers(embedder):
    alone = [(await embedder.embed([text]))[0] for text in SENTENCES]
    batch = await embedder.embed(SENTENCES)
    crowd = await asyncio.gather(*(embedder.embed(SENTENCES[::-1]) for _ in range(8)))
    for other in [batch, *(each[::-1] for each in crowd)]:
        assert [each.vectors.tobytes() for each in other] == [each.vectors.tobytes() for each in alone]
        assert [each.states.tobytes() for each in other] == [each.states.tobytes() for each in alone]


async def test_a_vector_is_the_same_bytes_after_reopening(embedder):
    other = OnnxEmbedder.open(DEFAULT_FOLDER, threads=1)
    try:
        assert other.fingerprint == embedder.fingerprint
        first, second = (await embedder.embed(SENTENCES[:3])), (await other.embed(SENTENCES[:3]))
        assert [each.vectors.tobytes() for each in first] == [each.vectors.tobytes() for each in second]
    finally:
        await other.aclose()


async def test_texts_about_one_thing_are_closer_than_texts_about_two(embedder):
    cat, kitten, treaty = [
        each.vectors[0]
        for each in await embedder.embed(
            ["I adopted a grey cat.", "We got a new kitten.", "The treaty was signed in 1648."]
        )
    ]
    assert cat @ kitten > cat @ treaty + 0.2


async def test_a_long_text_has_windows_over_all_of_it_and_its_last_sentence_is_found(embedder):
    text = f"{LONG} My bicycle has a flat tyre."
    (embedding,) = await embedder.embed([text])
    assert len(embedding.vectors) > 1
    assert embedding.windows[0][0] == 0
    assert embedding.windows[-1][1] == len(text)
    assert all(after[0] < before[1] for before, after in zip(embedding.windows, embedding.windows[1:], strict=False))
    (query,) = await embedder.embed(["flat bicycle tyre"], "query")
    assert (embedding.vectors @ query.vectors[0]).argmax() == len(embedding.vectors) - 1


async def test_a_text_that_fits_one_window_has_one_vector(embedder):
    (embedding,) = await embedder.embed(["word " * 126])
    assert embedding.windows == ((0, 5 * 126),)
    (longer,) = await embedder.embed(["word " * 127])
    assert len(longer.windows) == 2


async def test_states_are_those_of_the_tokens_of_all_windows_in_order(embedder):
    (one,) = await embedder.embed(["word " * 126])
    (two,) = await embedder.embed(["word " * 127])
    assert one.states.shape[0] == 126
    assert two.states.shape[0] == 127 + 16


@pytest.mark.parametrize(
    "text", [" ", "\n\t", "🦄", "\u200d", "a" * 3000, "\u202e", "字" * 300, "e\u0301" * 50, "\x07"]
)
async def test_any_valid_text_has_a_vector(embedder, text):
    embeddings = await embedder.embed([text])
    check_embeddings(embeddings, count=1, dimensions=384)


@pytest.mark.parametrize("text", ["", "a \ud800 b"])
async def test_an_empty_text_or_a_lone_surrogate_is_refused_with_the_field(embedder, text):
    with pytest.raises(InvalidInput) as refusal:
        await embedder.embed(["fine", text])
    assert refusal.value.field == "text"
    assert len(await embedder.embed(["fine"])) == 1


async def test_no_texts_have_no_embeddings(embedder):
    assert await embedder.embed([]) == []


async def test_a_short_text_overtakes_a_long_one(embedder):
    long = asyncio.create_task(embedder.embed([LONG * 10]))
    await embedder.embed(["started after it"])
    assert not long.done()
    await long


async def test_the_event_loop_turns_while_a_long_text_is_embedded(embedder):
    long = asyncio.create_task(embedder.embed([LONG * 3]))
    turns = 0
    while not long.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 100


async def test_a_megabyte_is_embedded_whole(tmp_path):
    embedder = OnnxEmbedder.open(write_tiny_model(tmp_path / "tiny"), window=32, overlap=4)
    text = "".join(f"word{number % 200} " for number in range(160_000))[: 1 << 20]
    (embedding,) = await embedder.embed([text])
    assert embedding.windows[-1][1] == 1 << 20
    assert len(embedding.vectors) == len(embedding.windows) > 5000
    await embedder.aclose()


async def test_closing_finishes_what_is_under_way_and_ends_the_threads():
    embedder = OnnxEmbedder.open(DEFAULT_FOLDER, threads=3)
    running = asyncio.create_task(embedder.embed([LONG]))
    await asyncio.sleep(0)
    await embedder.aclose()
    (embedding,) = await running
    assert embedding.windows[-1][1] == len(LONG)
    assert not _threads()
    with pytest.raises(Closed):
        await embedder.embed(["late"])
    await embedder.aclose()


async def test_a_cancelled_caller_leaves_no_work_and_no_thread_behind():
    embedder = OnnxEmbedder.open(DEFAULT_FOLDER)
    running = asyncio.create_task(embedder.embed([LONG * 20, LONG * 21]))
    await embedder.embed(["let the long ones begin"])
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(asyncio.all_tasks()) == 1
    await embedder.aclose()
    assert not _threads()


def test_window_and_overlap_are_part_of_the_fingerprint():
    opened = [
        OnnxEmbedder.open(DEFAULT_FOLDER, window=window, overlap=overlap)
        for window, overlap in [(None, None), (128, 16), (256, 16), (128, 8)]
    ]
    prints = [each.fingerprint for each in opened]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3
    for each in opened:
        asyncio.run(each.aclose())


@pytest.mark.parametrize(("window", "overlap"), [(7, 0), (513, 16), (64, 32), (64, -1)])
def test_a_window_that_does_not_fit_the_model_is_refused(window, overlap):
    with pytest.raises(InvalidInput):
        OnnxEmbedder.open(DEFAULT_FOLDER, window=window, overlap=overlap)


def _threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("mindlog-embed")]
