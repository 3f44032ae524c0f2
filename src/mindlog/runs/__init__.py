"""Derivation as durable work: the run log, the worker that claims runs, who waits for them, and the event stream."""
