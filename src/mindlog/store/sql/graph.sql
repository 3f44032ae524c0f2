-- last_entity --
-- The highest entity id that was ever used.
SELECT max(
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entities'), 0), coalesce((SELECT max(id) FROM entities), 0)
);

-- last_statement --
-- The highest statement id that was ever used.
SELECT max(
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'statements'), 0), coalesce((SELECT max(id) FROM statements), 0)
);

-- live_memories --
-- Version and revision LSN of those of some slots that are live memories of the dataset.
SELECT m.slot, m.version, m.lsn FROM json_each(?) AS j CROSS JOIN memories AS m ON m.slot = j.value
WHERE m.dataset = ? AND m.forgotten_at IS NULL;

-- edges_made --
-- The links that a stage has made of a memory.
SELECT source, kind, target, weight, lsn FROM edges WHERE maker = ? AND made_by = ?;

-- put_edge --
-- Adds a link or changes the one that is there; its first moment stays.
INSERT INTO edges (source, kind, target, dataset, weight, made_by, maker, lsn, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (source, kind, target) DO UPDATE SET
    weight = excluded.weight, made_by = excluded.made_by, maker = excluded.maker, lsn = excluded.lsn;

-- find_edge --
-- One link.
SELECT weight, made_by, lsn, created_at FROM edges WHERE source = ? AND kind = ? AND target = ?;

-- delete_edge --
-- Takes a link away.
DELETE FROM edges WHERE source = ? AND kind = ? AND target = ?;

-- put_terms --
-- Keeps the terms of a memory's revision in place of those it had.
INSERT INTO memory_terms (slot, version, terms) VALUES (?, ?, ?)
ON CONFLICT (slot) DO UPDATE SET version = excluded.version, terms = excluded.terms;

-- questions_of --
-- The questions of a memory, whatever its state.
SELECT version, source, model, text, vector FROM questions WHERE slot = ? ORDER BY id;

-- delete_questions --
-- Drops the questions of a memory.
DELETE FROM questions WHERE slot = ?;

-- insert_question --
-- Adds a question.
INSERT INTO questions (slot, version, dataset, lsn, source, model, text, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- drop_other_questions --
-- Drops the questions whose vectors are of other models.
DELETE FROM questions WHERE model != ?;

-- drop_name_vectors --
-- Drops the vectors of names: they say not of which model they are.
UPDATE entities SET vector = NULL WHERE vector IS NOT NULL;

-- roots_of --
-- The roots of those of some entities that the dataset has.
SELECT e.id, e.root FROM json_each(?) AS j CROSS JOIN entities AS e ON e.id = j.value WHERE e.dataset = ?;

-- insert_entity --
-- Adds an entity, its own root.
INSERT INTO entities (id, dataset, root, name, kind, is_speaker, created_at, lsn, vector)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING;

-- find_alias --
-- The alias of an entity with a key.
SELECT id FROM aliases WHERE dataset = ? AND key = ? AND entity = ?;

-- insert_alias --
-- Adds an alias.
INSERT INTO aliases (dataset, key, entity, name) VALUES (?, ?, ?, ?);

-- insert_grams --
-- Makes an alias findable by its spelling.
INSERT INTO alias_grams (rowid, key) VALUES (?, ?);

-- alias_uses_of --
-- The aliases that a revision uses.
SELECT alias FROM alias_uses WHERE slot = ? AND version = ?;

-- insert_alias_use --
-- Says that a revision uses an alias.
INSERT INTO alias_uses (slot, version, alias) VALUES (?, ?, ?);

-- delete_alias_use --
-- Says that a revision uses an alias no longer.
DELETE FROM alias_uses WHERE slot = ? AND version = ? AND alias = ?;

-- mentions_of --
-- Where a revision names entities.
SELECT entity, start, "end" FROM mentions WHERE slot = ? AND version = ?;

-- put_mention --
-- Adds a mention, or moves its end.
INSERT INTO mentions (slot, version, entity, start, "end") VALUES (?, ?, ?, ?, ?)
ON CONFLICT (slot, version, entity, start) DO UPDATE SET "end" = excluded."end";

-- delete_mention --
-- Takes a mention away.
DELETE FROM mentions WHERE slot = ? AND version = ? AND entity = ? AND start = ?;

-- statements_among --
-- Subject, predicate and object of those of some statements that the dataset has.
SELECT s.id, s.subject, s.predicate, s.object FROM json_each(?) AS j CROSS JOIN statements AS s ON s.id = j.value
WHERE s.dataset = ?;

-- insert_statement --
-- Adds a statement.
INSERT INTO statements (
    id, dataset, subject, predicate, family, object, value, value_key, value_type, text, created_at, lsn
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING;

-- evidence_of --
-- What a revision says for statements.
SELECT
    statement, start, "end", confidence, tier, asserted_at, valid_from, valid_to, time_phrase
FROM evidence WHERE slot = ? AND version = ?;

-- put_evidence --
-- Adds a piece of evidence, or says otherwise what it says.
INSERT INTO evidence (
    slot, version, statement, start, "end", confidence, tier, asserted_at, valid_from, valid_to, time_phrase
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (statement, slot, version, start, "end") DO UPDATE SET
    confidence = excluded.confidence, tier = excluded.tier, asserted_at = excluded.asserted_at,
    valid_from = excluded.valid_from, valid_to = excluded.valid_to, time_phrase = excluded.time_phrase;

-- delete_evidence --
-- Takes a piece of evidence away.
DELETE FROM evidence WHERE slot = ? AND version = ? AND statement = ? AND start = ? AND "end" = ?;

-- delete_unfounded --
-- Deletes those of some statements that rest on nothing at all, with their validities.
DELETE FROM statements WHERE id IN (SELECT value FROM json_each(?))
AND NOT EXISTS (SELECT 1 FROM evidence AS e WHERE e.statement = statements.id) RETURNING id;

-- open_validities --
-- What is believed now of some statements.
SELECT v.id, v.statement, v.valid_from, v.valid_to, v.superseded_by, v.recorded_at
FROM json_each(?) AS j CROSS JOIN validities AS v ON v.statement = j.value WHERE v.invalidated_at IS NULL;

-- insert_validity --
-- Opens a belief.
INSERT INTO validities (statement, valid_from, valid_to, superseded_by, recorded_at) VALUES (?, ?, ?, ?, ?);

-- close_validity --
-- Ends a belief.
UPDATE validities SET invalidated_at = ? WHERE id = ?;

-- delete_validity --
-- Takes back a belief that was never held for any time.
DELETE FROM validities WHERE id = ?;

-- contradictions_of_group --
-- The pairs of a group, given as its subjects and its family.
SELECT c.statement, c.other FROM json_each(?) AS j
CROSS JOIN contradictions AS c ON c.subject = j.value AND c.family = ?;

-- insert_contradiction --
-- Adds a pair, lower id first.
INSERT INTO contradictions (statement, other, subject, family, recorded_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (statement, other) DO NOTHING;

-- delete_contradiction --
-- Takes a pair away.
DELETE FROM contradictions WHERE statement = ? AND other = ?;

-- mark_stale --
-- Says of every group that has evidence from some memories that it is to be reconciled again.
INSERT INTO stale_groups (dataset, subject, family, lsn)
SELECT DISTINCT s.dataset, s.subject, s.family, ? FROM json_each(?) AS j
CROSS JOIN evidence AS e ON e.slot = j.value CROSS JOIN statements AS s ON s.id = e.statement WHERE true
ON CONFLICT (dataset, subject, family) DO UPDATE SET lsn = excluded.lsn;

-- mark_entities_stale --
-- Says of every group that has a statement about some entities that it is to be reconciled again.
INSERT INTO stale_groups (dataset, subject, family, lsn)
SELECT s.dataset, s.subject, s.family, ? FROM json_each(?) AS j CROSS JOIN statements AS s ON s.subject = j.value
UNION
SELECT s.dataset, s.subject, s.family, ? FROM json_each(?) AS j CROSS JOIN statements AS s ON s.object = j.value WHERE true
ON CONFLICT (dataset, subject, family) DO UPDATE SET lsn = excluded.lsn;

-- settle_group --
-- Takes away the mark of a group, given as its subjects and its family, if it is no younger than an LSN.
DELETE FROM stale_groups
WHERE dataset = ? AND subject IN (SELECT value FROM json_each(?)) AND family = ? AND lsn <= ?;

-- stale_groups --
-- A few groups that are to be reconciled again.
SELECT g.dataset, e.root, g.family, max(g.lsn)
FROM (SELECT dataset, subject, family, lsn FROM stale_groups ORDER BY dataset, subject, family LIMIT ?) AS g
CROSS JOIN entities AS e ON e.id = g.subject
GROUP BY g.dataset, e.root, g.family;

-- insert_merge --
-- Records that an entity was made one with another.
INSERT INTO merges (dataset, entity, into_entity, reason, at) VALUES (?, ?, ?, ?, ?);

-- undo_merge --
-- Takes a merge back.
UPDATE merges SET undone_at = ? WHERE id = ?;

-- standing_merges --
-- The merges that stand among all entities that they tie to one, in the order in which they were made.
WITH RECURSIVE tied (id) AS (
    VALUES (?)
    UNION
    SELECT g.into_entity FROM tied CROSS JOIN merges AS g ON g.entity = tied.id WHERE g.undone_at IS NULL
    UNION
    SELECT g.entity FROM tied CROSS JOIN merges AS g ON g.into_entity = tied.id WHERE g.undone_at IS NULL
)
SELECT g.id, g.entity, g.into_entity FROM tied CROSS JOIN merges AS g ON g.entity = tied.id
WHERE g.undone_at IS NULL ORDER BY g.id;

-- set_root --
-- Gives an entity its root.
UPDATE entities SET root = ? WHERE id = ?;

-- insert_proposal --
-- Adds a merge proposal, lower id first.
INSERT INTO merge_proposals (dataset, entity, other, score, reason, status, created_at) VALUES (?, ?, ?, ?, ?, 'open', ?);

-- decide_proposal --
-- Sets what was decided of a merge proposal.
UPDATE merge_proposals SET status = ?, decided_at = ? WHERE id = ?;

-- accepted_and_apart --
-- The accepted merge proposals among some entities whose ends are not one.
SELECT g.id FROM json_each(?) AS j CROSS JOIN merge_proposals AS g ON g.entity = j.value
CROSS JOIN entities AS e ON e.id = g.entity CROSS JOIN entities AS o ON o.id = g.other
WHERE g.status = 'accepted' AND e.root != o.root ORDER BY g.id;

-- proposals_between --
-- Whether it was proposed already, whatever came of it, to make one entity of what is one with each of two; the pair is given in
-- both orders.
SELECT 1 FROM json_each(?) AS j CROSS JOIN entities AS e ON e.id = j.value ->> 0 CROSS JOIN entities AS f ON f.id = j.value ->> 1
CROSS JOIN entities AS p ON p.dataset = e.dataset AND p.root = e.root CROSS JOIN merge_proposals AS g ON g.entity = p.id
CROSS JOIN entities AS o ON o.id = g.other AND o.root = f.root LIMIT 1;

-- called_ever --
-- What has some keys among its names, whether anybody sees it or not.
SELECT DISTINCT a.entity FROM json_each(?) AS j CROSS JOIN aliases AS a ON a.dataset = ? AND a.key = j.value;

-- told_apart --
-- The roots of what a person has said not to be one with some entities, or with what is one with them: a merge was taken back, or a
-- proposal refused. What was made one all the same is not among them.
WITH member (id, root) AS MATERIALIZED (
    SELECT DISTINCT p.id, p.root FROM json_each(?) AS j CROSS JOIN entities AS e ON e.id = j.value
    CROSS JOIN entities AS p ON p.dataset = e.dataset AND p.root = e.root
)
SELECT o.root FROM member AS s CROSS JOIN merges AS g ON g.entity = s.id CROSS JOIN entities AS o ON o.id = g.into_entity
WHERE g.undone_at IS NOT NULL AND o.root != s.root
UNION
SELECT o.root FROM member AS s CROSS JOIN merges AS g ON g.into_entity = s.id CROSS JOIN entities AS o ON o.id = g.entity
WHERE g.undone_at IS NOT NULL AND o.root != s.root
UNION
SELECT o.root FROM member AS s CROSS JOIN merge_proposals AS g ON g.entity = s.id CROSS JOIN entities AS o ON o.id = g.other
WHERE g.status = 'refused' AND o.root != s.root
UNION
SELECT o.root FROM member AS s CROSS JOIN merge_proposals AS g ON g.other = s.id CROSS JOIN entities AS o ON o.id = g.entity
WHERE g.status = 'refused' AND o.root != s.root;

-- find_proposal --
-- One merge proposal with the roots of its ends.
SELECT g.id, g.dataset, g.entity, g.other, g.score, g.reason, g.status, g.created_at, g.decided_at, e.root, o.root
FROM merge_proposals AS g CROSS JOIN entities AS e ON e.id = g.entity CROSS JOIN entities AS o ON o.id = g.other
WHERE g.id = ?;

-- page_proposals --
-- Merge proposals of a dataset, newest first; what is one already is nothing to decide.
SELECT g.id, g.dataset, g.entity, g.other, g.score, g.reason, g.status, g.created_at, g.decided_at, e.root, o.root
FROM merge_proposals AS g CROSS JOIN entities AS e ON e.id = g.entity CROSS JOIN entities AS o ON o.id = g.other
WHERE g.dataset = ? AND g.id < ? AND coalesce(g.status = ?, 1) AND (g.status != 'open' OR e.root != o.root)
ORDER BY g.id DESC LIMIT ?;

-- members_of --
-- Everything that is one with some entities of the dataset, by root.
SELECT DISTINCT p.root, p.id FROM json_each(?) AS j CROSS JOIN entities AS e ON e.id = j.value
CROSS JOIN entities AS p ON p.dataset = e.dataset AND p.root = e.root
WHERE e.dataset = ? ORDER BY p.root, p.id;

-- entity_heads --
-- What roots are, by their own rows.
SELECT e.id, e.dataset, e.name, e.kind, e.is_speaker, e.created_at
FROM json_each(?) AS j CROSS JOIN entities AS e ON e.id = j.value;

-- entity_names --
-- What some entities are called by memories that are not forgotten: their own root's first name first.
SELECT e.root, a.name FROM json_each(?) AS j CROSS JOIN entities AS e ON e.id = j.value
CROSS JOIN aliases AS a ON a.entity = e.id
WHERE EXISTS (
    SELECT 1 FROM alias_uses AS u CROSS JOIN memories AS m ON m.slot = u.slot
    WHERE u.alias = a.id AND m.forgotten_at IS NULL
)
ORDER BY e.root, e.id != e.root, e.id, a.id;

-- own_names --
-- What some entities are called themselves by memories that are not forgotten, whatever they were merged into; the first name first.
SELECT a.entity, a.name FROM json_each(?) AS j CROSS JOIN aliases AS a ON a.entity = j.value
WHERE EXISTS (
    SELECT 1 FROM alias_uses AS u CROSS JOIN memories AS m ON m.slot = u.slot
    WHERE u.alias = a.id AND m.forgotten_at IS NULL
)
ORDER BY a.entity, a.id;

-- name_uses --
-- What some entities are called by memories that are not forgotten, and by how many of them in their current revisions.
SELECT a.name, count(DISTINCT iif(m.version = u.version, u.slot, NULL)) FROM json_each(?) AS j
CROSS JOIN aliases AS a ON a.entity = j.value CROSS JOIN alias_uses AS u ON u.alias = a.id
CROSS JOIN memories AS m ON m.slot = u.slot
WHERE m.forgotten_at IS NULL GROUP BY a.name;

-- count_uses --
-- How many live memories name some roots, and how many statements with live evidence are about them, each up to a limit.
SELECT j.value, (
    SELECT count(*) FROM (
        SELECT DISTINCT n.slot FROM entities AS p CROSS JOIN mentions AS n ON n.entity = p.id
        CROSS JOIN memories AS m ON m.slot = n.slot AND m.version = n.version
        WHERE p.dataset = ? AND p.root = j.value AND m.forgotten_at IS NULL LIMIT ?
    )
), (
    SELECT count(*) FROM (
        SELECT 1 FROM entities AS p CROSS JOIN statements AS s ON s.subject = p.id
        WHERE p.dataset = ? AND p.root = j.value AND (SELECT root FROM entities WHERE id = s.object) IS NOT j.value
        AND EXISTS (
            SELECT 1 FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot AND m.version = e.version
            WHERE e.statement = s.id AND m.forgotten_at IS NULL
        ) LIMIT ?
    )
) + (
    SELECT count(*) FROM (
        SELECT 1 FROM entities AS p CROSS JOIN statements AS s ON s.object = p.id
        WHERE p.dataset = ? AND p.root = j.value AND (SELECT root FROM entities WHERE id = s.subject) IS NOT j.value
        AND EXISTS (
            SELECT 1 FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot AND m.version = e.version
            WHERE e.statement = s.id AND m.forgotten_at IS NULL
        ) LIMIT ?
    )
) FROM json_each(?) AS j;

-- carried_entities --
-- Those of some entities that a live memory names or has a statement about, by themselves.
SELECT j.value FROM json_each(?) AS j WHERE EXISTS (
    SELECT 1 FROM mentions AS n CROSS JOIN memories AS m ON m.slot = n.slot AND m.version = n.version
    WHERE n.entity = j.value AND m.forgotten_at IS NULL
) OR EXISTS (
    SELECT 1 FROM statements AS s CROSS JOIN evidence AS e ON e.statement = s.id
    CROSS JOIN memories AS m ON m.slot = e.slot AND m.version = e.version
    WHERE s.subject = j.value AND m.forgotten_at IS NULL
) OR EXISTS (
    SELECT 1 FROM statements AS s CROSS JOIN evidence AS e ON e.statement = s.id
    CROSS JOIN memories AS m ON m.slot = e.slot AND m.version = e.version
    WHERE s.object = j.value AND m.forgotten_at IS NULL
);

-- entities_by_key --
-- The roots of what some keys are names of, while a memory that is not forgotten uses the name.
SELECT DISTINCT a.key, p.root FROM json_each(?) AS j CROSS JOIN aliases AS a ON a.dataset = ? AND a.key = j.value
CROSS JOIN entities AS p ON p.id = a.entity
WHERE EXISTS (
    SELECT 1 FROM alias_uses AS u CROSS JOIN memories AS m ON m.slot = u.slot
    WHERE u.alias = a.id AND m.forgotten_at IS NULL
)
ORDER BY a.key, p.root;

-- aliases_with_gram --
-- Some aliases that have a piece in common with a key.
SELECT rowid FROM alias_grams WHERE alias_grams MATCH ? LIMIT ?;

-- alias_keys --
-- Keys and roots of some aliases, while a memory that is not forgotten uses them.
SELECT a.key, p.root FROM json_each(?) AS j CROSS JOIN aliases AS a ON a.id = j.value
CROSS JOIN entities AS p ON p.id = a.entity
WHERE a.dataset = ? AND EXISTS (
    SELECT 1 FROM alias_uses AS u CROSS JOIN memories AS m ON m.slot = u.slot
    WHERE u.alias = a.id AND m.forgotten_at IS NULL
);

-- list_entities --
-- A page of the roots that live memories name or have statements about; more conditions take the place of the marker.
SELECT e.root FROM entities AS e
WHERE e.dataset = ? AND e.root > ? AND e.id = e.root AND /*filters*/ AND (
    EXISTS (
        SELECT 1 FROM entities AS p CROSS JOIN mentions AS n ON n.entity = p.id
        CROSS JOIN memories AS m ON m.slot = n.slot AND m.version = n.version
        WHERE p.dataset = e.dataset AND p.root = e.root AND m.forgotten_at IS NULL
    ) OR EXISTS (
        SELECT 1 FROM entities AS p CROSS JOIN statements AS s ON s.subject = p.id
        CROSS JOIN evidence AS v ON v.statement = s.id CROSS JOIN memories AS m ON m.slot = v.slot AND m.version = v.version
        WHERE p.dataset = e.dataset AND p.root = e.root AND m.forgotten_at IS NULL
    ) OR EXISTS (
        SELECT 1 FROM entities AS p CROSS JOIN statements AS s ON s.object = p.id
        CROSS JOIN evidence AS v ON v.statement = s.id CROSS JOIN memories AS m ON m.slot = v.slot AND m.version = v.version
        WHERE p.dataset = e.dataset AND p.root = e.root AND m.forgotten_at IS NULL
    )
)
ORDER BY e.root LIMIT ?;

-- entities_of_prefix --
-- The roots of what a key that starts so is a name of, while a memory that is not forgotten uses the name: part of a query.
SELECT p.root FROM aliases AS a CROSS JOIN entities AS p ON p.id = a.entity
WHERE a.dataset = ? AND a.key >= ? AND a.key < ? AND EXISTS (
    SELECT 1 FROM alias_uses AS u CROSS JOIN memories AS m ON m.slot = u.slot
    WHERE u.alias = a.id AND m.forgotten_at IS NULL
);

-- entity_vectors --
-- The vectors of names, by rising id of the entity: who has the first ones reads the new ones alone.
SELECT id, vector FROM entities WHERE +dataset = ? AND id > ? AND vector IS NOT NULL ORDER BY id LIMIT ?;

-- statements_of_subject --
-- A page of the statements about a subject, newest first; the conditions take the place of the marker.
SELECT s.id FROM statements AS s WHERE s.subject = ? AND +s.dataset = ? AND s.id < ? AND /*filters*/
ORDER BY s.id DESC LIMIT ?;

-- statements_of_object --
-- A page of the statements whose object is an entity, newest first; the conditions take the place of the marker.
SELECT s.id FROM statements AS s WHERE s.object = ? AND +s.dataset = ? AND s.id < ? AND /*filters*/
ORDER BY s.id DESC LIMIT ?;

-- statements_of_predicate --
-- A page of the statements with a predicate, newest first; the conditions take the place of the marker.
SELECT s.id FROM statements AS s WHERE s.predicate = ? AND s.dataset = ? AND s.id < ? AND /*filters*/
ORDER BY s.id DESC LIMIT ?;

-- statements_of_dataset --
-- A page of a dataset's statements, newest first; the conditions take the place of the marker.
SELECT s.id FROM statements AS s WHERE s.dataset = ? AND s.id < ? AND /*filters*/ ORDER BY s.id DESC LIMIT ?;

-- statements_of_ids --
-- A page of some statements, newest first; the conditions take the place of the marker.
SELECT s.id FROM json_each(?) AS j CROSS JOIN statements AS s ON s.id = j.value
WHERE s.dataset = ? AND s.id < ? AND /*filters*/ ORDER BY s.id DESC LIMIT ?;

-- statements_of_slot --
-- The statements that a memory's current revision, or any revision of it, says something for.
SELECT DISTINCT e.statement FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot
WHERE e.slot = ? AND m.forgotten_at IS NULL AND (? OR m.version = e.version);

-- statements_of_group --
-- The statements of a group, given as its subjects and its family.
SELECT s.id FROM json_each(?) AS j CROSS JOIN statements AS s ON s.subject = j.value AND s.family = ? ORDER BY s.id DESC;

-- statements_of_group_about --
-- The statements of a group whose object is one of some entities, or whose value has one of some keys.
SELECT s.id FROM json_each(?) AS j CROSS JOIN statements AS s ON s.subject = j.value AND s.family = ?
WHERE s.object IN (SELECT value FROM json_each(?)) OR (s.object IS NULL AND s.value_key IN (SELECT value FROM json_each(?)))
ORDER BY s.id DESC;

-- statement_heads --
-- What statements say, with the roots of their ends.
SELECT
    s.id, s.dataset, e.root, s.predicate, s.family, o.root, s.value, s.value_key, s.value_type, s.text, s.created_at
FROM json_each(?) AS j CROSS JOIN statements AS s ON s.id = j.value CROSS JOIN entities AS e ON e.id = s.subject
LEFT JOIN entities AS o ON o.id = s.object;

-- validities_of --
-- What was believed of some statements at a moment: those recorded up to it and not ended by it; without one, what is now.
SELECT v.statement, v.valid_from, v.valid_to, v.superseded_by, v.recorded_at, v.invalidated_at
FROM json_each(?) AS j CROSS JOIN validities AS v ON v.statement = j.value
WHERE v.recorded_at <= ? AND (v.invalidated_at IS NULL OR v.invalidated_at > ?)
ORDER BY v.statement, v.valid_from, v.id;

-- visible_statements --
-- Those of some statements that a memory carries which is not forgotten.
SELECT s.id FROM json_each(?) AS j CROSS JOIN statements AS s ON s.id = j.value WHERE EXISTS (
    SELECT 1 FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot
    WHERE e.statement = s.id AND m.forgotten_at IS NULL
);

-- contradictions_of --
-- What contradicts some statements, either way round.
SELECT c.statement, c.other FROM json_each(?) AS j CROSS JOIN contradictions AS c ON c.statement = j.value
UNION ALL
SELECT c.other, c.statement FROM json_each(?) AS j CROSS JOIN contradictions AS c ON c.other = j.value;

-- evidence_page --
-- A page of a statement's evidence from memories that are not forgotten, newest first: current revisions, or any.
SELECT
    e.statement, e.slot, e.version, e.start, e."end", e.confidence, e.tier, e.asserted_at, e.valid_from, e.valid_to,
    e.time_phrase
FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot
WHERE e.statement = ? AND e.slot <= ? AND (e.slot < ? OR (e.start, e."end") < (?, ?))
AND m.forgotten_at IS NULL AND (? OR m.version = e.version)
ORDER BY e.slot DESC, e.version DESC, e.start DESC, e."end" DESC LIMIT ?;

-- evidence_of_one --
-- The evidence that a statement has from one memory, if it is not forgotten: its current revision, or any.
SELECT
    e.statement, e.slot, e.version, e.start, e."end", e.confidence, e.tier, e.asserted_at, e.valid_from, e.valid_to,
    e.time_phrase
FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot
WHERE e.statement = ? AND e.slot = ? AND m.forgotten_at IS NULL AND (? OR m.version = e.version)
ORDER BY e.version DESC, e.start DESC, e."end" DESC LIMIT ?;

-- statements_of_much_evidence --
-- Those of some statements that have more than so many pieces of evidence, seen or not.
SELECT j.value FROM json_each(?) AS j
WHERE EXISTS (SELECT 1 FROM evidence AS e WHERE e.statement = j.value LIMIT 1 OFFSET ?);

-- evidence_of_all --
-- All evidence of some statements from memories that are not forgotten, newest first: current revisions, or any.
SELECT
    e.statement, e.slot, e.version, e.start, e."end", e.confidence, e.tier, e.asserted_at, e.valid_from, e.valid_to,
    e.time_phrase
FROM json_each(?) AS j CROSS JOIN evidence AS e ON e.statement = j.value CROSS JOIN memories AS m ON m.slot = e.slot
WHERE m.forgotten_at IS NULL AND (? OR m.version = e.version)
ORDER BY e.statement, e.slot DESC, e.version DESC, e.start DESC, e."end" DESC;

-- count_evidence --
-- How many pieces of evidence a statement has from memories that are not forgotten: current revisions, or any.
SELECT count(*) FROM evidence AS e CROSS JOIN memories AS m ON m.slot = e.slot
WHERE e.statement = ? AND m.forgotten_at IS NULL AND (? OR m.version = e.version);

-- live_evidence --
-- All live evidence of some statements, newest first.
SELECT
    e.statement, e.slot, e.version, e.start, e."end", e.confidence, e.tier, e.asserted_at, e.valid_from, e.valid_to,
    e.time_phrase
FROM json_each(?) AS j CROSS JOIN evidence AS e ON e.statement = j.value
CROSS JOIN memories AS m ON m.slot = e.slot AND m.version = e.version
WHERE m.forgotten_at IS NULL
ORDER BY j.id, e.slot DESC, e.version DESC, e.start DESC, e."end" DESC;

-- evidence_in_time --
-- Slots and statements of live evidence whose own dates meet [start, end), newest first.
SELECT DISTINCT e.slot, e.statement FROM (
    SELECT slot, version, statement FROM evidence
    WHERE (valid_from IS NOT NULL OR valid_to IS NOT NULL) AND valid_from < ?
    AND (valid_to IS NULL OR valid_to > ? OR valid_from >= ?)
    UNION ALL
    SELECT slot, version, statement FROM evidence
    WHERE (valid_from IS NOT NULL OR valid_to IS NOT NULL) AND valid_from IS NULL AND valid_to > ?
) AS e CROSS JOIN memories AS m ON m.slot = e.slot AND m.version = e.version
WHERE m.forgotten_at IS NULL AND m.dataset = ?
ORDER BY e.slot DESC, e.statement DESC LIMIT ?;

-- mentions_in --
-- Where the current revisions of some live memories name entities, by root.
SELECT DISTINCT n.slot, p.root, n.start, n."end" FROM json_each(?) AS j CROSS JOIN memories AS m ON m.slot = j.value
CROSS JOIN mentions AS n ON n.slot = m.slot AND n.version = m.version CROSS JOIN entities AS p ON p.id = n.entity
WHERE m.forgotten_at IS NULL ORDER BY n.slot, n.start, n."end", p.root;

-- mention_slots --
-- The live memories that name an entity, newest first.
SELECT DISTINCT n.slot FROM mentions AS n CROSS JOIN memories AS m ON m.slot = n.slot AND m.version = n.version
WHERE n.entity = ? AND m.forgotten_at IS NULL ORDER BY n.slot DESC LIMIT ?;

-- edges_among --
-- The links from or to some memories, both ends live, strongest first. A likeness is of two texts: one that was found before
-- either of them was edited holds no longer, unless a person said it.
SELECT g.source, g.target, g.kind, g.weight, g.made_by, g.created_at, g.lsn FROM (
    SELECT g.* FROM json_each(?) AS j CROSS JOIN edges AS g ON g.source = j.value
    UNION
    SELECT g.* FROM json_each(?) AS j CROSS JOIN edges AS g ON g.target = j.value
) AS g CROSS JOIN memories AS s ON s.slot = g.source CROSS JOIN memories AS t ON t.slot = g.target
WHERE s.forgotten_at IS NULL AND t.forgotten_at IS NULL
AND (g.kind != 'similar_to' OR g.made_by = 'user' OR (g.lsn >= s.lsn AND g.lsn >= t.lsn))
ORDER BY g.weight DESC, g.lsn DESC, g.source DESC, g.target DESC, g.kind LIMIT ?;

-- read_terms --
-- The terms of a live memory's current revision.
SELECT t.terms FROM memory_terms AS t CROSS JOIN memories AS m ON m.slot = t.slot AND m.version = t.version
WHERE t.slot = ? AND m.forgotten_at IS NULL;

-- read_questions --
-- The questions of the current revisions of some live memories.
SELECT g.id, g.slot, g.version, g.text, g.source FROM json_each(?) AS j CROSS JOIN memories AS m ON m.slot = j.value
CROSS JOIN questions AS g ON g.slot = m.slot AND g.version = m.version
WHERE m.forgotten_at IS NULL ORDER BY g.slot, g.id;

-- question_vectors --
-- Vectors of the questions of live current revisions, by rising id.
SELECT g.id, g.slot, g.version, g.vector FROM questions AS g
CROSS JOIN memories AS m ON m.slot = g.slot AND m.version = g.version
WHERE g.id > ? AND g.model = ? AND m.forgotten_at IS NULL ORDER BY g.id LIMIT ?;

-- has_knowledge --
-- Whether a memory has said anything that is on record.
SELECT EXISTS (SELECT 1 FROM mentions WHERE slot = ?) OR EXISTS (SELECT 1 FROM evidence WHERE slot = ?);
