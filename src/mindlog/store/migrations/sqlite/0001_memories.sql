-- The first schema: datasets, memories with what they own, the log, request ids, API keys.
-- Small columns come before texts and blobs, so that a scan of a row's head does not touch its overflow pages.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
) STRICT;

CREATE TABLE datasets (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    timezone TEXT,
    created_at INTEGER NOT NULL
) STRICT;

-- The current revision of every memory. lsn is that of the write that made the revision, changed_lsn that of the last
-- change of any kind. dedup_key is held by one live memory at most; the writer keeps it so, without an index of random
-- keys (which halves the rate of large stores).
CREATE TABLE memories (
    slot INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    lsn INTEGER NOT NULL,
    changed_lsn INTEGER NOT NULL,
    kind TEXT NOT NULL,
    salience REAL NOT NULL,
    occurred_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    forgotten_at INTEGER,
    asks INTEGER NOT NULL GENERATED ALWAYS AS (
        instr(substr(text, -60), '?') > 0 OR instr(substr(text, -60), '？') > 0 OR instr(substr(text, -60), '؟') > 0
    ) STORED,
    dedup_key BLOB,
    fingerprint BLOB NOT NULL,
    agent TEXT,
    session TEXT,
    document_id TEXT,
    metadata TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE INDEX memories_by_dataset ON memories (dataset, slot);
CREATE INDEX memories_forgotten ON memories (forgotten_at) WHERE forgotten_at IS NOT NULL;

-- The vectors (float32, little-endian, one row a window) and token states (int8) of the current revision.
CREATE TABLE embeddings (
    slot INTEGER PRIMARY KEY REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    model INTEGER NOT NULL REFERENCES models (id),
    state_width INTEGER,
    vectors BLOB NOT NULL,
    states BLOB
) STRICT;

-- Revisions that are no longer current, whole.
CREATE TABLE memory_versions (
    slot INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    lsn INTEGER NOT NULL,
    kind TEXT NOT NULL,
    salience REAL NOT NULL,
    occurred_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    model INTEGER,
    state_width INTEGER,
    fingerprint BLOB NOT NULL,
    agent TEXT,
    session TEXT,
    document_id TEXT,
    metadata TEXT NOT NULL,
    text TEXT NOT NULL,
    vectors BLOB,
    states BLOB,
    PRIMARY KEY (slot, version)
) STRICT;

-- Answers by request id. Rows are dropped after a day: the index of random ids stays small.
CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    params BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    version INTEGER NOT NULL,
    was_deduplicated INTEGER NOT NULL,
    lsn INTEGER NOT NULL,
    persisted_at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    salience REAL NOT NULL,
    UNIQUE (dataset, request_id)
) STRICT;

CREATE TABLE log (
    lsn INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    dataset INTEGER,
    slot INTEGER,
    version INTEGER,
    payload TEXT NOT NULL
) STRICT;

-- One row for every revision, written with it: what is still to be derived. id is the revision's lsn. The columns of the
-- stages are added by the store from its stage tables.
CREATE TABLE encode_runs (
    id INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    version INTEGER NOT NULL,
    user TEXT,
    params TEXT,
    status TEXT NOT NULL DEFAULT 'started',
    error TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    secret_hash BLOB NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    datasets TEXT,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
) STRICT;
