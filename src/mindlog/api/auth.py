"""Who a request comes from, decided before anything else is done for it.

Owns the rules for the machine's own callers: whoever reaches a loopback address without a key is trusted only while the
store has no API key, and only if the request cannot have been sent by a web page or a proxy.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from mindlog.access import LOCAL, Caller
from mindlog.api.middleware import HttpMiddleware
from mindlog.api.problems import problem_of, request_id_of
from mindlog.errors import Forbidden, MindlogError, Unauthorized

if TYPE_CHECKING:
    from mindlog.engine import Engine

__all__ = ["Gate", "is_loopback"]

_GUARDED = "/v1/"
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class Gate(HttpMiddleware):
    """Middleware that lets a request pass with its caller in the scope's state, or answers 401 or 403.

    The state also has `check`, which does the same again for whoever stays: it raises once the caller may stay no longer.
    """

    def __init__(self, app: ASGIApp, *, engine: Engine, local: bool) -> None:
        """`local`: the server listens on a loopback address."""
        super().__init__(app)
        self._engine, self._local = engine, local
        self._keyed = False

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request of a caller who may come in."""
        check = partial(self._caller, Headers(scope=scope), guarded=scope["path"].startswith(_GUARDED))
        try:
            scope["state"] |= {"caller": check(), "check": check}
        except MindlogError as exc:
            await problem_of(exc, request_id_of(scope))(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _caller(self, headers: Headers, *, guarded: bool) -> Caller | None:
        presented = headers.get("authorization")
        if presented is not None:
            return self._key_holder(presented)
        if self._trusts_local():
            _check_is_local(headers)
            return LOCAL
        if guarded:
            raise Unauthorized(
                "authorization: an API key is required: Authorization: Bearer ml_sk_...", field="authorization"
            )
        return None

    def _key_holder(self, presented: str) -> Caller:
        scheme, _, secret = presented.partition(" ")
        caller = self._engine.authenticate(secret.strip()) if scheme.lower() == "bearer" else None
        if caller is None:
            raise Unauthorized("authorization: not a valid API key", field="authorization")
        return caller

    def _trusts_local(self) -> bool:
        # Revoked keys count: taking a key away must not open the door to everyone. Rows stay, so once is for good.
        self._keyed = self._keyed or bool(self._engine.store.api_keys())
        return self._local and not self._keyed


@lru_cache(maxsize=256)  # the same few names come with every request
def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _check_is_local(headers: Mapping[str, str]) -> None:
    """Refuse what a web page or a proxy may have sent; a page can make its own name point at this address."""
    if not is_loopback(_host_name(headers.get("host", ""))):
        raise Forbidden("host: without API keys only localhost, 127.0.0.1 and [::1] are answered", field="host")
    origin = headers.get("origin")
    if origin is not None and not is_loopback(_origin_host(origin)):
        raise Forbidden("origin: without API keys pages of other sites are not answered", field="origin")
    if any(name in headers for name in _FORWARDED):
        raise Forbidden("this came through a proxy; make an API key first: mindlog keys create", field="forwarded")


def _host_name(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _origin_host(origin: str) -> str:
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""
