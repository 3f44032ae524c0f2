-- Documents and what is made of them, series, places, pictures; questions that were asked.

-- run: whose texts are the document's now; NULL until the first run has kept its chunks.
CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    id TEXT NOT NULL,
    title TEXT,
    run INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (dataset, id)
) STRICT;

CREATE INDEX documents_by_dataset ON documents (dataset, number);
CREATE INDEX documents_by_id ON documents (id);

-- One row for every remember. id: the lsn of its remember_started. due_at, attempts, owner, ended_as as in encode_runs.
-- params: what the caller asked for, as JSON. request_id, request_params: the caller's idempotency key, kept with the run.
-- chunks: how many there are, NULL until they are counted. The columns of the stages are added by the store.
CREATE TABLE remember_runs (
    id INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    document INTEGER NOT NULL REFERENCES documents (number),
    user TEXT,
    params TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'started',
    ended_as TEXT,
    error TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    due_at INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    chunks INTEGER,
    request_id TEXT,
    request_params BLOB
) STRICT;

CREATE INDEX remember_runs_open ON remember_runs (dataset, id) WHERE status = 'started';
CREATE INDEX remember_runs_failed ON remember_runs (id) WHERE status = 'failed';
CREATE INDEX remember_runs_succeeded ON remember_runs (dataset) WHERE status = 'succeeded';
CREATE INDEX remember_runs_by_dataset ON remember_runs (dataset, id);
CREATE INDEX remember_runs_by_document ON remember_runs (document);
CREATE UNIQUE INDEX remember_runs_by_request ON remember_runs (dataset, request_id) WHERE request_id IS NOT NULL;

-- What a run reads. title: the document's in this version. content: zlib of the JSON of `remember.marks.ReadDocument`.
CREATE TABLE remember_sources (
    run INTEGER PRIMARY KEY REFERENCES remember_runs (id) ON DELETE CASCADE,
    title TEXT,
    kind TEXT NOT NULL,
    name TEXT,
    url TEXT,
    characters INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;

-- What each stage produced, as JSON.
CREATE TABLE remember_run_stage_outputs (
    run INTEGER NOT NULL REFERENCES remember_runs (id) ON DELETE CASCADE,
    stage TEXT NOT NULL,
    output TEXT NOT NULL,
    PRIMARY KEY (run, stage)
) STRICT, WITHOUT ROWID;

-- The texts of a run, each kept as a memory: chunks of the document, texts found on the web, texts made from series.
-- state: kept (it can be recalled), read (what it says is in `reading`), stored (what it says is in the graph).
-- error: why a model could not read it; it is read without. start, end, headings: of a chunk. source: a web text's address or a
-- series' id. reading, summary: what was made of it; reading is JSON.
CREATE TABLE remember_texts (
    run INTEGER NOT NULL REFERENCES remember_runs (id) ON DELETE CASCADE,
    origin TEXT NOT NULL,
    position INTEGER NOT NULL,
    slot INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    start INTEGER,
    "end" INTEGER,
    headings TEXT,
    source TEXT,
    state TEXT NOT NULL,
    error TEXT,
    reading TEXT,
    summary TEXT,
    PRIMARY KEY (run, origin, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX remember_texts_by_slot ON remember_texts (slot);
CREATE INDEX remember_texts_by_source ON remember_texts (source) WHERE source IS NOT NULL;
CREATE INDEX remember_texts_by_state ON remember_texts (run, origin, state);

-- One row for every query that was not refused. The columns of the stages are added by the store.
-- citations: JSON list of what the answer rests on.
CREATE TABLE query_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    user TEXT,
    session TEXT,
    question TEXT NOT NULL,
    params TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'started',
    error TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    answer TEXT,
    answered_by TEXT,
    citations TEXT
) STRICT;

CREATE INDEX query_runs_by_session ON query_runs (dataset, session, id) WHERE session IS NOT NULL;
CREATE INDEX query_runs_open ON query_runs (id) WHERE status = 'started';
CREATE INDEX query_runs_failed ON query_runs (id) WHERE status = 'failed';
CREATE INDEX query_runs_by_dataset ON query_runs (dataset, id);
CREATE INDEX query_runs_by_status ON query_runs (dataset, status);

-- Named runs of points. entity: whose it is, if it is anybody's. key: name and unit's dimension, folded.
CREATE TABLE series (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    entity INTEGER REFERENCES entities (id),
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    unit TEXT,
    dimension TEXT,
    created_at INTEGER NOT NULL,
    lsn INTEGER NOT NULL
) STRICT;

-- The first ends with the id, so that a page by falling id is read in order.
CREATE INDEX series_by_dataset ON series (dataset);
CREATE INDEX series_by_key ON series (dataset, key, entity);
CREATE INDEX series_by_entity ON series (entity) WHERE entity IS NOT NULL;

-- Points: [at, until), until NULL for an instant. value: in the series' unit; written: as the source has it. slot, version, start,
-- end: the words it was read from; source: the provider it came from instead, with source_url. Of several at one time the latest
-- recorded is current. A point read from a memory is there while that revision is live.
CREATE TABLE points (
    id INTEGER PRIMARY KEY,
    series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    until INTEGER,
    value REAL NOT NULL,
    written TEXT,
    slot INTEGER REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER,
    start INTEGER,
    "end" INTEGER,
    source TEXT,
    source_url TEXT,
    recorded_at INTEGER NOT NULL
) STRICT;

CREATE INDEX points_by_series ON points (series, at, id);
CREATE INDEX points_by_slot ON points (slot) WHERE slot IS NOT NULL;

-- Where an entity is, or what a memory is about (`entity` or `slot`). cell: an h3 cell of `knowledge.places.cells`.
-- source: gazetteer, geocoder's name, text, picture. confident: 0 where the name could mean another place as well.
CREATE TABLE places (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    entity INTEGER REFERENCES entities (id) ON DELETE CASCADE,
    slot INTEGER REFERENCES memories (slot) ON DELETE CASCADE,
    version INTEGER,
    name TEXT NOT NULL,
    country TEXT,
    region TEXT,
    kind TEXT,
    population INTEGER,
    lat REAL NOT NULL,
    lon REAL NOT NULL,
    cell INTEGER NOT NULL,
    source TEXT NOT NULL,
    confident INTEGER NOT NULL,
    reason TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX places_by_cell ON places (dataset, cell);
CREATE UNIQUE INDEX places_by_entity ON places (entity) WHERE entity IS NOT NULL;
CREATE INDEX places_by_slot ON places (slot) WHERE slot IS NOT NULL;

-- Pictures. Each is found by its memory, whose text is what is known of it. The picture itself is the file blobs/<fingerprint>.
CREATE TABLE images (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL REFERENCES datasets (number),
    slot INTEGER NOT NULL REFERENCES memories (slot) ON DELETE CASCADE,
    fingerprint BLOB NOT NULL,
    media_type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    name TEXT,
    taken_at INTEGER,
    lat REAL,
    lon REAL,
    caption TEXT,
    model_caption TEXT,
    ocr_text TEXT,
    notes TEXT NOT NULL,
    thumbnail BLOB NOT NULL,
    thumbnail_type TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX images_by_slot ON images (slot);
CREATE INDEX images_by_fingerprint ON images (dataset, fingerprint);
