"""The prompts, one file each with its version in its name, and how a text is put into one as data.

A prompt that changes gets a new file: what was asked of a model can be read years later.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib import resources

from blake3 import blake3

__all__ = ["Prompt", "as_data", "load_prompt"]

_HOLE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text and the name it is recorded by ("extract.v1")."""

    name: str
    text: str

    def filled(self, **words: str) -> str:
        """Return the text with `{{word}}` replaced. Raises `KeyError` for a hole without a word."""
        return _HOLE.sub(lambda match: words[match[1]], self.text)


@functools.cache
def load_prompt(name: str) -> Prompt:
    """Read a prompt of the package, once a process. Raises `FileNotFoundError` if there is none of that name."""
    source = resources.files(__name__).joinpath(f"{name}.md")
    return Prompt(name, source.read_text(encoding="utf-8").strip())


def as_data(text: str) -> str:
    """Return a text between two equal lines that do not occur in it, so that nothing in it can end the quotation."""
    seed = 0
    while (fence := f"=====TEXT-{_digest(text, seed)}=====") in text:
        seed += 1
    return f"{fence}\n{text}\n{fence}"


def _digest(text: str, seed: int) -> str:
    return blake3(f"{seed}:{text}".encode("utf-8", "surrogatepass")).hexdigest(8)
