"""The reads of the store's contract for remember: documents, runs, texts. Knows no writer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mindlog.clock import Clock
from mindlog.store import rememberquery
from mindlog.store.connect import fetch
from mindlog.store.documentrows import DocumentRow, RememberRow, SourceRow, TextRow
from mindlog.store.queries import q
from mindlog.store.reads import Reads
from mindlog.store.rows import from_json
from mindlog.store.runreads import counted
from mindlog.store.runrows import RunCounts, RunQuery
from mindlog.store.runstages import REMEMBER

__all__ = ["DocumentReads"]

_ENDED = (REMEMBER.sql(q.count_failed_runs), REMEMBER.sql(q.count_succeeded_runs))


class DocumentReads(Reads):
    """The reading half for remember; the methods are those of `DocumentStore`."""

    _clock: Clock

    # -- runs -------------------------------------------------------------------------------------------------------
    def next_remember(self) -> int | None:
        """Return when the next run is due that is the first of its dataset; a lease counts as due when it ends."""
        return self._peek.next_remember()

    def remember_source(self, run: int) -> SourceRow | None:
        """Return what a run reads."""
        for kind, name, url, characters, content in self._all(q.remember_source, (run,)):
            return SourceRow(kind=kind, name=name, url=url, characters=characters, content=content)
        return None

    def remember_run(self, run: int) -> RememberRow | None:
        """Return one run row."""
        found = self._all(*rememberquery.of_run(run, self._clock.now()))
        return rememberquery.remember_row(found[0]) if found else None

    def remember_runs(self, query: RunQuery) -> list[RememberRow]:
        """Return run rows, newest first."""
        found = self._all(*rememberquery.compile_query(query, self._clock.now()))
        return [rememberquery.remember_row(row) for row in found]

    def remember_counts(self) -> RunCounts:
        """Count the runs by state and dataset."""
        with self._pool.connection() as connection:
            started = fetch(connection, rememberquery.COUNT_STARTED, (self._clock.now(),))
            return counted(started, [row for sql in _ENDED for row in fetch(connection, sql)])

    def remember_outputs(self, run: int) -> dict[str, Mapping[str, Any]]:
        """Return what each stage of a run produced, by stage."""
        return {stage: from_json(output) for stage, output in self._all(rememberquery.OUTPUTS, (run,))}

    # -- texts ------------------------------------------------------------------------------------------------------
    def texts(
        self, run: int, origin: str | None = None, after: int = -1, limit: int | None = None, *, readings: bool = False
    ) -> list[TextRow]:
        """Return texts of a run by origin and position."""
        found = self._all(*rememberquery.compile_texts(run, origin, after, limit, readings=readings))
        return [rememberquery.text_row(row) for row in found]

    def text_of(self, slot: int) -> TextRow | None:
        """Return the text that the memory's current revision is, of the latest run that has it."""
        found = self._all(*rememberquery.text_of(slot))
        return rememberquery.text_row(found[0]) if found else None

    def texts_from(self, dataset: int, origin: str, sources: Collection[str]) -> dict[str, TextRow]:
        """Return the latest live text of each source that a run of the dataset has added."""
        # The latest runs come first.
        found = self._all(*rememberquery.texts_from(dataset, origin, sources))
        return {text.source: text for text in map(rememberquery.text_row, reversed(found)) if text.source is not None}

    def former_texts(self, run: int, origin: str) -> list[TextRow]:
        """Return the live texts of an origin that earlier runs of the run's document have, the latest run's first."""
        return [rememberquery.text_row(row) for row in self._all(*rememberquery.former_texts(run, origin))]

    def document_texts(self, dataset: int, document_id: str) -> list[TextRow]:
        """Return the live texts of the document's current version, chunks first."""
        with self._pool.connection() as connection:
            for (run,) in fetch(connection, q.document_run, (dataset, document_id)):
                query = rememberquery.compile_texts(run, None, -1, None, readings=False, live=True)
                return [rememberquery.text_row(row) for row in fetch(connection, *query)]
        return []

    # -- documents --------------------------------------------------------------------------------------------------
    def document(self, dataset: int, document_id: str) -> DocumentRow | None:
        """Return one document."""
        found = self._all(*rememberquery.documents_of(dataset, document_id))
        return rememberquery.document_row(found[0]) if found else None

    def documents(self, dataset: int, limit: int, before: int | None = None) -> list[DocumentRow]:
        """Return documents, the latest made first, below a number."""
        found = self._all(*rememberquery.documents_after(dataset, limit, before))
        return [rememberquery.document_row(row) for row in found]
