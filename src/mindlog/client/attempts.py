"""When a call is sent again: the decisions, without sending or sleeping, shared by both clients.

Owns the retry policy: which failures, how often, how long to wait.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from typing import Any, TypeVar

import httpx2

from mindlog.client.calls import Call
from mindlog.client.problems import error_of
from mindlog.errors import MindlogError, Unreachable

__all__ = ["Answer", "attempts", "refusal_of"]

R = TypeVar("R")

Answer = httpx2.Response | httpx2.TransportError
"""What came of sending once."""

LONGEST_WAIT = 30.0
_TRY_AGAIN = frozenset({429, 503})


def attempts(call: Call[R], *, retries: int, backoff: float) -> Generator[float, Answer, R]:
    """Yield the seconds to wait before each sending, be sent what came of it, return the call's result.

    A refused connection, 429 and 503 are tried again, and a connection lost on the way if the call is repeatable.
    `Retry-After` is honoured up to 30 s; otherwise the wait starts at `backoff` seconds, doubles and is jittered.

    Raises:
        MindlogError: the server's refusal, as the class of its code; `Unreachable` if there was no answer.
    """
    answer = yield 0.0
    for attempt in range(retries):
        if not _worth_repeating(call, answer):
            break
        answer = yield _wait(answer, backoff * 2**attempt)
    return _result(call, answer)


def _worth_repeating(call: Call[Any], answer: Answer) -> bool:
    if isinstance(answer, httpx2.Response):
        return answer.status_code in _TRY_AGAIN and answer.status_code not in call.accepts
    return call.repeatable or isinstance(answer, httpx2.ConnectError | httpx2.ConnectTimeout)


def _wait(answer: Answer, backoff: float) -> float:
    after = answer.headers.get("Retry-After", "") if isinstance(answer, httpx2.Response) else ""
    if after.isdecimal():
        return min(float(after), LONGEST_WAIT)
    # Jitter against callers that were refused together coming back together; nothing secret.
    return min(backoff * random.uniform(0.5, 1.0), LONGEST_WAIT)  # noqa: S311


def _result(call: Call[R], answer: Answer) -> R:
    if isinstance(answer, httpx2.TransportError):
        reason = str(answer) or type(answer).__name__
        raise Unreachable(f"{call.method} {call.path}: no answer from the server: {reason}") from answer
    if not answer.is_success and answer.status_code not in call.accepts:
        raise refusal_of(answer)
    try:
        return call.read((_media_type(answer), answer.content) if call.is_octets else _json(answer))
    except (KeyError, TypeError, ValueError, AttributeError, MindlogError) as exc:
        raise MindlogError(f"{call.method} {call.path}: the answer is not a mindlog server's: {exc!r}") from exc


def refusal_of(answer: httpx2.Response) -> MindlogError:
    """Return the error that an answer which is none of success stands for; it has been read."""
    body = _json(answer)
    return error_of(body if isinstance(body, dict) else None, answer.status_code)


def _media_type(answer: httpx2.Response) -> str:
    return answer.headers["Content-Type"].partition(";")[0].strip()


def _json(answer: httpx2.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None
