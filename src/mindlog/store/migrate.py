"""Migrations: numbered SQL files, applied in order, each recorded with its checksum in the transaction that made it.

Also adds the run-log columns of stages that the file does not have yet. Owns the `migrations` table; knows no query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import apsw
from blake3 import blake3

from mindlog.errors import MigrationChanged, StoreDamaged, StoreNewer
from mindlog.store.connect import APPLICATION_ID, fetch
from mindlog.store.queries import q
from mindlog.store.stages import DERIVE_STAGES, QUERY_STAGES, REMEMBER_STAGES, StageInfo, run_columns
from mindlog.testing.faults import fault

__all__ = ["Migration", "migrate", "migrations"]

RUN_TABLES: tuple[tuple[str, tuple[StageInfo, ...]], ...] = (
    ("encode_runs", DERIVE_STAGES),
    ("remember_runs", REMEMBER_STAGES),
    ("query_runs", QUERY_STAGES),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered file."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Hex BLAKE3 of the text."""
        return blake3(self.sql.encode()).hexdigest()


def migrations() -> tuple[Migration, ...]:
    """Return the release's migrations in order; file names are `0001_what_it_adds.sql`."""
    found: list[Migration] = []
    for file in files("mindlog.store").joinpath("migrations", "sqlite").iterdir():
        number, _, name = file.name.removesuffix(".sql").partition("_")
        found.append(Migration(number=int(number), name=name, sql=file.read_text(encoding="utf-8")))
    return tuple(sorted(found, key=lambda migration: migration.number))


def migrate(connection: apsw.Connection, at: int, known: Sequence[Migration] | None = None) -> None:
    """Bring the schema up to this release's. Each migration commits with its record.

    Raises `StoreNewer` if the database has a migration that this release does not know, `MigrationChanged` if an applied
    one reads otherwise here, `StoreDamaged` if the database is not mindlog's.
    """
    wanted = migrations() if known is None else known
    _claim(connection)
    applied = dict(fetch(connection, q.applied_migrations))
    newest = wanted[-1].number
    if applied and max(applied) > newest:
        raise StoreNewer(
            f"the database has schema {max(applied)}, this mindlog knows schema {newest}: use a newer mindlog"
        )
    for migration in wanted:
        if migration.number not in applied:
            _apply(connection, migration, at)
        elif applied[migration.number] != migration.checksum:
            raise MigrationChanged(f"migration {migration.number:04d}_{migration.name} was applied with another text")
    for table, stages in RUN_TABLES:
        _add_columns(connection, table, stages)


def _claim(connection: apsw.Connection) -> None:
    """Mark a fresh file as mindlog's; refuse another program's database."""
    owner = connection.pragma("application_id")
    tables = fetch(connection, q.count_tables)[0][0]
    if owner != APPLICATION_ID and tables:
        raise StoreDamaged("the database file belongs to another program")
    if not tables:
        with connection:
            connection.pragma("application_id", APPLICATION_ID)
            connection.execute(q.create_migrations)


def _apply(connection: apsw.Connection, migration: Migration, at: int) -> None:
    with connection:
        connection.execute(migration.sql)
        fault("in_migration")
        connection.execute(q.insert_migration, (migration.number, migration.name, migration.checksum, at))


def _add_columns(connection: apsw.Connection, table: str, stages: tuple[StageInfo, ...]) -> None:
    present = {row[1] for row in fetch(connection, f"PRAGMA table_info({table})")}
    missing = [(name, kind) for name, kind in run_columns(stages) if name not in present]
    if present and missing:  # a table that no migration applied so far has made is not there
        with connection:
            for name, kind in missing:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
