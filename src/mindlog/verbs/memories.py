"""The verbs of memories: write, find, read, edit, forget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from mindlog.errors import InvalidInput, MindlogError
from mindlog.records import DEFAULT_DATASET, EditRequest, EncodeRequest, EncodeResult
from mindlog.verbs.forms import FilterForm, Time, Wait, plain, time_of

__all__ = [
    "Batch",
    "Forget",
    "ListPage",
    "Recall",
    "edit",
    "encode",
    "encode_batch",
    "encode_vector",
    "forget",
    "get",
    "inspect",
    "item",
    "list_page",
    "recall",
    "restore",
]

_ITEM_FIELDS = frozenset(f.name for f in fields(EncodeRequest))


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Requests in order; an item that is no request at all stands there as its error."""

    items: tuple[EncodeRequest | MindlogError, ...]

    @property
    def requests(self) -> list[EncodeRequest]:
        """The items that can be asked for."""
        return [item for item in self.items if isinstance(item, EncodeRequest)]

    def outcomes(self, answers: Iterable[EncodeResult | MindlogError]) -> list[EncodeResult | MindlogError]:
        """Return one outcome for every item, given the answers to `requests`."""
        left: Iterator[EncodeResult | MindlogError] = iter(answers)
        return [next(left) if isinstance(item, EncodeRequest) else item for item in self.items]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """A recall before its filters and times are read, which needs the dataset's zone."""

    cue: str
    dataset: str
    limit: int
    filters: FilterForm | None
    as_of: str | int | None
    budget_tokens: int | None
    trace: bool
    explain_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """Which page of which listing."""

    dataset: str
    filters: FilterForm | None
    entity: str | None
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Which memory to forget, and how."""

    memory_id: str
    mode: Literal["soft"]


def encode(
    text: str,
    *,
    dataset: str = DEFAULT_DATASET,
    agent: str | None = None,
    session: str | None = None,
    occurred_at: Time | None = None,
    kind: str | None = None,
    salience: float | None = None,
    metadata: Mapping[str, Any] | None = None,
    document_id: str | None = None,
    request_id: str | None = None,
    allow_duplicates: bool = False,
    wait: Wait = "ack",
) -> EncodeRequest:
    """Keep one text; returns when it is committed and fsynced.

    The same text by the same agent in the same session is kept once unless `allow_duplicates`. A `request_id` makes the
    call safe to repeat for 24 hours. `wait="derived"` returns when every derivation stage has settled, or at the end of
    the drain window, with a `trace` of what each one did.

    Raises:
        InvalidInput: a value is refused; the error names its field.
        IdempotencyConflict: the request id was used with other parameters.
    """
    return EncodeRequest(
        text=text,
        dataset=dataset,
        agent=agent,
        session=session,
        occurred_at=time_of(occurred_at),
        kind=kind,
        salience=salience,
        metadata=metadata,
        document_id=document_id,
        request_id=request_id,
        allow_duplicates=allow_duplicates,
        wait=wait,
    )


def encode_vector(
    text: str,
    vector: Sequence[float] | Any,
    embedding_model: str,
    *,
    dataset: str = DEFAULT_DATASET,
    agent: str | None = None,
    session: str | None = None,
    occurred_at: Time | None = None,
    kind: str | None = None,
    salience: float | None = None,
    metadata: Mapping[str, Any] | None = None,
    document_id: str | None = None,
    request_id: str | None = None,
    deduplicate: bool = False,
    wait: Wait = "ack",
) -> EncodeRequest:
    """Keep one text with the caller's own vector (any sequence or array of numbers; scaled to length 1).

    `embedding_model` is the fingerprint of the model that made it and must be the store's.

    Raises:
        ModelMismatch: the vector is of another model.
        InvalidInput: the vector has the wrong size, is not finite or is zero; or another value is refused.
    """
    return EncodeRequest(
        text=text,
        dataset=dataset,
        agent=agent,
        session=session,
        occurred_at=time_of(occurred_at),
        kind=kind,
        salience=salience,
        metadata=metadata,
        document_id=document_id,
        request_id=request_id,
        vector=vector,
        embedding_model=embedding_model,
        deduplicate=deduplicate,
        wait=wait,
    )


def encode_batch(items: Iterable[str | Mapping[str, Any] | EncodeRequest], *, wait: Wait | None = None) -> Batch:
    """Keep many texts in as few commits as can be; returns one outcome for each item, in order.

    An item is a text, a mapping of `encode`'s options with its `text`, or an `EncodeRequest`. A bad item fails alone:
    its outcome is the error. `wait`, if given, holds for every item.
    """
    return Batch(items=tuple(_outcome(each, f"items[{index}]", wait) for index, each in enumerate(items)))


def _outcome(
    each: str | Mapping[str, Any] | EncodeRequest, where: str, wait: Wait | None
) -> EncodeRequest | MindlogError:
    try:
        request = item(each, where)
    except InvalidInput as exc:
        return exc
    return request if wait is None else replace(request, wait=wait)


def item(each: str | Mapping[str, Any] | EncodeRequest, where: str = "item") -> EncodeRequest:
    """Return one item of a batch as a request; `InvalidInput` if it has no text, or a field that is not known."""
    if isinstance(each, EncodeRequest):
        return each
    if isinstance(each, str):
        return EncodeRequest(text=each)
    if not isinstance(each, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"{where}: must be a text or an object", field=where)
    for name in each:
        if name not in _ITEM_FIELDS:
            raise InvalidInput(f"{where}.{str(name)[:64]}: unknown field", field=str(name))
    if "text" not in each:
        raise InvalidInput(f"{where}.text: is missing", field="text")
    options: dict[str, Any] = {**each, "occurred_at": time_of(each.get("occurred_at"))}
    return EncodeRequest(**options)


def recall(
    cue: str,
    *,
    dataset: str = DEFAULT_DATASET,
    limit: int = 10,
    filters: FilterForm | None = None,
    as_of: Time | None = None,
    budget_tokens: int | None = None,
    trace: bool = False,
    explain_ids: Iterable[str] = (),
) -> Recall:
    """Find memories by meaning and by word, best first.

    `filters` is `{session, agent, kind, document_id, metadata, after, before}`; every one holds exactly. `as_of` asks for
    the state of that instant. `budget_tokens` adds a context block with citations. `trace` says what each lane found and
    why each of `explain_ids` is not among the hits.

    Raises:
        DatasetNotFound: there is no such dataset.
        UnknownFilter: a filter or operator is not known.
        InvalidInput: a value is refused.
    """
    return Recall(
        cue=cue,
        dataset=dataset,
        limit=limit,
        filters=plain(filters),
        as_of=time_of(as_of),
        budget_tokens=budget_tokens,
        trace=trace,
        explain_ids=tuple(explain_ids),
    )


def get(memory_id: str) -> str:
    """Return the revision the id names; `is_current` says whether it is the latest.

    Raises:
        MemoryNotFound: there is none, or it is forgotten.
    """
    return memory_id


def inspect(memory_id: str) -> str:
    """Return everything there is to know of a revision: terms, questions, links, entities, statements, versions, runs.

    Raises:
        MemoryNotFound: there is none, or it is forgotten.
    """
    return memory_id


def list_page(
    dataset: str = DEFAULT_DATASET,
    *,
    filters: FilterForm | None = None,
    entity: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> ListPage:
    """Return one page of current memories, newest first; `next_cursor` asks for the next one.

    `entity`: only those that name it, by its id or a name.

    Raises:
        DatasetNotFound: there is no such dataset.
        EntityNotFound: nothing has that id or name.
        InvalidCursor: the cursor was made for another listing.
    """
    return ListPage(dataset=dataset, filters=plain(filters), entity=entity, limit=limit, cursor=cursor)


def edit(
    memory_id: str,
    *,
    text: str | None = None,
    kind: str | None = None,
    salience: float | None = None,
    occurred_at: Time | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> EditRequest:
    """Make the next revision of a memory. None keeps a value; `metadata` is a merge patch (None removes a key).

    Raises:
        VersionConflict: the id does not name the current revision.
        MemoryNotFound: there is no such memory.
    """
    return EditRequest(
        memory_id=memory_id,
        text=text,
        kind=kind,
        salience=salience,
        occurred_at=time_of(occurred_at),
        metadata=metadata,
    )


def forget(memory_id: str, *, mode: Literal["soft"] = "soft") -> Forget:
    """Hide a memory from every read; `restore` undoes it within the grace period.

    Raises:
        MemoryNotFound: there is none, or it is forgotten already.
    """
    return Forget(memory_id=memory_id, mode=mode)


def restore(memory_id: str) -> str:
    """Undo a forget and return the memory.

    Raises:
        MemoryNotFound: it is not forgotten, or its grace period is over.
    """
    return memory_id
