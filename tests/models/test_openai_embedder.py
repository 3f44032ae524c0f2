import asyncio
from collections.abc import Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest

from mindlog.errors import ConfigError, EmbedderFailed
from mindlog.models.embedder import check_embeddings
from mindlog.models.load import load_embedder
from mindlog.models.openai_embedder import OpenAIEmbedder
from mindlog.models.retry import RetryPolicy, retry_after
from mindlog.settings import Settings
from tests.models.endpoint import Endpoint, serve, vector

QUICK = RetryPolicy(attempts=3, base=0.001)


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
        await embedder.aclose()


async def test_vectors_come_in_the_order_of_the_texts_whatever_the_order_of_the_answer(endpoint):
    texts = ["a", "bb", "ccc", "dddd"]
    async with opened(endpoint, batch_size=3, api_key="sk-secret") as embedder:
        embeddings = await embedder.embed(texts)
    check_embeddings(embeddings, count=4, dimensions=8)
    for text, embedding in zip(texts, embeddings, strict=True):
        expected = np.array(vector(text, 8)) / np.linalg.norm(vector(text, 8))
        np.testing.assert_allclose(embedding.vectors[0], expected, atol=1e-6)
        assert embedding.windows == ((0, len(text)),)
        assert embedding.states is None
    assert sorted(len(body["input"]) for body in endpoint.bodies) == [1, 3]
    assert set(endpoint.authorizations) == {"Bearer sk-secret"}
    assert "dimensions" not in endpoint.bodies[0]


async def test_a_text_longer_than_the_window_has_several_vectors_over_all_of_it(endpoint):
    text = "some words " * 200
    async with opened(endpoint, window_chars=600) as embedder:
        (embedding,) = await embedder.embed([text])
    assert len(embedding.vectors) == len(embedding.windows) > 3
    assert embedding.windows[0][0] == 0
    assert embedding.windows[-1][1] == len(text)
    assert max(len(sent) for body in endpoint.bodies for sent in body["input"]) <= 600


async def test_dimensions_are_learnt_from_the_endpoint_or_asked_of_it(endpoint):
    async with opened(endpoint, dimensions=None) as embedder:
        assert await embedder.learn_dimensions() == embedder.dimensions == 8
    async with opened(endpoint, ask_dimensions=True) as embedder:
        await embedder.embed(["text"])
    assert endpoint.bodies[-1]["dimensions"] == 8


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        (["[NaN,1,1,1,1,1,1,1]", "[1,1,1,1,1,1,1,1]"], "NaN"),
        (["[1e999,1,1,1,1,1,1,1]", "[1,1,1,1,1,1,1,1]"], "infinity"),
        (["[0,0,0,0,0,0,0,0]", "[1,1,1,1,1,1,1,1]"], "length"),
        (["[1,1,1,1,1,1,1,1]"], "1 vectors for 2 texts"),
        (["[1,1,1,1,1,1,1,1]"] * 3, "3 vectors for 2 texts"),
        (["[1,1,1]", "[1,1,1]"], "dimensions"),
        (["[1,1,1,1,1,1,1,1]", "[1,1,1]"], "dimensions"),
        (['"text"', "[1,1,1,1,1,1,1,1]"], "not an embedding list"),
    ],
)
async def test_an_answer_that_is_no_embedding_fails_with_the_reason_and_is_not_retried(endpoint, vectors, reason):
    endpoint.say_vectors(*vectors)
    async with opened(endpoint) as embedder:
        with pytest.raises(EmbedderFailed, match=reason) as failure:
            await embedder.embed(["one", "two"])
        assert not failure.value.retryable
        assert len(endpoint.bodies) == 1
        assert len(await embedder.embed(["one", "two"])) == 2


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"error": "x"}', b'{"data": 3}', b'{"data": []}'])
async def test_a_body_that_is_not_the_formats_fails(endpoint, body):
    endpoint.say(200, body)
    async with opened(endpoint) as embedder:
        with pytest.raises(EmbedderFailed):
            await embedder.embed(["text"])


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
async def test_a_passing_fault_is_retried(endpoint, status):
    endpoint.say(status)
    endpoint.say(status, Retry_After="0")
    async with opened(endpoint) as embedder:
        assert len(await embedder.embed(["text"])) == 1
    assert len(endpoint.bodies) == 3


async def test_a_lasting_fault_ends_after_the_attempts_and_may_be_retried_later(endpoint):
    for _ in range(5):
        endpoint.say(500, b"out of order")
    async with opened(endpoint) as embedder:
        with pytest.raises(EmbedderFailed, match="500: out of order") as failure:
            await embedder.embed(["text"])
    assert failure.value.retryable
    assert len(endpoint.bodies) == QUICK.attempts


@pytest.mark.parametrize("status", [400, 401, 404, 413])
async def test_a_refusal_is_not_retried_and_does_not_show_the_key(endpoint, status):
    endpoint.say(status, b"no")
    async with opened(endpoint, api_key="sk-secret") as embedder:
        with pytest.raises(EmbedderFailed) as failure:
            await embedder.embed(["text"])
    assert not failure.value.retryable
    assert "sk-secret" not in str(failure.value)
    assert len(endpoint.bodies) == 1


async def test_a_longer_wait_than_allowed_is_left_to_the_caller(endpoint):
    endpoint.say(429, Retry_After="3600")
    async with opened(endpoint) as embedder:
        with pytest.raises(EmbedderFailed) as failure:
            await embedder.embed(["text"])
    assert failure.value.retryable
    assert failure.value.extra["retry_after"] == 3600
    assert len(endpoint.bodies) == 1


async def test_an_endpoint_that_hangs_is_given_up_after_the_timeout(endpoint):
    endpoint.hang()
    endpoint.hang()
    async with opened(endpoint, timeout=0.1, retry=RetryPolicy(attempts=2, base=0.001)) as embedder:
        with pytest.raises(EmbedderFailed, match="in time") as failure:
            await embedder.embed(["text"])
    assert failure.value.retryable


async def test_a_hanging_endpoint_does_not_hold_up_the_event_loop(endpoint):
    endpoint.hang()
    async with opened(endpoint) as embedder:
        waiting = asyncio.create_task(embedder.embed(["slow"]))
        assert await asyncio.to_thread(endpoint.arrived.wait, 10)
        assert len(await embedder.embed(["quick"])) == 1
        assert not waiting.done()
        endpoint.release.set()
        assert len(await waiting) == 1


async def test_an_endpoint_that_is_not_there_is_a_passing_fault():
    with serve() as gone:
        pass
    async with opened(gone) as embedder:
        with pytest.raises(EmbedderFailed, match="cannot be reached") as failure:
            await embedder.embed(["text"])
    assert failure.value.retryable


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://127.0.0.1/v1"])
async def test_an_address_that_is_none_is_a_configuration_error(url):
    with pytest.raises(ConfigError):
        await OpenAIEmbedder(url, "model", dimensions=8, retry=QUICK).embed(["text"])


def test_model_dimensions_and_window_decide_the_fingerprint():
    def of(**options):
        return OpenAIEmbedder("http://127.0.0.1:1", **{"model": "m", "dimensions": 8, **options}).fingerprint

    assert of() == of(api_key="other", timeout=3)
    assert len({of(), of(model="n"), of(dimensions=9), of(window_chars=100)}) == 4


@pytest.mark.parametrize("asked", [None, 8])
def test_the_settings_open_an_endpoint_and_learn_its_dimensions(endpoint, asked):
    settings = Settings(
        embedder="openai",
        embedder_url=endpoint.url,
        embedder_model="m",
        embedder_api_key="sk-secret",
        embedder_dimensions=asked,
    )
    embedder = load_embedder(settings)

    async def use() -> None:
        assert len(await embedder.embed(["text"])) == 1
        await embedder.aclose()

    assert embedder.dimensions == 8
    asyncio.run(use())


def test_an_endpoint_without_an_address_is_a_configuration_error():
    with pytest.raises(ConfigError, match="embedder_url"):
        load_embedder(Settings(embedder="openai"))


def test_a_retry_after_header_is_seconds_or_a_date():
    assert retry_after("7") == 7
    assert retry_after("-7") == 0
    assert retry_after(None) is None
    assert retry_after("soon") is None
    later = retry_after(format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True))
    assert later is not None
    assert 60 < later <= 90


def test_waits_grow_to_the_longest():
    waits = list(RetryPolicy(attempts=9, base=1, longest=10).delays())
    assert len(waits) == 8
    assert all(wait <= min(2**number, 10) for number, wait in enumerate(waits))
    assert all(wait >= min(2**number, 10) / 2 for number, wait in enumerate(waits))
