"""Documents through the engine: what the ack promises, what becomes of the run, who waits for whom, what anybody can see of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mindlog.access import LOCAL, Caller
from mindlog.engine import Engine
from mindlog.errors import (
    AddressRefused,
    ConfigError,
    DatasetNotFound,
    DocumentEmpty,
    DocumentNotFound,
    Forbidden,
    IdempotencyConflict,
    InvalidCursor,
    InvalidInput,
    RunNotFound,
)
from mindlog.ids import MemoryId
from mindlog.records import Scope
from mindlog.runs.events import Lagged
from mindlog.testing.llm_answers import Answer, hang, refuse, say
from mindlog.testing.llm_server import FakeLLM
from mindlog.testing.llm_wire import FakeRequest
from mindlog.testing.web_answers import Misbehaviour
from mindlog.testing.web_server import FakeWeb
from mindlog.views import RememberRequest, Run, RunRequest, StatementRequest, SubscribeRequest
from tests.engine.made import BOUND, ManualClock, everything, found, opened
from tests.engine.remembering import (
    STAGES,
    document,
    error,
    output,
    part,
    remembered,
    remembering,
    run_of,
    runs,
    statuses,
    taken_in,
    texts_of,
    who,
)

READER = Caller(scopes=frozenset({Scope.READ}))
ELSEWHERE = Caller(scopes=frozenset(Scope), datasets=frozenset({"elsewhere"}))

Rule = Callable[[FakeRequest], Answer]


def sensible(request: FakeRequest) -> Answer:
    """An answer to whatever a stage asks: of a part, that whom it speaks of mends sails."""
    asked = (request.schema or {}).get("properties", {})
    if "claims" in asked:
        return say(_reading(request.prompt))
    if "level" in asked:
        return say({"level": "simple", "language": "en", "holds": ["prose"]})
    if "summary" in asked:
        return say({"summary": "The harbour was quiet."})
    return say({"decisions": [], "questions": [], "queries": []})


def _reading(prompt: str) -> dict[str, Any]:
    names = [name for name in map(who, range(30)) if f"{name} mends sails" in prompt]
    claims = [{"subject": n, "predicate": "mends", "value": "sails", "quote": f"{n} mends sails"} for n in names]
    return {"mentions": [{"name": name, "kind": "person"} for name in names], "claims": claims}


def sails(numbers: Any) -> str:
    """A document of which only a model can say what it says."""
    return "\n\n".join(part(number, f"{who(number)} mends sails.") for number in numbers)


def reads(request: FakeRequest) -> bool:
    """Whether a chunk is to be read."""
    return "claims" in (request.schema or {}).get("properties", {})


@asynccontextmanager
async def modelled(path: Path, rule: Rule, **settings: Any) -> AsyncGenerator[tuple[Engine, FakeLLM]]:
    with FakeLLM(rule) as server:
        at = {"llm": "openai", "llm_url": server.url, "llm_model": "fake-model", "llm_api_key": "sk-any"}
        async with remembering(path, **{"derive": False, "llm_timeout": 20, **at, **settings}) as engine:
            yield engine, server


async def sentences(engine: Engine, memory_id: str) -> list[str]:
    return [statement.text for statement in (await engine.inspect(memory_id)).statements]


async def believed(engine: Engine) -> list[str]:
    """What is believed now."""
    page = await engine.knowledge.statements(StatementRequest(limit=1000))
    return [statement.text for statement in page.data]


async def chunks_of(engine: Engine, run: Run) -> list[str]:
    """The memories of a document's chunks."""
    return [text.memory_id for text in await texts_of(engine, run.document_id or "") if text.origin == "chunk"]


# -- well -----------------------------------------------------------------------------------------------------------------
async def test_a_document_that_is_waited_for_is_read_stored_and_found(tmp_path: Path) -> None:
    async with remembering(tmp_path) as engine:
        run = await remembered(engine, document(range(20)), agent="Ines", session="s", metadata={"shelf": 3})
        assert (run.status, run.state, run.flags, run.error) == ("succeeded", "succeeded", (), None)
        assert [stage.name for stage in run.stages] == list(STAGES)
        asked = dict.fromkeys(STAGES, "succeeded") | {"web_search": "skipped", "fetch_series": "skipped"}
        assert statuses(run) == asked
        assert run.progress == {"chunks": 20, "read": 20, "stored": 20}
        texts = await texts_of(engine, run.document_id or "")
        assert [text.text for text in texts] == [part(number) for number in range(20)]
        assert {text.state for text in texts} == {"stored"}
        for number in (0, 19):
            memory = await engine.get(texts[number].memory_id)
            assert (memory.agent, memory.session, dict(memory.metadata)) == ("Ines", "s", {"shelf": 3})
            assert memory.document_id == run.document_id
            assert (await found(engine, f"where does {who(number)} live"))[0] == texts[number].memory_id
            assert any(who(number) in text for text in await sentences(engine, texts[number].memory_id))
        (row,) = (await engine.documents()).data
        assert (row.document_id, row.remember_run_id, row.chunks) == (run.document_id, run.run_id, 20)
        assert row == await engine.document(row.document_id)
        assert await engine.settled(BOUND)


async def test_a_text_of_one_chunk_is_read_whole_and_store_commits_its_series(tmp_path: Path) -> None:
    async with remembering(tmp_path) as engine:
        run = await remembered(engine, "Revenue of Acme was 3.1M EUR in 2021 and 3.4M EUR in 2022.")
        assert statuses(run)["summarize_chunk"] == "skipped"
        assert (statuses(run)["store"], statuses(run)["store_series"]) == ("succeeded", "succeeded")
        assert output(run, "store_series")["points"] == 2
        number = engine.store.dataset("default").number  # type: ignore[union-attr]
        (series,) = engine.store.series(number)
        assert [point.value for point in engine.store.points(series.id)] == [3.1e6, 3.4e6]


async def test_every_chunk_is_found_while_the_model_is_still_silent_about_the_first(tmp_path: Path) -> None:
    async with modelled(tmp_path, lambda r: hang() if reads(r) else sensible(r), drain_seconds=0.05) as (
        engine,
        server,
    ):
        ack = await taken_in(engine, sails(range(20)))
        assert ack.status == "started"
        assert await asyncio.to_thread(server.wait_for, 2, timeout=BOUND)  # the document's kind, and the first chunk
        texts = await texts_of(engine, ack.document_id)
        assert len(texts) == 20
        for number in (0, 19):
            assert (await found(engine, f"{who(number)} mends sails"))[0] == texts[number].memory_id
        run = await run_of(engine, ack.remember_run_id)
        assert (run.state, run.progress) == ("running", {"chunks": 20, "read": 0, "stored": 0})
        assert statuses(run)["extract_graph"] == "started"
        # Nobody waits for longer than the window, and is told the truth then.
        late = await taken_in(engine, "Another one.", wait="derived")
        assert late.status == "started"
        assert late.run is not None
        assert late.run.state == "waiting"


# -- whose turn it is -------------------------------------------------------------------------------------------------------
async def test_of_a_dataset_one_document_is_read_at_a_time_and_of_several_datasets_several(tmp_path: Path) -> None:
    async with modelled(tmp_path, lambda r: hang() if reads(r) else sensible(r)) as (engine, server):
        first = await taken_in(engine, sails([0]), dataset="one")
        second = await taken_in(engine, sails([1]), dataset="one")
        other = await taken_in(engine, sails([2]), dataset="two")
        assert await asyncio.to_thread(server.wait_for, 4, timeout=BOUND)
        states = {run.run_id: run.state for run in await runs(engine)}
        assert states == {
            first.remember_run_id: "running",
            second.remember_run_id: "waiting",
            other.remember_run_id: "running",
        }
        server.rule = sensible
        server.release()
        assert await engine._background.rememberer.settled(BOUND)  # type: ignore[union-attr]
        ended = {run.run_id: run for run in await runs(engine)}
        assert {run.state for run in ended.values()} == {"succeeded"}
        before, after = ended[first.remember_run_id], ended[second.remember_run_id]
        assert (before.finished_at or 0) <= min(stage.started_at or 1 << 60 for stage in after.stages)


async def test_a_cancelled_run_is_broken_off_keeps_what_it_has_and_lets_the_next_one_begin(tmp_path: Path) -> None:
    async with modelled(tmp_path, lambda r: hang() if reads(r) else sensible(r)) as (engine, server):
        first = asyncio.create_task(taken_in(engine, sails(range(5)), wait="derived"))
        assert await asyncio.to_thread(server.wait_for, 2, timeout=BOUND)
        second = await taken_in(engine, sails([6]))
        (running,) = await runs(engine, state="running")
        server.rule = sensible
        assert await engine.remember_runs.cancel([running.run_id], caller=LOCAL) == 1
        assert await asyncio.to_thread(server.wait_gone, 1, timeout=BOUND)  # the call was dropped, not waited for
        result = await asyncio.wait_for(first, BOUND)
        assert result.run is not None
        assert (result.status, result.run.state) == ("failed", "cancelled")
        assert {text.state for text in await texts_of(engine, result.document_id)} == {"kept"}
        assert await engine._background.rememberer.settled(BOUND)  # type: ignore[union-attr]
        # Its chunks are memories like any other now: derivation is to read them.
        due = {claimed.slot for claimed in await engine.store.claim_runs("somebody", 100, 60_000_000)}
        assert {MemoryId.parse(text.memory_id).slot for text in await texts_of(engine, result.document_id)} <= due
        assert (await run_of(engine, second.remember_run_id)).state == "succeeded"
        assert await engine.remember_runs.cancel([running.run_id], caller=LOCAL) == 0


# -- what fails -----------------------------------------------------------------------------------------------------------
async def test_a_chunk_that_the_model_refuses_costs_no_other_one_and_can_be_tried_again(tmp_path: Path) -> None:
    bad = f"{who(4)} mends sails"
    async with modelled(tmp_path, lambda r: refuse() if reads(r) and bad in r.prompt else sensible(r)) as (
        engine,
        server,
    ):
        run = await remembered(engine, sails(range(10)))
        assert (run.status, run.has_failed_stage, run.flags) == ("succeeded", True, ("failed_stage",))
        assert [name for name, status in statuses(run).items() if status == "failed"] == ["extract_graph"]
        texts = await texts_of(engine, run.document_id or "")
        assert [text.position for text in texts if text.error] == [4]
        assert "Refus" in (texts[4].error or "") or "refus" in (texts[4].error or "")
        assert {text.state for text in texts} == {"stored"}
        for number, text in enumerate(texts):
            assert any("mends sails" in each for each in await sentences(engine, text.memory_id)) is (number != 4)
        (listed,) = await runs(engine, stage="extract_graph", stage_status="failed")
        assert listed.run_id == run.run_id

        asked, server.rule = len(server.requests), sensible
        assert await engine.remember_runs.retry([run.run_id], caller=LOCAL) == 1
        assert await engine._background.rememberer.settled(BOUND)  # type: ignore[union-attr]
        run = await run_of(engine, run.run_id)
        assert (run.status, run.has_failed_stage, run.flags) == ("succeeded", False, ())
        texts = await texts_of(engine, run.document_id or "")
        assert not any(text.error for text in texts)
        assert any("mends sails" in each for each in await sentences(engine, texts[4].memory_id))
        # The others were not read again.
        assert sum(map(reads, server.requests[asked:])) == 1
        assert len(await believed(engine)) == len(set(await believed(engine)))


async def test_a_summary_that_the_model_refuses_is_made_without_it_and_made_again_when_somebody_asks(
    tmp_path: Path,
) -> None:
    def summarizes(request: FakeRequest) -> bool:
        return "summary" in (request.schema or {}).get("properties", {})

    bad = who(2)
    async with modelled(tmp_path, lambda r: refuse() if summarizes(r) and bad in r.prompt else sensible(r)) as (
        engine,
        server,
    ):
        run = await remembered(engine, sails(range(5)))
        assert [name for name, status in statuses(run).items() if status == "failed"] == ["summarize_chunk"]
        texts = await texts_of(engine, run.document_id or "")
        assert [text.position for text in texts if text.error] == [2]
        assert (texts[2].error or "").startswith("summary: LlmRefused")
        assert all(text.summary for text in texts)
        asked, server.rule = len(server.requests), sensible
        assert await engine.remember_runs.retry([run.run_id], caller=LOCAL) == 1
        assert await engine._background.rememberer.settled(BOUND)  # type: ignore[union-attr]
        assert (await run_of(engine, run.run_id)).flags == ()
        texts = await texts_of(engine, run.document_id or "")
        assert (texts[2].error, texts[2].summary) == (None, "The harbour was quiet.")
        # Nothing but that summary was asked for again.
        assert [summarizes(request) for request in server.requests[asked:]] == [True]


BROKEN = {
    "classify_complexity": "mindlog.remember.classify.classify",
    "extract_graph": "mindlog.remember.read.find_coordinates",
    "summarize_chunk": "mindlog.remember.read.sentence_vectors",
    "load_candidates": "mindlog.remember.reconcile.reconcile.load_candidates",
    "resolve_edges": "mindlog.remember.reconcile.reconcile.resolve_edges",
    "store": "mindlog.remember.reconcile.reconcile.store",
    "store_series": "mindlog.remember.spanning._writes",
    "resolve_geo": "mindlog.remember.enrich.geo._look",
    "observe_series": "mindlog.remember.enrich.observe.observe",
}


@pytest.mark.parametrize("stage", BROKEN)
async def test_whichever_stage_fails_the_record_says_so_and_what_was_stored_stays(
    tmp_path: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = document(range(3)) + "\n\n# Figures\n\nRevenue of Acme was 3.1M EUR in 2021 and 3.4M EUR in 2022."

    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("made to fail")

    async with remembering(tmp_path, derive=False) as engine:
        with monkeypatch.context() as patch:
            patch.setattr(BROKEN[stage], broken)
            run = await remembered(engine, text)
        failed = {name for name, status in statuses(run).items() if status == "failed"}
        assert failed == {stage}, {name: error(run, name) for name in failed}
        assert "ZeroDivisionError: made to fail" in error(run, stage)
        assert (run.status, run.state, run.flags) == ("succeeded", "succeeded", ("failed_stage",))
        assert len(await chunks_of(engine, run)) == 4
        assert not (await engine.health()).remember["failed"]
        # And what failed can be done again, when somebody has mended it.
        assert await engine.remember_runs.retry([run.run_id], caller=LOCAL) == 1
        assert await engine._background.rememberer.settled(BOUND)  # type: ignore[union-attr]
        run = await run_of(engine, run.run_id)
        assert (run.state, run.flags) == ("succeeded", ()), {each.name: each.error for each in run.stages}
        assert {text.state for text in await texts_of(engine, run.document_id or "")} == {"stored"}
        told = "; ".join(await believed(engine))
        assert all(who(number) in told for number in range(3))
        assert len(await chunks_of(engine, run)) == 4


async def test_a_document_that_cannot_be_kept_is_no_success_and_is_tried_until_it_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def broken(*_: Any, **__: Any) -> Any:
        calls.append(1)
        raise ZeroDivisionError("made to fail")

    async with remembering(tmp_path, remember_attempts=3, derive_backoff_seconds=0.001) as engine:
        with monkeypatch.context() as patch:
            patch.setattr("mindlog.remember.cut.chunks", broken)
            run = await remembered(engine, document(range(3)))
        assert len(calls) == 3
        assert (run.status, run.state, run.attempts) == ("failed", "quarantined", 3)
        assert statuses(run)["chunk_text"] == "failed"
        assert "ZeroDivisionError: made to fail" in (run.error or "")
        assert {statuses(run)[stage] for stage in STAGES[2:]} == {"not_started"}
        assert "remember: 1 quarantined" in (await engine.health()).reasons
        assert not await everything(engine)
        assert await engine.remember_runs.retry_where(RunRequest(), caller=LOCAL) == 1
        assert await engine.settled(BOUND)
        run = await run_of(engine, run.run_id)
        assert (run.status, set(statuses(run).values())) == ("succeeded", {"succeeded", "skipped"})
        assert len(await everything(engine)) == 3


async def test_providers_that_are_down_fail_their_stages_and_nothing_else(tmp_path: Path) -> None:
    with FakeWeb() as web:
        web.misbehave("geocoder", Misbehaviour.ERROR)
        web.misbehave("search", Misbehaviour.ERROR)
        async with remembering(tmp_path, derive=False, **web.settings()) as engine:
            open_question = "# Open\n\nThe price of the Zephyr engine is unknown."
            run = await remembered(engine, f"{document(range(3))}\n\n{open_question}", web_search=True)
            failed = {name for name, status in statuses(run).items() if status == "failed"}
            assert failed == {"resolve_geo", "web_search"}
            assert "geocoder" in error(run, "resolve_geo")
            assert "searxng" in error(run, "web_search")
            assert (run.status, run.flags) == ("succeeded", ("failed_stage",))
            assert {text.state for text in await texts_of(engine, run.document_id or "")} == {"stored"}


@pytest.mark.parametrize(("flag", "named"), [("web_search", "web_search"), ("fetch_series", "series_providers")])
async def test_what_is_asked_of_a_provider_that_is_not_there_is_a_failure_and_no_silence(
    tmp_path: Path, flag: str, named: str
) -> None:
    async with remembering(tmp_path, derive=False) as engine:
        run = await remembered(engine, document(range(2)), **{flag: True})
        assert statuses(run)[flag] == "failed"
        assert named in error(run, flag)
        assert run.flags == ("failed_stage",)


async def test_a_provider_that_can_never_work_is_named_when_the_engine_is_opened(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as failure:
        async with opened(tmp_path, web_search="searxng"):
            pass
    assert failure.value.field == "web_search_url"


# -- again ------------------------------------------------------------------------------------------------------------------
async def test_a_document_remembered_anew_says_what_it_says_now_and_no_more(tmp_path: Path) -> None:
    gone = f"{who(3)} lives in Braga."
    async with remembering(tmp_path) as engine:
        await remembered(engine, document(range(6)), document_id="book", occurred_at="2024-01-01T00:00:00Z")
        assert await engine.settled(BOUND)
        old = await texts_of(engine, "book")
        assert any(who(3) in text for text in await believed(engine))
        later = [part(0), part(1), part(2), part(4), part(5, f"{who(5)} lives in Evora.")]
        run = await remembered(engine, "\n\n".join(later), document_id="book", occurred_at="2024-06-01T00:00:00Z")
        assert run.status == "succeeded"
        assert await engine.settled(BOUND)
        new = await texts_of(engine, "book")
        assert [text.text for text in new] == later
        # What is in both versions is the memory it was.
        kept = [text.memory_id for text in new][:4]
        assert kept == [old[number].memory_id for number in (0, 1, 2, 4)]
        for hit in await found(engine, gone):
            assert who(3) not in (await engine.get(hit)).text
        told = "; ".join(await believed(engine))
        assert who(3) not in told
        assert who(4) in told
        assert f"{who(5)} lives in Evora" in told
        assert [row.document_id for row in (await engine.documents()).data] == ["book"]
        assert len(await everything(engine)) == 5


async def test_a_retry_of_the_request_is_the_run_it_started_and_another_document_under_its_id_is_refused(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as engine:
        first = await taken_in(engine, document(range(2)), request_id="r1")
        assert not first.was_replayed
        again = await taken_in(engine, document(range(2)), request_id="r1", wait="derived")
        assert (again.remember_run_id, again.was_replayed, again.status) == (first.remember_run_id, True, "succeeded")
        with pytest.raises(IdempotencyConflict):
            await taken_in(engine, document(range(3)), request_id="r1")
        assert len(await runs(engine)) == 1
        # Without an id it is a new run, of the same document.
        other = await taken_in(engine, document(range(2)), wait="derived")
        assert (other.document_id, other.was_replayed) == (first.document_id, False)
        assert len(await everything(engine)) == 2


# -- what is refused leaves nothing -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "refused", "field"),
    [
        ({"text": "a", "url": "https://example.org/"}, InvalidInput, "text"),
        ({"text": None}, InvalidInput, "text"),
        ({"text": ""}, DocumentEmpty, "document"),
        ({"text": "a", "dataset": "no good"}, InvalidInput, "dataset"),
        ({"text": "a", "options": {"store": {"model": "m"}}}, InvalidInput, "options.store"),
        ({"text": "a", "options": {"nothing": {}}}, InvalidInput, "options.nothing"),
        ({"url": "http://169.254.169.254/latest/meta-data"}, AddressRefused, None),
        ({"url": "file:///etc/passwd"}, AddressRefused, None),
        ({"url": "http://localhost:1/"}, AddressRefused, None),
    ],
)
async def test_what_is_refused_at_setup_leaves_no_run_and_no_document(
    tmp_path: Path, given: dict[str, Any], refused: type[InvalidInput], field: str | None
) -> None:
    async with remembering(tmp_path, remember_hosts=["*"]) as engine:
        before = engine.store.last_lsn
        with pytest.raises(refused) as failure:
            await engine.remember(RememberRequest(**{"content_type": None, **given}))
        assert field is None or failure.value.field == field
        assert engine.store.last_lsn == before
        assert not await runs(engine)
        assert not (await engine.documents()).data


async def test_a_path_in_a_name_is_only_a_name(tmp_path: Path) -> None:
    async with remembering(tmp_path) as engine:
        run = await remembered(engine, None, data=b"The tide was low.", name="../../etc/passwd")
        (text,) = await texts_of(engine, run.document_id or "")
        assert text.text == "The tide was low."
        assert (await engine.document(run.document_id or "")).name == "../../etc/passwd"


# -- who may see what ---------------------------------------------------------------------------------------------------------
async def test_logs_are_for_admins_and_another_datasets_documents_and_runs_do_not_exist(tmp_path: Path) -> None:
    async with remembering(tmp_path) as engine:
        run = await remembered(engine, document(range(2)))
        document_id = run.document_id or ""
        await engine.put_dataset("elsewhere")
        with pytest.raises(Forbidden):
            await engine.remember(RememberRequest(text="a"), caller=READER)
        with pytest.raises(Forbidden):
            await engine.remember(RememberRequest(text="a"), caller=ELSEWHERE)
        with pytest.raises(Forbidden):
            await engine.remember_runs.list_runs(RunRequest(), caller=READER)
        with pytest.raises(Forbidden):
            await engine.documents(caller=ELSEWHERE)
        assert len((await engine.documents(caller=READER)).data) == 1
        with pytest.raises(DocumentNotFound):
            await engine.document(document_id, "elsewhere")
        with pytest.raises(DatasetNotFound):
            await engine.documents("nowhere")
        with pytest.raises(RunNotFound):
            await engine.remember_runs.run(run.run_id, caller=ELSEWHERE)
        with pytest.raises(RunNotFound):
            await engine.remember_runs.cancel([run.run_id], caller=ELSEWHERE)
        assert (await engine.remember_runs.counts(caller=ELSEWHERE))["by_state"] == {}
        assert not (await engine.remember_runs.list_runs(RunRequest(), caller=ELSEWHERE)).data


async def test_runs_are_narrowed_by_document_stage_text_and_time_and_show_what_their_stages_made(
    tmp_path: Path,
) -> None:
    async with modelled(tmp_path, sensible) as (engine, _):
        one = await remembered(engine, sails([0]), document_id="one", session="s")
        two = await remembered(engine, sails([1]), document_id="two", options={"extract_graph": {"model": "other"}})
        assert [run.run_id for run in await runs(engine)] == [two.run_id, one.run_id]
        assert [run.run_id for run in await runs(engine, document_id="one")] == [one.run_id]
        assert [run.run_id for run in await runs(engine, text="two")] == [two.run_id]
        assert [run.run_id for run in await runs(engine, created_from=two.created_at)] == [two.run_id]
        assert await runs(engine, stage="store", stage_status="failed") == []
        for wrong in ({"memory_id": "mem_0000000000000G000004000000"}, {"session": "s"}, {"stage": "nothing"}):
            with pytest.raises(InvalidInput):
                await runs(engine, stage_status="failed" if "stage" in wrong else None, **wrong)
        assert two.parameters["options"] == {"extract_graph": {"model": "other"}}
        assert (await engine.remember_runs.outputs(two.run_id, caller=LOCAL))["chunk_text"]["chunks"] == 1
        calls = (await engine.runs.inferences(run_id=two.run_id, caller=LOCAL)).data
        assert {call.run_id for call in calls} == {two.run_id}
        by_stage = {stage.name: set(stage.inference_ids) for stage in two.stages if stage.inference_ids}
        assert by_stage["extract_graph"] == {call.inference_id for call in calls if call.stage == "extract_graph"}
        assert {call.model for call in calls if call.stage == "extract_graph"} == {"other"}
        listed = (await engine.runs.inferences(stage="extract_graph", caller=LOCAL)).data
        assert {call.run_id for call in listed} == {one.run_id, two.run_id}
        with pytest.raises(RunNotFound):
            await engine.runs.inferences(run_id="rem_00000000000ZZ", caller=LOCAL)
        with pytest.raises(InvalidInput):
            await engine.remember_runs.retry([two.run_id], stages=["store"], caller=LOCAL)


async def test_texts_come_in_pages_that_hold_each_once_and_fit_one_version(tmp_path: Path) -> None:
    async with remembering(tmp_path) as engine:
        await remembered(engine, document(range(9)), document_id="book")
        first = await engine.document_texts("book", limit=4)
        assert [text.position for text in first.data] == [0, 1, 2, 3]
        assert len(await texts_of(engine, "book")) == 9
        await remembered(engine, document(range(8)), document_id="book")
        with pytest.raises(InvalidCursor):
            await engine.document_texts("book", limit=4, cursor=first.next_cursor)


async def test_subscribers_of_the_dataset_hear_how_a_document_comes_along(tmp_path: Path) -> None:
    async with remembering(tmp_path, derive=False) as engine:
        await engine.put_dataset("elsewhere")
        types = ("remember_started", "text_stored", "run_finished")
        wanted = engine.subscribe(SubscribeRequest(dataset="default", types=types))
        others = engine.subscribe(SubscribeRequest(dataset="elsewhere", types=types))
        run = await remembered(engine, document(range(5)))
        heard: list[Any] = []
        async with asyncio.timeout(BOUND):
            async for delivery in wanted:
                assert not isinstance(delivery, Lagged)
                heard += [each.event for each in delivery]
                if heard[-1].type == "run_finished":
                    break
        assert [event.type for event in heard] == ["remember_started", *["text_stored"] * 5, "run_finished"]
        assert {event.data["run"] for event in heard} == {run.run_id}
        assert [(e.data["position"], e.data["of"]) for e in heard[1:-1]] == [(number, 5) for number in range(5)]
        assert not any(who(0) in repr(event.data) for event in heard)
        await remembered(engine, "Elsewhere it rained.", dataset="elsewhere")
        async with asyncio.timeout(BOUND):
            delivery = await anext(others)
        assert not isinstance(delivery, Lagged)
        assert {each.event.dataset for each in delivery} == {"elsewhere"}


# -- processes ----------------------------------------------------------------------------------------------------------------
async def test_a_process_that_does_not_remember_takes_documents_in_for_one_that_does(tmp_path: Path) -> None:
    async with remembering(tmp_path, remember=False) as engine:
        ack = await taken_in(engine, document(range(3)), wait="derived")
        assert ack.status == "started"
        health = await engine.health()
        assert health.remember["paused"] == "this process does not remember (setting remember)"
        assert health.remember["pending"] == 1
        assert not await engine.settled(0.05)
    async with remembering(tmp_path) as engine:
        assert await engine.settled(BOUND)
        assert (await run_of(engine, ack.remember_run_id)).state == "succeeded"
        # Nothing is left for derivation to read twice.
        counts = await engine.runs.counts(caller=LOCAL)
        assert set(counts["by_state"]) == {"succeeded"}


async def test_closing_breaks_a_document_off_without_counting_it_and_opening_goes_on_with_it(tmp_path: Path) -> None:
    async with modelled(tmp_path, lambda r: hang() if reads(r) else sensible(r)) as (engine, server):
        ack = await taken_in(engine, sails(range(3)))
        assert await asyncio.to_thread(server.wait_for, 2, timeout=BOUND)
    async with modelled(tmp_path, sensible) as (engine, _):
        assert await engine._background.rememberer.settled(BOUND)  # type: ignore[union-attr]
        run = await run_of(engine, ack.remember_run_id)
        assert (run.state, run.attempts) == ("succeeded", 1)


async def test_a_document_that_waits_for_long_is_shown(tmp_path: Path) -> None:
    clock = ManualClock()
    async with remembering(tmp_path, clock, remember=False) as engine:
        await taken_in(engine, "The tide was low.")
        clock.at += 11 * 60_000_000
        assert "remember: 1 pending, the oldest for 11 minutes" in (await engine.health()).reasons
