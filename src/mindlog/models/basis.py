"""Makes the committed state basis from the built default model: `python -m mindlog.models.basis`.

Owns how the basis was chosen. A tool of the repository, never imported by the engine; needs the built model.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
from blake3 import blake3
from tokenizers import Tokenizer

from mindlog.models.catalog import BASIS_FILE, DEFAULT_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["COLUMNS", "principal_axes", "vocabulary_states"]

COLUMNS = 96
WORDS_PER_SEQUENCE = 12


def vocabulary_states(folder: Path, *, sequences: int) -> NDArray[np.float32]:
    """Last hidden states, (12 × sequences, hidden), of the tokenizer's own whole words in sequences of twelve.

    The words (letters a to z, three or more) are drawn in the order of their BLAKE3: no text, so no domain, decides
    the basis. On conversations it ranks evidence better than principal axes of the conversations' own states did,
    whose first axes are spent on function words.
    """
    vocabulary = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
    words = [word for word in vocabulary if word.isascii() and word.isalpha() and len(word) >= 3]
    words.sort(key=lambda word: blake3(word.encode()).digest())
    session = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    rows: list[NDArray[np.float32]] = []
    for at in range(0, sequences * WORDS_PER_SEQUENCE, WORDS_PER_SEQUENCE):
        content = [vocabulary[word] for word in words[at : at + WORDS_PER_SEQUENCE]]
        ids = [vocabulary["[CLS]"], *content, vocabulary["[SEP]"]]
        (states,) = session.run(["states"], {"input_ids": np.array([ids], dtype=np.int64)})
        rows.append(np.asarray(states, dtype=np.float32)[1:-1])
    return np.concatenate(rows)


def principal_axes(states: NDArray[np.float32], columns: int) -> NDArray[np.float32]:
    """The (hidden, columns) axes of greatest variance, greatest first; each axis' largest component is positive."""
    centred = states.astype(np.float64) - states.mean(axis=0, dtype=np.float64)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :columns]
    signs = np.sign(np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0))
    return (axes * signs).astype(np.float32)


def main() -> int:
    """Write the basis as float16, so that the committed file is small."""
    axes = principal_axes(vocabulary_states(DEFAULT_FOLDER, sequences=1700), COLUMNS)
    np.save(BASIS_FILE, axes.astype(np.float16))
    return 0


if __name__ == "__main__":
    sys.exit(main())
