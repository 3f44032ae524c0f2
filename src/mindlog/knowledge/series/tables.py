"""Reads series out of tables: the times in a column or in the header, the values of a column or of a row.

A column of countries, products or stations says whose the values of its row are. Knows no prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mindlog.knowledge.extraction import Span
from mindlog.knowledge.series.amounts import Amount, find_raw, measure_of, read_amount
from mindlog.knowledge.series.captions import Caption, Measured, caption_of, measured
from mindlog.knowledge.series.collect import Reading
from mindlog.knowledge.series.found import Found, LeftOut
from mindlog.knowledge.series.grid import Cell, Grid
from mindlog.knowledge.series.labels import Label, is_entity_header, label_of
from mindlog.knowledge.series.numerals import Marks, Numeral, marks_of
from mindlog.knowledge.series.page import Page
from mindlog.knowledge.series.times import Part, When, dated, read_when
from mindlog.knowledge.wordlist import wordlist

__all__ = ["read_table"]

_TIME_HEADERS = wordlist(
    "year years date dates day month quarter period time timestamp datetime week when jahr datum monat quartal zeit année date_time mois fecha año mes"
)
_COUNT_HEADERS = wordlist("# id no no. nr nr. rank row pos position notes note comment comments remarks")
_NAME_HEADERS = wordlist("metric indicator variable series measure item kpi parameter quantity kennzahl line_item")
_VALUE_HEADERS = wordlist("value values amount reading readings result number figure wert valeur valor measurement")
_UNIT_HEADERS = wordlist("unit units einheit einheiten unité unités unidad")
_EMPTY = frozenset(
    {"", "-", "–", "—", "n/a", "na", "nan", "null", "none", ".", "..", "...", "?", "n.a.", "k.a.", "x", "tbd"}
)
_YEAR_AT_END = re.compile(r"(?P<name>\S.*?)[\s,(]+(?P<year>(?:19|20)\d\d)\)?$")
_LONGEST_VALUE: Final = 40
_MOST_PARSED: Final = 0.6  # of a column's cells, for it to be one of times or numbers


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where a table's times stand: at each place a time, None where there is none."""

    columns: frozenset[int]
    whens: list[When | None]
    in_header: bool


def read_table(page: Page, grid: Grid, found: Found) -> Iterator[Reading] | None:
    """Return the readings of a table, counting what is none; None if it has no times or no numbers."""
    axis = _axis(page, grid)
    if axis is None:
        return None
    table = _Table(page, grid, axis, caption_of(page, grid.span.start), found)
    return table.across() if axis.in_header else table.down()


def _axis(page: Page, grid: Grid) -> _Axis | None:
    header = [_header_when(page, cell) for cell in grid.header]
    if sum(when is not None for when in header[1:]) >= 2 or (grid.is_ruled and all(header[1:])):
        return _Axis(frozenset(i for i, when in enumerate(header) if when), header, in_header=True)
    columns = {at: whens for at in range(len(grid.header)) if (whens := _times_down(page, grid, at))}
    if not columns:
        return None
    first = next((at for at in columns if _is_time_header(grid.header[at])), min(columns))
    other = next((at for at in columns if at != first and _completes(columns[first], columns[at])), None)
    whens = columns[first] if other is None else _joined(page, columns[first], columns[other])
    return _Axis(frozenset(columns if other is None else {*columns, other}), whens, in_header=False)


def _header_when(page: Page, cell: Cell) -> When | None:
    if when := read_when(cell.text, page.anchor, page.slashes):
        return when
    year = _YEAR_AT_END.fullmatch(cell.text)
    return read_when(year["year"], page.anchor) if year and len(cell.text) < 60 else None


def _is_time_header(cell: Cell) -> bool:
    words = re.findall(r"[^\W\d]+", cell.text.lower())
    return bool(words) and not _TIME_HEADERS.isdisjoint(words)


def _times_down(page: Page, grid: Grid, at: int) -> list[When | None] | None:
    """Return the times of a column, None if it is none of times. Numbers like years need a header that says so, or to stand first."""
    cells, is_named = grid.column(at), _is_time_header(grid.header[at])
    whens = [_when(page, cell, grid.header[at].text.lower(), is_named=is_named) for cell in cells]
    filled = sum(cell.text.lower() not in _EMPTY for cell in cells)
    read = sum(when is not None for when in whens)
    if not read or read < _MOST_PARSED * filled or (at and not is_named and all(c.text.isdigit() for c in cells)):
        return None
    return whens


def _when(page: Page, cell: Cell, header: str, *, is_named: bool) -> When | None:
    if is_named and cell.text.isdigit() and len(cell.text) <= 2:
        number, span = int(cell.text), Span(0, len(cell.text))
        if header.strip() in ("month", "monat", "mois", "mes") and 1 <= number <= 12:
            return When(span, part=Part(number, 1))
        if header.strip() in ("quarter", "quartal", "qtr") and 1 <= number <= 4:
            return When(span, part=Part(3 * number - 2, 3))
    return read_when(cell.text, page.anchor, page.slashes)


def _completes(years: Sequence[When | None], parts: Sequence[When | None]) -> bool:
    """Say whether one of two columns has the years and the other the parts of them."""
    pairs = [(one, other) for one, other in zip(years, parts, strict=True) if one and other]
    return bool(pairs) and all((one.part is None) != (other.part is None) for one, other in pairs)


def _joined(page: Page, one: Sequence[When | None], other: Sequence[When | None]) -> list[When | None]:
    return [_of_both(page, a, b) if a and b else None for a, b in zip(one, other, strict=True)]


def _of_both(page: Page, one: When, other: When) -> When | None:
    year, part = (one.year, other.part) if other.part else (other.year, one.part)
    if year is None or part is None:
        return None
    return When(one.span, part.of_year(year, page.anchor), year=year)


class _Table:
    """A table while it is read."""

    def __init__(self, page: Page, grid: Grid, axis: _Axis, caption: Caption, found: Found) -> None:
        self._page, self._grid, self._axis, self._caption, self._found = page, grid, axis, caption, found
        self._read: dict[int, list[Numeral]] = {}
        self._year = caption.year or page.year
        self._marks = self._marks_of([cell for row in grid.rows for cell in row], page.marks)

    def down(self) -> Iterator[Reading]:
        """Yield the readings of a table whose times stand in a column: a series for each column of numbers."""
        names = self._words_column(_NAME_HEADERS.__contains__)
        entities = self._words_column(is_entity_header)
        if entities is None and names is None:
            entities = self._telling_column()
        others = [
            at for at in range(len(self._grid.header)) if at not in self._axis.columns and at not in (names, entities)
        ]
        groups: dict[tuple[str, str], list[int]] = {}
        for i, row in enumerate(self._grid.rows):
            key = (row[names].text if names is not None else "", row[entities].text if entities is not None else "")
            groups.setdefault(key, []).append(i)
        for at in others:
            cells = self._grid.column(at)
            if self._is_of_numbers(cells) and self._grid.header[at].text.lower() not in _COUNT_HEADERS:
                marks = self._marks_of(cells, self._marks)
                for (name, entity), rows in groups.items():
                    yield from self._column(at, rows, name, entity, marks)

    def across(self) -> Iterator[Reading]:
        """Yield the readings of a table whose times stand in the header: a series for each row."""
        columns = sorted(self._axis.columns)
        heads = [column for column in range(len(self._grid.header)) if column < columns[0]]
        units = self._words_column(_UNIT_HEADERS.__contains__)
        heads = [head for head in heads if head != units]
        is_entity = bool(heads) and is_entity_header(self._grid.header[heads[0]].text)
        for row in self._grid.rows:
            if not self._is_of_numbers([row[at] for at in columns]):
                continue
            head = measured(row[heads[0]].text if heads else "")
            if units is not None and (said := measure_of(row[units].text)):
                head = Measured(head.words, *said)
            label = self._label_of_row(head.words, is_entity=is_entity)
            marks = self._marks_of([row[at] for at in columns], self._marks)
            places = [(row[at], self._axis.whens[at], self._grid.header[at]) for at in columns]
            yield from self._readings(places, label, marks, head, with_time=False)

    def _label_of_row(self, words: str, *, is_entity: bool) -> Label:
        if is_entity and words:
            return Label(self._name_in_header() or self._caption.label.name, words)
        return label_of(words).after(self._caption.label) if words else self._caption.label

    def _name_in_header(self) -> str | None:
        """Return the name that every time of the header stands with: "Population 2020", "Population 2021"."""
        names = {m["name"] for at in self._axis.columns if (m := _YEAR_AT_END.fullmatch(self._grid.header[at].text))}
        return label_of(measured(names.pop()).words).name if len(names) == 1 else None

    def _column(self, at: int, rows: Sequence[int], name: str, entity: str, marks: Marks) -> Iterator[Reading]:
        head = measured(self._grid.header[at].text)
        label = Label() if head.words.strip().lower() in _VALUE_HEADERS else label_of(head.words)
        label = Label(label_of(name).name, label.entity) if name else label
        label = (Label(label.name, entity) if entity else label).after(self._caption.label)
        time_at = min(self._axis.columns)
        places = [(self._grid.rows[i][at], self._axis.whens[i], self._grid.rows[i][time_at]) for i in rows]
        yield from self._readings(places, label, marks, head, with_time=True)

    def _readings(
        self,
        places: Sequence[tuple[Cell, When | None, Cell]],
        label: Label,
        marks: Marks,
        head: Measured,
        *,
        with_time: bool,
    ) -> Iterator[Reading]:
        """Yield the readings of cells with their times and the cells of these; `head` says what all are measured in.

        `with_time`: the evidence reaches to the cell of the time, which is in the same row.
        """
        timed = [(cell, when, beside) for cell, when, beside in places if when is not None]
        periods = dated([when for _, when, _ in timed], self._page.anchor, self._year)
        for (cell, when, beside), period in zip(timed, periods, strict=True):
            amount = self._amount(cell, marks, head)
            if amount is None:
                continue
            if period is None:
                self._found.leave(LeftOut.FISCAL_YEAR if when.is_fiscal else LeftOut.AMBIGUOUS_TIME)
                continue
            yield Reading(
                label=self._page.said_by(label, cell.start),
                period=period,
                value=amount.value,
                unit=amount.unit,
                written=cell.text,
                start=min(cell.start, beside.start) if with_time else cell.start,
                end=max(cell.end, beside.end) if with_time else cell.end,
            )

    def _amount(self, cell: Cell, marks: Marks, head: Measured) -> Amount | None:
        if cell.text.lower() in _EMPTY:
            return None
        amount = read_amount(cell.text, marks) if self._numerals(cell) else None
        if amount is None or isinstance(amount, LeftOut):
            self._found.leave(amount or LeftOut.NO_NUMBER)
            return None
        return head.of(amount) if head.unit or head.power else self._caption.measure.of(amount)

    def _words_column(self, accepts: Callable[[str], bool]) -> int | None:
        """Return the first column of words whose header is accepted."""
        return next(
            (
                at
                for at, cell in enumerate(self._grid.header)
                if at not in self._axis.columns
                and accepts(cell.text.strip().lower())
                and not self._is_of_numbers(self._grid.column(at))
            ),
            None,
        )

    def _telling_column(self) -> int | None:
        """Return the one column of words that tells rows of the same time apart, None if there is none."""
        whens = [(when.period, when.part) for when in self._axis.whens if when]
        if len(set(whens)) == len(whens):
            return None
        words = [at for at in range(len(self._grid.header)) if at not in self._axis.columns and self._tells(at)]
        return words[0] if len(words) == 1 else None

    def _tells(self, at: int) -> bool:
        texts = [cell.text for cell in self._grid.column(at)]
        return all(texts) and len(set(texts)) < len(texts) and not self._is_of_numbers(self._grid.column(at))

    def _is_of_numbers(self, cells: Sequence[Cell]) -> bool:
        filled = [cell for cell in cells if cell.text.lower() not in _EMPTY]
        read = sum(bool(self._numerals(cell)) and read_amount(cell.text, self._marks) is not None for cell in filled)
        return bool(filled) and read >= _MOST_PARSED * len(filled)

    def _numerals(self, cell: Cell) -> list[Numeral]:
        if cell.start not in self._read:
            self._read[cell.start] = [raw.numeral for raw in find_raw(cell.text[:_LONGEST_VALUE])]
        return self._read[cell.start]

    def _marks_of(self, cells: Sequence[Cell], otherwise: Marks) -> Marks:
        numerals = [numeral for cell in cells for numeral in self._numerals(cell)]
        votes = {vote for numeral in numerals if (vote := numeral.votes_for)}
        return marks_of(numerals, "") if len(votes) == 1 else otherwise
