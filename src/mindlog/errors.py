"""Every error mindlog raises, as one tree. Owns codes, HTTP statuses and retryability; knows no HTTP library.

MindlogError
├── InvalidInput            400  the caller's value; names the field and the limit
│   ├── InvalidCursor       400
│   ├── UnknownFilter       400
│   ├── DocumentUnreadable  400  damaged, encrypted, without text, or its reader ran out of time or memory
│   │   ├── DocumentEmpty       400
│   │   └── DocumentTypeUnknown 415  no type that is read
│   ├── DocumentTooLarge    413
│   └── AddressRefused      400  an address that may not be fetched; names the rule
├── Unauthorized            401
├── Forbidden               403
├── NotFound                404
│   ├── MemoryNotFound      404
│   ├── DatasetNotFound     404
│   └── KeyNotFound         404
├── Conflict                409
│   ├── IdempotencyConflict 409  same request id, other parameters
│   ├── VersionConflict     409  an edit of a revision that is no longer current
│   ├── RunNotEnded         409  it cannot be started again yet
│   ├── RunEnded            409  it cannot be cancelled any more
│   └── NothingToRetry      409  all of the run succeeded, or what it is of has changed
├── TooLarge                413
├── Busy                    503  a bounded queue is full; try again
├── FetchFailed             502  an allowed address gave no document
├── ProviderFailed          502  a search, geocoder or series provider gave no usable answer
├── Unreachable             503  a server gave no answer
├── Closed                  503  the engine is closing or closed
├── StoreError              500
│   ├── StoreLocked         503  another process holds the directory
│   ├── StoreNewer          500  written by a newer mindlog
│   ├── StoreDamaged        500  the database file is not a database, or fails its own check
│   ├── StoreReadOnly       507  the directory cannot be written
│   ├── StoreFull           507  the disk is full
│   └── MigrationChanged    500  an applied migration's text is not the one that was applied
├── ModelError              500
│   ├── ModelMissing        500
│   ├── ModelDamaged        500
│   ├── ModelMismatch       409  vectors of another model
│   ├── EmbedderFailed      502
│   ├── LlmFailed           502  no answer: unreachable, overloaded, too slow, or the request was refused
│   ├── LlmRefused          502  the model declined to answer
│   ├── LlmBadOutput        502  an answer that cannot be used, even after one repair; keeps what it said
│   ├── LlmBudgetExceeded   429  the run or the day has spent what it may
│   ├── LlmMisconfigured    500  bad key, unknown model, no quota: somebody must change something
│   ├── LlmPaused           503  the endpoint failed several times in a row and is spared for a while
│   ├── OcrFailed           500  the model that reads pictures failed on one
│   └── MissingExtra        500  a package of an optional extra is not installed
├── IndexDamaged            500  a segment fails its manifest; the index is rebuilt, callers never see it
└── ConfigError             500  a setting cannot work
"""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = [
    "AddressRefused",
    "Busy",
    "Closed",
    "ConfigError",
    "Conflict",
    "DatasetNotFound",
    "DocumentEmpty",
    "DocumentNotFound",
    "DocumentTooLarge",
    "DocumentTypeUnknown",
    "DocumentUnreadable",
    "EarlierFailure",
    "EmbedderFailed",
    "EntityNotFound",
    "FetchFailed",
    "Forbidden",
    "IdempotencyConflict",
    "ImageNotFound",
    "IndexDamaged",
    "InferenceNotFound",
    "InvalidCursor",
    "InvalidInput",
    "KeyNotFound",
    "LeaseLost",
    "LinkNotFound",
    "LlmBadOutput",
    "LlmBudgetExceeded",
    "LlmFailed",
    "LlmMisconfigured",
    "LlmPaused",
    "LlmRefused",
    "LsnGone",
    "MemoryNotFound",
    "MigrationChanged",
    "MindlogError",
    "MissingExtra",
    "ModelDamaged",
    "ModelError",
    "ModelMismatch",
    "ModelMissing",
    "NotFound",
    "NothingToRetry",
    "OcrFailed",
    "ProposalNotFound",
    "ProviderFailed",
    "RevisionGone",
    "RunEnded",
    "RunNotEnded",
    "RunNotFound",
    "SeriesNotFound",
    "StatementNotFound",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreLocked",
    "StoreNewer",
    "StoreReadOnly",
    "TooLarge",
    "Unauthorized",
    "UnknownFilter",
    "Unreachable",
    "VersionConflict",
]


class MindlogError(Exception):
    """Something went wrong in mindlog."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500
    retryable: bool = False

    def __init__(
        self,
        detail: str | None = None,
        *,
        field: str | None = None,
        retryable: bool | None = None,
        **extra: Any,
    ) -> None:
        """Keep a sentence for the caller, the field at fault and further facts for the problem body."""
        self.detail = detail or (type(self).__doc__ or type(self).__name__).strip()
        self.field = field
        self.extra = extra
        if retryable is not None:
            self.retryable = retryable
        super().__init__(self.detail)

    def __reduce__(self) -> tuple[Any, ...]:
        # The default rebuilds from args alone and would lose the keyword facts when an error crosses a process.
        return (_rebuild, (type(self), self.detail, self.field, self.retryable, self.extra))


def _rebuild(
    kind: type[MindlogError], detail: str, field: str | None, retryable: bool, extra: dict[str, Any]
) -> MindlogError:
    return kind(detail, field=field, retryable=retryable, **extra)


class InvalidInput(MindlogError):
    """A value is outside what is accepted."""

    code = "invalid_input"
    status = 400


class InvalidCursor(InvalidInput):
    """The cursor was not made by this server for this listing."""

    code = "invalid_cursor"


class UnknownFilter(InvalidInput):
    """A filter key or operator is not known."""

    code = "unknown_filter"


class DocumentUnreadable(InvalidInput):
    """The document cannot be read."""

    code = "document_unreadable"


class DocumentEmpty(DocumentUnreadable):
    """The document is empty."""

    code = "document_empty"


class DocumentTypeUnknown(DocumentUnreadable):
    """The document is of no type that is read."""

    code = "document_type_unknown"
    status = 415


class DocumentTooLarge(InvalidInput):
    """The document is larger than the limit."""

    code = "document_too_large"
    status = 413


class AddressRefused(InvalidInput):
    """Documents are not fetched from this address."""

    code = "address_refused"


class Unauthorized(MindlogError):
    """A valid API key is required."""

    code = "unauthorized"
    status = 401


class Forbidden(MindlogError):
    """The caller may not do this."""

    code = "forbidden"
    status = 403


class NotFound(MindlogError):
    """There is no such thing here."""

    code = "not_found"
    status = 404


class MemoryNotFound(NotFound):
    """There is no memory with this id."""

    code = "memory_not_found"


class DatasetNotFound(NotFound):
    """There is no dataset with this name."""

    code = "dataset_not_found"


class KeyNotFound(NotFound):
    """There is no API key with this id."""

    code = "key_not_found"


class EntityNotFound(NotFound):
    """There is no such entity."""

    code = "entity_not_found"


class StatementNotFound(NotFound):
    """There is no such statement."""

    code = "statement_not_found"


class RunNotFound(NotFound):
    """There is no such run."""

    code = "run_not_found"


class EarlierFailure(MindlogError):
    """It failed in an earlier attempt at the run, which was broken off."""

    code = "earlier_failure"


class DocumentNotFound(NotFound):
    """There is no such document."""

    code = "document_not_found"


class SeriesNotFound(NotFound):
    """There is no such series."""

    code = "series_not_found"


class ImageNotFound(NotFound):
    """There is no such image."""

    code = "image_not_found"


class InferenceNotFound(NotFound):
    """There is no such inference."""

    code = "inference_not_found"


class LinkNotFound(NotFound):
    """There is no such link."""

    code = "link_not_found"


class ProposalNotFound(NotFound):
    """There is no such merge proposal."""

    code = "proposal_not_found"


class LsnGone(MindlogError):
    """The log no longer reaches back to this LSN."""

    code = "lsn_gone"
    status = 410


class Conflict(MindlogError):
    """The request conflicts with what is stored."""

    code = "conflict"
    status = 409


class IdempotencyConflict(Conflict):
    """This request id was used with other parameters."""

    code = "idempotency_conflict"


class VersionConflict(Conflict):
    """The memory was changed since the revision this request names."""

    code = "version_conflict"


class RunNotEnded(Conflict):
    """The run has not ended, so it is not started again."""

    code = "run_not_ended"


class RunEnded(Conflict):
    """The run has ended, so there is nothing to cancel."""

    code = "run_ended"


class NothingToRetry(Conflict):
    """The run has nothing to do again: all of it succeeded, or what it is of has changed since."""

    code = "nothing_to_retry"


class LeaseLost(Conflict):
    """The run is not held by this worker: it has ended, was cancelled, or another worker holds it."""

    code = "lease_lost"


class RevisionGone(Conflict):
    """The revision is no longer current: its memory was edited or forgotten."""

    code = "revision_gone"


class TooLarge(MindlogError):
    """The request is larger than the limit."""

    code = "too_large"
    status = 413


class Busy(MindlogError):
    """The server has as much work as it accepts; try again."""

    code = "busy"
    status = 503
    retryable = True


class Closed(MindlogError):
    """The engine is closed."""

    code = "closed"
    status = 503
    retryable = True


class FetchFailed(MindlogError):
    """The address gave no document."""

    code = "fetch_failed"
    status = 502
    retryable = True


class ProviderFailed(MindlogError):
    """A provider of outside data gave no usable answer."""

    code = "provider_failed"
    status = 502
    retryable = True


class Unreachable(MindlogError):
    """The server gave no answer."""

    code = "unreachable"
    status = 503
    retryable = True


class StoreError(MindlogError):
    """The store failed."""

    code = "store_error"


class StoreLocked(StoreError):
    """Another process has this data directory open."""

    code = "store_locked"
    status = 503


class StoreNewer(StoreError):
    """The data directory was written by a newer mindlog."""

    code = "store_newer"


class StoreDamaged(StoreError):
    """The database file is damaged or is not a database."""

    code = "store_damaged"


class StoreReadOnly(StoreError):
    """The data directory cannot be written."""

    code = "store_read_only"
    status = 507


class StoreFull(StoreError):
    """The disk is full."""

    code = "store_full"
    status = 507
    retryable = True


class MigrationChanged(StoreError):
    """A migration that was applied to this database differs from the one in this release."""

    code = "migration_changed"


class ModelError(MindlogError):
    """A model failed."""

    code = "model_error"


class ModelMissing(ModelError):
    """The model's files are not there."""

    code = "model_missing"


class ModelDamaged(ModelError):
    """The model's files are not the ones expected."""

    code = "model_damaged"


class ModelMismatch(ModelError):
    """The vectors belong to another embedding model."""

    code = "model_mismatch"
    status = 409


class EmbedderFailed(ModelError):
    """The embedder gave no usable vector."""

    code = "embedder_failed"
    status = 502
    retryable = True


class LlmFailed(ModelError):
    """The language model gave no answer."""

    code = "llm_failed"
    status = 502
    retryable = True


class LlmRefused(ModelError):
    """The language model declined to answer."""

    code = "llm_refused"
    status = 502


class LlmBadOutput(ModelError):
    """The language model's answer cannot be used."""

    code = "llm_bad_output"
    status = 502


class LlmBudgetExceeded(ModelError):
    """The budget for language model calls is spent."""

    code = "llm_budget_exceeded"
    status = 429


class LlmMisconfigured(ModelError):
    """The language model's endpoint does not accept the key, the model or the account."""

    code = "llm_misconfigured"


class LlmPaused(ModelError):
    """The language model's endpoint failed several times in a row and is spared for a while."""

    code = "llm_paused"
    status = 503
    retryable = True


class OcrFailed(ModelError):
    """The text in the picture could not be read."""

    code = "ocr_failed"


class MissingExtra(ModelError):
    """A package of an optional extra is not installed."""

    code = "missing_extra"


class IndexDamaged(MindlogError):
    """An index segment fails its manifest."""

    code = "index_damaged"


class ConfigError(MindlogError):
    """A setting cannot work."""

    code = "config_error"
