"""Documents, answers and pictures in this process: files are read off the loop, streams end with whoever reads them."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import mindlog
from mindlog.errors import DocumentTooLarge, InvalidInput
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.llm_answers import drip, hang
from mindlog.testing.llm_server import FakeLLM

BOUND = 20.0


def with_model(llm: FakeLLM) -> dict[str, object]:
    return {"llm": "openai", "llm_url": llm.url, "llm_model": "fake", "llm_api_key": "sk-any", "derive": False}


def test_a_file_is_remembered_and_asked_about(db: mindlog.Mindlog, tmp_path: Path) -> None:
    file = tmp_path / "ana.md"
    file.write_text("# Ana\n\nAna works at Acme.")
    told = db.remember(path=file, document_id="ana", wait="derived")
    assert told.status == "succeeded"
    assert told.run is not None
    assert told.run.progress == {"chunks": 1, "read": 1, "stored": 1}
    document = db.document("ana")
    assert (document.name, document.title, document.kind) == ("ana.md", "Ana", "markdown")
    answer = db.query("Where does Ana work?")
    assert answer.answered_by == "extractive"
    assert answer.citations[0].document_id == "ana"
    assert [part.text for part in db.query_stream("Where does Ana work?")][-1] == ""
    assert db.run(answer.query_run_id).answer == answer.answer


def test_of_a_file_that_is_too_large_no_more_is_read_than_shows_it(tmp_path: Path) -> None:
    file = tmp_path / "large.txt"
    with file.open("wb") as made:
        made.truncate(1 << 40)  # takes no room on the disk, and would take all there is of memory
    with (
        mindlog.open(tmp_path / "data", embedder=HashEmbedder(), max_document_bytes=1000) as db,
        pytest.raises(DocumentTooLarge),
    ):
        db.remember(path=file)


@pytest.mark.parametrize("data", ["text", 5, ["a"]])
def test_what_holds_no_bytes_is_refused(db: mindlog.Mindlog, data: object) -> None:
    for verb in (db.remember, db.keep_image):
        with pytest.raises(InvalidInput) as caught:
            verb(data=data)  # type: ignore[operator]
        assert caught.value.field == "data"


def test_any_bytes_will_do(db: mindlog.Mindlog) -> None:
    for n, kind in enumerate((bytes, bytearray, memoryview)):
        assert db.remember(data=kind(b"Ana likes tea."), name="a.txt", document_id=f"d{n}").document_id == f"d{n}"  # type: ignore[arg-type]


def test_a_stream_that_nobody_reads_on_ends_its_call(tmp_path: Path) -> None:
    with FakeLLM() as llm:
        llm.rule = lambda request: drip("Ana works at Acme [1]. " * 200, gap=0.01)
        with mindlog.open(tmp_path, embedder=HashEmbedder(), **with_model(llm)) as db:
            db.encode("Ana works at Acme.")
            parts = db.query_stream("Where does Ana work?")
            assert next(parts).text
            parts.close()  # type: ignore[attr-defined]
            (run,) = db.runs(operation="query").data
            assert run.status == "failed"
            assert "cancelled" in (run.error or "").lower()


def test_closing_breaks_off_a_stream_that_waits(tmp_path: Path) -> None:
    with FakeLLM() as llm:
        llm.rule = lambda request: hang()
        db = mindlog.open(tmp_path, embedder=HashEmbedder(), **with_model(llm))
        db.encode("Ana works at Acme.")
        ended: list[object] = []

        def ask() -> None:
            try:
                ended.extend(db.query_stream("Where does Ana work?"))
            except mindlog.MindlogError as exc:
                ended.append(exc)

        asking = threading.Thread(target=ask)
        asking.start()
        assert llm.wait_for(1)
        db.close()
        asking.join(BOUND)
        assert not asking.is_alive()
        assert isinstance(ended[-1], mindlog.MindlogError)


async def test_many_questions_are_answered_at_once(tmp_path: Path) -> None:
    async with mindlog.aopen(tmp_path, embedder=HashEmbedder()) as db:
        await db.remember("Ana works at Acme.", wait="derived")
        answers = await asyncio.gather(*(db.query("Where does Ana work?", session=str(n)) for n in range(16)))
        assert {answer.answered_by for answer in answers} == {"extractive"}
        assert len({answer.query_run_id for answer in answers}) == 16
        parts = [part async for part in db.query_stream("Where does Ana work?")]
        assert parts[-1].result is not None
        assert parts[-1].result.answer == answers[0].answer
