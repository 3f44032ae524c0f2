"""The sizes of a BERT encoder. Knows nothing of graphs or files."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BertShape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """Sizes of a BERT encoder, as its config.json gives them."""

    hidden: int = 384
    layers: int = 6
    heads: int = 12
    positions: int = 512
    epsilon: float = 1e-12
