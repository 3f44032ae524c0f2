"""What every test shares: the logging it may change is put back, so that no test depends on which ran before it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

LOGGERS = ("mindlog", "uvicorn", "uvicorn.error", "uvicorn.access")


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    kept = {name: _state(logging.getLogger(name)) for name in LOGGERS}
    yield
    for name, (handlers, propagate, level, disabled) in kept.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate, logger.disabled = handlers, propagate, disabled
        logger.setLevel(level)


def _state(logger: logging.Logger) -> tuple[list[logging.Handler], bool, int, bool]:
    return list(logger.handlers), logger.propagate, logger.level, logger.disabled
