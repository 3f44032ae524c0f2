"""An embedder behind an OpenAI-compatible `/embeddings` endpoint. Owns the requests and their retries.

Needs httpx2 (`mindlog[client]`), imported when one is made. Knows no cache.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from mindlog.errors import ConfigError, EmbedderFailed, ModelMismatch
from mindlog.models.batching import Batcher
from mindlog.models.embedder import EmbedKind, TextEmbedding
from mindlog.models.embedding_reply import read_reply
from mindlog.models.fingerprint import fingerprint
from mindlog.models.retry import RetryPolicy, retry_after
from mindlog.models.windows import char_windows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import httpx2
    from numpy.typing import NDArray

__all__ = ["OpenAIEmbedder"]

# Endpoints take 8192 tokens at most; scripts with a token or more a character exist.
_WINDOW_CHARS = 6000
_OVERLAP_CHARS = 200
_MAX_WAITING = 65_536
_TRANSIENT = frozenset({408, 409, 425, 429})
# No status: the answer was no embedding. Others, such as 401 and 404, would refuse every text.
_BLAMED_ON_TEXTS = frozenset({None, 400, 413, 422})


class OpenAIEmbedder:
    """Embeds by POST {base_url}/embeddings, in batches that concurrent calls share. Has no token states.

    Long texts go in windows of characters. What was sent together and refused is sent again in halves, so that a text
    fails no caller but its own. Belongs to one event loop.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        ask_dimensions: bool = False,
        timeout: float = 30.0,
        batch_size: int = 64,
        max_in_flight: int = 4,
        window_chars: int = _WINDOW_CHARS,
        retry: RetryPolicy | None = None,
    ) -> None:
        """Open nothing yet; connections are made when needed.

        dimensions: length of the vectors; if None, `learn_dimensions` must be awaited first. ask_dimensions: send the
        number with every request, for models that can shorten their vectors. timeout: seconds for one request.
        batch_size: windows in a request. max_in_flight: requests at a time. window_chars: characters of a window.

        Raises:
            ConfigError: httpx2 is not installed, or the address is none.
        """
        self._http = _httpx2()
        self._client = self._connect(base_url, api_key, timeout)
        self._model = model
        self._dimensions = dimensions
        self._options: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if ask_dimensions and dimensions is not None:
            self._options["dimensions"] = dimensions
        self._window_chars = window_chars
        self._retry = retry or RetryPolicy()
        self._batcher = Batcher(
            self._request,
            size=batch_size,
            max_in_flight=max_in_flight,
            max_waiting=_MAX_WAITING,
            is_values_fault=_may_be_a_texts_fault,
        )

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._model

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        if self._dimensions is None:
            raise ModelMismatch("the endpoint's dimensions are not known yet: await learn_dimensions() first")
        return self._dimensions

    @property
    def fingerprint(self) -> str:
        """Hex BLAKE3 of model name, dimensions and window; the endpoint's weights cannot be seen from here."""
        facts = {"model": self._model, "dimensions": self.dimensions, "window_chars": self._window_chars}
        return fingerprint({**facts, "overlap_chars": _OVERLAP_CHARS})

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        """One embedding per text, in order. `kind` makes no difference.

        Raises:
            EmbedderFailed: the endpoint refused, stayed away after the retries, or answered with something that is
                not one finite vector, of the right length and not zero, for every input.
            Busy: too many texts wait for the endpoint.
            Closed: the embedder was closed.
        """
        spans = [char_windows(text, size=self._window_chars, overlap=_OVERLAP_CHARS) for text in texts]
        inputs = [text[start:end] for text, each in zip(texts, spans, strict=True) for start, end in each]
        return _by_text(await self._batcher.run(inputs), spans)

    async def learn_dimensions(self) -> int:
        """Length of the vectors, by embedding one word if it is not known yet.

        Raises:
            EmbedderFailed: the endpoint did not answer with an embedding.
        """
        if self._dimensions is None:
            self._dimensions = len((await self._request(["dimensions"]))[0])
        return self._dimensions

    async def aclose(self) -> None:
        """Refuse new calls, finish those under way, close the connections."""
        await self._batcher.aclose()
        await self._client.aclose()

    def _connect(self, base_url: str, api_key: str | None, timeout: float) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        try:
            return self._http.AsyncClient(base_url=base_url.rstrip("/") + "/", headers=headers, timeout=timeout)
        except self._http.InvalidURL as exc:
            raise ConfigError(f"the embedder's address is not a URL: {exc}", field="embedder_url") from exc

    async def _request(self, inputs: list[str]) -> list[NDArray[np.float32]]:
        """A unit vector per input from one request, retried while the fault may pass."""
        for delay in self._retry.delays():
            try:
                return list(await self._attempt(inputs))
            except EmbedderFailed as exc:
                pause = self._retry.pause(delay, exc)
                if pause is None:
                    raise
            await asyncio.sleep(pause)
        return list(await self._attempt(inputs))

    async def _attempt(self, inputs: list[str]) -> NDArray[np.float32]:
        try:
            response = await self._client.post("embeddings", json={**self._options, "input": inputs})
        except self._http.TimeoutException as exc:
            raise EmbedderFailed("the embedding endpoint did not answer in time", retryable=True) from exc
        except self._http.UnsupportedProtocol as exc:
            raise ConfigError(f"the embedder's address is not a URL: {exc}", field="embedder_url") from exc
        except self._http.TransportError as exc:
            raise EmbedderFailed(f"the embedding endpoint cannot be reached: {exc}", retryable=True) from exc
        if response.status_code != 200:
            raise _refusal(response)
        return read_reply(response.content, count=len(inputs), dimensions=self._dimensions)


def _httpx2() -> ModuleType:
    try:
        return importlib.import_module("httpx2")
    except ImportError as exc:
        raise ConfigError("an embedding endpoint needs httpx2: install mindlog[client]") from exc


def _refusal(response: httpx2.Response) -> EmbedderFailed:
    status = response.status_code
    return EmbedderFailed(
        f"the embedding endpoint answered {status}: {response.text[:200]}",
        retryable=status in _TRANSIENT or status >= 500,
        http_status=status,
        retry_after=retry_after(response.headers.get("retry-after")),
    )


def _may_be_a_texts_fault(error: BaseException) -> bool:
    if not isinstance(error, EmbedderFailed) or error.retryable:
        return False
    return error.extra.get("http_status") in _BLAMED_ON_TEXTS


def _by_text(rows: list[NDArray[np.float32]], spans: list[tuple[tuple[int, int], ...]]) -> list[TextEmbedding]:
    embeddings: list[TextEmbedding] = []
    at = 0
    for windows in spans:
        vectors = np.stack(rows[at : at + len(windows)])
        vectors.setflags(write=False)
        embeddings.append(TextEmbedding(vectors=vectors, windows=windows))
        at += len(windows)
    return embeddings
