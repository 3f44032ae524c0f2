"""The command line. Owns exit codes and how errors are shown; each command is imported only when it is run.

0 ok, 1 failed, 2 wrong usage or a refused value, 3 not found, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from mindlog.errors import ConfigError, InvalidInput, MindlogError, NotFound

__all__ = ["exit_code", "main"]

FAILED, USAGE, NOT_FOUND, INTERRUPTED = 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command (`sys.argv` if None) and return its exit code; an error is one line on stderr."""
    # Memory text may hold what the terminal's encoding cannot show.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except MindlogError as exc:
        return _say(f"{exc.code}: {exc.detail}", exit_code(exc))
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader has left (`| head`); the interpreter's own flush at exit must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        from cyclopts import CycloptsError

        from mindlog.cli.app import app
    except ModuleNotFoundError as exc:
        return _say(f"the command line needs {exc.name}: pip install 'mindlog[cli]'", FAILED)
    try:
        code = app(None if arguments is None else list(arguments))
    except CycloptsError as exc:
        return _say(f"usage: {exc}", USAGE)
    return code if isinstance(code, int) else 0


def exit_code(error: MindlogError) -> int:
    """Return the exit code of an error."""
    if isinstance(error, NotFound):
        return NOT_FOUND
    return USAGE if isinstance(error, InvalidInput | ConfigError) else FAILED


def _say(message: str, code: int) -> int:
    sys.stderr.write(f"mindlog: {' '.join(message.split())}\n")
    return code
