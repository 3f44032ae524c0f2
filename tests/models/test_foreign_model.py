import json

import numpy as np
import pytest

from mindlog.errors import ModelDamaged, ModelMissing
from mindlog.models.onnx_embedder import OnnxEmbedder
from tests.models.tiny import WORDS, table, write_tiny_model


def rows(*words: str) -> np.ndarray:
    return table()[[WORDS.index(word) for word in words]]


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


async def embed(folder, text, kind="document"):
    embedder = OnnxEmbedder.open(folder)
    try:
        (embedding,) = await embedder.embed([text], kind)
        return embedding
    finally:
        await embedder.aclose()


@pytest.mark.parametrize("output", ["last_hidden_state", "token_embeddings"])
async def test_mean_pooling_takes_every_token_and_ignores_the_files_padding(tmp_path, output):
    folder = write_tiny_model(tmp_path / "tiny", output=output)
    embedding = await embed(folder, "word1 word2 word3")
    expected = unit(rows("[CLS]", "word1", "word2", "word3", "[SEP]").mean(axis=0))
    np.testing.assert_allclose(embedding.vectors[0], expected, atol=1e-6)
    assert embedding.states is None


async def test_the_files_truncation_does_not_cut_a_text(tmp_path):
    words = [f"word{number}" for number in range(20)]
    embedding = await embed(write_tiny_model(tmp_path / "tiny"), " ".join(words))
    np.testing.assert_allclose(embedding.vectors[0], unit(rows("[CLS]", *words, "[SEP]").mean(axis=0)), atol=1e-6)


async def test_cls_pooling_takes_the_first_token(tmp_path):
    embedding = await embed(write_tiny_model(tmp_path / "tiny", cls_pooling=True), "word1 word2")
    np.testing.assert_allclose(embedding.vectors[0], unit(rows("[CLS]")[0]), atol=1e-6)


async def test_a_query_prompt_precedes_queries_only(tmp_path):
    folder = write_tiny_model(tmp_path / "tiny", query_prompt="query: ")
    query = await embed(folder, "word1", "query")
    document = await embed(folder, "word1", "document")
    np.testing.assert_allclose(
        query.vectors[0], unit(rows("[CLS]", "query", ":", "word1", "[SEP]").mean(axis=0)), atol=1e-6
    )
    np.testing.assert_allclose(document.vectors[0], unit(rows("[CLS]", "word1", "[SEP]").mean(axis=0)), atol=1e-6)


async def test_the_window_is_the_models_own_sequence_length(tmp_path):
    folder = write_tiny_model(tmp_path / "tiny", max_seq_length=34)
    assert len((await embed(folder, "word1 " * 32)).windows) == 1
    assert len((await embed(folder, "word1 " * 33)).windows) == 2


async def test_prompts_and_weights_decide_the_fingerprint(tmp_path):
    plain = OnnxEmbedder.open(write_tiny_model(tmp_path / "a"))
    same = OnnxEmbedder.open(write_tiny_model(tmp_path / "b"))
    prompted = OnnxEmbedder.open(write_tiny_model(tmp_path / "c", query_prompt="query: "))
    pooled = OnnxEmbedder.open(write_tiny_model(tmp_path / "d", cls_pooling=True))
    assert plain.fingerprint == same.fingerprint
    assert len({plain.fingerprint, prompted.fingerprint, pooled.fingerprint}) == 3
    for each in (plain, same, prompted, pooled):
        await each.aclose()


def test_an_empty_folder_is_a_missing_model(tmp_path):
    with pytest.raises(ModelMissing, match="make model"):
        OnnxEmbedder.open(tmp_path)


def test_a_folder_without_a_graph_is_a_missing_model(tmp_path):
    folder = write_tiny_model(tmp_path / "tiny")
    (folder / "onnx" / "model.onnx").unlink()
    with pytest.raises(ModelMissing, match=r"model\.onnx"):
        OnnxEmbedder.open(folder)


@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json", "config.json", "1_Pooling/config.json"])
@pytest.mark.parametrize("content", [b"", b"[]", b"\x00garbage\xff" * 100])
def test_an_unreadable_file_is_named(tmp_path, name, content):
    folder = write_tiny_model(tmp_path / "tiny")
    (folder / name).write_bytes(content)
    with pytest.raises(ModelDamaged, match=name.rsplit("/", 1)[-1]):
        OnnxEmbedder.open(folder)


def test_a_pooling_that_is_not_known_is_refused(tmp_path):
    folder = write_tiny_model(tmp_path / "tiny")
    pooling = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": False, "pooling_mode_max_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    with pytest.raises(ModelDamaged, match="neither mean nor cls"):
        OnnxEmbedder.open(folder)


def test_a_graph_without_token_states_is_refused(tmp_path):
    with pytest.raises(ModelDamaged, match="last_hidden_state"):
        OnnxEmbedder.open(write_tiny_model(tmp_path / "tiny", output="logits"))
