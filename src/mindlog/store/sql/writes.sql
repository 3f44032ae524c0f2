-- insert_memory --
-- Adds the first revision of a memory.
INSERT INTO memories (
    slot, version, dataset, lsn, changed_lsn, kind, salience, occurred_at, created_at, recorded_at,
    dedup_key, fingerprint, agent, session, document_id, metadata, text
) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_embedding --
-- Adds the vectors and token states of a new memory.
INSERT INTO embeddings (slot, version, model, state_width, vectors, states) VALUES (?, 1, ?, ?, ?, ?);

-- insert_log --
-- Adds an entry to the log.
INSERT INTO log (lsn, at, type, dataset, slot, version, payload) VALUES (?, ?, ?, ?, ?, ?, ?);

-- insert_encode_run --
-- Adds the derivation row of a revision.
INSERT INTO encode_runs (id, dataset, slot, version, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?);

-- insert_request --
-- Remembers the answer to a request id.
INSERT INTO requests (
    dataset, request_id, params, created_at, slot, version, was_deduplicated, lsn, persisted_at, kind, salience
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_dataset --
-- Adds a dataset.
INSERT INTO datasets (number, name, timezone, created_at) VALUES (?, ?, ?, ?);

-- update_dataset --
-- Sets a dataset's zone.
UPDATE datasets SET timezone = ? WHERE number = ?;

-- put_meta --
-- Sets one of the store's own numbers.
INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- memory_facts --
-- What a write's answer says of a memory that is there.
SELECT version, lsn, recorded_at, kind, salience FROM memories WHERE slot = ?;

-- find_request --
-- The answer to a request id.
SELECT params, slot, version, was_deduplicated, lsn, persisted_at, kind, salience
FROM requests WHERE dataset = ? AND request_id = ?;

-- memory_to_change --
-- A memory's current revision as an edit, a forget or a restore needs it.
SELECT
    slot, version, changed_lsn, dataset, agent, session, kind, document_id, occurred_at, created_at, salience, asks, metadata,
    forgotten_at, recorded_at, dedup_key
FROM memories WHERE slot = ?;

-- archive_revision --
-- Keeps the current revision as it is before an edit.
INSERT INTO memory_versions (
    slot, version, lsn, kind, salience, occurred_at, recorded_at, model, state_width, fingerprint,
    agent, session, document_id, metadata, text, vectors, states
)
SELECT
    m.slot, m.version, m.lsn, m.kind, m.salience, m.occurred_at, m.recorded_at, e.model, e.state_width, m.fingerprint,
    m.agent, m.session, m.document_id, m.metadata, m.text, e.vectors, e.states
FROM memories AS m LEFT JOIN embeddings AS e ON e.slot = m.slot
WHERE m.slot = ?;

-- update_memory --
-- Makes the next revision current.
UPDATE memories SET
    version = ?, lsn = ?, changed_lsn = ?, kind = ?, salience = ?, occurred_at = ?, recorded_at = ?,
    dedup_key = ?, fingerprint = ?, metadata = ?, text = ?
WHERE slot = ?;

-- update_embedding --
-- Gives the next revision its own vectors and token states.
UPDATE embeddings SET version = ?, model = ?, state_width = ?, vectors = ?, states = ? WHERE slot = ?;

-- keep_embedding --
-- Lets the next revision keep the vectors of the one before.
UPDATE embeddings SET version = ? WHERE slot = ?;

-- forget_memory --
-- Hides a memory; its dedup key stays in the row for a restore, and no longer counts.
UPDATE memories SET forgotten_at = ?, changed_lsn = ? WHERE slot = ?;

-- restore_memory --
-- Shows a memory again, with the dedup key it could keep.
UPDATE memories SET forgotten_at = NULL, changed_lsn = ?, dedup_key = ? WHERE slot = ?;

-- insert_key --
-- Adds an API key.
INSERT INTO keys (id, name, prefix, secret_hash, scopes, datasets, created_at, last_used_at, revoked_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- revoke_key --
-- Revokes an API key.
UPDATE keys SET revoked_at = ? WHERE id = ?;

-- touch_key --
-- Records when an API key was last used.
UPDATE keys SET last_used_at = ? WHERE id = ?;

-- purge_requests --
-- Drops old request ids, looking at the oldest few only: the writer is never held up long.
DELETE FROM requests WHERE id IN (
    SELECT id FROM (SELECT id, created_at FROM requests ORDER BY id LIMIT ?) WHERE created_at < ?
);

-- insert_model --
-- Adds an embedding model.
INSERT INTO models (name, fingerprint, dimensions) VALUES (?, ?, ?);

-- replace_embedding --
-- Puts a revision's vectors of another model in place of those it has.
UPDATE embeddings SET model = ?, state_width = ?, vectors = ?, states = ? WHERE slot = ? AND version = ?;

-- drop_old_vectors --
-- Drops the vectors of revisions that are no longer current, made with other models.
UPDATE memory_versions SET model = NULL, state_width = NULL, vectors = NULL, states = NULL WHERE model != ?;

-- delete_models --
-- Drops the models that no vector is of.
DELETE FROM models WHERE id != ?;

-- delete_meta --
-- Drops one of the store's own numbers.
DELETE FROM meta WHERE name = ?;
