"""How the server writes its log: a line for people, or a JSON object a line for machines. Owns the two formats."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal

from mindlog.api.middleware import current_request_id

__all__ = ["set_up_logs"]

_OURS = ("mindlog", "uvicorn")
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


def set_up_logs(log_format: Literal["console", "json"], level: int = logging.INFO) -> None:
    """Send the log of mindlog and its HTTP server to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if log_format == "json" else _Lines())
    for name in _OURS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    # It speaks of sockets and processes at every start; what matters of that, `serve` announces itself.
    logging.getLogger("uvicorn.error").setLevel(max(level, logging.WARNING))


class _Lines(logging.Formatter):
    """Time, level, sentence, request id."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        request_id = current_request_id.get()
        line = f"{at} {record.levelname.lower():7} {record.getMessage()}" + (f" [{request_id}]" if request_id else "")
        return line if record.exc_info is None else f"{line}\n{self.formatException(record.exc_info)}"


class _JsonLines(logging.Formatter):
    """The same facts and those in `extra`, as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object as a line."""
        facts: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": current_request_id.get(),
        }
        facts |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info is not None:
            facts["exception"] = self.formatException(record.exc_info)
        return json.dumps(facts, default=str)
