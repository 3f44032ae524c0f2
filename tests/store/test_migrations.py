"""Migrations: applied once, whole or not at all, never silently another text; the schema is their sum."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from mindlog.errors import MigrationChanged, StoreDamaged, StoreNewer
from mindlog.store.connect import DATABASE, open_writer
from mindlog.store.migrate import Migration, migrate, migrations
from mindlog.store.queries import q
from mindlog.store.sqlite import SqliteStore
from mindlog.store.stages import DERIVE_STAGES, run_columns
from mindlog.testing.faults import armed, raising
from tests.store.made import MODEL

NEXT = Migration(number=len(migrations()) + 1, name="more", sql="CREATE TABLE more (a INTEGER); CREATE TABLE most (b);")


def schema(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").fetchall()


def made_by_hand() -> apsw.Connection:
    """The sum: the migrations' files one after another, then one column for each the stage tables ask for."""
    connection = apsw.Connection(":memory:")
    connection.execute(q.create_migrations)
    for migration in migrations():
        connection.execute(migration.sql)
    for name, kind in run_columns(DERIVE_STAGES):
        connection.execute(f"ALTER TABLE encode_runs ADD COLUMN {name} {kind}")
    return connection


def test_the_schema_of_a_store_is_the_sum_of_its_migrations_and_stages(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    assert schema(connection) == schema(made_by_hand())
    connection.close()


def test_file_names_are_a_gapless_row_of_numbers() -> None:
    assert [migration.number for migration in migrations()] == list(range(1, len(migrations()) + 1))
    assert all(migration.name.replace("_", "").isalpha() for migration in migrations())


def test_opening_again_applies_nothing(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = open_writer(tmp_path / DATABASE)
    before = connection.execute("SELECT * FROM migrations").fetchall(), schema(connection)
    migrate(connection, 999)
    assert (connection.execute("SELECT * FROM migrations").fetchall(), schema(connection)) == before
    connection.close()


def test_a_new_migration_is_applied_to_an_old_store(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = open_writer(tmp_path / DATABASE)
    migrate(connection, 5, [*migrations(), NEXT])
    applied = connection.execute("SELECT number, name, checksum, applied_at FROM migrations").fetchall()
    assert applied[-1] == (NEXT.number, "more", NEXT.checksum, 5)
    assert connection.execute("SELECT count(*) FROM more").fetchall() == [(0,)]
    connection.close()


def test_a_migration_that_fails_leaves_no_trace_and_can_be_applied_later(tmp_path: Path) -> None:
    connection = open_writer(tmp_path / DATABASE)
    migrate(connection, 0)
    before = schema(connection)
    with armed("in_migration", raising(InterruptedError)), pytest.raises(InterruptedError):
        migrate(connection, 0, [*migrations(), NEXT])
    broken = replace(NEXT, sql="CREATE TABLE more (a INTEGER); CREATE TABLE more (b);")
    with pytest.raises(apsw.SQLError):
        migrate(connection, 0, [*migrations(), broken])
    assert schema(connection) == before
    migrate(connection, 0, [*migrations(), NEXT])
    connection.close()


def test_a_database_of_a_newer_release_is_refused_with_both_numbers(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = open_writer(tmp_path / DATABASE)
    migrate(connection, 0, [*migrations(), replace(NEXT, number=90)])
    connection.close()
    with pytest.raises(StoreNewer, match=rf"schema 90.*schema {len(migrations())}"):
        SqliteStore.open(tmp_path, model=MODEL)


def test_an_applied_migration_whose_text_changed_is_refused(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = open_writer(tmp_path / DATABASE)
    connection.execute("UPDATE migrations SET checksum = 'another' WHERE number = 1")
    connection.close()
    with pytest.raises(MigrationChanged, match="0001"):
        SqliteStore.open(tmp_path, model=MODEL)


def test_the_columns_of_a_new_stage_are_added_on_open(tmp_path: Path) -> None:
    connection = open_writer(tmp_path / DATABASE)
    migrate(connection, 0)
    connection.execute("ALTER TABLE encode_runs DROP COLUMN hype_status")
    connection.execute("ALTER TABLE encode_runs DROP COLUMN hype_error")
    connection.execute("INSERT INTO encode_runs (id, dataset, slot, version, created_at) VALUES (1, 1, 1, 1, 1)")
    connection.close()
    SqliteStore.open(tmp_path, model=MODEL).close()
    connection = apsw.Connection(str(tmp_path / DATABASE))
    assert connection.execute("SELECT hype_status, hype_error FROM encode_runs").fetchall() == [("not_started", None)]
    connection.close()


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / DATABASE))
    connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    with pytest.raises(StoreDamaged, match="another program"):
        SqliteStore.open(tmp_path, model=MODEL)
