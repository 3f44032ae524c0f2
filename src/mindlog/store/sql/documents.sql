-- find_remember --
-- The run that a request id has started.
SELECT r.id, d.id, r.request_params
FROM remember_runs AS r JOIN documents AS d ON d.number = r.document WHERE r.dataset = ? AND r.request_id = ?;

-- find_document --
-- The number of a document.
SELECT number FROM documents WHERE dataset = ? AND id = ?;

-- insert_document --
-- Adds a document.
INSERT INTO documents (dataset, id, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?);

-- insert_remember --
-- Adds a run.
INSERT INTO remember_runs (id, dataset, document, user, params, created_at, request_id, request_params)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- insert_source --
-- Adds what a run reads.
INSERT INTO remember_sources (run, title, kind, name, url, characters, content) VALUES (?, ?, ?, ?, ?, ?, ?);

-- due_remember --
-- The oldest run that is due and the first open one of its dataset, of the datasets that are not in a JSON list.
WITH RECURSIVE waiting (dataset) AS (
    SELECT min(dataset) FROM remember_runs WHERE status = 'started'
    UNION ALL
    SELECT (SELECT min(dataset) FROM remember_runs WHERE status = 'started' AND dataset > w.dataset)
    FROM waiting AS w WHERE w.dataset IS NOT NULL
)
SELECT r.id FROM waiting AS w CROSS JOIN remember_runs AS r
ON r.id = (SELECT min(id) FROM remember_runs WHERE status = 'started' AND dataset = w.dataset)
WHERE r.due_at <= ? AND w.dataset NOT IN (SELECT value FROM json_each(?)) ORDER BY r.id LIMIT 1;

-- next_remember --
-- When the next run is due that is the first open one of its dataset.
WITH RECURSIVE waiting (dataset) AS (
    SELECT min(dataset) FROM remember_runs WHERE status = 'started'
    UNION ALL
    SELECT (SELECT min(dataset) FROM remember_runs WHERE status = 'started' AND dataset > w.dataset)
    FROM waiting AS w WHERE w.dataset IS NOT NULL
)
SELECT min(r.due_at) FROM waiting AS w CROSS JOIN remember_runs AS r
ON r.id = (SELECT min(id) FROM remember_runs WHERE status = 'started' AND dataset = w.dataset);

-- claim_remember --
-- Gives a run to a worker until an instant and counts the attempt.
UPDATE remember_runs SET owner = ?, due_at = ?, attempts = attempts + 1, /*unstarted*/
WHERE id = ?
RETURNING id, dataset, document, (SELECT d.id FROM documents AS d WHERE d.number = document), params, attempts,
    created_at, chunks, /*stages*/;

-- held_remember --
-- Who holds a run, and what it is of.
SELECT dataset, document, chunks, status, owner FROM remember_runs WHERE id = ?;

-- start_remember_stage --
-- Records that a stage of a held run has begun, unless it is settled. The start of one that did not fail stays.
UPDATE remember_runs SET
    /*stage*/_started_at = iif(/*stage*/_status = 'failed', ?1, coalesce(/*stage*/_started_at, ?1)),
    /*stage*/_status = 'started', /*stage*/_error = NULL, /*stage*/_finished_at = NULL
WHERE id = ?2 AND owner = ?3 AND status = 'started' AND /*stage*/_status NOT IN ('succeeded', 'skipped');

-- end_remember_stage --
-- Records how a stage ended; a start that is on record stays.
UPDATE remember_runs SET
    /*stage*/_status = ?, /*stage*/_error = ?, /*stage*/_started_at = coalesce(/*stage*/_started_at, ?),
    /*stage*/_finished_at = ?
WHERE id = ?;

-- end_remember_model_stage --
-- Records how a stage that runs a model ended; a start that is on record stays.
UPDATE remember_runs SET
    /*stage*/_status = ?, /*stage*/_error = ?, /*stage*/_started_at = coalesce(/*stage*/_started_at, ?),
    /*stage*/_finished_at = ?, /*stage*/_inference_ids = ?
WHERE id = ?;

-- open_remembers_among --
-- Those of some runs that have not ended.
SELECT id, dataset FROM remember_runs
WHERE id IN (SELECT value FROM json_each(?)) AND status = 'started' ORDER BY id;

-- ended_remember --
-- A run, if it has ended and no later run has remembered its document, or is about to.
SELECT r.id, r.dataset, r.status, /*statuses*/
FROM remember_runs AS r JOIN documents AS d ON d.number = r.document
WHERE r.id = ? AND r.status != 'started' AND coalesce(d.run, r.id) <= r.id AND NOT EXISTS (
    SELECT 1 FROM remember_runs AS n WHERE n.document = r.document AND n.id > r.id AND n.status = 'started'
);

-- reread_texts --
-- Makes the texts of a run that a model could not read ones that are not read.
UPDATE remember_texts SET state = 'kept', error = NULL WHERE run = ? AND error IS NOT NULL;

-- release_texts --
-- Makes the derivations due that wait for texts of a run.
UPDATE encode_runs SET due_at = 0
WHERE status = 'started' AND due_at = ?1 AND id IN (
    SELECT m.lsn FROM remember_texts AS t INDEXED BY remember_texts_by_state
    CROSS JOIN memories AS m ON m.slot = t.slot AND m.version = t.version
    WHERE t.run = ?2 AND t.origin IN ('chunk', 'web', 'series') AND t.state IN ('kept', 'read')
    UNION ALL
    SELECT v.lsn FROM remember_texts AS t INDEXED BY remember_texts_by_state
    CROSS JOIN memory_versions AS v ON v.slot = t.slot AND v.version = t.version
    WHERE t.run = ?2 AND t.origin IN ('chunk', 'web', 'series') AND t.state IN ('kept', 'read')
);

-- release_memory --
-- Makes the derivation of a memory's current revision due if it is held back.
UPDATE encode_runs SET due_at = 0
WHERE id = (SELECT lsn FROM memories WHERE slot = ?) AND status = 'started' AND due_at = ?;

-- insert_text --
-- Adds a text of a run.
INSERT INTO remember_texts (
    run, origin, position, slot, version, start, "end", headings, source, state, error, reading, summary
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- text_there --
-- Whose a text of a run is, and how far it is.
SELECT slot, version, state FROM remember_texts WHERE run = ? AND origin = ? AND position = ?;

-- text_made --
-- What was made of a text of a memory's revision.
SELECT state, error, reading, summary FROM remember_texts
WHERE run = ? AND origin = ? AND position = ? AND slot = ? AND version = ?;

-- put_reading --
-- Keeps what a text says.
UPDATE remember_texts SET reading = ?, error = ?, state = 'read'
WHERE run = ? AND origin = ? AND position = ? AND state != 'stored';

-- put_summary --
-- Keeps a text's summary and its error. An error of the text's reading stays, one of an earlier summary goes.
UPDATE remember_texts SET summary = ?, error = CASE WHEN error IS NULL OR error LIKE 'summary: %' THEN ? ELSE error END
WHERE run = ? AND origin = ? AND position = ?;

-- text_stored --
-- Records that what a text says is in the graph.
UPDATE remember_texts SET state = 'stored' WHERE run = ? AND origin = ? AND position = ?;

-- put_chunks --
-- Records how many chunks a run has.
UPDATE remember_runs SET chunks = ? WHERE id = ?;

-- switch_document --
-- Makes a run's texts those of a document, if they are not.
UPDATE documents SET run = ?1, updated_at = ?2, title = coalesce((SELECT title FROM remember_sources WHERE run = ?1), title)
WHERE number = ?3 AND run IS NOT ?1;

-- outdated_slots --
-- Live memories of a document's earlier runs that no other run has, as they were kept then. What was made from series stays: who
-- observes them anew decides on it.
SELECT DISTINCT t.slot
FROM remember_runs AS r CROSS JOIN remember_texts AS t ON t.run = r.id
CROSS JOIN memories AS m ON m.slot = t.slot AND m.version = t.version
WHERE r.document = ?1 AND r.id < ?2 AND t.origin IN ('chunk', 'web') AND m.forgotten_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM remember_texts AS o CROSS JOIN remember_runs AS p ON p.id = o.run
    WHERE o.slot = t.slot AND (p.document != ?1 OR p.id >= ?2)
)
LIMIT ?3;

-- remember_source --
-- What a run reads.
SELECT kind, name, url, characters, content FROM remember_sources WHERE run = ?;

-- texts --
-- Texts of a run by origin and position, without words while the revision is not live; the conditions take the place of the
-- marker. The first value says whether readings are wanted.
SELECT
    t.run, t.origin, t.position, t.slot, t.version, m.version = t.version AND m.forgotten_at IS NULL, m.text, t.start,
    t."end", t.headings, t.source, t.state, t.error, t.summary, iif(?, t.reading, NULL)
FROM remember_texts AS t CROSS JOIN memories AS m ON m.slot = t.slot
WHERE /*conditions*/
ORDER BY t.run DESC, t.origin, t.position LIMIT ?;

-- document_run --
-- Whose texts a document has now.
SELECT run FROM documents WHERE dataset = ? AND id = ?;

-- list_documents --
-- A page of documents, the latest made first; the conditions take the place of the marker.
SELECT
    c.number, c.id, d.name, c.title, s.kind, s.name, s.url, s.characters, c.run, (
        SELECT count(*) FROM remember_texts AS t CROSS JOIN memories AS m ON m.slot = t.slot
        WHERE t.run = c.run AND t.origin = 'chunk' AND m.version = t.version AND m.forgotten_at IS NULL
    ), c.created_at, c.updated_at
FROM documents AS c JOIN datasets AS d ON d.number = c.dataset LEFT JOIN remember_sources AS s ON s.run = c.run
WHERE /*conditions*/
ORDER BY c.number DESC LIMIT ?;

-- list_remembers --
-- A page of runs, newest first; the conditions take the place of the marker. The first value is the present instant.
SELECT
    r.id, d.name, c.id, s.title, r.user, r.params, r.status, /*state*/, r.error, r.attempts, r.due_at, r.created_at,
    r.finished_at, r.chunks,
    (SELECT count(*) FROM remember_texts WHERE run = r.id AND origin = 'chunk' AND state IN ('read', 'stored')),
    (SELECT count(*) FROM remember_texts WHERE run = r.id AND origin = 'chunk' AND state = 'stored'),
    /*hidden*/, /*stages*/
FROM remember_runs AS r
JOIN datasets AS d ON d.number = r.dataset
JOIN documents AS c ON c.number = r.document
LEFT JOIN remember_sources AS s ON s.run = r.id
WHERE /*conditions*/
ORDER BY r.id DESC LIMIT ?;

-- remember_outputs --
-- What the stages of a run produced; of one that has ended, unless a memory that it kept is forgotten.
SELECT o.stage, o.output FROM remember_run_stage_outputs AS o JOIN remember_runs AS r ON r.id = o.run
WHERE o.run = ? AND (r.status = 'started' OR NOT /*hidden*/);
