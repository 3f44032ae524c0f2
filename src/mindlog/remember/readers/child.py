"""The process that reads one document, `python -m mindlog.remember.readers.child`: an errand and bytes in, a reply out.

It keeps what foreign parsers do with foreign bytes away from the engine: their time, their memory and their crashes.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from mindlog.errors import DocumentUnreadable, MindlogError
from mindlog.remember.readers.document import read_document
from mindlog.remember.readers.wire import Errand, error_line, reply_lines

__all__ = ["main"]


def main() -> None:
    """Read the document on standard input and write the reply to standard output."""
    errand = Errand.of(sys.stdin.buffer.readline())
    _limit_process(errand.memory, errand.seconds)
    try:
        document = read_document(sys.stdin.buffer.read(), errand.name, errand.content_type, errand.limit)
    except MindlogError as error:
        sys.stdout.buffer.write(error_line(error))
    except MemoryError:
        sys.stdout.buffer.write(error_line(_memory_error(errand.memory)))
    else:
        sys.stdout.buffer.writelines(reply_lines(document))


def _memory_error(memory: int) -> DocumentUnreadable:
    return DocumentUnreadable(f"document: reading it takes more than {memory >> 20} MiB of memory", field="document")


def _limit_process(memory: int, seconds: int) -> None:
    """Bound memory and processor time where the platform can."""
    try:
        import resource
    except ImportError:
        return
    limits = {resource.RLIMIT_AS: memory, resource.RLIMIT_CPU: seconds, resource.RLIMIT_CORE: 0}
    for what, most in limits.items():
        # A platform may know a limit and refuse it, and a stricter one may be set already.
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
