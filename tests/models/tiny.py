"""A sentence-transformers folder with a model of a few kilobytes: every token's state is its row of a random table."""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

DIMENSIONS = 16
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", ":", *(f"word{number}" for number in range(200)))


def write_tiny_model(
    folder: Path,
    *,
    cls_pooling: bool = False,
    query_prompt: str = "",
    max_seq_length: int = 32,
    output: str = "last_hidden_state",
) -> Path:
    """Write the folder; the graph takes ids, mask and types and gives `output`."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(_graph(output))
    _tokenizer().save(str(folder / "tokenizer.json"))
    _json(folder / "config.json", {"hidden_size": DIMENSIONS, "max_position_embeddings": 64, "model_type": "bert"})
    _json(folder / "sentence_bert_config.json", {"max_seq_length": max_seq_length})
    _json(
        folder / "1_Pooling" / "config.json",
        {"pooling_mode_cls_token": cls_pooling, "pooling_mode_mean_tokens": not cls_pooling},
    )
    _json(folder / "config_sentence_transformers.json", {"prompts": {"query": query_prompt}})
    return folder


def table() -> np.ndarray:
    """The (words, dimensions) token states."""
    return np.random.default_rng(7).normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)


def _graph(output: str) -> bytes:
    value = helper.make_tensor_value_info
    # The mask and the types take part with weight nought, so that the graph has them as inputs.
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Add", ["attention_mask", "token_type_ids"], ["sum"]),
        helper.make_node("Cast", ["sum"], ["float"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["float", "nought"], ["nothing"]),
        helper.make_node("Unsqueeze", ["nothing", "last"], ["column"]),
        helper.make_node("Add", ["rows", "column"], [output]),
    ]
    constants = [
        numpy_helper.from_array(table(), "table"),
        numpy_helper.from_array(np.array(0, dtype=np.float32), "nought"),
        numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
    ]
    inputs = [value(name, TensorProto.INT64, ["b", "n"]) for name in ("input_ids", "attention_mask", "token_type_ids")]
    graph = helper.make_graph(
        nodes, "tiny", inputs, [value(output, TensorProto.FLOAT, ["b", "n", DIMENSIONS])], constants
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


def _json(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content))
