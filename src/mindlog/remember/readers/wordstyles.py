"""What Word's styles and numbering make of a paragraph: a heading, a list item with its sign, or neither."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from mindlog.remember.marks import MarkKind

__all__ = ["Look", "Styles", "tag_of", "value_of"]

_NUMBERING = "/numbering"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_NAMES = {"w": _WORD}
_UNCOUNTED = frozenset({"bullet", "none"})
_DEEPEST = 9
# Styles may be based on one another, in a circle too.
_MOST_BASES = 10
# Word's deeper lists are lists of their own: "List Bullet 2".
_DEEPER_LIST = re.compile(r"list (?:bullet|number) ([1-9])$", re.I)


@dataclass(frozen=True, slots=True)
class Look:
    """What a paragraph is, and what stands before its text."""

    kind: MarkKind
    level: int = 0
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class _Style:
    """level: of a heading, 0 for none. numbering: list and depth in it. indent: how deep its name says it is."""

    level: int = 0
    numbering: tuple[str, int] | None = None
    indent: int = 0


_PLAIN = _Style()


def tag_of(element: Any) -> str:
    """Return an element's name without its namespace, "" for comments and instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def value_of(element: Any, path: str, name: str = "val") -> str | None:
    """Return an attribute of the first element at a path ("./w:pPr/w:pStyle"), `None` if there is none."""
    found = element.find(path, _NAMES)
    return None if found is None else found.get(f"{{{_WORD}}}{name}")


class Styles:
    """The styles of one document, and where its numbered lists have got to."""

    def __init__(self, document: Any) -> None:
        self._styles: dict[str, _Style] = {
            style.style_id: _read_style(style) for style in document.styles if getattr(style, "type", None) == 1
        }
        default = document.styles.default(1)
        self._default = "" if default is None else str(default.style_id)
        self._bullets = _bullets(document)
        self._counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * _DEEPEST)

    def look(self, paragraph: Any) -> Look:
        """Return what a paragraph is; a numbered one takes its number."""
        style = self._styles.get(value_of(paragraph, "./w:pPr/w:pStyle") or self._default, _PLAIN)
        if level := _outline_level(paragraph) or style.level:
            return Look("heading", level)
        numbering = _numbering(paragraph) or style.numbering
        # Number zero takes a paragraph out of its style's list.
        if numbering is None or numbering[0] == "0":
            return Look("paragraph")
        indent = max(numbering[1], style.indent)
        return Look("list_item", indent + 1, "  " * indent + self._sign(*numbering))

    def _sign(self, numbers: str, depth: int) -> str:
        counts = self._counts[numbers]
        counts[depth] += 1
        counts[depth + 1 :] = [0] * (_DEEPEST - depth - 1)
        return "- " if (numbers, depth) in self._bullets else f"{counts[depth]}. "


def _read_style(style: Any) -> _Style:
    """Return what a style makes of a paragraph, looked for in the styles it is based on too."""
    numbering: tuple[str, int] | None = None
    base = style
    for _ in range(_MOST_BASES):
        if base is None:
            break
        if level := _heading_level(base):
            return _Style(level)
        numbering = numbering or _numbering(base.element)
        base = base.base_style
    deeper = _DEEPER_LIST.match(str(style.name or ""))
    return _Style(0, numbering, int(deeper[1]) - 1 if deeper else 0)


def _heading_level(style: Any) -> int:
    name = str(style.name or "").lower()
    if name == "title":
        return 1
    if name.startswith("heading ") and name[8:].isdecimal():
        return min(max(int(name[8:]), 1), 6)
    return _outline_level(style.element)


def _outline_level(element: Any) -> int:
    found = value_of(element, "./w:pPr/w:outlineLvl") or ""
    # Nine means body text.
    return min(int(found) + 1, 6) if found.isdecimal() and int(found) < 9 else 0


def _numbering(element: Any) -> tuple[str, int] | None:
    numbers = value_of(element, "./w:pPr/w:numPr/w:numId")
    if numbers is None:
        return None
    depth = value_of(element, "./w:pPr/w:numPr/w:ilvl") or ""
    return numbers, min(int(depth), _DEEPEST - 1) if depth.isdecimal() else 0


def _bullets(document: Any) -> set[tuple[str, int]]:
    """Return the lists and depths whose items are not counted."""
    root = next((r.target_part.element for r in document.part.rels.values() if r.reltype.endswith(_NUMBERING)), None)
    if root is None:
        return set()
    uncounted = {
        (abstract.get(f"{{{_WORD}}}abstractNumId"), int(level.get(f"{{{_WORD}}}ilvl")))
        for abstract in root.findall("./w:abstractNum", _NAMES)
        for level in abstract.findall("./w:lvl", _NAMES)
        if value_of(level, "./w:numFmt") in _UNCOUNTED
    }
    return {
        (str(number.get(f"{{{_WORD}}}numId")), depth)
        for number in root.findall("./w:num", _NAMES)
        for depth in range(_DEEPEST)
        if (value_of(number, "./w:abstractNumId"), depth) in uncounted
    }
