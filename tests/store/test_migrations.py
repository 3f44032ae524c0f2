"""Migrations: applied once, whole or not at all, never silently another text; the schema is their sum."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from mindlog.errors import MigrationChanged, StoreDamaged, StoreNewer
from mindlog.store.connect import DATABASE, open_writer
from mindlog.store.load import stamp_fresh
from mindlog.store.migrate import Migration, migrate, migrations
from mindlog.store.queries import q
from mindlog.store.runrows import RunQuery
from mindlog.store.sqlite import SqliteStore
from mindlog.store.stages import DERIVE_STAGES, QUERY_STAGES, REMEMBER_STAGES, run_columns
from mindlog.testing.faults import armed, raising
from tests.store.made import MODEL

NEXT = Migration(number=len(migrations()) + 1, name="more", sql="CREATE TABLE more (a INTEGER); CREATE TABLE most (b);")
TABLES = (("encode_runs", DERIVE_STAGES), ("remember_runs", REMEMBER_STAGES), ("query_runs", QUERY_STAGES))
RUN = "INSERT INTO encode_runs (id, dataset, slot, version, created_at) VALUES (?, ?, ?, ?, ?)"


def schema(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").fetchall()


def made_by_hand() -> apsw.Connection:
    """The sum: the migrations' files one after another, then one column for each the stage tables ask for."""
    connection = apsw.Connection(":memory:")
    connection.execute(q.create_migrations)
    for migration in migrations():
        connection.execute(migration.sql)
    for table, stages in TABLES:
        for name, kind in run_columns(stages):
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
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


def test_an_accepted_proposal_whose_merge_had_been_taken_back_becomes_undone(tmp_path: Path) -> None:
    connection = open_writer(tmp_path / DATABASE)
    migrate(connection, 0, [each for each in migrations() if each.number < 5])
    connection.execute("INSERT INTO datasets (number, name, created_at) VALUES (1, 'default', 5)")
    for identity, root in ((1, 1), (2, 1), (3, 3)):
        facts = (identity, 1, root, "a", "person", 0, 1, 1)
        connection.execute("INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)", facts)
    for identity, other, status in ((1, 2, "accepted"), (2, 3, "accepted")):
        facts = (identity, 1, 1, other, 0.7, "alike", status, 1, 2)
        connection.execute("INSERT INTO merge_proposals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", facts)
    migrate(connection, 0)
    found = connection.execute("SELECT other, status FROM merge_proposals ORDER BY id").fetchall()
    assert found == [(2, "accepted"), (3, "undone")]
    connection.close()


def old_store(directory: Path) -> None:
    """A store as the first release left it: three memories, the second one edited, whose runs nobody has looked at."""
    connection = open_writer(directory / DATABASE)
    migrate(connection, 0, migrations()[:1])
    stamp_fresh(connection, MODEL)
    connection.execute("INSERT INTO datasets (number, name, created_at) VALUES (1, 'default', 5)")
    for lsn, slot, version in ((2, 1, 1), (3, 2, 1), (4, 3, 1), (5, 2, 2)):
        log = (lsn, lsn, "memory_encoded", 1, slot, version, "{}")
        connection.execute(q.insert_log, log)
        connection.execute(RUN, (lsn, 1, slot, version, lsn))
        if version == 1:
            facts = (lsn, lsn, "episodic", 0.5, 7, lsn, lsn)
            connection.execute(q.insert_memory, (slot, 1, *facts, None, b"f", None, None, None, "{}", f"text {slot}"))
        else:
            connection.execute(q.archive_revision, (slot,))
            connection.execute(q.update_memory, (2, lsn, lsn, "episodic", 0.5, 7, lsn, None, b"f", "{}", "new", slot))
    connection.close()


async def test_the_runs_of_a_store_of_the_first_release_can_be_claimed(tmp_path: Path) -> None:
    old_store(tmp_path)
    store = SqliteStore.open(tmp_path, model=MODEL)
    assert store.stats().pending_derivations == 4
    assert {(row.id, row.state, row.attempts) for row in store.runs(RunQuery())} == {
        (lsn, "waiting", 0) for lsn in range(2, 6)
    }
    claimed = await store.claim_runs("w", 10, 1000)
    assert [(run.id, run.slot, run.version, run.attempts) for run in claimed] == [
        (2, 1, 1, 1),
        (3, 2, 1, 1),
        (4, 3, 1, 1),
        (5, 2, 2, 1),
    ]
    assert [(stage.name, stage.status) for stage in claimed[0].stages] == [
        (stage.name, "not_started") for stage in DERIVE_STAGES
    ]
    assert [(row.id, row.version) for row in store.runs_of(2)] == [(5, 2), (3, 1)]
    await store.aclose()


def test_an_old_store_gets_the_schema_of_a_new_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for directory in (old, new):
        directory.mkdir()
    old_store(old)
    for directory in (old, new):
        SqliteStore.open(directory, model=MODEL).close()
    assert columns_and_indexes(old) == columns_and_indexes(new)


def columns_and_indexes(directory: Path) -> list[tuple[object, ...]]:
    """The schema without the order of columns, which says when they were added."""
    connection = apsw.Connection(str(directory / DATABASE))
    columns = connection.execute(
        "SELECT t.name, c.name, c.type, c.[notnull], c.dflt_value, c.pk FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c"
        " WHERE t.type = 'table' ORDER BY 1, 2"
    ).fetchall()
    others = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type != 'table' ORDER BY name").fetchall()
    connection.close()
    return [*columns, *others]


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / DATABASE))
    connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    with pytest.raises(StoreDamaged, match="another program"):
        SqliteStore.open(tmp_path, model=MODEL)
