"""One text, one request: kept once, whatever is repeated, raced or lost on the way."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from mindlog.engine import Engine
from mindlog.errors import EmbedderFailed, IdempotencyConflict
from mindlog.records import EditRequest, EncodeRequest
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.faults import Block, armed
from tests.engine.made import BOUND, DAY, ManualClock, acked, everything, found, keep, opened


async def test_the_same_text_is_kept_once_and_the_second_writer_is_told(engine: Engine) -> None:
    first = await engine.encode(EncodeRequest(text="the fog signal is off"))
    second = await engine.encode(EncodeRequest(text="the fog signal is off"))
    assert (first.was_deduplicated, second.was_deduplicated) == (False, True)
    assert (second.memory_id, second.lsn, second.persisted_at) == (first.memory_id, first.lsn, first.persisted_at)
    assert len(await everything(engine)) == 1


async def test_twenty_racing_writers_of_one_text_make_one_memory(engine: Engine, embedder: HashEmbedder) -> None:
    with embedder.held() as entered:
        writers = [asyncio.create_task(engine.encode(EncodeRequest(text="one text"))) for _ in range(20)]
        await entered.wait()
        # All of them are past the peek and in the embedder: only the commit can tell them apart.
    results = await asyncio.gather(*writers)
    assert len({result.memory_id for result in results}) == 1
    assert sum(result.was_deduplicated for result in results) == 19
    assert len(await everything(engine)) == 1


async def test_a_text_written_again_is_still_found_exactly_once(engine: Engine) -> None:
    memory_id = await keep(engine, "the brass plate is above the door")
    await keep(engine, "the brass plate is above the door")
    assert await found(engine, "the brass plate is above the door") == [memory_id]
    assert [str(memory.id) for memory in await everything(engine)] == [memory_id]


@pytest.mark.parametrize("changed", [{"agent": "ruth"}, {"session": "s2"}, {"dataset": "other"}])
async def test_the_same_text_elsewhere_is_another_memory(engine: Engine, changed: dict[str, str]) -> None:
    request = EncodeRequest(text="good morning", agent="ines", session="s1")
    first, second = await engine.encode(request), await engine.encode(replace(request, **changed))  # type: ignore[arg-type]
    assert second.memory_id != first.memory_id
    assert not second.was_deduplicated


async def test_duplicates_are_kept_when_allowed(engine: Engine) -> None:
    request = EncodeRequest(text="ping", allow_duplicates=True)
    assert len({(await engine.encode(request)).memory_id for _ in range(3)}) == 3


async def test_a_retry_after_a_lost_answer_gets_the_same_memory_and_other_parameters_are_refused(
    engine: Engine,
) -> None:
    request = EncodeRequest(text="sell the generator", request_id="R")
    block = Block()
    with armed("after_commit_before_ack", block):
        caller = asyncio.create_task(engine.encode(request))
        await asyncio.to_thread(block.entered.wait, 10)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        block.release()
    (memory,) = await everything(engine)
    for _ in range(5):
        again = await engine.encode(request)
        assert (again.memory_id, again.was_replayed, again.was_deduplicated) == (str(memory.id), True, False)
    with pytest.raises(IdempotencyConflict) as refusal:
        await engine.encode(replace(request, text="keep the generator"))
    assert refusal.value.field == "request_id"
    assert len(await everything(engine)) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"metadata": {"a": 1}},
        {"session": "s"},
        {"agent": "a"},
        {"kind": "semantic"},
        {"salience": 0.25},
        {"occurred_at": 0},
        {"document_id": "d"},
        {"allow_duplicates": True},
    ],
)
async def test_every_parameter_that_shapes_the_memory_counts(engine: Engine, changed: dict[str, object]) -> None:
    request = EncodeRequest(text="a plank", request_id="R")
    await engine.encode(request)
    with pytest.raises(IdempotencyConflict):
        await engine.encode(replace(request, **changed))  # type: ignore[arg-type]


async def test_the_order_of_metadata_keys_does_not_count(engine: Engine) -> None:
    first = await engine.encode(EncodeRequest(text="a", request_id="R", metadata={"x": 1, "y": {"p": 1, "q": 2}}))
    again = await engine.encode(EncodeRequest(text="a", request_id="R", metadata={"y": {"q": 2, "p": 1}, "x": 1}))
    assert again == replace(first, was_replayed=True)


async def test_a_replay_is_the_first_answer_whatever_became_of_the_memory(engine: Engine) -> None:
    request = EncodeRequest(text="flash every ten seconds", salience=0.75, request_id="R")
    first = await engine.encode(request)
    edited = await engine.edit(EditRequest(memory_id=first.memory_id, text="flash every twelve seconds", salience=0.1))
    assert await engine.encode(request) == replace(first, was_replayed=True)
    await engine.forget([edited.memory_id])
    assert await engine.encode(request) == replace(first, was_replayed=True)


async def test_a_replay_survives_reopening(tmp_path: Path) -> None:
    request = EncodeRequest(text="a lamp", request_id="R")
    async with opened(tmp_path) as engine:
        first = await engine.encode(request)
    async with opened(tmp_path) as engine:
        assert await engine.encode(request) == replace(first, was_replayed=True)


async def test_a_write_that_found_its_text_there_replays_that_answer(engine: Engine) -> None:
    await keep(engine, "high water at 13:20")
    request = EncodeRequest(text="high water at 13:20", request_id="R")
    deduplicated = await engine.encode(request)
    assert deduplicated.was_deduplicated
    assert await engine.encode(request) == replace(deduplicated, was_replayed=True)


async def test_datasets_do_not_share_request_ids(engine: Engine) -> None:
    request = EncodeRequest(text="one", request_id="R")
    first = await engine.encode(request)
    other = await engine.encode(replace(request, text="two", dataset="other"))
    assert not other.was_replayed
    assert other.memory_id != first.memory_id


async def test_a_request_id_is_free_again_after_its_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindlog.engine._UPKEEP_SECONDS", 0.005)
    clock = ManualClock()
    async with opened(tmp_path, clock=clock) as engine:
        purged = asyncio.Event()
        purge_requests = engine.store.purge_requests

        async def purge(before: int) -> int:
            dropped = await purge_requests(before)
            if dropped:
                purged.set()
            return dropped

        monkeypatch.setattr(engine.store, "purge_requests", purge)
        await engine.encode(EncodeRequest(text="one", request_id="R"))
        clock.at += DAY - 1
        with pytest.raises(IdempotencyConflict):
            await engine.encode(EncodeRequest(text="two", request_id="R"))
        clock.at += 2
        await asyncio.wait_for(purged.wait(), BOUND)
        assert not (await engine.encode(EncodeRequest(text="two", request_id="R"))).was_replayed
        assert {memory.text for memory in await everything(engine)} == {"one", "two"}


async def test_a_write_whose_embedding_failed_left_nothing_and_its_request_id_is_free(
    engine: Engine, embedder: HashEmbedder
) -> None:
    request = EncodeRequest(text="the cooling pump leaks", request_id="R")
    embedder.fail_calls = {embedder.calls + 1}
    with pytest.raises(EmbedderFailed):
        await engine.encode(request)
    assert not await everything(engine)
    retried = await engine.encode(request)
    assert not retried.was_replayed
    assert [str(memory.id) for memory in await everything(engine)] == [retried.memory_id]


async def test_one_new_text_is_one_embedding_call_and_a_known_one_none(engine: Engine, embedder: HashEmbedder) -> None:
    before = embedder.calls
    await engine.encode(EncodeRequest(text="a new text", request_id="R"))
    assert embedder.calls == before + 1
    await engine.encode(EncodeRequest(text="a new text", request_id="R"))  # replayed
    await engine.encode(EncodeRequest(text="a new text"))  # deduplicated
    await engine.encode(EncodeRequest(text="a new text", session="another"))  # a new memory, its vector is cached
    await engine.encode_batch([EncodeRequest(text="a new text", dataset=f"d{n}") for n in range(50)])
    assert embedder.calls == before + 1


async def test_fifty_equal_texts_of_a_batch_are_embedded_once(engine: Engine, embedder: HashEmbedder) -> None:
    before = embedder.calls
    outcomes = await engine.encode_batch([EncodeRequest(text="again", allow_duplicates=True)] * 50)
    assert len({acked(outcome).memory_id for outcome in outcomes}) == 50
    assert embedder.calls == before + 1


async def test_editing_facts_embeds_nothing_and_editing_the_text_once(engine: Engine, embedder: HashEmbedder) -> None:
    memory_id = await keep(engine, "eight panels of 410 watts")
    before = embedder.calls
    edited = await engine.edit(EditRequest(memory_id=memory_id, metadata={"checked": True}, salience=0.9))
    assert embedder.calls == before
    await engine.edit(EditRequest(memory_id=edited.memory_id, text="nine panels of 410 watts"))
    assert embedder.calls == before + 1
