"""Series from any endpoint that answers with CSV or JSON, by configuration. Owns both formats."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from mindlog.providers.addresses import fill
from mindlog.providers.answers import BadAnswer, WebReply, at_path, json_answer, shown
from mindlog.providers.http import WebCall, WebGetter
from mindlog.providers.plaintext import line
from mindlog.providers.series.points import read_points
from mindlog.providers.series.provider import FetchedSeries, SeriesRequest

__all__ = ["EndpointSeries", "PointFields"]

_NAME_CHARS = 200
_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointFields:
    """Where an answer holds what.

    CSV: `time` and `value` name columns. JSON: they are pointers within each item of the list at `items`; where that is
    None, pointers to two lists of equal length.
    """

    form: Literal["json", "csv"] = "json"
    items: str | None = ""
    time: str = "/date"
    value: str = "/value"


class EndpointSeries:
    """A `SeriesProvider` over one address."""

    def __init__(
        self, getter: WebGetter, template: str, fields: PointFields, *, unit: str | None = None, key: str = ""
    ) -> None:
        """template: the address, with {name} {entity} {start} {end} {key} where it wants them; days as 2024-01-31.

        unit: of what the endpoint gives.
        """
        self._getter = getter
        self._template = template
        self._fields = fields
        self._unit = unit
        self._key = key

    @property
    def name(self) -> str:
        """The provider's name, in errors and records."""
        return self._getter.provider

    def serves(self, request: SeriesRequest) -> bool:
        """Whether all that the address asks for is there."""
        return "{entity}" not in self._template or bool(request.entity and line(request.entity, _NAME_CHARS))

    async def fetch(self, request: SeriesRequest) -> FetchedSeries:
        """See `SeriesProvider.fetch`."""
        if not self.serves(request):
            raise self._getter.failed("needs an entity to ask for", retryable=False)
        return await self._getter.ask(self._call(request), lambda reply: self._series(reply, request))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._getter.aclose()

    def _call(self, request: SeriesRequest) -> WebCall:
        name, entity = line(request.name, _NAME_CHARS), line(request.entity or "", _NAME_CHARS)
        start, end = _day(request.start), _day(request.end)
        values = {"name": name, "entity": entity, "start": start, "end": end, "key": self._key}
        return WebCall(
            asked=f"{name}{f' of {entity}' if entity else ''}, {start} to {end}",
            endpoint=self._template,
            url=fill(self._template, values),
            accept="text/csv" if self._fields.form == "csv" else "application/json",
        )

    def _series(self, reply: WebReply, request: SeriesRequest) -> FetchedSeries:
        pairs = csv_pairs(reply, self._fields) if self._fields.form == "csv" else json_pairs(reply, self._fields)
        return FetchedSeries(
            name=request.name,
            entity=request.entity,
            unit=self._unit,
            points=read_points(pairs, request),
            source_url=reply.url,
        )


def json_pairs(reply: WebReply, fields: PointFields) -> list[tuple[Any, Any]]:
    """(time, value) pairs as JSON has them. Raises `BadAnswer` if they are not where they should be."""
    answer = json_answer(reply)
    if fields.items is not None:
        items = _list(answer, fields.items)
        return [(at_path(each, fields.time), at_path(each, fields.value)) for each in items]
    times, values = _list(answer, fields.time), _list(answer, fields.value)
    if len(times) != len(values):
        raise BadAnswer(f"it has {len(times)} times and {len(values)} values")
    return list(zip(times, values, strict=True))


def csv_pairs(reply: WebReply, fields: PointFields) -> list[tuple[str, str]]:
    """(time, value) pairs of the two columns, as text. Raises `BadAnswer` for what is no table with them."""
    try:
        text = reply.content.decode("utf-8-sig")
        return list(_cells(text, fields))
    except (UnicodeDecodeError, csv.Error) as exc:
        raise BadAnswer(f"it is not CSV: {exc}") from exc


def _cells(text: str, fields: PointFields) -> Iterator[tuple[str, str]]:
    header, _, _ = text.partition("\n")
    delimiter = max(_DELIMITERS, key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns = [each.strip() for each in next(rows, [])]
    if any(columns.count(name) != 1 for name in (fields.time, fields.value)):
        raise BadAnswer(f"it has not one column {fields.time} and one {fields.value}: it begins {shown(header)}")
    time, value = columns.index(fields.time), columns.index(fields.value)
    for row in rows:
        if not row:
            continue
        if len(row) != len(columns):
            raise BadAnswer(f"line {rows.line_num} has {len(row)} cells under {len(columns)} columns")
        yield row[time], row[value]


def _list(answer: Any, path: str) -> list[Any]:
    found = at_path(answer, path)
    if not isinstance(found, list):
        raise BadAnswer(f"there is no list at {path or 'the root'} but {shown(found)}")
    return found


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
