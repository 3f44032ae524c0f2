"""Tells a heading from its line (or the line under it), and what a heading says. Knows no block and no document."""

from __future__ import annotations

import re

__all__ = ["LOWEST", "atx_level", "heading_text", "is_rule", "numbered", "plain_level", "underlines"]

LOWEST = 6
"""The lowest level of a heading."""

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+\S.*|[ \t]*)$")
_RULE = re.compile(r"[ \t]*([=\-~^\"*+#_`:.'])\1{2,}[ \t]*$")
_LONGEST = 90  # characters of a line that is a heading by its words alone
_NUMBER = r"(?:\d{1,3}|[IVXLC]{1,8}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|the\b.{1,20})"
# The words that head a division of a book, each with what it takes: a number, or nothing.
_DIVISIONS = (
    (1, r"book|part|volume|teil|band|livre|partie|tome|parte|libro|livro|deel|книга|том|часть"),
    (2, r"chapter|letter|act|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|rozdział|глава|appendix|anhang|annexe?"),
    (3, r"section|scene|article|abschnitt|szene|scène|secci[oó]n|escena|sezione|раздел"),
)
_DIVISION = tuple(
    (level, re.compile(rf"(?:{words})[ \t]+{_NUMBER}(?![^\W\d_]).{{0,70}}$", re.IGNORECASE))
    for level, words in _DIVISIONS
)
_UNNUMBERED = re.compile(
    r"(?:contents|table of contents|preface|foreword|introduction|prologue|epilogue|conclusions?|appendix|glossary|index"
    r"|bibliography|references|abstract|acknowledge?ments|vorwort|einleitung|inhalt|anhang|nachwort|avant-propos|préface"
    r"|sommaire|prólogo|epílogo|índice|prefazione|indice|введение|содержание|предисловие|заключение)\.?$",
    re.IGNORECASE,
)
_EASTERN = re.compile(r"第[\d〇零一二三四五六七八九十百千]{1,7}([部编編卷巻]|[章回話话]|[节節])")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]+[^\W\d_]|([IVXLC]{1,8})\.(?:[ \t]+[^\W\d_]|$)")
_EMPHASIZED = re.compile(r"(\*{1,3}|_{1,3})([^*_]+)\1$")
_OPEN_ENDS = (".", "!", "?", ",", ";", ":", "…", "。", "！", "？", "、", "，")


def atx_level(line: str) -> int:
    """Return the level of a `# heading`, 0 if the line is none."""
    match = _ATX.match(line) if "#" in line[:4] else None
    return len(match[1]) if match else 0


def is_rule(line: str) -> bool:
    """Say whether a line is one sign repeated."""
    return _RULE.match(line) is not None


def underlines(rule: str, title: str, signs: str) -> bool:
    """Say whether `rule` is one of the signs repeated and long enough to make the title above it a heading."""
    drawn, said = rule.strip(), title.strip()
    if not drawn or drawn[0] not in signs or drawn.strip(drawn[0]) or not said or is_rule(title):
        return False
    return len(drawn) >= 2 and 10 * len(drawn) >= 6 * min(len(said), 60) and len(said) <= 200


def plain_level(line: str) -> int:
    """Return the level of a heading that only its words or capitals tell, 0 if the line is none.

    The line must stand alone for that to mean anything.
    """
    said = line.strip()
    if not 0 < len(said) <= _LONGEST:
        return 0
    if level := _division_level(said):
        return level
    return 3 if _is_capitals(said) else 0


def numbered(line: str) -> int:
    """Return how deep the number at the start of a heading goes ("2.3 Methods": 2), 0 if it is no numbered heading."""
    said = line.strip()
    match = _NUMBERED.match(said) if len(said) <= _LONGEST else None
    if match is None:
        return 0
    if match[1] is None:
        return 1
    return 0 if said.endswith(_OPEN_ENDS) or said[match.end() - 1].islower() else match[1].count(".") + 1


def heading_text(marked: str) -> str:
    """Return what a heading says, on one line, without the signs that make it a heading."""
    lines = [line.strip() for line in marked.splitlines()]
    said = " ".join(" ".join(line for line in lines if not is_rule(line)).split())
    if atx_level(marked):
        said = said.lstrip("#").strip()
        said = re.sub(r"(?:^|\s)#+$", "", said)
    emphasized = _EMPHASIZED.match(said)
    return (emphasized[2] if emphasized else said)[:200].strip()


def _division_level(said: str) -> int:
    for level, shape in _DIVISION:
        if shape.match(said):
            return 0 if said[-1] in ",;" or (said[-1] == "." and said.count(" ") > 8) else level
    if _UNNUMBERED.match(said):
        return 2
    eastern = _EASTERN.match(said)
    if eastern and not said.endswith(_OPEN_ENDS):
        return 1 if eastern[1] in "部编編卷巻" else 2 if eastern[1] in "章回話话" else 3
    return 0


def _is_capitals(said: str) -> bool:
    if said.upper() != said or said.lower() == said or said.endswith(("!", "?", ",", ";", ":", "…")):
        return False
    letters = sum(map(str.isalpha, said))
    return letters >= 3 and 2 * letters >= len(said.replace(" ", "")) and len(said.split()) <= 12
