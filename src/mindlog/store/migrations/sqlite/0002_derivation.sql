-- What is derived from memories: runs with lease and attempts, edges, terms, questions, the graph, inferences.
-- Everything here names the memory it came from, can be made again from it, and goes with it.

-- due_at: the earliest instant (microseconds) at which a worker may claim the run; 0 for a new one, the end of the lease
-- while a worker holds it, the end of the backoff after a failure. attempts is raised by the claim, before the attempt.
ALTER TABLE encode_runs ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE encode_runs ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE encode_runs ADD COLUMN owner TEXT;
ALTER TABLE encode_runs ADD COLUMN ended_as TEXT;

-- A write pays for the first alone. The runs of a memory are found by the lsn of its revisions.
CREATE INDEX encode_runs_due ON encode_runs (due_at, id) WHERE status = 'started';
CREATE INDEX encode_runs_failed ON encode_runs (id) WHERE status = 'failed';
CREATE INDEX encode_runs_succeeded ON encode_runs (dataset) WHERE status = 'succeeded';

-- What each stage produced, as JSON.
CREATE TABLE encode_run_outputs (
    run INTEGER NOT NULL REFERENCES encode_runs (id) ON DELETE CASCADE,
    stage TEXT NOT NULL,
    output TEXT NOT NULL,
    PRIMARY KEY (run, stage)
) STRICT, WITHOUT ROWID;

-- run: the row of encode_runs that run_id names, if it names one: a forgotten memory's prompts are not shown.
CREATE TABLE inferences (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    run_id TEXT,
    run INTEGER,
    stage TEXT,
    dataset TEXT,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    mode TEXT NOT NULL,
    parameters TEXT NOT NULL,
    prompt TEXT,
    prompt_hash TEXT NOT NULL,
    output TEXT,
    output_hash TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost REAL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    latency_us INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    error TEXT
) STRICT;

CREATE INDEX inferences_by_run ON inferences (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX inferences_by_time ON inferences (started_at);

-- Links between memories. made_by: the stage that made it, or 'user'; maker: the memory whose derivation made it, source or
-- target (source if 'user'). What a stage makes of a memory replaces what it made of it before. A symmetric kind is stored
-- once, newer to older.
CREATE TABLE edges (
    source INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    target INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    dataset INTEGER NOT NULL,
    weight REAL NOT NULL,
    made_by TEXT NOT NULL,
    maker INTEGER NOT NULL,
    lsn INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (source, kind, target)
) STRICT, WITHOUT ROWID;

CREATE INDEX edges_by_target ON edges (target);
CREATE INDEX edges_by_maker ON edges (maker);

-- The lexical terms of a memory's current revision, as a JSON list.
CREATE TABLE memory_terms (
    slot INTEGER PRIMARY KEY REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    terms TEXT NOT NULL
) STRICT;

-- Hypothetical questions that a memory answers, with their vectors (float32, one row each).
CREATE TABLE questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slot INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    dataset INTEGER NOT NULL,
    lsn INTEGER NOT NULL,
    source TEXT NOT NULL,
    model INTEGER NOT NULL REFERENCES models (id),
    text TEXT NOT NULL,
    vector BLOB NOT NULL
) STRICT;

CREATE INDEX questions_by_slot ON questions (slot);

-- Things. root: the entity it was merged into in the end, itself if it was not. Rows keep their own entity for good, so
-- that a merge can be undone; reads go by root.
CREATE TABLE entities (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    root INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    is_speaker INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    lsn INTEGER NOT NULL,
    vector BLOB
) STRICT;

CREATE INDEX entities_by_root ON entities (dataset, root);

-- What an entity is called. key: `knowledge.extraction.name_key` of the name.
CREATE TABLE aliases (
    id INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (dataset, key, entity)
) STRICT;

CREATE INDEX aliases_by_entity ON aliases (entity);

-- Which memories call an entity so: an alias is shown while one of them is not forgotten.
CREATE TABLE alias_uses (
    slot INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    alias INTEGER NOT NULL REFERENCES aliases (id) ON DELETE CASCADE,
    PRIMARY KEY (slot, version, alias)
) STRICT, WITHOUT ROWID;

CREATE INDEX alias_uses_by_alias ON alias_uses (alias, slot);

-- Four-letter pieces of the keys, written as `grams.tokens` does: a token names its dataset, so that a search of one never
-- walks another's. rowid is that of the alias.
CREATE VIRTUAL TABLE alias_grams USING fts5 (key, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');

-- Where a memory names an entity.
CREATE TABLE mentions (
    slot INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (slot, version, entity, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX mentions_by_entity ON mentions (entity, slot);

-- Claims. Either object (a relation) or value. family: the group of predicates that are reconciled together.
-- value_key: the folded value, '' for a relation.
CREATE TABLE statements (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    subject INTEGER NOT NULL REFERENCES entities (id),
    predicate TEXT NOT NULL,
    family TEXT NOT NULL,
    object INTEGER REFERENCES entities (id),
    value TEXT,
    value_key TEXT NOT NULL,
    value_type TEXT,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    lsn INTEGER NOT NULL
) STRICT;

-- Each of these ends with the id, so that a page by falling id is read in order.
CREATE INDEX statements_by_subject ON statements (subject);
CREATE INDEX statements_by_group ON statements (subject, family);
CREATE INDEX statements_by_object ON statements (object) WHERE object IS NOT NULL;
CREATE INDEX statements_by_dataset ON statements (dataset);
CREATE INDEX statements_by_predicate ON statements (dataset, predicate);

-- The words of memories a statement rests on. asserted_at: when the memory says it happened or was said (occurred_at).
-- valid_from, valid_to: the time the words themselves name. It is live while (slot, version) is a current, unforgotten revision.
CREATE TABLE evidence (
    statement INTEGER NOT NULL REFERENCES statements (id) ON DELETE CASCADE,
    slot INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    confidence REAL NOT NULL,
    tier TEXT NOT NULL,
    asserted_at INTEGER NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    time_phrase TEXT,
    PRIMARY KEY (statement, slot, version, start, "end")
) STRICT, WITHOUT ROWID;

CREATE INDEX evidence_by_slot ON evidence (slot);
CREATE INDEX evidence_by_time ON evidence (valid_from, valid_to) WHERE valid_from IS NOT NULL OR valid_to IS NOT NULL;

-- When a statement holds, on two axes: [valid_from, valid_to) in the world, [recorded_at, invalidated_at) in the store.
-- NULL is open. The rows with invalidated_at NULL are what is believed now.
CREATE TABLE validities (
    id INTEGER PRIMARY KEY,
    statement INTEGER NOT NULL REFERENCES statements (id) ON DELETE CASCADE,
    valid_from INTEGER,
    valid_to INTEGER,
    superseded_by INTEGER REFERENCES statements (id) ON DELETE SET NULL,
    recorded_at INTEGER NOT NULL,
    invalidated_at INTEGER
) STRICT;

CREATE INDEX validities_by_statement ON validities (statement);
CREATE INDEX validities_by_superseding ON validities (superseded_by) WHERE superseded_by IS NOT NULL;

-- Pairs of statements that cannot both hold, lower id first; subject and family are those of the lower one.
CREATE TABLE contradictions (
    statement INTEGER NOT NULL REFERENCES statements (id) ON DELETE CASCADE,
    other INTEGER NOT NULL REFERENCES statements (id) ON DELETE CASCADE,
    subject INTEGER NOT NULL,
    family TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (statement, other)
) STRICT, WITHOUT ROWID;

CREATE INDEX contradictions_by_other ON contradictions (other);
CREATE INDEX contradictions_by_group ON contradictions (subject, family);

-- Groups whose evidence or entities have changed by an edit, a forget, a restore or a merge: to be reconciled again. subject
-- is a statement's own; reads go by its root.
CREATE TABLE stale_groups (
    dataset INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    family TEXT NOT NULL,
    lsn INTEGER NOT NULL,
    PRIMARY KEY (dataset, subject, family)
) STRICT, WITHOUT ROWID;

-- Pairs that may be one entity, for a person to decide. status: open, accepted, refused.
CREATE TABLE merge_proposals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    other INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    score REAL NOT NULL,
    reason TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    decided_at INTEGER,
    UNIQUE (entity, other)
) STRICT;

CREATE INDEX merge_proposals_by_dataset ON merge_proposals (dataset);
CREATE INDEX merge_proposals_by_other ON merge_proposals (other);

-- Every merge that was made; undone_at when it was taken back. root is recomputed from those that stand.
CREATE TABLE merges (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    into_entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    undone_at INTEGER
) STRICT;

CREATE INDEX merges_by_entity ON merges (entity);
CREATE INDEX merges_by_into ON merges (into_entity);
