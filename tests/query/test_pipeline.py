"""The list of stages and the row of a query: true whatever becomes of it (T79)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from mindlog.errors import StoreError
from mindlog.pipeline import ADVISORY, Stage, Stop, names
from mindlog.query import pipeline
from mindlog.query.job import QueryJob
from mindlog.query.log import QueryLogStore
from mindlog.query.pipeline import QUERY
from mindlog.store.askingrows import NewQuery, QueryEnd
from mindlog.store.stages import QUERY_STAGES
from mindlog.testing.llm_answers import stalled
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import opened
from tests.query.made import Room, room

QUESTION = "Where does Anna live?"


class Broken(Exception):
    pass


async def broken(job: QueryJob) -> None:
    raise Broken("a stub")


def with_stage(name: str, run: object) -> tuple[Stage[QueryJob], ...]:
    return tuple(
        replace(stage, run=run, enabled=None) if isinstance(stage, Stage) and stage.name == name else stage  # type: ignore[type-var,misc]
        for stage in QUERY
    )


async def told(made: Room) -> None:
    await made.keep("I live in Porto.", agent="Anna")
    await made.derive()


def test_the_stages_are_those_of_the_log_in_their_order() -> None:
    assert names(QUERY) == tuple(stage.name for stage in QUERY_STAGES)
    advisory = [stage.name for stage in QUERY if isinstance(stage, Stage) and stage.policy is ADVISORY]
    assert advisory == ["detect_geo", "nearby_geo"]


@pytest.mark.parametrize("name", ["detect_geo", "nearby_geo"])
async def test_a_stage_about_places_that_fails_is_failed_on_record_and_the_call_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(pipeline, "QUERY", with_stage(name, broken))
    async with room(tmp_path) as made:
        await told(made)
        result = await made.ask(QUESTION)
        assert "Porto" in result.answer
        row = made.row(result)
        assert (row.status, made.statuses(result)[name]) == ("succeeded", "failed")
        assert [stage.error for stage in row.stages if stage.name == name] == ["Broken: a stub"]


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("retrieve_graph", ["failed", "not_started", "not_started", "not_started"]),
        ("query", ["succeeded", "succeeded", "skipped", "failed"]),
    ],
)
async def test_another_stage_that_fails_fails_the_call_and_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, statuses: list[str]
) -> None:
    monkeypatch.setattr(pipeline, "QUERY", with_stage(name, broken))
    async with room(tmp_path) as made:
        await told(made)
        with pytest.raises(Broken):
            await made.ask(QUESTION)
        row = made.store.query_run(1)
        assert row is not None
        assert (row.status, row.error, row.answer) == ("failed", "Broken: a stub", None)
        assert [stage.status for stage in row.stages] == statuses


async def test_a_stop_anywhere_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stop(job: QueryJob) -> None:
        raise Stop

    monkeypatch.setattr(pipeline, "QUERY", with_stage("detect_geo", stop))
    async with room(tmp_path) as made:
        await told(made)
        result = await made.ask(QUESTION)
        assert list(made.statuses(result).values()) == ["succeeded", "succeeded", "skipped", "skipped"]


async def test_who_leaves_while_the_answer_is_made_leaves_a_row_that_says_cancelled(tmp_path: Path) -> None:
    with FakeLLM() as server:
        server.script(stalled("Anna lives in Porto"))
        async with opened(server) as llm, room(tmp_path, llm=llm) as made:
            await told(made)
            asking = asyncio.create_task(made.ask(QUESTION))
            assert await asyncio.to_thread(server.wait_for, 1)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            row = made.store.query_run(1)
            assert row is not None
            assert (row.status, row.error) == ("failed", "cancelled")
            assert row.stages[-1].status == "failed"


# -- piece by piece -----------------------------------------------------------------------------------------------------
async def test_the_pieces_come_while_the_answer_is_made_and_the_last_part_is_checked(tmp_path: Path) -> None:
    with FakeLLM() as server:
        server.script("Anna lives in Porto [1]. She is 40 [1].")
        async with opened(server) as llm, room(tmp_path, llm=llm) as made:
            await told(made)
            *pieces, last = await made.parts(QUESTION)
            assert "".join(part.text for part in pieces) == "Anna lives in Porto [1]. She is 40 [1]."
            assert len(pieces) > 3
            assert last.result is not None
            assert last.result.answer == "Anna lives in Porto [1]. She is 40."
            assert made.row(last.result).params["stream"] is True


async def test_a_reader_who_leaves_the_stream_ends_the_call(tmp_path: Path) -> None:
    with FakeLLM() as server:
        server.script(stalled("Anna lives in Porto"))
        async with opened(server) as llm, room(tmp_path, llm=llm) as made:
            await told(made)
            parts = pipeline.query_parts(made.job(QUESTION), made.trouble)
            assert (await anext(parts)).text == "Anna "
            await parts.aclose()
            row = made.store.query_run(1)
            assert row is not None
            assert (row.status, row.error) == ("failed", "cancelled")
            assert await asyncio.to_thread(server.wait_gone)


async def test_an_error_reaches_the_reader_of_the_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "QUERY", with_stage("retrieve_graph", broken))
    async with room(tmp_path) as made:
        with pytest.raises(Broken):
            await made.parts(QUESTION)


# -- a log that cannot be written ---------------------------------------------------------------------------------------
class LostLog:
    """A store whose log of queries fails, at the start or at the end."""

    def __init__(self, inner: QueryLogStore, fails: str) -> None:
        self._inner = inner
        self._fails = fails

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    async def start_query(self, new: NewQuery) -> int:
        if self._fails == "start":
            raise StoreError("no room")
        return await self._inner.start_query(new)

    async def end_query(self, end: QueryEnd) -> None:
        if self._fails == "end":
            raise StoreError("no room")
        await self._inner.end_query(end)


@pytest.mark.parametrize("fails", ["start", "end"])
async def test_a_log_that_fails_never_fails_the_call_and_is_counted(
    tmp_path: Path, fails: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with room(tmp_path) as made:
        await told(made)
        made.asking = replace(made.asking, store=LostLog(made.store, fails))  # type: ignore[arg-type]
        for _ in range(3):
            result = await made.ask(QUESTION)
            assert "Porto" in result.answer
            assert bool(result.query_run_id) is (fails == "end")
        assert (made.trouble.lost, made.trouble.reason) == (3, "StoreError: no room")
        assert sum("log of queries" in record.message for record in caplog.records) == 1


async def test_a_log_that_works_again_is_no_trouble_any_more(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await told(made)
        whole = made.asking
        made.asking = replace(whole, store=LostLog(made.store, "end"))  # type: ignore[arg-type]
        await made.ask(QUESTION)
        made.asking = whole
        await made.ask(QUESTION)
        assert (made.trouble.lost, made.trouble.reason) == (1, None)


async def test_many_at_once_are_all_answered_and_all_on_record(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        await told(made)
        results = await asyncio.gather(*(made.ask(QUESTION) for _ in range(16)))
        assert {result.answer for result in results} == {results[0].answer}
        assert len({result.query_run_id for result in results}) == 16
        assert made.store.query_counts().by_state.get("succeeded") == 16
