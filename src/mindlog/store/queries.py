"""Named SQL: reads the statements of `sql/*.sql` once. Owns the file format; knows no connection.

A statement is a line `-- name --`, comment lines that say what it does, and the SQL. Code says `q.name`.
"""

from __future__ import annotations

import re
from importlib.resources import files

__all__ = ["Statements", "load", "q"]

_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)


class Statements:
    """The statements as attributes; `AttributeError` for a name that no file has."""

    def __init__(self, statements: dict[str, str]) -> None:
        self._statements = statements

    def __getattr__(self, name: str) -> str:
        """Return the SQL of the statement."""
        try:
            return self._statements[name]
        except KeyError:
            raise AttributeError(f"no SQL statement is named {name!r}") from None

    def __dir__(self) -> list[str]:
        """Return the names."""
        return sorted(self._statements)


def load(text: str) -> dict[str, str]:
    """Return the statements of one file by name; `ValueError` for a name that comes twice or has no SQL."""
    parts = _NAME.split(text)
    statements: dict[str, str] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        sql = "\n".join(line for line in body.splitlines() if line.strip() and not line.startswith("--"))
        if name in statements or not sql:
            raise ValueError(f"SQL statement {name!r} is empty or named twice")
        statements[name] = sql.rstrip(";")
    return statements


def _load_all() -> Statements:
    statements: dict[str, str] = {}
    for file in files("mindlog.store").joinpath("sql").iterdir():
        if file.name.endswith(".sql"):
            statements |= load(file.read_text(encoding="utf-8"))
    return Statements(statements)


q = _load_all()
