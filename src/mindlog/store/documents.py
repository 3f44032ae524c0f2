"""The store's contract for remember: documents, runs, their texts and stages. Knows no SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from mindlog.ids import MemoryId
    from mindlog.records import MemoryEdit, NewMemory
    from mindlog.store.documentrows import (
        ClaimedRemember,
        DocumentRow,
        KeptText,
        NewRemember,
        NewText,
        RememberRow,
        RememberStarted,
        SourceRow,
        TextKey,
        TextRow,
        TextWrite,
    )
    from mindlog.store.runrows import RunCounts, RunEnd, RunQuery, StageCommit

__all__ = ["DocumentStore"]


class DocumentStore(Protocol):
    """The half of a store that remember uses. Runs are numbered by the LSN of their `remember_started`."""

    # -- runs ---------------------------------------------------------------------------------------------------------
    async def start_remember(self, new: NewRemember) -> RememberStarted:
        """Commit document, source and run; the dataset is made if it is not there. Writes `remember_started`.

        A request id that is there: the run it started (same parameters), or `IdempotencyConflict`.
        """
        ...

    async def claim_remember(self, owner: str, lease_us: int, busy: Collection[int]) -> ClaimedRemember | None:
        """Take the run that is due in a dataset not among `busy`, the oldest first, and count the attempt.

        A dataset's runs go one after the other, by rising id: one that waits for another attempt, or that another holds, keeps
        the later ones of its dataset waiting.
        """
        ...

    async def renew_remember(self, owner: str, runs: Sequence[int], lease_us: int) -> list[int]:
        """Hold the runs longer; returns those still held."""
        ...

    async def release_remember(self, owner: str | None = None) -> int:
        """Make the owner's runs due at once (every held run if None: at start). Returns how many."""
        ...

    async def start_remember_stage(self, run: int, owner: str, stage: str, at: int) -> None:
        """Record that a stage has begun; a start that is on record stays. Nothing if the run is not held or the stage settled."""
        ...

    async def commit_remember_stage(self, commit: StageCommit) -> int:
        """Commit how a stage ended, with its output, and its `stage_completed` event; `results` are not used here.

        A start that is on record stays (of a stage that went on after a crash). `LeaseLost`.
        """
        ...

    async def end_remember(self, end: RunEnd) -> int | None:
        """End the attempt as `DerivationStore.end_run` does, with `run_finished`. Texts not stored by a final end are derived as others are."""
        ...

    async def retry_remember(self, runs: Sequence[int]) -> list[int]:
        """Start ended runs again with attempts at 0; returns those that were. Writes `run_restarted`.

        Stages that did not succeed are reset, with those after them that go text by text, and of a failed `extract_graph` the texts
        with an error: they are `kept` again. A run whose
        document has been remembered anew since is passed over, and one that has nothing to do.
        """
        ...

    async def cancel_remember(self, runs: Sequence[int]) -> list[int]:
        """End runs that have not: state cancelled; what was kept stays. Returns those ended."""
        ...

    # -- texts --------------------------------------------------------------------------------------------------------
    async def keep_text(self, owner: str, memory: NewMemory, text: NewText) -> KeptText:
        """Commit a text's memory and its row together; a text that is there stays as it is (`was_there`).

        Its derivation waits until the text is stored or the run is over. `LeaseLost`.
        """
        ...

    async def revise_text(self, owner: str, edit: MemoryEdit, text: NewText) -> KeptText:
        """The same by an edit of a memory that an older version of the document has. `VersionConflict` if that is not current."""
        ...

    async def adopt_text(self, owner: str, memory_id: MemoryId, text: NewText, like: TextKey) -> KeptText:
        """The same with a memory that stays as it is: state, reading and summary are those of its text `like`.

        `RevisionGone` if the memory is not as it was.
        """
        ...

    async def set_chunks(self, run: int, owner: str, chunks: int) -> None:
        """Record how many chunks there are."""
        ...

    async def switch_document(self, run: int, owner: str) -> int:
        """Make the run's texts those of the document; the memories that only earlier runs of it have are forgotten.

        One that somebody has edited since is theirs, and stays.
        Returns how many were. Done again it changes nothing.
        """
        ...

    async def put_reading(self, owner: str, key: TextKey, reading: str, error: str | None) -> None:
        """Keep what a text says, with why a model could not read it; its state is `read`, or still `stored`. `LeaseLost`."""
        ...

    async def put_summary(self, owner: str, key: TextKey, summary: str, error: str | None = None) -> None:
        """Keep a text's summary, with why it has no better one, unless the text has an error of its reading. `LeaseLost`."""
        ...

    async def store_text(self, write: TextWrite) -> dict[str, int]:
        """Commit what a text says; returns how many rows of each sort were added. Writes `text_stored`: run, origin, position, of.

        One that is stored stays as it is. `LeaseLost`, `RevisionGone`.
        """
        ...

    # -- reads --------------------------------------------------------------------------------------------------------
    def next_remember(self) -> int | None:
        """Return the earliest `due_at` of the open runs that are the first of their dataset, None if there is none.

        0 means at once; that of a held run is the end of its lease.
        """
        ...

    def remember_source(self, run: int) -> SourceRow | None:
        """Return what a run reads."""
        ...

    def texts(
        self, run: int, origin: str | None = None, after: int = -1, limit: int | None = None, *, readings: bool = False
    ) -> list[TextRow]:
        """Return texts of a run by origin and position, of one origin those after a position."""
        ...

    def text_of(self, slot: int) -> TextRow | None:
        """Return the text that the memory's current revision is, of the latest run that has it; None if of none."""
        ...

    def texts_from(self, dataset: int, origin: str, sources: Collection[str]) -> dict[str, TextRow]:
        """Return the latest live text of each source (an address, a series' id) that a run of the dataset has added."""
        ...

    def former_texts(self, run: int, origin: str) -> list[TextRow]:
        """Return the live texts of an origin that earlier runs of the run's document have, the latest run's first."""
        ...

    def document_texts(self, dataset: int, document_id: str) -> list[TextRow]:
        """Return the live texts of the document's current version, chunks first."""
        ...

    def document(self, dataset: int, document_id: str) -> DocumentRow | None:
        """Return one document."""
        ...

    def documents(self, dataset: int, limit: int, before: int | None = None) -> list[DocumentRow]:
        """Return documents, the latest made first, below a number."""
        ...

    def remember_run(self, run: int) -> RememberRow | None:
        """Return one run row."""
        ...

    def remember_runs(self, query: RunQuery) -> list[RememberRow]:
        """Return run rows, newest first; `text` looks into title, document id, parameters and errors, `slot` is not used."""
        ...

    def remember_counts(self) -> RunCounts:
        """Count the runs by state and dataset."""
        ...

    def remember_outputs(self, run: int) -> dict[str, Mapping[str, Any]]:
        """Return what each stage of a run produced, by stage; of a run that has ended, nothing if a memory it kept is forgotten."""
        ...
