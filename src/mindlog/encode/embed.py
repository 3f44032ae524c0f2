"""The embed stage: the text's own vectors, or the caller's after a check."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindlog.encode.job import EncodeJob
from mindlog.errors import InvalidInput, ModelMismatch
from mindlog.models.embedder import Embedder, TextEmbedding
from mindlog.recall.tokens import kept_states
from mindlog.spoken import spoken

__all__ = ["embed", "given_embedding"]

# Below it squares lose digits and vanish; large ones overflow. Such vectors are scaled before they are squared.
_SMALLEST_SQUARE = 1e-200


async def embed(job: EncodeJob) -> None:
    """Set the job's embedding, and the token states that recall will compare."""
    request, embedder = job.request, job.tools.embedder
    if request.vector is not None:
        job.embedding = given_embedding(request.vector, request.embedding_model, request.text, embedder)
    else:
        text = spoken(request.agent, request.text)
        (job.embedding,) = await embedder.embed([text])
        job.states = kept_states(text, job.embedding)


def given_embedding(vector: object, model: str | None, text: str, embedder: Embedder) -> TextEmbedding:
    """Return the caller's vector scaled to length 1.

    Raises `ModelMismatch` if it was made with another model, `InvalidInput` for a wrong size, NaN, infinity or zero.
    """
    if model != embedder.fingerprint:
        raise ModelMismatch(
            f"embedding_model: {str(model)[:80]!r} is not this store's model {embedder.fingerprint!r}",
            field="embedding_model",
        )
    array = _numbers(vector)
    if array.shape != (embedder.dimensions,):
        raise InvalidInput(
            f"vector: must have {embedder.dimensions} numbers, got shape {array.shape}",
            field="vector",
            limit=embedder.dimensions,
        )
    return TextEmbedding(vectors=_unit(array).reshape(1, -1), windows=((0, len(text)),), states=None)


def _numbers(vector: object) -> NDArray[Any]:
    try:
        array = np.asarray(vector)
    except (TypeError, ValueError, OverflowError) as exc:
        raise InvalidInput("vector: must be a list of numbers", field="vector") from exc
    if array.size and array.dtype.kind not in "iuf":
        raise InvalidInput("vector: must be a list of numbers", field="vector")
    return array


def _unit(given: NDArray[Any]) -> NDArray[np.float32]:
    array = given.astype(np.float64)
    square = _square(array) if given.dtype == np.float32 else _guarded_square(array)
    if not _SMALLEST_SQUARE < square < np.inf:  # also false for NaN
        largest = float(np.abs(array).max())
        if not 0.0 < largest < np.inf:
            raise InvalidInput("vector: must be finite and not zero", field="vector")
        array = array / largest
        square = _square(array)
    return (array * (1.0 / math.sqrt(square))).astype(np.float32)


def _square(array: NDArray[np.float64]) -> float:
    # Not a product by BLAS: that lets go of the interpreter, and under load every such moment costs a switch of threads.
    return float(np.add.reduce(array * array))


def _guarded_square(array: NDArray[np.float64]) -> float:
    """The same for numbers whose squares may be too large. The guard costs more than the square."""
    with np.errstate(over="ignore"):
        return _square(array)
