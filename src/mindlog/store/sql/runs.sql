-- due_runs --
-- The runs a worker may claim: new ones by rising id (their due_at is 0), then those that waited, the longest due first.
SELECT id FROM encode_runs WHERE status = 'started' AND due_at <= ? ORDER BY due_at, id LIMIT ?;

-- claim_runs --
-- Gives some runs to a worker until an instant and counts the attempt.
UPDATE encode_runs SET owner = ?, due_at = ?, attempts = attempts + 1, /*unstarted*/
WHERE id IN (SELECT value FROM json_each(?))
RETURNING id, dataset, slot, version, attempts, created_at, /*stages*/;

-- renew_leases --
-- Holds some runs until a later instant, if the worker holds them still.
UPDATE encode_runs SET due_at = ?
WHERE id IN (SELECT value FROM json_each(?)) AND status = 'started' AND owner = ? RETURNING id;

-- release_leases --
-- Makes the held runs of a worker due at once. One that is held has a due_at above 0.
UPDATE encode_runs SET owner = NULL, due_at = 0, /*unstarted*/
WHERE status = 'started' AND due_at > 0 AND owner = ?;

-- release_all_leases --
-- Makes every held run due at once.
UPDATE encode_runs SET owner = NULL, due_at = 0, /*unstarted*/
WHERE status = 'started' AND due_at > 0 AND owner IS NOT NULL;

-- held_run --
-- Who holds a run, and whether its revision is current.
SELECT r.dataset, r.slot, r.version, r.status, r.owner, m.version, m.forgotten_at
FROM encode_runs AS r LEFT JOIN memories AS m ON m.slot = r.slot WHERE r.id = ?;

-- start_stage --
-- Records that a stage of a held run has begun, unless it is settled.
UPDATE encode_runs SET
    /*stage*/_status = 'started', /*stage*/_error = NULL, /*stage*/_started_at = ?, /*stage*/_finished_at = NULL
WHERE id = ? AND owner = ? AND status = 'started' AND /*stage*/_status NOT IN ('succeeded', 'skipped');

-- end_stage --
-- Records how a stage ended.
UPDATE encode_runs SET
    /*stage*/_status = ?, /*stage*/_error = ?, /*stage*/_started_at = ?, /*stage*/_finished_at = ?
WHERE id = ?;

-- end_model_stage --
-- Records how a stage that runs a model ended.
UPDATE encode_runs SET
    /*stage*/_status = ?, /*stage*/_error = ?, /*stage*/_started_at = ?, /*stage*/_finished_at = ?,
    /*stage*/_inference_ids = ?
WHERE id = ?;

-- put_output --
-- Keeps what a stage produced in place of what an earlier attempt did.
INSERT INTO encode_run_outputs (run, stage, output) VALUES (?, ?, ?)
ON CONFLICT (run, stage) DO UPDATE SET output = excluded.output;

-- delete_output --
-- Drops what a stage produced.
DELETE FROM encode_run_outputs WHERE run = ? AND stage = ?;

-- postpone_run --
-- Lets go of a run that is to be tried again later; the last value is the attempts to give back.
UPDATE encode_runs SET
    owner = NULL, due_at = ?, error = ?, attempts = max(attempts - ?, 0), /*unstarted*/
WHERE id = ?;

-- finish_run --
-- Ends a run.
UPDATE encode_runs SET
    status = ?, ended_as = ?, error = ?, finished_at = ?, owner = NULL, due_at = 0
WHERE id = ? RETURNING /*statuses*/;

-- break_off_run --
-- Ends a run whose stages that are not settled never will be.
UPDATE encode_runs SET
    status = ?, ended_as = ?, error = ?, finished_at = ?, owner = NULL, due_at = 0, /*skipped*/
WHERE id = ? RETURNING /*statuses*/;

-- open_runs_among --
-- Those of some runs that have not ended.
SELECT id, dataset, slot, version FROM encode_runs
WHERE id IN (SELECT value FROM json_each(?)) AND status = 'started' ORDER BY id;

-- ended_runs_among --
-- Those of some runs that have ended and whose revision is current.
SELECT r.id, r.dataset, r.slot, r.version, r.status, /*statuses*/
FROM encode_runs AS r JOIN memories AS m ON m.slot = r.slot
WHERE r.id IN (SELECT value FROM json_each(?)) AND r.status != 'started'
    AND m.version = r.version AND m.forgotten_at IS NULL
ORDER BY r.id;

-- superseded_run --
-- The run of a memory's revision, if it was given up because the revision was gone.
SELECT r.id, r.dataset, r.slot, r.version, r.status, /*statuses*/
FROM memories AS m JOIN encode_runs AS r ON r.id = m.lsn
WHERE m.slot = ? AND m.version = ? AND r.ended_as = 'superseded';

-- restart_run --
-- Starts a run again; the stages come as one truth value each, in order: whether to forget how the stage ended.
UPDATE encode_runs SET
    status = 'started', ended_as = NULL, error = NULL, finished_at = NULL, owner = NULL, due_at = 0, attempts = 0,
    /*reset*/
WHERE id = ?;

-- insert_inference --
-- Keeps a model call; the same one again changes nothing.
INSERT INTO inferences (
    id, run_id, run, stage, dataset, provider, model, mode, parameters, prompt, prompt_hash, output, output_hash,
    input_tokens, output_tokens, cost, started_at, finished_at, latency_us, attempt, error
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING;

-- oldest_log_rows --
-- The beginning of the log.
SELECT lsn, at FROM log ORDER BY lsn LIMIT ?;

-- prune_log --
-- Drops the log up to an LSN.
DELETE FROM log WHERE lsn <= ?;

-- oldest_lsn --
-- Where the log begins.
SELECT coalesce(min(lsn), 1) FROM log;

-- next_due --
-- When the next run is due; one that is held back is not.
SELECT min(due_at) FROM encode_runs WHERE status = 'started' AND due_at < /*held_back*/;

-- list_runs --
-- A page of runs, newest first; the conditions take the place of the marker. The first value is the present instant.
SELECT
    r.id, d.name, r.slot, r.version, r.status, /*state*/, r.error, r.attempts, r.due_at, r.created_at, r.finished_at,
    m.slot IS NULL OR m.forgotten_at IS NOT NULL, /*stages*/
FROM encode_runs AS r
JOIN datasets AS d ON d.number = r.dataset
LEFT JOIN memories AS m ON m.slot = r.slot
WHERE /*conditions*/
ORDER BY r.id DESC LIMIT ?;

-- count_started_runs --
-- The runs that have not ended, by dataset and state, and the oldest of each that is not held back. The value is the present instant.
SELECT d.name, /*state*/ AS state, count(*), min(iif(r.due_at < /*held_back*/, r.created_at, NULL))
FROM encode_runs AS r JOIN datasets AS d ON d.number = r.dataset
WHERE r.status = 'started' GROUP BY r.dataset, state;

-- count_failed_runs --
-- The runs that came to nothing, by dataset and how.
SELECT d.name, coalesce(r.ended_as, 'failed') AS state, count(*)
FROM encode_runs AS r JOIN datasets AS d ON d.number = r.dataset
WHERE r.status = 'failed' GROUP BY r.dataset, state;

-- count_succeeded_runs --
-- The runs that succeeded, by dataset.
SELECT d.name, 'succeeded', n FROM (
    SELECT dataset, count(*) AS n FROM encode_runs WHERE status = 'succeeded' GROUP BY dataset
) JOIN datasets AS d ON d.number = dataset;

-- run_outputs --
-- What the stages of a run produced, unless its memory is forgotten.
SELECT o.stage, o.output
FROM encode_run_outputs AS o JOIN encode_runs AS r ON r.id = o.run JOIN memories AS m ON m.slot = r.slot
WHERE o.run = ? AND m.forgotten_at IS NULL;

-- list_inferences --
-- A page of model calls, newest first; the conditions take the place of the marker. The last column says whether the memory that
-- is derived is forgotten; it is NULL of a document's, which is asked once for a run: `hidden_readings`. Runs of both sorts are
-- numbered by the log.
SELECT
    i.id, i.run_id, i.stage, i.dataset, i.provider, i.model, i.mode, i.parameters, i.prompt, i.prompt_hash, i.output,
    i.output_hash, i.input_tokens, i.output_tokens, i.cost, i.started_at, i.finished_at, i.latency_us, i.attempt, i.error,
    CASE
        WHEN i.run IS NULL THEN 0
        WHEN i.run_id LIKE 'rem%' THEN NULL
        ELSE m.slot IS NULL OR m.forgotten_at IS NOT NULL
    END, i.run
FROM inferences AS i
LEFT JOIN encode_runs AS r ON r.id = i.run
LEFT JOIN memories AS m ON m.slot = r.slot
WHERE /*conditions*/
ORDER BY i.number DESC LIMIT ?;

-- hidden_readings --
-- Those of some runs that remember a document of which a text is forgotten.
SELECT j.value FROM json_each(?) AS j WHERE EXISTS (
    SELECT 1 FROM remember_texts AS t CROSS JOIN memories AS f ON f.slot = t.slot
    WHERE t.run = j.value AND f.forgotten_at IS NOT NULL
);

-- call_sums --
-- How many model calls some runs have made, and what they came to.
SELECT i.run_id, count(*), sum(i.input_tokens), sum(i.output_tokens), sum(i.cost)
FROM json_each(?) AS j CROSS JOIN inferences AS i ON i.run_id = j.value
GROUP BY i.run_id;

-- spent_since --
-- Tokens and cost of the model calls since an instant.
SELECT
    coalesce(sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)), 0), coalesce(sum(cost), 0.0)
FROM inferences WHERE started_at >= ?;

-- list_log --
-- A page of the log with what subscribers filter by; the conditions take the place of the marker.
SELECT l.lsn, l.at, l.type, l.dataset, l.slot, l.version, m.session, m.kind, l.payload
FROM log AS l LEFT JOIN memories AS m ON m.slot = l.slot
WHERE /*conditions*/
ORDER BY l.lsn LIMIT ?;
