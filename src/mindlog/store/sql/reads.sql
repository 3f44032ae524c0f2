-- load_meta --
-- The store's own numbers.
SELECT name, value FROM meta;

-- load_models --
-- The embedding models that vectors are of.
SELECT id, name, fingerprint, dimensions FROM models;

-- load_datasets --
-- Every dataset.
SELECT number, name, timezone, created_at FROM datasets;

-- load_owners --
-- Who holds which dedup key.
SELECT dedup_key, slot FROM memories WHERE dedup_key IS NOT NULL AND forgotten_at IS NULL;

-- load_keys --
-- Every API key with the hash of its secret.
SELECT secret_hash, id, name, prefix, scopes, datasets, created_at, last_used_at, revoked_at FROM keys;

-- load_counts --
-- How many memories, forgotten ones and derivations to do there are.
SELECT
    (SELECT count(*) FROM memories),
    (SELECT count(*) FROM memories WHERE forgotten_at IS NOT NULL),
    (SELECT count(*) FROM encode_runs WHERE status = 'started');

-- last_slot --
-- The highest slot in use.
SELECT coalesce(max(slot), 0) FROM memories;

-- last_lsn --
-- The end of the log.
SELECT coalesce(max(lsn), 0) FROM log;

-- current_memories --
-- The current revisions of some slots, given as a JSON list.
SELECT
    m.slot, m.version, m.version, d.name, m.agent, m.session, m.kind, m.salience, m.occurred_at, m.created_at,
    m.recorded_at, m.lsn, m.metadata, m.document_id, m.forgotten_at, m.text
FROM memories AS m JOIN datasets AS d ON d.number = m.dataset
WHERE m.slot IN (SELECT value FROM json_each(?));

-- old_revision --
-- One revision of a memory that is no longer current.
SELECT
    v.slot, v.version, m.version, d.name, v.agent, v.session, v.kind, v.salience, v.occurred_at, m.created_at,
    v.recorded_at, v.lsn, v.metadata, v.document_id, m.forgotten_at, v.text
FROM memory_versions AS v JOIN memories AS m ON m.slot = v.slot JOIN datasets AS d ON d.number = m.dataset
WHERE v.slot = ? AND v.version = ?;

-- revision_as_of --
-- The last revision of a memory, among those no longer current, that was recorded at or before an instant.
SELECT
    v.slot, v.version, m.version, d.name, v.agent, v.session, v.kind, v.salience, v.occurred_at, m.created_at,
    v.recorded_at, v.lsn, v.metadata, v.document_id, m.forgotten_at, v.text
FROM memory_versions AS v JOIN memories AS m ON m.slot = v.slot JOIN datasets AS d ON d.number = m.dataset
WHERE v.slot = ? AND v.recorded_at <= ? ORDER BY v.version DESC LIMIT 1;

-- newest_revisions --
-- The newest revisions of a memory, at most so many, the current one among them: each with the opening of its text and the
-- length of the whole.
SELECT
    m.slot, m.version, m.version, d.name, m.agent, m.session, m.kind, m.salience, m.occurred_at, m.created_at,
    m.recorded_at, m.lsn, m.metadata, m.document_id, m.forgotten_at, substr(m.text, 1, ?1), length(m.text)
FROM memories AS m JOIN datasets AS d ON d.number = m.dataset WHERE m.slot = ?2
UNION ALL
SELECT
    v.slot, v.version, m.version, d.name, v.agent, v.session, v.kind, v.salience, v.occurred_at, m.created_at,
    v.recorded_at, v.lsn, v.metadata, v.document_id, m.forgotten_at, substr(v.text, 1, ?1), length(v.text)
FROM memories AS m JOIN datasets AS d ON d.number = m.dataset
JOIN memory_versions AS v ON v.slot = m.slot AND v.version > m.version - ?3 WHERE m.slot = ?2
ORDER BY 2 DESC;

-- list_memories --
-- A page of a dataset's current revisions, newest first; the filters' conditions take the place of the marker.
SELECT
    m.slot, m.version, m.version, d.name, m.agent, m.session, m.kind, m.salience, m.occurred_at, m.created_at,
    m.recorded_at, m.lsn, m.metadata, m.document_id, m.forgotten_at, m.text
FROM memories AS m JOIN datasets AS d ON d.number = m.dataset
WHERE m.dataset = ? AND m.slot < ? AND /*filters*/
ORDER BY m.slot DESC LIMIT ?;

-- slots_naming --
-- A page of the slots whose current revisions name an entity, newest first; the filters' conditions take the place of the marker.
SELECT DISTINCT n.slot FROM mentions AS n CROSS JOIN memories AS m ON m.slot = n.slot AND m.version = n.version
WHERE n.entity = ? AND m.dataset = ? AND n.slot < ? AND /*filters*/
ORDER BY n.slot DESC LIMIT ?;

-- walk_catalog --
-- A page of every current revision without its text.
SELECT
    slot, version, changed_lsn, dataset, agent, session, kind, document_id, occurred_at, created_at, salience, asks,
    metadata, forgotten_at
FROM memories WHERE slot > ? ORDER BY slot LIMIT ?;

-- walk_vectors --
-- Vectors of every current revision, by rising slot.
SELECT slot, version, model, vectors FROM embeddings WHERE slot > ? ORDER BY slot;

-- walk_vectors_of --
-- Vectors of some slots, by rising slot.
SELECT slot, version, model, vectors FROM embeddings
WHERE slot > ? AND slot IN (SELECT value FROM json_each(?)) ORDER BY slot;

-- walk_texts --
-- Texts of every current revision, by rising slot.
SELECT slot, version, agent, text FROM memories WHERE slot > ? ORDER BY slot;

-- walk_texts_of --
-- Texts of some slots, by rising slot.
SELECT slot, version, agent, text FROM memories
WHERE slot > ? AND slot IN (SELECT value FROM json_each(?)) ORDER BY slot;

-- vectors_of --
-- Vectors of some slots.
SELECT slot, model, vectors FROM embeddings WHERE slot IN (SELECT value FROM json_each(?));

-- states_of --
-- Token states of some slots.
SELECT slot, state_width, states FROM embeddings
WHERE slot IN (SELECT value FROM json_each(?)) AND states IS NOT NULL;

-- revision_vectors --
-- The vectors of one current revision.
SELECT model, vectors FROM embeddings WHERE slot = ?;

-- read_log --
-- A page of the log.
SELECT lsn, at, type, dataset, slot, version, payload FROM log WHERE lsn >= ? ORDER BY lsn LIMIT ?;

-- stale_vectors --
-- Slots whose vectors are of other models.
SELECT slot FROM embeddings WHERE model != ? AND slot > ? ORDER BY slot LIMIT ?;

-- dataset_sizes --
-- How much each dataset holds: memories, forgotten ones among them, documents, entities, statements; read from indexes alone.
SELECT dataset, sum(memories), sum(forgotten), sum(documents), sum(entities), sum(statements) FROM (
    SELECT dataset, count(*) AS memories, 0 AS forgotten, 0 AS documents, 0 AS entities, 0 AS statements
    FROM memories GROUP BY dataset
    UNION ALL SELECT dataset, 0, count(*), 0, 0, 0 FROM memories WHERE forgotten_at IS NOT NULL GROUP BY +dataset
    UNION ALL SELECT dataset, 0, 0, count(*), 0, 0 FROM documents GROUP BY dataset
    UNION ALL SELECT dataset, 0, 0, 0, count(*), 0 FROM entities WHERE root = id GROUP BY dataset
    UNION ALL SELECT dataset, 0, 0, 0, 0, count(*) FROM statements GROUP BY dataset
) GROUP BY dataset;
