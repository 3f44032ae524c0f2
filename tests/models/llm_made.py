"""Language models opened against the fake server, for the tests of both protocols."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel

from mindlog.models.anthropic_llm import AnthropicEndpoint
from mindlog.models.budget import Budget
from mindlog.models.chat import ChatLLM, Prices
from mindlog.models.inference import InferenceLog, TextPolicy
from mindlog.models.llm import Message
from mindlog.models.openai_llm import OpenAIEndpoint
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.llm_server import FakeLLM

KEY = "sk-very-secret"
ASK = (Message("system", "You read texts."), Message("user", "I like tea"))
TEA = {"facts": ["likes tea"]}


class Facts(BaseModel):
    facts: list[str] = []


class ManualClock:
    def __init__(self, at: int = 1_000_000_000_000_000) -> None:
        self.at = at

    def now(self) -> int:
        return self.at


def endpoint(server: FakeLLM, protocol: str, *, timeout: float = 20.0, key: str | None = KEY):
    if protocol == "anthropic":
        return AnthropicEndpoint(server.anthropic_url, api_key=key, timeout=timeout)
    return OpenAIEndpoint(server.url, api_key=key, timeout=timeout)


@asynccontextmanager
async def opened(
    server: FakeLLM,
    protocol: str = "openai",
    *,
    store: HeldInferences | None = None,
    texts: TextPolicy = TextPolicy.KEEP,
    budget: Budget | None = None,
    prices: Prices | None = None,
    timeout: float = 20.0,
    max_tokens: int = 256,
) -> AsyncIterator[ChatLLM]:
    llm = ChatLLM(
        endpoint(server, protocol, timeout=timeout),
        model="fake-model",
        inferences=InferenceLog(store, texts=texts),
        budget=budget,
        prices=prices,
        max_tokens=max_tokens,
    )
    try:
        yield llm
    finally:
        await llm.aclose()
