"""Checks of the runs of remember: how they start, whose turn it is, how stages, attempts and runs end, fresh starts."""

from __future__ import annotations

from mindlog.errors import IdempotencyConflict, InvalidInput, LeaseLost
from mindlog.ids import run_id
from mindlog.store.runrows import RunQuery
from mindlog.store.stages import REMEMBER_STAGES
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused, together
from mindlog.testing.conformance.papers import Papers, document
from mindlog.testing.conformance.work import LEASE_US

__all__ = ["CHECKS"]

_STAGES = [stage.name for stage in REMEMBER_STAGES]


def _how(papers: Papers, run: int) -> dict[str, str]:
    return {stage.name: stage.status for stage in papers.row(run).stages}


def _told(bench: Bench, kind: str) -> list[dict[str, object]]:
    entries = bench.store.log(1, 1000)
    return [dict(entry.payload) for entry in entries if entry.type == kind]


# -- starts -------------------------------------------------------------------------------------------------------------
async def a_remember_is_durable_once_it_is_acknowledged(open_store: Opener) -> None:
    """Document, source, run and event are there after a reopen; the dataset is made."""
    async with opened(open_store) as bench:
        started = await Papers(bench).start(dataset="new")
        assert (started.document_id, started.was_replayed) == ("doc_1", False)
    async with opened(open_store) as bench:
        papers = Papers(bench)
        row = papers.row(started.run)
        assert (row.dataset, row.document_id, row.title, row.user) == ("new", "doc_1", "On Anna", "key_1")
        assert (row.status, row.state, row.attempts, row.chunks) == ("started", "waiting", 0, None)
        assert row.params == {"session": None, "occurred_at": 5}
        assert set(_how(papers, started.run).values()) == {"not_started"}
        source = bench.store.remember_source(started.run)
        assert source is not None
        assert (source.kind, source.name, source.characters, source.content) == ("text", "anna.txt", 12, b"packed")
        found = bench.store.document(bench.number("new"), "doc_1")
        assert found is not None
        assert (found.title, found.run, found.chunks, found.kind) == ("On Anna", None, 0, None)
        assert _told(bench, "remember_started") == [{"run": run_id(started.run, "remember"), "document_id": "doc_1"}]
        assert bench.store.last_lsn == started.run
        assert bench.store.remember_run(999) is None
        assert bench.store.remember_source(999) is None


async def a_request_id_starts_one_run(open_store: Opener) -> None:
    """Twenty callers at once get the same run; other parameters are a conflict, in every dataset by itself."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        asked = await together(papers.start(request=("r", "p")) for _ in range(20))
        assert len({each.run for each in asked}) == 1
        assert sorted(each.was_replayed for each in asked) == [False, *[True] * 19]
        with refused(IdempotencyConflict):
            await papers.start(request=("r", "other"))
        elsewhere = await papers.start(dataset="b", request=("r", "other"))
        assert not elsewhere.was_replayed
    async with opened(open_store) as bench:
        again = await Papers(bench).start("doc_9", request=("r", "p"))
        assert (again.run, again.document_id, again.was_replayed) == (asked[0].run, "doc_1", True)
        assert len(bench.store.remember_runs(RunQuery())) == 2


# -- whose turn it is ---------------------------------------------------------------------------------------------------
async def runs_of_a_dataset_go_one_after_the_other(open_store: Opener) -> None:
    """The oldest first; a held one and one that waits for another attempt keep the later ones waiting, not other datasets'."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        first, second = (await papers.start()).run, (await papers.start()).run
        other = (await papers.start(dataset="b")).run
        assert bench.store.next_remember() == 0
        claimed = await papers.claim()
        assert claimed is not None
        assert (claimed.id, claimed.attempts, claimed.document_id, claimed.chunks) == (first, 1, "doc_1", None)
        assert [stage.name for stage in claimed.stages] == _STAGES
        assert await papers.claim(busy=(bench.number("b"),)) is None
        elsewhere = await papers.claim()
        assert elsewhere is not None
        assert (elsewhere.id, await papers.claim()) == (other, None)
        now = claimed.created_at
        await papers.end(first, None, due_at=now + LEASE_US, error="E: later")
        assert await papers.claim() is None
        assert bench.store.next_remember() == min(now + LEASE_US, papers.row(other).due_at)
        assert [papers.row(run).state for run in (first, second, other)] == ["retrying", "waiting", "running"]
        assert await bench.store.cancel_remember([first]) == [first]
        following = await papers.claim()
        assert following is not None
        assert following.id == second


async def racing_owners_never_hold_the_same_remember(open_store: Opener) -> None:
    """Twenty claims at once share out one run for each dataset."""
    async with opened(open_store) as bench:
        names = [f"d{n}" for n in range(5)]
        first = [(await Papers(bench).start(dataset=name)).run for name in names]
        for name in names:
            await Papers(bench).start(dataset=name)
        claims = await together(Papers(bench, f"w{n}").claim() for n in range(20))
        assert sorted(claim.id for claim in claims if claim is not None) == first


async def a_lease_of_a_remember_runs_out_is_renewed_and_released(open_store: Opener) -> None:
    """Whoever has lost it can commit nothing; the attempt of a dead process stays counted."""
    async with opened(open_store) as bench:
        papers, other = Papers(bench), Papers(bench, "other")
        await papers.start()
        claimed = await papers.claim(lease_us=0)
        assert claimed is not None
        run = claimed.id
        await bench.store.start_remember_stage(run, "w", "chunk_text", 7)
        taken = await other.claim()
        assert taken is not None
        assert (taken.id, taken.attempts) == (run, 2)
        assert _how(papers, run)["chunk_text"] == "not_started"
        assert await bench.store.renew_remember("w", [run], LEASE_US) == []
        assert await bench.store.renew_remember("other", [run, 999], LEASE_US) == [run]
        for writing in (
            papers.settle(run, "chunk_text"),
            papers.end(run),
            papers.keep(run, 0, "text"),
            bench.store.set_chunks(run, "w", 1),
            bench.store.switch_document(run, "w"),
        ):
            with refused(LeaseLost):
                await writing
        lsn = bench.store.last_lsn
        await bench.store.start_remember_stage(run, "w", "chunk_text", 9)
        assert (_how(papers, run)["chunk_text"], bench.store.last_lsn) == ("not_started", lsn)
        assert await bench.store.release_remember("w") == 0
        assert await bench.store.release_remember() == 1
        assert (papers.row(run).due_at, bench.store.next_remember()) == (0, 0)


# -- stages and ends ----------------------------------------------------------------------------------------------------
async def a_stage_of_a_remember_keeps_the_start_it_had(open_store: Opener) -> None:
    """It goes on after a crash; a settled one does not start again, and one that failed starts anew."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        run = await papers.begun()
        await bench.store.start_remember_stage(run, "w", "extract_graph", 10)
    async with opened(open_store) as bench:
        papers = Papers(bench)
        await bench.store.release_remember()
        claimed = await papers.claim()
        assert claimed is not None
        await bench.store.start_remember_stage(run, "w", "extract_graph", 20)
        lsn = await papers.settle(
            run, "extract_graph", "failed", error="E: x", started_at=20, finished_at=30, output={"n": 1}
        )
        stage = papers.row(run).stages[_STAGES.index("extract_graph")]
        assert (stage.status, stage.error, stage.started_at, stage.finished_at) == ("failed", "E: x", 10, 30)
        assert bench.store.remember_outputs(run) == {"extract_graph": {"n": 1}}
        said = {"run": run_id(run, "remember"), "stage": "extract_graph", "status": "failed", "error": "E"}
        assert (bench.store.last_lsn, _told(bench, "stage_completed")) == (lsn, [said])
        await bench.store.start_remember_stage(run, "w", "extract_graph", 40)
        await papers.settle(run, "extract_graph", started_at=40, finished_at=50, inference_ids=("inf_1",))
        await bench.store.start_remember_stage(run, "w", "extract_graph", 60)
        stage = papers.row(run).stages[_STAGES.index("extract_graph")]
        assert (stage.status, stage.started_at, stage.finished_at, stage.inference_ids) == (
            "succeeded",
            40,
            50,
            ("inf_1",),
        )
        assert bench.store.remember_outputs(run) == {}
        with refused(InvalidInput):
            await papers.settle(run, "hype")
        with refused(InvalidInput):
            await papers.settle(run, "store", inference_ids=("inf_1",))


async def a_remember_ends_once_and_says_how(open_store: Opener) -> None:
    """Every final end has its status, state and event; what nobody will do is skipped where the run was broken off."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        ends = ("succeeded", "failed", "quarantined", "cancelled")
        runs = [await papers.begun(dataset=how) for how in ends]
        for run, how in zip(runs, ends, strict=True):
            await papers.settle(run, "summarize_chunk", "failed", error="E: x")
            lsn = await papers.end(run, how, error="summarize_chunk failed: E: x")
            assert lsn == bench.store.last_lsn
            row = papers.row(run)
            status = "succeeded" if how == "succeeded" else "failed"
            assert (row.status, row.state, row.error) == (status, how, "summarize_chunk failed: E: x")
            assert _how(papers, run)["web_search"] == ("skipped" if how == "cancelled" else "not_started")
            said = {"run": run_id(run, "remember"), "operation": "remember", "status": status, "state": how}
            failed = {"error": "summarize_chunk failed", "failed_stages": ["summarize_chunk"]}
            assert _told(bench, "run_finished")[-1] == said | failed
            with refused(LeaseLost):
                await papers.end(run)
        assert bench.store.next_remember() is None
        counts = bench.store.remember_counts()
        assert counts.by_dataset == {how: {how: 1} for how in ends}
        assert counts.oldest_created_at is None
        with refused(InvalidInput):
            await papers.end(runs[0], "gone")
        assert await bench.store.cancel_remember(runs) == []


# -- fresh starts -------------------------------------------------------------------------------------------------------
async def a_retry_resets_what_did_not_succeed_and_what_rests_on_it(open_store: Opener) -> None:
    """Of a failed reading the texts with an error are to be read again; stages that succeeded before stay."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        run = await papers.begun()
        await papers.keep(run, 0, "one")
        await papers.keep(run, 1, "two")
        await papers.read(run, 0, error="E: refused")
        await papers.read(run, 1)
        for position in (0, 1):
            await papers.store(run, position)
        for stage in _STAGES:
            await papers.settle(run, stage, "failed" if stage == "extract_graph" else "succeeded", output={"a": 1})
        await papers.end(run)
        assert await bench.store.retry_remember([run, 999]) == [run]
        again = {"extract_graph", "load_candidates", "resolve_edges", "store", "store_series"}
        assert {name for name, how in _how(papers, run).items() if how == "not_started"} == again
        assert bench.store.remember_outputs(run).keys() == set(_STAGES) - again
        assert [(text.state, text.error) for text in bench.store.texts(run)] == [("kept", None), ("stored", None)]
        row = papers.row(run)
        assert (row.state, row.attempts, row.finished_at, row.error) == ("waiting", 0, None, None)
        stages = [name for name in _STAGES if name in again]
        assert _told(bench, "run_restarted") == [{"run": run_id(run, "remember"), "stages": stages}]
        assert await bench.store.retry_remember([run]) == []
        claimed = await papers.claim()
        assert claimed is not None
        for stage in stages:
            await papers.settle(run, stage)
        await papers.end(run)
        assert await bench.store.retry_remember([run]) == []


async def a_run_whose_document_was_remembered_anew_is_not_retried(open_store: Opener) -> None:
    """Of two that are asked for at once the later one goes on; one that never came to its chunks is no hindrance."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        first, second = await papers.begun(), (await papers.start()).run
        await papers.end(first, "failed", error="E: x")
        assert await bench.store.retry_remember([first]) == []
        assert await bench.store.cancel_remember([second]) == [second]
        assert await bench.store.retry_remember([first]) == [first]
        assert await bench.store.cancel_remember([first]) == [first]
        assert await bench.store.retry_remember([first, second]) == [second]
        assert await bench.store.cancel_remember([second]) == [second]
        await papers.remembered("text")
        assert await bench.store.retry_remember([first, second]) == []


# -- lists --------------------------------------------------------------------------------------------------------------
async def remember_runs_are_listed_newest_first_and_narrowed(open_store: Opener) -> None:
    """By dataset, status, state, stage, time and text in title, document id, parameters and errors."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        runs = [await papers.begun(f"doc_{n}", f"d{n}", title=f"Título {n}") for n in range(3)]
        await papers.settle(runs[0], "store", "failed", error="Odd: ÄRGER")
        await papers.end(runs[0], "quarantined", error="store failed: Odd")
        await papers.end(runs[1])

        def found(**narrow: object) -> list[int]:
            return [row.id for row in bench.store.remember_runs(RunQuery(**narrow))]  # type: ignore[arg-type]

        assert found() == runs[::-1]
        assert found(limit=1) == runs[2:]
        assert found(before_id=runs[1]) == runs[:1]
        assert found(dataset=bench.number("d1")) == runs[1:2]
        assert (found(document_id="doc_0"), found(document_id="doc")) == (runs[:1], [])
        assert [found(status=each) for each in ("started", "succeeded", "failed")] == [[runs[2]], [runs[1]], [runs[0]]]
        assert [found(state=each) for each in ("running", "quarantined", "waiting")] == [[runs[2]], [runs[0]], []]
        assert found(stage="store", stage_status="failed") == runs[:1]
        assert found(stage_status="failed") == runs[:1]
        assert found(text="TÍTULO 1") == runs[1:2]
        assert found(text="doc_2") == runs[2:]
        assert found(text="ärger") == runs[:1]
        assert found(text="occurred_at") == runs[::-1]
        created_at = papers.row(runs[2]).created_at
        assert found(created_from=created_at + 1) == []
        assert found(created_to=created_at + 1) == runs[::-1]
        for narrow in (
            {"status": "odd"},
            {"state": "odd"},
            {"stage": "store"},
            {"stage": "hype", "stage_status": "failed"},
        ):
            with refused(InvalidInput):
                found(**narrow)
        counts = bench.store.remember_counts()
        assert {state: count for state, count in counts.by_state.items() if count} == {
            "running": 1,
            "quarantined": 1,
            "succeeded": 1,
        }


async def documents_are_listed_the_latest_made_first(open_store: Opener) -> None:
    """Of their dataset alone; a new version of one leaves it where it is."""
    async with opened(open_store) as bench:
        papers = Papers(bench)
        for name in ("a", "b", "c", "a"):
            await papers.start(name)
        await bench.store.start_remember(document("x", "elsewhere"))
        number = bench.number()
        listed = bench.store.documents(number, 2)
        assert [row.id for row in listed] == ["c", "b"]
        assert [row.id for row in bench.store.documents(number, 9, listed[-1].number)] == ["a"]
        assert bench.store.document(number, "x") is None


#: The checks of this module.
CHECKS: tuple[Check, ...] = (
    a_remember_is_durable_once_it_is_acknowledged,
    a_request_id_starts_one_run,
    runs_of_a_dataset_go_one_after_the_other,
    racing_owners_never_hold_the_same_remember,
    a_lease_of_a_remember_runs_out_is_renewed_and_released,
    a_stage_of_a_remember_keeps_the_start_it_had,
    a_remember_ends_once_and_says_how,
    a_retry_resets_what_did_not_succeed_and_what_rests_on_it,
    a_run_whose_document_was_remembered_anew_is_not_retried,
    remember_runs_are_listed_newest_first_and_narrowed,
    documents_are_listed_the_latest_made_first,
)
