"""What a server's refusals become: the error classes of `mindlog.errors`, by their code. Knows no HTTP library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mindlog.errors import Forbidden, InvalidInput, MindlogError, NotFound, TooLarge, Unauthorized

__all__ = ["error_of"]


_PLAIN = frozenset({"type", "title", "status", "detail", "instance", "code", "field", "retryable"})


def _tree(kind: type[MindlogError]) -> Iterator[type[MindlogError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)


_BY_CODE = {kind.code: kind for kind in _tree(MindlogError)}
# For answers without a code we know: from a proxy, or from a newer server.
_BY_STATUS: dict[int, type[MindlogError]] = {
    400: InvalidInput,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    413: TooLarge,
    422: InvalidInput,
}


def error_of(problem: Mapping[str, Any] | None, status: int) -> MindlogError:
    """Return the error a problem body (or, without one, a status) stands for; `extra` keeps its further members."""
    problem = problem or {}
    code = problem.get("code")
    kind = _BY_CODE.get(str(code)) or _BY_STATUS.get(status, MindlogError)
    detail = problem.get("detail") or problem.get("title") or f"the server answered with status {status}"
    if code is not None and code not in _BY_CODE:
        detail = f"{detail} ({code})"
    extra = {name: value for name, value in problem.items() if name not in _PLAIN and name.isidentifier()}
    return kind(str(detail), field=problem.get("field"), retryable=_retryable(problem, kind), **extra)


def _retryable(problem: Mapping[str, Any], kind: type[MindlogError]) -> bool:
    said = problem.get("retryable")
    return said if isinstance(said, bool) else kind.retryable
