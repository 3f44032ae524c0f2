"""The gazetteer is opened once, by the first who asks, and asked for again where that failed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mindlog.errors import ModelMissing
from mindlog.knowledge.places.lazy import LazyGazetteer


def test_many_that_ask_at_once_get_one_and_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []

    def opening(folder: Path) -> object:
        opened.append(folder)
        return object()

    monkeypatch.setattr("mindlog.knowledge.places.lazy.open_gazetteer", opening)
    lazy = LazyGazetteer(tmp_path)
    assert opened == []
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: lazy(), range(32)))
    assert opened == [tmp_path]
    assert len(set(map(id, found))) == 1


def test_that_there_is_none_is_found_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []
    monkeypatch.setattr("mindlog.knowledge.places.lazy.open_gazetteer", asked.append)
    lazy = LazyGazetteer(tmp_path)
    assert (lazy(), lazy()) == (None, None)
    assert len(asked) == 1


def test_what_failed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = object()
    outcomes: list[object] = [ModelMissing("no room"), found]

    def opening(folder: Path) -> object:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr("mindlog.knowledge.places.lazy.open_gazetteer", opening)
    lazy = LazyGazetteer(tmp_path)
    with pytest.raises(ModelMissing):
        lazy()
    assert lazy() is found
