"""The local embedder: a folder's tokenizer and ONNX graph, run on a few threads. Knows no cache and no network.

One window a run, unpadded: a vector depends on its own text alone.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindlog.errors import Closed, InvalidInput
from mindlog.models.embedder import EmbedKind, TextEmbedding
from mindlog.models.folder import ModelSpec, read_spec
from mindlog.models.sentence_graph import SentenceGraph
from mindlog.models.states import StateBasis
from mindlog.models.tokens import TextTokenizer, Tokens
from mindlog.models.windows import char_spans, token_ranges
from mindlog.models.workers import Workers, bounded_map

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["OnnxEmbedder"]

# Windows a thread embeds before it looks for other work: a short text waits behind a long one about 25 ms at most.
_WINDOWS_PER_TURN = 2


if TYPE_CHECKING:
    _Row = tuple[NDArray[np.float32], NDArray[np.int8] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """A tokenised text and its windows as token ranges."""

    tokens: Tokens
    head: list[int]
    ranges: list[tuple[int, int]]
    spans: tuple[tuple[int, int], ...]


class OnnxEmbedder:
    """Embeds on `threads` threads, each call of the graph on one core. Belongs to one event loop."""

    def __init__(self, spec: ModelSpec, *, threads: int = 2) -> None:
        self._spec = spec
        self._tokenizer = TextTokenizer(spec.tokenizer)
        self._graph = SentenceGraph(spec)
        self._basis = StateBasis.load(spec.basis, hidden=spec.dimensions) if spec.basis else None
        self._heads = {kind: self._head(prefix) for kind, prefix in _prefixes(spec).items()}
        self._workers = Workers(threads, "mindlog-embed")
        self._active = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._closed = False

    @classmethod
    def open(
        cls, folder: Path, *, threads: int = 2, window: int | None = None, overlap: int | None = None
    ) -> OnnxEmbedder:
        """Open a built model or a sentence-transformers folder with an ONNX graph. Blocks for about 0.1 s.

        window, overlap: tokens of a window (special tokens counted) and shared by neighbours; the model's own if None.

        Raises:
            ModelMissing: there is no model in the folder.
            ModelDamaged: a file is missing, changed or unreadable.
            InvalidInput: the window does not fit the model.
        """
        return cls(read_spec(folder, window=window, overlap=overlap), threads=threads)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._spec.name

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._spec.dimensions

    @property
    def fingerprint(self) -> str:
        """Hex BLAKE3 of graph, tokenizer, basis, pooling, prefixes and window settings."""
        return self._spec.fingerprint

    @property
    def state_dimensions(self) -> int | None:
        """Width of the token states; None if the model has no basis for them."""
        return self._basis.dimensions if self._basis else None

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        """One embedding per text, in order; tokenising and inference run on the threads.

        Raises:
            InvalidInput: a text is empty or holds a lone surrogate.
            EmbedderFailed: the graph failed.
            Closed: the embedder was closed.
        """
        if self._closed:
            raise Closed("the embedder is closed")
        head = self._heads[kind]
        self._active += 1
        self._idle.clear()
        try:
            return await bounded_map(
                lambda text: self._embed_one(text, head), list(texts), limit=2 * self._workers.threads
            )
        finally:
            self._active -= 1
            if not self._active:
                self._idle.set()

    async def aclose(self) -> None:
        """Refuse new calls, finish those under way, end the threads."""
        self._closed = True
        await self._idle.wait()
        await self._workers.aclose()

    async def _embed_one(self, text: str, head: list[int]) -> TextEmbedding:
        first = await self._workers.run(lambda text: self._start(text, head), text)
        if isinstance(first, TextEmbedding):
            return first
        turns = [first.ranges[at : at + _WINDOWS_PER_TURN] for at in range(0, len(first.ranges), _WINDOWS_PER_TURN)]
        parts = await bounded_map(
            lambda turn: self._workers.run(lambda ranges: self._infer(first, ranges), turn),
            turns,
            limit=self._workers.threads,
        )
        rows = [row for part in parts for row in part]
        return await self._workers.run(lambda rows: _embedding(rows, first), rows)

    def _start(self, text: str, head: list[int]) -> TextEmbedding | _Plan:
        """On a thread: tokenise; embed at once if one window holds the text."""
        _check(text)
        tokens = self._tokenizer.tokenize(text)
        capacity = self._spec.window - len(head) - len(self._tokenizer.after)
        ranges = token_ranges(len(tokens.ids), capacity=capacity, overlap=self._spec.overlap)
        spans = char_spans(ranges, tokens.starts, len(text))
        plan = _Plan(tokens=tokens, head=head, ranges=ranges, spans=spans)
        return plan if len(ranges) > 1 else _embedding(self._infer(plan, ranges), plan)

    def _infer(self, plan: _Plan, ranges: list[tuple[int, int]]) -> list[_Row]:
        """On a thread: vector and compressed states of each window."""
        rows: list[_Row] = []
        for start, end in ranges:
            ids = [*plan.head, *plan.tokens.ids[start:end], *self._tokenizer.after]
            vector, states = self._graph.run(ids)
            inner = states[len(plan.head) : len(plan.head) + end - start]
            rows.append((vector, self._basis.compress(inner) if self._basis else None))
        return rows

    def _head(self, prefix: str) -> list[int]:
        head = self._tokenizer.before + (self._tokenizer.tokenize(prefix.rstrip()).ids if prefix else [])
        room = self._spec.window - len(head) - len(self._tokenizer.after)
        if room <= self._spec.overlap:
            raise InvalidInput(f"a window of {self._spec.window} tokens leaves {room} for text", field="window")
        return head


def _prefixes(spec: ModelSpec) -> dict[EmbedKind, str]:
    return {"document": spec.document_prefix, "query": spec.query_prefix}


def _check(text: str) -> None:
    if not text:
        raise InvalidInput("the text to embed is empty", field="text")
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        raise InvalidInput(f"the text holds a lone surrogate at character {exc.start}", field="text") from exc


def _embedding(rows: list[_Row], plan: _Plan) -> TextEmbedding:
    vectors = np.stack([vector for vector, _ in rows])
    vectors.setflags(write=False)
    parts = [states for _, states in rows if states is not None]
    states = np.concatenate(parts) if parts else None
    if states is None:
        return TextEmbedding(vectors=vectors, windows=plan.spans)
    at = np.concatenate([np.arange(start, end) for start, end in plan.ranges])
    spans = np.array([plan.tokens.starts, plan.tokens.ends], np.int32).T[at]
    for array in (states, spans):
        array.setflags(write=False)
    return TextEmbedding(vectors=vectors, windows=plan.spans, states=states, state_spans=spans)
