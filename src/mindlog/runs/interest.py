"""What a subscriber wants to hear of, and an event as all of them share it. Knows no stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mindlog.access import Caller
from mindlog.errors import InvalidInput
from mindlog.ids import MemoryId
from mindlog.records import Dataset, MemoryKind
from mindlog.runs.eventtypes import check_types
from mindlog.store.runrows import EventRow, LogQuery
from mindlog.views import Event, SubscribeRequest

__all__ = ["Interest", "SharedEvent", "shared"]


class SharedEvent:
    """An event, made once for all subscribers; so is its text."""

    __slots__ = ("_encoded", "event", "slot")

    def __init__(self, event: Event, slot: int | None) -> None:
        self.event = event
        self.slot = slot
        self._encoded: bytes | None = None

    def encoded(self, encode: Callable[[Event], bytes]) -> bytes:
        """Return what `encode` makes of the event; it is called the first time only, so all must give the same one."""
        if self._encoded is None:
            self._encoded = encode(self.event)
        return self._encoded


def shared(row: EventRow, names: Mapping[int, str]) -> SharedEvent:
    """Return the event of a log entry; names: of the datasets, by number."""
    has_memory = row.slot is not None and row.version is not None
    event = Event(
        lsn=row.lsn,
        at=row.at,
        type=row.type,
        dataset=None if row.dataset is None else names.get(row.dataset),
        memory_id=str(MemoryId(0, row.slot, row.version)) if has_memory else None,  # pyright: ignore[reportArgumentType]
        session=row.session,
        kind=row.kind,
        data=row.payload,
    )
    return SharedEvent(event, row.slot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """What is wanted. datasets: their names, those to come too; None for all. None and empty do not narrow otherwise."""

    datasets: frozenset[str] | None
    types: frozenset[str]
    session: str | None
    kind: str | None
    slot: int | None

    @classmethod
    def of(cls, request: SubscribeRequest, caller: Caller) -> Interest:
        """Return what the request asks for within what the caller may see. `InvalidInput` names what cannot be."""
        if request.kind is not None and request.kind not in tuple(MemoryKind):
            raise InvalidInput(f"kind: {request.kind[:64]!r} is not one of {', '.join(MemoryKind)}", field="kind")
        slot = None if request.memory_id is None else MemoryId.parse(request.memory_id).slot
        datasets = caller.datasets if request.dataset is None else frozenset([request.dataset])
        types = frozenset(check_types(request.types))
        return cls(datasets=datasets, types=types, session=request.session, kind=request.kind, slot=slot)

    def wants(self, each: SharedEvent) -> bool:
        """Say whether the event is wanted."""
        event = each.event
        return (
            (self.datasets is None or event.dataset in self.datasets)
            and (not self.types or event.type in self.types)
            and (self.session is None or event.session == self.session)
            and (self.kind is None or event.kind == self.kind)
            and (self.slot is None or each.slot == self.slot)
        )

    def chosen(self, events: Sequence[SharedEvent]) -> Sequence[SharedEvent]:
        """Return the events that are wanted, in order."""
        if self == _EVERYTHING:
            return events
        return [each for each in events if self.wants(each)]

    def query(self, start: int, end: int, limit: int, datasets: Sequence[Dataset]) -> LogQuery | None:
        """Return what to read of [start, end]; None if nothing there can be wanted. `datasets` are those there are."""
        numbers = None
        if self.datasets is not None:
            numbers = tuple(each.number for each in datasets if each.name in self.datasets)
            if not numbers:
                return None
        return LogQuery(
            from_lsn=start,
            to_lsn=end,
            limit=limit,
            datasets=numbers,
            types=tuple(self.types),
            slot=self.slot,
            session=self.session,
            kind=self.kind,
        )


_EVERYTHING = Interest(datasets=None, types=frozenset(), session=None, kind=None, slot=None)
