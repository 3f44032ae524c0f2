"""A picture in words by a model that sees. The picture is shown small and without metadata; the answer is validated."""

from __future__ import annotations

from pydantic import BaseModel, Field, field_validator

from mindlog.images.picture import Picture
from mindlog.images.plain import one_line
from mindlog.images.prompts import load_prompt
from mindlog.images.thumbnail import Copy, copy_of
from mindlog.models.llm import LLM, ImagePart, Message

__all__ = ["MAX_CAPTION", "NO_VISION_MODEL", "PROMPT", "caption"]

PROMPT = "caption.v1"
"""The prompt's name and version."""

NO_VISION_MODEL = "no vision model configured"
"""Why a picture has no caption of a model where `vision_model` or the language model is not set."""

MAX_CAPTION = 1200
"""Characters of a caption."""

# What the vendors scale a picture down to anyway.
_LONGEST = 1568
_WORDS = 90


class _Answer(BaseModel):
    caption: str = Field(min_length=1, max_length=MAX_CAPTION)

    @field_validator("caption", mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        return one_line(value, MAX_CAPTION) if isinstance(value, str) else value


async def caption(llm: LLM, picture: Picture, model: str | None = None) -> str:
    """Return what the model sees in one line of at most `MAX_CAPTION` characters. model: the LLM's own if None.

    Raises:
        InvalidInput: the picture cannot be decoded.
        LlmBadOutput: nothing usable was said, even after one repair. Besides what else `LLM.structured` raises.
    """
    shown = await copy_of(picture, longest=_LONGEST)
    result = await llm.structured(_messages(shown), _Answer, model=model)
    return result.value.caption


def _messages(shown: Copy) -> tuple[Message, ...]:
    prompt = load_prompt(PROMPT).filled(words=str(_WORDS))
    picture = ImagePart(shown.media_type, shown.data)
    return Message("system", prompt), Message("user", "Describe this picture.", (picture,))
