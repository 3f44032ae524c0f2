"""Numbers in every notation: read where there is one reading, by what else stands there where there are two, else left."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.knowledge.series.amounts import Amount, find_raw, marks_in, read_amount, settled
from mindlog.knowledge.series.found import LeftOut
from mindlog.knowledge.series.numerals import Marks, read_numeral

READ = [
    ("1,234.5", 1234.5, None), ("1.234,5", 1234.5, None), ("1 234,5", 1234.5, None), ("1\u202f234,5", 1234.5, None),
    ("1'234.5", 1234.5, None), ("12,34,567", 1234567, None), ("1.234.567", 1234567, None), ("1,234,567", 1234567, None),
    ("3.1M", 3.1e6, None), ("3.1 million", 3.1e6, None), ("2 bn", 2e9, None), ("2bn", 2e9, None), ("5k", 5e3, None),
    ("15%", 15, "%"), ("15 %", 15, "%"), ("15 percent", 15, "%"), ("15 per cent", 15, "%"), ("2 percentage points", 2, "pp"),
    ("$3.1M", 3.1e6, "USD"), ("US$ 3.1", 3.1, "USD"), ("€3,1 Mio.", 3.1e6, "EUR"), ("3,1 Mio. €", 3.1e6, "EUR"),
    ("£5bn", 5e9, "GBP"), ("USD 5bn", 5e9, "USD"), ("5 million euros", 5e6, "EUR"), ("4,2 millions d'euros", 4.2e6, "EUR"),
    ("$3m", 3e6, "USD"), ("3m", 3, "m"), ("3 m", 3, "m"), ("-3.2 °C", -3.2, "°C"), ("−3.2 °C", -3.2, "°C"),
    ("62.6 °F", 62.6, "°F"), ("17.2C", 17.2, "°C"), ("12 km/h", 12, "km/h"), ("80 kg", 80, "kg"), ("3.4 million tonnes", 3.4e6, "t"),
    ("300 µg/m³", 300, "µg/m³"), ("4 mmol/L", 4, "mmol/L"), ("7.1 t/ha", 7.1, "t/ha"), ("$2.10/kg", 2.1, "USD/kg"),
    ("1.5e6", 1.5e6, None), ("0.123", 0.123, None), ("0,123", 0.123, None), ("1234.567", 1234.567, None), ("12.5 kWh", 12.5, "kWh"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "value", "unit"), READ)
def test_a_notation_is_read_with_its_unit(said: str, value: float, unit: str | None) -> None:
    raws = list(find_raw(said))
    amount = settled(raws[0], marks_in(raws, said))
    assert isinstance(amount, Amount)
    assert (len(raws), amount.value, amount.unit and amount.unit.symbol) == (1, value, unit)
    assert said[amount.span.start : amount.span.end] == said


@pytest.mark.parametrize(
    "said",
    [
        "1st",
        "3D",
        "10-K",
        "5-year",
        "120/80",
        "10:30",
        "section 3.1",
        "v2.0",
        "1.2.3",
        "5x",
        "#12",
        "192.168.0.1",
        "A4",
        "No. 7",
    ],
)
def test_what_names_or_counts_something_else_is_no_amount(said: str) -> None:
    assert list(find_raw(said)) == []


@pytest.mark.parametrize("said", ["1.234", "€1.234", "5 200 g", "1,234"])
def test_two_readings_and_nothing_that_decides_is_left_out(said: str) -> None:
    raws = list(find_raw(said))
    assert [settled(raw, marks_in(raws, said)) for raw in raws] == [LeftOut.AMBIGUOUS_NUMBER]


def test_other_numbers_decide_and_a_language_only_for_thousands() -> None:
    (raw,) = find_raw("1.234")
    read = {marks: settled(raw, marks) for marks in (Marks("."), Marks(","), Marks(None, ","), Marks(None, "."))}
    assert [amount.value if isinstance(amount, Amount) else amount for amount in read.values()] == [
        1.234,
        1234,
        1234,
        LeftOut.AMBIGUOUS_NUMBER,
    ]


def test_numbers_that_disagree_decide_nothing() -> None:
    text = "3.1 and 3,1 and 1.234 of the"
    assert marks_in(list(find_raw(text)), text) == Marks()


def test_a_cell_in_brackets_is_negative_and_a_cell_of_words_is_none() -> None:
    negative = read_amount("(3.2)", Marks("."))
    assert isinstance(negative, Amount)
    assert negative.value == -3.2
    assert read_amount("3.2 or so", Marks(".")) is None
    assert read_amount("", Marks(".")) is None


NUMBERS = st.decimals(min_value=0, max_value=10**9, places=2, allow_nan=False, allow_infinity=False)
STYLES = {",.": ".", ".,": ",", "\u202f,": ",", " ,": ",", "'.": "."}


def written(number: Decimal, style: str) -> str:
    group, mark = style
    return f"{number:,.2f}".replace(",", "\x00").replace(".", mark).replace("\x00", group)


@given(NUMBERS, st.sampled_from(list(STYLES)))
def test_a_number_with_two_decimals_is_read_back_from_any_notation(number: Decimal, style: str) -> None:
    said = written(number, style)
    raws = list(find_raw(said))
    amount = settled(raws[0], marks_in(raws, ""))
    assert isinstance(amount, Amount)
    assert amount.number == number


@given(st.integers(0, 10**9), st.sampled_from([",", "."]), st.sampled_from([Marks("."), Marks(","), Marks()]))
def test_a_grouped_number_is_read_as_the_marks_say_or_not_at_all(number: int, group: str, marks: Marks) -> None:
    said = f"{number:,}".replace(",", group)
    amount = settled(next(find_raw(said)), marks)
    if said.count(group) != 1:
        assert isinstance(amount, Amount)
        assert amount.number == number
    elif marks.shown is None:
        assert amount is LeftOut.AMBIGUOUS_NUMBER
    else:
        assert isinstance(amount, Amount)
        assert amount.number == (Decimal(said.replace(group, ".")) if marks.shown == group else number)


@given(st.text(alphabet="0123456789.,' eE-\u202f", max_size=30))
def test_whatever_is_read_has_only_the_digits_that_stand_there(said: str) -> None:
    numeral = read_numeral(said)
    for value in (numeral.point, numeral.comma) if numeral and "e" not in said.lower() else ():
        if value is not None:
            digits = "".join(c for c in said if c.isdigit()).lstrip("0")
            assert "".join(map(str, value.as_tuple().digits)).lstrip("0") == digits
