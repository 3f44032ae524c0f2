"""The commands on the store: datasets, keys, models, doctor, reindex."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import mindlog
from mindlog.testing.fakes import HashEmbedder

from .conftest import Cli


def test_datasets_are_listed_created_and_given_a_zone(cli: Cli) -> None:
    assert cli("datasets", "put", "lisbon", "--timezone", "Europe/Lisbon").code == 0
    cli("encode", "x", "--dataset", "other")
    assert [(each["name"], each["timezone"]) for each in cli("datasets", "--json").json] == [
        ("default", None),
        ("lisbon", "Europe/Lisbon"),
        ("other", None),
    ]
    assert "Europe/Lisbon" in cli("datasets", "list").out
    cli("encode", "One memory.", "--dataset", "lisbon")
    sizes = {each["name"]: each["size"] for each in cli("datasets", "list", "--sizes", "--json").json}
    assert sizes["lisbon"]["memories"] == 1
    assert "memories" in cli("datasets", "list", "--sizes").out
    assert cli("datasets", "put", "x", "--timezone", "Nowhere").code == 2


def test_a_key_is_shown_once_listed_without_its_secret_and_revoked(cli: Cli) -> None:
    created = cli("keys", "create", "worker", "--scope", "read", "--scope", "write", "--dataset", "d")
    secret = created.out.strip()
    assert secret.startswith("ml_sk_")
    (key,) = cli("keys", "--json").json
    assert (key["name"], key["scopes"], key["datasets"], key["revoked_at"]) == (
        "worker",
        ["read", "write"],
        ["d"],
        None,
    )
    assert secret not in cli("keys").out
    assert cli("keys", "revoke", key["key_id"], "--json").json[0]["revoked_at"] is not None
    assert cli("keys", "revoke", "key_nothing").code == 3
    assert cli("keys", "create", "worker", "--scope", "everything").code == 2


def test_models_are_listed_with_their_state(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MINDLOG_EMBEDDER", str(tmp_path / "nowhere"))
    default, configured = cli("models", "--json").json
    assert default["name"] == "all-minilm-l6-v2"
    assert (configured["state"], bool(configured["problem"])) == ("missing", True)
    assert "nowhere" in cli("models").out


def test_doctor_finds_nothing_wrong_with_a_healthy_directory(cli: Cli) -> None:
    for number in range(20):
        cli("encode", f"text {number}")
    done = cli("doctor", "--json")
    assert done.code == 0
    assert {each["check"] for each in done.json} == {
        "directory", "disk", "model", "lock", "schema", "database", "health", "indexes",
    }  # fmt: skip
    assert all(each["ok"] for each in done.json)


def trouble(cli: Cli) -> dict[str, str]:
    done = cli("doctor", "--json")
    assert done.code == 1
    return {each["check"]: each["detail"] for each in done.json if not each["ok"]}


def test_doctor_makes_no_directory_and_says_that_there_is_none(cli: Cli, tmp_path: Path) -> None:
    assert "is not a directory" in trouble(cli)["directory"]
    (tmp_path / "mindlog-data").mkdir()
    assert "holds no store" in trouble(cli)["directory"]
    assert list((tmp_path / "mindlog-data").iterdir()) == []


def test_doctor_says_who_has_the_directory_open(cli: Cli, tmp_path: Path) -> None:
    with mindlog.open(tmp_path / "mindlog-data", embedder=HashEmbedder()):
        assert f"is open in process {os.getpid()}" in trouble(cli)["lock"]


def test_doctor_names_a_damaged_database(cli: Cli, tmp_path: Path) -> None:
    cli("encode", "text")
    database = tmp_path / "mindlog-data" / "mindlog.db"
    database.write_bytes(b"this is no database at all" * 400)
    assert "store_damaged" in trouble(cli)["database"]


def test_doctor_names_another_model(cli: Cli, tmp_path: Path) -> None:
    mindlog.open(tmp_path / "mindlog-data", embedder=HashEmbedder(dimensions=32)).close()
    assert "model_mismatch" in trouble(cli)["model"]


def test_doctor_rebuilds_lost_indexes_and_finds_them_right(cli: Cli, tmp_path: Path) -> None:
    for number in range(20):
        cli("encode", f"text {number}")
    shutil.rmtree(tmp_path / "mindlog-data" / "index")
    assert cli("doctor").code == 0


def test_reindex_moves_the_store_to_the_configured_model(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [cli("encode", f"text about peanuts {number}", "--json").json[0]["memory_id"] for number in range(5)]
    cli("forget", ids[0])
    assert cli("reindex").out == "5 memories embedded again\n"
    assert cli("list").code == 1  # the engine's embedder here is still the old one
    monkeypatch.setattr("mindlog.engine.load_embedder", lambda settings: HashEmbedder(dimensions=32))
    assert len(cli("recall", "peanuts", "--json").json) == 4
    cli("restore", ids[0])
    assert len(cli("recall", "peanuts", "--json").json) == 5
    assert cli("reindex", "--json").json == [{"reindexed": 0}]


def test_reindex_of_nothing_is_refused(cli: Cli, tmp_path: Path) -> None:
    done = cli("reindex")
    assert (done.code, "there is no store" in done.err) == (2, True)
    assert not (tmp_path / "mindlog-data").exists()
