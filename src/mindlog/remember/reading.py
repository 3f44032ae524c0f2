"""What is read out of one text, as it waits in the store for its turn to be reconciled."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import TypeAdapter

from mindlog.knowledge.extraction import Extraction
from mindlog.knowledge.places.coordinates import FoundCoordinates
from mindlog.knowledge.series.found import FoundSeries

__all__ = ["TextReading", "dumped", "loaded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReading:
    """Claims and names, series and coordinates; tiers: what became of each reader."""

    extraction: Extraction
    series: tuple[FoundSeries, ...] = ()
    coordinates: tuple[FoundCoordinates, ...] = ()
    tiers: dict[str, str] = field(default_factory=dict[str, str])


_READING = TypeAdapter(TextReading)


def dumped(reading: TextReading) -> str:
    """Return the reading as JSON."""
    return _READING.dump_json(reading).decode()


def loaded(text: str) -> TextReading:
    """Return the reading that `dumped` has written."""
    return _READING.validate_json(text)
