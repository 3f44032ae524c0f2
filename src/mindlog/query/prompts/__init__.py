"""The prompts of query, one file each with its version in its name.

A prompt that changes gets a new file: what was asked of a model can be read years later.
"""

from __future__ import annotations

import functools
from importlib import resources

from mindlog.knowledge.prompts import Prompt

__all__ = ["load_prompt"]


@functools.cache
def load_prompt(name: str) -> Prompt:
    """Read a prompt of the package, once a process. Raises `FileNotFoundError` if there is none of that name."""
    source = resources.files(__name__).joinpath(f"{name}.md")
    return Prompt(name, source.read_text(encoding="utf-8").strip())
