"""Where a command works: a data directory in this process or a server, and in which form it prints.

Owns the options every command has. Knows no command.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from mindlog.errors import InvalidInput, MindlogError

if TYPE_CHECKING:
    from mindlog.client import Client
    from mindlog.embedded import Mindlog

__all__ = ["DEFAULT", "DEFAULT_LOCAL", "Format", "Local", "Target"]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Format:
    """How a command prints."""

    json: Annotated[bool, Parameter(help="Print JSON, one object a line.")] = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Local(Format):
    """A data directory."""

    data: Annotated[Path | None, Parameter(help="Data directory [env: MINDLOG_DATA] [default: ./mindlog-data].")] = None

    def open(self) -> Mindlog:
        """Open the directory in this process."""
        from mindlog import embedded

        return embedded.open(self.data)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Target(Local):
    """A data directory or a server."""

    url: Annotated[str | None, Parameter(env_var="MINDLOG_URL", help="Use the server at this address instead.")] = None
    api_key: Annotated[str | None, Parameter(env_var="MINDLOG_API_KEY", help="API key for that server.")] = None

    def connect(self) -> Mindlog | Client:
        """Open the directory, or a client of the server; both have the same methods."""
        if self.url is None:
            return self.open()
        if self.data is not None:
            raise InvalidInput("give --data or --url, not both (MINDLOG_URL counts as --url)", field="url")
        try:
            from mindlog.client import Client
        except ModuleNotFoundError as exc:
            raise MindlogError(f"--url needs {exc.name}: pip install 'mindlog[client]'") from exc
        return Client(self.url, self.api_key, timeout=_PATIENCE_SECONDS)


# A batch of long texts keeps a server busy for minutes.
_PATIENCE_SECONDS = 600.0

DEFAULT = Target()
DEFAULT_LOCAL = Local()
