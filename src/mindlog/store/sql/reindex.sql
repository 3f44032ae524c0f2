-- stale_questions --
-- Questions whose vectors are of other models, by rising id.
SELECT id, text FROM questions WHERE model != ? AND id > ? ORDER BY id LIMIT ?;

-- replace_question --
-- Puts a question's vector of another model in place of the one it has.
UPDATE questions SET model = ?, vector = ? WHERE id = ?;
