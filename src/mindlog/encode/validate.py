"""The checks a memory passes before anything is done for it, and the answer it may already have. Owns the limits."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from mindlog.clock import check_instant, from_iso
from mindlog.encode import dedup, policy
from mindlog.encode.job import EncodeJob
from mindlog.errors import InvalidInput
from mindlog.pipeline import Stop
from mindlog.records import EncodeRequest, MemoryKind

__all__ = [
    "Limits",
    "check_dataset_name",
    "check_kind",
    "check_label",
    "check_metadata",
    "check_salience",
    "check_text",
    "check_time",
    "validate",
]

MAX_LABEL = 256  # characters of an agent, session, document or request id
MAX_METADATA_DEPTH = 8
_DATASET = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,127}")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes that are accepted, in bytes of UTF-8."""

    text_bytes: int = 1 << 20
    metadata_bytes: int = 16 << 10


async def validate(job: EncodeJob) -> None:
    """Check the request, stamp kind and salience, and stop if this write was answered before."""
    request, tools = job.request, job.tools
    check_text(request.text, limit=tools.limits.text_bytes)
    check_dataset_name(request.dataset)
    for name in ("agent", "session", "document_id", "request_id"):
        check_label(getattr(request, name), name)
    job.occurred_at = _occurred_at(job)
    job.metadata = check_metadata(request.metadata, limit=tools.limits.metadata_bytes)
    job.kind = check_kind(request.kind) or policy.kind_of(request)
    salience = check_salience(request.salience)
    job.salience = policy.salience_of(request.text) if salience is None else salience
    _check_vector_fields(request)
    if request.wait not in ("ack", "derived"):  # pyright: ignore[reportUnnecessaryContains]
        raise InvalidInput("wait: must be 'ack' or 'derived'", field="wait")
    dedup.identify(job)
    job.result = tools.store.peek(request.dataset, job.request_key, job.dedup_key)
    if job.result is not None and not _must_remember(job):
        raise Stop


def _must_remember(job: EncodeJob) -> bool:
    # A request id that meets an existing text has to be written down with its answer, which only persist can do.
    return job.request_key is not None and job.result is not None and job.result.outcome != "replayed"


def _occurred_at(job: EncodeJob) -> int | None:
    if job.request.occurred_at is None:
        return None
    dataset = job.tools.store.dataset(job.request.dataset)
    return check_time(job.request.occurred_at, "occurred_at", dataset.timezone if dataset else None)


def _check_vector_fields(request: EncodeRequest) -> None:
    if (request.vector is None) is not (request.embedding_model is None):
        missing = "embedding_model" if request.embedding_model is None else "vector"
        raise InvalidInput(f"{missing}: a vector and the model it was made with come together", field=missing)


def check_text(text: object, *, limit: int, field: str = "text") -> str:
    """Return the text if it may be stored: 1 byte to `limit` bytes of valid Unicode, not blank, without NUL."""
    if not isinstance(text, str):
        raise InvalidInput(f"{field}: must be a string", field=field)
    if not text or text.isspace():
        raise InvalidInput(f"{field}: must hold at least one character that is not white space", field=field)
    _check_unicode(text, field)
    # A character is at most 4 bytes, so most texts need no encoding to be measured.
    if len(text) * 4 > limit and (size := len(text.encode())) > limit:
        raise InvalidInput(f"{field}: {size} bytes is over the limit of {limit}", field=field, limit=limit)
    return text


def _check_unicode(text: str, field: str) -> None:
    if "\x00" in text:
        raise InvalidInput(f"{field}: NUL at character {text.index(chr(0))} is not accepted", field=field)
    if not text.isascii() and (found := _SURROGATE.search(text)):
        raise InvalidInput(f"{field}: lone surrogate at character {found.start()} is not valid Unicode", field=field)


def check_dataset_name(name: object, field: str = "dataset") -> str:
    """Return the name if a dataset may be called so."""
    if not isinstance(name, str) or not _DATASET.fullmatch(name):
        raise InvalidInput(f"{field}: must be 1 to 128 letters, digits, or one of _ . : @ -", field=field)
    return name


def check_label(value: object, field: str) -> None:
    """Refuse a label (agent, session, document, request id) that is not None and not 1 to 256 valid characters."""
    if value is None:
        return
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_LABEL:
        raise InvalidInput(f"{field}: must be 1 to {MAX_LABEL} characters", field=field, limit=MAX_LABEL)
    _check_unicode(value, field)


def check_time(value: str | int, field: str, default_zone: str | None) -> int:
    """Return the instant in microseconds; a naive text needs the dataset's zone."""
    at = from_iso(value, field=field, default_zone=default_zone) if isinstance(value, str) else value
    return check_instant(at, field)


def check_kind(kind: object) -> MemoryKind | None:
    """Return the kind; None stays None."""
    if kind is None:
        return None
    try:
        return MemoryKind(cast("str", kind))
    except ValueError as exc:
        known = ", ".join(MemoryKind)
        raise InvalidInput(f"kind: {str(kind)[:64]!r} is not one of {known}", field="kind") from exc


def check_salience(value: object) -> float | None:
    """Return the salience; None stays None, anything but a number from 0 to 1 is refused."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput("salience: must be a number from 0 to 1", field="salience")
    return float(value)


def check_metadata(metadata: object, *, limit: int) -> dict[str, Any]:
    """Return the metadata as a plain dict: JSON values, keys that are not empty and do not start with `$`."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise InvalidInput("metadata: must be an object", field="metadata")
    plain = dict(cast("Mapping[str, Any]", metadata))
    for key, value in plain.items():
        is_text = isinstance(key, str)  # pyright: ignore[reportUnnecessaryIsInstance]
        if not is_text or not key or key.startswith("$") or len(key) > MAX_LABEL:
            raise InvalidInput(
                f"metadata: key {str(key)[:64]!r} must be 1 to {MAX_LABEL} characters and not start with $",
                field="metadata",
            )
        _check_unicode(key, "metadata")
        _check_value(value, f"metadata.{key}", 1)
    size = len(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())
    if size > limit:
        raise InvalidInput(f"metadata: {size} bytes is over the limit of {limit}", field="metadata", limit=limit)
    return plain


def _check_value(value: Any, field: str, depth: int) -> None:
    if depth > MAX_METADATA_DEPTH:
        raise InvalidInput(f"{field}: nested deeper than {MAX_METADATA_DEPTH}", field=field)
    match value:
        case None | bool():
            return
        case str():
            _check_unicode(value, field)
        case int():
            if not -(2**63) <= value < 2**63:
                raise InvalidInput(f"{field}: an integer must fit 64 bits", field=field)
        case float():
            if not math.isfinite(value):
                raise InvalidInput(f"{field}: NaN and infinity are not JSON", field=field)
        case list() | tuple():
            for item in cast("list[Any]", value):
                _check_value(item, field, depth + 1)
        case dict():
            for key, item in cast("dict[Any, Any]", value).items():
                if not isinstance(key, str):
                    raise InvalidInput(f"{field}: keys must be strings", field=field)
                _check_unicode(key, field)
                _check_value(item, field, depth + 1)
        case _:
            raise InvalidInput(f"{field}: {type(value).__name__} is not a JSON value", field=field)
