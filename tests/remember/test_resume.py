"""An attempt begins with what earlier ones have made: nothing is done twice, nothing is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mindlog.errors import StoreDamaged
from mindlog.remember.marks import Mark, ReadDocument
from mindlog.remember.resume import packed, resume, unpacked
from mindlog.store.documentrows import ClaimedRemember
from tests.remember.enriched import LEASE, OWNER, World, stage, world
from tests.remember.test_pipeline import DOCUMENT, SMALL


def test_a_document_is_unpacked_as_it_was_packed() -> None:
    marks = (Mark("heading", 0, 5, 1), Mark("paragraph", 6, 20))
    document = ReadDocument(title="Tëst 🜁", kind="pdf", text="Tëst 🜁\n" * 3, marks=marks, pages=3)
    assert unpacked(packed(document)) == document


class Ends(BaseException):
    """What ends a process, for these tests."""


async def claim(home: World) -> ClaimedRemember:
    claimed = await home.store.claim_remember(OWNER, LEASE, ())
    assert claimed is not None
    return claimed


async def broken_off(home: World, at: str, position: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make an attempt that ends as a process does, when the store is about to take a text."""
    work = getattr(home.store, at)

    async def ending(*given: Any) -> Any:
        key = next(getattr(each, "key", each) for each in given if not isinstance(each, str))
        if key.position == position:
            raise Ends
        return await work(*given)

    with monkeypatch.context() as patch:
        patch.setattr(home.store, at, ending)
        with pytest.raises(Ends):
            await home.attempt()
    await home.store.release_remember(None)


@pytest.mark.parametrize(
    ("at", "position", "read", "stored"),
    [("put_reading", 0, 0, 0), ("put_reading", 4, 4, 0), ("store_text", 0, 6, 0), ("store_text", 4, 6, 4)],
)
async def test_what_is_read_and_stored_is_not_read_and_stored_again(
    tmp_path: Path, at: str, position: int, read: int, stored: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, **SMALL) as home:
        run = await home.accept(DOCUMENT)
        await broken_off(home, at, position, monkeypatch)
        assert (home.run(run).read, home.run(run).stored) == (read, stored)
        done: list[tuple[str, int]] = []
        put, store = home.store.put_reading, home.store.store_text

        async def reading(owner: str, key: Any, *more: Any) -> None:
            done.append(("read", key.position))
            await put(owner, key, *more)

        async def storing(write: Any) -> Any:
            done.append(("stored", write.key.position))
            return await store(write)

        monkeypatch.setattr(home.store, "put_reading", reading)
        monkeypatch.setattr(home.store, "store_text", storing)
        await home.attempt()
        assert done == [("read", n) for n in range(read, 6)] + [("stored", n) for n in range(stored, 6)]
        row = home.run(run)
        assert (row.state, row.read, row.stored, row.attempts) == ("succeeded", 6, 6, 2)
        assert {each.status for each in row.stages} == {"succeeded", "skipped"}


@pytest.mark.parametrize("broken_at", [("put_reading", 4), ("put_summary", 5), ("store_text", 0), ("store_text", 5)])
async def test_the_record_of_a_stage_that_was_broken_off_is_of_the_whole_document(
    tmp_path: Path, broken_at: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, **SMALL) as home:
        run, put = await home.accept(DOCUMENT), home.store.put_reading

        async def refused(owner: str, key: Any, reading: str, error: str | None) -> None:
            await put(owner, key, reading, "LlmRefused: no" if key.position == 1 else error)

        monkeypatch.setattr(home.store, "put_reading", refused)
        await broken_off(home, *broken_at, monkeypatch)
        await home.attempt()
        row = home.run(run)
        assert (row.state, row.read, row.stored) == ("succeeded", 6, 6)
        status = {name: stage(row, name)[0] for name in ("load_candidates", "resolve_edges", "store")}
        assert set(status.values()) == {"succeeded"}
        assert stage(row, "summarize_chunk")[0] == "succeeded"
        output = home.store.remember_outputs(run)["extract_graph"]
        assert [each["position"] for each in output["each"]] == [0, 1, 2, 3, 4, 5]
        if broken_at[0] == "put_reading":  # otherwise the stage had ended, and stays as it is
            assert stage(row, "extract_graph") == (
                "failed",
                "failed for 1 of 6 items (2): EarlierFailure: LlmRefused: no",
            )


async def test_chunks_that_were_kept_before_a_break_stay_the_memories_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, **SMALL) as home:
        run = await home.accept(DOCUMENT)

        async def ends(*_: Any) -> None:
            raise Ends

        with monkeypatch.context() as patch:
            patch.setattr(home.store, "switch_document", ends)
            with pytest.raises(Ends):
                await home.attempt()
        await home.store.release_remember(None)
        before = [text.memory_id for text in home.store.texts(run)]
        assert len(before) == 6
        await home.attempt()
        row = home.run(run)
        assert [text.memory_id for text in home.texts(row, "chunk")] == before
        assert home.output(row, "chunk_text")["kept_before"] == 6
        assert home.store.stats().memories == 6


async def test_the_complexity_that_was_told_before_counts_and_later_stages_are_not_run_again(tmp_path: Path) -> None:
    async with world(tmp_path, **SMALL) as home:
        row = await home.remember(DOCUMENT)
        claimed = ClaimedRemember(
            id=row.id,
            dataset=home.number(),
            document=1,
            document_id=row.document_id,
            params=row.params,
            attempts=2,
            created_at=row.created_at,
            chunks=row.chunks,
            stages=row.stages,
        )
        job = resume(claimed, OWNER, home.tools)
        assert job.complexity is not None
        assert job.complexity.language == "en"
        assert [text.state for text in job.chunks] == ["stored"] * 6
        assert not any(text.needs_summary for text in job.chunks)
        assert not job.wants("resolve_geo")


async def test_a_run_that_failed_before_it_had_chunks_is_cut_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("made to fail")

    async with world(tmp_path, **SMALL) as home:
        run = await home.accept(DOCUMENT)
        with monkeypatch.context() as patch:
            patch.setattr("mindlog.remember.cut.chunks", broken)
            with pytest.raises(ZeroDivisionError):
                await home.attempt()
        assert stage(home.run(run), "chunk_text") == ("failed", "ZeroDivisionError: made to fail")
        await home.store.release_remember(None)
        await home.attempt()
        row = home.run(run)
        assert (row.state, row.stored, stage(row, "chunk_text")) == ("succeeded", 6, ("succeeded", None))


async def test_a_run_whose_document_is_not_there_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(tmp_path) as home:
        await home.accept(DOCUMENT)
        monkeypatch.setattr(home.store, "remember_source", lambda run: None)
        with pytest.raises(StoreDamaged):
            resume(await claim(home), OWNER, home.tools)
