"""How a document's bytes become a text and the marks of its structure. Knows no store, no network and no event loop."""

from __future__ import annotations

from mindlog.remember.readers.document import read_document
from mindlog.remember.readers.kinds import kind_of

__all__ = ["kind_of", "read_document"]
