"""query: an answer from what is remembered, with citations that are checked against it."""
