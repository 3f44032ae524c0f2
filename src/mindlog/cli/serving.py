"""`mindlog serve`. Owns its options; the server is `mindlog.api.server`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from mindlog.cli.output import print_line
from mindlog.embedded import load_settings
from mindlog.errors import MindlogError

__all__ = ["serve"]


def serve(
    *,
    data: Path | None = None,
    host: str | None = None,
    port: int | None = None,
    log_format: Literal["console", "json"] | None = None,
) -> None:
    """Serve the HTTP API until SIGTERM or Ctrl-C; requests under way are answered first.

    Args:
        data: Data directory [env: MINDLOG_DATA] [default: ./mindlog-data].
        host: Address to listen on; another than loopback needs an API key [default: 127.0.0.1].
        port: Port to listen on; 0 takes a free one [default: 7464].
        log_format: How the log is written [default: console].
    """
    settings = load_settings(data=data, host=host, port=port, log_format=log_format)
    try:
        from mindlog.api.server import serve as run
    except ModuleNotFoundError as exc:
        raise MindlogError(f"serve needs {exc.name}: pip install 'mindlog[server]'") from exc
    run(settings, announce=_announce)


def _announce(line: str) -> None:
    print_line(line)
    sys.stdout.flush()  # whoever started the server through a pipe waits for this line
