"""What a caller asks for, checked and looked up: datasets, entities by id or name, memories, instants, pages.

Another dataset's id is one that does not exist. Reads a store; call it in a thread.
"""

from __future__ import annotations

from collections.abc import Iterator

from mindlog.access import Caller
from mindlog.clock import check_instant, from_iso
from mindlog.errors import DatasetNotFound, EntityNotFound, InvalidInput, MemoryNotFound
from mindlog.ids import MemoryId, parse_number_id
from mindlog.knowledge.extraction import name_key
from mindlog.records import Dataset, Memory, MemoryState, Scope
from mindlog.store.base import Store
from mindlog.store.graphrows import EntityRow

__all__ = ["Asking", "instant"]

_MOST_NAME = 1000  # characters
_PREFIX = "ent_"
_DATE_DIGITS = 8  # 20240501 is a date; more digits are microseconds


class Asking:
    """Looks up what one caller may touch."""

    def __init__(self, store: Store, caller: Caller, scope: Scope) -> None:
        caller.require(scope)
        self._store = store
        self._caller = caller

    def dataset(self, name: str) -> Dataset:
        """Return the dataset. `Forbidden` if it is out of the caller's reach, `DatasetNotFound` if there is none."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("dataset: must be a text", field="dataset")
        if not self._caller.sees(name):
            self._caller.require(Scope.READ, name)
        found = self._store.dataset(name)
        if found is None:
            raise DatasetNotFound(f"dataset: there is no dataset {name!r}", field="dataset")
        return found

    def datasets(self) -> Iterator[Dataset]:
        """Yield the datasets within reach."""
        return (each for each in self._store.datasets() if self._caller.sees(each.name))

    def roots(self, dataset: Dataset, given: str, field: str) -> tuple[int, ...]:
        """Return the roots of an `ent_..` id, or of all that have the name. `EntityNotFound` names the field."""
        if not isinstance(given, str) or not 1 <= len(given) <= _MOST_NAME:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"{field}: must be an entity id or a name of 1 to {_MOST_NAME} characters", field=field)
        if given.startswith(_PREFIX):
            rows = self._store.entities(dataset.number, [parse_number_id("ent", given, field)])
        else:
            key = name_key(given)
            named = self._store.entities_by_key(dataset.number, [key]).get(key, [])
            rows = self._store.entities(dataset.number, [row.id for row in named])
        if not rows:
            raise EntityNotFound(f"{field}: there is no entity {given[:64]!r}", field=field)
        return tuple(row.id for row in rows)

    def entity(self, entity_id: str, field: str = "entity_id") -> tuple[Dataset, EntityRow]:
        """Return the entity of an id with its dataset. `EntityNotFound`."""
        number = parse_number_id("ent", entity_id, field)
        for dataset in self.datasets():
            for row in self._store.entities(dataset.number, [number]):
                return dataset, row
        raise EntityNotFound(f"{field}: there is no entity {entity_id}", field=field)

    def memory(self, memory_id: str, field: str = "memory_id") -> Memory:
        """Return the current revision of a live memory, whichever revision the id names. `MemoryNotFound`."""
        wanted = MemoryId.parse(memory_id, field)
        memory = self._store.memory(wanted.slot)
        is_here = memory is not None and memory.state is MemoryState.LIVE and memory.id.shard == wanted.shard
        if memory is None or not is_here or not self._caller.sees(memory.dataset):
            raise MemoryNotFound(f"{field}: there is no memory {memory_id}", field=field)
        if not 1 <= wanted.version <= memory.id.version:
            raise MemoryNotFound(f"{field}: there is no memory {memory_id}", field=field)
        return memory


def instant(value: str | int | None, field: str, dataset: Dataset) -> int | None:
    """Return the instant in microseconds: RFC 3339 (naive ones in the dataset's zone), or microseconds themselves."""
    if isinstance(value, str) and len(value) > _DATE_DIGITS and value.isascii() and value.removeprefix("-").isdigit():
        value = int(value)
    if isinstance(value, str):
        return from_iso(value, field=field, default_zone=dataset.timezone)
    return None if value is None else check_instant(value, field)
