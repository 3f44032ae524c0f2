"""Documents made for tests: PDF files written by hand, Word files by python-docx."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import docx

Placed = tuple[float, float, str]
"""Size of the letters, height on the page, text."""


def pdf(*pages: Sequence[Placed], title: str | None = None) -> bytes:
    """Return a PDF whose pages hold lines of Latin text in Helvetica."""
    kids = [4 + 2 * at for at in range(len(pages))]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for kid, lines in zip(kids, pages, strict=True):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {kid + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(stream("".join(_shown(line) for line in lines).encode("cp1252")))
    if title is not None:
        objects.append(f"<< /Title ({title}) >>".encode())
    return _file(objects, info=len(objects) if title is not None else None)


def body(*texts: str, top: float = 700, gap: float = 14) -> list[Placed]:
    """Return lines of ten points, one under the other."""
    return [(10, top - gap * at, text) for at, text in enumerate(texts)]


def stream(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)


def _shown(line: Placed) -> str:
    size, height, text = line
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size} Tf 1 0 0 1 72 {height} Tm ({escaped}) Tj ET\n"


def _file(objects: list[bytes], info: int | None) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places: list[int] = []
    for number, content in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    named = b" /Info %d 0 R" % info if info else b""
    out.write(b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, named, table))
    return out.getvalue()


def word(fill: Callable[[Any], None]) -> bytes:
    """Return a Word file that `fill` has written into."""
    document = docx.Document()
    fill(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()
