"""What is added to a prompt so that an answer comes as JSON, and the request to repair one. Knows no provider."""

from __future__ import annotations

from collections.abc import Sequence

from mindlog.models.llm import Message
from mindlog.models.modes import Mode
from mindlog.models.schema import AnswerSchema
from mindlog.models.structured import Flaw, Parsed

__all__ = ["asking", "repairing", "token_bound"]

# Of an answer that could not be used, the model is shown this much; a longer one would only fill its window.
_SHOWN_CHARS = 4000
_TOKEN_BYTES = 3
_MESSAGE_TOKENS = 16


def asking(messages: Sequence[Message], schema: AnswerSchema, mode: Mode) -> tuple[Message, ...]:
    """The prompt with the schema in its system message, where the mode does not carry it."""
    if mode in (Mode.JSON_SCHEMA, Mode.TOOL):
        return tuple(messages)
    wish = f"Answer with one JSON object that follows this JSON Schema, and nothing else:\n{schema.text}"
    first = messages[0]
    # One system message, at the start: the templates of many local models know no other place for it.
    if first.role == "system":
        return Message("system", f"{first.content}\n\n{wish}"), *messages[1:]
    return Message("system", wish), *messages


def repairing(messages: Sequence[Message], schema: AnswerSchema, said: str, parsed: Parsed) -> tuple[Message, ...]:
    """The prompt, what the model said to it, and what to do about it. The schema is always named here."""
    shorter = " Answer more briefly: it must end before the length limit." if parsed.flaw is Flaw.TRUNCATED else ""
    wish = (
        f"That answer cannot be used: {parsed.reason}.{shorter}\n"
        f"Answer again with one JSON object that follows this JSON Schema, and nothing else:\n{schema.text}"
    )
    shown = said[:_SHOWN_CHARS].strip()
    answered = (Message("assistant", shown),) if shown else ()
    return (*messages, *answered, Message("user", wish))


def token_bound(messages: Sequence[Message], schema: AnswerSchema | None) -> int:
    """About the most tokens a prompt takes: one for three bytes of UTF-8, where English takes one for four."""
    texts = sum(len(each.content.encode("utf-8", "surrogatepass")) for each in messages)
    size = texts + (len(schema.text.encode("utf-8", "surrogatepass")) if schema else 0)
    return -(-size // _TOKEN_BYTES) + _MESSAGE_TOKENS * (len(messages) + 1)
