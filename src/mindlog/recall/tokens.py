"""Token states: which of a memory's are kept for late interaction, and how well a cue's tokens are met by them.

The method is ColBERT's MaxSim (Khattab and Zaharia, 2020) over the embedder's own last hidden states. Only the first
window's content tokens are kept: later windows of long texts drowned the evidence (59.3 against 53.6 on long turns).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mindlog.index.analyzer import FUNCTION_TERMS, analyze
from mindlog.index.kernels import int8_products
from mindlog.models.states import LEVELS

if TYPE_CHECKING:
    from mindlog.models.embedder import TextEmbedding

__all__ = ["kept_states", "token_maxima"]

_FUNCTION = frozenset(FUNCTION_TERMS)


def kept_states(text: str, embedding: TextEmbedding) -> NDArray[np.int8] | None:
    """Return the states to store for a text: content tokens of its first window, at least one."""
    states, spans = embedding.states, embedding.state_spans
    if states is None or spans is None or not len(states):
        return None
    first = spans[:, 1] <= embedding.windows[0][1]
    content = np.array([_is_content(text[start:end]) for start, end in spans[first].tolist()], np.bool_)
    picked = states[first][content]
    return np.ascontiguousarray(picked if len(picked) else states[:1])


def _is_content(token: str) -> bool:
    return any(map(str.isalnum, token)) and not _FUNCTION.issuperset(analyze(token))


def token_maxima(cue: NDArray[np.int8], memories: Sequence[NDArray[np.int8] | None]) -> NDArray[np.float32]:
    """Return how well each memory meets each token of the cue: (tokens, memories), from 0 to 1.

    The square of the largest cosine, negative ones counted as 0: near misses count for little. A memory without states
    meets nothing.
    """
    met = np.zeros((len(cue), len(memories)), np.float32)
    present = [at for at, states in enumerate(memories) if states is not None and states.shape[1] == cue.shape[1]]
    if not present:
        return met
    parts = [states for at in present if (states := memories[at]) is not None]
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    products = int8_products(np.ascontiguousarray(cue), np.concatenate(parts))
    best = np.maximum.reduceat(products, starts, axis=1).astype(np.float32) / np.float32(LEVELS**2)
    met[:, present] = np.square(np.clip(best, 0.0, 1.0))
    return met
