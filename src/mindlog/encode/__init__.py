"""encode: the durable write verb. One text in, one memory out, acknowledged after its commit is on disk."""
