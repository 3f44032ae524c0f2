"""What a chunk says in one or two sentences: its own most central ones, or a language model's. Knows no store and no chunk.

Centrality is continuous LexRank (Erkan and Radev, "LexRank: Graph-based Lexical Centrality as Salience in Text Summarization",
JAIR 22, 2004): the damped random walk over the cosines of the sentences. The vectors are the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from pydantic import BaseModel

from mindlog.errors import LlmBadOutput
from mindlog.knowledge.prompts import as_data
from mindlog.models.counting import estimate_tokens
from mindlog.models.llm import Message
from mindlog.remember.marks import DocumentKind, mark_text
from mindlog.remember.prompts import load_prompt
from mindlog.remember.sentences import sentence_spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mindlog.models.embedder import TextEmbedding
    from mindlog.models.llm import LLM, Reasoning

__all__ = [
    "MOST_SENTENCES",
    "MOST_TOKENS",
    "PROMPT",
    "sentence_vectors",
    "summarize",
    "summarize_with",
    "telling_spans",
]

PROMPT: Final = "summary.v1"
"""The prompt's name and version."""

MOST_SENTENCES: Final = 2
"""Sentences of an extractive summary."""

MOST_TOKENS: Final = 60
"""About so many tokens an extractive summary has at most, if its text has more than one sentence."""

_DAMPING = 0.15
_STEPS = 30
_MOST_READ = 400  # sentences; the cosines of all pairs are held at once
_NEAR = 0.93
_FEWEST_TOKENS = 8  # shorter sentences are taken after the others
_MOST_TEXT = 12_000  # characters shown to a model
_LONGEST = 1_000  # characters of a model's summary
_MARKER = re.compile(r"(?:[-*+•‣◦▪·]|(?:\d{1,3}|[a-z])[.)]|>)[ \t]+")
_UNSPACED = tuple("。！？｡」』）")


class Summary(BaseModel):
    """What the part says."""  # a model is shown this, with the schema

    summary: str


def telling_spans(text: str, kind: DocumentKind = "markdown") -> list[tuple[int, int]]:
    """Return the places of a chunk's sentences that may tell what it says: not its headings, tables and code, unless alone."""
    blocks = [mark for mark in mark_text(text, kind) if mark.kind in ("paragraph", "list_item")]
    shown = [mark for mark in blocks if not text.startswith("<!--", mark.start)]
    spans = [span for mark in shown for span in _sentences(text, mark.start, mark.end)]
    return spans or list(sentence_spans(text))


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for first, last in sentence_spans(text, start, end):
        marker = _MARKER.match(text, first, last)
        yield marker.end() if marker else first, last


def sentence_vectors(embedding: TextEmbedding, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32] | None:
    """Return (n, d) float32 unit vectors of the sentences of an embedded text: the mean states of their tokens.

    A sentence without a token has a vector of zeros. None if the embedder gives no states. Costs no call of the model.
    """
    states, places = embedding.states, embedding.state_spans
    if states is None or places is None:
        return None
    vectors = np.zeros((len(spans), states.shape[1]), np.float32)
    for row, (start, end) in zip(vectors, spans, strict=True):
        inside = (places[:, 0] >= start) & (places[:, 0] < end)
        row[:] = states[inside].sum(axis=0, dtype=np.float32)
    return _unit(vectors)


def summarize(sentences: Sequence[str], vectors: NDArray[np.float32]) -> str:
    """Return the one or two sentences that are most like the others, in their order; the only one of one.

    vectors: (n, d), a row for each sentence. Of more than 400 sentences the first are read. A sentence too long for a summary is
    taken only if all are, and then cut.

    Raises:
        ValueError: there are not as many vectors as sentences.
    """
    if len(sentences) != len(vectors):
        raise ValueError(f"{len(vectors)} vectors for {len(sentences)} sentences")
    said = [" ".join(sentence.split()) for sentence in sentences[:_MOST_READ]]
    if len(said) < 2:
        return "".join(said)
    unit = _unit(np.nan_to_num(np.asarray(vectors[:_MOST_READ], np.float32)))
    alike = unit @ unit.T
    chosen = _chosen(said, _centrality(alike), alike)
    return _together([said[at] for at in sorted(chosen)]) if chosen else _cut(said[0])


async def summarize_with(
    llm: LLM, text: str, language: str, *, model: str | None = None, reasoning: Reasoning | None = None
) -> str:
    """Return a language model's summary of a chunk, on one line.

    language: the code of the language to write in. Raises what `LLM.structured` raises, and `LlmBadOutput` if the summary is
    empty, no shorter than the text, or too long for one.
    """
    named = "its language" if language == "und" else f'its language ("{language}")'
    prompt = load_prompt(PROMPT).filled(words=str(MOST_TOKENS), language=named)
    asked = Message("system", prompt), Message("user", as_data(text[:_MOST_TEXT]))
    answer = await llm.structured(asked, Summary, model=model, reasoning=reasoning)
    said = " ".join(answer.value.summary.split())
    if flaw := _flaw(said, text):
        raise LlmBadOutput(f"the summary {flaw}", raw_output=said[:2_000], inference_id=answer.inference_id)
    return said


def _flaw(said: str, text: str) -> str | None:
    if not any(map(str.isalnum, said)):
        return "is empty"
    if len(said) >= len(text.strip()):
        return "is no shorter than the text"
    return f"has {len(said)} characters, at most {_LONGEST} are kept" if len(said) > _LONGEST else None


def _centrality(alike: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the (n,) share of time the damped walk spends on each sentence. alike: (n, n) cosines."""
    weights = np.maximum(alike, 0).astype(np.float64)
    np.fill_diagonal(weights, 0)
    sums = weights.sum(axis=1, keepdims=True)
    count = len(weights)
    moves = np.divide(weights, sums, out=np.full_like(weights, 1 / count), where=sums > 0)
    shares = np.full(count, 1 / count)
    for _ in range(_STEPS):
        shares = _DAMPING / count + (1 - _DAMPING) * (shares @ moves)
    return shares


def _chosen(said: list[str], scores: NDArray[np.float64], alike: NDArray[np.float32]) -> list[int]:
    """Return the best sentences that fit together, none nearly the same as another; the earlier of two as good."""
    sizes = estimate_tokens(said)
    order = sorted(range(len(said)), key=lambda at: (sizes[at] < _FEWEST_TOKENS, -round(float(scores[at]), 9), at))
    chosen: list[int] = []
    room = MOST_TOKENS
    for at in order:
        if sizes[at] <= room and not any(_same(said, alike, at, other) for other in chosen):
            chosen.append(at)
            room -= sizes[at]
        if len(chosen) == MOST_SENTENCES:
            break
    return chosen


def _same(said: list[str], alike: NDArray[np.float32], one: int, other: int) -> bool:
    first, second = said[one].casefold(), said[other].casefold()
    return bool(alike[one, other] >= _NEAR) or first in second or second in first


def _cut(sentence: str) -> str:
    """Return the beginning of a sentence, as much as a summary may have, and an ellipsis."""
    words = sentence.split(" ")
    if len(words) < 2:
        return sentence[:MOST_TOKENS] + "…"
    kept, room = 0, MOST_TOKENS
    for size in estimate_tokens(words):
        if size > room:
            break
        kept, room = kept + 1, room - size
    return (" ".join(words[:kept]) or sentence[:MOST_TOKENS]).rstrip(",;:—–- ") + "…"


def _together(chosen: list[str]) -> str:
    joined = chosen[0]
    for sentence in chosen[1:]:
        joined += sentence if joined.endswith(_UNSPACED) else f" {sentence}"
    return joined


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
