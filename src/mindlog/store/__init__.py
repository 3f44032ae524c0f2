"""Durable storage: one contract (`base`), one backend (`sqlite`) so far. Knows no model, index or HTTP."""
