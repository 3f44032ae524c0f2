-- What the model calls of a run came to is summed from this index alone: a call's row holds its prompt and its output.
CREATE INDEX inferences_sums_by_run ON inferences (run_id, input_tokens, output_tokens, cost) WHERE run_id IS NOT NULL;
