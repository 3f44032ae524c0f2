"""An edit: the next revision of a memory, made from the current one. The checks are those of encode."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mindlog.clock import iso
from mindlog.encode import dedup, policy
from mindlog.encode.validate import Limits, check_kind, check_metadata, check_salience, check_text, check_time
from mindlog.errors import InvalidInput
from mindlog.models.embedder import Embedder
from mindlog.recall.tokens import kept_states
from mindlog.records import EditRequest, Memory, MemoryEdit
from mindlog.spoken import spoken

__all__ = ["next_revision"]


async def next_revision(
    request: EditRequest, current: Memory, *, embedder: Embedder, limits: Limits, timezone: str | None
) -> MemoryEdit:
    """Return the whole next revision. Raises `InvalidInput` if nothing would change or a value is refused."""
    text = current.text if request.text is None else check_text(request.text, limit=limits.text_bytes)
    metadata = _patched(current.metadata, request.metadata, limits.metadata_bytes)
    kind = check_kind(request.kind) or current.kind
    occurred_at = current.occurred_at
    if request.occurred_at is not None:
        occurred_at = check_time(request.occurred_at, "occurred_at", timezone)
    salience = check_salience(request.salience)
    if salience is None:
        # A stamp follows the text; what differs from the stamp was the caller's own value and stays.
        was_stamped = current.salience == policy.salience_of(current.text)
        salience = policy.salience_of(text) if was_stamped else current.salience
    changed = (text, _as_json(metadata), kind, occurred_at, salience)
    before = (current.text, _as_json(current.metadata), current.kind, current.occurred_at, current.salience)
    # An older revision is not compared: the store says which one is current.
    if current.is_current and changed == before:
        raise InvalidInput(f"nothing to change: the memory is already so since {iso(current.recorded_at)}")
    said = spoken(current.agent, text)
    embedding = None if text == current.text else (await embedder.embed([said]))[0]
    fingerprint = dedup.fingerprint(text)
    return MemoryEdit(
        base=current.id,
        text=text,
        fingerprint=fingerprint,
        dedup_key=dedup.dedup_key(current.dataset, current.agent, current.session, fingerprint),
        kind=kind,
        salience=salience,
        occurred_at=occurred_at,
        metadata=metadata,
        vectors=None if embedding is None else embedding.vectors,
        states=None if embedding is None else kept_states(said, embedding),
    )


def _as_json(metadata: Mapping[str, Any]) -> str:
    # Python takes 1, 1.0 and true for equal; as JSON they differ.
    return json.dumps(dict(metadata), sort_keys=True)


def _patched(metadata: Mapping[str, Any], patch: Mapping[str, Any] | None, limit: int) -> dict[str, Any]:
    """Apply a JSON merge patch (RFC 7396) and check the outcome."""
    check_metadata(patch, limit=limit)
    return check_metadata(_merge(metadata, patch or {}), limit=limit)


def _merge(target: Any, patch: Any) -> Any:
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key), value)
    return merged
