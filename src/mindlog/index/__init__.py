"""Indexes that follow the store's log: rebuildable from the store at any time, never the only place a fact is kept."""
