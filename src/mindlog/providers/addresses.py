"""Addresses of providers as settings give them: checked when opened, filled in when asked. Knows no connection."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from urllib.parse import quote, urlsplit

from mindlog.errors import ConfigError, InvalidInput

__all__ = ["check_address", "check_headers", "fill", "pointer"]

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


def check_address(url: str, field: str, *, names: Collection[str] = (), needs: Collection[str] = ()) -> str:
    """The address, if it can be asked. names: placeholders it may have, after the host. needs: those it must have.

    Raises:
        ConfigError: it is not http or https, names no host, holds credentials, or has other placeholders; on `field`.
    """
    _check_url(url, field)
    found = set(_PLACEHOLDER.findall(url))
    if unknown := found - set(names):
        raise _wrong(field, f"knows {_listed(names)}, not {_listed(unknown)}")
    if missing := set(needs) - found:
        raise _wrong(field, f"must have {_listed(missing)} where it is to be filled in")
    if "{" in (rest := _PLACEHOLDER.sub("", url)) or "}" in rest:
        raise _wrong(field, "has a brace without its partner")
    return url


def fill(template: str, values: Mapping[str, str]) -> str:
    """The address with every placeholder's value in it, percent-encoded.

    Raises:
        InvalidInput: a value of dots alone, which would name another place than the template does.
    """

    def put(found: re.Match[str]) -> str:
        value = values[found[1]]
        if value and not value.strip("."):
            raise InvalidInput(f"{found[1]}: {value!r} cannot be asked for", field=found[1])
        return quote(value, safe="", errors="replace")

    return _PLACEHOLDER.sub(put, template)


def check_headers(headers: Mapping[str, str], field: str) -> Mapping[str, str]:
    """The headers, if HTTP can carry them; `ConfigError` on `field` otherwise. Values are secret and not shown."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise _wrong(field, f"has {name[:40]!r}, which is no name of a header")
        if not _HEADER_VALUE.fullmatch(value):
            raise _wrong(field, f"has a value for {name} that no header can hold")
    return headers


def pointer(path: str) -> str:
    """The setting as a JSON pointer: a bare name is a field of the root, and empty is the root."""
    return path if not path or path.startswith("/") else f"/{path}"


def _check_url(url: str, field: str) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as exc:
        raise _wrong(field, f"is not a URL: {exc}") from exc
    if parts.scheme not in ("http", "https") or not host or not _PRINTABLE.fullmatch(url):
        raise _wrong(field, f"must be a URL with http:// or https:// and a host, not {url[:80]!r}")
    if parts.username is not None or parts.password is not None:
        raise _wrong(field, "must hold no user name and no password: put them into a header")
    if "{" in parts.netloc:
        raise _wrong(field, "cannot have a placeholder in the host")


def _listed(names: Collection[str]) -> str:
    return ", ".join("{" + each + "}" for each in sorted(names)) or "no placeholder"


def _wrong(field: str, what: str) -> ConfigError:
    return ConfigError(f"{field} {what}", field=field)
