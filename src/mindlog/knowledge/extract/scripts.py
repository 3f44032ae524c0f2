"""Finds names in scripts without capitals: Chinese, Japanese, Korean, Arabic, Devanagari, Thai and Hebrew.

Small general tables (surnames, given names, places, titles, the particles around names) and shapes; knows no statement.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import regex

from mindlog.knowledge.extraction import EntityKind, Span

__all__ = ["find_script_names"]

_ANY = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Arabic}\p{Devanagari}\p{Thai}\p{Hebrew}]")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_SCRIPTS = {
    "chinese": regex.compile(r"\p{Han}"),
    "korean": regex.compile(r"\p{Hangul}"),
    "arabic": regex.compile(r"\p{Arabic}"),
    "hindi": regex.compile(r"\p{Devanagari}"),
    "thai": regex.compile(r"\p{Thai}"),
    "hebrew": regex.compile(r"\p{Hebrew}"),
}

Shape = tuple[regex.Pattern[str], EntityKind, float]


def find_script_names(text: str) -> Iterator[tuple[Span, EntityKind, float]]:
    """Yield names with kind and confidence, in order and without overlap. Linear: every shape is bounded."""
    if text.isascii() or not _ANY.search(text):
        return
    scripts = [script for script, sign in _SCRIPTS.items() if sign.search(text)]
    if _KANA.search(text):
        scripts = ["japanese", *(script for script in scripts if script != "chinese")]
    found = [
        (Span(*match.span("name")), -confidence, kind)
        for script in scripts
        for shape, kind, confidence in _shapes(script)
        for match in shape.finditer(text)
    ]
    end = 0
    for span, confidence, kind in sorted(
        found, key=lambda item: (item[0].start, item[2] is _PERSON, -item[0].end, item[1])
    ):
        if span.start >= end:
            end = span.end
            yield span, kind, -confidence


@functools.cache
def _tables() -> dict[str, str]:
    """Alternations by the name of their table; a table is a heading in brackets and its words."""
    source = Path(__file__).with_name("script_names.txt").read_text(encoding="utf-8")
    tables: dict[str, list[str]] = {}
    current: list[str] = []
    for line in source.splitlines():
        if line.startswith("["):
            tables[line.strip("[]")] = current = []
        elif line and not line.startswith("#"):
            current += line.split()
    # An underscore stands for a space inside a name.
    joined = {
        name: "|".join(sorted((w.replace("_", " ") for w in words), key=len, reverse=True))
        for name, words in tables.items()
    }
    return joined | {"zh-given": rf"[\p{{Han}}--[{joined['zh-common']}]]"}


@functools.cache
def _shapes(script: str) -> tuple[Shape, ...]:
    tables = _tables()
    rows = _ROWS[script]
    return tuple(
        (regex.compile(_filled(shape, tables), regex.VERSION1), kind, confidence) for shape, kind, confidence in rows
    )


def _filled(shape: str, tables: dict[str, str]) -> str:
    return regex.sub(r"(?<!P)<([a-z-]+)>", lambda match: f"(?:{tables[match[1]]})", shape)


_PERSON, _PLACE, _ORGANIZATION = EntityKind.PERSON, EntityKind.PLACE, EntityKind.ORGANIZATION
_ZH_START = (
    r"(?:(?<![\p{Han}])|(?<=[和与與跟是叫的对對给給向由让讓请請找见見为為同像问問告诉訴，])"
    r"|(?<=朋友|同事|同学|同學|姐姐|妹妹|哥哥|弟弟|丈夫|妻子|老公|老婆|老板|老闆|经理|經理|邻居|鄰居|儿子|兒子|女儿|女兒|遇到了?|见到了?|認識了?|认识了?))"
)
_KO_END = r"(?=(?:<ko-particle>)?(?![\p{Hangul}]))"
_AR_START = r"(?<![\p{Arabic}])(?:[وفبلك])?"
_AR_END = r"(?![\p{Arabic}\p{M}])"
_HI_END = r"(?![\p{Devanagari}\p{M}])"
_HI_START = r"(?<![\p{Devanagari}\p{M}])"

# Bare angle brackets are tables; the group `name` is what is named.
_ROWS: dict[str, tuple[tuple[str, EntityKind, float], ...]] = {
    "chinese": (
        (r"(?P<name>(?:<zh-place>))", _PLACE, 0.85),
        (rf"{_ZH_START}(?!<zh-word>)(?P<name>(?:<zh-surname>)(?:<zh-given>(?![天年日早晚])){{1,2}})", _PERSON, 0.75),
        (r"(?P<name>(?:<zh-surname>))(?=<zh-title>)", _PERSON, 0.8),
        (r"(?<![\p{Han}])(?P<name>[小老阿]<zh-surname>)(?!<zh-title>)(?=[\p{Han}，。])", _PERSON, 0.6),
        (r"(?P<name>(?:<zh-company>)(?:<zh-org>)?)", _ORGANIZATION, 0.85),
        (r"(?P<name><zh-given>{2,8}(?:<zh-org>))", _ORGANIZATION, 0.8),
        (r"(?:住在|搬到|搬去|来自|來自|飞往|飛往|前往|生于|生於|位于|位於)(?P<name><zh-given>{2,4})", _PLACE, 0.7),
    ),
    "japanese": (
        (r"(?P<name>(?:<ja-place>))", _PLACE, 0.85),
        (r"(?P<name>[\p{Han}]{1,3}[都府県市区町村駅])(?![\p{Han}])", _PLACE, 0.75),
        (r"(?P<name>(?:<ja-surname>)[\p{Han}]{0,3})(?=<ja-after>|$|[、。\s])", _PERSON, 0.75),
        (r"(?P<name>(?:<ja-surname>)\s?[\p{Hiragana}]{2,3})(?=さん|くん|ちゃん|様)", _PERSON, 0.75),
        (r"(?<![\p{Han}])(?P<name>[\p{Han}]{1,4})(?=さん|くん|ちゃん|氏|先生)(?<!お[\p{Han}]{1,2})", _PERSON, 0.7),
        (r"(?P<name>[\p{Katakana}ー]{2,12}(?:・[\p{Katakana}ー]{1,12}){1,4})", _PERSON, 0.8),
        (r"(?P<name>[\p{Katakana}ー]{2,10})(?=さん|くん|ちゃん|氏|様|先生)", _PERSON, 0.8),
        (r"(?<![\p{Hiragana}])(?!みな|おば|おじ|おかあ|おとう)(?P<name>[\p{Hiragana}]{2,4})(?=さん|ちゃん|くん)", _PERSON, 0.6),
        (r"(?P<name>株式会社[\p{Han}\p{Katakana}ー]{1,10}|[\p{Han}\p{Katakana}ー]{2,10}(?:大学|銀行|病院|高校|会社|電機|製薬))", _ORGANIZATION, 0.8),
    ),
    "korean": (
        (rf"(?<![\p{{Hangul}}])(?P<name>(?:<ko-place>)(?:특별시|광역시|시|도|구|군)?){_KO_END}", _PLACE, 0.85),
        (rf"(?<![\p{{Hangul}}])(?!<ko-word>)(?P<name>(?:<ko-surname>)[\p{{Hangul}}]{{2}}){_KO_END}", _PERSON, 0.7),
        (r"(?<![\p{Hangul}])(?!<ko-word>)(?P<name>(?:<ko-surname>)[\p{Hangul}]{0,2})(?=\s?<ko-title>)", _PERSON, 0.8),
        (rf"(?<![\p{{Hangul}}])(?P<name>(?:<ko-given>)){_KO_END}", _PERSON, 0.7),
        (rf"(?<![\p{{Hangul}}])(?P<name>[\p{{Hangul}}]{{2,8}}(?:<ko-org>)){_KO_END}", _ORGANIZATION, 0.75),
    ),
    "arabic": (
        (
            rf"{_AR_START}(?P<name>(?:<ar-given>)(?:\s(?:<ar-given>|(?:بن|ابن|بنت|آل)\s[\p{{Arabic}}]{{2,12}}|ال[\p{{Arabic}}]{{2,10}}ي)){{0,4}}){_AR_END}",
            _PERSON, 0.8,
        ),
        (rf"(?<![\p{{Arabic}}])(?:<ar-title>)[ةه]?\s(?P<name>[\p{{Arabic}}]{{2,12}}(?:\s(?:بن\s)?ال[\p{{Arabic}}]{{2,10}})?){_AR_END}", _PERSON, 0.75),
        (rf"{_AR_START}(?P<name>(?:أبو|أبا|أم|عبد)\s?[\p{{Arabic}}]{{2,12}}){_AR_END}", _PERSON, 0.6),
        (rf"{_AR_START}ل?(?P<name>(?:<ar-place>)){_AR_END}", _PLACE, 0.85),
        (rf"{_AR_START}(?P<name>(?:<ar-org>)\s[\p{{Arabic}}]{{2,12}}){_AR_END}", _ORGANIZATION, 0.75),
    ),
    "hindi": (
        (rf"{_HI_START}(?P<name>(?:<hi-given>)(?:\s(?:<hi-surname>|<hi-given>)){{0,3}}){_HI_END}", _PERSON, 0.8),
        (rf"{_HI_START}(?P<name>[\p{{Devanagari}}\p{{M}}]{{2,14}}\s(?:<hi-surname>)){_HI_END}", _PERSON, 0.75),
        (rf"{_HI_START}(?:श्रीमती|श्री|डॉ\.?|डॉक्टर|प्रोफेसर|पंडित)\s(?P<name>[\p{{Devanagari}}\p{{M}}]{{2,14}}){_HI_END}", _PERSON, 0.8),
        (rf"{_HI_START}(?P<name>[\p{{Devanagari}}\p{{M}}]{{2,14}})(?=\sजी{_HI_END})", _PERSON, 0.6),
        (rf"{_HI_START}(?P<name>(?:<hi-place>)){_HI_END}", _PLACE, 0.85),
        (rf"{_HI_START}(?P<name>[\p{{Devanagari}}\p{{M}}]{{2,10}}(?:पुर|नगर|बाद|गढ़)){_HI_END}", _PLACE, 0.7),
        (rf"{_HI_START}(?P<name>[\p{{Devanagari}}\p{{M}}]{{2,14}}\s(?:विश्वविद्यालय|बैंक|कंपनी|अस्पताल|कॉलेज)){_HI_END}", _ORGANIZATION, 0.75),
    ),
    "thai": (
        (r"(?:<th-title>)\s?(?P<name>[\p{Thai}\p{M}]{2,16}?(?:\s(?!<th-verb>)[\p{Thai}\p{M}]{2,20}?)?)(?=\s|<th-verb>|$|[.,])", _PERSON, 0.75),
        (r"(?P<name>(?:<th-place>))", _PLACE, 0.85),
        (r"(?P<name>(?:บริษัท|มหาวิทยาลัย|ธนาคาร|โรงพยาบาล)[\p{Thai}\p{M}]{2,16})", _ORGANIZATION, 0.7),
    ),
    "hebrew": (
        (r"(?<!\p{Hebrew})(?:ו|ל|ש|מ|ב)?(?P<name>(?:<he-given>)(?:\s(?:<he-surname>))?)(?!\p{Hebrew})", _PERSON, 0.75),
        (r"(?<!\p{Hebrew})(?:ו|ל|ש|מ|ב)?(?P<name>(?:<he-place>))(?!\p{Hebrew})", _PLACE, 0.85),
    ),
}  # fmt: skip
