"""What makes two writes the same: content identity and request identity. Owns the keys; the store decides the race."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from blake3 import blake3

from mindlog.encode.job import EncodeJob
from mindlog.errors import InvalidInput
from mindlog.records import EncodeRequest, RequestKey

__all__ = ["dedup_key", "fingerprint", "identify", "params_hash"]

# Not part of what is stored, so a retry may differ in them.
_NOT_PARAMETERS = frozenset({"request_id", "wait"})
_PARAMETERS = tuple(f.name for f in fields(EncodeRequest) if f.name not in _NOT_PARAMETERS)


def identify(job: EncodeJob) -> None:
    """Set the job's fingerprint, dedup key and request key."""
    request = job.request
    job.fingerprint = fingerprint(request.text)
    wanted = request.deduplicate if request.vector is not None else not request.allow_duplicates
    if wanted:
        job.dedup_key = dedup_key(request.dataset, request.agent, request.session, job.fingerprint)
    if request.request_id is not None:
        job.request_key = RequestKey(id=request.request_id, params=params_hash(request))


def fingerprint(text: str) -> bytes:
    """Return BLAKE3 of the text's UTF-8, 32 bytes."""
    return blake3(text.encode()).digest()


def dedup_key(dataset: str, agent: str | None, session: str | None, text_fingerprint: bytes) -> bytes:
    """Return the 16-byte key under which a text may be stored once: dataset, agent, session and text."""
    # Labels cannot hold NUL, so the join is unambiguous; None and "" cannot meet since "" is refused.
    scope = f"{dataset}\0{agent or ''}\0{session or ''}\0".encode()
    return blake3(scope + text_fingerprint).digest(16)


def params_hash(request: EncodeRequest) -> bytes:
    """Return 16 bytes of BLAKE3 over every parameter that shapes the memory."""
    params = [getattr(request, name) for name in _PARAMETERS]
    return blake3(json.dumps(params, sort_keys=True, default=_plain).encode()).digest(16)


def _plain(value: object) -> object:
    # Vectors arrive as arrays, metadata as any mapping.
    tolist = getattr(value, "tolist", None)
    if tolist is not None:
        return tolist()
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Any]", value))
    # All else has been checked by now.
    raise InvalidInput("vector: must be a list of numbers", field="vector")
