"""Methods dressed as the verbs they perform. Knows no verb."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["dress"]

F = TypeVar("F", bound=Callable[..., Any])


def dress(method: F, build: Callable[..., Any], returns: object, name: str | None = None) -> F:
    """Give a method the name, docstring and parameters of the verb it performs, for `help` and `inspect`."""
    signature = inspect.signature(build)
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *signature.parameters.values()]
    method.__name__ = name or build.__name__
    method.__doc__ = build.__doc__
    method.__signature__ = signature.replace(parameters=parameters, return_annotation=returns)  # type: ignore[attr-defined]
    return method
