"""The shape an answer must have: its JSON Schema, the strict form some endpoints want, and the check of a value.

Knows no text, prompt or provider.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from mindlog.errors import ConfigError, MissingExtra
from mindlog.models.llm import JsonSchema

__all__ = ["AnswerSchema", "Mismatch", "answer_schema"]

# Keywords that most strict decoding knows, not all. Without them a small model fills a list until the length limit.
_BOUNDS = frozenset(
    {"minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "format"}
)
_FORMATS = frozenset({"date", "date-time", "time", "duration", "email", "uuid"})
# Keywords that strict decoding does not know at one vendor or another; the value is checked for them afterwards.
_UNSTRICT = frozenset(
    {"default", "title", "examples", "discriminator", "multipleOf", "uniqueItems", "minLength", "maxLength"}
)
_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_SHOWN_ERRORS = 5


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a value does not fit, in words a model can act on; holds nothing of the value."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSchema:
    """name: letters, digits, `_` and `-`. document: the JSON Schema. keys: properties of its root.

    strict: the same with every object closed and every property required, for decoding under a grammar; None where
    that would change the meaning, such as for objects with free keys. bounded: strict with the bounds of lists, numbers
    and texts as well. check: the value in its final form, or why not.
    """

    name: str
    document: dict[str, Any]
    keys: frozenset[str]
    strict: dict[str, Any] | None
    bounded: dict[str, Any] | None
    check: Callable[[dict[str, Any]], object]

    @property
    def text(self) -> str:
        """The JSON Schema for a prompt."""
        return json.dumps(self.document, ensure_ascii=False, separators=(",", ":"))


def answer_schema(source: type[BaseModel] | JsonSchema) -> AnswerSchema:
    """The schema of a pydantic model or a JSON Schema; what a model's values are checked into are instances of it.

    Raises:
        ConfigError: the root is no object, or the JSON Schema is none.
        MissingExtra: a JSON Schema is given and jsonschema-rs is not installed.
    """
    if isinstance(source, Mapping):
        document = dict(source)
        return _build(str(document.get("title", "answer")), document, _json_check(document))
    return _of_model(source)


@lru_cache(maxsize=128)
def _of_model(model: type[BaseModel]) -> AnswerSchema:
    def check(value: dict[str, Any]) -> object:
        try:
            return model.model_validate(value)
        except ValidationError as exc:
            found = exc.errors(include_url=False, include_context=False, include_input=False)
            return Mismatch(_listed([(each["loc"], each["msg"]) for each in found]))

    return _build(model.__name__, model.model_json_schema(), check)


def _build(name: str, document: dict[str, Any], check: Callable[[dict[str, Any]], object]) -> AnswerSchema:
    rooted = _rooted(document)
    if rooted.get("type", "object") != "object":
        raise ConfigError(f"the root of the schema {name!r} must be an object")
    closable = _closable(rooted)
    return AnswerSchema(
        name=_NAME.sub("_", name)[:64] or "answer",
        document=rooted,
        keys=frozenset(rooted.get("properties", {})),
        strict=cast("dict[str, Any]", _strict(rooted, _UNSTRICT | _BOUNDS)) if closable else None,
        bounded=cast("dict[str, Any]", _strict(rooted, _UNSTRICT)) if closable else None,
        check=check,
    )


def _rooted(document: dict[str, Any]) -> dict[str, Any]:
    """The document with an object at its root: a recursive pydantic model is a reference there."""
    ref = document.get("$ref")
    if not isinstance(ref, str):
        return document
    definitions: dict[str, Any] = document.get("$defs", {})
    return {**definitions.get(ref.rsplit("/", 1)[-1], {}), "$defs": definitions}


def _json_check(document: dict[str, Any]) -> Callable[[dict[str, Any]], object]:
    try:
        library = importlib.import_module("jsonschema_rs")
    except ImportError as exc:
        raise MissingExtra("a JSON Schema needs jsonschema-rs: pip install 'mindlog[openai]'") from exc
    try:
        validator = library.validator_for(document, mask="the value")
    except ValueError as exc:
        raise ConfigError(f"the JSON Schema of the answer is none: {exc}") from exc

    def check(value: dict[str, Any]) -> object:
        found = [(tuple(each.instance_path), each.message) for each in validator.iter_errors(value)]
        return Mismatch(_listed(found)) if found else value

    return check


def _listed(found: list[tuple[tuple[int | str, ...], str]]) -> str:
    shown = [f"{'.'.join(map(str, path)) or 'the object'}: {message}"[:200] for path, message in found[:_SHOWN_ERRORS]]
    more = len(found) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def _closable(node: Any) -> bool:
    """Whether every object names all its properties, so that closing it loses nothing."""
    if isinstance(node, list):
        return all(_closable(each) for each in cast("list[Any]", node))
    if not isinstance(node, dict):
        return True
    schema = cast("dict[str, Any]", node)
    if schema.get("type") == "object" and (not schema.get("properties") or schema.get("additionalProperties")):
        return False
    named = schema.get("properties")
    inner = [
        value for key, value in schema.items() if key not in ("properties", "default", "examples", "enum", "const")
    ]
    return all(map(_closable, inner)) and all(map(_closable, named.values() if isinstance(named, dict) else ()))


def _strict(node: Any, without: frozenset[str]) -> Any:
    if isinstance(node, list):
        return [_strict(each, without) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    schema = cast("dict[str, Any]", node)
    out = {
        "anyOf" if key == "oneOf" else key: _part(key, value, without)
        for key, value in schema.items()
        if key not in without and _decodable(key, value)
    }
    if "properties" in out:
        out |= {"additionalProperties": False, "required": list(out["properties"])}
    return out


def _decodable(key: str, value: Any) -> bool:
    """Whether a bound is of the kind that those who know its keyword can decode under."""
    if key == "pattern":
        return str(value).startswith("^") and str(value).endswith("$")
    return key != "format" or value in _FORMATS


def _part(key: str, value: Any, without: frozenset[str]) -> Any:
    if key in ("properties", "$defs"):
        # The keys of these are the schema's own names: a property may be called "title".
        return {name: _strict(each, without) for name, each in value.items()}
    return value if key in ("enum", "const", "required") else _strict(value, without)
