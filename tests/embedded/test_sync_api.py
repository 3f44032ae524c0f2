"""The synchronous API: what its verbs do, from one thread and from several."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import mindlog
from mindlog.errors import (
    ConfigError,
    DatasetNotFound,
    IdempotencyConflict,
    InvalidInput,
    MemoryNotFound,
    ModelMismatch,
    StoreLocked,
    UnknownFilter,
    VersionConflict,
)
from mindlog.testing.fakes import HashEmbedder


def test_what_was_encoded_is_recalled_by_meaning_with_its_facts(db: mindlog.Mindlog) -> None:
    kept = db.encode("Ana is allergic to peanuts", agent="ana", session="s1", metadata={"topic": "health"})
    db.encode("The train leaves at nine", session="s2")
    hit = db.recall("allergic peanuts").hits[0]
    assert str(hit.memory.id) == kept.memory_id
    assert (hit.memory.agent, hit.memory.session, dict(hit.memory.metadata)) == ("ana", "s1", {"topic": "health"})


def test_the_same_text_is_kept_once_unless_duplicates_are_allowed(db: mindlog.Mindlog) -> None:
    first = db.encode("same")
    again = db.encode("same")
    another = db.encode("same", allow_duplicates=True)
    assert (again.memory_id, again.was_deduplicated) == (first.memory_id, True)
    assert another.memory_id != first.memory_id


def test_a_request_id_replays_its_answer_and_refuses_other_parameters(db: mindlog.Mindlog) -> None:
    first = db.encode("one", request_id="r")
    again = db.encode("one", request_id="r")
    assert (again.memory_id, again.was_replayed) == (first.memory_id, True)
    with pytest.raises(IdempotencyConflict):
        db.encode("two", request_id="r")


def test_a_batch_takes_texts_mappings_and_requests_and_a_bad_item_fails_alone(db: mindlog.Mindlog) -> None:
    items = [
        "plain",
        {"text": "mapped", "session": "s"},
        mindlog.EncodeRequest(text="asked"),
        {"text": " "},
        {"txt": "x"},
        7,
    ]
    outcomes = db.encode_batch(items)  # type: ignore[list-item]
    assert [type(outcome).__name__ for outcome in outcomes] == ["EncodeResult"] * 3 + ["InvalidInput"] * 3
    assert {memory.text for memory in db.iterate()} == {"plain", "mapped", "asked"}
    with pytest.raises(InvalidInput):
        db.encode_batch([])


def test_a_batch_of_nothing_but_bad_items_is_all_errors(db: mindlog.Mindlog) -> None:
    assert [type(outcome) for outcome in db.encode_batch([{}, {"text": "x", "colour": "red"}])] == [InvalidInput] * 2


def test_datetimes_text_and_microseconds_name_the_same_instant(db: mindlog.Mindlog) -> None:
    moment = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
    given = (moment, "2026-03-14T09:26:53Z", 1_773_480_413_000_000)
    ids = [db.encode(f"text {n}", occurred_at=at).memory_id for n, at in enumerate(given)]
    assert {db.get(memory_id).occurred_at for memory_id in ids} == {1_773_480_413_000_000}
    found = db.list(filters={"after": moment, "before": datetime(2026, 3, 15, tzinfo=UTC)})
    assert len(found.data) == 3


def test_a_naive_datetime_is_taken_in_the_datasets_zone_and_refused_without_one(db: mindlog.Mindlog) -> None:
    naive = datetime(2026, 7, 1, 12, 0)
    with pytest.raises(InvalidInput, match="time zone"):
        db.encode("text", occurred_at=naive)
    db.put_dataset("lisbon", timezone="Europe/Lisbon")
    kept = db.get(db.encode("text", dataset="lisbon", occurred_at=naive).memory_id)
    assert kept.occurred_at == 1_782_903_600_000_000
    assert len(db.list("lisbon", filters={"after": naive}).data) == 1
    assert len(db.recall("text", dataset="lisbon", filters={"before": "2026-07-01T12:00:00"}).hits) == 0


def test_filters_are_taken_as_a_mapping_or_as_a_value_and_unknown_ones_are_refused(db: mindlog.Mindlog) -> None:
    db.encode("one", session="a")
    db.encode("two", session="b")
    assert [hit.memory.text for hit in db.recall("one two", filters={"session": "a"}).hits] == ["one"]
    assert [m.text for m in db.list(filters=mindlog.Filters(session=("b",))).data] == ["two"]
    with pytest.raises(UnknownFilter):
        db.recall("one", filters={"colour": "red"})


def test_a_vector_of_the_callers_own_is_kept_and_one_of_another_model_refused(
    db: mindlog.Mindlog, embedder: HashEmbedder
) -> None:
    kept = db.encode_vector("opaque", embedder.vector("hidden meaning"), embedder.fingerprint)
    assert str(db.recall("hidden meaning").hits[0].memory.id) == kept.memory_id
    with pytest.raises(ModelMismatch):
        db.encode_vector("opaque", np.ones(64), "another model")
    with pytest.raises(InvalidInput):
        db.encode_vector("opaque", [1.0, 2.0], embedder.fingerprint)


def test_iterate_walks_every_page_and_list_gives_one(db: mindlog.Mindlog) -> None:
    db.encode_batch([f"text {n}" for n in range(25)])
    assert [memory.text for memory in db.iterate(page_size=10)] == [f"text {n}" for n in reversed(range(25))]
    page = db.list(limit=10)
    assert len(page.data) == 10
    assert page.next_cursor is not None
    assert db.list(limit=10, cursor=page.next_cursor).data[0].text == "text 14"


def test_an_edit_makes_a_revision_and_the_old_one_stays_readable(db: mindlog.Mindlog) -> None:
    old = db.encode("first words", metadata={"a": 1})
    new = db.edit(old.memory_id, text="second words", metadata={"a": None, "b": 2})
    assert (db.get(new.memory_id).text, dict(db.get(new.memory_id).metadata)) == ("second words", {"b": 2})
    assert (db.get(old.memory_id).text, db.get(old.memory_id).is_current) == ("first words", False)
    with pytest.raises(VersionConflict):
        db.edit(old.memory_id, text="third words")


def test_forget_hides_and_restore_brings_back(db: mindlog.Mindlog) -> None:
    kept = db.encode("secret plan")
    receipt = db.forget(kept.memory_id)
    assert receipt.memory_ids == (kept.memory_id,)
    with pytest.raises(MemoryNotFound):
        db.get(kept.memory_id)
    assert db.recall("secret plan").hits == ()
    assert db.restore(kept.memory_id).text == "secret plan"
    assert len(db.recall("secret plan").hits) == 1


def test_keys_are_created_listed_and_revoked(db: mindlog.Mindlog) -> None:
    key, secret = db.create_key("worker", scopes=["read"], datasets=["default"])
    assert secret.startswith(key.prefix)
    (listed,) = db.keys()
    assert listed.id == key.id
    assert db.revoke_key(key.id).revoked_at is not None
    with pytest.raises(InvalidInput, match="scopes"):
        db.create_key("worker", scopes=["everything"])


def test_datasets_are_apart_and_an_unknown_one_is_an_error(db: mindlog.Mindlog) -> None:
    db.encode("here", dataset="one")
    db.encode("there", dataset="two")
    assert [dataset.name for dataset in db.datasets()] == ["default", "one", "two"]
    assert [hit.memory.text for hit in db.recall("here there", dataset="one").hits] == ["here"]
    with pytest.raises(DatasetNotFound):
        db.recall("here", dataset="three")


def test_health_says_ready_with_its_counts(db: mindlog.Mindlog) -> None:
    db.encode("text")
    health = db.health()
    assert (health.ready, health.store["memories"], health.embedder["name"]) == (True, 1, "hash")


def test_many_threads_share_one_object_and_race_to_one_memory(db: mindlog.Mindlog) -> None:
    barrier = threading.Barrier(8)

    def write(number: int) -> tuple[str, str]:
        barrier.wait(timeout=30)
        return db.encode("the same text").memory_id, db.encode(f"text of thread {number}").memory_id

    with ThreadPoolExecutor(8) as threads:
        written = list(threads.map(write, range(8)))
    assert len({same for same, _ in written}) == 1
    assert len({own for _, own in written}) == 8
    assert len(list(db.iterate())) == 9


def test_a_second_opening_of_the_directory_is_refused_and_says_where_it_is_open(
    db: mindlog.Mindlog, tmp_path: Path
) -> None:
    with pytest.raises(StoreLocked, match="is open in process"):
        mindlog.open(tmp_path / "data", embedder=HashEmbedder())
    assert db.encode("the first goes on").lsn > 0


@pytest.mark.parametrize("settings", [{"colour": "red"}, {"readers": 0}, {"readers": "many"}])
def test_a_wrong_setting_is_one_clear_error(tmp_path: Path, settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"colour|readers"):
        mindlog.open(tmp_path, embedder=HashEmbedder(), **settings)


def test_another_model_is_refused_with_the_command_that_helps(tmp_path: Path) -> None:
    mindlog.open(tmp_path, embedder=HashEmbedder()).close()
    with pytest.raises(ModelMismatch, match="mindlog reindex"):
        mindlog.open(tmp_path, embedder=HashEmbedder(dimensions=32))
