"""What the enrichments share: whom and what the run's chunks name, its series, and how a text that they add is seen through.

A text is added once: its source is its name, and what an earlier run has of the same source is taken up. Reads in threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mindlog.errors import MindlogError
from mindlog.records import MemoryKind
from mindlog.remember.job import TextJob, Trust
from mindlog.remember.keep import add_text
from mindlog.remember.read import read
from mindlog.remember.reconcile import reconcile_text

if TYPE_CHECKING:
    from mindlog.remember.job import RememberJob
    from mindlog.store.askingrows import SeriesRow
    from mindlog.store.documentrows import TextRow

__all__ = ["Added", "Naming", "chunks_at_once", "namings", "raise_all", "series_of_run"]

_AT_ONCE = 200  # chunks that are looked at together
_PLACES_KEPT = 3  # of a name, where it stands first
_MOST_SERIES = 500  # of one run


# -- what the chunks hold -----------------------------------------------------------------------------------------------
@dataclass(slots=True)
class Naming:
    """An entity (its root) that the run's chunks name: how often, and where first, as (chunk, start, end)."""

    entity: int
    times: int = 0
    first: list[tuple[TextJob, int, int]] = field(default_factory=list[tuple[TextJob, int, int]])

    def context(self, reach: int) -> str:
        """Return the words around the first places, so many characters to each side."""
        return "\n".join(text.text[max(0, start - reach) : end + reach] for text, start, end in self.first)


def chunks_at_once(job: RememberJob) -> Iterator[list[TextJob]]:
    """Yield the chunks that are there, some at a time."""
    for start in range(0, len(job.chunks), _AT_ONCE):
        if live := [text for text in job.chunks[start : start + _AT_ONCE] if not text.is_gone]:
            yield live


def namings(job: RememberJob) -> dict[int, Naming]:
    """Return what the chunks name, by entity. Reads."""
    found: dict[int, Naming] = {}
    for texts in chunks_at_once(job):
        mentions = job.tools.store.mentions([text.memory_id.slot for text in texts])
        for text in texts:
            for row in mentions.get(text.memory_id.slot, []):
                naming = found.setdefault(row.entity, Naming(row.entity))
                naming.times += 1
                if len(naming.first) < _PLACES_KEPT:
                    naming.first.append((text, row.start, row.end))
    return found


def series_of_run(job: RememberJob) -> list[SeriesRow]:
    """Return the series that the chunks gave points of, the oldest first. Reads."""
    found: dict[int, SeriesRow] = {}
    for texts in chunks_at_once(job):
        slots = [text.memory_id.slot for text in texts]
        for row in job.tools.store.series(job.dataset.number, slots=slots, limit=_MOST_SERIES):
            found[row.id] = row
        if len(found) >= _MOST_SERIES:
            job.output("observe_series")["most_series"] = _MOST_SERIES
            break
    return [found[number] for number in sorted(found)][:_MOST_SERIES]


# -- texts that are added -----------------------------------------------------------------------------------------------
class Added:
    """The texts of one origin that a run adds, those of an attempt that broke off among them.

    errors: what went wrong with single texts; the others go on.
    """

    def __init__(self, job: RememberJob, origin: str, stage: str, trust: Trust, agent: str | None) -> None:
        self.errors: list[Exception] = []
        self._job = job
        self._origin = origin
        self._stage = stage
        self._trust: Trust = trust
        self._agent = agent
        self._rows: dict[str, TextRow] = {}

    async def load(self) -> None:
        """Find what an earlier attempt has added."""
        rows = await asyncio.to_thread(self._job.tools.store.texts, self._job.run.id, self._origin)
        self._rows = {row.source: row for row in rows if row.source is not None}

    def __contains__(self, source: str) -> bool:
        """Say whether the run has a text of the source."""
        return source in self._rows

    def __len__(self) -> int:
        """Return how many texts of the origin the run has."""
        return len(self._rows)

    @property
    def texts(self) -> list[str]:
        """The words of those an earlier attempt has added."""
        return [row.text for row in self._rows.values()]

    async def go_on(self) -> None:
        """See through what an earlier attempt has kept and not stored."""
        for row in list(self._rows.values()):
            if row.is_live and row.state != "stored":
                await self._understood(self._again(row))
                self._job.count(self._stage, "went_on")

    async def add(
        self,
        words: str,
        source: str,
        *,
        earlier: TextRow | None,
        revises: bool,
        kind: MemoryKind = MemoryKind.SEMANTIC,
        metadata: Mapping[str, Any],
    ) -> str:
        """Keep a text and see it through; returns what was done with it.

        earlier: the text of the source that another run has. One with the same words is taken up as it is; of another the text
        becomes the next revision, if it `revises`.
        """
        same = earlier is not None and earlier.text == words
        text = await self._kept(words, source, earlier, revises, kind, metadata)
        how = "unchanged" if same else "revised" if earlier is not None and revises else "created"
        self._job.count(self._stage, how)
        await self._understood(text)
        return how

    async def _kept(
        self,
        words: str,
        source: str,
        earlier: TextRow | None,
        revises: bool,
        kind: MemoryKind,
        metadata: Mapping[str, Any],
    ) -> TextJob:
        position = 1 + max((row.key.position for row in self._rows.values()), default=-1)
        same = earlier is not None and earlier.text == words
        text = await add_text(
            self._job,
            self._origin,
            position,
            words,
            agent=self._agent,
            trust=self._trust,
            source=source,
            kind=kind,
            metadata=metadata,
            revises=earlier.memory_id if earlier is not None and revises and not same else None,
            adopts=earlier if same else None,
        )
        rows = self._job.tools.store.texts
        (row,) = await asyncio.to_thread(rows, self._job.run.id, self._origin, position - 1, 1)
        self._rows[source] = row
        return text

    def _again(self, row: TextRow) -> TextJob:
        return TextJob(
            job=self._job,
            key=row.key,
            memory_id=row.memory_id,
            state=row.state,
            own_text=row.text,
            agent=self._agent,
            trust=self._trust,
            is_whole=True,
        )

    async def _understood(self, text: TextJob) -> None:
        """Read the text and reconcile it, whatever the model says. An error of the text alone is noted, one of the store raised."""
        try:
            if text.state == "kept":
                await read(text, self._stage)
        except MindlogError as exc:
            if text.state == "kept":
                raise
            self.errors.append(exc)
        try:
            if text.state == "read":
                await reconcile_text(text)
        except MindlogError as exc:
            if self._job.broken(self._stage, exc):
                raise
            self.errors.append(exc)
        for what, number in self._job.outputs.pop("store", {}).items():
            if number and what != "texts":
                self._job.count(self._stage, what, number)


def raise_all(what: str, errors: Sequence[Exception]) -> None:
    """Raise the error there is, or all of them together."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup(f"{len(errors)} {what} failed", errors)
