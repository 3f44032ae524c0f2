"""Denials that say when something ended: who "no longer works at Nokia" did until now. Knows no tier and no store."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import regex

from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import Claim, Extraction, Modality
from mindlog.knowledge.families import Nature, nature

__all__ = ["with_endings"]

_NO_LONGER: Final = regex.compile(r"\b(?:no longer|(?:any ?more|any longer))\b", regex.IGNORECASE)
_AROUND: Final = 24
"""Characters beside a claim's words in which its "any more" may stand."""

_ENDING: Final = frozenset({Nature.STATE, Nature.MANY})


def with_endings(extraction: Extraction, source: Source) -> Extraction:
    """Return the extraction with every "no longer" as a claim that held until the text's own time.

    A bare denial stays one: who does not live in Berlin need never have done so.
    """
    return replace(extraction, claims=tuple(_ended(claim, source) for claim in extraction.claims))


def _ended(claim: Claim, source: Source) -> Claim:
    if not claim.negated or claim.modality is not Modality.ASSERTED or nature(claim.predicate) not in _ENDING:
        return claim
    start, end = min(span.start for span in claim.spans), max(span.end for span in claim.spans)
    said = _NO_LONGER.search(source.text, max(start - _AROUND, 0), end + _AROUND)
    if said is None:
        return claim
    until = source.occurred_at if claim.valid_from is None else claim.valid_from
    return replace(claim, negated=False, valid_from=None, valid_to=until, time_phrase=claim.time_phrase or said[0])
