"""HTML as readable text: headings, paragraphs, lists, tables and code, without scripts, styles, forms and navigation.

A page's `<main>` is read alone if it has one. The tree is walked without recursion: pages may nest as deep as they like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mindlog.errors import DocumentEmpty, MissingExtra
from mindlog.remember.marks import MarkKind, ReadDocument
from mindlog.remember.readers.blocks import Blocks, one_line, table_text
from mindlog.remember.readers.decoding import decode

__all__ = ["read_html"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_META = re.compile(rb"<meta\b[^>]*charset[^>]*>", re.I)
_META_WITHIN = 4096
_SKIPPED = _words(
    "script style noscript template nav svg math iframe object embed canvas audio video head select "
    "button input textarea datalist dialog map menu"
)
_SKIPPED_ROLES = frozenset({"navigation", "search", "menu", "menubar", "toolbar", "banner", "contentinfo"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = _words(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer "
    "form header hgroup hr html legend main p section summary table tbody td tfoot th thead tr ul ol li "
    "pre caption"
)
_SPACES = re.compile(r"[ \t\n\r\f\u00a0]+")
_SPACES_IN_LINE = re.compile(r" {2,}")
_AROUND_LINE = re.compile(r" *\n *")
# A table that holds one of these lays the page out. The table itself is found by it too.
_LAYOUT = "table, h1, h2, h3, h4, h5, h6, ul, ol, pre"
_LONGEST_SPAN = 100


def read_html(data: bytes, content_type: str | None, limit: int) -> ReadDocument:
    """Read a page or a piece of one.

    Raises:
        DocumentEmpty: it has no text.
        DocumentTooLarge: its text is over the limit.
        MissingExtra: selectolax is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as exc:
        raise MissingExtra("HTML needs selectolax: pip install 'mindlog[documents]'", field="document") from exc
    meta = _META.search(data[:_META_WITHIN])
    tree = LexborHTMLParser(decode(data, content_type or (meta[0].decode("latin-1") if meta else None)))
    page = _Page(Blocks(limit))
    page.read(_readable(tree))
    if not page.blocks.marks:
        raise DocumentEmpty("document: the page has no readable text", field="document")
    text = page.blocks.text
    title = next((one_line(node.text()) for node in tree.css("head > title")), "") or next(
        (text[mark.start : mark.end] for mark in page.blocks.marks if mark.kind == "heading" and mark.level == 1), ""
    )
    return ReadDocument(title or None, "html", text, tuple(page.blocks.marks))


def _readable(tree: Any) -> Any:
    mains = tree.css("main, [role=main]")
    if len(mains) == 1 and mains[0].text(strip=True):
        return mains[0]
    return tree.body or tree.root


@dataclass(slots=True)
class _List:
    """A list that is open: `number` of its next item, `None` for bullets."""

    number: int | None


@dataclass(slots=True)
class _Block:
    """A block that is open, and what stands before its first text."""

    kind: MarkKind
    level: int = 0
    prefix: str = ""


@dataclass(slots=True)
class _Page:
    """One walk over a tree: text gathers until a block begins or ends."""

    blocks: Blocks
    _text: list[str] = field(default_factory=list[str])
    _open: list[_Block] = field(default_factory=lambda: [_Block("paragraph")])
    _lists: list[_List] = field(default_factory=list[_List])

    def read(self, root: Any) -> None:
        """Add everything readable below a node."""
        todo: list[tuple[Any, bool]] = [(root, False)]
        while todo:
            node, ends = todo.pop()
            if ends:
                self._end(node.tag)
            elif self._begin(node):
                todo.append((node, True))
                todo.extend((child, False) for child in reversed(list(node.iter(include_text=True))))
        self._flush()

    def _begin(self, node: Any) -> bool:
        """Take a node in; whether its children are still to be read."""
        tag = node.tag
        if tag == "-text":
            self._add_text(node.text_content or "")
            return False
        if tag in _SKIPPED or _hidden(node):
            return False
        if tag == "br":
            self._text.append("\n")
        elif tag == "table" and len(node.css(_LAYOUT)) == 1:
            self._flush()
            self._add_table(node)
            return False
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._flush()
            self._open_block(node, tag)
        return True

    def _end(self, tag: str) -> None:
        if tag not in _BLOCKS and tag not in _HEADINGS:
            return
        self._flush()
        if tag in ("ul", "ol"):
            self._lists.pop()
        self._open.pop()

    def _open_block(self, node: Any, tag: str) -> None:
        outer = self._open[-1]
        if tag in _HEADINGS:
            self._open.append(_Block("heading", _HEADINGS[tag]))
        elif tag == "pre":
            self._open.append(_Block("code"))
        elif tag == "li":
            self._open.append(_Block("list_item", max(len(self._lists), 1), self._bullet()))
        elif tag in ("ul", "ol"):
            self._lists.append(_List(_number(node.attributes.get("start"), 1) if tag == "ol" else None))
            self._open.append(_Block("paragraph"))
        else:
            self._open.append(outer)

    def _bullet(self) -> str:
        indent = "  " * (len(self._lists) - 1)
        open_list = self._lists[-1] if self._lists else _List(None)
        if open_list.number is None:
            return f"{indent}- "
        open_list.number += 1
        return f"{indent}{open_list.number - 1}. "

    def _add_text(self, text: str) -> None:
        self._text.append(text if self._open[-1].kind == "code" else _SPACES.sub(" ", text))

    def _flush(self) -> None:
        text, block = "".join(self._text), self._open[-1]
        self._text.clear()
        if block.kind != "code":
            text = _AROUND_LINE.sub("\n", _SPACES_IN_LINE.sub(" ", text)).strip()
        if not text.strip():
            return
        if block.kind == "heading":
            text = one_line(text)
        self.blocks.add(block.kind, block.prefix + text, block.level)
        # What follows in the same item is its continuation, under no bullet of its own.
        block.prefix = " " * len(block.prefix)

    def _add_table(self, table: Any) -> None:
        for caption in table.css("caption"):
            self.blocks.add("paragraph", one_line(caption.text()))
        self.blocks.add("table", table_text([list(_cells(row)) for row in table.css("tr")]))


def _cells(row: Any) -> Iterator[str]:
    for cell in row.css("td, th"):
        yield _shown(cell)
        yield from [""] * (min(_number(cell.attributes.get("colspan"), 1), _LONGEST_SPAN) - 1)


def _shown(node: Any) -> str:
    """Return the text of a cell as a reader sees it."""
    parts: list[str] = []
    todo = [node]
    while todo:
        node = todo.pop()
        if node.tag == "-text":
            parts.append(node.text_content or "")
        elif node.tag not in _SKIPPED and not _hidden(node):
            parts.append(" " if node.tag in _BLOCKS or node.tag == "br" else "")
            todo.extend(reversed(list(node.iter(include_text=True))))
    return one_line("".join(parts))


def _hidden(node: Any) -> bool:
    attributes = node.attributes
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or (attributes.get("role") or "").lower() in _SKIPPED_ROLES
        or "display:none" in (attributes.get("style") or "").replace(" ", "").lower()
    )


def _number(value: str | None, default: int) -> int:
    digits = (value or "").strip()
    return int(digits) if digits.isdecimal() and len(digits) < 7 else default
