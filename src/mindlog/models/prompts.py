"""What is added to a prompt so that an answer comes as JSON, and the request to repair one. Knows no provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mindlog.models.llm import Message
from mindlog.models.modes import Mode
from mindlog.models.schema import AnswerSchema
from mindlog.models.structured import Flaw, Parsed

__all__ = ["asking", "repairing", "token_bound"]

# Of an answer that could not be used, the model is shown this much; a longer one would only fill its window.
_SHOWN_CHARS = 4000
# A small model shown a schema is apt to give it back.
_WISH = "with one JSON object, the data itself and not a schema, that follows this JSON Schema, and nothing else:"
_TOKEN_BYTES = 3
_MESSAGE_TOKENS = 16
# More than the vendors take for a picture of 1568 pixels a side.
_IMAGE_TOKENS = 4096


def asking(
    messages: Sequence[Message], schema: AnswerSchema, mode: Mode, *, shows_schema: bool = False
) -> tuple[Message, ...]:
    """The prompt with the schema in its system message, unless the model gets to know it in another way.

    shows_schema: whether the endpoint tells the model the schema it decodes under (see `ChatEndpoint`). Where it does
    not, a model knows nothing of the form before the decoder forces it on it, unless the prompt speaks of it.
    """
    if mode is Mode.TOOL or (mode is Mode.JSON_SCHEMA and (shows_schema or _describes(messages, schema))):
        return tuple(messages)
    wish = f"Answer {_WISH}\n{schema.text}"
    first = messages[0]
    # One system message, at the start: the templates of many local models know no other place for it.
    if first.role == "system":
        return Message("system", f"{first.content}\n\n{wish}"), *messages[1:]
    return Message("system", wish), *messages


def _describes(messages: Sequence[Message], schema: AnswerSchema) -> bool:
    """Whether the prompt names every property of the root as JSON: one that does, and was tried, needs no second form."""
    said = "\n".join(each.content for each in messages if each.role == "system")
    return bool(schema.keys) and all(f'"{key}"' in said for key in schema.keys)


def repairing(messages: Sequence[Message], schema: AnswerSchema, said: str, parsed: Parsed) -> tuple[Message, ...]:
    """The prompt, what the model said to it, and what to do about it. The schema is always named here.

    A truncated answer is not shown: it is long, and a model that repeated itself would take up where it was cut off.
    """
    again = f"Answer again {_WISH}\n{schema.text}"
    shown = "" if parsed.flaw is Flaw.TRUNCATED else said[:_SHOWN_CHARS].strip()
    if shown:
        wish = f"That answer cannot be used: {parsed.reason}.\n{again}"
        return *messages, Message("assistant", shown), Message("user", wish)
    brief = "\nAnswer more briefly: it must end before the length limit." if parsed.flaw is Flaw.TRUNCATED else ""
    return _appended(messages, f"An answer to this cannot be used: {parsed.reason}.{brief}\n{again}")


def _appended(messages: Sequence[Message], text: str) -> tuple[Message, ...]:
    """The messages with a text after what the user said last: some templates refuse two turns of a user in a row."""
    last = messages[-1]
    if last.role != "user":
        return *messages, Message("user", text)
    return *messages[:-1], replace(last, content=f"{last.content}\n\n{text}")


def token_bound(messages: Sequence[Message], schema: AnswerSchema | None) -> int:
    """About the most tokens a prompt takes: one for three bytes of UTF-8, where English takes one for four.

    An image counts the same whatever its size.
    """
    texts = sum(len(each.content.encode("utf-8", "surrogatepass")) for each in messages)
    size = texts + (len(schema.text.encode("utf-8", "surrogatepass")) if schema else 0)
    images = sum(len(each.images) for each in messages)
    return -(-size // _TOKEN_BYTES) + _MESSAGE_TOKENS * (len(messages) + 1) + _IMAGE_TOKENS * images
