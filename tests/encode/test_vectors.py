"""The caller's own vectors: scaled to length 1, refused if they cannot be, and only of the store's model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mindlog
from mindlog.encode.embed import given_embedding
from mindlog.engine import Engine
from mindlog.errors import EmbedderFailed, IdempotencyConflict, InvalidInput, ModelMismatch
from mindlog.models.embedder import TextEmbedding
from mindlog.records import EncodeRequest
from mindlog.testing.fakes import HashEmbedder, Spoil
from tests.engine.made import everything, found, hit_of, keep, opened, recall

EMBEDDER = HashEmbedder(dimensions=8)
WAVE = [0.5, -1.0, 0.25, 3.0, 0.0, -0.125, 2.0, 1.0]


def unit(vector: Any) -> np.ndarray[Any, Any]:
    embedding: TextEmbedding = given_embedding(vector, EMBEDDER.fingerprint, "text", EMBEDDER)
    return embedding.vectors[0]


@settings(max_examples=200, deadline=None)
@given(
    direction=st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=8, max_size=8).filter(
        lambda values: max(map(abs, values)) > 1e-3
    ),
    exponent=st.integers(-300, 300),
)
def test_a_vector_of_any_length_is_scaled_to_length_one(direction: list[float], exponent: int) -> None:
    scaled = [value * 10.0**exponent for value in direction]
    kept = unit(scaled)
    assert kept.dtype == np.float32
    assert abs(float(np.linalg.norm(kept.astype(np.float64))) - 1) < 1e-6
    assert np.allclose(kept, np.array(direction) / np.linalg.norm(direction), atol=1e-6)


@pytest.mark.parametrize(
    "form",
    [WAVE, tuple(WAVE), np.array(WAVE), np.array(WAVE, np.float32), np.array(WAVE, np.float16), np.array(WAVE)[::1]],
)
def test_any_sequence_or_array_of_numbers_is_taken(form: Any) -> None:
    assert np.allclose(unit(form), np.array(WAVE) / np.linalg.norm(WAVE), atol=1e-3)


def test_the_callers_array_is_not_changed_and_not_kept() -> None:
    mine = np.array(WAVE, np.float32)
    kept = unit(mine)
    assert mine.tolist() == WAVE
    mine[:] = 0
    assert abs(float(np.linalg.norm(kept)) - 1) < 1e-6


def test_whole_numbers_are_numbers() -> None:
    assert unit([3, 4, 0, 0, 0, 0, 0, 0])[:2] == pytest.approx([0.6, 0.8])


REFUSED: dict[str, Any] = {
    "too few": [1.0] * 7,
    "too many": [1.0] * 9,
    "none": [],
    "a matrix": [[1.0] * 8],
    "a number": 1.0,
    "ragged": [[1.0], [1.0, 2.0]],
    "zero": [0.0] * 8,
    "minus zero": [-0.0] * 8,
    "not a number": [*WAVE[:7], float("nan")],
    "infinite": [*WAVE[:7], float("-inf")],
    "text": "abcdefgh",
    "texts": ["1"] * 8,
    "nothing": [None] * 8,
    "truth": [True] * 8,
    "complex": np.full(8, 1j),
    "an integer beyond every float": [10**400] * 8,
    "an object": object(),
    "a set": {1.0, 2.0},
    "a mapping": {"x": 1.0},
    "a generator": (x for x in WAVE),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("request_id", [None, "R"])
async def test_what_is_no_direction_is_refused_and_not_kept(engine: Engine, name: str, request_id: str | None) -> None:
    model = engine.embedder.fingerprint
    with pytest.raises(InvalidInput) as refusal:
        await engine.encode(
            EncodeRequest(text="x", vector=_wide(REFUSED[name]), embedding_model=model, request_id=request_id)
        )
    assert refusal.value.field == "vector"
    assert not await everything(engine)


def _wide(vector: Any) -> Any:
    # The engine's fake has 64 dimensions; one that is wrong for another reason has the right length here.
    if isinstance(vector, list) and len(vector) == 8:
        return vector * 8
    return np.tile(vector, 8) if isinstance(vector, np.ndarray) else vector


@pytest.mark.parametrize("model", ["", "another-model", 5])
async def test_a_vector_of_another_model_is_refused(engine: Engine, model: Any) -> None:
    with pytest.raises(ModelMismatch) as refusal:
        await engine.encode(EncodeRequest(text="x", vector=[1.0] * 64, embedding_model=model))
    assert refusal.value.field == "embedding_model"
    assert engine.embedder.fingerprint in refusal.value.detail
    assert not await everything(engine)


async def test_a_given_vector_decides_what_the_memory_means(engine: Engine, embedder: HashEmbedder) -> None:
    calls = embedder.calls
    vector = 7 * embedder.vector("lighthouse")
    model = engine.embedder.fingerprint
    memory_id = await keep(engine, "text about something else", vector=vector, embedding_model=model)
    assert embedder.calls == calls
    await keep(engine, "another memory")
    hit = hit_of(await recall(engine, "lighthouse"), memory_id)
    assert set(hit.lanes) == {"semantic"}
    assert hit.lanes["semantic"].score == pytest.approx(1.0, abs=1e-5)
    assert memory_id in await found(engine, "something else")


async def test_given_vectors_are_deduplicated_only_on_request(engine: Engine) -> None:
    model = engine.embedder.fingerprint
    request = EncodeRequest(text="reading", vector=[1.0] * 64, embedding_model=model)
    first, second = await engine.encode(request), await engine.encode(request)
    assert first.memory_id != second.memory_id
    wanted = EncodeRequest(text="once", vector=[1.0] * 64, embedding_model=model, deduplicate=True)
    kept, again = await engine.encode(wanted), await engine.encode(wanted)
    assert (again.memory_id, again.was_deduplicated) == (kept.memory_id, True)


async def test_a_request_id_covers_the_vector(engine: Engine) -> None:
    model = engine.embedder.fingerprint
    vector = np.arange(64, dtype=np.float32)
    first = await engine.encode(EncodeRequest(text="r", vector=vector, embedding_model=model, request_id="R"))
    again = await engine.encode(EncodeRequest(text="r", vector=vector.tolist(), embedding_model=model, request_id="R"))
    assert (again.memory_id, again.was_replayed) == (first.memory_id, True)
    with pytest.raises(IdempotencyConflict):
        await engine.encode(EncodeRequest(text="r", vector=vector[::-1], embedding_model=model, request_id="R"))


async def test_given_and_own_vectors_live_side_by_side(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        given_id = await keep(
            engine, "given", vector=HashEmbedder().vector("harbour"), embedding_model=engine.embedder.fingerprint
        )
        own_id = await keep(engine, "the harbour in winter")
    async with opened(tmp_path) as engine:
        assert set(await found(engine, "harbour")) == {given_id, own_id}


@pytest.mark.parametrize("spoil", ["nan", "inf", "zero", "short", "wrong_dimensions"])
@pytest.mark.parametrize("verb", ["encode", "recall"])
async def test_an_embedder_that_answers_nonsense_fails_the_call_and_nothing_is_kept(
    engine: Engine, embedder: HashEmbedder, spoil: Spoil, verb: str
) -> None:
    memory_id = await keep(engine, "a good memory")
    embedder.spoil = spoil
    with pytest.raises(EmbedderFailed):
        await (keep(engine, "a bad one") if verb == "encode" else found(engine, "a bad one"))
    embedder.spoil = None
    assert await found(engine, "a bad one") == [memory_id]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(direction=st.lists(st.floats(-1e6, 1e6), min_size=16, max_size=16).filter(lambda v: max(map(abs, v)) > 1e-3))
def test_a_kept_vector_is_found_by_itself(mirrored: mindlog.Mindlog, direction: list[float]) -> None:
    memory_id = mirrored.encode_vector("x", direction, mirrored.health().embedder["fingerprint"]).memory_id
    hit = next(hit for hit in mirrored.recall(repr(direction), limit=1000).hits if str(hit.memory.id) == memory_id)
    assert hit.lanes["semantic"].score == pytest.approx(1.0, abs=1e-5)


@pytest.fixture
def mirrored(tmp_path: Path) -> Iterator[mindlog.Mindlog]:
    with mindlog.open(tmp_path / "data", embedder=Mirror()) as db:
        yield db


class Mirror(HashEmbedder):
    """Reads the cue as the vector it prints."""

    def __init__(self) -> None:
        super().__init__(dimensions=16, name="mirror")

    async def embed(self, texts: Any, kind: Any = "document") -> list[TextEmbedding]:
        rows = [np.array([float(part) for part in text.strip("[]").split(",")]) for text in texts]
        return [
            TextEmbedding(
                vectors=(row / np.linalg.norm(row)).astype(np.float32).reshape(1, -1), windows=((0, len(text)),)
            )
            for row, text in zip(rows, texts, strict=True)
        ]
