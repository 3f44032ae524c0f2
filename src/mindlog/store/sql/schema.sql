-- create_migrations --
-- Holds what has been applied to this database.
CREATE TABLE migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

-- count_tables --
-- Zero for a fresh file.
SELECT count(*) FROM sqlite_schema;

-- applied_migrations --
-- What has been applied.
SELECT number, checksum FROM migrations;

-- insert_migration --
-- Records a migration in the transaction that applied it.
INSERT INTO migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, ?);

-- has_table --
-- Whether the schema has a table.
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?;
