"""The shape of what a language model says a text says. Tolerant of a kind it made up, never of words: those are checked later."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from mindlog.knowledge.extraction import EntityKind, Modality

__all__ = ["MemoryReading", "ReadClaim", "ReadMention", "reading_of"]

# A name or a claim takes about so many characters of text; fewer than four of each would cut a short text's answer.
_CHARACTERS = 15
_FEWEST = 4


def _kind(value: Any) -> Any:
    said = str(value).strip().lower()
    return said if said in set(EntityKind) else EntityKind.OTHER


def _modality(value: Any) -> Any:
    said = str(value).strip().lower()
    # Whatever is not plainly stated as a fact must not become one.
    return said if said in set(Modality) else Modality.POSSIBLE


def _unless_null(default: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: default if value is None else value)


class ReadMention(BaseModel):
    """A name as the model gives it."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    name: str
    kind: Annotated[EntityKind, BeforeValidator(_kind)] = EntityKind.OTHER


class ReadClaim(BaseModel):
    """A claim as the model gives it."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    subject: str
    predicate: str
    object: str | None = None
    value: str | None = None
    negated: Annotated[bool, _unless_null(False)] = False
    modality: Annotated[Modality, BeforeValidator(_modality)] = Modality.ASSERTED
    quote: str
    time: str | None = None
    confidence: Annotated[float, _unless_null(0.5)] = 0.5


class MemoryReading(BaseModel):
    """The names and the claims in the text."""  # a model is shown this, with the schema

    mentions: list[ReadMention] = []
    claims: list[ReadClaim]


def reading_of(characters: int) -> type[MemoryReading]:
    """Return the shape for a text of so many characters.

    A small model that is held to a schema while it writes repeats itself to the length limit: the schema says where to stop. An
    answer that is longer all the same is taken.
    """
    most = _FEWEST
    while most * _CHARACTERS < characters:
        most *= 2  # few shapes, so that each is made once
    return _bounded(most)


@cache
def _bounded(most: int) -> type[MemoryReading]:
    bound: dict[str, Any] = {"maxItems": most}
    return create_model(
        "MemoryReading",
        __base__=MemoryReading,
        mentions=(list[ReadMention], Field(default=[], json_schema_extra=bound)),
        claims=(list[ReadClaim], Field(json_schema_extra=bound)),
    )
