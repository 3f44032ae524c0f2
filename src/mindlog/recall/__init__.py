"""recall: find memories by meaning and by word, without an LLM, and say why."""
