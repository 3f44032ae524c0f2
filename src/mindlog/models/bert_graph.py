"""Writes a BERT sentence encoder as an ONNX graph with int8 weights, ready to run without further optimisation.

Owns the arithmetic of the graph. Elementwise numpy only, so its bytes are the same on every machine. Needs `onnx`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from mindlog.models.bert_shape import BertShape

__all__ = ["bert_graph"]

Tensors = Mapping[str, NDArray[np.float32]]

_MS = "com.microsoft"
_OPSET = 18
_IR_VERSION = 9


def bert_graph(tensors: Tensors, shape: BertShape, *, quantize: bool = True) -> bytes:
    """Serialise the graph: `input_ids` (1, n) int64 → `vector` (1, hidden) and `states` (n, hidden), both float32.

    `vector` is the L2-normalised mean of `states`, the last hidden states, over all tokens.

    quantize: int8 weights, one scale per output column, activations quantised at run time per matrix (asymmetric,
        8 bits); int8 word table, one scale per row. Else float32 throughout, the reference for tests.
    """
    graph = _Graph(quantize=quantize)
    encoder = _Encoder(graph, tensors, shape)
    state = encoder.embeddings()
    for layer in range(shape.layers):
        state = encoder.layer(state, f"encoder.layer.{layer}.")
    one = graph.constant(np.array([1], dtype=np.int64))
    mean = graph.add("ReduceMean", [state, one], keepdims=0)
    graph.add("LpNormalization", [mean], outputs=["vector"], axis=1, p=2)
    graph.add("Squeeze", [state, encoder.zero], outputs=["states"])
    return graph.serialised(shape)


class _Graph:
    """Nodes and constants under construction."""

    def __init__(self, *, quantize: bool) -> None:
        self._quantize = quantize
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, values: NDArray[Any]) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(
        self, kind: str, inputs: list[str], *, outputs: list[str] | None = None, domain: str = "", **attributes: Any
    ) -> str:
        name = f"{kind}_{len(self._nodes)}"
        outputs = outputs or [name]
        self._nodes.append(helper.make_node(kind, inputs, outputs, name=name, domain=domain, **attributes))
        return outputs[0]

    def linear(self, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32] | None) -> str:
        """Multiply by a weight of shape (in, out) and add the bias, if any."""
        if self._quantize:
            levels, scales = _int8(weight, axis=0)
            zeros = np.zeros(scales.size, dtype=np.int8)
            inputs = [x, self.constant(levels), self.constant(scales.reshape(-1)), self.constant(zeros)]
            return self.add(
                "DynamicQuantizeMatMul", inputs + ([] if bias is None else [self.constant(bias)]), domain=_MS
            )
        product = self.add("MatMul", [x, self.constant(weight)])
        return product if bias is None else self.add("Add", [product, self.constant(bias)])

    def lookup(self, table: NDArray[np.float32], ids: str) -> str:
        if not self._quantize:
            return self.add("Gather", [self.constant(table), ids])
        levels, scales = _int8(table, axis=1)
        rows = self.add("Cast", [self.add("Gather", [self.constant(levels), ids])], to=TensorProto.FLOAT)
        return self.add("Mul", [rows, self.add("Gather", [self.constant(scales), ids])])

    def serialised(self, shape: BertShape) -> bytes:
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            self._nodes,
            "sentence_encoder",
            [value("input_ids", TensorProto.INT64, [1, "tokens"])],
            [
                value("vector", TensorProto.FLOAT, [1, shape.hidden]),
                value("states", TensorProto.FLOAT, ["tokens", shape.hidden]),
            ],
            self._constants,
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_MS, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="mindlog")
        return model.SerializeToString(deterministic=True)


class _Encoder:
    """BERT's layers (Devlin et al. 2018) in terms of the graph."""

    def __init__(self, graph: _Graph, tensors: Tensors, shape: BertShape) -> None:
        self._graph = graph
        self._tensors = tensors
        self._shape = shape
        self.zero = graph.constant(np.array([0], dtype=np.int64))
        self._length = graph.add("Shape", ["input_ids"], start=1, end=2)
        self._ones = self._first(np.ones(shape.positions, dtype=np.float32))
        self._zeros = self._first(np.zeros(shape.positions, dtype=np.float32))

    def embeddings(self) -> str:
        word = self._graph.lookup(self._tensors["embeddings.word_embeddings.weight"], "input_ids")
        # One text a run: every token is of type 0, so its row joins the positions.
        place = self._tensors["embeddings.position_embeddings.weight"]
        place = place + self._tensors["embeddings.token_type_embeddings.weight"][0]
        return self._norm(self._graph.add("Add", [word, self._first(place)]), "embeddings.LayerNorm.")

    def layer(self, x: str, at: str) -> str:
        graph, out = self._graph, f"{at}attention.output."
        mixed = self._linear(self._attention(x, f"{at}attention.self."), f"{out}dense.")
        x = self._norm(graph.add("Add", [x, mixed]), f"{out}LayerNorm.")
        weight, bias = self._weights(f"{at}intermediate.dense.")
        wide = graph.add("BiasGelu", [graph.linear(x, weight, None), graph.constant(bias)], domain=_MS)
        narrow = self._linear(wide, f"{at}output.dense.")
        return self._norm(graph.add("Add", [x, narrow]), f"{at}output.LayerNorm.")

    def _attention(self, x: str, at: str) -> str:
        parts = [self._weights(f"{at}{name}.") for name in ("query", "key", "value")]
        joined = self._graph.linear(
            x, np.concatenate([weight for weight, _ in parts], axis=1), np.concatenate([bias for _, bias in parts])
        )
        split = [f"{at}{name}" for name in ("query", "key", "value")]
        self._graph.add("Split", [joined], outputs=split, axis=2, num_outputs=3)
        return self._graph.add("MultiHeadAttention", split, domain=_MS, num_heads=self._shape.heads)

    def _norm(self, x: str, at: str) -> str:
        # Layer norm as an instance norm with one channel a token: onnxruntime's kernel for it is vectorised,
        # its LayerNormalization is not (measured: 2.3 ms → 1.8 ms for 20 tokens, 14.3 ms → 11.4 ms for 128).
        unit = self._graph.add("InstanceNormalization", [x, self._ones, self._zeros], epsilon=self._shape.epsilon)
        scaled = self._graph.add("Mul", [unit, self._graph.constant(self._tensors[f"{at}weight"])])
        return self._graph.add("Add", [scaled, self._graph.constant(self._tensors[f"{at}bias"])])

    def _linear(self, x: str, at: str) -> str:
        return self._graph.linear(x, *self._weights(at))

    def _weights(self, at: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return self._tensors[f"{at}weight"].T, self._tensors[f"{at}bias"]

    def _first(self, values: NDArray[np.float32]) -> str:
        """The first n rows of a constant, n being the number of tokens; rows of a matrix get a batch axis."""
        if values.ndim == 1:
            return self._graph.add("Slice", [self._graph.constant(values), self.zero, self._length])
        axis = self._graph.constant(np.array([1], dtype=np.int64))
        return self._graph.add("Slice", [self._graph.constant(values[None]), self.zero, self._length, axis])


def _int8(values: NDArray[np.float32], *, axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Symmetric levels in -127..127 and the float32 scale of every slice along `axis`."""
    scales = np.abs(values).max(axis=axis, keepdims=True) / np.float32(127)
    scales = np.where(scales == 0, np.float32(1), scales).astype(np.float32)
    return np.rint(values / scales).astype(np.int8), scales
