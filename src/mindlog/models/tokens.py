"""Text to token ids with their places, in short holds of the interpreter lock. Owns the tokenizer file's use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from mindlog.errors import ModelDamaged
from mindlog.models.windows import pieces

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["TextTokenizer", "Tokens"]

# Encoding holds the interpreter lock; 4096 characters take about 1.4 ms, so other threads are not kept waiting.
_PIECE = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Token ids of a text without special tokens, and the characters [start, end) of each."""

    ids: list[int]
    starts: list[int]
    ends: list[int]


class TextTokenizer:
    """A `tokenizer.json`; its truncation and padding are switched off."""

    def __init__(self, path: Path) -> None:
        """Load the file.

        Raises:
            ModelDamaged: it is no tokenizer.
        """
        with _DamagedFile(path):
            self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.before, self.after = self._specials()

    def tokenize(self, text: str) -> Tokens:
        """All tokens of a text of any length."""
        ids: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        for start, end in pieces(text, _PIECE):
            encoding = self._tokenizer.encode(text[start:end], add_special_tokens=False)
            ids += encoding.ids
            starts += [start + offset for offset, _ in encoding.offsets]
            ends += [start + offset for _, offset in encoding.offsets]
        return Tokens(ids=ids, starts=starts, ends=ends)

    def _specials(self) -> tuple[list[int], list[int]]:
        """Ids the model wants before and after every text."""
        encoding = self._tokenizer.encode("a")
        marks = encoding.special_tokens_mask
        inner = [index for index, mark in enumerate(marks) if not mark]
        return (encoding.ids[: inner[0]], encoding.ids[inner[-1] + 1 :]) if inner else (encoding.ids, [])


class _DamagedFile:
    """Turns the bare `Exception` that tokenizers raises for any unreadable file into ModelDamaged."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if kind is Exception:
            raise ModelDamaged(f"{self._path.name} in {self._path.parent} is not a tokenizer: {error}") from error
