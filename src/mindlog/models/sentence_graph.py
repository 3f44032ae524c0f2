"""Runs a sentence model's ONNX graph on one text at a time. Owns onnxruntime's settings and the pooling."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from mindlog.errors import EmbedderFailed, ModelDamaged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mindlog.models.folder import ModelSpec

__all__ = ["SentenceGraph"]

# The library's errors share no base but Exception, and its type stubs do not know them.
_ORT_ERRORS: tuple[type[Exception], ...] = tuple(
    kind
    for kind in vars(importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")).values()
    if isinstance(kind, type) and issubclass(kind, Exception)
)
_STATE_OUTPUTS = ("last_hidden_state", "token_embeddings")


class SentenceGraph:
    """A loaded graph. `run` may be called from several threads at once; each call uses one core."""

    def __init__(self, spec: ModelSpec) -> None:
        """Load the graph.

        Raises:
            ModelDamaged: onnxruntime cannot read it, or it has not the inputs and outputs of a sentence model.
        """
        self._pooling = spec.pooling
        self._dimensions = spec.dimensions
        try:
            self._session = onnxruntime.InferenceSession(
                spec.graph, _options(fused=spec.pooling == "graph"), providers=["CPUExecutionProvider"]
            )
        except _ORT_ERRORS as exc:
            raise ModelDamaged(f"{spec.graph.name} in {spec.graph.parent} cannot be loaded: {exc}") from exc
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._outputs = self._choose_outputs([each.name for each in self._session.get_outputs()])

    def run(self, ids: Sequence[int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The unit vector (dimensions,) and the last hidden states (tokens, dimensions) of one unpadded sequence.

        Raises:
            EmbedderFailed: the graph failed, or its vector is not finite or has no length.
        """
        row = np.array([ids], dtype=np.int64)
        inputs = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        try:
            results = self._session.run(self._outputs, {name: inputs[name] for name in self._inputs})
        except _ORT_ERRORS as exc:
            raise EmbedderFailed(f"the model failed on a text of {len(ids)} tokens: {exc}", retryable=False) from exc
        return self._pooled([np.asarray(result, dtype=np.float32) for result in results])

    def _choose_outputs(self, names: list[str]) -> list[str]:
        known = {"input_ids", "attention_mask", "token_type_ids"}
        if "input_ids" not in self._inputs or not self._inputs <= known:
            raise ModelDamaged(f"the graph takes {sorted(self._inputs)}, not the inputs of a sentence model")
        if self._pooling == "graph" and {"vector", "states"} <= set(names):
            return ["vector", "states"]
        for name in _STATE_OUTPUTS:
            if self._pooling != "graph" and name in names:
                return [name]
        raise ModelDamaged(f"the graph gives {names}, not {' or '.join(_STATE_OUTPUTS)}")

    def _pooled(self, results: list[NDArray[np.float32]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        if self._pooling == "graph":
            vector, states = results[0][0], results[1]
        else:
            states = results[0][0]
            vector = states[0] if self._pooling == "cls" else states.mean(axis=0)
        length = float(np.linalg.norm(vector))
        if vector.shape != (self._dimensions,) or not np.isfinite(length) or length == 0.0:
            raise EmbedderFailed(
                f"the model gave a vector of shape {vector.shape} and length {length}, expected {self._dimensions}",
                retryable=False,
            )
        return vector / np.float32(length), states


def _options(*, fused: bool) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # A plan per length would be kept for ever and reused by chance: lengths vary with every text.
    options.enable_mem_pattern = False
    levels = onnxruntime.GraphOptimizationLevel
    # A built graph is written fused: optimising it again changes nothing and costs 50 ms at every open.
    options.graph_optimization_level = levels.ORT_DISABLE_ALL if fused else levels.ORT_ENABLE_ALL
    return options
