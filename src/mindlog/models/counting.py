"""Counts tokens, for whoever sizes texts by them: with a model's tokenizer, or by a rule of thumb where it is not known.

A tokenizer of its own costs 10 MB and 20 ms, and shares nothing with an embedder at work.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mindlog.models.catalog import DEFAULT_FOLDER, DEFAULT_NAME
from mindlog.models.tokens import TextTokenizer

if TYPE_CHECKING:
    from mindlog.settings import Settings

__all__ = ["TokenCount", "TokenCounter", "estimate_tokens", "token_counter"]

TokenCount = Callable[[list[str]], list[int]]
"""Texts in, the number of tokens of each out, without special tokens."""

_PIECE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00010000-\U0010ffff]|[^\W_]+|[^\w\s]|_"
)
_LETTERS = 6  # of a word that is most likely one token; a longer one has a token more for each so many


class TokenCounter(TextTokenizer):
    """Counts with a `tokenizer.json`. Any thread may call it; others run while it counts."""

    def __call__(self, texts: list[str]) -> list[int]:
        """The number of tokens of each text."""
        return [len(encoding) for encoding in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)]


def token_counter(settings: Settings) -> TokenCount:
    """How the model of the settings counts tokens; `estimate_tokens` for a model at an endpoint. Blocks for 20 ms.

    Raises:
        ModelDamaged: there is no tokenizer where the settings say that the model is.
    """
    if settings.embedder == "openai":
        return estimate_tokens
    folder = DEFAULT_FOLDER if settings.embedder == DEFAULT_NAME else Path(settings.embedder)
    return TokenCounter(folder / "tokenizer.json")


def estimate_tokens(texts: list[str]) -> list[int]:
    """A guess without a tokenizer: a word is a token for every six letters, a sign one, a character without blanks one."""
    return [sum(1 + (match.end() - match.start() - 1) // _LETTERS for match in _PIECE.finditer(text)) for text in texts]
