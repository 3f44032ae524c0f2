"""What the fake language model server answers: well, or with one of the faults real models and endpoints have.

Public for users' own tests. Knows no protocol.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

__all__ = [
    "MISBEHAVIOURS",
    "Answer",
    "Fate",
    "Sayable",
    "as_answer",
    "broken_off",
    "drip",
    "fenced",
    "hang",
    "misbehave",
    "prose",
    "rate_limited",
    "refuse",
    "reset",
    "sample",
    "say",
    "server_error",
    "stalled",
    "status",
    "think",
    "truncated",
    "unauthorized",
    "wrong_schema",
]


class Fate(StrEnum):
    """What becomes of an answer on its way."""

    DELIVER = "deliver"  #: sent whole
    HANG = "hang"  #: not sent before the server is released; dropped when the client goes away
    RESET = "reset"  #: the connection is reset (RST) instead
    DRIP = "drip"  #: sent a byte at a time
    STALL = "stall"  #: of a stream the beginning is sent, the rest when the server is released; hangs as a whole answer
    BREAK_OFF = (
        "break_off"  #: of a stream the beginning is sent, then the connection is closed; reset as a whole answer
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer.

    text: what the model says. whole: it is JSON and nothing else, so it becomes the arguments of a tool if the request
    has one. code, message, headers: an error instead, if code is not 200. tokens: (input, output); counted in words if
    None. gap: seconds between the bytes of a drip.
    """

    text: str = ""
    whole: bool = False
    code: int = 200
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    refusal: str | None = None
    cut_off: bool = False
    tokens: tuple[int, int] | None = None
    fate: Fate = Fate.DELIVER
    gap: float = 0.02


Sayable = Answer | str | BaseModel | Mapping[str, Any]
"""An answer, a text, or a value that is answered as JSON."""


def say(value: Sayable, *, tokens: tuple[int, int] | None = None) -> Answer:
    """The answer as asked for: a text, or a value as JSON alone."""
    answer = as_answer(value)
    return replace(answer, tokens=tokens) if tokens else answer


def as_answer(value: Sayable) -> Answer:
    """The value as an answer; an answer stays what it is."""
    if isinstance(value, Answer):
        return value
    return Answer(text=value) if isinstance(value, str) else Answer(text=_json(value), whole=True)


def prose(value: Sayable) -> Answer:
    """JSON in the middle of prose that has other braces before and after."""
    return Answer(text=f"Here is what I found about {{x}} here: {_json(value)}\nLet me know if {{this}} helps {{}}!")


def think(value: Sayable) -> Answer:
    """A `<think>` block that holds a half-baked JSON object, then JSON."""
    return Answer(text=f'<think>The user wants {{"facts": []}} or so. Hmm, {{</think>\n\n{_json(value)}')


def fenced(value: Sayable) -> Answer:
    """JSON in a Markdown code fence."""
    return Answer(text=f"```json\n{_json(value)}\n```")


def truncated(value: Sayable) -> Answer:
    """JSON cut off in the middle, reported as ended at the length limit."""
    text = _json(value)
    return Answer(text=text[: max(len(text) * 2 // 3, 1)], cut_off=True)


def wrong_schema(value: Sayable | None = None) -> Answer:
    """JSON of another shape than was asked for."""
    return as_answer({"unexpected": ["shape", 1]} if value is None else value)


def refuse(reason: str = "I cannot help with that.") -> Answer:
    """The model declines, in the protocol's own way."""
    return Answer(refusal=reason)


def rate_limited(retry_after: float = 1.0) -> Answer:
    """429 with `Retry-After`."""
    return status(429, "Rate limit reached", **{"Retry-After": f"{retry_after:g}"})


def server_error(code: int = 500) -> Answer:
    """A status of 500 or above."""
    return status(code, "The server had an error")


def unauthorized() -> Answer:
    """401: the key is not valid."""
    return status(401, "Incorrect API key provided")


def status(code: int, message: str, **headers: str) -> Answer:
    """An error of the protocol's form with this status."""
    return Answer(code=code, message=message, headers=headers)


def hang(then: Sayable = "late") -> Answer:
    """No answer until the server is released or stopped, or the client goes away."""
    return replace(as_answer(then), fate=Fate.HANG)


def reset() -> Answer:
    """The connection is reset without an answer."""
    return Answer(fate=Fate.RESET)


def drip(value: Sayable, *, gap: float = 0.02) -> Answer:
    """The answer a byte at a time, `gap` seconds apart."""
    return replace(as_answer(value), fate=Fate.DRIP, gap=gap)


def stalled(value: Sayable) -> Answer:
    """A streamed answer of which the first word comes and the rest when the server is released."""
    return replace(as_answer(value), fate=Fate.STALL)


def broken_off(value: Sayable) -> Answer:
    """A streamed answer of which the first word comes, and then the connection is closed."""
    return replace(as_answer(value), fate=Fate.BREAK_OFF)


#: The words of the fault lists, and what each makes of a value.
MISBEHAVIOURS: Mapping[str, Callable[[Sayable], Answer]] = {
    "ok": say,
    "prose+json": prose,
    "<think>+json": think,
    "fenced": fenced,
    "truncated": truncated,
    "wrong-schema": lambda _: wrong_schema(),
    "refuse": lambda _: refuse(),
    "401": lambda _: unauthorized(),
    "429": lambda _: rate_limited(),
    "500": lambda _: server_error(),
    "hang": hang,
    "reset": lambda _: reset(),
    "drip": drip,
}


def misbehave(name: str, value: Sayable) -> Answer:
    """The value as the named misbehaviour answers it; `KeyError` for a name that is not in `MISBEHAVIOURS`."""
    return MISBEHAVIOURS[name](value)


def sample(schema: Mapping[str, Any], definitions: Mapping[str, Any] | None = None) -> Any:
    """A small value that fits a JSON Schema as pydantic writes it; lists have one item unless they recurse."""
    known = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return sample(known[name], {key: each for key, each in known.items() if key != name}) if name in known else None
    for chosen in ("anyOf", "oneOf"):
        if chosen in schema:
            return sample(schema[chosen][0], known)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if schema.get("type") == "object":
        return {name: sample(each, known) for name, each in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        item = sample(schema.get("items", {}), known)
        return [] if item is None else [item]
    return {"string": "text", "integer": 1, "number": 0.5, "boolean": True}.get(schema.get("type", ""))


def _json(value: Sayable) -> str:
    if isinstance(value, Answer):
        return value.text
    if isinstance(value, BaseModel):
        return value.model_dump_json(by_alias=True)
    return json.dumps(value, ensure_ascii=False)
