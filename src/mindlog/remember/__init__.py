"""remember: a text or document of any length becomes memories and reconciled knowledge."""
