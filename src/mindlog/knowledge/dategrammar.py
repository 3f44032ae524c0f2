"""The grammar of time expressions: which words are one, and the interval each names from an anchor.

A table of rules; knows nothing of sentences or of how expressions combine. A rule that cannot be resolved (31 February) is
no expression. Weeks begin on Monday; a day or month without a year is the latest that has begun, or, where the words look
ahead, the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, timedelta, timezone
from typing import Final

from mindlog.knowledge.calendar import Anchor, Interval
from mindlog.knowledge.datewords import (
    DAY_WORDS,
    MONTHS,
    NUMBERS,
    SEASONS,
    TURNS,
    UNITS,
    WEEKDAYS,
    is_spaced,
    pattern_of,
)
from mindlog.knowledge.extraction import Precision

__all__ = ["Rule", "rules_for"]

Resolve = Callable[[re.Match[str], Anchor, bool], Interval | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """An expression's shape and its meaning: `resolve(match, anchor, ahead)`. A group `at` narrows what is the phrase."""

    name: str
    shape: re.Pattern[str]
    resolve: Resolve


_SPACED = re.compile(r"[a-zà-ÿœа-яё]+(?:[’'-][a-zà-ÿœа-яё]+)*|\d")
_UNSPACED = re.compile(r"[年月日周週星期天礼号前後后昨今明一き]|おと|あさ")
# "mar" and "sept" are other words too, so a month needs a number or a preposition beside it.
_MONTH = rf"(?P<month>{pattern_of(MONTHS)})(?!\w)(?:\.(?=\s\d))?"
_WEEKDAY = rf"(?P<weekday>{pattern_of(WEEKDAYS)})(?!\w)"
_UNIT = rf"(?P<unit>{pattern_of({w: u for w, u in UNITS.items() if is_spaced(w)})})(?!\w)"
_LONG_UNIT = r"(?P<unit>week|month|quarter|year|decade|woche|monat|quartal|jahr|jahrzehnt|semaine|mois|trimestre|année|an|semana|mes|año|неделя|неделю|неделе|недели|месяц|месяце|месяца|квартал|квартале|год|году|года|десятилетие)(?!\w)"
_TURN = rf"(?P<turn>{pattern_of({w: n for w, n in TURNS.items() if is_spaced(w)})})"
_AFTER_TURN = r"(?P<turn>derni[èe]re?|pass[ée]e?|prochaine?|pasad[oa]|próxim[oa]|que viene)(?!\w)"
_N = rf"(?P<n>\d{{1,4}}|(?:a\s+)?(?:couple\s+of|few)|{pattern_of({w: n for w, n in NUMBERS.items() if is_spaced(w)})})"
_YEAR = r"(?P<year>\d{4})(?!\w)"
_CJK_N = r"(?P<n>\d{1,4}|[一二两兩三四五六七八九十]{1,3})"
_CJK_UNIT = rf"(?P<unit>{pattern_of({w: u for w, u in UNITS.items() if not is_spaced(w)})})"
_DAY_WORDS = {w: n for w, n in DAY_WORDS.items() if is_spaced(w)}
_CJK_DAY_WORDS = {w: n for w, n in DAY_WORDS.items() if not is_spaced(w)}
_IN = r"(?:in|im|en|since|seit|depuis|desde|by|until|till|bis|during|around|of|early|late|mid|before|after|from|to|and|between|в|во|с|до|после|к|на|за|между|и|по)"
_CJK_WEEKDAYS = {
    char: number
    for number, chars in enumerate(("一月", "二火", "三水", "四木", "五金", "六土", "日天"))
    for char in chars
}
_CJK_TURNED = {"周": "week", "週": "week", "星": "week", "礼": "week", "月": "month", "年": "year", "季": "quarter"}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def rules_for(text: str) -> Iterator[Rule]:
    """Yield the rules that can match a text, by the words it has. Most texts need none or few."""
    lowered = text.lower()
    classes = {cls for word in _SPACED.findall(lowered) if (cls := _CLASSES.get(word))}
    if not text.isascii() and _UNSPACED.search(text):
        classes.add("cjk")
    if classes:
        for cls, rule in _RULES:
            if not classes.isdisjoint(cls):
                yield rule


def _number(match: re.Match[str]) -> int:
    said = (match.groupdict().get("n") or "1").lower()
    if said.isdecimal():
        return int(said)
    if "couple" in said or "few" in said:
        return 2 if "couple" in said else 3
    if said in NUMBERS:
        return NUMBERS[said]
    tens, _, ones = said.partition("十")
    return (NUMBERS.get(tens, 1) * 10 if "十" in said else 0) + NUMBERS.get(ones, 0)


def _offset(match: re.Match[str]) -> int:
    said = match["turn"].lower().split()[-1]
    if said in TURNS:
        return TURNS[said]
    return 1 if said.startswith(("proch", "próx", "viene")) else -1


def _year(match: re.Match[str]) -> int | None:
    said = match.groupdict().get("year")
    return int(said) if said else None


def _begun(find: Callable[[int], Interval | None], anchor: Anchor, ahead: bool) -> Interval | None:
    """Return the latest interval of the years around the anchor that has begun, or the next one that has not ended."""
    year = anchor.today.year
    years = range(year - 4, year + 5)
    found = [interval for y in years if (interval := find(y))]
    if ahead:
        return next((interval for interval in found if interval.end > anchor.at), None)
    return next((interval for interval in reversed(found) if interval.start <= anchor.at), None)


def _iso(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    if match["offset"]:
        anchor = Anchor(anchor.at, _zone(match["offset"]))
    day = anchor.day(int(match["year"]), int(match["month"]), int(match["day"]))
    if day is None or match["hour"] is None:
        return day
    return anchor.clock(day, int(match["hour"]), int(match["minute"]))


def _zone(offset: str) -> timezone:
    if offset == "Z":
        return UTC
    hours, minutes = int(offset[1:3]) % 24, int(offset[-2:]) % 60
    shift = timedelta(hours=hours, minutes=minutes)
    return timezone(-shift if offset[0] == "-" else shift)


def _numeric(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return anchor.day(int(match["year"]), int(match["month"]), int(match["day"]))


def _slashed(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if first <= 12 and second <= 12 and first != second:
        return None  # 4/5/2023 is April to some and May to others
    day, month = (first, second) if first > 12 else (second, first)
    return anchor.day(year, month, day)


def _month_day(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    month, day = MONTHS[match["month"].lower()], int(match["day"])
    if (year := _year(match)) is not None:
        return anchor.day(year, month, day)
    return _begun(lambda y: anchor.day(y, month, day), anchor, ahead)


def _month(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    month = MONTHS[match["month"].lower()]
    if (year := _year(match)) is not None:
        return anchor.months(year, month, Precision.MONTH)
    return _begun(lambda y: anchor.months(y, month, Precision.MONTH), anchor, ahead)


def _turned_month(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    month, offset, today = MONTHS[match["month"].lower()], _offset(match), anchor.today
    if offset == 0:
        return anchor.months(today.year, month, Precision.MONTH)
    other = month < today.month if offset < 0 else month > today.month
    return anchor.months(today.year if other else today.year + offset, month, Precision.MONTH)


def _only_year(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return anchor.months(int(match["year"]), 1, Precision.YEAR)


def _decade(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return anchor.months(int(match["year"]), 1, Precision.DECADE)


def _quarter(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    said = match["quarter"].lower()
    first = 3 * (_ORDINALS.get(said) or int(said)) - 2
    if (year := _year(match)) is not None:
        return anchor.months(year, first, Precision.QUARTER)
    return _begun(lambda y: anchor.months(y, first, Precision.QUARTER), anchor, ahead)


def _season(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    first = 3 * SEASONS[match["season"].lower()] + 3
    if (year := _year(match)) is not None:
        return anchor.months(year, first, Precision.SEASON)
    return _begun(lambda y: anchor.months(y, first, Precision.SEASON), anchor, ahead)


def _turned_season(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    first, offset = 3 * SEASONS[match["season"].lower()] + 3, _offset(match)
    if offset == 0:
        return anchor.months(anchor.today.year, first, Precision.SEASON)
    found = [
        s
        for y in range(anchor.today.year - 2, anchor.today.year + 3)
        if (s := anchor.months(y, first, Precision.SEASON))
    ]
    if offset < 0:
        return next((season for season in reversed(found) if season.end <= anchor.at), None)
    return next((season for season in found if season.start > anchor.at), None)


def _day_word(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return anchor.day_after(DAY_WORDS[match["word"].lower()])


def _stretch(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    count = _number(match) if match.groupdict().get("n") else 1
    back = match.groupdict().get("turn") is None or _offset(match) <= 0
    return anchor.stretch(UNITS[match["unit"].lower()], count if back else -count)


def _ago(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return anchor.unit(UNITS[match["unit"].lower()], -_number(match))


def _hence(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return anchor.unit(UNITS[match["unit"].lower()], _number(match))


def _turned_unit(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return anchor.unit(UNITS[match["unit"].lower()], _offset(match))


def _weekend(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    monday = 7 * _offset(match) - anchor.today.weekday()
    return anchor.span_of_days(monday + 5, 2, Precision.DAY)


def _weekday(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return _on_weekday(anchor, WEEKDAYS[match["weekday"].lower()], 1 if ahead else -1, strict=False)


def _turned_weekday(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    number, offset = WEEKDAYS[match["weekday"].lower()], _offset(match)
    if offset == 0:
        return anchor.day_after(number - anchor.today.weekday())
    return _on_weekday(anchor, number, offset, strict=True)


def _on_weekday(anchor: Anchor, number: int, direction: int, *, strict: bool) -> Interval | None:
    distance = direction * (number - anchor.today.weekday()) % 7
    return anchor.day_after(direction * (distance or (7 if strict else 0)))


def _cjk_day(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    month, day = int(match["month"]), int(match["day"])
    if (year := _year(match)) is not None:
        return anchor.day(year, month, day)
    return _begun(lambda y: anchor.day(y, month, day), anchor, ahead)


def _cjk_month(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    month = int(match["month"])
    return anchor.months(int(match["year"]), month, Precision.MONTH) if 1 <= month <= 12 else None


def _cjk_turned(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    return anchor.unit(UNITS[_CJK_TURNED[match["unit"][0]]], _offset(match))


def _cjk_weekday(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    number = _CJK_WEEKDAYS[match["weekday"]]
    if match["turn"]:
        return anchor.day_after(7 * _offset(match) + number - anchor.today.weekday())
    return _on_weekday(anchor, number, 1 if ahead else -1, strict=False)


def _clock(match: re.Match[str], anchor: Anchor, ahead: bool) -> Interval | None:
    hour, half = int(match["hour"]), (match.groupdict().get("half") or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    today = anchor.day_after(0)
    return anchor.clock(today, hour, int(match["minute"]) if match["minute"] else None) if today else None


def _rule(classes: str, name: str, shape: str, resolve: Resolve) -> tuple[frozenset[str], Rule]:
    return frozenset(classes.split()), Rule(name, re.compile(shape, re.IGNORECASE), resolve)


_B = r"(?<!\w)"
# Earlier rules win over later ones that begin at the same place with the same length.
_RULES: Final = (
    _rule("digit", "iso", r"(?<![\w./-])(?P<year>\d{4})([-/])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?![\d/-])(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d\d)(?::\d\d(?:\.\d{1,9})?)?\s?(?P<offset>Z|[+-]\d\d:?\d\d)?)?(?!\w)", _iso),
    _rule("digit", "dotted", r"(?<![\w.])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})(?!\w)", _numeric),
    _rule("digit", "slashed", r"(?<![\w/.-])(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4})(?![\w/-])", _slashed),
    _rule("month", "month_day", rf"{_B}{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\w|[:/%]|\.\d)(?:,?\s+{_YEAR})?", _month_day),
    _rule("month", "day_month", rf"{_B}(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?{_MONTH}(?:,?\s+(?:del?\s+|of\s+)?{_YEAR})?", _month_day),
    _rule("month", "month_year", rf"{_B}{_MONTH},?\s+(?:de\s+|of\s+)?{_YEAR}", _month),
    _rule("month", "turned_month", rf"{_B}{_TURN}\s+{_MONTH}", _turned_month),
    _rule("month", "month_turned", rf"{_B}{_MONTH}\s+{_AFTER_TURN}", _turned_month),
    _rule("month", "in_month", rf"{_B}{_IN}[\s-]+(?P<at>{_MONTH})(?!\s+\d)", _month),
    _rule("digit", "in_year", rf"{_B}{_IN}\s+(?:jahr\s+|year\s+|year\s+of\s+)?(?P<at>(?P<year>(?:19|20)\d\d)(?:\s+(?:году|года))?)(?![\w/-]|[.,:]\d)", _only_year),
    _rule("digit", "decade", rf"{_B}the\s+(?P<at>(?P<year>(?:19|20)\d0)'?s)(?!\w)", _decade),
    _rule("quarter digit", "quarter", rf"{_B}Q(?P<quarter>[1-4])(?!\w)(?:\s*/?\s*{_YEAR})?", _quarter),
    _rule("unit", "spelt_quarter", rf"{_B}(?P<quarter>first|second|third|fourth)\s+quarter(?:\s+of)?\s+{_YEAR}", _quarter),
    _rule("season", "turned_season", rf"{_B}{_TURN}\s+(?P<season>{pattern_of(SEASONS)})(?!\w)", _turned_season),
    _rule("season", "season", rf"{_B}(?P<season>{pattern_of(SEASONS)})\s+(?:of\s+|de\s+|del\s+)?{_YEAR}", _season),
    _rule("day", "day_word", rf"{_B}(?P<word>{pattern_of(_DAY_WORDS)})(?!\w)", _day_word),
    _rule("unit", "stretch", rf"{_B}{_TURN}\s+{_N}\s+{_UNIT}", _stretch),
    _rule("unit", "stretch_inside", rf"{_B}{_N}\s+(?P<turn>derniers|dernières|últimos|últimas|prochains|prochaines|próximos|próximas)\s+{_UNIT}", _stretch),
    _rule("unit", "past_unit", rf"{_B}(?P<turn>past)\s+{_UNIT}", _stretch),
    _rule("unit", "ago", rf"{_B}{_N}\s+{_UNIT}\s+(?:ago|back|earlier|назад)(?!\w)", _ago),
    _rule("unit", "bare_ago", rf"{_B}{_UNIT}\s+назад(?!\w)", _ago),
    _rule("unit", "ago_before", rf"{_B}(?:vor|il\s+y\s+a|hace)\s+{_N}\s+{_UNIT}", _ago),
    _rule("unit", "hence", rf"{_B}(?:in|dans|dentro\s+de|en|через)\s+{_N}\s+{_UNIT}", _hence),
    _rule("unit", "bare_hence", rf"{_B}через\s+{_UNIT}", _hence),
    _rule("unit", "from_now", rf"{_B}{_N}\s+{_UNIT}\s+from\s+now(?!\w)", _hence),
    _rule("unit", "turned_unit", rf"{_B}{_TURN}\s+{_LONG_UNIT}", _turned_unit),
    _rule("unit", "unit_turned", rf"{_B}(?P<unit>semaine|mois|trimestre|année|an|semana|mes|año)\s+{_AFTER_TURN}", _turned_unit),
    _rule("weekend", "weekend", rf"{_B}{_TURN}\s+(?:weekend|выходные|выходных)(?!\w)", _weekend),
    _rule("weekday", "turned_weekday", rf"{_B}{_TURN}\s+{_WEEKDAY}", _turned_weekday),
    _rule("weekday", "weekday_turned", rf"{_B}{_WEEKDAY}\s+{_AFTER_TURN}", _turned_weekday),
    _rule("weekday", "weekday", rf"{_B}{_WEEKDAY}", _weekday),
    _rule("digit", "clock", rf"{_B}(?:at\s+)?(?P<at>(?P<hour>\d{{1,2}})(?::(?P<minute>\d\d))?\s?(?P<half>[ap]\.?m)(?!\w)\.?)", _clock),
    _rule("digit", "clock24", r"(?<![\w:.,/-])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\w:/]|\.\d)", _clock),
    _rule("cjk", "cjk_day", r"(?:(?P<year>\d{4})\s?年\s?)?(?<!\d)(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?[日号號]", _cjk_day),
    _rule("cjk", "cjk_month", r"(?<!\d)(?P<year>\d{4})\s?年\s?(?P<month>\d{1,2})\s?月", _cjk_month),
    _rule("cjk", "cjk_year", r"(?<!\d)(?P<year>(?:19|20)\d\d)\s?年", _only_year),
    _rule("cjk", "cjk_day_word", rf"(?P<word>{pattern_of(_CJK_DAY_WORDS)})", _day_word),
    _rule("cjk", "cjk_weekday", r"(?:(?P<turn>上|下|这|這|本)[个個]?)?(?:周|週|星期|礼拜)(?P<weekday>[一二三四五六日天])", _cjk_weekday),
    _rule("cjk", "kanji_weekday", r"(?:(?P<turn>先|今|来)週の)?(?P<weekday>[月火水木金土日])曜", _cjk_weekday),
    _rule("cjk", "cjk_ago", rf"(?<!\d){_CJK_N}\s?{_CJK_UNIT}(?:以?前|之前)", _ago),
    _rule("cjk", "cjk_hence", rf"(?<!\d){_CJK_N}\s?{_CJK_UNIT}(?:以?[后後]|之[后後])", _hence),
    _rule("cjk", "cjk_stretch", rf"(?:过去|過去|最近|近|この|ここ)的?\s?{_CJK_N}\s?{_CJK_UNIT}", _stretch),
    _rule("cjk", "cjk_turned", r"(?P<turn>上|下|这|這|本|先|今|来|來|去|昨|明|翌)[个個]?(?P<unit>星期|礼拜|季度|[周週月年])(?![一二三四五六]|日)", _cjk_turned),
)  # fmt: skip

_CLASSES: Final = {
    **dict.fromkeys(UNITS, "unit"),
    **dict.fromkeys(SEASONS, "season"),
    **dict.fromkeys(MONTHS, "month"),
    **dict.fromkeys(WEEKDAYS, "weekday"),
    **{word: "day" for words in _DAY_WORDS for word in (words, words.split()[-1])},
    **dict.fromkeys("0123456789", "digit"),
    **dict.fromkeys(("weekend", "выходные", "выходных"), "weekend"),
    "night": "day", "morning": "day", "afternoon": "day", "evening": "day", "ayer": "day",
}  # fmt: skip
