-- series_of_entity --
-- The series with a key of what is one with an entity.
SELECT s.id, s.unit FROM entities AS e CROSS JOIN entities AS p ON p.dataset = e.dataset AND p.root = e.root
CROSS JOIN series AS s ON s.entity = p.id
WHERE e.id = ? AND e.dataset = ? AND s.key = ? ORDER BY s.id;

-- series_of_nobody --
-- The series with a key that are no entity's.
SELECT id, unit FROM series WHERE dataset = ? AND key = ? AND entity IS NULL ORDER BY id;

-- insert_series --
-- Adds a series.
INSERT INTO series (dataset, entity, name, key, unit, dimension, created_at, lsn) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- points_of_revision --
-- The points that a memory's revision gave, in the order in which it gave them.
SELECT id, series, at, until, value, written, start, "end", source, source_url
FROM points WHERE slot = ? AND version = ? ORDER BY id;

-- points_of_providers --
-- What providers said of a series from one time to another, in the order of the times, of one time the latest last.
SELECT at, until, source, value FROM points WHERE series = ? AND at BETWEEN ? AND ? AND slot IS NULL ORDER BY at, id;

-- insert_point --
-- Adds a point.
INSERT INTO points (
    series, at, until, value, written, start, "end", source, source_url, slot, version, recorded_at
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- delete_point --
-- Takes a point away.
DELETE FROM points WHERE id = ?;

-- delete_empty_series --
-- Deletes those of some series that have no point at all.
DELETE FROM series WHERE id IN (SELECT value FROM json_each(?))
AND NOT EXISTS (SELECT 1 FROM points AS p WHERE p.series = series.id);

-- list_series --
-- A page of series, newest first: those with a point that a live memory gave, or, of nobody and of what is seen, a provider.
-- The last column says whether a provider's points are there. The conditions take the place of the markers.
SELECT
    s.id, s.dataset, e.root, s.name, s.key, s.unit, s.dimension, s.created_at, e.id IS NULL OR /*seen*/
FROM series AS s LEFT JOIN entities AS e ON e.id = s.entity
WHERE /*filters*/ AND (
    EXISTS (
        SELECT 1 FROM points AS p CROSS JOIN memories AS m ON m.slot = p.slot AND m.version = p.version
        WHERE p.series = s.id AND m.forgotten_at IS NULL
    ) OR (
        EXISTS (SELECT 1 FROM points AS p WHERE p.series = s.id AND p.slot IS NULL) AND (e.id IS NULL OR /*seen*/)
    )
)
ORDER BY s.id DESC LIMIT ?;

-- extents --
-- How many times the points that are there of some series are of, and the first and the last; those of providers of some alone.
SELECT p.series, count(DISTINCT p.at || ' ' || ifnull(p.until, '')), min(p.at), max(p.at)
FROM json_each(?) AS j CROSS JOIN points AS p ON p.series = j.value
LEFT JOIN memories AS m ON m.slot = p.slot AND m.version = p.version
WHERE iif(p.slot IS NULL, p.series IN (SELECT value FROM json_each(?)), m.slot IS NOT NULL AND m.forgotten_at IS NULL)
GROUP BY p.series;

-- walk_points --
-- The points that are there of a series, by time and then in the order in which they came.
SELECT
    p.id, p.series, p.at, p.until, p.value, p.written, p.slot, p.version, p.start, p."end", p.source, p.source_url,
    p.recorded_at
FROM points AS p LEFT JOIN memories AS m ON m.slot = p.slot AND m.version = p.version
WHERE p.series = ? AND p.at >= ? AND p.at < ? AND iif(p.slot IS NULL, ?, m.slot IS NOT NULL AND m.forgotten_at IS NULL)
ORDER BY p.at, p.id;

-- places_of_revision --
-- The places that a memory's revision gave.
SELECT
    id, dataset, name, country, region, kind, population, lat, lon, cell, source, confident, reason
FROM places WHERE slot = ? AND version = ? ORDER BY id;

-- place_of_root --
-- Where what is one with an entity is: the place that was given last.
SELECT
    l.id, l.dataset, l.name, l.country, l.region, l.kind, l.population, l.lat, l.lon, l.cell, l.source, l.confident, l.reason
FROM entities AS e CROSS JOIN entities AS p ON p.dataset = e.dataset AND p.root = e.root
CROSS JOIN places AS l ON l.entity = p.id
WHERE e.id = ? ORDER BY l.id DESC LIMIT 1;

-- insert_place --
-- Adds a place.
INSERT INTO places (
    dataset, name, country, region, kind, population, lat, lon, cell, source, confident, reason,
    entity, slot, version, created_at
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- delete_places_of_revision --
-- Takes away the places that a memory's revision gave.
DELETE FROM places WHERE slot = ? AND version = ?;

-- delete_place_of_entity --
-- Takes away the place of an entity itself.
DELETE FROM places WHERE entity = ?;

-- list_places --
-- Places of live revisions, and of what is seen: of what is one the place that was given last. The last given come first.
-- The conditions take the place of the markers.
SELECT
    p.id, p.dataset, e.root, p.slot, p.version, p.name, p.country, p.region, p.kind, p.population, p.lat, p.lon, p.cell,
    p.source, p.confident, p.reason, p.created_at
FROM places AS p LEFT JOIN entities AS e ON e.id = p.entity
WHERE /*filters*/ AND (
    EXISTS (SELECT 1 FROM memories AS m WHERE m.slot = p.slot AND m.version = p.version AND m.forgotten_at IS NULL)
    OR (
        NOT EXISTS (
            SELECT 1 FROM entities AS o CROSS JOIN places AS l ON l.entity = o.id
            WHERE o.dataset = e.dataset AND o.root = e.root AND l.id > p.id
        ) AND /*seen*/
    )
)
ORDER BY p.id DESC LIMIT ?;

-- places_among --
-- The places of some entities, of some memories, or in some cells of a dataset: part of a query.
SELECT l.id FROM json_each(?) AS j CROSS JOIN places AS l ON l.entity = j.value
UNION SELECT l.id FROM json_each(?) AS j CROSS JOIN places AS l ON l.slot = j.value
UNION SELECT l.id FROM json_each(?) AS j CROSS JOIN places AS l ON l.dataset = ? AND l.cell = j.value;

-- image_of_memory --
-- The picture of a memory that has a fingerprint.
SELECT id FROM images WHERE slot = ? AND fingerprint = ?;

-- insert_image --
-- Adds a picture.
INSERT INTO images (
    dataset, slot, fingerprint, media_type, bytes, width, height, name, taken_at, lat, lon, caption, model_caption, ocr_text,
    notes, thumbnail, thumbnail_type, created_at
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- find_image --
-- One picture of a live memory, with its thumbnail or without.
SELECT
    i.id, d.name, i.slot, m.version, i.fingerprint, i.media_type, i.bytes, i.width, i.height, i.name, i.taken_at, i.lat, i.lon,
    i.caption, i.model_caption, i.ocr_text, i.notes, i.created_at, i.thumbnail_type, iif(?, i.thumbnail, NULL)
FROM images AS i JOIN memories AS m ON m.slot = i.slot JOIN datasets AS d ON d.number = i.dataset
WHERE i.id = ? AND m.forgotten_at IS NULL;

-- images_of --
-- The pictures of some live memories, without their thumbnails.
SELECT
    i.id, d.name, i.slot, m.version, i.fingerprint, i.media_type, i.bytes, i.width, i.height, i.name, i.taken_at, i.lat, i.lon,
    i.caption, i.model_caption, i.ocr_text, i.notes, i.created_at, i.thumbnail_type, NULL
FROM json_each(?) AS j CROSS JOIN images AS i ON i.slot = j.value CROSS JOIN memories AS m ON m.slot = i.slot
CROSS JOIN datasets AS d ON d.number = i.dataset
WHERE m.forgotten_at IS NULL ORDER BY i.slot, i.id;

-- image_files --
-- The fingerprints of all pictures.
SELECT DISTINCT fingerprint FROM images;

-- start_query --
-- Adds a query.
INSERT INTO query_runs (dataset, user, session, question, params, created_at) VALUES (?, ?, ?, ?, ?, ?);

-- end_query --
-- Records how a query and its stages ended, unless it has ended; returns whose it is then.
UPDATE query_runs SET
    status = ?, error = ?, finished_at = ?, answer = ?, answered_by = ?, citations = ?, /*ended*/
WHERE id = ? AND status = 'started' RETURNING dataset;

-- close_queries --
-- Ends every query that has not ended; returns which, and whose.
UPDATE query_runs SET status = 'failed', error = ?, finished_at = ? WHERE status = 'started' RETURNING id, dataset;

-- list_queries --
-- A page of queries, newest first; the conditions take the place of the markers. The last column but the stages' says whether
-- the answer rests on what is forgotten.
SELECT
    r.id, d.name, r.user, r.session, r.question, r.params, r.status, r.error, r.created_at, r.finished_at, r.answer,
    r.answered_by, r.citations, /*hidden*/, /*stages*/
FROM query_runs AS r JOIN datasets AS d ON d.number = r.dataset
WHERE /*conditions*/
ORDER BY r.id DESC LIMIT ?;

-- count_queries --
-- The queries by dataset and status.
SELECT d.name, n.status, n.n FROM (
    SELECT dataset, status, count(*) AS n FROM query_runs GROUP BY dataset, status
) AS n JOIN datasets AS d ON d.number = n.dataset;

-- oldest_open_query --
-- Since when the oldest query that has not ended is under way.
SELECT min(created_at) FROM query_runs WHERE status = 'started';

-- asked --
-- The latest answered queries of a session below an id, whose answers rest on nothing that is forgotten.
SELECT r.id, r.question, r.answer, r.created_at FROM query_runs AS r
WHERE r.dataset = ? AND r.session = ? AND r.id < ? AND +r.status = 'succeeded' AND r.answer IS NOT NULL
    AND (? IS NULL OR r.user = ?) AND NOT /*hidden*/
ORDER BY r.id DESC LIMIT ?;
