"""What a call may ask of the stages that run a model: another model, how much to reason. Knows no operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from mindlog.errors import InvalidInput
from mindlog.models.llm import Reasoning
from mindlog.store.stages import StageInfo

__all__ = ["check_options"]

_OPTIONS = ("model", "reasoning")
_LONGEST = 256  # characters of a model's name


def check_options(
    options: Mapping[str, Mapping[str, Any]] | None, stages: tuple[StageInfo, ...]
) -> dict[str, dict[str, Any]]:
    """Return the options by stage. `InvalidInput` names a stage that is not there or runs no model, or a word that is not known."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("options: must be an object of stages", field="options")
    known = {stage.name for stage in stages if stage.runs_model}
    return {stage: _option(stage, given, known) for stage, given in options.items()}


def _option(stage: object, given: object, known: set[str]) -> dict[str, Any]:
    field = f"options.{str(stage)[:64]}"
    if stage not in known:
        raise InvalidInput(f"{field}: is no stage that runs a model; there are {', '.join(sorted(known))}", field=field)
    if not isinstance(given, Mapping) or not set(given) <= set(_OPTIONS):
        raise InvalidInput(f"{field}: must be an object with {' and '.join(_OPTIONS)}", field=field)
    model, reasoning = given.get("model"), given.get("reasoning")
    _check_model(model, f"{field}.model")
    if reasoning is not None and reasoning not in get_args(Reasoning):
        words = ", ".join(get_args(Reasoning))
        raise InvalidInput(f"{field}.reasoning: must be one of {words}", field=f"{field}.reasoning")
    return {name: value for name, value in (("model", model), ("reasoning", reasoning)) if value is not None}


def _check_model(model: object, field: str) -> None:
    if model is None:
        return
    if not isinstance(model, str) or not 1 <= len(model) <= _LONGEST or not model.isprintable():
        raise InvalidInput(f"{field}: must be 1 to {_LONGEST} printable characters", field=field, limit=_LONGEST)
