"""Times that texts and cues name: found in the words, anchored at a moment and a zone, as half-open intervals.

Owns how expressions combine ("Friday at 3 pm", "between March and May", "since 2019"); the grammar owns single ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from mindlog.knowledge.calendar import EARLIEST, LATEST, Anchor, Interval
from mindlog.knowledge.dategrammar import Rule, rules_for
from mindlog.knowledge.extraction import DateMention, Precision, Span

__all__ = [
    "DateMention",
    "Precision",
    "RangeReading",
    "find_dates",
    "parse_range",
    "says_since",
    "says_until",
    "unparsed_time",
]

_Found = tuple[int, int, str, DateMention | None]  # start, minus end, rule, the mention if it can be one

_CHUNK = 2_000
_BEFORE = 60
_BREAK = re.compile(r"[.!?。！？\n][\s\"')\]]|[\n。！？]")
_AHEAD = re.compile(
    r"(?<!\w)(?:will|'ll|shall|going\s+to|due|deadline|by|until|scheduled|planned|appointment|next|wird|werden|vamos\s+a|va\s+a)(?!\w)",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"(?<!\w)(?:since|seit(?:\s+de[mr])?|depuis|desde|ever\s+since|с|со)\s+(?:the\s+|le\s+|el\s+)?$", re.IGNORECASE
)
_UNTIL = re.compile(
    r"(?<!\w)(?:until|till|up\s+to|bis|jusqu'(?:à|en)|hasta|до)\s+(?:the\s+|le\s+|el\s+)?$", re.IGNORECASE
)
_AFTER = re.compile(r"(?<!\w)(?:after|nach|après|después\s+de|после)\s+(?:the\s+|le\s+|el\s+)?$", re.IGNORECASE)
_EARLIER = re.compile(r"(?<!\w)(?:before|vor|avant|antes\s+de)\s+(?:the\s+|le\s+|el\s+)?$", re.IGNORECASE)
_BETWEEN = re.compile(
    r"(?<!\w)(?:between|from|zwischen|von|vom|entre|du|desde|de|между|с|со|от)\s+(?:the\s+)?$", re.IGNORECASE
)
_AND = re.compile(
    r"\s*(?:and|to|until|till|through|-|–|—|bis(?:\s+zum)?|und|et|au|à|y|a|hasta|и|до|по)\s+(?:the\s+)?|\s*[-–—]\s*",
    re.IGNORECASE,
)
_WITH_CLOCK = re.compile(r"(?:\s*,)?\s*(?:at|um|à|a\s+las|on)?\s*", re.IGNORECASE)
_HIER = re.compile(r"(?<!\w)(?:hier)(?!\w)", re.IGNORECASE)
_FRENCH = re.compile(
    r"(?<!\w)(?:je|j['’]\w+|nous|vous|il|elle|les?|la|est|sont|a|ai|avons|étaient?|était|du|des|une?)(?!\w)",
    re.IGNORECASE,
)
# Relative expressions that name no interval, and turns to times nobody but the writer could date.
_VAGUE = re.compile(
    r"(?<!\w)(?:recently|lately|a\s+while\s+(?:ago|back)|(?:some|a\s+long|long)\s+time\s+ago|the\s+other\s+(?:day|week|night|month)"
    r"|back\s+then|these\s+days|not\s+long\s+ago|a\s+moment\s+ago|just\s+now|soon|earlier|ages\s+ago"
    r"|(?:last|past|previous|next|this|coming)\s+(?:\w+\s+)?(?:semester|term|christmas|easter|thanksgiving|ramadan|holidays?|birthday|vacation"
    r"|sprint|session|trip|season|fortnight|century|halloween|time)"
    r"|(?:\w+\s+)?\w+\s+ago|neulich|kürzlich|letztens|damals|vor\s+kurzem|unlängst|récemment|dernièrement|naguère|l['’]autre\s+jour"
    r"|recientemente|hace\s+poco|hace\s+tiempo|el\s+otro\s+día|últimamente|недавно|давно|на\s+днях|когда-то"
    # Other languages' words for days and weeks: better named than passed over.
    r"|ieri|oggi|domani|la\s+settimana\s+scorsa|il\s+mese\s+scorso|ontem|amanhã|(?:a\s+)?semana\s+passada|(?:o\s+)?(?:mês|ano)\s+passado"
    r"|gisteren|vandaag|morgen|vorige\s+(?:week|maand)|wczoraj|dzisiaj|jutro|w\s+zeszłym\s+(?:tygodniu|miesiącu|roku)|dün|bugün|yarın"
    r"|geçen\s+(?:hafta|ay|yıl)|tegnap|múlt\s+(?:héten|hónapban)|igår|förra\s+veckan|вчора|сьогодні|минулого\s+тижня"
    r"|أمس|اليوم|غدا|الأسبوع\s+الماضي|الشهر\s+الماضي|العام\s+الماضي)(?!\w)"
    r"|(?<![\w/.-])\d{1,2}/\d{1,2}/\d{2,4}(?![\w/-])"
    r"|어제|오늘|내일|그제|지난\s?주|지난\s?달|작년|지난해|कल|आज|परसों|पिछले\s(?:हफ़्ते|हफ्ते|सप्ताह|महीने|साल)"
    r"|最近|前几天|前幾天|不久前|前阵子|前陣子|刚才|剛才|この前|先日|さっき|この間|以前|いつか",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RangeReading:
    """What a cue says of time: the windows it names, and the expressions that are about time but cannot be read."""

    windows: tuple[DateMention, ...]
    unparsed: tuple[str, ...]

    @property
    def window(self) -> tuple[int, int, str] | None:
        """The one window that holds them all: start, end and the words that name it; None if no time is named."""
        if not self.windows:
            return None
        phrase = ", ".join(dict.fromkeys(window.phrase for window in self.windows))
        return min(window.start for window in self.windows), max(window.end for window in self.windows), phrase


def find_dates(text: str, at: int, zone: tzinfo = UTC) -> tuple[DateMention, ...]:
    """Return the times a text names, in order and without overlap. `at`: when it was written, microseconds UTC.

    An expression that cannot be resolved is left out. Accepts any string; about linear in its length.
    """
    anchor = Anchor(at, zone)
    found: list[DateMention] = []
    for start, end in _chunks(text):
        found += _in_chunk(text, start, end, anchor, future=True)
    return tuple(found)


def parse_range(cue: str, now: int, zone: tzinfo = UTC) -> RangeReading:
    """Return the windows of time a cue asks for, and the relative expressions in it that name none.

    "since March" runs to `now`; "before 2020" is open at its start. Without any expression of time both are empty.
    """
    anchor = Anchor(now, zone)
    dates = [date for start, end in _chunks(cue) for date in _in_chunk(cue, start, end, anchor, future=False)]
    windows = _paired(cue, [_opened(cue, date, now) for date in dates])
    taken = [date.span for date in dates]
    vague = [match for match in _VAGUE.finditer(cue) if not any(_touches(match, span) for span in taken)]
    return RangeReading(tuple(windows), tuple(match.group() for match in vague))


def unparsed_time(text: str) -> str | None:
    """Return the first words that are about a time relative to now and cannot be read, None if there are none."""
    # Which words can be read does not hang on the day they are read.
    return next(iter(parse_range(text, 0).unparsed), None)


def says_since(text: str, date: DateMention) -> bool:
    """Say whether the text makes the date a beginning ("since 2019")."""
    return _SINCE.search(text, max(0, date.span.start - 24), date.span.start) is not None


def says_until(text: str, date: DateMention) -> bool:
    """Say whether the text makes the date an end ("until May")."""
    return _UNTIL.search(text, max(0, date.span.start - 24), date.span.start) is not None


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > _CHUNK:
        cut = next((m.end() for m in _BREAK.finditer(text, start + _CHUNK // 2, start + _CHUNK)), None)
        cut = cut or text.rfind(" ", start + 1, start + _CHUNK) + 1 or start + _CHUNK
        yield start, cut
        start = cut
    yield start, len(text)


def _in_chunk(text: str, start: int, end: int, anchor: Anchor, *, future: bool) -> list[DateMention]:
    piece = text[start:end]
    found: list[_Found] = []
    for rule in rules_for(piece):
        found += _matches(rule, piece, anchor, future)
    return [_moved(date, start) for date in _with_clocks(piece, list(_widest(found)), anchor)]


def _matches(rule: Rule, text: str, anchor: Anchor, future: bool) -> Iterator[_Found]:
    for match in rule.shape.finditer(text):
        if _HIER.fullmatch(match.group()) and not _FRENCH.search(text):
            continue  # German for "here"
        start, end = match.span("at") if "at" in rule.shape.groupindex else match.span()
        ahead = future and _AHEAD.search(text, max(0, start - _BEFORE), start) is not None
        interval = rule.resolve(match, anchor, ahead)
        yield start, -end, rule.name, interval and _mention(text, start, end, interval)


def _mention(text: str, start: int, end: int, interval: Interval) -> DateMention:
    return DateMention(
        span=Span(start, end),
        phrase=text[start:end],
        start=interval.start,
        end=interval.end,
        precision=interval.precision,
    )


def _widest(found: list[_Found]) -> Iterator[tuple[str, DateMention]]:
    """Yield what is left when of two that overlap the earlier, then the longer one stays.

    An impossible date ("31 February 2023") still covers the possible one inside it.
    """
    last = -1
    for start, end, name, date in sorted(found, key=lambda item: item[:2]):
        if start >= last:
            last = -end
            if date is not None:
                yield name, date


def _with_clocks(text: str, found: list[tuple[str, DateMention]], anchor: Anchor) -> Iterator[DateMention]:
    """Yield the dates, a clock time beside a day put into that day."""
    pending: list[tuple[str, DateMention]] = []
    for name, date in found:
        if pending and (joined := _joined(text, pending[-1], (name, date), anchor)):
            pending[-1] = ("joined", joined)
        else:
            pending.append((name, date))
    yield from (date for _, date in pending)


def _joined(
    text: str, left: tuple[str, DateMention], right: tuple[str, DateMention], anchor: Anchor
) -> DateMention | None:
    clocks = [name.startswith("clock") for name, _ in (left, right)]
    if clocks[0] == clocks[1] or not _WITH_CLOCK.fullmatch(text, left[1].span.end, right[1].span.start):
        return None
    day, clock = (right[1], left[1]) if clocks[0] else (left[1], right[1])
    if day.precision is not Precision.DAY:
        return None
    said = Anchor(clock.start, anchor.zone).moment
    whole = Interval(day.start, day.end, Precision.DAY)
    interval = anchor.clock(whole, said.hour, said.minute if clock.precision is Precision.MINUTE else None)
    return interval and _mention(text, left[1].span.start, right[1].span.end, interval)


def _moved(date: DateMention, by: int) -> DateMention:
    return replace(date, span=Span(date.span.start + by, date.span.end + by)) if by else date


def _opened(cue: str, date: DateMention, now: int) -> DateMention:
    begin = max(0, date.span.start - 24)
    if _SINCE.search(cue, begin, date.span.start):
        return replace(date, end=max(now, date.end))
    if _AFTER.search(cue, begin, date.span.start):
        return replace(date, start=date.end, end=LATEST)
    if _EARLIER.search(cue, begin, date.span.start) or _UNTIL.search(cue, begin, date.span.start):
        return replace(
            date, start=EARLIEST, end=date.start if _EARLIER.search(cue, begin, date.span.start) else date.end
        )
    return date


def _paired(cue: str, dates: list[DateMention]) -> Iterator[DateMention]:
    index = 0
    while index < len(dates):
        left = dates[index]
        right = dates[index + 1] if index + 1 < len(dates) else None
        index += 1
        if right and _BETWEEN.search(cue, max(0, left.span.start - 16), left.span.start):
            gap = cue[left.span.end : right.span.start]
            if _AND.fullmatch(gap) and left.start < right.end:
                span = Span(left.span.start, right.span.end)
                yield replace(left, span=span, phrase=span.of(cue), end=right.end)
                index += 1
                continue
        yield left


def _touches(match: re.Match[str], span: Span) -> bool:
    return match.start() < span.end and span.start < match.end()
