"""Fetching a document from an address, where the operator allows it. Owns what may be asked, and of which machine.

The host must be on the operator's list, and every address its name resolves to must be public. The connection goes to
the address that was checked, under the host's name; redirects are followed by hand and checked like the first address.
Proxies and other settings of the environment are not used.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mindlog import __version__
from mindlog.errors import AddressRefused, ConfigError, DocumentTooLarge, FetchFailed, MissingExtra

if TYPE_CHECKING:
    import httpx2

__all__ = ["FetchRules", "Fetched", "Resolve", "fetch", "private_because"]

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host, as text; raises `OSError` if there are none."""

_IP = ipaddress.IPv4Address | ipaddress.IPv6Address

_MOST_REDIRECTS = 5
_LONGEST_URL = 8192
_HIGHEST_PORT = 65535
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RETRYABLE = frozenset({408, 425, 429})
# Nothing is unpacked: a packed answer would pass the limit by far.
_HEADERS = {
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "User-Agent": f"mindlog/{__version__}",
    "Connection": "close",
}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_COMPATIBLE = ipaddress.ip_network("::/96")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document as it came. name: the file's, without a folder. url: where it came from in the end."""

    data: bytes
    name: str | None
    content_type: str | None
    url: str


async def _lookup(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[4][0]) for address in found]


@dataclass(frozen=True, slots=True)
class FetchRules:
    """What may be fetched, and within which bounds.

    hosts: names, `*.example.org` for every name below that one, `*` for any. limit: most bytes. seconds: for all of it,
    redirects included. private: networks that are reached although they are not public, for tests and for an operator's
    own machines. resolve and trust replace the system's resolver and its certificates.
    """

    hosts: tuple[str, ...] = ()
    limit: int = 64 << 20
    seconds: float = 30.0
    private: tuple[str, ...] = ()
    resolve: Resolve = _lookup
    trust: ssl.SSLContext | None = None

    def allows(self, host: str) -> bool:
        """Whether a host, in the form it has on the wire, is on the list."""
        return any(_matches(host, pattern) for pattern in self.hosts)


async def fetch(url: str, rules: FetchRules) -> Fetched:
    """Fetch a document.

    Raises:
        AddressRefused: the address, or one it redirects to, may not be fetched; `extra["rule"]` says which rule refused it:
            url, scheme, credentials, host, address, redirects.
        DocumentTooLarge: it is over the limit.
        FetchFailed: no document came: no such host, no connection, an error, an unfinished answer, or too slow.
        ConfigError: a name on the list of hosts is none.
        MissingExtra: httpx2 is not installed.
    """
    try:
        async with asyncio.timeout(rules.seconds):
            return await _follow(url, rules)
    except TimeoutError as exc:
        raise FetchFailed(f"url: no document within {rules.seconds:g} seconds", field="url") from exc


async def _follow(url: str, rules: FetchRules) -> Fetched:
    target = _parse(url)
    seen: list[str] = []
    while True:
        _check_url(target, rules)
        if str(target) in seen:
            raise _refused("redirects", f"it redirects in a circle: {' -> '.join([*seen, str(target)])}")
        seen.append(str(target))
        if len(seen) > _MOST_REDIRECTS + 1:
            raise _refused("redirects", f"more than {_MOST_REDIRECTS} redirects: {' -> '.join(seen)}")
        answer = await _get(target, rules)
        if isinstance(answer, Fetched):
            return answer
        target = _joined(target, answer)


def _parse(url: str) -> httpx2.URL:
    try:
        import httpx2
    except ImportError as exc:
        raise MissingExtra("fetching needs httpx2: pip install 'mindlog[client]'", field="url") from exc
    if len(url) > _LONGEST_URL:
        raise _refused("url", f"it is longer than {_LONGEST_URL} characters")
    try:
        # A fragment is for readers: it is not sent, and two of one page are one address.
        return httpx2.URL(url).copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError) as exc:
        raise _refused("url", f"it is no address: {exc}") from exc


def _joined(base: httpx2.URL, location: str) -> httpx2.URL:
    import httpx2

    try:
        return _parse(str(base.join(location)))
    except (httpx2.InvalidURL, ValueError) as exc:
        raise _refused("url", f"{base} redirects to no address: {exc}") from exc


def _check_url(url: httpx2.URL, rules: FetchRules) -> None:
    # The credentials of a refused address are not repeated in the message.
    if url.userinfo:
        raise _refused("credentials", "an address with a user name or password is not fetched")
    if url.scheme not in ("http", "https"):
        raise _refused("scheme", f"only http and https are fetched, not {url.scheme or 'an address without a scheme'}")
    host = _host(url)
    if not host:
        raise _refused("url", "it names no host")
    if url.port is not None and not 0 < url.port <= _HIGHEST_PORT:
        raise _refused("url", f"there is no port {url.port}")
    if not rules.allows(host):
        raise _refused("host", f"{host} is not one of the hosts that documents may be fetched from (remember_hosts)")


def _host(url: httpx2.URL) -> str:
    return url.raw_host.decode("ascii").lower().rstrip(".").strip("[]")


def _matches(host: str, pattern: str) -> bool:
    wanted = _wire_form(pattern)
    if wanted == "*":
        return True
    return host.endswith(wanted[1:]) if wanted.startswith("*.") else host == wanted


def _wire_form(pattern: str) -> str:
    """Return a name of the list as it is on the wire: lower case, without the last dot, other scripts encoded."""
    name = pattern.strip().lower().rstrip(".").strip("[]")
    if name.isascii():
        return name
    import httpx2

    below = "*." if name.startswith("*.") else ""
    try:
        return below + _host(httpx2.URL(f"http://{name.removeprefix(below)}/"))
    except httpx2.InvalidURL as exc:
        raise ConfigError(f"remember_hosts: {pattern!r} is no host name: {exc}", field="remember_hosts") from exc


async def _get(url: httpx2.URL, rules: FetchRules) -> Fetched | str:
    """Ask one address; return the document, or where it redirects to."""
    import httpx2

    port = url.port or {"http": 80, "https": 443}[url.scheme]
    addresses = await _addresses(_host(url), port, rules)
    for at, address in enumerate(addresses):
        try:
            return await _ask(url, address, rules)
        except httpx2.ConnectError as exc:
            if at == len(addresses) - 1:
                raise FetchFailed(f"url: {_host(url)} cannot be reached: {exc}", field="url") from exc
        except httpx2.HTTPError as exc:
            said = f": {exc}" if str(exc) else ""
            raise FetchFailed(f"url: {_host(url)} gave no whole answer{said}", field="url") from exc
    raise FetchFailed(f"url: {_host(url)} has no address", field="url")


async def _addresses(host: str, port: int, rules: FetchRules) -> list[str]:
    """Resolve a host, once. One address that may not be reached refuses them all."""
    try:
        found = list(dict.fromkeys(await rules.resolve(host, port)))
    except (OSError, UnicodeError) as exc:
        raise FetchFailed(f"url: {host} cannot be resolved: {exc}", field="url") from exc
    private = [ipaddress.ip_network(network) for network in rules.private]
    for each in found:
        address = ipaddress.ip_address(each)
        why = private_because(address)
        if why and not any(address in network for network in private):
            raise _refused("address", f"{host} resolves to {address}, which is {why}")
    return found


def private_because(address: _IP) -> str | None:
    """Return why an address is not a public one ("a loopback address"), `None` if it is.

    An IPv6 address that carries an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) is what that one is, too.
    """
    if isinstance(address, ipaddress.IPv6Address):
        for inner in _embedded(address):
            if why := private_because(inner):
                return f"{why} inside an IPv6 address"
        if address.ipv4_mapped or address in _NAT64:
            return None
    for name in ("loopback", "link_local", "multicast", "unspecified", "private", "reserved"):
        if getattr(address, f"is_{name}"):
            spoken = name.replace("_", "-")
            return f"{'an' if name[0] == 'u' else 'a'} {spoken} address"
    if not address.is_global or (address.version == 6 and address not in _GLOBAL_UNICAST):
        return "not a public address"
    return None


def _embedded(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 0xFFFF):
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in inner if each is not None]


async def _ask(url: httpx2.URL, address: str, rules: FetchRules) -> Fetched | str:
    import httpx2

    literal = f"[{address}]" if ":" in address else address
    request = httpx2.Request(
        "GET",
        url.copy_with(host=literal),
        headers={"Host": url.netloc.decode("ascii"), **_HEADERS},
        extensions={"sni_hostname": _host(url), "timeout": httpx2.Timeout(rules.seconds).as_dict()},
    )
    # A client an address: connections are kept by address, not by name, and cookies have no business here.
    trust = (rules.trust or await asyncio.to_thread(httpx2.create_ssl_context, trust_env=False)) if _tls(url) else False
    async with httpx2.AsyncClient(trust_env=False, follow_redirects=False, verify=trust) as client:
        response = await client.send(request, stream=True)
        try:
            if response.status_code in _REDIRECTS and "location" in response.headers:
                return str(response.headers["location"])
            _check_answer(response, rules.limit)
            data = await _body(response, rules.limit)
        finally:
            await response.aclose()
    return Fetched(data, _name(url, response), response.headers.get("content-type"), str(url))


def _tls(url: httpx2.URL) -> bool:
    return url.scheme == "https"


def _check_answer(response: httpx2.Response, limit: int) -> None:
    status = response.status_code
    if status != 200:
        again = status >= 500 or status in _RETRYABLE
        raise FetchFailed(f"url: it answers with status {status}", field="url", retryable=again, answered=status)
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise FetchFailed("url: the answer is packed although it was asked for unpacked", field="url", retryable=False)
    declared = response.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise _too_large(limit)


async def _body(response: httpx2.Response, limit: int) -> bytes:
    data = bytearray()
    async for piece in response.aiter_raw():
        data += piece
        if len(data) > limit:
            raise _too_large(limit)
    return bytes(data)


def _name(url: httpx2.URL, response: httpx2.Response) -> str | None:
    """Return the file's name: what the answer calls it, else the last part of the path; never a folder."""
    header = Message()
    header["content-disposition"] = response.headers.get("content-disposition", "")
    name = header.get_filename() or unquote(url.path)
    last = _UNPRINTABLE.sub("", name.replace("\\", "/")).rsplit("/", 1)[-1].strip()
    return last[-_LONGEST_NAME:] if last.strip(".") else None


def _too_large(limit: int) -> DocumentTooLarge:
    return DocumentTooLarge(f"url: the document is larger than {limit} bytes", field="url", limit=limit)


def _refused(rule: str, why: str) -> AddressRefused:
    return AddressRefused(f"url: {why}", field="url", rule=rule)
