"""Opens the language model the settings name, and finds out what an endpoint can do. Owns the choice of protocol."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel

from mindlog.errors import ConfigError, LlmBadOutput, LlmRefused, MindlogError
from mindlog.models.anthropic_llm import ANTHROPIC_URL, AnthropicEndpoint
from mindlog.models.budget import Budget, Limit
from mindlog.models.chat import ChatLLM, Prices
from mindlog.models.inference import InferenceLog, InferenceStore, TextPolicy
from mindlog.models.llm import NO_LLM, Message
from mindlog.models.modes import Mode, refuses
from mindlog.models.openai_llm import OPENAI_URL, OpenAIEndpoint

if TYPE_CHECKING:
    from mindlog.clock import Clock
    from mindlog.models.endpoint import ChatEndpoint
    from mindlog.settings import Settings

__all__ = ["ModeOutcome", "ModeReport", "ProbeReport", "doctor", "load_llm", "probe_modes"]


def load_llm(
    settings: Settings, *, inferences: InferenceStore | None = None, clock: Clock | None = None
) -> ChatLLM | None:
    """The language model of the settings, or None (a normal mode, see `NO_LLM`). Sends nothing.

    Blocks for the client's import, up to two seconds: call it by `asyncio.to_thread` where a loop runs.

    Raises:
        ConfigError: a setting is missing or cannot work.
        LlmMisconfigured: the key cannot be one.
        MissingExtra: the protocol's client is not installed.
    """
    if settings.llm == "none":
        return None
    if not settings.llm_model:
        raise ConfigError(f"llm {settings.llm!r} needs llm_model", field="llm_model")
    prices = Prices(input=settings.llm_input_price, output=settings.llm_output_price)
    return ChatLLM(
        _endpoint(settings),
        model=settings.llm_model,
        inferences=InferenceLog(inferences, texts=TextPolicy(settings.llm_texts)),
        budget=_budget(settings, prices, clock),
        prices=prices,
        max_tokens=settings.llm_max_tokens,
        clock=clock,
    )


def _endpoint(settings: Settings) -> ChatEndpoint:
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else None
    if settings.llm == "anthropic":
        return AnthropicEndpoint(settings.llm_url or ANTHROPIC_URL, api_key=key, timeout=settings.llm_timeout)
    return OpenAIEndpoint(settings.llm_url or OPENAI_URL, api_key=key, timeout=settings.llm_timeout)


def _budget(settings: Settings, prices: Prices, clock: Clock | None) -> Budget:
    run = Limit(tokens=settings.llm_budget_run, cost=settings.llm_budget_run_cost)
    day = Limit(tokens=settings.llm_budget_day, cost=settings.llm_budget_day_cost)
    if (run.cost or day.cost) and prices.cost(1, 1) is None:
        raise ConfigError("a budget in cost needs llm_input_price and llm_output_price", field="llm_input_price")
    return Budget(run=run, day=day, clock=clock)


class ModeOutcome(StrEnum):
    """What became of a question asked in one mode."""

    WORKS = "works"  #: a value that fits
    REFUSED = "refused"  #: the endpoint says that it does not offer the mode
    UNUSABLE = "unusable"  #: answered, and the answer cannot be used
    FAILED = "failed"  #: no answer, for a reason that is not the mode


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeReport:
    """One mode. detail: why it does not work, empty if it does. seconds: the call, whole."""

    mode: Mode
    outcome: ModeOutcome
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """Every mode of the protocol, strongest first. best: the first that works; None if none does."""

    provider: str
    model: str
    modes: tuple[ModeReport, ...]

    @property
    def best(self) -> Mode | None:
        """The strongest mode that works."""
        return next((each.mode for each in self.modes if each.outcome is ModeOutcome.WORKS), None)


class Colour(BaseModel):
    """The answer the probe asks for."""

    colour: str
    letters: int


_QUESTION = (Message("user", "Give the colour of the sky at noon and how many letters that word has, as JSON."),)


async def probe_modes(llm: ChatLLM) -> ProbeReport:
    """Ask one small question in every mode the protocol knows. The calls are recorded and charged like any other."""
    modes = [await _probe(llm, mode) for mode in llm.endpoint.modes]
    return ProbeReport(provider=llm.provider, model=llm.model, modes=tuple(modes))


async def doctor(settings: Settings) -> ProbeReport:
    """Open the language model of the settings, probe it and close it. Nothing of it is recorded; one question a mode.

    Raises:
        ConfigError: no language model is configured, or a setting cannot work.
        LlmMisconfigured, MissingExtra: see `load_llm`. What an endpoint answers is in the report and raises nothing.
    """
    llm = await asyncio.to_thread(load_llm, settings)
    if llm is None:
        raise ConfigError(
            f"{NO_LLM}: set llm, llm_model and, for any but the vendor's own endpoint, llm_url", field="llm"
        )
    try:
        return await probe_modes(llm)
    finally:
        await llm.aclose()


async def _probe(llm: ChatLLM, mode: Mode) -> ModeReport:
    began = time.perf_counter()
    try:
        parsed = await llm.try_mode(_QUESTION, Colour, mode)
        outcome = ModeOutcome.UNUSABLE if parsed.flaw else ModeOutcome.WORKS
        detail = parsed.reason
    except (LlmRefused, LlmBadOutput) as exc:
        outcome, detail = ModeOutcome.UNUSABLE, exc.detail
    except MindlogError as exc:
        outcome, detail = ModeOutcome.REFUSED if refuses(mode, exc) else ModeOutcome.FAILED, exc.detail
    return ModeReport(mode=mode, outcome=outcome, detail=detail, seconds=time.perf_counter() - began)
