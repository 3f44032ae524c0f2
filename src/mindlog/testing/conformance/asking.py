"""Checks of the log of queries: their rows, lists and counts, and the turns of a session."""

from __future__ import annotations

from typing import Any

from mindlog.errors import InvalidInput
from mindlog.ids import number_id
from mindlog.store.askingrows import NewQuery, QueryEnd
from mindlog.store.runrows import LogQuery, RunQuery, StageRow
from mindlog.store.stages import QUERY_STAGES
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused, together

__all__ = ["CHECKS"]


async def _started(bench: Bench, question: str = "Who?", **facts: Any) -> int:
    values: dict[str, Any] = {"session": None, "params": {}, "created_at": 1000} | facts
    dataset = values.pop("dataset", bench.number())
    return await bench.store.start_query(NewQuery(dataset=dataset, question=question, **values))


def _stage(name: str, status: str = "succeeded", error: str | None = None, *calls: str) -> StageRow:
    return StageRow(name=name, status=status, error=error, started_at=1, finished_at=2, inference_ids=calls)


async def _ended(bench: Bench, run: int, status: str = "succeeded", **facts: Any) -> None:
    values: dict[str, Any] = {"error": None, "finished_at": 2000, "stages": ()} | facts
    await bench.store.end_query(QueryEnd(run=run, status=status, **values))


def _queries(bench: Bench, **facts: Any) -> list[int]:
    return [row.id for row in bench.store.query_runs(RunQuery(**facts))]


async def a_query_is_on_record_with_all_its_stages(open_store: Opener) -> None:
    """Started with none, ended in one go, ended again not at all; the same after a reopen."""
    cited = ({"n": 1, "memory_id": "", "quote": "é"},)
    async with opened(open_store) as bench:
        persisted = await bench.persist("Anna drinks tea")
        cited = ({**cited[0], "memory_id": str(persisted.id)},)
        run = await _started(bench, "What does Anna drink? Ä", session="s", params={"limit": 3}, user="u")
        row = bench.store.query_run(run)
        assert row is not None
        assert (row.status, row.answer, row.citations, row.dataset, row.params) == (
            "started",
            None,
            (),
            "default",
            {"limit": 3},
        )
        assert [(each.name, each.status) for each in row.stages] == [
            (each.name, "not_started") for each in QUERY_STAGES
        ]
        stages = tuple(_stage(each.name) for each in QUERY_STAGES[:3])
        last = _stage("query", "failed", "LlmRefused: no", "inf_1", "inf_2")
        said: dict[str, Any] = {"answer": "Tea [1].", "answered_by": "llm", "citations": cited}
        await _ended(bench, run, stages=(*stages, last), **said)
        lsn = bench.store.last_lsn
        await _ended(bench, run, "failed", error="again")
        assert bench.store.last_lsn == lsn
    async with opened(open_store) as bench:
        row = bench.store.query_run(run)
        assert row is not None
        assert (row.question, row.session, row.user, row.created_at) == ("What does Anna drink? Ä", "s", "u", 1000)
        assert (row.status, row.error, row.finished_at, row.answer, row.answered_by) == (
            "succeeded",
            None,
            2000,
            "Tea [1].",
            "llm",
        )
        assert (row.citations, row.stages) == (cited, (*stages, last))
        assert bench.store.query_run(run + 1) is None


async def words_of_a_query_that_are_not_known_are_refused(open_store: Opener) -> None:
    """A status, a state, a stage; nothing is changed by it."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        run = await _started(bench)
        ends: tuple[dict[str, Any], ...] = (
            {"status": "started"},
            {"stages": (_stage("hype"),)},
            {"stages": (_stage("query", "done"),)},
        )
        for facts in ends:
            with refused(InvalidInput):
                await _ended(bench, run, **facts)
        queries: tuple[dict[str, Any], ...] = (
            {"status": "running"},
            {"state": "waiting"},
            {"stage": "query"},
            {"stage": "hype", "stage_status": "failed"},
            {"stage_status": "ok"},
        )
        for facts in queries:
            with refused(InvalidInput):
                _queries(bench, **facts)
        assert _queries(bench, state="running") == [run]


async def queries_are_narrowed_paged_and_counted(open_store: Opener) -> None:
    """By dataset, session, state, stage, time and text in any case; counts are those of the lists."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        await bench.persist("text", dataset="other")
        assert set(bench.store.query_counts().by_state.values()) == {0}
        first = await _started(bench, "Where is ÄRGER?", session="s", created_at=10)
        second = await _started(bench, session="s", created_at=20, dataset=bench.number("other"))
        third = await _started(bench, session="t", created_at=30)
        await _ended(bench, first, answer="In Lisbon", stages=(_stage("detect_geo", "failed", "Odd: gazetteer"),))
        await _ended(bench, second, "failed", error="LlmUnavailable: down")
        assert _queries(bench) == [third, second, first]
        assert _queries(bench, limit=1) + _queries(bench, before_id=third) == [third, second, first]
        assert _queries(bench, dataset=bench.number()) == [third, first]
        assert _queries(bench, dataset=bench.number("other"), status="failed") == [second]
        assert _queries(bench, session="s") == [second, first]
        assert _queries(bench, session="s", dataset=bench.number()) == [first]
        assert [_queries(bench, state=state) for state in ("running", "succeeded", "failed")] == [
            [third],
            [first],
            [second],
        ]
        assert _queries(bench, status="succeeded", state="failed") == []
        assert [_queries(bench, text=text) for text in ("ärger", "LISBON", "Gazetteer", "down", "%")] == [
            [first],
            [first],
            [first],
            [second],
            [],
        ]
        assert _queries(bench, stage="detect_geo", stage_status="failed") == [first]
        assert _queries(bench, stage_status="not_started", created_from=20, created_to=30) == [second]
        counts = bench.store.query_counts()
        assert counts.by_state == {"running": 1, "succeeded": 1, "failed": 1}
        assert counts.by_dataset == {"default": {"running": 1, "succeeded": 1}, "other": {"failed": 1}}
        assert counts.oldest_created_at == 30


async def queries_at_once_each_have_their_own_row(open_store: Opener) -> None:
    """Started and ended in whatever groups they are committed."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        runs = await together(_started(bench, f"Question {n}") for n in range(200))
        await together(_ended(bench, run, answer=f"Answer {n}") for n, run in enumerate(runs))
        rows = bench.store.query_runs(RunQuery(limit=1000))
        assert [row.id for row in rows] == sorted(runs, reverse=True)
        told = {row.id: (row.question, row.answer, row.status) for row in rows}
        assert told == {run: (f"Question {n}", f"Answer {n}", "succeeded") for n, run in enumerate(runs)}


async def a_query_that_ends_leaves_an_event_without_words(open_store: Opener) -> None:
    """How it ended and which stages failed, of the error the kind alone; in its dataset, about no memory."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        fine, broken, open_ = [await _started(bench, "A secret?", session="s") for _ in range(3)]
        lsn = bench.store.last_lsn
        await _ended(bench, fine, answer="A secret.", stages=(_stage("detect_geo", "failed", "Odd: secret"),))
        await _ended(bench, broken, "failed", error="LlmRefused: a secret")
        await bench.store.close_queries("Interrupted: secret")
        told = bench.store.read_log(LogQuery(from_lsn=lsn + 1, limit=9))
        assert {(each.type, each.dataset, each.slot, each.session) for each in told} == {
            ("run_finished", bench.number(), None, None)
        }
        ends = [
            (fine, {"status": "succeeded", "state": "succeeded", "failed_stages": ["detect_geo"]}),
            (broken, {"status": "failed", "state": "failed", "error": "LlmRefused"}),
            (open_, {"status": "failed", "state": "failed", "error": "Interrupted"}),
        ]
        assert [each.payload for each in told] == [
            {"run": number_id("qry", run), "operation": "query"} | facts for run, facts in ends
        ]


async def open_queries_are_closed_at_once(open_store: Opener) -> None:
    """Those that have ended stay as they were."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        done, open_ = await _started(bench), await _started(bench)
        await _ended(bench, done)
    async with opened(open_store) as bench:
        assert await bench.store.close_queries("Interrupted: the process ended") == 1
        assert await bench.store.close_queries("again") == 0
        row = bench.store.query_run(open_)
        assert row is not None
        assert (row.status, row.error) == ("failed", "Interrupted: the process ended")
        assert {each.status for each in row.stages} == {"not_started"}
        assert _queries(bench, status="succeeded") == [done]


async def earlier_turns_are_those_that_were_answered(open_store: Opener) -> None:
    """Of the session in the dataset, the latest first, below a run."""
    async with opened(open_store) as bench:
        await bench.persist("text")
        number = bench.number()
        runs = [await _started(bench, f"Question {n}", session="s") for n in range(4)]
        for run in runs[:3]:
            await _ended(bench, run, answer=f"Answer {run}")
        for facts in ({"status": "failed", "answer": "half"}, {"status": "succeeded"}):
            await _ended(bench, await _started(bench, session="s"), **facts)
        await _ended(bench, await _started(bench, session="t"), answer="of another")
        found = bench.store.asked(number, "s", 9)
        assert [(each.run, each.question, each.answer) for each in found] == [
            (run, f"Question {n}", f"Answer {run}") for n, run in reversed(list(enumerate(runs[:3])))
        ]
        assert [each.run for each in bench.store.asked(number, "s", 1, before=runs[2])] == [runs[1]]
        assert bench.store.asked(number, "none", 9) == []
        theirs = await _started(bench, "Theirs?", session="s", user="key_2")
        await _ended(bench, theirs, answer="Theirs")
        assert [each.run for each in bench.store.asked(number, "s", 9, user="key_2")] == [theirs]


async def an_answer_that_cites_what_is_forgotten_is_hidden(open_store: Opener) -> None:
    """From the list, from searches and from later turns; it is back when the memory is."""
    async with opened(open_store) as bench:
        secret, other = (await bench.persist("secret")).id, (await bench.persist("other")).id
        run = await _started(bench, "What?", session="s")
        cited = tuple({"n": n, "memory_id": str(each), "quote": "secret"} for n, each in enumerate((other, secret), 1))
        stages = (_stage("detect_geo", "failed", "Odd: secret"),)
        await _ended(bench, run, answer="A secret.", citations=cited, error="Odd: secret", stages=stages)
        shown = bench.store.query_run(run)
        assert shown is not None
        await bench.store.forget(bench.number(), [secret.slot])
        hidden = bench.store.query_run(run)
        assert hidden is not None
        assert "secret" not in repr(hidden)
        assert (shown.is_hidden, hidden.is_hidden) == (False, True)
        assert hidden.citations == ({"n": 1, "memory_id": str(other)}, {"n": 2, "memory_id": str(secret)})
        assert (_queries(bench, text="secret"), _queries(bench, text="what")) == ([], [run])
        assert bench.store.asked(bench.number(), "s", 9) == []
        await bench.store.restore(bench.number(), [secret.slot], 0)
        assert (bench.store.query_run(run), _queries(bench, text="secret")) == (shown, [run])
        assert len(bench.store.asked(bench.number(), "s", 9)) == 1


CHECKS: tuple[Check, ...] = (
    a_query_is_on_record_with_all_its_stages,
    words_of_a_query_that_are_not_known_are_refused,
    queries_are_narrowed_paged_and_counted,
    queries_at_once_each_have_their_own_row,
    a_query_that_ends_leaves_an_event_without_words,
    open_queries_are_closed_at_once,
    earlier_turns_are_those_that_were_answered,
    an_answer_that_cites_what_is_forgotten_is_hidden,
)
