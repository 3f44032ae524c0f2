"""Units: one symbol for every spelling, exact conversion inside a kind, none between kinds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.series.units import base_of, convert, dimension_of, unit_of

SPELT = {
    "percent": "%", "Prozent": "%", "degrees Celsius": "°C", "℃": "°C", "degF": "°F", "kilometers": "km", "Kilometer": "km",
    "miles": "mi", "tonnes": "t", "hours": "h", "kph": "km/h", "m2": "m²", "µg/m3": "µg/m³", "dollars": "USD", "€": "EUR",
    "KG": "kg", "mg": "mg", "mW": None, "Mg": None, "widgets": None,
}  # fmt: skip


@pytest.mark.parametrize(("said", "symbol"), SPELT.items())
def test_a_spelling_has_one_symbol(said: str, symbol: str | None) -> None:
    unit = unit_of(said)
    assert (unit.symbol if unit else None) == symbol


EXACT = [
    (62.6, "°F", "°C", 17.0), (0, "°C", "°F", 32.0), (26.85, "°C", "K", 300.0), (1, "mi", "km", 1.609344), (1, "in", "cm", 2.54),
    (1, "lb", "g", 453.59237), (36, "km/h", "m/s", 10.0), (1, "kWh", "MJ", 3.6), (1, "GiB", "MiB", 1024.0), (25, "bp", "%", 0.25),
    (1013.25, "hPa", "atm", 1.0), (1, "acre", "m²", 4046.8564224), (2, "h", "min", 120.0),
]  # fmt: skip


@pytest.mark.parametrize(("value", "source", "target", "result"), EXACT)
def test_conversion_is_exact(value: float, source: str, target: str, result: float) -> None:
    assert convert(value, source, target) == result


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("USD", "EUR"),
        ("%", "pp"),
        ("kg", "m"),
        (None, "%"),
        ("kg", None),
        ("ton", "t"),
        ("gal", "l"),
        ("pound", "lb"),
        ("°", "°C"),
    ],
)
def test_what_has_no_exact_factor_is_not_converted(source: str | None, target: str | None) -> None:
    assert convert(1.0, source, target) is None
    assert base_of(source) != base_of(target)


def test_an_unknown_unit_is_its_own_kind_in_any_spelling() -> None:
    assert convert(3, "Widgets", "widgets") == 3
    assert dimension_of("Widgets") == base_of("widgets") == "widgets"
    assert dimension_of(None) == "number"


KINDS = [("°C", "°F"), ("km", "mi"), ("kg", "lb"), ("m/s", "kn"), ("J", "kcal"), ("Pa", "bar")]


@given(st.floats(-1e9, 1e9), st.sampled_from(KINDS))
def test_conversion_there_and_back_is_the_value(value: float, kind: tuple[str, str]) -> None:
    there = convert(value, *kind)
    assert there is not None
    assert convert(there, kind[1], kind[0]) == pytest.approx(value, rel=1e-12, abs=1e-9)
