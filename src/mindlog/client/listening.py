"""An event stream as the client reads it: where to go on, what a line means, when to connect again. Without a socket.

Owns the position: an event counts as heard once it is whole, so that none is lost or told twice over a lost connection.
"""

from __future__ import annotations

import json
import random
from urllib.parse import urlencode

import httpx2

from mindlog import wire
from mindlog.client.attempts import Answer, refusal_of
from mindlog.client.calls import given
from mindlog.errors import MindlogError, Unreachable
from mindlog.views import Event, SubscribeRequest

__all__ = ["SILENCE_SECONDS", "Listening"]

SILENCE_SECONDS = 45.0
"""Three heartbeats. A connection that is silent for longer is taken for lost."""
LONGEST_OUTAGE = 300.0
LONGEST_WAIT = 10.0
_PATH = "/v1/subscribe"
_TRY_AGAIN = frozenset({429, 503})


class Listening:
    """What one subscriber has heard. `retries`: of the first connection; later ones are tried for five minutes."""

    def __init__(self, request: SubscribeRequest, *, retries: int, backoff: float) -> None:
        self._request, self._retries, self._backoff = request, retries, backoff
        self._heard: int | None = None  # the id of the last whole event, or what the server said was passed over
        self._retry = 1.0
        self._connected = False  # ever
        self._failures = 0
        self._waited = 0.0
        self._forget()

    @property
    def target(self) -> str:
        """The path with its query."""
        asked = self._request
        query = {name: getattr(asked, name) for name in ("dataset", "from_lsn", "session", "kind", "memory_id")}
        query = given(query | {"types": ",".join(asked.types) or None})
        return f"{_PATH}?{urlencode(query, errors='replace')}" if query else _PATH

    @property
    def headers(self) -> dict[str, str]:
        """What to send: where to go on after a connection that was lost."""
        heard = {} if self._heard is None else {"Last-Event-ID": str(self._heard)}
        return {"Accept": "text/event-stream", **heard}

    def connected(self, answer: Answer) -> bool:
        """Say whether the stream has begun; otherwise ask `wait`."""
        if not isinstance(answer, httpx2.Response) or not answer.is_success:
            return False
        if not answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            raise MindlogError(f"GET {_PATH}: the answer is not a mindlog server's")
        self._connected, self._failures, self._waited = True, 0, 0.0
        self._forget()
        return True

    def wait(self, answer: Answer | None) -> float:
        """Return the seconds to wait before connecting again, after an answer that is no stream or after one that ended (None).

        Raises:
            MindlogError: the server's refusal, as the class of its code; `Unreachable` if there was no answer for too long.
        """
        if isinstance(answer, httpx2.Response) and answer.status_code not in _TRY_AGAIN:
            raise _refusal(answer)
        if answer is None:
            return self._retry
        given_up = self._waited > LONGEST_OUTAGE if self._connected else self._failures >= self._retries
        if given_up:
            raise _refusal(answer)
        wait = min(self._backoff * 2**self._failures, LONGEST_WAIT) * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
        self._failures += 1
        self._waited += wait
        return wait

    def line(self, line: str) -> Event | None:
        """Take a line in; return the event that it completes."""
        if not line:
            return self._complete()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "id" if value.isdecimal():
                self._id = int(value)
            case "event":
                self._type = value
            case "data":
                self._data.append(value)
            case "retry" if value.isdecimal():
                self._retry = int(value) / 1000
            case _:
                pass  # a comment, or what a later server may say
        return None

    def _complete(self) -> Event | None:
        kind, data, self._heard = self._type, self._data, self._heard if self._id is None else self._id
        self._forget()
        if not data or kind == "lagged":  # that one has its id as well, and the stream ends after it
            return None
        try:
            return wire.record(Event, json.loads("\n".join(data)))
        except (KeyError, TypeError, ValueError, AttributeError, MindlogError) as exc:
            raise MindlogError(f"GET {_PATH}: the event is not a mindlog server's: {exc!r}") from exc

    def _forget(self) -> None:
        self._id: int | None = None
        self._type = ""
        self._data: list[str] = []


def _refusal(answer: Answer) -> MindlogError:
    if isinstance(answer, httpx2.TransportError):
        return Unreachable(f"GET {_PATH}: no answer from the server: {str(answer) or type(answer).__name__}")
    return refusal_of(answer)
