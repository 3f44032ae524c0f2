"""The names of countries, regions and continents that the gazetteer's source lacks: translations, abbreviations, own names.

Owns the two tables beside it; knows no coordinates.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

__all__ = ["COUNTRY_ALIASES", "REGION_ALIASES", "country_names", "region_names"]

COUNTRY_ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "AE": ("UAE", "Emirates"),
    "BA": ("Bosnia",),
    "CD": ("DR Congo", "DRC", "Congo-Kinshasa"),
    "CG": ("Congo", "Congo-Brazzaville"),
    "CI": ("Ivory Coast", "Côte d'Ivoire"),
    "CN": ("PRC", "People's Republic of China"),
    "CV": ("Cape Verde",),
    "CZ": ("Czech Republic", "Czechia"),
    "GB": ("UK", "U.K.", "Great Britain", "Britain"),
    "HK": ("Hong Kong",),
    "KP": ("North Korea", "DPRK"),
    "KR": ("South Korea", "Republic of Korea"),
    "MK": ("Macedonia",),
    "MM": ("Burma",),
    "MO": ("Macau", "Macao"),
    "NL": ("Holland", "Netherlands"),
    "PS": ("Palestine",),
    "RU": ("Russian Federation",),
    "SZ": ("Swaziland",),
    "TR": ("Turkey", "Türkiye"),
    "TW": ("Taiwan",),
    "US": ("USA", "U.S.", "U.S.A.", "US", "United States of America", "America", "the States"),
    "VA": ("Vatican", "Vatican City", "Holy See"),
    "VN": ("Viet Nam",),
}

REGION_ALIASES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "AT": {
        "Carinthia": ("Kärnten",),
        "Lower Austria": ("Niederösterreich",),
        "Styria": ("Steiermark",),
        "Tyrol": ("Tirol",),
        "Upper Austria": ("Oberösterreich",),
    },
    "AU": {
        "Australian Capital Territory": ("ACT",),
        "New South Wales": ("NSW",),
        "Queensland": ("QLD",),
        "Victoria": ("VIC",),
    },
    "CA": {
        "Alberta": ("AB",),
        "British Columbia": ("BC", "B.C."),
        "Manitoba": ("MB",),
        "New Brunswick": ("NB",),
        "Newfoundland and Labrador": ("NL", "Newfoundland"),
        "Nova Scotia": ("NS",),
        "Ontario": ("ON",),
        "Prince Edward Island": ("PEI",),
        "Quebec": ("QC", "Québec"),
        "Saskatchewan": ("SK",),
    },
    "DE": {
        "Baden-Wurttemberg": ("Baden-Württemberg",),
        "Bavaria": ("Bayern",),
        "Hesse": ("Hessen",),
        "Lower Saxony": ("Niedersachsen",),
        "North Rhine-Westphalia": ("Nordrhein-Westfalen", "NRW"),
        "Rheinland-Pfalz": ("Rhineland-Palatinate",),
        "Saxony": ("Sachsen",),
        "Saxony-Anhalt": ("Sachsen-Anhalt",),
        "Thuringia": ("Thüringen",),
    },
    "ES": {
        "Andalusia": ("Andalucía",),
        "Aragon": ("Aragón",),
        "Basque Country": ("País Vasco", "Euskadi"),
        "Castille and León": ("Castilla y León", "Castile and León"),
        "Castille-La Mancha": ("Castilla-La Mancha",),
        "Catalonia": ("Catalunya", "Cataluña"),
        "Galicia": ("Galiza",),
        "Navarre": ("Navarra",),
    },
    "FR": {
        "Brittany": ("Bretagne",),
        "Corsica": ("Corse",),
        "Normandy": ("Normandie",),
        "Provence-Alpes-Côte d'Azur": ("Provence",),
    },
    "IT": {
        "Apulia": ("Puglia",),
        "Lombardy": ("Lombardia",),
        "Piedmont": ("Piemonte",),
        "Sardinia": ("Sardegna",),
        "Sicily": ("Sicilia",),
        "The Marches": ("Marche",),
        "Tuscany": ("Toscana",),
    },
}
"""By country and English name. Abbreviations of the states of the US come with the source."""


def country_names() -> dict[str, list[str]]:
    """Return the names of each country in some fifty languages, by its two letters."""
    rows = (line.split("\t") for line in _lines("country_names.txt"))
    return {code: names for code, *names in rows}


def region_names() -> dict[tuple[str, str], str]:
    """Return the English name of each first-level region by (country, the source's code)."""
    rows = (line.split("\t") for line in _lines("region_names.txt"))
    return {tuple(code.split(".", 1)): name for code, name in rows}  # pyright: ignore[reportReturnType]


def _lines(table: str) -> list[str]:
    text = (files(__package__ or "") / table).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]
