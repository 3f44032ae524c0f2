"""Web searches: one protocol, the formats of several endpoints."""
