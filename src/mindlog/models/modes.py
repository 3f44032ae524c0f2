"""How an endpoint can be made to answer in JSON, strongest first, and what each turned out to refuse.

Owns what was learnt, by model, for as long as the object lives. Knows no wire format.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindlog.errors import MindlogError
    from mindlog.models.endpoint import ChatRequest

__all__ = ["BOUNDS", "Ladder", "Mode", "refuses"]

BOUNDS = "bounds"
"""Among the optional parameters: the bounds of lists, numbers and texts in the schema to decode under."""


class Mode(StrEnum):
    """How an answer is asked for."""

    JSON_SCHEMA = "json_schema"  #: the endpoint decodes under the schema
    JSON_OBJECT = "json_object"  #: the endpoint guarantees JSON, the prompt holds the schema
    TOOL = "tool"  #: the schema is that of a tool the model must call
    PROMPT = "prompt"  #: the prompt holds the schema and nothing is guaranteed
    TEXT = "text"  #: no structure is wanted


# Statuses that servers answer an unknown feature with.
_REFUSING = frozenset({400, 404, 415, 422})
# llama.cpp answers 500 where it has no template for tools; any other 500 is a fault until it says this much.
_FAULT_REFUSING = re.compile(r"jinja|not supported|unsupported|not implemented", re.IGNORECASE)
_NAMED = {
    Mode.JSON_SCHEMA: r"response_format|json.?schema|structured.?output|output_config|output_format|grammar|guided",
    Mode.JSON_OBJECT: r"response_format|json_object|json.?mode",
    Mode.TOOL: r"\btools?\b|tool_choice|tool.?use|function|jinja",
}
_THIS_SCHEMA_ONLY = re.compile(r"invalid (json )?schema|schema (is )?(too|not supported|invalid)", re.IGNORECASE)


def refuses(mode: Mode, error: MindlogError) -> bool:
    """Whether the endpoint's error says that it does not offer the mode."""
    named = _NAMED.get(mode)
    status = error.extra.get("http_status")
    if named is None or not (status in _REFUSING or (status in (500, 501) and _FAULT_REFUSING.search(error.detail))):
        return False
    return re.search(named, error.detail, re.IGNORECASE) is not None


class Ladder:
    """Which mode and which optional parameters to use with a model at one endpoint."""

    def __init__(self, modes: tuple[Mode, ...], optional: tuple[str, ...] = ()) -> None:
        """modes: strongest first; the last is used even if it was refused. optional: parameters it may go without."""
        self.modes = modes
        self._optional = optional
        self._refused: set[tuple[str, Mode, str | None]] = set()
        self._dropped: dict[str, frozenset[str]] = {}

    def mode(self, model: str, schema_name: str, *, strict: bool) -> Mode:
        """The strongest mode not refused yet for this model and schema. strict: whether the schema can be enforced."""
        for mode in self.modes[:-1]:
            if mode is Mode.JSON_SCHEMA and not strict:
                continue
            if self._refused.isdisjoint({(model, mode, None), (model, mode, schema_name)}):
                return mode
        return self.modes[-1]

    def dropped(self, model: str) -> frozenset[str]:
        """Optional parameters the model was found to refuse."""
        return self._dropped.get(model, frozenset())

    def learn(self, request: ChatRequest, error: MindlogError) -> bool:
        """Note what the error says is not offered; `True` if the request is worth sending again in another way."""
        parameter = self._refused_parameter(request, error)
        if parameter is not None:
            self._dropped[request.model] = self.dropped(request.model) | {parameter}
            return True
        if request.mode is self.modes[-1] or not refuses(request.mode, error):
            return False
        only_this = _THIS_SCHEMA_ONLY.search(error.detail) and request.schema
        self._refused.add((request.model, request.mode, request.schema.name if only_this and request.schema else None))
        return True

    def not_enforced(self, request: ChatRequest) -> None:
        """Note that a mode was accepted and ignored: the answer was not JSON at all."""
        if request.mode in (Mode.JSON_SCHEMA, Mode.JSON_OBJECT):
            self._refused.add((request.model, request.mode, None))

    def _refused_parameter(self, request: ChatRequest, error: MindlogError) -> str | None:
        if error.extra.get("http_status") not in (400, 422):
            return None
        for name in self._optional:
            named = _is_bounded(request) and refuses(request.mode, error) if name == BOUNDS else _names(error, name)
            if named and name not in request.dropped:
                return name
        return None


def _names(error: MindlogError, parameter: str) -> bool:
    return re.search(rf"\b{parameter}\b", error.detail) is not None


def _is_bounded(request: ChatRequest) -> bool:
    """Whether the request decodes under bounds, which may be all that was refused."""
    schema = request.schema
    return request.mode is Mode.JSON_SCHEMA and schema is not None and schema.bounded != schema.strict
