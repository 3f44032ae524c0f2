"""An inference store in memory, for tests: keeps what it is given, or fails as told. Knows no database."""

from __future__ import annotations

from mindlog.models.inference import InferenceRecord

__all__ = ["HeldInferences"]


class HeldInferences:
    """`records`: what was added, in order. `error`: raised by `add` instead, if set."""

    def __init__(self) -> None:
        self.records: list[InferenceRecord] = []
        self.error: BaseException | None = None

    async def add(self, record: InferenceRecord) -> None:
        """Keep the record, or raise `error`."""
        if self.error is not None:
            raise self.error
        self.records.append(record)

    @property
    def ids(self) -> list[str]:
        """Ids of the records, in order."""
        return [each.id for each in self.records]
