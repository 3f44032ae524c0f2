"""Questions through the engine: every one that is not refused leaves a row that tells the truth, and waits for nobody."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mindlog.access import LOCAL, Caller
from mindlog.errors import DatasetNotFound, Forbidden, InvalidInput, RunNotFound, StoreFull
from mindlog.records import Scope
from mindlog.store.askingrows import NewQuery
from mindlog.testing.llm_answers import hang, refuse
from mindlog.views import QueryRequest, Run, RunRequest
from tests.engine.made import BOUND, keep, opened
from tests.engine.remembering import document, remembered, remembering, taken_in
from tests.engine.test_remembering import modelled, sensible

READER = Caller(scopes=frozenset({Scope.READ}), key_id="key_1")
ELSEWHERE = Caller(scopes=frozenset(Scope), datasets=frozenset({"elsewhere"}))


async def runs(engine: Any, **request: Any) -> list[Run]:
    return list((await engine.query_runs.list_runs(RunRequest(**request), caller=LOCAL)).data)


async def test_a_question_is_answered_with_a_citation_and_is_on_record_with_its_stages(tmp_path: Path) -> None:
    async with remembering(tmp_path) as engine:
        memory_id = await keep(engine, "Clara Reis lives in Faro.", agent="Ines")
        assert await engine.settled(BOUND)
        result = await engine.query(QueryRequest(question="Where does Clara Reis live?", session="s"), caller=READER)
        assert "Faro" in result.answer
        assert [citation.memory_id for citation in result.citations] == [memory_id]
        run = await engine.query_runs.run(result.query_run_id, caller=LOCAL)
        assert (run.operation, run.status, run.question) == ("query", "succeeded", "Where does Clara Reis live?")
        assert (run.answer, run.answered_by, run.session, run.user) == (result.answer, "extractive", "s", "key_1")
        assert [stage.name for stage in run.stages] == ["retrieve_graph", "detect_geo", "nearby_geo", "query"]
        assert {stage.status for stage in run.stages} <= {"succeeded", "skipped"}
        assert [each.run_id for each in await runs(engine, session="s")] == [run.run_id]
        assert await runs(engine, session="other") == []
        assert (await engine.health()).query == {"running": 0, "succeeded": 1, "failed": 0, "unrecorded": 0}


async def test_nothing_found_is_said_without_a_model_call_and_the_rest_is_skipped(tmp_path: Path) -> None:
    async with modelled(tmp_path, sensible) as (engine, server):
        result = await engine.query(QueryRequest(question="What is the capital of Atlantis?"))
        assert (result.answered_by, result.citations) == ("none", ())
        assert not server.requests
        (run,) = await runs(engine)
        assert [stage.status for stage in run.stages] == ["succeeded", "skipped", "skipped", "skipped"]
        assert (run.status, run.flags) == ("succeeded", ())


async def test_a_streamed_answer_ends_with_the_checked_result_and_one_that_is_left_is_closed(tmp_path: Path) -> None:
    async with remembering(tmp_path) as engine:
        await keep(engine, "Clara Reis lives in Faro.", agent="Ines")
        assert await engine.settled(BOUND)
        parts = [part async for part in engine.query_stream(QueryRequest(question="Where does Clara Reis live?"))]
        assert parts[-1].result is not None
        assert "Faro" in parts[-1].result.answer
        assert all(part.result is None for part in parts[:-1])
        (run,) = await runs(engine)
        assert (run.run_id, run.parameters["stream"]) == (parts[-1].result.query_run_id, True)


async def test_a_caller_that_leaves_leaves_a_row_that_says_cancelled(tmp_path: Path) -> None:
    async with modelled(tmp_path, lambda request: hang()) as (engine, server):
        await keep(engine, "Clara Reis lives in Faro.", agent="Ines")
        asking = asyncio.create_task(engine.query(QueryRequest(question="Where does Clara Reis live?")))
        assert await asyncio.to_thread(server.wait_for, 1, timeout=BOUND)
        (run,) = await runs(engine)
        assert (run.status, run.state) == ("started", "running")
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        (run,) = await runs(engine)
        assert (run.status, run.error) == ("failed", "cancelled")
        assert run.stages[-1].status == "failed"


async def test_questions_wait_neither_for_each_other_nor_for_a_document_that_is_read(tmp_path: Path) -> None:
    def rule(request: Any) -> Any:
        is_of_a_document = bool({"claims", "level"} & set((request.schema or {}).get("properties", {})))
        return hang() if is_of_a_document else refuse()

    async with modelled(tmp_path, rule) as (engine, server):
        await keep(engine, "Clara Reis lives in Faro.", agent="Ines")
        await taken_in(engine, document(range(3)))
        assert await asyncio.to_thread(server.wait_for, 1, timeout=BOUND)
        asked = [engine.query(QueryRequest(question=f"Where does Clara Reis live? {n}")) for n in range(16)]
        async with asyncio.timeout(BOUND):
            results = await asyncio.gather(*asked)
        assert all("Faro" in result.answer for result in results)
        assert {run.status for run in await runs(engine)} == {"succeeded"}
        assert len({result.query_run_id for result in results}) == 16


@pytest.mark.parametrize(
    ("given", "refused", "field"),
    [
        ({"question": ""}, InvalidInput, "question"),
        ({"question": "x" * 10_241}, InvalidInput, "question"),
        ({"limit": 0}, InvalidInput, "limit"),
        ({"limit": 101}, InvalidInput, "limit"),
        ({"as_of": "soon"}, InvalidInput, "as_of"),
        ({"session": ""}, InvalidInput, "session"),
        ({"options": {"store": {"model": "m"}}}, InvalidInput, "options.store"),
        ({"options": {"query": {"reasoning": "hard"}}}, InvalidInput, "options.query.reasoning"),
        ({"dataset": "nowhere"}, DatasetNotFound, "dataset"),
    ],
)
async def test_what_is_refused_leaves_no_run(
    tmp_path: Path, given: dict[str, Any], refused: type[Exception], field: str
) -> None:
    async with opened(tmp_path) as engine:
        with pytest.raises(refused) as failure:
            await engine.query(QueryRequest(**{"question": "Who?", **given}))
        assert failure.value.field == field  # type: ignore[attr-defined]
        with pytest.raises(refused):
            async for _ in engine.query_stream(QueryRequest(**{"question": "Who?", **given})):
                pass
        assert await runs(engine) == []


async def test_a_log_that_cannot_be_written_costs_no_answer_and_is_shown(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        await keep(engine, "Clara Reis lives in Faro.")
        start = engine.store.start_query

        async def full(new: NewQuery) -> int:
            raise StoreFull

        engine.store.start_query = full  # type: ignore[method-assign]
        result = await engine.query(QueryRequest(question="Where does Clara Reis live?"))
        assert ("Faro" in result.answer, result.query_run_id) == (True, "")
        health = await engine.health()
        assert health.query["unrecorded"] == 1
        assert any(reason.startswith("run log of query: 1 entries could not be recorded") for reason in health.reasons)
        engine.store.start_query = start  # type: ignore[method-assign]
        assert (await engine.query(QueryRequest(question="Where does Clara Reis live?"))).query_run_id
        assert (await engine.health()).status == "ok"


async def test_a_question_that_was_open_when_its_process_died_is_closed_when_the_next_one_opens(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        number = engine.store.dataset("default").number  # type: ignore[union-attr]
        await engine.store.start_query(NewQuery(dataset=number, question="Who?", session=None, params={}, created_at=1))
    async with opened(tmp_path) as engine:
        (run,) = await runs(engine)
        assert (run.status, run.error) == ("failed", "interrupted: the process ended")
        assert {stage.status for stage in run.stages} == {"not_started"}


async def test_the_log_is_for_admins_and_another_datasets_questions_do_not_exist(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        result = await engine.query(QueryRequest(question="Who?"))
        with pytest.raises(Forbidden):
            await engine.query_runs.list_runs(RunRequest(), caller=READER)
        with pytest.raises(Forbidden):
            await engine.query(QueryRequest(question="Who?"), caller=ELSEWHERE)
        with pytest.raises(RunNotFound):
            await engine.query_runs.run(result.query_run_id, caller=ELSEWHERE)
        assert not (await engine.query_runs.list_runs(RunRequest(), caller=ELSEWHERE)).data
        with pytest.raises(InvalidInput):
            await runs(engine, document_id="doc_1")


async def test_a_stage_that_may_fail_costs_no_answer_and_is_flagged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("made to fail")

    async with remembering(tmp_path) as engine:
        await remembered(engine, "Clara Reis lives in Faro.", agent="Ines")
        monkeypatch.setattr("mindlog.query.geo.find_coordinates", broken)
        result = await engine.query(QueryRequest(question="Where does Clara Reis live?"))
        assert "Faro" in result.answer
        run = await engine.query_runs.run(result.query_run_id, caller=LOCAL)
        assert {each.name for each in run.stages if each.status == "failed"} == {"detect_geo"}
        assert (run.status, run.flags) == ("succeeded", ("failed_stage",))
