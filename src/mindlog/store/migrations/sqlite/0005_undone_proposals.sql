-- A proposal whose merge was taken back is undone, not accepted: also where that happened before there was the word.
UPDATE merge_proposals SET status = 'undone' WHERE status = 'accepted' AND EXISTS (
    SELECT 1 FROM entities AS e CROSS JOIN entities AS o ON o.id = merge_proposals.other
    WHERE e.id = merge_proposals.entity AND e.root != o.root
);
