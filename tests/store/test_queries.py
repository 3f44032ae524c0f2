"""Every named statement is used, every used name exists, every statement compiles against the schema."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import apsw.ext
import pytest

import mindlog.store
from mindlog.store.migrate import migrate
from mindlog.store.queries import Statements, load, q
from mindlog.store.runstages import DERIVE, QUERY, REMEMBER

SOURCE = Path(mindlog.store.__file__).parent


def test_code_and_files_name_the_same_statements() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.glob("*.py"))
    assert set(re.findall(r"\bq\.([a-z_]+)", code)) - {"name"} == set(dir(q))


def test_every_statement_compiles_against_the_schema() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection, 0)
    for name in set(dir(q)) - {"create_migrations"}:
        assert apsw.ext.query_info(connection, filled(getattr(q, name))).query, name


def filled(sql: str) -> str:
    """The statement with something in place of its markers."""
    table = next((table for table in (REMEMBER, QUERY) if table.name in sql), DERIVE)
    stage = next(stage for stage in table.stages if stage.runs_model)
    sql = table.of_stage(sql, stage).replace("/*ended*/", "error = error")
    return re.sub(r"/\*(filters|conditions|state|seen|hidden)\*/", "1", sql)


def test_an_unknown_name_and_an_empty_statement_are_errors() -> None:
    with pytest.raises(AttributeError, match="no SQL statement"):
        _ = q.nothing_of_this_name
    with pytest.raises(ValueError, match="empty"):
        load("-- a --\n-- only a comment\n")
    with pytest.raises(ValueError, match="twice"):
        load("-- a --\nSELECT 1;\n-- a --\nSELECT 2;\n")
    assert Statements(load("-- a --\n-- what\nSELECT 1;\n")).a == "SELECT 1"
