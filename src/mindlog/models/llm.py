"""The language model protocol: messages in, a validated value or a text out. Knows no provider, record or budget.

"No model configured" is a normal mode: whoever holds an `LLM | None` skips its work with `NO_LLM` as the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar, overload

from pydantic import BaseModel

__all__ = [
    "LLM",
    "NO_LLM",
    "ImagePart",
    "JsonSchema",
    "Message",
    "Reasoning",
    "Role",
    "StructuredResult",
    "TextResult",
    "Usage",
]

NO_LLM = "no model configured"
"""Why a stage that needs a language model is skipped where there is none."""

Role = Literal["system", "user", "assistant"]
Reasoning = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
JsonSchema = Mapping[str, Any]

Value = TypeVar("Value")
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture shown to the model. media_type: "image/jpeg", "image/png", "image/webp" or "image/gif". data: the file."""

    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a prompt. images: shown before the content, to models that see; only a user's turn has any."""

    role: Role
    content: str
    images: tuple[ImagePart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a call took. cost: in the currency of the prices; None where no price is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredResult(Generic[Value]):
    """A value that fits its schema, the inference that gave it, and what all attempts of the call took together."""

    value: Value
    inference_id: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class TextResult:
    """A text without the model's thoughts, never empty. truncated: it ended at the length limit."""

    text: str
    inference_id: str
    usage: Usage
    truncated: bool = False


class LLM(Protocol):
    """A language model. Implementations retry nothing but one repair; waiting and trying again is the caller's."""

    @property
    def provider(self) -> str:
        """Who answers, for the record: "openai", "anthropic"."""
        ...

    @property
    def model(self) -> str:
        """The model used where a call names none."""
        ...

    @overload
    async def structured(
        self,
        messages: Sequence[Message],
        schema: type[Model],
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
    ) -> StructuredResult[Model]: ...

    @overload
    async def structured(
        self,
        messages: Sequence[Message],
        schema: JsonSchema,
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
    ) -> StructuredResult[dict[str, Any]]: ...

    async def structured(
        self,
        messages: Sequence[Message],
        schema: type[Model] | JsonSchema,
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
    ) -> StructuredResult[Model] | StructuredResult[dict[str, Any]]:
        """One value of the schema, whose root is an object.

        Raises:
            LlmFailed: no answer; `retryable` says whether later may help, `extra["retry_after"]` after how long.
            LlmRefused: the model declined.
            LlmBadOutput: no usable answer, and none after one repair; `extra["raw_output"]` is what it said.
            LlmBudgetExceeded: the run or the day has spent what it may; nothing was sent.
            LlmMisconfigured: key, model or account are not accepted.
            MissingExtra: a package this needs is not installed.
        """
        ...

    async def text(
        self,
        messages: Sequence[Message],
        *,
        model: str | None = None,
        reasoning: Reasoning | None = None,
        say: Callable[[str], None] | None = None,
    ) -> TextResult:
        """A text. Raises what `structured` raises; an empty answer is `LlmBadOutput`.

        say: takes the pieces of the text while it is made, on the event loop; what is returned is what counts.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
