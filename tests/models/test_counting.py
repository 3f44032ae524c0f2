"""Tokens are counted as the model counts them, or guessed where it is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.errors import ModelDamaged
from mindlog.models.catalog import DEFAULT_FOLDER
from mindlog.models.counting import TokenCounter, estimate_tokens, token_counter
from mindlog.models.tokens import TextTokenizer
from mindlog.settings import Settings

TEXTS = ["", "Ann sails.", "Straßenbahnhaltestelle 港は開いています", "x = f(1)\n\ty"]
built = pytest.mark.skipif(
    not (DEFAULT_FOLDER / "tokenizer.json").exists(), reason="the default model is not built (make model)"
)


@built
def test_the_models_own_tokenizer_counts_without_special_tokens() -> None:
    tokenizer = TextTokenizer(DEFAULT_FOLDER / "tokenizer.json")
    assert token_counter(Settings())(TEXTS) == [len(tokenizer.tokenize(text).ids) for text in TEXTS]


@built
def test_a_text_longer_than_the_models_window_is_counted_whole() -> None:
    assert TokenCounter(DEFAULT_FOLDER / "tokenizer.json")(["harbour " * 5000]) == [5000]


def test_for_a_model_at_an_endpoint_tokens_are_guessed() -> None:
    assert token_counter(Settings(embedder="openai")) is estimate_tokens
    assert estimate_tokens(TEXTS) == [0, 3, 12, 7]


def test_a_folder_without_a_tokenizer_is_said_to_be_damaged(tmp_path: Path) -> None:
    with pytest.raises(ModelDamaged):
        token_counter(Settings(embedder=str(tmp_path)))
